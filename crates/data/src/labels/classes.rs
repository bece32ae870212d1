//! Which label is which class.
//!
//! Labels are words; those that are numbers are compared as numbers, so `1`, `+1` and `1.0` are one label. Of two
//! labels the greater is the positive class (1 of −1 and 1, 1 of 0 and 1, 2 of 1 and 2, spam of ham and spam), unless
//! the user names the positive one. Many labels are numbered in the same order. A stream shows its labels one by one, so
//! readers look ahead before they settle on an order. White space around a label is no part of it.
//!
//! Once two labels are settled (both were seen, or a model has both), another label is unexpected ([`Refusal::Unexpected`]). Its line is
//! bad like any other bad line, because a typing error must not end a run. But a third class must not be lost as bad lines: when more than one
//! in a hundred of all labels are unexpected, the run ends with the message of the first of them. This is checked with every unexpected label
//! from 1,000 labels on, and at the end of the data. A single one is an error only among fewer than 20 labels, where it may well be a class.

use std::cmp::Ordering;

use thalweg_core::Class;
use thalweg_core::keyed_hash::KeyedMap;

/// The classes' names, and what to do with a label not met before.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Two classes: negative and positive, empty while not seen. Many: all that were seen.
    names: Vec<String>,
    rule: Rule,
    /// Classes of names, and of labels as written, so that most labels are one look-up.
    classes: KeyedMap<String, Class>,
    spellings: KeyedMap<Box<[u8]>, Option<Class>>,
    /// Allow at most this many classes.
    limit: usize,
    /// Of one label against the rest: was it seen, and the first of the others.
    positive_seen: bool,
    others: Vec<String>,
    /// Of two labels, the class whose label was seen last.
    newest: Option<Class>,
}

/// Why a label has no class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is neither of two labels that are settled. The line is bad.
    Unexpected(String),
    /// The labels cannot be learned like this.
    Wrong(String),
}

impl Refusal {
    /// What is wrong.
    pub fn message(&self) -> &str {
        match self {
            Refusal::Unexpected(message) | Refusal::Wrong(message) => message,
        }
    }
}

/// A number that is that of no class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSuchClass {
    /// There are two classes.
    #[error("an example has class {0}, but of two classes there are only 0 (negative) and 1 (positive)")]
    OfTwo(Class),
    /// There are many classes, but not so many.
    #[error("an example has class {class}, but no more than {limit} classes are allowed (`max_classes`)")]
    OfMany {
        /// The class.
        class: Class,
        /// How many there may be.
        limit: usize,
    },
}

/// How many classes there may be unless more are asked for: more are mostly numbers that are no classes.
pub const MOST_CLASSES: usize = 4096;
/// So many labels are remembered as they were written. There are more only where many mean the same.
const MOST_SPELLINGS: usize = 1 << 16;

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
    /// Any number of labels; new ones are numbered as they come.
    Many,
    /// A label that is not known is none.
    Lenient,
}

/// The name of the negative class when several labels make it up.
pub(crate) const REST: &str = "rest";

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

    /// The labels of a two-class model, or such as are known before: negative, positive. `rest` as [`Self::is_rest`] said.
    pub fn of_two(names: &[String], rest: bool) -> Self {
        let seen = names.iter().filter(|name| !name.is_empty()).count();
        let rule = match (rest, seen) {
            (true, _) => Rule::Rest,
            (false, 0) => Rule::Open,
            (false, 1) => Rule::Settled,
            (false, _) => Rule::Known,
        };
        let name = |i: usize| names.get(i).map_or_else(String::new, |name| canonical(name));
        // The model would not be there if its positive label had not been seen.
        Self { positive_seen: rest, ..Self::with(vec![name(0), name(1)], rule) }
    }

    /// The labels of a model of many classes, or such as are known before.
    pub fn of_many(names: &[String]) -> Self {
        let names: Vec<String> = names.iter().map(|name| canonical(name)).collect();
        let rule = if names.is_empty() { Rule::ManyOpen } else { Rule::Many };
        Self::with(names, rule)
    }

    /// The same, with another limit to the number of classes than [`MOST_CLASSES`]. Those that there are may stay.
    #[must_use]
    pub fn at_most(self, classes: usize) -> Self {
        Self { limit: classes.max(self.names.len()), ..self }
    }

    /// The same, for data whose labels do not matter: a label that the model does not know is none.
    #[must_use]
    pub fn lenient(self) -> Self {
        if self.rule == Rule::Rest { self } else { Self { rule: Rule::Lenient, ..self } }
    }

    fn with(names: Vec<String>, rule: Rule) -> Self {
        let limit = MOST_CLASSES.max(names.len());
        let (spellings, others, positive_seen) = (KeyedMap::default(), Vec::new(), false);
        let (classes, newest) = (KeyedMap::default(), None);
        let mut labels = Self { names, rule, classes, spellings, limit, positive_seen, others, newest };
        labels.number_names();
        labels
    }

    fn number_names(&mut self) {
        let named = self.names.iter().enumerate().filter(|(_, name)| !name.is_empty());
        self.classes = named.map(|(class, name)| (name.clone(), class as Class)).collect();
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

    /// The class that is called so, however it is spelled.
    pub fn class_named(&self, label: &str) -> Option<Class> {
        self.classes.get(&canonical(label)).copied()
    }

    /// Of two labels, the class of the greater: the one that is positive unless somebody says otherwise.
    pub fn greater_of_two(&self) -> Option<Class> {
        let [first, second] = self.names.as_slice() else { return None };
        let both = !first.is_empty() && !second.is_empty();
        both.then(|| Class::from(order(first, second) == Ordering::Less))
    }

    /// How many labels have been seen, where each is a class of its own.
    pub(crate) fn seen(&self) -> usize {
        if self.is_rest() { 0 } else { self.names.iter().filter(|name| !name.is_empty()).count() }
    }

    /// The labels as they were before the last few of those that were [seen](Self::seen) came, after all was settled.
    pub(crate) fn without_newest(&self, count: usize) -> Self {
        let mut before = self.clone();
        if count == 0 || self.is_rest() {
            return before;
        }
        match self.rule {
            Rule::Many | Rule::ManyOpen => before.names.truncate(self.names.len().saturating_sub(count)),
            _ => self.newest.iter().for_each(|newest| before.names[*newest as usize].clear()),
        }
        before.spellings.clear();
        before.number_names();
        before
    }

    /// Examples come that have no labels, but numbers of classes up to this one. Of many classes, those that have no label yet are called by
    /// their number.
    pub fn know_classes(&mut self, highest: Class) -> Result<(), NoSuchClass> {
        let wanted = highest as usize + 1;
        if !matches!(self.rule, Rule::Many | Rule::ManyOpen) {
            return if wanted <= self.names.len() { Ok(()) } else { Err(NoSuchClass::OfTwo(highest)) };
        }
        if wanted > self.limit.max(self.names.len()) {
            return Err(NoSuchClass::OfMany { class: highest, limit: self.limit });
        }
        self.rule = Rule::Many;
        while self.names.len() < wanted {
            let class = self.names.len();
            let mut name = class.to_string();
            while self.classes.contains_key(&name) {
                name = format!("class {name}");
            }
            self.classes.insert(name.clone(), class as Class);
            self.names.push(name);
        }
        Ok(())
    }

    /// Examples come one by one, and each must have its class at once: the class of a label. Many labels are numbered as they come.
    pub fn class_at_once(&mut self, label: &str) -> Result<Option<Class>, Refusal> {
        if self.rule == Rule::ManyOpen {
            self.rule = Rule::Many;
        }
        self.class(label.as_bytes())
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

    /// Has a label been written like this before?
    pub(crate) fn has_spelling(&self, text: &[u8]) -> bool {
        self.spellings.contains_key(text)
    }

    /// May a label be unexpected?
    pub(crate) fn may_refuse(&self) -> bool {
        matches!(self.rule, Rule::Open | Rule::Settled | Rule::Known)
    }

    /// The class of a label.
    pub fn class(&mut self, text: &[u8]) -> Result<Option<Class>, Refusal> {
        if let Some(class) = self.spellings.get(text) {
            return Ok(*class);
        }
        let name = std::str::from_utf8(text).map_err(|_| Refusal::Unexpected(NOT_TEXT.into()))?;
        let name = canonical(name);
        let class = match self.classes.get(&name) {
            Some(class) => Some(*class),
            None => self.class_of_new(&name)?,
        };
        self.positive_seen |= class == Some(1);
        if self.spellings.len() < MOST_SPELLINGS {
            self.spellings.insert(text.into(), class);
        }
        if let Some(class) = class
            && (class > 0 || self.classes.len() < MOST_SPELLINGS)
        {
            self.classes.insert(name, class);
        }
        Ok(class)
    }

    fn class_of_new(&mut self, name: &str) -> Result<Option<Class>, Refusal> {
        match self.rule {
            Rule::Lenient => Ok(None),
            Rule::ManyOpen | Rule::Many => {
                if self.names.len() >= self.limit {
                    return Err(Refusal::Wrong(self.too_many(name)));
                }
                self.names.push(name.into());
                Ok(Some(self.names.len() as Class - 1))
            }
            Rule::Rest => {
                if self.others.len() < OTHERS_SHOWN {
                    self.others.push(name.into());
                }
                self.names[0] = if self.names[0].is_empty() { name.into() } else { REST.into() };
                Ok(Some(0))
            }
            Rule::Open | Rule::Settled | Rule::Known => self.second_label(name).map(Some),
        }
    }

    fn too_many(&self, name: &str) -> String {
        let numbers = self.names.iter().filter(|name| number(name).is_some()).count();
        let hint =
            if 2 * numbers > self.names.len() { ", and look like numbers rather than classes" } else { "" };
        let limit = self.limit;
        format!(
            "label \"{name}\" is one more than {limit} classes; these are many{hint}: is this the label? `max_classes` allows more"
        )
    }

    /// What is wrong with all labels together, when all have been seen.
    pub(crate) fn problem(&self) -> Option<String> {
        if self.rule != Rule::Rest || self.positive_seen || self.others.is_empty() {
            return None;
        }
        let others: Vec<String> = self.others.iter().map(|name| format!("\"{name}\"")).collect();
        let more = if others.len() < OTHERS_SHOWN { "" } else { " ..." };
        Some(format!("no label is \"{}\"; the labels are {}{more}", self.names[1], others.join(", ")))
    }

    /// The two labels, once it is certain which is which.
    pub(crate) fn both(&self) -> Option<[String; 2]> {
        let [negative, positive] = self.names.first_chunk()?;
        let certain =
            matches!(self.rule, Rule::Settled | Rule::Known) && !negative.is_empty() && !positive.is_empty();
        certain.then(|| [negative.clone(), positive.clone()])
    }

    /// A new label where there are at most two.
    fn second_label(&mut self, name: &str) -> Result<Class, Refusal> {
        let (negative, positive) = (&self.names[0], &self.names[1]);
        let class = match (negative.is_empty(), positive.is_empty()) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) if self.rule == Rule::Known => {
                return Err(Refusal::Unexpected(format!(
                    "label \"{name}\" is neither \"{negative}\" nor \"{positive}\", the labels of the model"
                )));
            }
            (false, false) => {
                return Err(Refusal::Unexpected(format!(
                    "a third label, \"{name}\", after \"{negative}\" and \"{positive}\"; `multiclass` learns them all, `positive` tells one from all others"
                )));
            }
        };
        let known = &self.names[1 - class];
        let expected = if class == 1 { Ordering::Greater } else { Ordering::Less };
        if self.rule == Rule::Settled && order(name, known) != expected {
            let side = if class == 1 { "negative" } else { "positive" };
            return Err(Refusal::Wrong(format!(
                "label \"{name}\" comes after a long run of \"{known}\" alone, which was taken as the {side} class; set the positive class with `positive`"
            )));
        }
        self.names[class] = name.into();
        self.newest = Some(class as Class);
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
        self.number_names();
        self.spellings.values_mut().flatten().for_each(|class| *class = new[*class as usize]);
        Some(new)
    }
}

/// How many examples to hold back while only one of two labels has been seen.
const TWO_FARTHEST: usize = 1 << 16;
/// How many examples to hold back to find the labels when there may be many.
const MANY_FARTHEST: usize = 1 << 13;

/// How many other labels are named where the positive one is missing.
const OTHERS_SHOWN: usize = 8;
/// What is wrong with bytes in the place of a label.
pub(crate) const NOT_TEXT: &str = "a label must be UTF-8 text (`encoding` latin-1 reads Windows-1252)";

/// The one spelling of a label: numbers as short as possible, words as they are, no white space around them.
pub(super) fn canonical(text: &str) -> String {
    let text = text.trim_ascii();
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
pub(crate) fn order(a: &str, b: &str) -> Ordering {
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
mod tests;
