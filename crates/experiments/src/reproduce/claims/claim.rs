//! A claim of a paper, and whether it holds.

use serde::Serialize;

/// A claim of a paper, and what was measured here.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// What is claimed.
    pub claim: &'static str,
    /// By whom.
    pub paper: &'static str,
    /// One for each data set on which it was looked at.
    pub evidence: Vec<Evidence>,
}

/// Whether a claim holds on a data set.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// The data set, or what was measured on it.
    pub on: String,
    /// Does it hold?
    pub holds: Holds,
    /// The numbers.
    pub numbers: String,
    /// Why it does not hold, as far as that is known.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub reason: &'static str,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Holds {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// The difference may be chance: the probability of Student's paired t-test is above 5 %.
    Unclear,
}

impl Holds {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Holds::Yes => "yes",
            Holds::No => "no",
            Holds::Unclear => "too close to tell",
        }
    }
}

impl From<bool> for Holds {
    fn from(holds: bool) -> Self {
        if holds { Holds::Yes } else { Holds::No }
    }
}

impl Claim {
    /// `holds`, or on how many data sets.
    pub fn verdict(&self) -> String {
        let count = |holds| self.evidence.iter().filter(|evidence| evidence.holds == holds).count();
        let [yes, no, unclear] = [Holds::Yes, Holds::No, Holds::Unclear].map(count);
        let close = if unclear == 0 { String::new() } else { format!(", {unclear} too close to tell") };
        match (yes, no) {
            (_, 0) if yes > 0 => format!("holds{close}"),
            (0, 0) => "too close to tell".into(),
            (0, _) => format!("does not hold here{close}"),
            _ => format!("does not hold everywhere here: on {yes} of {}{close}", self.evidence.len()),
        }
    }
}

impl Evidence {
    /// What was measured on a data set.
    pub(super) fn new(on: impl Into<String>, holds: Holds, numbers: String) -> Self {
        Self { on: on.into(), holds, numbers, reason: "" }
    }
}

#[cfg(test)]
mod tests {
    use super::Holds::{No, Unclear, Yes};
    use super::*;

    #[test]
    fn a_claim_holds_if_it_holds_everywhere() {
        let verdict = |all: &[Holds]| {
            let evidence = all.iter().map(|holds| Evidence::new("a", *holds, String::new())).collect();
            Claim { claim: "c", paper: "p", evidence }.verdict()
        };
        assert_eq!(verdict(&[Yes, Yes]), "holds");
        assert_eq!(verdict(&[Yes, Unclear]), "holds, 1 too close to tell");
        assert_eq!(verdict(&[Yes, No]), "does not hold everywhere here: on 1 of 2");
        assert_eq!(verdict(&[No, Unclear]), "does not hold here, 1 too close to tell");
        assert_eq!(verdict(&[Unclear]), "too close to tell");
    }
}
