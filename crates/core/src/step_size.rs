//! Step sizes that are set, or left to the learner.
//!
//! A default step was chosen for errors that cost 1. With costs in the hundreds the same step would overshoot, so a step that is not set
//! follows the costs; one that is set is taken as it is, as in the papers.

use crate::params::KnobValue;
use crate::seen::Target;

/// A step size, or the bound of one: a number, or `auto`, which is `USUAL` where errors cost 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepSize<const USUAL: u32> {
    /// What suits the costs.
    Auto,
    /// As it was set.
    Set(f64),
}

impl<const USUAL: u32> StepSize<USUAL> {
    /// The step size where errors cost 1.
    #[inline]
    pub fn usual(self) -> f64 {
        match self {
            StepSize::Auto => f64::from(USUAL),
            StepSize::Set(size) => size,
        }
    }

    /// For steps that costs multiply: no error's step is longer than where errors cost 1.
    #[inline]
    pub fn under_greatest(self, target: &Target) -> f64 {
        match self {
            StepSize::Auto => f64::from(USUAL) / target.costs.greatest,
            StepSize::Set(size) => size,
        }
    }

    /// For steps that costs multiply: the steps of dear errors are longer than where errors cost 1 by the factor by which those of cheap
    /// ones are shorter.
    #[inline]
    pub fn around_middle(self, target: &Target) -> f64 {
        match self {
            StepSize::Auto => f64::from(USUAL) / target.costs.middle(),
            StepSize::Set(size) => size,
        }
    }

    /// For steps that do not depend on costs, towards margins that do: a margin of the greatest cost is as many steps away as one of 1 is
    /// where errors cost 1.
    #[inline]
    pub fn towards_greatest(self, target: &Target) -> f64 {
        match self {
            StepSize::Auto => (f64::from(USUAL) * target.costs.greatest).min(f64::MAX),
            StepSize::Set(size) => size,
        }
    }
}

impl<const USUAL: u32> KnobValue for StepSize<USUAL> {
    fn kind() -> String {
        "auto|number".into()
    }

    fn parse(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(StepSize::Auto);
        }
        f64::parse(text).map(StepSize::Set).map_err(|_| "must be a number or auto".into())
    }

    fn show(self) -> String {
        match self {
            StepSize::Auto => "auto".into(),
            StepSize::Set(size) => size.show(),
        }
    }
}

/// Knob check: auto, or greater than 0 and finite.
pub fn finite_step<const USUAL: u32>(step: StepSize<USUAL>) -> Result<(), &'static str> {
    crate::params::positive_finite(step.usual())
}

/// Knob check: auto, or greater than 0 (infinity is allowed).
pub fn any_step<const USUAL: u32>(step: StepSize<USUAL>) -> Result<(), &'static str> {
    crate::params::positive(step.usual())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::CostRange;

    fn at(least: f64, greatest: f64) -> Target {
        Target { y: 1.0, cost: greatest, importance: 1.0, costs: CostRange { least, greatest } }
    }

    #[test]
    fn a_step_that_is_not_set_follows_the_costs() {
        let auto = StepSize::<4>::Auto;
        let of = |step: StepSize<4>, target: &Target| {
            [step.under_greatest(target), step.around_middle(target), step.towards_greatest(target)]
        };
        assert_eq!(of(auto, &at(1.0, 1.0)), [4.0; 3]);
        assert_eq!(of(auto, &at(1.0, 100.0)), [0.04, 0.4, 400.0]);
        assert_eq!(of(StepSize::Set(7.0), &at(1.0, 100.0)), [7.0; 3]);
        assert!(of(auto, &at(f64::MIN_POSITIVE, f64::MAX)).iter().all(|step| step.is_finite()));
    }

    #[test]
    fn the_knob_is_a_word_or_a_number() {
        for text in ["auto", "0.5", "inf"] {
            assert_eq!(StepSize::<4>::parse(text).unwrap().show(), text);
        }
        assert_eq!(StepSize::<4>::parse("fast").unwrap_err(), "must be a number or auto");
        assert!(finite_step(StepSize::<4>::Set(f64::INFINITY)).is_err());
        assert!(
            any_step(StepSize::<4>::Set(f64::INFINITY)).is_ok() && any_step(StepSize::<4>::Set(0.0)).is_err()
        );
    }
}
