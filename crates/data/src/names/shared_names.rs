//! Names that all parsing threads share.
//!
//! A thread that parses a piece does not know what came before it. It numbers names by itself, and the stream looks each of them up again
//! when it comes to the piece. Most names of most data occur again and again, so the names of the stream are published for
//! all threads. A name that a thread finds there has its final number at once. Which names are published when depends on timing, but no
//! number depends on it: a published name has the number that the stream gave it, and the others get theirs in the order of the pieces.

use std::sync::{Arc, Mutex, PoisonError};

use super::name_table::NameTable;
use super::vocabulary::Vocabulary;

/// It pays to publish names once so many lookups have missed them, as a share of all names: a list of parts is made, and the last part is copied.
const SHARE: usize = 32;

/// The names that are shared now.
#[derive(Debug, Default)]
pub(crate) struct SharedNames(Mutex<Arc<NameTable>>);

impl SharedNames {
    /// What is shared now.
    pub(crate) fn current(&self) -> Arc<NameTable> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Publishes the names, if there are new ones, and if enough lookups have `missed` what is published. None of the names may ever get another number.
    pub(crate) fn publish(&self, names: &Vocabulary, missed: &mut usize) {
        if *missed > names.len() / SHARE && names.len() > self.current().len() {
            self.publish_all(names);
            *missed = 0;
        }
    }

    /// Publishes the names however few are new.
    pub(crate) fn publish_all(&self, names: &Vocabulary) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(names.for_others());
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use thalweg_core::keyed_hash::SecretKey;

    use super::*;

    fn find(table: &NameTable, name: &[u8]) -> Option<u32> {
        table.find(name, SecretKey::default().hash_bytes(name))
    }

    #[test]
    fn what_was_published_is_found_and_nothing_else() {
        let names: Vec<String> = (0..5000).map(|i| format!("{}{i}", "x".repeat(i % 23))).collect();
        let (shared, mut vocabulary) = (SharedNames::default(), Vocabulary::default());
        assert_eq!((find(&shared.current(), b"a"), shared.current().len()), (None, 0));
        names[..4000].iter().for_each(|name| _ = vocabulary.number(name.as_bytes()));
        shared.publish_all(&vocabulary);
        let table = shared.current();
        // The table is that of the vocabulary, as long as it is large enough; the names are those of before.
        names[4000..].iter().for_each(|name| _ = vocabulary.number(name.as_bytes()));
        assert_eq!(table.len(), 4000);
        for (number, name) in names.iter().enumerate() {
            let known = number < 4000;
            assert_eq!(find(&table, name.as_bytes()), known.then_some(number as u32));
            assert_eq!(table.name(number as u32), known.then_some(name.as_bytes()));
        }
    }

    #[test]
    fn names_are_published_when_a_share_of_them_is_new() {
        let (shared, mut names, mut lengths) = (SharedNames::default(), Vocabulary::default(), Vec::new());
        let mut missed = 0;
        for i in 0..20_000u32 {
            names.number(&i.to_le_bytes());
            missed += 1;
            shared.publish(&names, &mut missed);
            let len = shared.current().len();
            if lengths.last() != Some(&len) {
                lengths.push(len);
            }
        }
        assert_eq!(&lengths[..3], [1, 2, 3]);
        assert!(lengths.windows(2).all(|pair| pair[1] - pair[0] >= pair[1] / SHARE));
        assert!(lengths.len() < 250 && lengths[lengths.len() - 1] > 19_000);
        // Few new names are published, too, once they have been missed often enough.
        names.number(b"one more");
        for _ in 0..names.len() / SHARE {
            missed += 1;
            shared.publish(&names, &mut missed);
        }
        assert_eq!(shared.current().len(), names.len());
    }

    /// One thread adds while others look: what they find is right.
    #[test]
    fn whoever_looks_while_names_are_added_finds_no_wrong_number() {
        let shared = SharedNames::default();
        let (names, done): (Vec<String>, _) =
            ((0..60_000).map(|i| format!("name{i}")).collect(), std::sync::atomic::AtomicBool::new(false));
        let order = std::sync::atomic::Ordering::Relaxed;
        thread::scope(|scope| {
            for start in 0..2 {
                let (shared, names, done) = (&shared, &names, &done);
                scope.spawn(move || {
                    while !done.load(order) {
                        let table = shared.current();
                        for (number, name) in names.iter().enumerate().skip(start).step_by(7) {
                            let expected = (number < table.len()).then_some(number as u32);
                            assert_eq!(find(&table, name.as_bytes()), expected);
                        }
                    }
                });
            }
            let mut vocabulary = Vocabulary::default();
            for name in &names {
                vocabulary.number(name.as_bytes());
                shared.publish(&vocabulary, &mut 1000);
            }
            done.store(true, order);
        });
    }
}
