//! Which knobs are tried: `eta=2^-1..2^9`, `lambda=1e-8..1e-2:9`, `loss=hinge,logistic`.

use std::collections::HashSet;
use std::str::FromStr;

use thalweg::learners::{self, with_knob};

/// The most settings that a range may have.
const MOST_SETTINGS: usize = 10_000;

/// The settings of a knob that are tried, `KNOB=RANGE` or, for one of several learners, `LEARNER.KNOB=RANGE`.
///
/// A range is a list (`0.1,1,10`), powers (`2^-1..2^9`: every whole exponent), or so many numbers from one to another, each a constant
/// factor from the next (`1e-8..1e-2:9`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Only for this learner.
    pub learner: Option<String>,
    /// The knob.
    pub knob: String,
    /// Its settings, as one would type them.
    pub settings: Vec<String>,
}

/// Why a range or a grid cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// Not a range.
    #[error("\"{text}\" is not KNOB=RANGE: {reason}")]
    Range {
        /// As typed.
        text: String,
        /// What would be right.
        reason: &'static str,
    },
    /// No learner has the knob.
    #[error("no learner here has the knob \"{knob}\"; {knobs}")]
    Unused {
        /// As typed.
        knob: String,
        /// The knobs that the learners have.
        knobs: String,
    },
    /// A knob that is set in two ways.
    #[error("{knob} is set for {learner} and is part of the grid: leave it out of one of them")]
    Twice {
        /// The knob.
        knob: String,
        /// The learner as it was named.
        learner: String,
    },
    /// A knob that is in the grid twice.
    #[error("{knob} of {learner} is in the grid twice: give all its settings in one --grid")]
    Repeated {
        /// The knob.
        knob: String,
        /// The learner.
        learner: String,
    },
    /// More settings than anybody would wait for.
    #[error("the grid has {0} settings, more than 10000: try fewer, or narrower ranges")]
    TooMany(usize),
}

impl FromStr for Range {
    type Err = GridError;

    fn from_str(text: &str) -> Result<Self, GridError> {
        let wrong = |reason| GridError::Range { text: text.into(), reason };
        let (knob, range) = text.split_once('=').ok_or_else(|| wrong("there is no ="))?;
        let (learner, knob) = match knob.trim().split_once('.') {
            Some((learner, knob)) => (Some(learner.to_string()), knob),
            None => (None, knob.trim()),
        };
        let settings = settings(range.trim()).map_err(wrong)?;
        if knob.is_empty() {
            return Err(wrong("the knob has no name"));
        }
        Ok(Self { learner, knob: knob.into(), settings })
    }
}

/// The settings that a range stands for.
fn settings(range: &str) -> Result<Vec<String>, &'static str> {
    const SPELLINGS: &str =
        "a range is a list such as 0.1,1,10, powers such as 2^-1..2^9, or numbers such as 1e-8..1e-2:9";
    let Some((from, to)) = range.split_once("..") else {
        let list: Vec<String> = range.split(',').map(|setting| setting.trim().to_string()).collect();
        return if list.iter().any(String::is_empty) { Err(SPELLINGS) } else { Ok(list) };
    };
    if let (Some((base, low)), Some((same, high))) = (power(from), power(to)) {
        if base != same {
            return Err("both ends must be powers of the same number");
        }
        if low > high {
            return Err("the second exponent must be the larger one");
        }
        let powers: Vec<f64> = (low..=high).map(|exponent| base.powi(exponent)).collect();
        if powers.iter().any(|power| !power.is_normal()) {
            return Err("the powers must be between 1e-307 and 1e308");
        }
        return Ok(powers.into_iter().map(shown).collect());
    }
    let Some((to, count)) = to.split_once(':') else {
        return Err("say how many numbers to try, such as 1e-8..1e-2:9, or use powers, such as 2^-1..2^9");
    };
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| *n > 0.0 && n.is_finite());
    let (Some(from), Some(to)) = (number(from), number(to)) else {
        return Err("both ends must be numbers greater than 0");
    };
    let count = count.trim().parse::<usize>().ok().filter(|count| (2..=MOST_SETTINGS).contains(count));
    let count = count.ok_or("the number of settings must be between 2 and 10000")?;
    let at = |i: usize| from * (to / from).powf(i as f64 / (count - 1) as f64);
    // The ends are as they were typed, and the others no longer than anybody can read.
    let rounded = |number: f64| format!("{number:.3e}").parse().unwrap_or(number);
    Ok((0..count)
        .map(|i| {
            if i == 0 {
                from
            } else if i + 1 == count {
                to
            } else {
                rounded(at(i))
            }
        })
        .map(shown)
        .collect())
}

/// `2^-1`: the base and the exponent.
fn power(text: &str) -> Option<(f64, i32)> {
    let (base, exponent) = text.trim().split_once('^')?;
    let base = base.parse::<f64>().ok().filter(|base| *base > 0.0 && base.is_finite())?;
    Some((base, exponent.parse().ok().filter(|exponent: &i32| exponent.abs() <= 1000)?))
}

/// A number as knobs show theirs.
fn shown(number: f64) -> String {
    let text = format!("{number:?}");
    text.strip_suffix(".0").map_or(text.clone(), Into::into)
}

/// A learner with the settings of a grid.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Candidate {
    /// The learner with its knobs, as one would type it.
    pub learner: String,
    /// The knobs that the grid has set.
    pub settings: Vec<(String, String)>,
}

impl Candidate {
    /// The learner's name, and the knobs that the grid has set.
    pub fn label(&self) -> String {
        let set: Vec<String> = self.settings.iter().map(|(knob, value)| format!("{knob}={value}")).collect();
        let name = match set[..] {
            [] => self.learner.as_str(),
            _ => self.learner.split(':').next().unwrap_or_default(),
        };
        std::iter::once(name.to_string()).chain(set).collect::<Vec<_>>().join(" ")
    }
}

/// Every learner with every setting of the knobs that it has.
pub fn candidates(learners: &[String], ranges: &[Range]) -> Result<Vec<Candidate>, GridError> {
    let mut all = Vec::new();
    let mut used = vec![false; ranges.len()];
    for learner in learners {
        let name = name_of(learner);
        let knobs = knob_names(name);
        let mut mine = vec![Candidate { learner: learner.clone(), settings: Vec::new() }];
        for (range, used) in ranges.iter().zip(&mut used) {
            let named = range.learner.as_ref().is_none_or(|of| of == name);
            let is_mine = named && knobs.contains(&range.knob.as_str());
            if !is_mine {
                continue;
            }
            *used = true;
            if mine[0].settings.iter().any(|(knob, _)| *knob == range.knob) {
                return Err(GridError::Repeated { knob: range.knob.clone(), learner: name.into() });
            }
            if sets(learner, &range.knob) {
                return Err(GridError::Twice { knob: range.knob.clone(), learner: learner.clone() });
            }
            let count = all.len() + mine.len() * range.settings.len();
            if count > MOST_SETTINGS {
                return Err(GridError::TooMany(count));
            }
            mine = mine.iter().flat_map(|candidate| with_settings(candidate, range)).collect();
        }
        all.extend(mine);
    }
    // What was asked for twice is tried once.
    let mut seen = HashSet::new();
    all.retain(|candidate| seen.insert(candidate.learner.clone()));
    match ranges.iter().zip(used).find(|(_, used)| !used) {
        Some((range, _)) => Err(GridError::Unused { knob: range.knob.clone(), knobs: knobs_of(learners) }),
        None => Ok(all),
    }
}

fn name_of(learner: &str) -> &str {
    learner.split(':').next().unwrap_or_default().trim()
}

/// Does the learner as it was named set the knob?
fn sets(learner: &str, knob: &str) -> bool {
    let knobs = learner.split_once(':').map_or("", |(_, knobs)| knobs);
    knobs.split(',').any(|set| set.split('=').next().unwrap_or_default().trim() == knob)
}

fn with_settings<'a>(candidate: &'a Candidate, range: &'a Range) -> impl Iterator<Item = Candidate> + 'a {
    range.settings.iter().map(|setting| {
        let mut settings = candidate.settings.clone();
        settings.push((range.knob.clone(), setting.clone()));
        Candidate { learner: with_knob(&candidate.learner, &range.knob, setting), settings }
    })
}

/// `the knobs of ssol are eta, lambda`.
fn knobs_of(learners: &[String]) -> String {
    let mut known: Vec<&str> = learners.iter().map(|learner| name_of(learner)).collect();
    known.dedup();
    let of = |name: &&str| format!("the knobs of {name} are {}", knob_names(name).join(", "));
    known.iter().map(of).collect::<Vec<_>>().join("; ")
}

/// The knobs of a learner; none if there is no such learner, which is told when it is built.
fn knob_names(learner: &str) -> Vec<&'static str> {
    learners::find(learner)
        .map(|entry| (entry.knobs)().iter().map(|knob| knob.name).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings_of(range: &str) -> Vec<String> {
        range.parse::<Range>().unwrap().settings
    }

    #[test]
    fn ranges_are_lists_powers_or_numbers() {
        assert_eq!(settings_of("eta=2^-1..2^3"), ["0.5", "1", "2", "4", "8"]);
        assert_eq!(settings_of("r=10^-2..10^0"), ["0.01", "0.1", "1"]);
        assert_eq!(settings_of("lambda=1e-8..1e-2:4"), ["1e-8", "1e-6", "0.0001", "0.01"]);
        assert_eq!(settings_of("loss=hinge, logistic"), ["hinge", "logistic"]);
        assert_eq!(settings_of("eta=3"), ["3"]);
        let range: Range = "ssol.eta=1,2".parse().unwrap();
        assert_eq!((range.learner.as_deref(), &range.knob[..]), (Some("ssol"), "eta"));
    }

    #[test]
    fn what_is_no_range_is_refused_with_a_reason() {
        for (text, reason) in [
            ("eta", "there is no ="),
            ("eta=1..10", "say how many"),
            ("eta=2^3..2^1", "the larger one"),
            ("eta=2^1..3^4", "the same number"),
            ("eta=10^-1000..10^-990", "between 1e-307 and 1e308"),
            ("eta=10^300..10^310", "between 1e-307 and 1e308"),
            ("eta=0..1:5", "greater than 0"),
            ("eta=1..2:1", "between 2 and"),
            ("eta=1,,2", "a range is"),
            ("=1", "no name"),
        ] {
            let error = text.parse::<Range>().unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn every_learner_gets_every_setting_of_its_own_knobs() {
        let ranges = ["eta=1,2", "r=2^0..2^2", "arow.r=7"].map(|range| range.parse().unwrap());
        let learners = ["ssol:lambda=0.1".to_string(), "fsol".to_string()];
        let all = candidates(&learners, &ranges[..2]).unwrap();
        assert_eq!(all.len(), 8);
        assert_eq!(all[1].learner, "ssol:lambda=0.1,eta=1,r=2");
        assert_eq!((&all[1].label()[..], &all[7].label()[..]), ("ssol eta=1 r=2", "fsol eta=2"));
        let unused = candidates(&learners, &ranges).unwrap_err().to_string();
        assert!(unused.starts_with("no learner here has the knob \"r\"; the knobs of ssol are "), "{unused}");
        let twice = candidates(&["ssol:eta=3".into()], &ranges[..1]).unwrap_err().to_string();
        assert_eq!(twice, "eta is set for ssol:eta=3 and is part of the grid: leave it out of one of them");
        assert_eq!(candidates(&learners, &[]).unwrap().len(), 2);
        let in_two =
            candidates(&learners[1..], &["eta=1,2", "fsol.eta=4"].map(|range| range.parse().unwrap()));
        let in_two = in_two.unwrap_err().to_string();
        assert_eq!(in_two, "eta of fsol is in the grid twice: give all its settings in one --grid");
        let again = [learners[1].clone(), learners[1].clone()];
        assert_eq!(candidates(&again, &["eta=1,2,1".parse().unwrap()]).unwrap().len(), 2);
    }
}
