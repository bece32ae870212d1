//! The feature generating machine: groups of features, one after the other.

use crate::batched::{Auto, Estimate, Examples, Groups, Rows, Solver, shrink_groups};
use crate::cost::CostUse;
use crate::merge::Merging;
use crate::params;
use crate::params::{non_negative, positive_finite, repeatable};
use crate::rule::{About, Family};

params! {
    /// Feature generating machine: features are chosen group by group, and each time the weights of all groups are
    /// solved for anew.
    ///
    /// ```text
    /// F = the features with the largest (Σ α y x)²          not chosen yet; α = 1 in the beginning
    /// min ½ (Σ_k |w_k|)² + C/2 Σ ξ²                         over the groups so far; ξ = max(0, 1 − y w·x)
    /// α = ξ
    /// ```
    ///
    /// Every batch is solved for itself: the model is that of the last one.
    pub(crate) struct Fgm {
        /// C: larger tolerates fewer errors.
        c: f64 = 1.0, positive_finite;
        /// How many features are chosen at a time; auto is features / iterations, or 10.
        group: Auto = Auto::Auto;
        /// The most features to choose; auto is group · iterations.
        features: Auto = Auto::Auto;
        /// The most groups to choose in a batch, up to 1000000.
        iterations: u64 = 15, repeatable;
        /// Stop when a group changes the objective by no more than this share (0: never).
        stop: f64 = 0.0, non_negative;
        /// The relative change of the weights at which they count as solved for.
        tolerance: f64 = 1e-10, positive_finite;
        /// How many examples make a batch; auto is all of the data.
        batch: Auto = Auto::Auto;
    }
}

impl About for Fgm {
    const NAME: &'static str = "fgm";
    const FAMILY: Family = Family::Batch;
    const PAPER: &'static str = "Tan, Wang, Tsang, Learning sparse SVM for feature selection on very high dimensional datasets (ICML 2010); Tan et al. 2016, section 5";
    const WHEN: &'static str = "a given number of features, solved for exactly";
    const COSTS: CostUse = CostUse::Strength;
    const MERGING: Merging = Merging::NOT_BATCHES;
}

impl Solver for Fgm {
    fn batch(&self) -> Auto {
        self.batch
    }

    fn solve(&self, examples: &Examples, _known: &Estimate, _number: u64) -> Option<Estimate> {
        let mut groups = Groups::new(examples, self.group, self.features, self.iterations);
        let mut w: Vec<f64> = Vec::new();
        let mut slacks = vec![1.0; examples.len()];
        let mut before = f64::NAN;
        for _ in 0..self.iterations {
            if !groups.choose(|i| slacks[i]) {
                break;
            }
            let sizes: Vec<usize> = groups.all.iter().map(|group| group.columns.len()).collect();
            let problem = Problem { examples, rows: groups.joined(), sizes, c: self.c };
            w.resize(problem.sizes.iter().sum(), 0.0);
            let now = problem.solve(&mut w, self.tolerance)?;
            slacks = problem.slacks(&w);
            if self.stop > 0.0 && (now - before).abs() <= self.stop * now.abs() {
                break;
            }
            before = now;
        }
        let (features, weights) = groups.weights(std::iter::once(w.as_slice()));
        Some(Estimate { features, weights, blocks: Vec::new(), chosen: groups.chosen })
    }
}

/// min ½ (Σ_k |w_k|)² + C/2 Σ ξ² over groups of the given sizes.
struct Problem<'a> {
    examples: &'a Examples,
    rows: Rows,
    sizes: Vec<usize>,
    c: f64,
}

/// More steps than any sensible problem needs.
const MOST_STEPS: usize = 100_000;

impl Problem<'_> {
    fn groups<'w>(&self, w: &'w [f64]) -> impl Iterator<Item = &'w [f64]> {
        let mut rest = w;
        self.sizes.clone().into_iter().map(move |size| {
            let (group, others) = rest.split_at(size);
            rest = others;
            group
        })
    }

    fn lengths(&self, w: &[f64]) -> Vec<f64> {
        self.groups(w).map(|group| group.iter().fold(0.0, |sum, w| sum + w * w).sqrt()).collect()
    }

    /// ξ of every example.
    fn slacks(&self, w: &[f64]) -> Vec<f64> {
        self.rows.iter().zip(&self.examples.y).map(|(x, y)| (1.0 - y * x.dot(w)).max(0.0)).collect()
    }

    fn objective(&self, w: &[f64]) -> f64 {
        let costs = self.slacks(w).into_iter().zip(&self.examples.stake);
        let loss = costs.fold(0.0, |sum, (slack, stake)| sum + stake * slack * slack);
        let length: f64 = self.lengths(w).iter().sum();
        0.5 * length * length + 0.5 * self.c * loss
    }

    fn gradient(&self, w: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; w.len()];
        for (i, slack) in self.slacks(w).into_iter().enumerate() {
            if slack > 0.0 {
                let along = -self.c * self.examples.stake[i] * self.examples.y[i] * slack;
                self.rows.row(i).add_to(&mut gradient, along);
            }
        }
        gradient
    }

    /// The largest curvature of the loss, C times the largest eigenvalue of X'X, by power iteration (from below; whoever
    /// uses it must be ready to double it).
    fn curvature(&self, width: usize) -> f64 {
        let mut v = vec![1.0; width];
        let mut largest = 0.0;
        for _ in 0..30 {
            let length = v.iter().fold(0.0, |sum: f64, v| sum + v * v).sqrt();
            if length == 0.0 {
                break;
            }
            v.iter_mut().for_each(|v| *v /= length);
            let mut next = vec![0.0; width];
            for (x, stake) in self.rows.iter().zip(&self.examples.stake) {
                x.add_to(&mut next, self.c * stake * x.dot(&v));
            }
            largest = next.iter().zip(&v).fold(0.0, |sum, (next, v)| sum + next * v);
            v = next;
        }
        1.05 * largest + f64::MIN_POSITIVE.sqrt()
    }

    /// Accelerated proximal gradient steps, begun anew whenever they overshoot; the objective, or nothing if it is not
    /// finite.
    fn solve(&self, w: &mut Vec<f64>, tolerance: f64) -> Option<f64> {
        let mut curvature = self.curvature(w.len());
        let mut ahead = w.clone();
        let mut momentum = 1.0;
        let mut objective = self.objective(w);
        for _ in 0..MOST_STEPS {
            if objective.is_nan() {
                return None;
            }
            let mut next: Vec<f64> =
                ahead.iter().zip(self.gradient(&ahead)).map(|(w, g)| w - g / curvature).collect();
            let factors = shrink_groups(&self.lengths(&next), 1.0 / curvature);
            let mut rest = next.as_mut_slice();
            for (size, factor) in self.sizes.iter().zip(factors) {
                let (group, others) = rest.split_at_mut(*size);
                group.iter_mut().for_each(|w| *w *= factor);
                rest = others;
            }
            let reached = self.objective(&next);
            let moved = next.iter().zip(w.iter()).fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b)).sqrt();
            let length = next.iter().fold(0.0, |sum, w| sum + w * w).sqrt();
            let settled = moved <= tolerance * length.max(1.0);
            if reached > objective {
                if settled {
                    break;
                }
                if momentum == 1.0 {
                    curvature *= 2.0;
                }
                ahead.clone_from(w);
                momentum = 1.0;
                continue;
            }
            let faster = 0.5 * (1.0 + (1.0f64 + 4.0 * momentum * momentum).sqrt());
            let push = (momentum - 1.0) / faster;
            ahead = next.iter().zip(w.iter()).map(|(next, w)| next + push * (next - w)).collect();
            (*w, objective, momentum) = (next, reached, faster);
            if settled {
                break;
            }
        }
        objective.is_finite().then_some(objective)
    }
}
