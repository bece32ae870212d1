//! Which label is which class.
//!
//! Labels are words; those that are numbers are compared as numbers, so `1`, `+1` and `1.0` are one label. Of two
//! labels the greater is the positive class (1 of −1 and 1, 1 of 0 and 1, 2 of 1 and 2, spam of ham and spam), unless
//! the user names the positive one. Many labels are numbered in the same order. A stream shows its labels one by one, so
//! readers look ahead before they settle on an order.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;
use thalweg_core::Class;

/// The classes' names, and what to do with a label not met before.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Two classes: negative and positive, empty while not seen. Many: all that were seen.
    names: Vec<String>,
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
    /// Any number of labels, numbered as they come, until [`Labels::settle`] puts them in order.
    ManyOpen,
    /// Any number of labels; newcomers are numbered as they come.
    Many,
    /// A label that is not known is none.
    Lenient,
}

/// The name of the negative class when several labels make it up.
const REST: &str = "rest";

impl Default for Labels {
    fn default() -> Self {
        Self::with(vec![String::new(), String::new()], Rule::Open)
    }
}

impl Labels {
    /// The label that the user calls positive; all others are negative.
    pub fn positive(name: &str) -> Self {
        Self::with(vec![String::new(), canonical(name)], Rule::Rest)
    }

    /// As many labels as there are.
    pub fn many() -> Self {
        Self::with(Vec::new(), Rule::ManyOpen)
    }

    /// The labels of a two-class model: negative, positive. `rest` as [`Self::is_rest`] said.
    pub fn of_two(names: &[String], rest: bool) -> Self {
        let seen = names.iter().filter(|name| !name.is_empty()).count();
        let rule = match (rest, seen) {
            (true, _) => Rule::Rest,
            (false, 0) => Rule::Open,
            (false, 1) => Rule::Settled,
            (false, _) => Rule::Known,
        };
        let name = |i: usize| names.get(i).cloned().unwrap_or_default();
        Self::with(vec![name(0), name(1)], rule)
    }

    /// The labels of a model of many classes.
    pub fn of_many(names: &[String]) -> Self {
        Self::with(names.to_vec(), if names.is_empty() { Rule::ManyOpen } else { Rule::Many })
    }

    /// The same, for data whose labels do not matter: a label that the model does not know is none.
    #[must_use]
    pub fn lenient(self) -> Self {
        if self.rule == Rule::Rest { self } else { Self { rule: Rule::Lenient, ..self } }
    }

    fn with(names: Vec<String>, rule: Rule) -> Self {
        Self { names, rule, spellings: FxHashMap::default() }
    }

    /// The classes' names. Two classes: negative and positive; empty while not seen.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What to call a class; one of two whose label has not been seen yet is called by what it is.
    pub fn name(&self, class: Class) -> &str {
        match (self.names.get(class as usize).map(String::as_str), class) {
            (Some("") | None, 0) => "negative",
            (Some("") | None, _) => "positive",
            (Some(name), _) => name,
        }
    }

    /// Is every label but the positive one negative?
    pub fn is_rest(&self) -> bool {
        self.rule == Rule::Rest
    }

    /// How many more examples are worth looking at before [`Self::settle`], when `seen` have been looked at.
    pub fn look_ahead(&self, seen: usize) -> usize {
        let farthest = match self.rule {
            Rule::Open if self.names.iter().any(String::is_empty) => TWO_FARTHEST,
            Rule::ManyOpen => MANY_FARTHEST,
            _ => 0,
        };
        farthest.saturating_sub(seen)
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
        match self.rule {
            Rule::Lenient => Ok(None),
            Rule::ManyOpen | Rule::Many => {
                self.names.push(name);
                Ok(Some(self.names.len() as Class - 1))
            }
            Rule::Rest => {
                self.names[0] = if self.names[0].is_empty() { name } else { REST.into() };
                Ok(Some(0))
            }
            Rule::Open | Rule::Settled | Rule::Known => self.second_label(name).map(Some),
        }
    }

    /// A new label where there are at most two.
    fn second_label(&mut self, name: String) -> Result<Class, String> {
        let (negative, positive) = (&self.names[0], &self.names[1]);
        let class = match (negative.is_empty(), positive.is_empty()) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) if self.rule == Rule::Known => {
                return Err(format!(
                    "label \"{name}\" is neither \"{negative}\" nor \"{positive}\", the labels of the model"
                ));
            }
            (false, false) => {
                return Err(format!(
                    "a third label, \"{name}\", after \"{negative}\" and \"{positive}\"; --multiclass learns them all, --positive LABEL tells one from all others"
                ));
            }
        };
        let known = &self.names[1 - class];
        let expected = if class == 1 { Ordering::Greater } else { Ordering::Less };
        if self.rule == Rule::Settled && order(&name, known) != expected {
            let side = if class == 1 { "negative" } else { "positive" };
            return Err(format!(
                "label \"{name}\" comes after a long run of \"{known}\" alone, which was taken for the {side} class; say which is positive with --positive"
            ));
        }
        self.names[class] = name;
        Ok(class as Class)
    }

    /// Decides on the order of the labels from those seen so far. If classes given out so far must be renamed, returns
    /// their new names: class `i` becomes class `new[i]`.
    pub fn settle(&mut self) -> Option<Vec<Class>> {
        let new = match self.rule {
            Rule::Open if !self.names[0].is_empty() => {
                self.rule = Rule::Settled;
                let [first, second] = [&self.names[0], &self.names[1]];
                let exchange = if second.is_empty() {
                    !looks_negative(first)
                } else {
                    order(first, second) == Ordering::Greater
                };
                if exchange { vec![1, 0] } else { return None }
            }
            Rule::ManyOpen if !self.names.is_empty() => {
                self.rule = Rule::Many;
                let mut sorted: Vec<usize> = (0..self.names.len()).collect();
                sorted.sort_by(|&a, &b| order(&self.names[a], &self.names[b]));
                let mut new = vec![0; sorted.len()];
                sorted.iter().enumerate().for_each(|(position, &old)| new[old] = position as Class);
                new
            }
            _ => return None,
        };
        let mut names = vec![String::new(); new.len()];
        self.names.drain(..).zip(&new).for_each(|(name, &class)| names[class as usize] = name);
        self.names = names;
        self.spellings.values_mut().flatten().for_each(|class| *class = new[*class as usize]);
        Some(new)
    }
}

/// How many examples to hold back while only one of two labels has been seen.
const TWO_FARTHEST: usize = 1 << 16;
/// How many examples to hold back to find the labels when there may be many.
const MANY_FARTHEST: usize = 1 << 13;

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

/// Numbers by size, before words by alphabet.
fn order(a: &str, b: &str) -> Ordering {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
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
        assert_eq!(labels.names(), ["-1", "1"]);
        assert_eq!(settled(&["-0", "1"]).names(), ["0", "1"]);
    }

    #[test]
    fn a_third_label_is_an_error() {
        let error = settled(&["1", "2"]).class(b"3").unwrap_err();
        assert!(error.starts_with("a third label, \"3\", after \"1\" and \"2\""), "{error}");
    }

    #[test]
    fn a_label_seen_alone_keeps_its_class_or_is_an_error() {
        let mut ones = settled(&["1"]);
        assert_eq!(ones.names(), ["", "1"]);
        assert_eq!(ones.class(b"-1"), Ok(Some(0)));
        let mut ones = settled(&["1"]);
        assert!(ones.class(b"2").unwrap_err().contains("say which is positive with --positive"));
        assert_eq!(settled(&["0"]).names(), ["0", ""]);
    }

    #[test]
    fn one_label_against_the_rest() {
        let mut labels = Labels::positive("7");
        assert_eq!(labels.class(b"3"), Ok(Some(0)));
        assert_eq!(labels.names(), ["3", "7"]);
        assert_eq!(labels.class(b"7.0"), Ok(Some(1)));
        assert_eq!(labels.class(b"4"), Ok(Some(0)));
        assert_eq!(labels.names(), ["rest", "7"]);
    }

    #[test]
    fn lenient_labels_ignore_what_the_model_does_not_know() {
        let mut labels = Labels::of_two(&["ham".into(), "spam".into()], false).lenient();
        assert_eq!(labels.class(b"spam"), Ok(Some(1)));
        assert_eq!(labels.class(b"?"), Ok(None));
    }

    #[test]
    fn many_labels_are_numbered_in_their_order_and_newcomers_after_them() {
        let mut labels = Labels::many();
        let seen: Vec<_> =
            ["10", "9", "b", "a", "9.0"].iter().map(|t| labels.class(t.as_bytes()).unwrap()).collect();
        assert_eq!(seen, [0, 1, 2, 3, 1].map(Some));
        assert_eq!(labels.settle(), Some(vec![1, 0, 3, 2]));
        assert_eq!(labels.names(), ["9", "10", "a", "b"]);
        assert_eq!(labels.class(b"b"), Ok(Some(3)));
        assert_eq!(labels.class(b"0"), Ok(Some(4)));
        assert_eq!(labels.settle(), None);
    }
}
