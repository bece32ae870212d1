//! The papers' claims as checks. Each paper has a file.

mod measured;
mod oiwa;
mod reasons;
mod tan;
mod wang;
mod zhao;

use serde::Serialize;

use super::runner::Options;
use super::store::Store;
use measured::Measured;

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
    fn new(on: impl Into<String>, holds: Holds, numbers: String) -> Self {
        Self { on: on.into(), holds, numbers, reason: "" }
    }
}

/// All claims of which something is known.
pub fn claims(store: &Store, options: &Options) -> Vec<Claim> {
    let measured = Measured { exhibits: super::exhibits(), store, options };
    let all =
        [wang::claims(&measured), zhao::claims(&measured), oiwa::claims(&measured), tan::claims(&measured)];
    let known = all.into_iter().flatten().filter(|claim| !claim.evidence.is_empty());
    known.map(reasons::given).collect()
}

/// Claims as text, after the tables.
pub fn claims_as_text(claims: &[Claim]) -> String {
    let mut text = String::new();
    for claim in claims {
        text += &format!("\n{} ({}): {}\n", claim.claim.trim_end_matches('.'), claim.paper, claim.verdict());
        for Evidence { on, holds, numbers, reason } in &claim.evidence {
            let why = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
            text += &format!(
                "  {:7}  {on}: {numbers}{why}\n",
                if *holds == Holds::Unclear { "unclear" } else { holds.word() }
            );
        }
    }
    text
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
