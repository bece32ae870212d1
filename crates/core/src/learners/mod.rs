//! The registry: one line per learner. Everything that lists, builds, tests or documents learners goes through it.

pub mod acog;
pub mod ada_fobos;
pub mod ada_rda;
pub mod arow;
pub mod bcw;
pub mod cog;
pub mod cpa;
pub mod cw;
pub mod dcd;
pub mod fgm;
pub mod fobos;
pub mod fsol;
pub mod ftrl;
pub mod l1svm;
pub mod narow;
pub mod ogd;
pub mod pa;
pub mod paum;
pub mod perceptron;
pub mod rda;
pub mod romma;
pub mod sacog;
pub mod sbcw;
pub mod scw;
pub mod sgft;
pub mod sgl1;
pub mod sofs;
pub mod sop;
pub mod spardca;
pub mod ssol;
pub mod stg;

use crate::batched::{Batched, Solver};
use crate::cost::Costs;
use crate::dense::{Full, WithCovariance};
use crate::gaussian::Covariance;
use crate::learner::{Learner, Task};
use crate::linear::Linear;
use crate::multiclass::{OneOfK, OneVersusRest};
use crate::params::{Knob, KnobError, Params, did_you_mean, listed};
use crate::rule::{About, CostUse, Family, Fold, Rule};

/// Every learner, in the order in which they are listed.
pub static LEARNERS: &[Entry] = &[
    Entry::rule::<perceptron::Perceptron>(),
    Entry::rule::<romma::Romma>(),
    Entry::rule::<romma::ARomma>(),
    Entry::rule::<pa::Pa>(),
    Entry::rule::<pa::Pa1>(),
    Entry::rule::<pa::Pa2>(),
    Entry::rule::<cpa::Cpa>(),
    Entry::rule::<paum::Paum>(),
    Entry::rule::<ogd::Ogd>(),
    Entry::rule::<cog::Cog1>(),
    Entry::rule::<cog::Cog2>(),
    Entry::rule::<stg::Stg>(),
    Entry::rule::<fobos::Fobos>(),
    Entry::rule::<sgl1::Sgl1>(),
    Entry::rule::<sgl1::Sgl1Cumulative>(),
    Entry::rule::<sgft::Sgft>(),
    Entry::rule::<sgft::SgftCumulative>(),
    Entry::rule::<ada_fobos::AdaFobos>(),
    Entry::rule::<rda::Rda>(),
    Entry::rule::<ada_rda::AdaRda>(),
    Entry::rule::<ftrl::Ftrl>(),
    Entry::rule::<fsol::Fsol>(),
    fsol::CS_FSOL,
    Entry::rule_with_covariance::<ssol::Ssol>(),
    ssol::CS_SSOL,
    Entry::rule_with_covariance::<sop::Sop>(),
    Entry::rule_with_covariance::<cw::Cw>(),
    Entry::rule_with_covariance::<scw::Scw1>(),
    Entry::rule_with_covariance::<scw::Scw2>(),
    Entry::rule_with_covariance::<arow::Arow>(),
    Entry::rule_with_covariance::<narow::Narow>(),
    Entry::rule_with_covariance::<acog::Acog1>(),
    Entry::rule_with_covariance::<acog::Acog2>(),
    Entry::rule::<sofs::Sofs>(),
    sacog::SACOG1,
    sacog::SACOG2,
    sacog::SSACOG1,
    sacog::SSACOG2,
    Entry::solver::<bcw::Bcw1>(),
    Entry::solver::<bcw::Bcw2>(),
    Entry::solver::<sbcw::Sbcw1>(),
    Entry::solver::<sbcw::Sbcw2>(),
    Entry::solver::<dcd::Dcd>(),
    Entry::solver::<l1svm::L1svm>(),
    Entry::solver::<spardca::Spardca>(),
    Entry::solver::<fgm::Fgm>(),
];

/// A learner as the registry knows it.
pub struct Entry {
    /// What one types.
    pub name: &'static str,
    /// Where it is listed.
    pub family: Family,
    /// Who published it, and where.
    pub paper: &'static str,
    /// When to use it, in one line.
    pub when: &'static str,
    /// The whole documentation: recurrence, readings, advice.
    pub doc: &'static str,
    /// What costs do.
    pub costs: CostUse,
    /// Does the example enter the metric before it is scored?
    pub fold: Fold,
    /// Does flipping all labels flip all scores?
    pub symmetric: bool,
    /// Do features' numbers break ties?
    pub numbered: bool,
    /// Can it learn many classes with the 1-of-K hinge loss?
    pub one_of_k: bool,
    /// The knobs.
    pub knobs: fn() -> Vec<Knob>,
    build: Build,
}

type Build = fn(&'static str, &[(&str, &str)], Costs, Task) -> Result<Box<dyn Learner>, BuildError>;

impl Entry {
    /// What every learner says of itself.
    const fn described<A: About + Params>(build: Build) -> Self {
        Self {
            name: A::NAME,
            family: A::FAMILY,
            paper: A::PAPER,
            when: A::WHEN,
            doc: A::DOC,
            costs: A::COSTS,
            fold: Fold::Never,
            symmetric: A::SYMMETRIC,
            numbered: A::NUMBERED,
            one_of_k: false,
            knobs: A::knobs,
            build,
        }
    }

    /// The entry of a rule.
    const fn rule<R: Rule>() -> Self {
        Self {
            fold: R::FOLD,
            // An example that enters the metric before the classes are compared, or features that are chosen for one
            // weight each, have no counterpart for K weights per feature.
            one_of_k: matches!(R::FOLD, Fold::Never) && !R::SELECTS,
            ..Self::described::<R>(build_rule::<R>)
        }
    }

    /// The entry of a rule that can be asked for a full covariance.
    const fn rule_with_covariance<R: Rule + WithCovariance>() -> Self {
        Self { build: build_with_covariance::<R>, ..Self::rule::<R>() }
    }

    /// The entry of a learner that takes its examples by the batch.
    const fn solver<S: Solver>() -> Self {
        Self::described::<S>(build_solver::<S>)
    }

    /// Does the learner have this knob?
    pub fn has_knob(&self, name: &str) -> bool {
        (self.knobs)().iter().any(|knob| knob.name == name)
    }
}

fn build_rule<R: Rule>(
    name: &'static str,
    knobs: &[(&str, &str)],
    costs: Costs,
    task: Task,
) -> Result<Box<dyn Learner>, BuildError> {
    per_feature(name, with_knobs::<R>(name, knobs)?, costs, task)
}

/// The learner around a rule that remembers something for each feature.
fn per_feature<R: Rule>(
    name: &'static str,
    rule: R,
    costs: Costs,
    task: Task,
) -> Result<Box<dyn Learner>, BuildError> {
    match task {
        Task::Hinge => Ok(Box::new(OneOfK::new(name, rule))),
        Task::Binary | Task::Ovr => two_class(name, Box::new(Linear::new(name, rule, costs)), task),
    }
}

fn build_with_covariance<R: Rule + WithCovariance>(
    name: &'static str,
    knobs: &[(&str, &str)],
    costs: Costs,
    task: Task,
) -> Result<Box<dyn Learner>, BuildError> {
    let rule: R = with_knobs(name, knobs)?;
    match rule.covariance() {
        Covariance::Diagonal => per_feature(name, rule, costs, task),
        Covariance::Full => two_class(name, Box::new(Full::new(name, rule, costs)), task),
    }
}

fn build_solver<S: Solver>(
    name: &'static str,
    knobs: &[(&str, &str)],
    costs: Costs,
    task: Task,
) -> Result<Box<dyn Learner>, BuildError> {
    two_class(name, Box::new(Batched::<S>::new(name, with_knobs(name, knobs)?, costs)), task)
}

/// The knobs as they were typed, the others as they are by default.
fn with_knobs<P: Params>(learner: &'static str, knobs: &[(&str, &str)]) -> Result<P, BuildError> {
    let mut params = P::default();
    for (knob, text) in knobs {
        params.set(knob, text).map_err(|cause| BuildError::Knob { learner, cause })?;
    }
    Ok(params)
}

/// A learner that knows two classes, or one of its kind for each of many.
fn two_class(
    name: &'static str,
    learner: Box<dyn Learner>,
    task: Task,
) -> Result<Box<dyn Learner>, BuildError> {
    match task {
        Task::Binary => Ok(learner),
        Task::Ovr => Ok(Box::new(OneVersusRest::new(learner))),
        Task::Hinge => Err(BuildError::NotOneOfK { learner: name }),
    }
}

/// Why a learner cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// No learner of that name.
    #[error("unknown learner \"{name}\"{}; the learners are {}", did_you_mean(.name, &names()), listed(&names()))]
    Unknown {
        /// As typed.
        name: String,
    },
    /// Not `knob=value`.
    #[error("{learner}: a knob is set as knob=value, got \"{text}\"")]
    Syntax {
        /// The learner.
        learner: &'static str,
        /// As typed.
        text: String,
    },
    /// A knob is unknown or its value is not accepted.
    #[error("{learner}: {cause}")]
    Knob {
        /// The learner.
        learner: &'static str,
        /// What is wrong.
        cause: KnobError,
    },
    /// The learner has no 1-of-K form.
    #[error(
        "{learner} cannot learn many classes with the hinge loss; --multiclass ovr sets each class against all others"
    )]
    NotOneOfK {
        /// The learner.
        learner: &'static str,
    },
    /// Costs with the 1-of-K loss.
    #[error(
        "costs are for two classes; with many, --multiclass ovr applies them to each class against all others"
    )]
    OneOfKCosts,
    /// The learner has no use for costs.
    #[error("{learner} takes no costs: {instead}")]
    Costs {
        /// The learner.
        learner: &'static str,
        /// What to do.
        instead: &'static str,
    },
}

/// Finds a learner by name.
pub fn find(name: &str) -> Result<&'static Entry, BuildError> {
    LEARNERS.iter().find(|e| e.name == name).ok_or_else(|| BuildError::Unknown { name: name.to_string() })
}

/// A learner's spelling with one more knob.
pub fn with_knob(spec: &str, knob: &str, value: impl std::fmt::Display) -> String {
    let mark = if spec.contains(':') { ',' } else { ':' };
    format!("{spec}{mark}{knob}={value}")
}

/// Builds a two-class learner from `name` or `name:knob=value,knob=value`.
pub fn build(spec: &str, costs: Costs) -> Result<Box<dyn Learner>, BuildError> {
    build_for(spec, costs, Task::Binary)
}

/// Builds a learner for two classes or many.
pub fn build_for(spec: &str, costs: Costs, task: Task) -> Result<Box<dyn Learner>, BuildError> {
    let (name, knobs) = spec.split_once(':').unwrap_or((spec, ""));
    let entry = find(name.trim())?;
    let mut settings = Vec::new();
    for text in knobs.split(',').map(str::trim).filter(|text| !text.is_empty()) {
        let pair = text.split_once('=').map(|(knob, value)| (knob.trim(), value.trim()));
        settings
            .push(pair.ok_or_else(|| BuildError::Syntax { learner: entry.name, text: text.to_string() })?);
    }
    if let (CostUse::Refused(instead), false) = (entry.costs, costs.are_equal()) {
        return Err(BuildError::Costs { learner: entry.name, instead });
    }
    if task == Task::Hinge && !entry.one_of_k {
        return Err(BuildError::NotOneOfK { learner: entry.name });
    }
    if task == Task::Hinge && !costs.are_equal() {
        return Err(BuildError::OneOfKCosts);
    }
    (entry.build)(entry.name, &settings, costs, task)
}

fn names() -> Vec<&'static str> {
    LEARNERS.iter().map(|entry| entry.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(spec: &str, costs: Costs) -> String {
        build(spec, costs).err().unwrap().to_string()
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
            let spec = build(entry.name, Costs::default()).unwrap().spec();
            assert_eq!(build(&spec, Costs::default()).unwrap().spec(), spec);
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
