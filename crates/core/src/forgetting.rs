//! Exponential forgetting: a rule whose beliefs grow old.
//!
//! After h examples, half of the precision of every weight is forgotten. The variance of a cell grows by 2^(1/h) with every example, up to
//! that of a feature never seen. Weights stay as they are: that the stream goes on changes how sure a weight is, not where it is
//! best looked for (a random walk, as in a Kalman filter). A weight that decayed would lose rare features that nothing contradicts.
//!
//! No cell is touched for that. All have one factor in common, by which what is stored is read:
//!
//! ```text
//! growth ← 2^(1/h) growth              with every example
//! σ = min(growth · stored, σ₀)         what the rule sees
//! stored = σ / growth                  what is written back after a step
//! ```
//!
//! Before the factor becomes too large, it is worked into the cells. That two growths in turn are one of their product makes this
//! the same as if every cell had grown with every example.

use serde_json::Value;

use crate::cost::CostUse;
use crate::merge::Merging;
use crate::params::{Knob, KnobError, Params};
use crate::rule::{About, Family, Fold, Rule, Values};
use crate::seen::{Seen, Target};
use crate::table::Table;
use crate::{Real, saturating_real};

/// Half-lives until the factor is worked into the cells. Variances down to 1e-26 are then still stored with all of their digits in f32.
const HALF_LIVES_TO_SETTLE: i32 = 40;

/// The name of the factor in the state of a model.
const GROWTH: &str = "growth";

/// A rule that forgets.
#[derive(Clone, Debug)]
pub(crate) struct Forgetting<R> {
    rule: R,
    half_life: f64,
    /// 2^(1/h).
    per_example: f64,
    /// What stored variances are multiplied with when they are read.
    growth: f64,
}

impl<R: Rule> Forgetting<R> {
    /// The rule with this half-life, in examples, which is 1 or more.
    pub(crate) fn new(rule: R, half_life: f64) -> Self {
        Self { rule, half_life, per_example: half_life.recip().exp2(), growth: 1.0 }
    }

    /// What the rule itself would have stored.
    #[inline]
    fn read(&self, cell: R::Cell) -> R::Cell {
        self.rule.faded(cell, self.growth as Real)
    }

    /// What is stored in its place.
    #[inline]
    fn stored(&self, cell: R::Cell) -> R::Cell {
        self.rule.faded(cell, self.growth.recip() as Real)
    }
}

impl<R: Rule> Default for Forgetting<R> {
    fn default() -> Self {
        Self::new(R::default(), f64::INFINITY)
    }
}

impl<R: Rule> About for Forgetting<R> {
    const NAME: &'static str = R::NAME;
    const FAMILY: Family = R::FAMILY;
    const PAPER: &'static str = R::PAPER;
    const WHEN: &'static str = R::WHEN;
    const COSTS: CostUse = R::COSTS;
    const SYMMETRIC: bool = R::SYMMETRIC;
    const NUMBERED: bool = R::NUMBERED;
    const VALUES: Values = R::VALUES;
    const MERGING: Merging = R::MERGING;
}

/// The knobs are the rule's. It also remembers the factor.
impl<R: Rule> Params for Forgetting<R> {
    const DOC: &'static str = R::DOC;

    fn knobs() -> Vec<Knob> {
        R::knobs()
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), KnobError> {
        self.rule.set(name, text)
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        self.rule.settings()
    }

    fn memory(&self) -> Value {
        let mut memory = self.rule.memory();
        memory[GROWTH] = self.growth.into();
        memory
    }

    #[inline]
    fn is_finite(&self) -> bool {
        self.rule.is_finite() && self.growth.is_finite()
    }

    #[inline]
    fn remember(&mut self, other: Self) {
        self.rule.remember(other.rule);
        self.growth = other.growth;
    }

    fn recall(&mut self, memory: &Value) -> Result<(), &'static str> {
        self.rule.recall(memory)?;
        self.growth = memory[GROWTH].as_f64().filter(|growth| *growth >= 1.0).ok_or(GROWTH)?;
        Ok(())
    }
}

impl<R: Rule> Rule for Forgetting<R> {
    const FOLD: Fold = R::FOLD;
    const AFTERWARDS: bool = R::AFTERWARDS;
    const SELECTS: bool = R::SELECTS;
    const FADES: bool = R::FADES;
    type Cell = R::Cell;
    type Step = R::Step;

    #[inline]
    fn folds(&self) -> Fold {
        self.rule.folds()
    }

    fn fresh(&self) -> R::Cell {
        self.rule.fresh()
    }

    #[inline]
    fn now(&self) -> Self {
        Self { rule: self.rule.now(), ..*self }
    }

    #[inline]
    fn weight(&self, cell: &R::Cell) -> Real {
        self.rule.weight(&self.read(*cell))
    }

    #[inline]
    fn variance(&self, cell: &R::Cell) -> Option<Real> {
        self.rule.variance(&self.read(*cell))
    }

    #[inline]
    fn fold(&self, cell: R::Cell, x: Real, variance: f64) -> R::Cell {
        self.stored(self.rule.fold(self.read(cell), x, variance))
    }

    /// Of what is stored: growths can be carried out in any order.
    #[inline]
    fn faded(&self, cell: R::Cell, growth: Real) -> R::Cell {
        self.rule.faded(cell, growth)
    }

    fn half_life(&self) -> Option<f64> {
        Some(self.half_life)
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.rule.loss(seen, target)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<R::Step> {
        self.rule.decide(seen, target, loss)
    }

    #[inline]
    fn step(&self, cell: &mut R::Cell, x: Real, settled: Real, step: R::Step) {
        let mut read = self.read(*cell);
        self.rule.step(&mut read, x, settled, step);
        *cell = self.stored(read);
    }

    #[inline]
    fn afterwards(&self, cell: &mut R::Cell) {
        let mut read = self.read(*cell);
        self.rule.afterwards(&mut read);
        *cell = self.stored(read);
    }

    fn select(&mut self, features: &[u32], table: &mut Table<R::Cell>) {
        self.rule.select(features, table);
    }

    /// Time passes with every example that is learned from, whatever its importance.
    #[inline]
    fn tick(&mut self, step: Option<R::Step>) {
        self.rule.tick(step);
        self.growth *= self.per_example;
    }

    #[inline]
    fn take_over(&mut self, next: Self) {
        self.growth = next.growth;
        self.rule.take_over(next.rule);
    }

    /// A rule that works something of its own into the cells must find them as it stores them.
    fn rebase(&mut self) -> Option<impl Fn(&mut R::Cell) + 'static> {
        let (rule, growth) = (self.rule.now(), saturating_real(self.growth));
        let own = self.rule.rebase();
        let due = own.is_some() || self.growth >= f64::from(HALF_LIVES_TO_SETTLE).exp2();
        if due {
            self.growth = 1.0;
        }
        let settle = move |cell: &mut R::Cell| {
            *cell = rule.faded(*cell, growth);
            if let Some(own) = &own {
                own(cell);
            }
        };
        due.then_some(settle)
    }
}
