//! What a user wants of the decisions on a stream of two classes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What the decision threshold is steered towards.
///
/// ```
/// # use thalweg::Target;
/// let target: Target = "recall >= 90%".parse()?;
/// assert_eq!(target, Target::Recall { least: 0.9 });
/// assert_eq!(target.to_string(), "recall>=0.9");
/// # Ok::<(), thalweg::TargetError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Target {
    /// At least this share of the positives is flagged, with as few alerts as possible.
    Recall {
        /// More than 0, less than 1.
        least: f64,
    },
    /// At least this share of what is flagged is positive, with as many positives as possible.
    Precision {
        /// More than 0, less than 1.
        least: f64,
    },
    /// At most `most` of `per` examples are flagged: those with the highest scores.
    Alerts {
        /// More than 0, less than `per`.
        most: f64,
        /// Examples.
        per: f64,
    },
    /// The highest F score: the harmonic mean of precision and recall, where recall counts `beta` times as much.
    F {
        /// More than 0.
        beta: f64,
    },
    /// The lowest sum of the costs of errors.
    Cost,
}

/// A target that cannot be read. The message says what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TargetError {
    /// None of the five.
    #[error(
        "there is no target \"{0}\"; there are recall>=0.9, precision>=0.8, alerts<=200/100000, f1 (or f2, f0.5) and cost"
    )]
    Unknown(String),
    /// The wrong way round.
    #[error("\"{given}\" limits the wrong side; write {right}")]
    WrongSide {
        /// What was written.
        given: String,
        /// What would be right.
        right: &'static str,
    },
    /// No number where one should be.
    #[error("\"{given}\" is no number; write {right}")]
    NotANumber {
        /// What was written.
        given: String,
        /// What would be right.
        right: &'static str,
    },
    /// A number out of its range.
    #[error("{given} is out of range: {range}")]
    OutOfRange {
        /// What was written.
        given: String,
        /// What it has to be.
        range: &'static str,
    },
}

const RECALL: &str = "recall>=0.9 or recall>=90%";
const PRECISION: &str = "precision>=0.8 or precision>=80%";
const ALERTS: &str = "alerts<=200/100000 or alerts<=0.2%";
const F: &str = "f1, f2 or f0.5";
/// A β or a number of examples beyond this is a slip of the keyboard.
const LARGEST: f64 = 1e12;

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let plain: String =
            text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect();
        let unknown = || TargetError::Unknown(text.trim().to_string());
        if plain == "cost" {
            return Ok(Target::Cost);
        }
        if let Some(at) = plain.find(['<', '>', '=', '≥', '≤']) {
            let (what, limit) = plain.split_at(at);
            return match what {
                "recall" => Ok(Target::Recall { least: share(at_least(limit, RECALL)?, RECALL)? }),
                "precision" => {
                    Ok(Target::Precision { least: share(at_least(limit, PRECISION)?, PRECISION)? })
                }
                "alerts" => alerts(at_most(limit)?),
                _ => Err(unknown()),
            };
        }
        match plain.as_str() {
            "recall" => Err(TargetError::NotANumber { given: String::new(), right: RECALL }),
            "precision" => Err(TargetError::NotANumber { given: String::new(), right: PRECISION }),
            "alerts" => Err(TargetError::NotANumber { given: String::new(), right: ALERTS }),
            _ => match plain.strip_prefix('f') {
                Some(beta) if beta.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => {
                    f_score(beta)
                }
                _ => Err(unknown()),
            },
        }
    }
}

fn at_least<'a>(limit: &'a str, right: &'static str) -> Result<&'a str, TargetError> {
    let rest = limit.strip_prefix(">=").or(limit.strip_prefix('≥')).or(limit.strip_prefix('>'));
    rest.ok_or(TargetError::WrongSide { given: limit.to_string(), right })
}

fn at_most(limit: &str) -> Result<&str, TargetError> {
    let rest = limit.strip_prefix("<=").or(limit.strip_prefix('≤')).or(limit.strip_prefix('<'));
    rest.ok_or(TargetError::WrongSide { given: limit.to_string(), right: ALERTS })
}

fn number(text: &str, right: &'static str) -> Result<f64, TargetError> {
    let wrong = || TargetError::NotANumber { given: text.to_string(), right };
    let (digits, unit) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 100.0));
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    if number.is_finite() { Ok(number / unit) } else { Err(wrong()) }
}

fn share(text: &str, right: &'static str) -> Result<f64, TargetError> {
    let share = number(text, right)?;
    if share > 0.0 && share < 1.0 {
        return Ok(share);
    }
    Err(TargetError::OutOfRange {
        given: text.to_string(),
        range: "a share is more than 0 and less than 1, or 100%",
    })
}

fn alerts(text: &str) -> Result<Target, TargetError> {
    let (most, per) = text.split_once('/').unwrap_or((text, "1"));
    let (most, per) = (number(most, ALERTS)?, number(per, ALERTS)?);
    if most > 0.0 && most < per && per <= LARGEST && most / per > 1.0 / LARGEST {
        return Ok(Target::Alerts { most, per });
    }
    let range =
        "alerts are more than 0 and fewer than the examples they are among, such as 200/100000 or 0.2%";
    Err(TargetError::OutOfRange { given: text.to_string(), range })
}

fn f_score(text: &str) -> Result<Target, TargetError> {
    let beta = number(text, F)?;
    if beta > 1.0 / LARGEST && beta < LARGEST {
        return Ok(Target::F { beta });
    }
    Err(TargetError::OutOfRange {
        given: format!("f{text}"),
        range: "β is more than 0, as in f1, f2 or f0.5",
    })
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Recall { least } => write!(f, "recall>={least}"),
            Target::Precision { least } => write!(f, "precision>={least}"),
            Target::Alerts { most, per } if *per == 1.0 => write!(f, "alerts<={most}"),
            Target::Alerts { most, per } => write!(f, "alerts<={most}/{per}"),
            Target::F { beta } => write!(f, "f{beta}"),
            Target::Cost => f.write_str("cost"),
        }
    }
}

impl From<Target> for String {
    fn from(target: Target) -> Self {
        target.to_string()
    }
}

impl TryFrom<String> for Target {
    type Error = TargetError;

    fn try_from(text: String) -> Result<Self, TargetError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_as_people_write_them() {
        for (text, target) in [
            ("recall>=0.9", Target::Recall { least: 0.9 }),
            (" Recall ≥ 90 % ", Target::Recall { least: 0.9 }),
            ("precision>.8", Target::Precision { least: 0.8 }),
            ("alerts<=200/100000", Target::Alerts { most: 200.0, per: 100_000.0 }),
            ("alerts<=0.25%", Target::Alerts { most: 0.0025, per: 1.0 }),
            ("F1", Target::F { beta: 1.0 }),
            ("f0.5", Target::F { beta: 0.5 }),
            ("cost", Target::Cost),
        ] {
            assert_eq!(text.parse(), Ok(target), "{text}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in
            ["recall>=0.9", "precision>=0.825", "alerts<=200/100000", "alerts<=0.002", "f1", "f0.5", "cost"]
        {
            let target: Target = text.parse().unwrap();
            assert_eq!(target.to_string(), text);
            let json = serde_json::to_string(&target).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<Target>(&json).unwrap(), target);
        }
    }

    #[test]
    fn errors_say_what_would_be_right() {
        for (text, part) in [
            ("accuracy>=0.9", "there is no target \"accuracy>=0.9\"; there are recall>=0.9"),
            ("foo", "there is no target"),
            ("", "there is no target"),
            ("recall<=0.9", "write recall>=0.9"),
            ("recall=0.9", "write recall>=0.9"),
            ("recall", "write recall>=0.9"),
            ("precision>=high", "\"high\" is no number"),
            ("recall>=nan", "\"nan\" is no number"),
            ("recall>=1", "less than 1"),
            ("recall>=90", "less than 1"),
            ("precision>=0", "more than 0"),
            ("alerts>=5/100", "write alerts<=200/100000"),
            ("alerts<=200", "fewer than the examples"),
            ("alerts<=0/100", "fewer than the examples"),
            ("alerts<=5/1e300", "fewer than the examples"),
            ("f0", "more than 0"),
            ("f-1", "more than 0"),
            ("f1e999", "is no number"),
        ] {
            let error = text.parse::<Target>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
