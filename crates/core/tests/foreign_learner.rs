//! A learner that is written outside of the crate, with nothing but what the crate makes public.
#![allow(missing_docs, clippy::unwrap_used)]

use thalweg_core::cell::Plain;
use thalweg_core::cost::CostUse;
use thalweg_core::merge::Merging;
use thalweg_core::params::{Version, positive};
use thalweg_core::rule::{About, Decider, Family};
use thalweg_core::{
    Batch, Costs, Inspect, Learner, Linear, Outcomes, Persist, Seen, Target, params, version,
};

params! {
    /// Adds every example that has a loss.
    pub struct Additive<V: Version> {
        /// Step size.
        eta: f64 = 0.5, positive;
    }
    remembers {
        /// Rounds.
        t: u64;
    }
}

version! {
    /// The only version there is.
    pub struct Only = "additive", "to see whether a learner can be written elsewhere";
}

impl<V: Version> About for Additive<V> {
    const NAME: &'static str = V::NAME;
    const FAMILY: Family = Family::Gradient;
    const PAPER: &'static str = "none";
    const WHEN: &'static str = V::WHEN;
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Means;
}

impl<V: Version> Decider for Additive<V> {
    type Cell = Plain;

    fn decide(&self, _seen: &Seen, target: &Target, loss: f64) -> Option<f64> {
        (loss > 0.0).then(|| self.eta * target.stake() * target.y)
    }

    fn tick(&mut self) {
        self.t += 1;
    }
}

#[test]
fn a_learner_can_be_written_elsewhere() {
    let mut learner = Linear::new("additive", Additive::<Only>::default(), Costs::default());
    let mut batch = Batch::default();
    batch.push([(3, 2.0)], Some(1)).unwrap();
    batch.push([(3, 1.0), (5, 1.0)], Some(0)).unwrap();
    learner.learn(&batch, &mut Outcomes::default()).unwrap();
    assert_eq!(learner.spec(), "additive:eta=0.5");
    let weights: Vec<(u32, f64)> = learner.weights().iter().map(|w| (w.feature, w.value)).collect();
    assert_eq!(weights, [(3, 0.5), (5, -0.5)]);
    assert_eq!(learner.state()["rule"]["t"], 2);
    assert!(learner.fork().counts().updates == 2);
}
