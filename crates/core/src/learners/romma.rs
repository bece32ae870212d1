//! The relaxed online maximum margin algorithm, ROMMA and aggressive ROMMA.

use serde::{Deserialize, Serialize};

use crate::cell::Plain;
use crate::cost::CostUse;
use crate::loss::hinge;
use crate::merge::Merging;
use crate::params::{Remembered, Version};
use crate::rule::{About, Family, Rule};
use crate::seen::{Seen, Target};
use crate::{Real, params, version};

use super::perceptron::is_mistake;

/// x is taken for parallel to w, and the step for undefined, when 1 − cos² is below this.
const PARALLEL: f64 = 1e-12;
/// The common factor is worked into the cells when it leaves this range, long before f32 would lose digits.
const FACTORS: std::ops::RangeInclusive<f64> = 1e-3..=1e3;

params! {
    /// Relaxed online maximum margin.
    pub(crate) struct Romma<V: RommaVersion> {}
    remembers {
        /// The common factor and the length of w.
        line: Line;
    }
}

/// When to act.
pub(crate) trait RommaVersion: Version {
    /// Does flipping all labels flip all scores?
    const SYMMETRIC: bool;
    /// What the prediction cost; it acts if that is more than 0.
    fn loss(seen: &Seen, target: &Target) -> f64;
}

version! {
    /// Relaxed online maximum margin: turns w just enough to give this example a margin of 1.
    ///
    /// ```text
    /// w ← c w + d x                        on a mistake
    /// D = |x|²|w|² − (w·x)²
    /// c = (|x|²|w|² − y w·x) / D           d = |w|² (y − w·x) / D
    /// w ← y x / |x|²                       on the first mistake
    /// ```
    ///
    /// The factor c is common to all weights: it is kept once, so that a round costs only the example's features.
    pub(crate) struct OnMistake = "romma", "separable streams where the margin matters; no knobs";
}

impl RommaVersion for OnMistake {
    const SYMMETRIC: bool = false;

    fn loss(seen: &Seen, target: &Target) -> f64 {
        f64::from(u8::from(is_mistake(seen, target)))
    }
}

version! {
    /// Aggressive ROMMA: as ROMMA, whenever the margin is below 1.
    ///
    /// ```text
    /// w ← c w + d x                        if y w·x < 1; c and d as in ROMMA
    /// ```
    pub(crate) struct Aggressive = "aromma", "as romma, with more and smaller updates";
}

impl RommaVersion for Aggressive {
    const SYMMETRIC: bool = true;

    fn loss(seen: &Seen, target: &Target) -> f64 {
        hinge(target.y * seen.score)
    }
}

/// What ROMMA remembers of w as a whole.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    /// All weights are this times what their cells hold.
    factor: f64,
    /// |w|².
    norm2: f64,
}

impl Default for Line {
    fn default() -> Self {
        Self { factor: 1.0, norm2: 0.0 }
    }
}

impl Remembered for Line {
    #[inline]
    fn is_finite(&self) -> bool {
        self.factor.is_finite() && self.norm2.is_finite()
    }
}

/// w ← keep · w + add · x.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blend {
    keep: f64,
    add: f64,
    seen: Seen,
}

impl Line {
    fn decide(&self, seen: &Seen, y: f64) -> Option<Blend> {
        if seen.norm2 == 0.0 {
            return None;
        }
        if self.norm2 == 0.0 {
            return Some(Blend { keep: 1.0, add: y / seen.norm2, seen: *seen });
        }
        let square = seen.norm2 * self.norm2;
        let d = square - seen.score * seen.score;
        (d > PARALLEL * square).then(|| Blend {
            keep: (square - y * seen.score) / d,
            add: self.norm2 * (y - seen.score) / d,
            seen: *seen,
        })
    }

    #[inline]
    fn weight(&self, cell: &Plain) -> Real {
        self.factor as Real * cell.w
    }

    #[inline]
    fn step(&self, cell: &mut Plain, x: Real, blend: Blend) {
        cell.w += (blend.add / (self.factor * blend.keep)) as Real * x;
    }

    fn tick(&mut self, blend: Option<Blend>) {
        if let Some(Blend { keep, add, seen }) = blend {
            self.factor *= keep;
            self.norm2 = keep * keep * self.norm2 + 2.0 * keep * add * seen.score + add * add * seen.norm2;
        }
    }

    fn rebase(&mut self) -> Option<impl Fn(&mut Plain) + 'static> {
        if FACTORS.contains(&self.factor.abs()) {
            return None;
        }
        let factor = std::mem::replace(&mut self.factor, 1.0);
        Some(move |cell: &mut Plain| cell.w = (f64::from(cell.w) * factor) as Real)
    }
}

impl<V: RommaVersion> About for Romma<V> {
    const NAME: &'static str = V::NAME;
    const FAMILY: Family = Family::Margin;
    const PAPER: &'static str = "Li, Long, The relaxed online maximum margin algorithm (Machine Learning 2002); Zhao et al. 2019, section 4.1";
    const WHEN: &'static str = V::WHEN;
    const COSTS: CostUse = CostUse::Refused("geometry alone decides its step; paum, pa1 and cog1 take costs");
    const MERGING: Merging = Merging::Means;
    const SYMMETRIC: bool = V::SYMMETRIC;
}

impl<V: RommaVersion> Rule for Romma<V> {
    type Cell = Plain;
    type Step = Blend;

    fn fresh(&self) -> Plain {
        Plain { w: 0.0 }
    }

    #[inline]
    fn weight(&self, cell: &Plain) -> Real {
        self.line.weight(cell)
    }

    fn parts(&self, cell: &Plain, parts: &mut [f64]) {
        parts[0] = self.line.factor * f64::from(cell.w);
    }

    fn of_parts(&self, parts: &[f64]) -> Plain {
        Plain { w: (parts[0] / self.line.factor) as Real }
    }

    fn take_stock(&mut self, cells: &mut dyn Iterator<Item = &Plain>) {
        let squares = cells.map(|cell| f64::from(self.weight(cell)).powi(2));
        self.line.norm2 = squares.sum();
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        V::loss(seen, target)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<Blend> {
        if loss > 0.0 { self.line.decide(seen, target.y) } else { None }
    }

    #[inline]
    fn step(&self, cell: &mut Plain, x: Real, _settled: Real, blend: Blend) {
        self.line.step(cell, x, blend);
    }

    fn tick(&mut self, blend: Option<Blend>) {
        self.line.tick(blend);
    }

    fn rebase(&mut self) -> Option<impl Fn(&mut Plain) + 'static> {
        self.line.rebase()
    }
}
