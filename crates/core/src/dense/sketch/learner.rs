//! What both forms of the sketch share: costs, counts, and the course of a round.

use serde_json::Value;

use crate::batch::{Batch, Row};
use crate::cost::Costs;
use crate::learner::{Counts, Inspect, Learner, Merge, Persist, StateError, TooLarge, Weight};
use crate::loss::CostSensitive;
use crate::member::Member;
use crate::merge::Merging;
use crate::outcomes::{Outcome, Outcomes, bounded_variance, is_score};
use crate::params::{Params, spec};
use crate::progress::Progress;
use crate::seen::Seen;
use crate::slots::Slots;

use super::diagonal::Diagonal;
use super::knobs::Knobs;
use super::waiting::Waiting;

/// How a sketch is kept. Both forms say the same; they differ in what a round costs.
pub(crate) trait Form: Clone + Send + Sync + 'static {
    /// What scoring an example leaves for learning from it.
    type Sums: Clone + Default + Send + Sync;
    /// A sketch that has seen nothing.
    fn new(knobs: &Knobs) -> Self;
    /// Makes room for a feature, which is the `slot`-th.
    fn add(&mut self, knobs: &Knobs, slot: usize, feature: u32);
    /// The weight of a feature.
    fn weight(&self, slot: usize) -> f64;
    /// μ·x.
    fn score(&self, x: &[(usize, f64)], sums: &mut Self::Sums) -> f64;
    /// x'S'HSx: how much of |x|² the sketch takes away, for an example that has just been scored into the sums.
    fn known_part(&self, x: &[(usize, f64)], sums: &Self::Sums) -> f64;
    /// Notes where it stands, so that [`Self::undo`] can go back there.
    fn mark(&mut self);
    /// Goes back to the mark, after these features were added and [`Self::learn`] has failed.
    fn undo(&mut self, knobs: &Knobs, added: &[u32]);
    /// Lets an example of known features into the sketch, and leaves the directions as they come out. One that would go beyond all numbers
    /// stays outside.
    fn let_in(&mut self, x: &[(usize, f64)], root: f64);
    /// How many examples were let in.
    fn turns(&self) -> u64;
    /// One round, for an example whose known features have just been scored into the sums. False if that would go beyond all
    /// numbers: what is left then must be undone.
    fn learn(&mut self, x: &[(usize, f64)], round: &Round, sums: &mut Self::Sums) -> bool;
    /// All that must be kept, as numbers.
    fn numbers(&self) -> Vec<f64>;
    /// Takes the numbers back, and says how many they were; none if there are too few.
    fn restore(&mut self, features: usize, numbers: &[f64]) -> Option<usize>;
}

/// What a round is to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// So many of the example's features were known before it.
    pub known: usize,
    /// √γ: the directions turn towards x̂ = x/√γ.
    pub root: f64,
    /// |x̂|².
    pub length2: f64,
    /// Is the example let into the sketch?
    pub turn: bool,
    /// Were no others let in since the directions were orthonormal?
    pub alone: bool,
    /// The weights move by −η (I − S'HS) g with g = −along · x, if at all.
    pub along: Option<f64>,
}

impl Round {
    /// No value of the example is larger.
    pub(super) fn reach(&self) -> f64 {
        self.length2.sqrt() * self.root
    }
}

/// Whatever a round would move further than this is refused: far beyond any real example, and far from what f64 can hold.
pub(super) const TOO_FAR: f64 = 1e100;

/// A cost-sensitive learner with a sketch of the covariance.
#[derive(Clone)]
pub(crate) struct Sketched<F: Form> {
    name: &'static str,
    variant: CostSensitive,
    knobs: Knobs,
    slots: Slots,
    form: F,
    /// What the values of features are divided by.
    diagonal: Diagonal,
    /// Examples that will be let into the sketch with the last one of their group.
    waiting: Waiting,
    progress: Progress,
    /// The example by slot, and those of its features that are new.
    x: Vec<(usize, f64)>,
    new: Vec<(u32, f64)>,
    sums: F::Sums,
}

impl<F: Form> Sketched<F> {
    /// A learner that has seen nothing.
    pub(crate) fn new(name: &'static str, variant: CostSensitive, knobs: Knobs, costs: Costs) -> Self {
        let (form, diagonal) = (F::new(&knobs), Diagonal::new(knobs.precondition));
        let mut new = Self {
            name,
            variant,
            knobs,
            slots: Slots::new(),
            form,
            diagonal,
            waiting: Waiting::default(),
            progress: Progress::new(costs),
            x: Vec::new(),
            new: Vec::new(),
            sums: F::Sums::default(),
        };
        // A start over all features gives each of them a weight before it comes.
        for feature in new.knobs.first_features() {
            let slot = new.slots.get_or_add(feature);
            new.form.add(&new.knobs, slot, feature);
        }
        new.diagonal.cover(new.slots.len());
        new
    }

    /// Sorts the example's features into known ones, by slot and preconditioned, and new ones.
    fn place(&self, row: Row, known: &mut Vec<(usize, f64)>, new: &mut Vec<(u32, f64)>) {
        known.clear();
        new.clear();
        for (feature, x) in row.iter() {
            match self.slots.get(feature) {
                Some(slot) => known.push((slot, self.diagonal.divide(slot, x))),
                None => new.push((feature, x)),
            }
        }
    }

    fn weight(&self, slot: usize) -> f64 {
        self.diagonal.divide(slot, self.form.weight(slot))
    }

    fn learn_row(&mut self, row: Row, positive: bool, importance: f64) -> (f64, Outcome) {
        let (mut x, mut new) = (std::mem::take(&mut self.x), std::mem::take(&mut self.new));
        self.place(row, &mut x, &mut new);
        let result = self.learn_placed(&mut x, &new, positive, importance);
        (self.x, self.new) = (x, new);
        result
    }

    fn learn_placed(
        &mut self,
        x: &mut Vec<(usize, f64)>,
        new: &[(u32, f64)],
        positive: bool,
        importance: f64,
    ) -> (f64, Outcome) {
        let (known, before) = (x.len(), self.slots.len());
        let score = self.form.score(x, &mut self.sums);
        let target = self.progress.target(positive, importance);
        let seen = Seen { score, ..Seen::default() };
        let loss = self.variant.value(&seen, &target);
        let along = self.variant.step(self.knobs.eta, &seen, &target);
        x.extend((before..).zip(new).map(|(slot, (_, value))| (slot, self.diagonal.divide(slot, *value))));
        let moved = self.diagonal.take_in(x, along.map_or(0.0, |along| along / self.knobs.eta));
        let length2 = x.iter().fold(0.0, |sum, (_, x)| sum + x * x) / self.knobs.gamma;
        let fits = (length2 * length2).is_finite() && self.diagonal.stays_finite(x);
        if !is_score(score) || !is_score(loss) || !fits {
            let variant = self.variant;
            return (
                score,
                self.progress.refuse(score, loss, &target, |seen, target| variant.value(seen, target)),
            );
        }
        let (root, every) = (self.knobs.gamma.sqrt(), self.knobs.every);
        let turn = self.form.turns() % every == every - 1;
        if moved {
            self.form.score(&x[..known], &mut self.sums);
        }
        self.form.mark();
        for &(feature, _) in new {
            let slot = self.slots.get_or_add(feature);
            self.form.add(&self.knobs, slot, feature);
        }
        let round = Round { known, root, length2, turn, alone: every == 1, along };
        if !self.form.learn(x, &round, &mut self.sums) {
            self.form.undo(&self.knobs, &self.slots.features()[before..]);
            self.slots.truncate(before);
            self.progress.counts.rejected += 1;
            return (score, Outcome { loss, updated: false });
        }
        self.diagonal.keep(x);
        if !turn {
            self.wait(x, root);
        }
        self.progress.learned(positive, along.is_some());
        (score, Outcome { loss, updated: along.is_some() })
    }
}

impl<F: Form> Sketched<F> {
    /// Keeps the example until only the last one of its group is missing. Then all are let in: they turn the directions, which the last one makes orthonormal. (Not in the round
    /// of the last one, which must leave no trace if it is refused.)
    fn wait(&mut self, x: &[(usize, f64)], root: f64) {
        self.waiting.push(x);
        let every = self.knobs.every;
        if self.form.turns() % every + self.waiting.len() as u64 + 1 >= every {
            self.waiting.release(|x| self.form.let_in(x, root));
        }
    }
}

impl<F: Form> Learner for Sketched<F> {
    fn learn(&mut self, batch: &Batch, outcomes: &mut Outcomes) -> Result<(), TooLarge> {
        self.learn_unlimited(batch, outcomes);
        Ok(())
    }

    fn score(&self, batch: &Batch, outcomes: &mut Outcomes) {
        let (mut x, mut new, mut sums) = (Vec::new(), Vec::new(), F::Sums::default());
        outcomes.clear();
        for i in 0..batch.len() {
            self.place(batch.row(i), &mut x, &mut new);
            outcomes.push_score(self.form.score(&x, &mut sums));
        }
    }

    fn score_with_variance(&self, batch: &Batch, outcomes: &mut Outcomes, variances: &mut Vec<f64>) {
        let (mut x, mut new, mut sums) = (Vec::new(), Vec::new(), F::Sums::default());
        outcomes.clear();
        variances.clear();
        for i in 0..batch.len() {
            self.place(batch.row(i), &mut x, &mut new);
            outcomes.push_score(self.form.score(&x, &mut sums));
            let of_new = new.iter().map(|(_, x)| self.diagonal.divide(self.slots.len(), *x));
            let length2 = x.iter().map(|(_, x)| *x).chain(of_new).fold(0.0, |sum, x| sum + x * x);
            // Where both are beyond all numbers, there is no difference.
            let known = self.form.known_part(&x, &sums);
            let variance = if length2.is_finite() { length2 - known } else { length2 };
            variances.push(bounded_variance(variance));
        }
    }
}

impl<F: Form> Member for Sketched<F> {
    fn learn_unlimited(&mut self, batch: &Batch, outcomes: &mut Outcomes) {
        let (mut x, mut new, mut sums) = (Vec::new(), Vec::new(), F::Sums::default());
        outcomes.collect(batch, |row, known| match known {
            Some((positive, importance)) if importance != 0.0 => self.learn_row(row, positive, importance),
            _ => {
                self.place(row, &mut x, &mut new);
                (self.form.score(&x, &mut sums), Outcome::NOTHING)
            }
        });
    }

    fn fork_member(&self) -> Box<dyn Member> {
        Box::new(self.clone())
    }
}

impl<F: Form> Merge for Sketched<F> {
    fn merging(&self) -> Merging {
        Merging::NOT_SKETCHES
    }
}

impl<F: Form> Inspect for Sketched<F> {
    fn spec(&self) -> String {
        spec(self.name, &self.knobs)
    }

    fn costs(&self) -> Costs {
        self.progress.costs.declared
    }

    fn counts(&self) -> Counts {
        self.progress.counts
    }

    fn features(&self) -> usize {
        self.slots.len()
    }

    fn nonzeros(&self) -> usize {
        (0..self.slots.len()).filter(|&slot| self.weight(slot) != 0.0).count()
    }

    fn memory(&self) -> usize {
        let numbers = self.slots.len() * (self.knobs.directions() + 1)
            + self.diagonal.len()
            + 2 * self.waiting.values();
        self.slots.memory() + numbers * size_of::<f64>()
    }

    fn weights(&self) -> Vec<Weight> {
        let all = self.slots.features().iter().enumerate();
        let all = all.map(|(slot, &feature)| Weight { feature, class: None, value: self.weight(slot) });
        let mut nonzero: Vec<Weight> = all.filter(|w| w.value != 0.0).collect();
        nonzero.sort_by_key(|w| w.feature);
        nonzero
    }

    fn has_variance(&self) -> bool {
        true
    }
}

impl<F: Form> Persist for Sketched<F> {
    fn state(&self) -> Value {
        self.progress.state(&self.knobs.memory())
    }

    fn write_cells(&self, out: &mut Vec<u8>) {
        let mut numbers = self.form.numbers();
        self.diagonal.write(&mut numbers);
        self.waiting.write(&mut numbers);
        self.slots.write(&numbers, out);
    }

    fn restore(&mut self, state: &Value, cells: &[u8]) -> Result<(), StateError> {
        self.progress.restore(state)?;
        let (slots, numbers) = Slots::read(cells)?;
        let read = |used: usize| {
            let rest = self.diagonal.read(slots.len(), &numbers[used..])?;
            self.waiting.read(slots.len(), rest)
        };
        self.form.restore(slots.len(), &numbers).and_then(read).ok_or_else(|| StateError::new("cells"))?;
        self.slots = slots;
        Ok(())
    }

    fn fork(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}
