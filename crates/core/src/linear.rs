//! The one loop around every [`Rule`].
//!
//! An example's cells are gathered into a padded row, moved there, checked, and only then written back; what the rule itself
//! remembers is advanced on a copy. So an update is carried out whole or not at all, and no NaN or infinity is ever remembered.

use pulp::{Arch, NullaryFnOnce};
use serde_json::Value;

use crate::batch::{Batch, Class, Row};
use crate::cell::{Cell, stays_finite};
use crate::cost::Costs;
use crate::fetch::fetch_all;
use crate::learner::{Counts, Group, Inspect, Learner, Persist, StateError, TooLarge, Weight};
use crate::member::Member;
use crate::outcomes::{Outcome, Outcomes, bounded_variance, is_score};
use crate::padded_row::PaddedRow;
use crate::params::spec;
use crate::progress::Progress;
use crate::rule::{Fold, Rule};
use crate::saturating_real;
use crate::seen::Seen;
use crate::table::Table;

/// A two-class linear learner that follows a rule.
#[derive(Clone)]
pub struct Linear<R: Rule> {
    pub(crate) name: &'static str,
    pub(crate) rule: R,
    pub(crate) table: Table<R::Cell>,
    pub(crate) progress: Progress,
    padded: PaddedRow<R::Cell>,
    /// Makes a group for learners of this rule, if it has one.
    make_group: Option<fn() -> Box<dyn Group>>,
}

impl<R: Rule> Linear<R> {
    /// A learner that has seen nothing. A rule may go by several names.
    pub fn new(name: &'static str, rule: R, costs: Costs) -> Self {
        let table = Table::new(rule.fresh());
        Self::of(name, rule, table, Progress::new(costs))
    }

    /// A learner that has seen something.
    pub(crate) fn of(name: &'static str, rule: R, table: Table<R::Cell>, progress: Progress) -> Self {
        Self { name, rule, table, progress, padded: PaddedRow::default(), make_group: None }
    }

    /// The same learner, which can learn in such groups.
    pub(crate) fn in_groups(self, make_group: fn() -> Box<dyn Group>) -> Self {
        Self { make_group: Some(make_group), ..self }
    }

    /// The score, summed as learning sums it.
    #[inline(always)]
    fn score_row(&self, row: Row, next: &[u32], padded: &mut PaddedRow<R::Cell>) -> f64 {
        padded.load(&self.table, row, next);
        padded.settle(&self.rule.now());
        padded.score()
    }

    /// The score, to the bit as [`Self::score_row`] gives it, and x'Σx.
    #[inline(always)]
    fn score_row_with_variance(&self, row: Row, next: &[u32], padded: &mut PaddedRow<R::Cell>) -> (f64, f64) {
        let now = &self.rule.now();
        padded.load(&self.table, row, next);
        let variance = padded.settle_with_variance(now);
        let variance = if variance.is_finite() { variance } else { padded.long_variance(now) };
        (padded.score(), bounded_variance(variance))
    }

    /// The score of an example whose label is not known.
    #[cold]
    fn score_unlabelled(&mut self, row: Row) -> f64 {
        let mut padded = std::mem::take(&mut self.padded);
        let score = self.score_row(row, &[], &mut padded);
        self.padded = padded;
        score
    }

    /// Learns from an example; its score from before, and what came of it.
    #[inline(always)]
    fn learn_row(&mut self, row: Row, next: &[u32], positive: bool, importance: f64) -> (f64, Outcome) {
        let Self { rule, table, progress, padded, .. } = self;
        padded.load(table, row, next);
        learn_loaded(rule, progress, padded, table, row.indices, positive, importance)
    }
}

/// Where a learner keeps its cells.
pub(crate) trait Home<C: Cell> {
    /// Stores the cells of the features that were loaded.
    fn store(&mut self, features: &[u32], cells: &[C], places: &[usize]);
    /// Would every cell still be finite after the change?
    fn stay_finite(&self, change: &impl Fn(&mut C)) -> bool;
    /// Changes every cell.
    fn change_all(&mut self, change: impl Fn(&mut C));
    /// The table, for rules that let go of features. Learners whose cells are elsewhere have none, and no such rule.
    fn table(&mut self) -> Option<&mut Table<C>>;
}

impl<C: Cell> Home<C> for Table<C> {
    #[inline(always)]
    fn store(&mut self, features: &[u32], cells: &[C], places: &[usize]) {
        self.scatter(features, cells, places);
    }

    fn stay_finite(&self, change: &impl Fn(&mut C)) -> bool {
        self.stays_finite(change)
    }

    fn change_all(&mut self, change: impl Fn(&mut C)) {
        self.for_each_mut(change);
    }

    #[inline(always)]
    fn table(&mut self) -> Option<&mut Table<C>> {
        Some(self)
    }
}

/// Learns from an example that has been loaded; its score from before, and what came of it.
#[inline(always)]
pub(crate) fn learn_loaded<R: Rule>(
    rule: &mut R,
    progress: &mut Progress,
    padded: &mut PaddedRow<R::Cell>,
    home: &mut impl Home<R::Cell>,
    features: &[u32],
    positive: bool,
    importance: f64,
) -> (f64, Outcome) {
    let now = &rule.now();
    let variance = match R::FOLD {
        Fold::Never => padded.settle_with_variance(now),
        Fold::OnStep | Fold::Always => {
            let variance = padded.variance(now);
            padded.settle_folded(now, variance);
            variance
        }
    };
    let seen = Seen { score: padded.score(), norm2: padded.norm2(rule.length(), features), variance };

    let target = progress.target(positive, importance);
    let loss = rule.loss(&seen, &target);
    // All three at once.
    if !is_score(seen.score.abs() + loss + seen.variance) {
        return (
            seen.score,
            progress.refuse(seen.score, loss, &target, |seen, target| rule.loss(seen, target)),
        );
    }
    let unmoved = (seen.score, Outcome { loss, updated: false });
    if importance == 0.0 {
        return unmoved;
    }
    let step = rule.decide(&seen, &target, loss);
    let mut non_finite = match step {
        Some(step) => padded.step(now, variance, step),
        None if now.folds() == Fold::Always => padded.fold(now, variance),
        None => 0,
    };
    let cells = &mut padded.cells[..features.len()];
    if R::AFTERWARDS {
        for cell in cells.iter_mut() {
            now.afterwards(cell);
            non_finite |= cell.non_finite();
        }
    }
    // What the rule itself remembers is advanced on a copy, so that it too can still be refused.
    let mut next = rule.now();
    next.tick(step);
    let rebase = next.rebase();
    let spoils =
        |change: &_| !(home.stay_finite(change) && cells.iter().all(|cell| stays_finite(cell, change)));
    if non_finite != 0 || !next.is_finite() || rebase.as_ref().is_some_and(spoils) {
        progress.counts.rejected += 1;
        return unmoved;
    }
    if step.is_some() || now.folds() == Fold::Always || R::AFTERWARDS {
        home.store(features, cells, &padded.places);
    }
    rule.take_over(next);
    if R::SELECTS
        && step.is_some()
        && let Some(table) = home.table()
    {
        rule.select(features, table);
    }
    if let Some(rebase) = rebase {
        home.change_all(rebase);
    }
    progress.learned(positive, step.is_some());
    (seen.score, Outcome { loss, updated: step.is_some() })
}

/// Examples are fetched so many before it is their turn.
const AHEAD: usize = 4;

/// While example `i` is looked at, lets the processor fetch what others will need, if the table is large: one of them itself, and the cells
/// of the features that are returned, those of the next. Where the table is small, asking takes longer than waiting.
#[inline(always)]
fn fetch_ahead(large: bool, batch: &Batch, i: usize) -> &[u32] {
    if !large {
        return &[];
    }
    if i + AHEAD < batch.len() {
        let Row { indices, values } = batch.row(i + AHEAD);
        fetch_all(indices);
        fetch_all(values);
    }
    if i + 1 < batch.len() { batch.row(i + 1).indices } else { &[] }
}

/// Learning from a batch, compiled for several kinds of processors. All of them round alike.
struct LearnBatch<'a, R: Rule> {
    learner: &'a mut Linear<R>,
    batch: &'a Batch,
    outcomes: &'a mut Outcomes,
}

impl<R: Rule> NullaryFnOnce for LearnBatch<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { learner, batch, outcomes } = self;
        let large = learner.table.is_large();
        outcomes.clear();
        for i in 0..batch.len() {
            let next = fetch_ahead(large, batch, i);
            let (score, outcome) = match batch.known(i) {
                Some((positive, importance)) => learner.learn_row(batch.row(i), next, positive, importance),
                None => (learner.score_unlabelled(batch.row(i)), Outcome::NOTHING),
            };
            outcomes.push_score(score);
            outcomes.push_outcome(outcome);
        }
    }
}

/// Scoring a batch, compiled for several kinds of processors as learning is.
struct ScoreBatch<'a, R: Rule> {
    learner: &'a Linear<R>,
    batch: &'a Batch,
    outcomes: &'a mut Outcomes,
}

impl<R: Rule> NullaryFnOnce for ScoreBatch<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { learner, batch, outcomes } = self;
        let large = learner.table.is_large();
        let mut padded = PaddedRow::default();
        outcomes.clear();
        for i in 0..batch.len() {
            let next = fetch_ahead(large, batch, i);
            outcomes.push_score(learner.score_row(batch.row(i), next, &mut padded));
        }
    }
}

/// Scoring a batch with variances, compiled likewise.
struct ScoreBatchWithVariance<'a, R: Rule> {
    learner: &'a Linear<R>,
    batch: &'a Batch,
    outcomes: &'a mut Outcomes,
    variances: &'a mut Vec<f64>,
}

impl<R: Rule> NullaryFnOnce for ScoreBatchWithVariance<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { learner, batch, outcomes, variances } = self;
        let large = learner.table.is_large();
        let mut padded = PaddedRow::default();
        outcomes.clear();
        for i in 0..batch.len() {
            let next = fetch_ahead(large, batch, i);
            let (score, variance) = learner.score_row_with_variance(batch.row(i), next, &mut padded);
            outcomes.push_score(score);
            variances.push(variance);
        }
    }
}

impl<R: Rule> Learner for Linear<R> {
    fn learn(&mut self, batch: &Batch, outcomes: &mut Outcomes) -> Result<(), TooLarge> {
        self.learn_unlimited(batch, outcomes);
        Ok(())
    }

    fn score(&self, batch: &Batch, outcomes: &mut Outcomes) {
        Arch::new().dispatch(ScoreBatch { learner: self, batch, outcomes });
    }

    fn score_with_variance(&self, batch: &Batch, outcomes: &mut Outcomes, variances: &mut Vec<f64>) {
        variances.clear();
        if self.has_variance() {
            Arch::new().dispatch(ScoreBatchWithVariance { learner: self, batch, outcomes, variances });
        } else {
            self.score(batch, outcomes);
        }
    }

    fn boost(&mut self, factor: f64) -> bool {
        let rule = self.rule.now();
        if R::FADES {
            self.table.for_each_mut(|cell| *cell = rule.faded(*cell, saturating_real(factor.max(1.0))));
        }
        R::FADES
    }

    fn expect_features(&mut self, below: u32) {
        self.table.expect(below);
    }

    fn empty_group(&self) -> Option<Box<dyn Group>> {
        // Rules that select look at all of their own table.
        self.make_group.filter(|_| !R::SELECTS).map(|make_group| make_group())
    }
}

impl<R: Rule> Member for Linear<R> {
    fn learn_unlimited(&mut self, batch: &Batch, outcomes: &mut Outcomes) {
        // Compiled once more for processors that do twice as much at a time.
        Arch::new().dispatch(LearnBatch { learner: self, batch, outcomes });
    }

    fn fork_member(&self) -> Box<dyn Member> {
        Box::new(self.clone())
    }
}

impl<R: Rule> Inspect for Linear<R> {
    fn spec(&self) -> String {
        spec(self.name, &self.rule)
    }

    fn costs(&self) -> Costs {
        self.progress.costs.declared
    }

    fn counts(&self) -> Counts {
        self.progress.counts
    }

    fn features(&self) -> usize {
        self.table.count(|_| true)
    }

    fn remembers(&self, feature: u32) -> Option<bool> {
        Some(*self.table.get(feature) != self.table.fresh())
    }

    fn nonzeros(&self) -> usize {
        let rule = self.rule.now();
        self.table.count(|cell| rule.weight(cell) != 0.0)
    }

    fn memory(&self) -> usize {
        self.table.memory()
    }

    fn weights(&self) -> Vec<Weight> {
        let weight =
            |(feature, cell)| Weight { feature, class: None, value: f64::from(self.rule.weight(cell)) };
        let all = self.table.live().map(weight);
        all.filter(|w| w.value != 0.0).collect()
    }

    fn variance(&self, feature: u32, _class: Option<Class>) -> Option<f64> {
        self.rule.variance(self.table.get(feature)).map(f64::from)
    }

    fn has_variance(&self) -> bool {
        self.rule.variance(&self.table.fresh()).is_some()
    }

    fn half_life(&self) -> Option<f64> {
        self.rule.half_life()
    }
}

impl<R: Rule> Persist for Linear<R> {
    fn state(&self) -> Value {
        self.progress.state(&self.rule.memory())
    }

    fn write_cells(&self, out: &mut Vec<u8>) {
        self.table.write(out);
    }

    fn restore(&mut self, state: &Value, cells: &[u8]) -> Result<(), StateError> {
        self.progress.restore(state)?;
        self.rule.recall(&state["rule"]).map_err(StateError::new)?;
        self.table = Table::read(self.rule.fresh(), cells)?;
        Ok(())
    }

    fn fork(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }

    /// Rules that select keep a list of features of their own.
    fn can_renumber(&self) -> bool {
        !R::SELECTS
    }

    fn renumber(&mut self, new: &dyn Fn(u32) -> Option<u32>) {
        self.table.renumber(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learners::{ada_fobos::AdaFobos, ada_rda::AdaRda, arow::Arow, ftrl::Ftrl};
    use crate::learners::{perceptron::Perceptron, sgft::Lazy, sgft::Sgft, ssol::Ssol};

    /// Learns once as the processor likes it, once as any processor would.
    fn same_on_all_processors<R: Rule>() {
        let mut batch = Batch::default();
        for i in 0..400u32 {
            let features = (0..i % 23).map(|k| ((i * 7 + k * k * 31) % 300, f64::from(k % 5) - 1.3));
            batch.push(features, Some(u32::from((i * i + i / 3) % 5 < 2))).unwrap();
        }
        let learner = Linear::new(R::NAME, R::default(), Costs::default());
        let (mut dispatched, mut plain) = (learner.clone(), learner);
        let (mut outcomes, mut plain_outcomes) = (Outcomes::default(), Outcomes::default());
        dispatched.learn(&batch, &mut outcomes).unwrap();
        LearnBatch { learner: &mut plain, batch: &batch, outcomes: &mut plain_outcomes }.call();
        assert_eq!(outcomes, plain_outcomes);
        let cells = |learner: &Linear<R>| {
            let mut bytes = Vec::new();
            learner.write_cells(&mut bytes);
            bytes
        };
        assert!(dispatched.counts().updates > 50);
        assert_eq!(cells(&dispatched), cells(&plain));
    }

    /// Examples are filled up with features of value 0, which these rules would divide by 0.
    #[test]
    fn examples_of_one_feature_are_learned_without_smoothing() {
        fn learns<R: Rule>(rule: R) {
            let mut learner = Linear::new(R::NAME, rule, Costs::default());
            let mut batch = Batch::default();
            batch.push([(3, 2.0)], Some(1)).unwrap();
            learner.learn(&batch, &mut Outcomes::default()).unwrap();
            assert_eq!((learner.counts().updates, learner.nonzeros()), (1, 1), "{}", R::NAME);
        }
        learns(AdaFobos { delta: 0.0, ..AdaFobos::default() });
        learns(AdaRda { delta: 0.0, lambda: 0.0, ..AdaRda::default() });
        learns(Ftrl { beta: 0.0, lambda: 0.0, ..Ftrl::default() });
    }

    #[test]
    fn all_processors_learn_the_same() {
        same_on_all_processors::<Perceptron>();
        same_on_all_processors::<Arow>();
        same_on_all_processors::<Ssol>();
        same_on_all_processors::<Sgft<Lazy>>();
        same_on_all_processors::<AdaFobos>();
    }
}
