//! A race of a dozen learners that ends with the best of them.

use crate::contest::{Candidate, Contest, Terms};
use crate::cost::CostUse;
use crate::learner::{Learner, Setup};
use crate::learners::{acog, ada_fobos, ada_rda, ftrl, narow, sarow, scw, ssol};
use crate::merge::Merging;
use crate::params;
use crate::registry::{BuildError, Entry, Forgets, with_knobs};
use crate::rule::{About, Family, Fold, Values};

params! {
    /// A race of twelve learners, which ends with one of them.
    ///
    /// ```text
    /// all learn from every example; an error costs c, 1 unless declared
    /// a learner is dropped          if bets that another errs less have won 660 times the stake
    /// the model is that of sarow    or, if bets that another errs less have won e times the stake, of the one with the least errors
    /// one is left                   after 50,000 examples at the latest
    /// ```
    ///
    /// They are sarow, scw1 (three), narow, ssol, acog2 (two), ada-fobos (two), ada-rda and ftrl, with knobs for prepared values. With many classes and the hinge
    /// loss narow and ssol do not take part, with `forget` those that have no variances.
    ///
    /// When one is left, the model is an ordinary model of that learner. Before that, a model has all that are left, and goes on with the race when it is resumed.
    /// The bets are such that looking again and again is no advantage: with probability 0.8 no learner is ever dropped in favour of one that was no better up to then. Looks are
    /// after fixed numbers of examples, so the result does not depend on how the data is cut.
    pub(crate) struct Auto {}
}

impl About for Auto {
    const NAME: &'static str = "auto";
    const FAMILY: Family = Family::Race;
    const PAPER: &'static str = "Thalweg's own; the bets are after Waudby-Smith, Ramdas, Estimating means of bounded random variables by betting (JRSS B, 2024)";
    const WHEN: &'static str =
        "streams of thousands of examples or more, when you do not know which learner suits them";
    const COSTS: CostUse = CostUse::Root;
    const MERGING: Merging = Contest::UNDECIDED;
    const VALUES: Values = Values::Prepared;
}

/// The learner of a name.
pub(super) const AUTO: Entry = Entry {
    // Some of them take the example into their metric before they score it.
    fold: Fold::OnStep,
    one_of_k: true,
    forgets: Forgets::OnRequest,
    ..Entry::described::<Auto>(build)
};

/// Chosen on twelve data sets; docs/design/2026-11-18-auto.md has the measurements.
const TERMS: Terms = Terms { name: Auto::NAME, alpha: 0.2, lead: 1.0, most_examples: 50_000 };

const SCW1: Entry = Entry::belief_with_covariance::<scw::Scw<scw::Bounded>>();
const ACOG2: Entry = Entry::belief_with_covariance::<acog::Acog<acog::Slope>>();
const ADA_FOBOS: Entry = Entry::rule::<ada_fobos::AdaFobos>();

/// The first is the one that others have to be better than.
static CANDIDATES: [Candidate; 12] = [
    Candidate { entry: Entry::belief::<sarow::Sarow>(), knobs: &[] },
    Candidate { entry: SCW1, knobs: &[] },
    Candidate { entry: SCW1, knobs: &[("c", "0.3")] },
    Candidate { entry: SCW1, knobs: &[("confidence", "0.9")] },
    Candidate { entry: Entry::belief_with_covariance::<narow::Narow>(), knobs: &[("b", "3")] },
    Candidate { entry: Entry::belief_with_covariance::<ssol::Ssol>(), knobs: &[] },
    Candidate { entry: ACOG2, knobs: &[] },
    Candidate { entry: ACOG2, knobs: &[("eta", "8")] },
    Candidate { entry: ADA_FOBOS, knobs: &[] },
    Candidate { entry: ADA_FOBOS, knobs: &[("eta", "0.5")] },
    Candidate { entry: Entry::rule::<ada_rda::AdaRda>(), knobs: &[] },
    Candidate { entry: Entry::rule::<ftrl::Ftrl>(), knobs: &[("lambda", "0.1"), ("alpha", "0.5")] },
];

fn build(name: &'static str, knobs: &[(&str, &str)], setup: &Setup) -> Result<Box<dyn Learner>, BuildError> {
    with_knobs::<Auto>(name, knobs)?;
    Ok(Box::new(Contest::new(TERMS, &CANDIDATES, setup)?))
}
