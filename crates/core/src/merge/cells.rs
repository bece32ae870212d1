//! Cells of shards, as sums and back.

use serde_json::Value;

use crate::batch::BIAS;
use crate::cell::Cell;
use crate::rule::Rule;

use super::gain::Gain;
use super::merging::{Merging, Numbering, Unmergeable};

/// What merging has to know of a rule.
pub(crate) struct Cells<'a, R> {
    rule: &'a R,
    /// How many shards there are.
    shards: u32,
}

impl<'a, R: Rule> Cells<'a, R> {
    pub(crate) fn new(rule: &'a R, shards: u32) -> Self {
        Self { rule, shards }
    }

    /// How many numbers the gain of a cell has.
    pub(crate) fn stride() -> usize {
        match R::MERGING {
            Merging::Beliefs => 2,
            Merging::Means | Merging::Never(_) => R::Cell::FIELDS.len() + 1,
        }
    }

    /// What a shard starts from, given the base's cell. A feature that the base has never seen is as new to every shard.
    pub(crate) fn shared(&self, cell: R::Cell) -> R::Cell {
        if self.shards <= 1 || R::MERGING != Merging::Beliefs || cell == self.rule.fresh() {
            return cell;
        }
        let mut parts = [0.0; 2];
        self.rule.parts(&cell, &mut parts);
        // Divided by n, every shard would learn n times as fast, and follow noise. Divided by √n, what all of them have corrected is at times corrected too much,
        // because it hides in what each has corrected alone. What is between, n^⅝, is made of roots, which are the same on every machine.
        // docs/design/2026-11-19-merging.md has the measurements.
        let root = f64::from(self.shards).sqrt();
        parts[1] /= root * root.sqrt().sqrt();
        self.rule.of_parts(&parts)
    }

    /// The gain of a cell that has changed since its shard began with the base's; and how long a belief's step is.
    fn gain(&self, cell: &R::Cell, base: R::Cell, examples: f64, gain: &mut [f64]) -> f64 {
        let fields = R::Cell::FIELDS.len();
        let mut before = vec![0.0; fields];
        self.rule.parts(&self.shared(base), &mut before);
        match R::MERGING {
            Merging::Beliefs => {
                let mut now = [0.0; 2];
                self.rule.parts(cell, &mut now);
                let says = now[1] * (now[0] - before[0]);
                gain.copy_from_slice(&[says, now[1] - before[1]]);
                self.rule.parts(&base, &mut before);
                says * says / self.precision_with(before[1], gain)
            }
            Merging::Means | Merging::Never(_) => {
                let (now, weight) = gain.split_at_mut(fields);
                self.rule.parts(cell, now);
                now.iter_mut().zip(&before).for_each(|(now, before)| *now = examples * (*now - before));
                weight[0] = examples;
                0.0
            }
        }
    }

    /// The precision of a belief with what its shards have gained. Models that go on from one base and lose certainty may lose all of it together, but no more.
    fn precision_with(&self, precision: f64, gain: &[f64]) -> f64 {
        let mut least = [0.0; 2];
        self.rule.parts(&self.rule.fresh(), &mut least);
        (precision + gain[1]).max(least[1])
    }

    /// How much of their common step shards take: all of it, unless it is longer than the steps of all shards together.
    ///
    /// Lengths are squared, and a step to which precision times mean rises by d is d²/λ long. Shards that corrected different things took orthogonal steps, whose sum
    /// is as long as they are together. If all made the same correction, their sum would make it n times.
    fn part_of_step(&self, gain: &Gain, base: impl Fn(u32, usize) -> R::Cell) -> f64 {
        let mut together = 0.0;
        let mut parts = vec![0.0; R::Cell::FIELDS.len()];
        for (feature, row) in gain.features() {
            for (class, gain) in row.chunks_exact(gain.stride()).enumerate() {
                self.rule.parts(&base(feature, class), &mut parts);
                together += gain[0] * gain[0] / self.precision_with(parts[1], gain);
            }
        }
        let part = gain.steps / together;
        // One step is as long as itself, whatever the rounding of sums; and of n shards, none has less than 1/n of the step, whatever damaged bytes say.
        if part < 1.0 - 1e-9 { part.max(1.0 / f64::from(u32::MAX)) } else { 1.0 }
    }

    /// The base's cell with all that its shards have gained, and so much of their step.
    fn with(&self, cell: R::Cell, gain: &[f64], part: f64) -> R::Cell {
        let mut parts = vec![0.0; R::Cell::FIELDS.len()];
        self.rule.parts(&cell, &mut parts);
        match R::MERGING {
            Merging::Beliefs => {
                let (before, step) = (parts[0], gain[0] / self.precision_with(parts[1], gain));
                parts[1] = self.precision_with(parts[1], gain);
                parts[0] = before + step;
                if part < 1.0 {
                    let whole = self.rule.weight(&self.rule.of_parts(&parts));
                    parts[0] = before + part * step;
                    // All weights being smaller alike is no reason to cut one: it is as much surer.
                    if whole != 0.0 && self.rule.weight(&self.rule.of_parts(&parts)) == 0.0 {
                        parts[1] /= part * part;
                    }
                }
            }
            Merging::Means | Merging::Never(_) => {
                let (sums, weight) = gain.split_at(parts.len());
                parts.iter_mut().zip(sums).for_each(|(part, sum)| *part += sum / weight[0]);
            }
        }
        self.rule.of_parts(&parts)
    }

    /// The gains of all cells, given those of the learner and of the base: so many in a row for each feature.
    pub(crate) fn gains(
        &self,
        now: &impl CellsByFeature<R::Cell>,
        base: &impl CellsByFeature<R::Cell>,
        examples: f64,
        numbering: &dyn Numbering,
        gain: &mut Gain,
    ) {
        let (fresh, stride, classes) = (self.rule.fresh(), Self::stride(), now.classes().max(base.classes()));
        let mut features: Vec<(u32, u32)> = Vec::new();
        now.each_feature(&mut |feature| {
            let number = if feature == BIAS { BIAS } else { numbering.of_gain(feature) };
            features.push((number, feature));
        });
        // What has become as if it had never been seen has changed, too.
        base.each_feature(&mut |number| {
            let feature = if number == BIAS { Some(BIAS) } else { numbering.of_learner(number) };
            features.extend(feature.map(|feature| (number, feature)));
        });
        features.sort_unstable();
        features.dedup();
        gain.begin(stride, classes);
        let (mut row, mut steps) = (vec![0.0; stride * classes], 0.0);
        for (number, feature) in features {
            let mut changed = false;
            row.fill(0.0);
            for (class, gain) in row.chunks_exact_mut(stride).enumerate() {
                let cell = now.cell(feature, class).unwrap_or(fresh);
                let base = base.cell(number, class).unwrap_or(fresh);
                if cell != self.shared(base) {
                    steps += self.gain(&cell, base, examples, gain);
                    changed = true;
                }
            }
            if changed {
                gain.push(number, &row);
            }
        }
        gain.steps = steps;
    }

    /// Lets all cells that have gained something know of it; `put` stores one.
    pub(crate) fn join(
        &self,
        gain: &Gain,
        base: impl Fn(u32, usize) -> R::Cell,
        mut put: impl FnMut(u32, usize, R::Cell),
    ) -> Result<(), Unmergeable> {
        if gain.features().len() == 0 {
            return Ok(());
        }
        if gain.stride() != Self::stride() {
            return Err(Unmergeable::Misfit("another number of sums for each feature"));
        }
        let part = if R::MERGING == Merging::Beliefs { self.part_of_step(gain, &base) } else { 1.0 };
        for (feature, row) in gain.features() {
            for (class, gain) in row.chunks_exact(gain.stride()).enumerate() {
                if gain.iter().all(|number| *number == 0.0) {
                    continue;
                }
                let cell = self.with(base(feature, class), gain, part);
                if !cell.is_finite() {
                    return Err(Unmergeable::NotFinite);
                }
                put(feature, class, cell);
            }
        }
        Ok(())
    }
}

/// Cells by feature and class.
pub(crate) trait CellsByFeature<C> {
    /// Cells of a feature.
    fn classes(&self) -> usize;
    /// All features that have something to remember.
    fn each_feature(&self, see: &mut dyn FnMut(u32));
    /// The cell of a feature, if it has one.
    fn cell(&self, feature: u32, class: usize) -> Option<C>;
}

/// What a rule remembers besides its cells, with the part that is common to all shards changed as they have changed it.
pub(crate) fn gain_of_common(merging: Merging, now: &Value, base: &Value, examples: f64) -> Vec<f64> {
    let (mut now_numbers, mut base_numbers) = (Vec::new(), Vec::new());
    each_number(&mut now.clone(), &mut |number| now_numbers.push(widened(number)));
    each_number(&mut base.clone(), &mut |number| base_numbers.push(widened(number)));
    let weight = if merging == Merging::Beliefs { 1.0 } else { examples };
    now_numbers.iter().zip(&base_numbers).map(|(now, base)| weight * (now - base)).collect()
}

/// What a rule remembers besides its cells, with what its shards have gained.
pub(crate) fn join_common(
    merging: Merging,
    base: &Value,
    gain: &[f64],
    examples: f64,
) -> Result<Value, Unmergeable> {
    let mut joined = base.clone();
    let mut gains = gain.iter();
    let weight = if merging == Merging::Beliefs { 1.0 } else { examples };
    let mut complete = true;
    each_number(&mut joined, &mut |number| match gains.next() {
        Some(gain) if *gain != 0.0 => {
            let sum = widened(number) + gain / weight;
            *number = if number.is_u64() { (sum.round().max(0.0) as u64).into() } else { sum.into() };
        }
        Some(_) => {}
        None => complete = false,
    });
    if complete || gain.is_empty() { Ok(joined) } else { Err(Unmergeable::Misfit("what it remembers")) }
}

fn widened(number: &Value) -> f64 {
    number.as_f64().unwrap_or_default()
}

/// All numbers of a readable state, in the order of their names.
fn each_number(value: &mut Value, see: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Number(_) => see(value),
        Value::Object(fields) => fields.values_mut().for_each(|field| each_number(field, see)),
        _ => {}
    }
}
