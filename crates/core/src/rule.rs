//! What a learner's author writes.
//!
//! Every per-feature learner does the same three things with an example: it **sums** over its features (the score, and x'Σx if
//! weights have variances), **decides** (turns the sums into one or two scalars) and **steps** (moves the same features
//! by those scalars). A [`Rule`] says how to decide and to step, and which weight and variance follow from what a feature
//! remembers. [`Linear`](crate::Linear) is the loop around it.
//!
//! What is done for every feature is done in [`Real`], many features at a time: the loops must stay simple enough for the compiler to
//! see that (no early returns, no branches that depend on a cell). What is done once for an example is f64.

use crate::Real;
use crate::cell::{Cell, Plain};
use crate::cost::CostUse;
use crate::loss::hinge;
use crate::merge::Merging;
use crate::params::Params;
use crate::seen::{Length, Seen, Target};
use crate::table::Table;

/// When an example enters the metric that it is scored with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// It does not: the score is w · x of the weights before the example.
    Never,
    /// Before it is scored, whatever its label (SSOL).
    Always,
    /// Before it is scored, but it stays there only if there is a step (second-order perceptron, NAROW).
    OnStep,
}

/// Which values a learner gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Those of the data.
    AsTheyAre,
    /// Values that are prepared so that their units do not matter.
    Prepared,
}

/// The groups in which the learners are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Moves on mistakes or on a violated margin.
    Margin,
    /// Plain gradient steps.
    Gradient,
    /// Gradient steps with truncation to zero.
    Truncation,
    /// Weights from the sum of all gradients.
    DualAveraging,
    /// A variance for every weight.
    Confidence,
    /// The directions in which the stream varies most.
    Sketched,
    /// Many examples looked at together.
    Batch,
    /// Several learners, of which the best is left.
    Race,
}

impl Family {
    /// All of them, in the order of the listing.
    pub const ALL: [Family; 8] = [
        Family::Margin,
        Family::Gradient,
        Family::Truncation,
        Family::DualAveraging,
        Family::Confidence,
        Family::Sketched,
        Family::Batch,
        Family::Race,
    ];

    /// Why most learners of this family cannot forget. Those with a variance for every weight can.
    pub(crate) const fn why_nothing_is_forgotten(self) -> &'static str {
        match self {
            Family::Margin => "it has nothing to forget: its steps do not shrink",
            Family::Gradient => {
                "it has nothing to forget: its steps shrink by a schedule (power_t), if at all"
            }
            Family::Truncation => {
                "penalties are charged at rates that must not change between two uses of a feature"
            }
            Family::DualAveraging => {
                "its weights are sums of all gradients so far; learners with variances can, such as sarow"
            }
            Family::Confidence => {
                "the features that it keeps are in the order of variances that must not grow"
            }
            Family::Sketched => "its sketch is an average over all examples",
            Family::Batch => "it learns from whole batches, and not from a stream of single examples",
            Family::Race => "none of its learners can",
        }
    }

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Family::Margin => "mistake and margin driven (first order, dense weights)",
            Family::Gradient => "gradient descent (first order, dense weights)",
            Family::Truncation => "gradient steps with truncation (sparse weights)",
            Family::DualAveraging => "dual averaging (sparse weights)",
            Family::Confidence => "confidence weighted (second order)",
            Family::Sketched => "sketched (second order, dense weights)",
            Family::Batch => "batch by batch (full covariance, support vector machines, feature selection)",
            Family::Race => "a race of several of these",
        }
    }
}

/// What a learner says of itself.
pub trait About {
    /// What one types.
    const NAME: &'static str;
    /// Where it is listed.
    const FAMILY: Family;
    /// Who published it, and where.
    const PAPER: &'static str;
    /// When to use it, in one line.
    const WHEN: &'static str;
    /// What costs do.
    const COSTS: CostUse;
    /// Does flipping all labels flip all scores? Not for rules that act on the sign of a score of exactly 0.
    const SYMMETRIC: bool = true;
    /// Do features' numbers break ties?
    const NUMBERED: bool = false;
    /// Which values it gets, unless the run says otherwise.
    const VALUES: Values = Values::AsTheyAre;
    /// How what several of it have learned becomes one.
    const MERGING: Merging;
}

/// A per-feature online learning rule.
pub trait Rule: About + Params + Clone + Send + Sync + 'static {
    /// Does the example enter the metric before it is scored?
    const FOLD: Fold = Fold::Never;
    /// Is [`Self::afterwards`] to be called?
    const AFTERWARDS: bool = false;
    /// Is [`Self::select`] to be called?
    const SELECTS: bool = false;
    /// Can what a cell knows fade? See [`Self::faded`].
    const FADES: bool = false;

    /// What one feature remembers.
    type Cell: Cell;
    /// The scalars that one example decides.
    type Step: Copy;

    /// [`Self::FOLD`], unless a knob has a say in whether an example stays in the metric if there is no step.
    #[inline]
    fn folds(&self) -> Fold {
        Self::FOLD
    }

    /// What counts in |x|.
    #[inline]
    fn length(&self) -> Length {
        Length::Whole
    }

    /// The memory of a feature never seen.
    fn fresh(&self) -> Self::Cell;

    /// A copy for the loops over an example's features, which keep what all of them have in common at hand. It is made for every
    /// example: what only [`Self::select`] needs may be missing.
    #[inline]
    #[must_use]
    fn now(&self) -> Self {
        self.clone()
    }

    /// The weight as of now: derived from the cell, never a second copy.
    fn weight(&self, cell: &Self::Cell) -> Real;

    /// The variance of the weight: all rules that have one have it for every cell.
    #[inline]
    fn variance(&self, _cell: &Self::Cell) -> Option<Real> {
        None
    }

    /// The cell with the example in its metric, where `variance` = x'Σx before.
    fn fold(&self, cell: Self::Cell, _x: Real, _variance: f64) -> Self::Cell {
        cell
    }

    /// The cell with a variance that is `growth` times as large, though not larger than that of a feature never seen. The mean
    /// stays. A growth below 1 undoes the growth that it is the inverse of.
    #[inline]
    fn faded(&self, cell: Self::Cell, _growth: Real) -> Self::Cell {
        cell
    }

    /// The half-life of what is known, in examples, for rules that forget.
    fn half_life(&self) -> Option<f64> {
        None
    }

    /// A cell as merging takes it, in as many numbers as it has: of a belief the mean and the precision, of all others what may be averaged, with
    /// all that the rule keeps in common for them worked in. What merging makes of them becomes a cell by [`Self::of_parts`].
    fn parts(&self, cell: &Self::Cell, parts: &mut [f64]) {
        cell.numbers(parts);
    }

    /// The cell of which [`Self::parts`] gives these numbers, or comes near to.
    fn of_parts(&self, parts: &[f64]) -> Self::Cell {
        Self::Cell::of_numbers(parts)
    }

    /// After a merge, which left these cells: what the rule remembers of them as a whole follows from them.
    fn take_stock(&mut self, _cells: &mut dyn Iterator<Item = &Self::Cell>) {}

    /// What the prediction cost, before learning.
    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        hinge(target.y * seen.score)
    }

    /// The step to take, if any.
    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<Self::Step>;

    /// Moves one feature; `settled` is its weight as of now, after all penalties. A feature of value 0 stays finite: examples are filled up
    /// with such.
    fn step(&self, cell: &mut Self::Cell, x: Real, settled: Real, step: Self::Step);

    /// Moves all features of an example, whose x'Σx is `variance`: [`Self::step`] for each of them. Not 0 if one of them is not finite then.
    #[inline(always)]
    fn step_all(
        &self,
        cells: &mut [Self::Cell],
        values: &[Real],
        settled: &[Real],
        variance: f64,
        step: Self::Step,
    ) -> u32 {
        step_each(self, cells, values, settled, variance, step)
    }

    /// Every feature of the example once more, whether there was a step or not (cumulative penalties).
    fn afterwards(&self, _cell: &mut Self::Cell) {}

    /// After a step has been written back: lets go of features that the rule does not want to keep.
    fn select(&mut self, _features: &[u32], _table: &mut Table<Self::Cell>) {}

    /// After every example that was learned from: advances clocks, charges penalties. It is done to a copy that [`Self::now`] made, which
    /// is taken over only if all that it remembers is finite.
    fn tick(&mut self, _step: Option<Self::Step>) {}

    /// Takes over what a copy remembers that [`Self::now`] made and [`Self::tick`] has changed.
    #[inline]
    fn take_over(&mut self, next: Self) {
        self.remember(next);
    }

    /// After [`Self::tick`], on the same copy: if the rule keeps a number common to all cells (a factor, a ledger) and it strays too far, how to
    /// work it into a cell. Called for every cell, so it must be rare. If it would spoil one, the example is refused.
    fn rebase(&mut self) -> Option<impl Fn(&mut Self::Cell) + 'static> {
        None::<fn(&mut Self::Cell)>
    }
}

/// [`Rule::step`] for each feature of an example, with the example in its metric if the rule wants it there. Not 0 if one of them is not finite then.
#[inline(always)]
pub(crate) fn step_each<R: Rule>(
    rule: &R,
    cells: &mut [R::Cell],
    values: &[Real],
    settled: &[Real],
    variance: f64,
    step: R::Step,
) -> u32 {
    let mut non_finite = 0;
    for ((cell, x), settled) in cells.iter_mut().zip(values).zip(settled) {
        if R::FOLD != Fold::Never {
            *cell = rule.fold(*cell, *x, variance);
        }
        rule.step(cell, *x, *settled, step);
        non_finite |= cell.non_finite();
    }
    non_finite
}

/// A cell that knows what its weight is and how to move. A rule that uses one only has to decide.
pub trait Mover: Cell {
    /// The scalars that move it.
    type Step: Copy;
    /// The memory of a feature never seen.
    const FRESH: Self;
    /// See [`Rule::FADES`].
    const FADES: bool = false;
    /// The weight, given the rule's ledger.
    fn weight(&self, ledger: f64) -> Real;
    /// The variance of the weight, if there is one.
    #[inline]
    fn variance(&self) -> Option<Real> {
        None
    }
    /// See [`Rule::faded`].
    #[inline]
    #[must_use]
    fn faded(self, _growth: Real) -> Self {
        self
    }
    /// Moves; `settled` is the weight as of now, after all penalties.
    fn advance(&mut self, x: Real, step: Self::Step, settled: Real, ledger: f64);
    /// See [`Rule::parts`].
    fn parts(&self, _ledger: f64, parts: &mut [f64]) {
        self.numbers(parts);
    }
    /// See [`Rule::of_parts`].
    fn of_parts(parts: &[f64], _ledger: f64) -> Self {
        Self::of_numbers(parts)
    }
}

impl Mover for Plain {
    type Step = f64;
    const FRESH: Self = Plain { w: 0.0 };

    #[inline]
    fn weight(&self, _ledger: f64) -> Real {
        self.w
    }

    /// w ← w + τ x.
    #[inline]
    fn advance(&mut self, x: Real, along: f64, _settled: Real, _ledger: f64) {
        self.w += along as Real * x;
    }
}

/// A rule whose cell knows how to move: its author writes the decision, and what the weight is if it is not the cell's.
pub trait Decider: About + Params + Clone + Send + Sync + 'static {
    /// A plain sum, a weight that owes a penalty, a belief.
    type Cell: Mover;
    /// See [`Rule::SELECTS`].
    const SELECTS: bool = false;

    /// See [`Rule::length`].
    #[inline]
    fn length(&self) -> Length {
        Length::Whole
    }

    /// All penalties charged so far.
    fn ledger(&self) -> f64 {
        0.0
    }

    /// The weight as of now.
    #[inline]
    fn weight(&self, cell: &Self::Cell) -> Real {
        cell.weight(self.ledger())
    }

    /// See [`Rule::loss`].
    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        hinge(target.y * seen.score)
    }

    /// See [`Rule::parts`].
    fn parts(&self, cell: &Self::Cell, parts: &mut [f64]) {
        cell.parts(self.ledger(), parts);
    }

    /// See [`Rule::decide`].
    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<<Self::Cell as Mover>::Step>;

    /// See [`Rule::now`].
    #[inline]
    #[must_use]
    fn now(&self) -> Self {
        self.clone()
    }

    /// See [`Rule::select`].
    fn select(&mut self, _features: &[u32], _table: &mut Table<Self::Cell>) {}

    /// See [`Rule::tick`].
    fn tick(&mut self) {}

    /// See [`Rule::take_over`].
    #[inline]
    fn take_over(&mut self, next: Self) {
        self.remember(next);
    }

    /// See [`Rule::rebase`].
    fn rebase(&mut self) -> Option<impl Fn(&mut Self::Cell) + 'static> {
        None::<fn(&mut Self::Cell)>
    }
}

impl<D: Decider> Rule for D {
    const SELECTS: bool = D::SELECTS;
    const FADES: bool = D::Cell::FADES && !D::SELECTS;
    type Cell = D::Cell;
    type Step = <D::Cell as Mover>::Step;

    #[inline]
    fn length(&self) -> Length {
        D::length(self)
    }

    fn fresh(&self) -> D::Cell {
        D::Cell::FRESH
    }

    #[inline]
    fn now(&self) -> Self {
        D::now(self)
    }

    #[inline]
    fn weight(&self, cell: &D::Cell) -> Real {
        D::weight(self, cell)
    }

    #[inline]
    fn variance(&self, cell: &D::Cell) -> Option<Real> {
        cell.variance()
    }

    #[inline]
    fn faded(&self, cell: D::Cell, growth: Real) -> D::Cell {
        cell.faded(growth)
    }

    fn parts(&self, cell: &D::Cell, parts: &mut [f64]) {
        D::parts(self, cell, parts);
    }

    fn of_parts(&self, parts: &[f64]) -> D::Cell {
        D::Cell::of_parts(parts, self.ledger())
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        D::loss(self, seen, target)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<Self::Step> {
        D::decide(self, seen, target, loss)
    }

    #[inline]
    fn step(&self, cell: &mut D::Cell, x: Real, settled: Real, step: Self::Step) {
        cell.advance(x, step, settled, self.ledger());
    }

    fn select(&mut self, features: &[u32], table: &mut Table<D::Cell>) {
        D::select(self, features, table);
    }

    fn tick(&mut self, _step: Option<Self::Step>) {
        D::tick(self);
    }

    #[inline]
    fn take_over(&mut self, next: Self) {
        D::take_over(self, next);
    }

    fn rebase(&mut self) -> Option<impl Fn(&mut D::Cell) + 'static> {
        D::rebase(self)
    }
}
