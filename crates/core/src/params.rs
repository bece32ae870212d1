//! Knobs, declared once.
//!
//! [`params!`](crate::params!) declares a learner's knobs (name, type, default, check, documentation) and what the
//! rule itself remembers from example to example. Defaults, parsing, error messages, help, the model header and the
//! exact resume follow from that one declaration.

use serde_json::Value;

/// One knob, as help and documentation show it.
#[derive(Clone, Debug)]
pub struct Knob {
    /// Its name.
    pub name: &'static str,
    /// What it accepts: `number`, `whole number`, or the choices.
    pub kind: String,
    /// Its default, as one would type it.
    pub default: String,
    /// Its documentation.
    pub doc: &'static str,
}

/// A value that a knob does not accept, or a knob that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KnobError {
    /// No knob of that name.
    #[error("unknown knob \"{name}\"{}; the knobs are {}", did_you_mean(.name, .known), listed(.known))]
    Unknown {
        /// As typed.
        name: String,
        /// The knobs that exist.
        known: Vec<&'static str>,
    },
    /// The text cannot be read, or the value is outside the knob's range.
    #[error("{name} {complaint}, got \"{text}\"")]
    Value {
        /// The knob.
        name: &'static str,
        /// What would be right.
        complaint: String,
        /// As typed.
        text: String,
    },
}

/// What [`params!`](crate::params!) implements.
pub trait Params: Default {
    /// The documentation comment of the learner.
    const DOC: &'static str;
    /// All knobs with their defaults.
    fn knobs() -> Vec<Knob>;
    /// Sets a knob from text.
    fn set(&mut self, name: &str, text: &str) -> Result<(), KnobError>;
    /// The knobs as they are set, in text that [`Self::set`] accepts.
    fn settings(&self) -> Vec<(&'static str, String)>;
    /// What the rule remembers besides its cells.
    fn memory(&self) -> Value;
    /// Is all that the rule remembers finite? What is not cannot be gone on with, nor be written to a model.
    fn is_finite(&self) -> bool;
    /// Remembers what another of its kind does.
    fn remember(&mut self, other: Self);
    /// Restores what [`Self::memory`] gave. The error names the field that does not fit.
    fn recall(&mut self, memory: &Value) -> Result<(), &'static str>;
}

/// One version of a learner, if a paper has several that share their knobs: see [`version!`](crate::version!).
pub trait Version: Copy + Default + std::fmt::Debug + Send + Sync + 'static {
    /// What one types.
    const NAME: &'static str;
    /// When to use it, in one line.
    const WHEN: &'static str;
    /// The documentation of this version.
    const DOC: &'static str;
}

/// A learner's name with all its knobs, as one would type it.
pub fn spec(name: &str, params: &impl Params) -> String {
    let knobs: Vec<String> = params.settings().iter().map(|(knob, text)| format!("{knob}={text}")).collect();
    let colon = if knobs.is_empty() { "" } else { ":" };
    format!("{name}{colon}{}", knobs.join(","))
}

/// A type that a knob can have.
pub trait KnobValue: Copy {
    /// What it accepts, in words.
    fn kind() -> String;
    /// Reads the value; the error says what would be right.
    fn parse(text: &str) -> Result<Self, String>;
    /// Text that [`Self::parse`] reads back as the same value.
    fn show(self) -> String;
}

impl KnobValue for f64 {
    fn kind() -> String {
        "number".into()
    }
    fn parse(text: &str) -> Result<Self, String> {
        text.parse().ok().filter(|v: &f64| !v.is_nan()).ok_or_else(|| "must be a number".into())
    }
    fn show(self) -> String {
        let text = format!("{self:?}");
        text.strip_suffix(".0").map_or(text.clone(), Into::into)
    }
}

impl KnobValue for u64 {
    fn kind() -> String {
        "whole number".into()
    }
    fn parse(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| "must be a whole number".into())
    }
    fn show(self) -> String {
        self.to_string()
    }
}

/// What a rule can carry from example to example.
pub trait Remembered {
    /// Is it finite, all of it?
    fn is_finite(&self) -> bool;
}

impl Remembered for u64 {
    #[inline]
    fn is_finite(&self) -> bool {
        true
    }
}

impl Remembered for f64 {
    #[inline]
    fn is_finite(&self) -> bool {
        f64::is_finite(*self)
    }
}

/// An enum whose variants are typed as words.
pub trait Choice: Copy + PartialEq + 'static {
    /// The words and what they mean.
    const CHOICES: &'static [(&'static str, Self)];
}

impl<T: Choice> KnobValue for T {
    fn kind() -> String {
        T::CHOICES.iter().map(|(word, _)| *word).collect::<Vec<_>>().join("|")
    }
    fn parse(text: &str) -> Result<Self, String> {
        let found = T::CHOICES.iter().find(|(word, _)| *word == text);
        found.map(|(_, value)| *value).ok_or_else(|| format!("must be {}", T::kind().replace('|', " or ")))
    }
    fn show(self) -> String {
        let found = T::CHOICES.iter().find(|(_, value)| *value == self);
        found.map_or_else(String::new, |(word, _)| (*word).to_string())
    }
}

/// Knob check: greater than 0 (infinity is allowed).
pub fn positive(value: f64) -> Result<(), &'static str> {
    if value > 0.0 { Ok(()) } else { Err("must be greater than 0") }
}

/// Knob check: 0 or more, and finite.
pub fn non_negative(value: f64) -> Result<(), &'static str> {
    if value >= 0.0 && value.is_finite() { Ok(()) } else { Err("must be 0 or more") }
}

/// Knob check: greater than 0, and finite.
pub fn positive_finite(value: f64) -> Result<(), &'static str> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err("must be greater than 0 and finite") }
}

/// Knob check: 1 or more (infinity is allowed).
pub fn at_least_one(value: f64) -> Result<(), &'static str> {
    if value >= 1.0 { Ok(()) } else { Err("must be 1 or more") }
}

/// Knob check: a number of things, at least one.
pub fn some(value: u64) -> Result<(), &'static str> {
    if value >= 1 { Ok(()) } else { Err("must be 1 or more") }
}

/// Knob check: how often something is done that takes time: no more often than anybody would wait for.
pub fn repeatable(value: u64) -> Result<(), &'static str> {
    if (1..=1_000_000).contains(&value) { Ok(()) } else { Err("must be between 1 and 1000000") }
}

/// Knob check: as many things as a list may well hold, in memory and in the readable part of a model.
pub fn listable(value: u64) -> Result<(), &'static str> {
    if (1..=1_000_000).contains(&value) { Ok(()) } else { Err("must be between 1 and 1000000") }
}

/// `: did you mean "arow"?` if a known name is near, else nothing.
pub(crate) fn did_you_mean(name: &str, known: &[&str]) -> String {
    let near = known.iter().map(|k| (strsim::damerau_levenshtein(name, k), k)).min();
    match near {
        Some((distance, k)) if distance <= 1 + k.len() / 4 => format!(" (did you mean \"{k}\"?)"),
        _ => String::new(),
    }
}

/// `a, b, c`, or `(none)`.
pub(crate) fn listed(names: &[&str]) -> String {
    if names.is_empty() { "(none)".into() } else { names.join(", ") }
}

/// Declares a version of a learner, with its documentation, its name and when to use it.
#[macro_export]
macro_rules! version {
    ($(#[doc = $doc:literal])+ $visible:vis struct $name:ident = $typed:literal, $when:literal;) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, Default)]
        $visible struct $name;

        impl $crate::params::Version for $name {
            const NAME: &'static str = $typed;
            const WHEN: &'static str = $when;
            const DOC: &'static str = concat!($($doc, "\n"),+);
        }
    };
}

/// Declares a rule's struct: its knobs, and under `remembers` what it carries from example to example.
///
/// A struct with a parameter has several versions: the parameter implements [`Version`](crate::params::Version), which has the
/// documentation. A default may depend on it, and so may the documentation of a knob, if it is given after `=>`.
#[macro_export]
macro_rules! params {
    (@initial) => { Default::default() };
    (@initial $initial:expr) => { $initial };
    (@doc [] $($doc:literal)+) => { concat!($($doc, "\n"),+) };
    (@doc [$version:ident] $($doc:literal)+) => { <$version as $crate::params::Version>::DOC };
    (@knob_doc [] $($doc:literal)+) => { concat!($($doc),+) };
    (@knob_doc [$told:expr] $($doc:literal)+) => { $told };
    (
        $(#[doc = $doc:literal])+
        $visible:vis struct $name:ident $(<$version:ident: $bound:ident>)? {
            $($(#[doc = $knob_doc:literal])+
            $knob:ident: $knob_type:ty = $default:expr $(, $check:path)? $(=> $told:expr)?;)*
        }
        $(remembers {
            $($(#[doc = $field_doc:literal])+ $field:ident: $field_type:ty $(= $initial:expr)?;)+
        })?
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug)]
        $visible struct $name $(<$version: $bound>)? {
            $($(#[doc = $knob_doc])+ pub $knob: $knob_type,)*
            $($($(#[doc = $field_doc])+ pub $field: $field_type,)+)?
            $(
                /// Which version it is.
                pub version: std::marker::PhantomData<$version>,
            )?
        }

        impl $(<$version: $bound>)? Default for $name $(<$version>)? {
            fn default() -> Self {
                Self {
                    $($knob: $default,)*
                    $($($field: $crate::params!(@initial $($initial)?),)+)?
                    $(version: std::marker::PhantomData::<$version>,)?
                }
            }
        }

        impl $(<$version: $bound>)? $crate::params::Params for $name $(<$version>)? {
            const DOC: &'static str = $crate::params!(@doc [$($version)?] $($doc)+);

            fn knobs() -> Vec<$crate::params::Knob> {
                vec![$($crate::params::Knob {
                    name: stringify!($knob),
                    kind: <$knob_type as $crate::params::KnobValue>::kind(),
                    default: $crate::params::KnobValue::show({ let value: $knob_type = $default; value }),
                    doc: $crate::params!(@knob_doc [$($told)?] $($knob_doc)+),
                },)*]
            }

            fn set(&mut self, name: &str, text: &str) -> Result<(), $crate::params::KnobError> {
                $(if name == stringify!($knob) {
                    let value = <$knob_type as $crate::params::KnobValue>::parse(text)
                        $(.and_then(|value| match $check(value) {
                            Ok(()) => Ok(value),
                            Err(complaint) => Err(complaint.to_string()),
                        }))?;
                    return match value {
                        Ok(value) => {
                            self.$knob = value;
                            Ok(())
                        }
                        Err(complaint) => Err($crate::params::KnobError::Value {
                            name: stringify!($knob),
                            complaint,
                            text: text.to_string(),
                        }),
                    };
                })*
                let _ = text;
                Err($crate::params::KnobError::Unknown {
                    name: name.to_string(),
                    known: vec![$(stringify!($knob)),*],
                })
            }

            fn settings(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($knob), $crate::params::KnobValue::show(self.$knob)),)*]
            }

            fn memory(&self) -> $crate::__private::serde_json::Value {
                $crate::__private::serde_json::json!({ $($(stringify!($field): self.$field,)+)? })
            }

            #[inline]
            fn is_finite(&self) -> bool {
                true $($(&& $crate::params::Remembered::is_finite(&self.$field))+)?
            }

            #[inline]
            fn remember(&mut self, other: Self) {
                let _ = &other;
                $($(self.$field = other.$field;)+)?
            }

            fn recall(&mut self, memory: &$crate::__private::serde_json::Value) -> Result<(), &'static str> {
                let _ = memory;
                $($(
                    let value = memory.get(stringify!($field)).cloned().unwrap_or_default();
                    self.$field = $crate::__private::serde_json::from_value(value).map_err(|_| stringify!($field))?;
                )+)?
                Ok(())
            }
        }
    };
}

#[cfg(test)]
#[allow(unreachable_pub)]
mod tests {
    use super::*;

    params! {
        /// A toy.
        pub struct Toy {
            /// Step size.
            eta: f64 = 0.5, positive;
            /// How many.
            k: u64 = 3;
        }
        remembers {
            /// Rounds.
            t: u64;
            /// A sum.
            total: f64 = 1.0;
        }
    }

    #[test]
    fn knobs_are_read_checked_and_shown() {
        let mut toy = Toy::default();
        toy.set("eta", "1e-7").unwrap();
        assert_eq!(toy.settings(), [("eta", "1e-7".to_string()), ("k", "3".to_string())]);
        assert_eq!(toy.set("eta", "0").unwrap_err().to_string(), "eta must be greater than 0, got \"0\"");
        assert_eq!(toy.set("eta", "x").unwrap_err().to_string(), "eta must be a number, got \"x\"");
        assert_eq!(toy.set("eta", "nan").unwrap_err().to_string(), "eta must be a number, got \"nan\"");
        assert_eq!(
            toy.set("etta", "1").unwrap_err().to_string(),
            "unknown knob \"etta\" (did you mean \"eta\"?); the knobs are eta, k"
        );
        assert_eq!(toy.eta, 1e-7, "a value that was refused changes nothing");
    }

    #[test]
    fn memory_comes_back_bit_for_bit() {
        let toy = Toy { t: u64::MAX, total: 0.1 + 0.2, ..Toy::default() };
        let text = toy.memory().to_string();
        let mut back = Toy::default();
        back.recall(&serde_json::from_str(&text).unwrap()).unwrap();
        assert_eq!((back.t, back.total.to_bits()), (toy.t, toy.total.to_bits()));
        assert_eq!(back.recall(&serde_json::json!({"t": 1})), Err("total"));
    }
}
