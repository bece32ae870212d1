//! What is typical of features to several, as what is typical of them to one.
//!
//! After n occurrences a mean still has the share `kept` of what it was after m, whatever came since. So what came since is known, and what several have
//! seen is the mean of that over their occurrences: it takes the place that as many occurrences would have taken in one stream.

use thalweg_core::merge::Numbering;
use thalweg_core::table::Table;
use thalweg_core::{BIAS, Real};

use super::super::unit_length::Lengths;
use super::{MOST, Moments, NEVER, NOTHING, SLOWEST, Size, TypicalValues};
use crate::prepare::merging::{ScaleGain, gain_of_table};

/// What is left of a mean of `before` occurrences after so many in all.
fn kept(before: f64, occurrences: f64) -> f64 {
    if before == 0.0 {
        return 0.0;
    }
    let longest = 1.0 / f64::from(SLOWEST);
    let while_all_count_alike = (before / occurrences.min(longest)).min(1.0);
    let later = (occurrences - before.max(longest)).max(0.0);
    while_all_count_alike * (1.0 - f64::from(SLOWEST)).powf(later)
}

/// The gain of means that were these after so many occurrences: how many have come, and their sums.
fn gain_of_means<const N: usize>(
    (occurrences, now): (u32, [f64; N]),
    (known, before): (u32, [f64; N]),
    gain: &mut [f64],
) -> bool {
    // Fewer than before: the feature was forgotten, and has come again.
    let known = if occurrences < known { 0.0 } else { f64::from(known) };
    let new = f64::from(occurrences) - known;
    if new == 0.0 {
        return false;
    }
    let kept = kept(known, f64::from(occurrences));
    gain[0] = new;
    for ((gain, now), before) in gain[1..].iter_mut().zip(now).zip(before) {
        *gain = new * ((now - kept * before) / (1.0 - kept));
    }
    true
}

/// Means after so many occurrences, with a gain.
fn with_gain<const N: usize>(known: u32, before: [f64; N], gain: &[f64]) -> Option<(u32, [f64; N])> {
    let (new, sums) = gain.split_first()?;
    if *new < 0.5 || sums.len() != N {
        return None;
    }
    let occurrences = f64::from(known) + new;
    let kept = kept(f64::from(known), occurrences);
    let mut means = before;
    means.iter_mut().zip(sums).for_each(|(mean, sum)| *mean = kept * *mean + (1.0 - kept) * (sum / new));
    Some((occurrences.min(f64::from(MOST)) as u32, means))
}

impl Size {
    fn means(&self) -> (u32, [f64; 1]) {
        (self.occurrences, [f64::from(self.size)])
    }
}

impl Moments {
    /// The mean and the mean square.
    fn means(&self) -> (u32, [f64; 2]) {
        let mean = f64::from(self.mean);
        (self.occurrences, [mean, f64::from(self.spread) + mean * mean])
    }
}

impl TypicalValues {
    /// What has become typical since a base.
    pub(crate) fn gain(&self, base: &Self, numbering: &dyn Numbering) -> ScaleGain {
        let sizes = gain_of_table(&self.sizes, &base.sizes, 2, numbering, |now, before, gain| {
            gain_of_means(now.means(), before.means(), gain)
        });
        let moments = gain_of_table(&self.moments, &base.moments, 3, numbering, |now, before, gain| {
            gain_of_means(now.means(), before.means(), gain)
        });
        let mut gain = ScaleGain::of(sizes);
        gain.sums.set_common(vec![self.examples.saturating_sub(base.examples) as f64]);
        (gain.moments, gain.lengths) = (moments, self.lengths.to_number());
        gain
    }

    /// Takes in what has become typical to others.
    pub(crate) fn take_in(&mut self, gain: &ScaleGain) -> Option<()> {
        self.lengths = self.lengths.joined(Lengths::from_number(gain.lengths)?);
        self.examples = self.examples.saturating_add(gain.sums.common().first().copied()? as u64);
        if self.lengths == Lengths::One {
            // They are left as they are, and nobody looks at their sizes any more.
            (self.sizes, self.moments) = (Table::new(NEVER), Table::new(NOTHING));
            return Some(());
        }
        for (feature, sums) in gain.sums.features().filter(|(feature, _)| *feature != BIAS) {
            let (known, before) = self.sizes.get(feature).means();
            let (occurrences, [size]) = with_gain(known, before, sums)?;
            let size = Size { occurrences, size: size as Real };
            self.sizes.set(feature, Some(size).filter(|size| size.is_possible() && size.size.is_finite())?);
        }
        for (feature, sums) in gain.moments.features().filter(|(feature, _)| *feature != BIAS) {
            let (known, before) = self.moments.get(feature).means();
            let (occurrences, [mean, square]) = with_gain(known, before, sums)?;
            let spread = (square - mean * mean).max(0.0) as Real;
            let moments = Moments { occurrences, mean: mean as Real, spread };
            self.moments.set(feature, Some(moments).filter(Moments::is_possible)?);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means of values in order, at the rates of a stream.
    fn mean_of(values: impl Iterator<Item = f64>) -> (u32, f64) {
        values.fold((0, 0.0), |(n, mean), x| {
            let rate = (1.0 / f64::from(n + 1)).max(f64::from(SLOWEST));
            (n + 1, mean + (x - mean) * rate)
        })
    }

    #[test]
    fn shards_have_the_mean_of_one_stream() {
        for (known, new, tolerance) in
            [(0, 40, 1e-9), (100, 900, 1e-9), (9_000, 800, 1e-9), (50_000, 8_000, 0.02)]
        {
            let value = |i: u32| f64::from(1 + i / 7 % 5) + if i < known { 0.0 } else { 3.0 };
            let base = mean_of((0..known).map(value));
            let mut sum = [0.0; 2];
            for shard in 0..8 {
                let own = (known..known + new).filter(|i| i % 8 == shard);
                let (n, mean) = mean_of((0..known).chain(own).map(value));
                let mut gain = [0.0; 2];
                assert!(gain_of_means((n, [mean]), (base.0, [base.1]), &mut gain));
                sum.iter_mut().zip(gain).for_each(|(sum, gain)| *sum += gain);
            }
            let (n, [merged]) = with_gain(base.0, [base.1], &sum).unwrap();
            let (all, sequential) = mean_of((0..known + new).map(value));
            assert_eq!(n, all);
            assert!((merged - sequential).abs() < tolerance, "{known} {new}: {merged} {sequential}");
        }
    }
}
