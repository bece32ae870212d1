//! What the list of learners says of each, and how one is built.

use crate::batched::{Batched, Solver};
use crate::cost::CostUse;
use crate::dense::{Full, WithCovariance};
use crate::forgetting::Forgetting;
use crate::gaussian::Covariance;
use crate::group::SideBySide;
use crate::learner::{Learner, Setup, Task};
use crate::linear::Linear;
use crate::member::Member;
use crate::merge::Merging;
use crate::multiclass::{OneOfK, OneVersusRest};
use crate::params::{Knob, KnobError, Params, did_you_mean, listed};
use crate::rule::{About, Family, Fold, Rule, Values};

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
    /// Which values it gets, unless the run says otherwise.
    pub values: Values,
    /// Can it learn many classes with the 1-of-K hinge loss?
    pub one_of_k: bool,
    /// Can it forget what it learned long ago?
    pub forgets: Forgets,
    /// How what several of it have learned becomes one, with knobs that do not say otherwise.
    pub merging: Merging,
    /// The knobs.
    pub knobs: fn() -> Vec<Knob>,
    pub(crate) build: Build,
}

pub(crate) type Build = fn(&'static str, &[(&str, &str)], &Setup) -> Result<Box<dyn Learner>, BuildError>;

impl Entry {
    /// What every learner says of itself.
    pub(crate) const fn described<A: About + Params>(build: Build) -> Self {
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
            values: A::VALUES,
            one_of_k: false,
            forgets: Forgets::Never(A::FAMILY.why_nothing_is_forgotten()),
            merging: A::MERGING,
            knobs: A::knobs,
            build,
        }
    }

    /// The entry of a rule.
    pub(crate) const fn rule<R: Rule>() -> Self {
        Self {
            fold: R::FOLD,
            // An example that enters the metric before the classes are compared, or features that are chosen for one
            // weight each, have no counterpart for K weights per feature.
            one_of_k: matches!(R::FOLD, Fold::Never) && !R::SELECTS,
            ..Self::described::<R>(build_rule::<R>)
        }
    }

    /// The entry of a rule whose cells can fade.
    pub(crate) const fn belief<R: Rule>() -> Self {
        assert!(R::FADES);
        Self { build: build_belief::<R>, forgets: Forgets::OnRequest, ..Self::rule::<R>() }
    }

    /// The entry of a rule whose cells can fade, and that can be asked for a full covariance.
    pub(crate) const fn belief_with_covariance<R: Rule + WithCovariance>() -> Self {
        Self { build: build_with_covariance::<R>, ..Self::belief::<R>() }
    }

    /// The entry of a learner that takes its examples by the batch.
    pub(crate) const fn solver<S: Solver>() -> Self {
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
    setup: &Setup,
) -> Result<Box<dyn Learner>, BuildError> {
    per_feature(name, with_knobs::<R>(name, knobs)?, setup)
}

fn build_belief<R: Rule>(
    name: &'static str,
    knobs: &[(&str, &str)],
    setup: &Setup,
) -> Result<Box<dyn Learner>, BuildError> {
    belief(name, with_knobs::<R>(name, knobs)?, setup)
}

/// The learner around a rule that forgets, if it is to. Others are compiled without a thought of it.
fn belief<R: Rule>(name: &'static str, rule: R, setup: &Setup) -> Result<Box<dyn Learner>, BuildError> {
    match setup.forget {
        Some(half_life) => per_feature(name, Forgetting::new(rule, half_life), setup),
        None => per_feature(name, rule, setup),
    }
}

/// The learner around a rule that remembers something for each feature.
fn per_feature<R: Rule>(name: &'static str, rule: R, setup: &Setup) -> Result<Box<dyn Learner>, BuildError> {
    match setup.task {
        Task::Hinge => Ok(Box::new(OneOfK::new(name, rule, setup))),
        Task::Binary | Task::Ovr => {
            let learner = Linear::new(name, rule, setup.costs).in_groups(SideBySide::<R>::empty);
            two_class(name, Box::new(learner), setup)
        }
    }
}

fn build_with_covariance<R: Rule + WithCovariance>(
    name: &'static str,
    knobs: &[(&str, &str)],
    setup: &Setup,
) -> Result<Box<dyn Learner>, BuildError> {
    let rule: R = with_knobs(name, knobs)?;
    match (rule.covariance(), rule.no_full_form()) {
        (Covariance::Diagonal, _) => belief(name, rule, setup),
        (Covariance::Full, Some(reason)) => Err(BuildError::NoFullForm { learner: name, reason }),
        (Covariance::Full, None) if setup.forget.is_some() => {
            Err(BuildError::NothingForgotten { learner: name, reason: WHY_NOT_FULL })
        }
        (Covariance::Full, None) => two_class(name, Box::new(Full::new(name, rule, setup)), setup),
    }
}

fn build_solver<S: Solver>(
    name: &'static str,
    knobs: &[(&str, &str)],
    setup: &Setup,
) -> Result<Box<dyn Learner>, BuildError> {
    two_class(name, Box::new(Batched::<S>::new(name, with_knobs(name, knobs)?, setup)), setup)
}

/// The knobs as they were typed, the others as they are by default.
pub(crate) fn with_knobs<P: Params>(learner: &'static str, knobs: &[(&str, &str)]) -> Result<P, BuildError> {
    let mut params = P::default();
    for (knob, text) in knobs {
        params.set(knob, text).map_err(|cause| BuildError::Knob { learner, cause })?;
    }
    Ok(params)
}

/// A learner that knows two classes, or one of its kind for each of many.
pub(crate) fn two_class(
    name: &'static str,
    learner: Box<dyn Member>,
    setup: &Setup,
) -> Result<Box<dyn Learner>, BuildError> {
    match setup.task {
        Task::Binary => Ok(learner),
        Task::Ovr => Ok(Box::new(OneVersusRest::new(learner, setup))),
        Task::Hinge => Err(BuildError::NotOneOfK { learner: name }),
    }
}

/// Can a learner forget what it learned long ago?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgets {
    /// If it is built with a half-life: [`Setup::forget`].
    OnRequest,
    /// It cannot, and why.
    Never(&'static str),
}

const WHY_NOT_FULL: &str =
    "a full covariance has no variance to return to for each feature; covariance=diagonal does";

/// Why a learner cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// No learner of that name.
    #[error("unknown learner \"{name}\"{}; the learners are {}", did_you_mean(.name, .known), listed(.known))]
    Unknown {
        /// As typed.
        name: String,
        /// The learners that exist.
        known: Vec<&'static str>,
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
        "{learner} cannot learn many classes with the hinge loss; `multiclass` ovr sets each class against all others"
    )]
    NotOneOfK {
        /// The learner.
        learner: &'static str,
    },
    /// Costs with the 1-of-K loss.
    #[error(
        "the costs of missed positives and false alarms are for two classes; with many, weigh the classes, or let `multiclass` ovr apply the costs \
         to each class against all others"
    )]
    OneOfKCosts,
    /// The learner cannot forget.
    #[error("{learner} cannot forget (`forget`): {reason}")]
    NothingForgotten {
        /// The learner.
        learner: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// The learner has no full covariance with these knobs.
    #[error("{learner}: {reason}")]
    NoFullForm {
        /// The learner.
        learner: &'static str,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// A half-life that is none.
    #[error("`forget` is a half-life of at least 1 example")]
    HalfLife,
    /// The learner has no use for costs.
    #[error("{learner} takes no costs: {instead}")]
    Costs {
        /// The learner.
        learner: &'static str,
        /// What to do.
        instead: &'static str,
    },
}
