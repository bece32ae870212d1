//! Hash tables for keys that come from data. Their hash function has a secret key.
//!
//! Whoever writes the data can read every published hash function, and could choose keys that all have the same hash. Every look-up would
//! then go through all of them. So every process draws a secret key, which nobody can know beforehand. Nothing that is learned or
//! written depends on it.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

use foldhash::SharedSeed;
use foldhash::fast::{FoldHasher, SeedableRandomState};

/// A hash map for keys that come from data.
pub type KeyedMap<K, V> = HashMap<K, V, SecretKey>;
/// A hash set for keys that come from data.
pub type KeyedSet<K> = HashSet<K, SecretKey>;

/// The secret key of this process. All values of this type are equal, so they compute equal hashes.
#[derive(Clone, Debug)]
pub struct SecretKey(SeedableRandomState);

impl Default for SecretKey {
    fn default() -> Self {
        /// Drawn as the standard library draws the keys of its own tables.
        static SEEDS: LazyLock<(u64, SharedSeed)> = LazyLock::new(|| {
            let random = RandomState::new();
            (random.hash_one(0), SharedSeed::from_u64(random.hash_one(1)))
        });
        let (own, shared) = &*SEEDS;
        Self(SeedableRandomState::with_seed(*own, shared))
    }
}

impl SecretKey {
    /// The hash of bytes, and of nothing else: `hash_one` would hash their number too.
    #[inline(always)]
    pub fn hash_bytes(&self, bytes: &[u8]) -> u64 {
        let mut hasher = self.build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }
}

impl BuildHasher for SecretKey {
    type Hasher = FoldHasher<'static>;

    #[inline(always)]
    fn build_hasher(&self) -> FoldHasher<'static> {
        self.0.build_hasher()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that want one place of 1024 under a hash that is public.
    #[test]
    fn numbers_chosen_for_a_public_hash_do_not_meet() {
        let public = |number: u32| u64::from(number).wrapping_mul(0xf135_7aea_2e62_a9c5).rotate_left(26);
        let chosen: Vec<u32> = (0..1 << 22).filter(|number| public(*number) % 1024 == 77).collect();
        assert!(chosen.len() > 4000);
        let secret = SecretKey::default();
        let mut places = [0; 1024];
        chosen.iter().for_each(|number| places[secret.hash_one(number) as usize % 1024] += 1);
        assert!(places.iter().all(|count| *count < 32), "{places:?}");
    }

    const TELLS: &str = "THALWEG_TELLS_A_HASH";

    /// The test runs itself again, which tells what a name hashes to there.
    #[test]
    fn every_process_has_another_secret() {
        let hash = format!("<{:016x}>", SecretKey::default().hash_bytes(b"a name"));
        assert_eq!(SecretKey::default().hash_bytes(b"a name"), SecretKey::default().hash_bytes(b"a name"));
        if std::env::var_os(TELLS).is_some() {
            // Where this is read, what is said is not for the eyes of a user.
            return std::io::Write::write_all(&mut std::io::stdout(), hash.as_bytes()).unwrap();
        }
        let name = "keyed_hash::tests::every_process_has_another_secret";
        let program = std::env::current_exe().unwrap();
        let there = std::process::Command::new(program)
            .args([name, "--exact", "--nocapture"])
            .env(TELLS, "1")
            .output();
        let there = String::from_utf8(there.unwrap().stdout).unwrap();
        assert!(there.contains('<') && !there.contains(&hash), "{hash} here, and there {there}");
    }
}
