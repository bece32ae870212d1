//! Second-order online feature selection.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::cost::CostUse;
use crate::gaussian::{Belief, Denominator, Gaussian};
use crate::keyed_hash::KeyedMap;
use crate::merge::Merging;
use crate::params;
use crate::params::{Remembered, listable, positive_finite};
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};
use crate::table::Table;

use super::arow::regularised;

params! {
    /// Second-order online feature selection: AROW that keeps only the weights it is surest of.
    ///
    /// ```text
    /// loss = max(0, c − y μ·x)             c is the cost of this error, 1 unless declared
    /// μ ← μ + loss y Σx / (x'Σx + r)       if loss > 0
    /// Σ⁻¹ ← Σ⁻¹ + diag(x²) / r             all features of the example, kept or not
    /// μ_j ← 0                              outside the `features` smallest variances
    /// ```
    ///
    /// Equal variances: who is kept stays, then the lower feature number. In the beginning the lowest feature numbers are kept.
    pub(crate) struct Sofs {
        /// How many features are kept, at most 1000000.
        features: u64 = 1000, listable;
        /// Regularisation r: larger makes every step smaller.
        r: f64 = 1.0, positive_finite;
    }
    remembers {
        /// The features that are kept, with their variances.
        kept: Kept;
    }
}

/// Features ordered by variance.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(f64, u32)>", into = "Vec<(f64, u32)>")]
pub(crate) struct Kept {
    ranks: BTreeSet<Rank>,
    variances: KeyedMap<u32, f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Rank(f64, u32);

impl Eq for Rank {}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl From<Vec<(f64, u32)>> for Kept {
    fn from(list: Vec<(f64, u32)>) -> Self {
        let mut kept = Self::default();
        list.into_iter().for_each(|(variance, feature)| kept.insert(variance, feature));
        kept
    }
}

impl From<Kept> for Vec<(f64, u32)> {
    fn from(kept: Kept) -> Self {
        kept.ranks.into_iter().map(|Rank(variance, feature)| (variance, feature)).collect()
    }
}

impl Remembered for Kept {
    fn is_finite(&self) -> bool {
        self.ranks.iter().all(|rank| rank.0.is_finite())
    }
}

impl Kept {
    fn insert(&mut self, variance: f64, feature: u32) {
        if let Some(before) = self.variances.insert(feature, variance) {
            self.ranks.remove(&Rank(before, feature));
        }
        self.ranks.insert(Rank(variance, feature));
    }

    fn remove(&mut self, Rank(variance, feature): Rank) {
        self.ranks.remove(&Rank(variance, feature));
        self.variances.remove(&feature);
    }
}

impl About for Sofs {
    const NAME: &'static str = "sofs";
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str = "Wu, Hoi, Mei, Yu, Large-scale online feature selection for ultra-high dimensional sparse data (TKDD 2017); Tan et al. 2016, section 5";
    const WHEN: &'static str = "a model with a fixed number of features";
    const COSTS: CostUse = CostUse::Margin;
    const MERGING: Merging =
        Merging::Never("which features it keeps depends on the variances of all others at every step");
    const NUMBERED: bool = true;
}

impl Decider for Sofs {
    const SELECTS: bool = true;
    type Cell = Gaussian;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        (target.cost - target.y * seen.score).max(0.0)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<Belief> {
        (loss > 0.0).then(|| regularised(self.r, seen, target, loss, Denominator::Own))
    }

    /// All but the list.
    fn now(&self) -> Self {
        Self { kept: Kept::default(), ..*self }
    }

    /// The list is all that it remembers, and copies do not have it.
    fn take_over(&mut self, _next: Self) {}

    fn select(&mut self, features: &[u32], table: &mut Table<Gaussian>) {
        if self.kept.ranks.is_empty() {
            (0..self.features as u32).for_each(|feature| self.kept.insert(1.0, feature));
        }
        let mut candidates = Vec::new();
        for &feature in features {
            let variance = f64::from(table.get(feature).sigma);
            if self.kept.variances.contains_key(&feature) {
                self.kept.insert(variance, feature);
            } else {
                candidates.push(Rank(variance, feature));
            }
        }
        candidates.sort_unstable();
        for candidate in candidates {
            let dropped = match self.kept.ranks.last() {
                Some(&worst) if candidate.0 < worst.0 => {
                    self.kept.remove(worst);
                    self.kept.insert(candidate.0, candidate.1);
                    worst
                }
                _ => candidate,
            };
            table.set(dropped.1, Gaussian { mu: 0.0, ..*table.get(dropped.1) });
        }
    }
}
