//! ADWIN2: a window over a stream of losses that is as long as nothing changes (Bifet and Gavaldà, Learning from time-changing data with
//! adaptive windowing, SDM 2007).
//!
//! The window is kept as an exponential histogram: buckets of 1, 2, 4, ... losses, at most six of each size, of which only sums are known.
//! Wherever two buckets meet, the older part of the window can be compared with the newer one:
//!
//! ```text
//! ε = √(2 m v d) + 2/3 m d        m = 1/n₀ + 1/n₁,  d = ln(2 ln(n) / δ),  v the variance of the window
//! ```
//!
//! If the means differ by more than ε, all that is older is dropped. A window of n losses takes O(log n) memory, and a loss O(1) time but for
//! a look at all splits, O(log n), every 32 losses.

use serde::{Deserialize, Serialize};

/// So many buckets of one size, and one more until the two oldest become one.
const BUCKETS_OF_A_SIZE: usize = 5;

/// Losses between two looks at the window.
const LOOK_EVERY: u64 = 32;

/// Neither part of a split is shorter than this: the bound is one for many.
const SHORTEST: f64 = 16.0;

/// Some losses in a row, of which only sums are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sums {
    count: f64,
    losses: f64,
    squares: f64,
}

impl Sums {
    fn plus(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            losses: self.losses + other.losses,
            squares: self.squares + other.squares,
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            count: self.count - other.count,
            losses: self.losses - other.losses,
            squares: self.squares - other.squares,
        }
    }

    fn mean(self) -> f64 {
        if self.count > 0.0 { self.losses / self.count } else { 0.0 }
    }

    fn variance(self) -> f64 {
        (self.squares / self.count - self.mean() * self.mean()).max(0.0)
    }
}

/// The loss has become larger, not by chance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Increase {
    /// The mean loss of the part of the window that was dropped.
    pub before: f64,
    /// The mean loss since then.
    pub after: f64,
    /// How many losses ago that began.
    pub window: u64,
}

/// A window over the newest losses, which are between 0 and 1. All of it can be stored, and goes on as if nothing had been.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adwin {
    delta: f64,
    /// Losses so far.
    seen: u64,
    /// Buckets of 1, 2, 4, ... losses; of a size the oldest first.
    sizes: Vec<Vec<Sums>>,
}

impl Adwin {
    /// An empty window. The smaller `delta`, the fewer false alarms and the later the true ones; it is brought between 1e-300 and 0.5.
    pub fn new(delta: f64) -> Self {
        let delta = if delta > 1e-300 { delta.min(0.5) } else { 1e-300 };
        Self { delta, seen: 0, sizes: Vec::new() }
    }

    /// How many losses are in the window.
    pub fn width(&self) -> u64 {
        self.whole().count as u64
    }

    /// Their mean; 0 if there are none.
    pub fn mean(&self) -> f64 {
        self.whole().mean()
    }

    /// Adds a loss; what is not between 0 and 1 counts as the nearer of them. Says so if the losses have increased. That they decrease shortens the
    /// window too, but is no reason for alarm.
    pub fn add(&mut self, loss: f64) -> Option<Increase> {
        // NaN is not below anything.
        let loss = if loss < 1.0 { loss.max(0.0) } else { 1.0 };
        self.push(Sums { count: 1.0, losses: loss, squares: loss * loss });
        self.seen = self.seen.saturating_add(1);
        if !self.seen.is_multiple_of(LOOK_EVERY) {
            return None;
        }
        let mut increase = None;
        while let Some((older, newer)) = self.split() {
            self.drop_oldest(older.count);
            let (before, after) = (older.mean(), newer.mean());
            if after > before {
                increase = increase.or(Some(Increase { before, after, window: newer.count as u64 }));
            }
        }
        increase
    }

    /// Adds a bucket of one loss; where there are too many of a size, the two oldest become one of the next.
    fn push(&mut self, mut bucket: Sums) {
        for size in 0.. {
            if size == self.sizes.len() {
                self.sizes.push(Vec::new());
            }
            let buckets = &mut self.sizes[size];
            buckets.push(bucket);
            if buckets.len() <= BUCKETS_OF_A_SIZE {
                return;
            }
            bucket = buckets[0].plus(buckets[1]);
            buckets.drain(..2);
        }
    }

    /// All buckets, the oldest first.
    fn oldest_first(&self) -> impl Iterator<Item = &Sums> {
        self.sizes.iter().rev().flatten()
    }

    /// Added up each time, so that no rounding adds up.
    fn whole(&self) -> Sums {
        self.oldest_first().fold(Sums::default(), |sum, bucket| sum.plus(*bucket))
    }

    /// The split of the window that is least likely to be one by chance, if there is one that is not.
    fn split(&self) -> Option<(Sums, Sums)> {
        let whole = self.whole();
        let d = (2.0 * whole.count.ln().max(1.0) / self.delta).ln();
        let (mut older, mut best, mut most) = (Sums::default(), None, 1.0);
        for bucket in self.oldest_first() {
            older = older.plus(*bucket);
            let newer = whole.minus(older);
            if newer.count < SHORTEST {
                break;
            }
            if older.count < SHORTEST {
                continue;
            }
            let m = 1.0 / older.count + 1.0 / newer.count;
            let bound = (2.0 * m * whole.variance() * d).sqrt() + 2.0 / 3.0 * m * d;
            let beyond = (older.mean() - newer.mean()).abs() / bound;
            if beyond > most {
                (best, most) = (Some((older, newer)), beyond);
            }
        }
        best
    }

    /// Drops buckets until so many losses are gone.
    fn drop_oldest(&mut self, count: f64) {
        let mut left = count;
        while left > 0.0 {
            while self.sizes.last().is_some_and(Vec::is_empty) {
                self.sizes.pop();
            }
            let Some(largest) = self.sizes.last_mut() else { return };
            left -= largest.remove(0).count;
        }
    }
}
