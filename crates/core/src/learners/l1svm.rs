//! The support vector machine with an L1 penalty.

use crate::batched::{Auto, Estimate, Examples, Solver, Sparse};
use crate::cost::CostUse;
use crate::merge::Merging;
use crate::params;
use crate::params::{non_negative, positive_finite, repeatable};
use crate::random::Shuffler;
use crate::rule::{About, Family};

params! {
    /// Support vector machine with an L1 penalty, by coordinate descent (LIBLINEAR's -s 5).
    ///
    /// ```text
    /// min |w|₁ + C Σ ξ²                    ξ = max(0, 1 − y w·x)
    /// g, h: slope and curvature of C Σ ξ² along one weight, for every weight in a random order
    /// d = −(g + 1)/h  if g + 1 ≤ h w;   −(g − 1)/h  if g − 1 ≥ h w;   −w  otherwise
    /// w ← w + βd                           β = 1, ½, ¼ ... until the objective has fallen enough
    /// ```
    ///
    /// Weights that seem to stay zero are left out until the others are settled (shrinking). Every batch is solved for
    /// itself: the model is that of the last one.
    pub(crate) struct L1svm {
        /// C: larger tolerates fewer errors and keeps more weights.
        c: f64 = 1.0, positive_finite;
        /// The largest slope of the objective at which it may stop.
        tolerance: f64 = 1e-7, non_negative;
        /// The most sweeps over the weights, up to 1000000.
        sweeps: u64 = 1000, repeatable;
        /// The seed of the random orders.
        seed: u64 = 0;
        /// How many examples make a batch; auto is all of the data.
        batch: Auto = Auto::Auto;
    }
}

impl About for L1svm {
    const NAME: &'static str = "l1svm";
    const FAMILY: Family = Family::Batch;
    const PAPER: &'static str = "Yuan, Chang, Hsieh, Lin, A comparison of optimization methods for large-scale L1-regularized linear classification (JMLR 2010); Tan et al. 2016, section 5";
    const WHEN: &'static str = "a sparse batch solution to compare with, when the data fits into memory";
    const COSTS: CostUse = CostUse::Strength;
    const MERGING: Merging = Merging::NOT_BATCHES;
}

/// Armijo's condition: how much of the promised fall must come true.
const PROMISED: f64 = 0.01;
const MOST_HALVINGS: usize = 60;

/// A batch by column, and what each example still lacks.
struct Problem<'a> {
    y: &'a [f64],
    c: Vec<f64>,
    /// 1 − y w·x.
    gaps: Vec<f64>,
}

impl Problem<'_> {
    /// Slope and curvature of C Σ ξ² along a column.
    fn slope(&self, column: Sparse) -> (f64, f64) {
        let (mut g, mut h) = (0.0, 0.0);
        for (i, x) in column.iter() {
            if self.gaps[i] > 0.0 {
                let cx = 2.0 * self.c[i] * x;
                g -= cx * self.y[i] * self.gaps[i];
                h += cx * x;
            }
        }
        (g, h.max(1e-12))
    }

    /// By how much C Σ ξ² changes with a step along a column.
    fn change(&self, column: Sparse, step: f64) -> f64 {
        column.iter().fold(0.0, |sum, (i, x)| {
            let before = self.gaps[i].max(0.0);
            let after = (self.gaps[i] - step * self.y[i] * x).max(0.0);
            sum + self.c[i] * (after * after - before * before)
        })
    }

    fn step(&mut self, column: Sparse, step: f64) {
        column.iter().for_each(|(i, x)| self.gaps[i] -= step * self.y[i] * x);
    }
}

impl Solver for L1svm {
    fn batch(&self) -> Auto {
        self.batch
    }

    fn solve(&self, examples: &Examples, _known: &Estimate, number: u64) -> Option<Estimate> {
        let columns = examples.rows.transposed(examples.width());
        let c = examples.stake.iter().map(|stake| self.c * stake).collect();
        let mut problem = Problem { y: &examples.y, c, gaps: vec![1.0; examples.len()] };
        let mut w = vec![0.0; examples.width()];
        let mut shuffler = Shuffler::new(self.seed.wrapping_add(number));
        let mut active: Vec<usize> = (0..examples.width()).collect();
        // The worst slope of the last sweep, as a share per example: a zero weight this far inside is left out.
        let mut worst_before = f64::INFINITY;
        for _ in 0..self.sweeps {
            shuffler.shuffle(&mut active);
            let mut worst: f64 = 0.0;
            active.retain(|&j| {
                let column = columns.row(j);
                let (g, h) = problem.slope(column);
                let violation = if w[j] > 0.0 {
                    (g + 1.0).abs()
                } else if w[j] < 0.0 {
                    (g - 1.0).abs()
                } else if g.abs() < 1.0 - worst_before / examples.len() as f64 {
                    return false;
                } else {
                    (g.abs() - 1.0).max(0.0)
                };
                worst = worst.max(violation);
                w[j] += descend(&mut problem, column, w[j], g, h);
                true
            });
            if worst <= self.tolerance {
                if active.len() == examples.width() {
                    break;
                }
                active = (0..examples.width()).collect();
                worst_before = f64::INFINITY;
            } else {
                worst_before = worst;
            }
        }
        Some(Estimate::of_weights(&examples.features, &w))
    }
}

/// Moves along one column; by how much.
fn descend(problem: &mut Problem, column: Sparse, w: f64, g: f64, h: f64) -> f64 {
    let direction = if g + 1.0 <= h * w {
        -(g + 1.0) / h
    } else if g - 1.0 >= h * w {
        -(g - 1.0) / h
    } else {
        -w
    };
    if direction.abs() < 1e-300 {
        return 0.0;
    }
    let promised = g * direction + (w + direction).abs() - w.abs();
    let mut share = 1.0;
    for _ in 0..MOST_HALVINGS {
        let step = share * direction;
        if problem.change(column, step) + (w + step).abs() - w.abs() <= PROMISED * share * promised {
            problem.step(column, step);
            return step;
        }
        share *= 0.5;
    }
    0.0
}
