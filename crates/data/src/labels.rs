//! Which label is which class.
//!
//! Labels are words; those that are numbers are compared as numbers, so `1`, `+1` and `1.0` are one label. Of two
//! labels the greater is the positive class (1 of −1 and 1, 1 of 0 and 1, 2 of 1 and 2, spam of ham and spam), unless
//! the user names the positive one. A stream shows its labels one by one, so readers look ahead until both are known.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;
use thalweg_core::Class;

/// The classes' names, and what to do with a label not met before.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Negative and positive; empty while not seen.
    names: [String; 2],
    rule: Rule,
    /// Classes of labels as written, so that most labels are one look-up.
    spellings: FxHashMap<Box<[u8]>, Option<Class>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Two labels; classes are numbered as they come, until [`Labels::settle`].
    Open,
    /// Two labels, and it is known which is which (one may not have been seen yet).
    Settled,
    /// The two labels of a model.
    Known,
    /// The positive label is given, every other label is negative.
    Rest,
    /// As settled, but other labels are no labels.
    Lenient,
}

/// The name of the negative class when several labels make it up.
const REST: &str = "rest";

impl Default for Labels {
    fn default() -> Self {
        Self::with([String::new(), String::new()], Rule::Open)
    }
}

impl Labels {
    /// The label that the user calls positive; all others are negative.
    pub fn positive(name: &str) -> Self {
        Self::with([String::new(), canonical(name)], Rule::Rest)
    }

    /// The labels of a model: negative, positive. `rest` as [`Self::is_rest`] said.
    pub fn of_model(names: &[String], rest: bool) -> Self {
        let name = |i: usize| names.get(i).cloned().unwrap_or_default();
        let seen = names.iter().filter(|name| !name.is_empty()).count();
        let rule = match (rest, seen) {
            (true, _) => Rule::Rest,
            (false, 0) => Rule::Open,
            (false, 1) => Rule::Settled,
            (false, _) => Rule::Known,
        };
        Self::with([name(0), name(1)], rule)
    }

    /// The same, for data whose labels do not matter: a label that the model does not know is none.
    #[must_use]
    pub fn lenient(self) -> Self {
        if self.rule == Rule::Rest { self } else { Self { rule: Rule::Lenient, ..self } }
    }

    fn with(names: [String; 2], rule: Rule) -> Self {
        Self { names, rule, spellings: FxHashMap::default() }
    }

    /// Negative and positive; empty while not seen.
    pub fn names(&self) -> &[String; 2] {
        &self.names
    }

    /// Is every label but the positive one negative?
    pub fn is_rest(&self) -> bool {
        self.rule == Rule::Rest
    }

    /// Is it known which label is positive?
    pub fn is_settled(&self) -> bool {
        self.rule != Rule::Open
    }

    /// Are both labels known?
    pub fn is_complete(&self) -> bool {
        self.names.iter().all(|name| !name.is_empty())
    }

    /// The class of a label. The error says what is wrong with it.
    pub fn class(&mut self, text: &[u8]) -> Result<Option<Class>, String> {
        if let Some(class) = self.spellings.get(text) {
            return Ok(*class);
        }
        let name = std::str::from_utf8(text).map_err(|_| "a label must be UTF-8 text".to_string())?;
        let name = canonical(name);
        let class = match self.names.iter().position(|known| *known == name) {
            Some(class) => Some(class as Class),
            None => self.newcomer(name)?,
        };
        self.spellings.insert(text.into(), class);
        Ok(class)
    }

    fn newcomer(&mut self, name: String) -> Result<Option<Class>, String> {
        let [negative, positive] = &self.names;
        match (self.rule, negative.is_empty(), positive.is_empty()) {
            (Rule::Lenient, ..) => Ok(None),
            (Rule::Rest, seen_none, _) => {
                self.names[0] = if seen_none { name } else { REST.into() };
                Ok(Some(0))
            }
            (Rule::Known, ..) => Err(format!(
                "label \"{name}\" is neither \"{negative}\" nor \"{positive}\", the labels of the model"
            )),
            (_, false, false) => Err(format!(
                "a third label, \"{name}\", after \"{negative}\" and \"{positive}\"; name the positive one with --positive to tell it from all others"
            )),
            (Rule::Open, true, _) => Ok(Some(self.admit(0, name))),
            (Rule::Open, false, true) => Ok(Some(self.admit(1, name))),
            (Rule::Settled, ..) => {
                let class = usize::from(positive.is_empty());
                let known = &self.names[1 - class];
                if order(&name, known) == if class == 1 { Ordering::Greater } else { Ordering::Less } {
                    Ok(Some(self.admit(class, name)))
                } else {
                    let side = if class == 1 { "negative" } else { "positive" };
                    Err(format!(
                        "label \"{name}\" comes after a long run of \"{known}\" alone, which was taken for the {side} class; say which is positive with --positive"
                    ))
                }
            }
        }
    }

    fn admit(&mut self, class: usize, name: String) -> Class {
        self.names[class] = name;
        class as Class
    }

    /// Decides which label is positive from those seen so far. Returns whether the classes given out so far must be
    /// exchanged.
    pub fn settle(&mut self) -> bool {
        if self.is_settled() || self.names[0].is_empty() {
            return false;
        }
        self.rule = Rule::Settled;
        let [first, second] = &self.names;
        let exchange = if second.is_empty() {
            !looks_negative(first)
        } else {
            order(first, second) == Ordering::Greater
        };
        if exchange {
            self.names.swap(0, 1);
            self.spellings.values_mut().flatten().for_each(|class| *class = 1 - *class);
        }
        exchange
    }
}

/// The one spelling of a label: numbers as short as possible, words as they are.
fn canonical(text: &str) -> String {
    match number(text) {
        Some(0.0) => "0".into(), // also −0
        Some(value) => value.to_string(),
        None => text.to_string(),
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|v: &f64| v.is_finite())
}

/// Numbers by size, words by alphabet.
fn order(a: &str, b: &str) -> Ordering {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    }
}

/// A label seen alone: 0, −1, no and false are negative, anything else is positive.
fn looks_negative(name: &str) -> bool {
    number(name).map_or_else(|| ["no", "false"].contains(&name.to_lowercase().as_str()), |value| value <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(seen: &[&str]) -> Labels {
        let mut labels = Labels::default();
        seen.iter().for_each(|text| {
            labels.class(text.as_bytes()).unwrap();
        });
        labels.settle();
        labels
    }

    #[test]
    fn the_greater_label_is_positive_in_whatever_order_they_come() {
        for (negative, positive) in [("-1", "+1"), ("0", "1"), ("1", "2"), ("ham", "spam"), ("9", "10")] {
            for seen in [[negative, positive], [positive, negative]] {
                let mut labels = settled(&seen);
                assert_eq!(labels.class(negative.as_bytes()), Ok(Some(0)), "{seen:?}");
                assert_eq!(labels.class(positive.as_bytes()), Ok(Some(1)), "{seen:?}");
            }
        }
    }

    #[test]
    fn spellings_of_one_number_are_one_label() {
        let mut labels = settled(&["-1", "1"]);
        for text in ["+1", "1", "1.0", "1e0"] {
            assert_eq!(labels.class(text.as_bytes()), Ok(Some(1)));
        }
        assert_eq!(labels.names(), &["-1", "1"]);
        assert_eq!(settled(&["-0", "1"]).names(), &["0", "1"]);
    }

    #[test]
    fn a_third_label_is_an_error() {
        let error = settled(&["1", "2"]).class(b"3").unwrap_err();
        assert!(error.starts_with("a third label, \"3\", after \"1\" and \"2\""), "{error}");
    }

    #[test]
    fn a_label_seen_alone_keeps_its_class_or_is_an_error() {
        let mut ones = settled(&["1"]);
        assert_eq!(ones.names(), &["", "1"]);
        assert_eq!(ones.class(b"-1"), Ok(Some(0)));
        let mut ones = settled(&["1"]);
        assert!(ones.class(b"2").unwrap_err().contains("say which is positive with --positive"));
        assert_eq!(settled(&["0"]).names(), &["0", ""]);
    }

    #[test]
    fn one_label_against_the_rest() {
        let mut labels = Labels::positive("7");
        assert_eq!(labels.class(b"3"), Ok(Some(0)));
        assert_eq!(labels.names(), &["3", "7"]);
        assert_eq!(labels.class(b"7.0"), Ok(Some(1)));
        assert_eq!(labels.class(b"4"), Ok(Some(0)));
        assert_eq!(labels.names(), &["rest", "7"]);
    }

    #[test]
    fn lenient_labels_ignore_what_the_model_does_not_know() {
        let mut labels = Labels::of_model(&["ham".into(), "spam".into()], false).lenient();
        assert_eq!(labels.class(b"spam"), Ok(Some(1)));
        assert_eq!(labels.class(b"?"), Ok(None));
    }
}
