//! The registry: one line per learner. Everything that lists, builds, tests or documents learners goes through it.

pub(crate) mod acog;
pub(crate) mod ada_fobos;
pub(crate) mod ada_rda;
pub(crate) mod arow;
pub(crate) mod auto;
pub(crate) mod bcw;
pub(crate) mod cog;
pub(crate) mod cpa;
pub(crate) mod cw;
pub(crate) mod dcd;
pub(crate) mod fgm;
pub(crate) mod fobos;
pub(crate) mod fsol;
pub(crate) mod ftrl;
pub(crate) mod l1svm;
pub(crate) mod narow;
pub(crate) mod ogd;
pub(crate) mod pa;
pub(crate) mod paum;
pub(crate) mod perceptron;
pub(crate) mod rda;
pub(crate) mod romma;
pub(crate) mod sacog;
pub(crate) mod sarow;
pub(crate) mod sbcw;
pub(crate) mod scw;
pub(crate) mod sgft;
pub(crate) mod sgl1;
pub(crate) mod sofs;
pub(crate) mod sop;
pub(crate) mod spardca;
pub(crate) mod ssol;
pub(crate) mod stg;

use crate::cost::CostUse;
use crate::learner::{Learner, Setup, Task};
pub use crate::registry::{BuildError, Entry, Forgets};

/// Every learner, in the order in which they are listed.
pub static LEARNERS: &[Entry] = &[
    Entry::rule::<perceptron::Perceptron>(),
    Entry::rule::<romma::Romma<romma::OnMistake>>(),
    Entry::rule::<romma::Romma<romma::Aggressive>>(),
    Entry::rule::<pa::Pa>(),
    Entry::rule::<pa::Pa1>(),
    Entry::rule::<pa::Pa2>(),
    Entry::rule::<cpa::Cpa>(),
    Entry::rule::<paum::Paum>(),
    Entry::rule::<ogd::Ogd>(),
    Entry::rule::<cog::Cog<cog::Margin>>(),
    Entry::rule::<cog::Cog<cog::Slope>>(),
    Entry::rule::<stg::Stg>(),
    Entry::rule::<fobos::Fobos>(),
    Entry::rule::<sgl1::Sgl1<sgl1::Lazy>>(),
    Entry::rule::<sgl1::Sgl1<sgl1::Cumulative>>(),
    Entry::rule::<sgft::Sgft<sgft::Lazy>>(),
    Entry::rule::<sgft::Sgft<sgft::Cumulative>>(),
    Entry::rule::<ada_fobos::AdaFobos>(),
    Entry::rule::<rda::Rda>(),
    Entry::rule::<ada_rda::AdaRda>(),
    Entry::rule::<ftrl::Ftrl>(),
    Entry::rule::<fsol::Fsol>(),
    fsol::CS_FSOL,
    Entry::belief_with_covariance::<ssol::Ssol>(),
    ssol::CS_SSOL,
    Entry::belief_with_covariance::<sop::Sop>(),
    Entry::belief_with_covariance::<cw::Cw>(),
    Entry::belief_with_covariance::<scw::Scw<scw::Bounded>>(),
    Entry::belief_with_covariance::<scw::Scw<scw::Smooth>>(),
    Entry::belief_with_covariance::<arow::Arow>(),
    Entry::belief::<sarow::Sarow>(),
    Entry::belief_with_covariance::<narow::Narow>(),
    Entry::belief_with_covariance::<acog::Acog<acog::Margin>>(),
    Entry::belief_with_covariance::<acog::Acog<acog::Slope>>(),
    Entry::rule::<sofs::Sofs>(),
    sacog::SACOG1,
    sacog::SACOG2,
    sacog::SSACOG1,
    sacog::SSACOG2,
    Entry::solver::<bcw::Bcw<bcw::Hinge>>(),
    Entry::solver::<bcw::Bcw<bcw::Squared>>(),
    Entry::solver::<sbcw::Sbcw<sbcw::Hinge>>(),
    Entry::solver::<sbcw::Sbcw<sbcw::Squared>>(),
    Entry::solver::<dcd::Dcd>(),
    Entry::solver::<l1svm::L1svm>(),
    Entry::solver::<spardca::Spardca>(),
    Entry::solver::<fgm::Fgm>(),
    auto::AUTO,
];

/// Finds a learner by name.
pub fn find(name: &str) -> Result<&'static Entry, BuildError> {
    let unknown = || BuildError::Unknown { name: name.to_string(), known: names() };
    LEARNERS.iter().find(|e| e.name == name).ok_or_else(unknown)
}

/// A learner's spelling with one more knob.
pub fn with_knob(spec: &str, knob: &str, value: impl std::fmt::Display) -> String {
    let mark = if spec.contains(':') { ',' } else { ':' };
    format!("{spec}{mark}{knob}={value}")
}

/// Builds a learner from `name` or `name:knob=value,knob=value`.
pub fn build(spec: &str, setup: &Setup) -> Result<Box<dyn Learner>, BuildError> {
    let (name, knobs) = spec.split_once(':').unwrap_or((spec, ""));
    let entry = find(name.trim())?;
    let mut settings = Vec::new();
    for text in knobs.split(',').map(str::trim).filter(|text| !text.is_empty()) {
        let pair = text.split_once('=').map(|(knob, value)| (knob.trim(), value.trim()));
        settings
            .push(pair.ok_or_else(|| BuildError::Syntax { learner: entry.name, text: text.to_string() })?);
    }
    let weighed = !setup.class_weights.are_equal();
    if let (CostUse::Refused(instead), true) = (entry.costs, weighed || !setup.costs.are_equal()) {
        return Err(BuildError::Costs { learner: entry.name, instead });
    }
    if setup.task == Task::Hinge && !entry.one_of_k {
        return Err(BuildError::NotOneOfK { learner: entry.name });
    }
    if setup.task == Task::Hinge && (setup.costs.missed, setup.costs.false_alarm) != (1.0, 1.0) {
        return Err(BuildError::OneOfKCosts);
    }
    if let (Forgets::Never(reason), true) = (entry.forgets, setup.forget.is_some()) {
        return Err(BuildError::NothingForgotten { learner: entry.name, reason });
    }
    if setup.forget.is_some_and(|half_life| !(1.0..f64::INFINITY).contains(&half_life)) {
        return Err(BuildError::HalfLife);
    }
    (entry.build)(entry.name, &settings, setup)
}

fn names() -> Vec<&'static str> {
    LEARNERS.iter().map(|entry| entry.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Costs;

    fn error(spec: &str, costs: Costs) -> String {
        build(spec, &Setup { costs, ..Setup::default() }).err().unwrap().to_string()
    }

    #[test]
    fn names_are_unique_and_documentation_is_complete() {
        for entry in LEARNERS {
            assert_eq!(LEARNERS.iter().filter(|e| e.name == entry.name).count(), 1, "{}", entry.name);
            for (what, text) in [("paper", entry.paper), ("when", entry.when), ("doc", entry.doc)] {
                assert!(text.len() > 20, "{} has no {what}", entry.name);
            }
            assert!(
                (entry.knobs)().iter().all(|k| k.doc.len() > 10),
                "{}: a knob without documentation",
                entry.name
            );
        }
    }

    #[test]
    fn a_spec_reads_back_as_itself() {
        for entry in LEARNERS {
            let spec = build(entry.name, &Setup::default()).unwrap().spec();
            assert_eq!(build(&spec, &Setup::default()).unwrap().spec(), spec);
        }
    }

    #[test]
    fn mistakes_in_a_spec_are_named() {
        let equal = Costs::default();
        assert!(error("arrow", equal).starts_with(
            "unknown learner \"arrow\" (did you mean \"arow\"?); the learners are perceptron, "
        ));
        assert_eq!(
            error("arow:R=1", equal),
            "arow: unknown knob \"R\" (did you mean \"r\"?); the knobs are r, covariance, denominator"
        );
        assert_eq!(error("arow:r", equal), "arow: a knob is set as knob=value, got \"r\"");
        assert_eq!(error("arow:r=0", equal), "arow: r must be greater than 0 and finite, got \"0\"");
        assert_eq!(
            error("arow:denominator=both", equal),
            "arow: denominator must be own or shared, got \"both\""
        );
        assert!(error("pa", Costs { missed: 2.0, ..equal }).starts_with("pa takes no costs: "));
    }
}
