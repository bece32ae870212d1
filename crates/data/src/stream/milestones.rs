//! After how many examples progress is told. Batches end there, so that figures are of exactly so many examples.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The numbers of examples after which progress is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Milestones {
    /// After every so many examples.
    Every(u64),
    /// After 1 example, then after so many times as many as before.
    Times(f64),
}

impl Default for Milestones {
    /// The powers of two.
    fn default() -> Self {
        Milestones::Times(2.0)
    }
}

impl Milestones {
    /// The first milestone after so many examples.
    pub fn after(self, examples: u64) -> u64 {
        match self {
            Milestones::Every(step) => (examples / step).saturating_add(1).saturating_mul(step),
            Milestones::Times(2.0) => (examples + 1).next_power_of_two(),
            Milestones::Times(factor) => {
                let mut next = 1;
                while next <= examples {
                    next = ((next as f64 * factor).round() as u64).max(next + 1);
                }
                next
            }
        }
    }
}

/// Not a schedule of progress.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a number of examples such as 1000, or a factor from x1.01 to x1000 such as x2")]
pub struct NoMilestones;

impl FromStr for Milestones {
    type Err = NoMilestones;

    fn from_str(text: &str) -> Result<Self, NoMilestones> {
        if let Some(factor) = text.strip_prefix('x') {
            let factor = factor.parse().ok().filter(|factor| (1.01..=1000.0).contains(factor));
            return factor.map(Milestones::Times).ok_or(NoMilestones);
        }
        let step = text.replace(['_', ','], "").parse().ok().filter(|step| *step > 0);
        step.map(Milestones::Every).ok_or(NoMilestones)
    }
}

impl fmt::Display for Milestones {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Milestones::Every(step) => write!(f, "{step}"),
            Milestones::Times(factor) => write!(f, "x{factor}"),
        }
    }
}

impl Serialize for Milestones {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Milestones {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str, n: usize) -> Vec<u64> {
        let milestones: Milestones = text.parse().unwrap();
        std::iter::successors(Some(0), |at| Some(milestones.after(*at))).skip(1).take(n).collect()
    }

    #[test]
    fn milestones_are_evenly_spaced_or_grow() {
        assert_eq!(first("x2", 5), [1, 2, 4, 8, 16]);
        assert_eq!(first("1000", 3), [1000, 2000, 3000]);
        assert_eq!(first("1", 3), [1, 2, 3]);
        assert_eq!(first("x1.5", 7), [1, 2, 3, 5, 8, 12, 18]);
        assert_eq!(Milestones::Every(7).after(7), 14);
        assert_eq!(Milestones::Every(u64::MAX).after(7), u64::MAX);
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        for bad in ["", "0", "x", "x1", "x0.5", "xnan", "-3", "1.5", "x1e9", "two"] {
            assert_eq!(bad.parse::<Milestones>(), Err(NoMilestones), "{bad}");
        }
        for good in ["x2", "1000", "x1.25"] {
            assert_eq!(good.parse::<Milestones>().unwrap().to_string(), good);
        }
    }
}
