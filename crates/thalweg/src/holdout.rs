//! Examples that are never learned from, so that figures are honest in every pass.

use thalweg_core::random::scramble;

/// A share of the examples, spread over the data: of every so many in a row one, at a random place among them. Always the same place would be that
/// of always the same weekday, say, in data that has a rhythm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Holdout {
    share: f64,
}

impl Holdout {
    /// Holds out this share of the examples, which is between 0 and 1.
    pub fn new(share: f64) -> Self {
        Self { share }
    }

    /// Is the example with this place in the data held out?
    pub fn holds(self, ordinal: u64) -> bool {
        let row = self.row_of(ordinal);
        let (start, end) = (self.start_of(row), self.start_of(row.saturating_add(1)));
        ordinal - start == scramble(row) % (end - start).max(1)
    }

    /// Where a row begins: at the first place that is in it.
    fn start_of(self, row: u64) -> u64 {
        let mut start = (row as f64 / self.share) as u64;
        // The quotient may be off by its rounding.
        while start > 0 && self.row_of(start - 1) >= row {
            start -= 1;
        }
        while self.row_of(start) < row {
            start += 1;
        }
        start
    }

    /// In which row of examples one is, of which one is held out.
    fn row_of(self, ordinal: u64) -> u64 {
        (ordinal as f64 * self.share) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held_out(share: f64, of: u64) -> Vec<u64> {
        (0..of).filter(|i| Holdout::new(share).holds(*i)).collect()
    }

    #[test]
    fn the_share_is_held_out_and_spread_over_the_data() {
        for share in [0.001, 0.1, 0.15, 0.3, 0.5, 0.77, 0.98] {
            let held = held_out(share, 10_000);
            assert!((held.len() as f64 - 10_000.0 * share).abs() <= 1.0, "{share}: {}", held.len());
            let widest = held.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
            assert!(widest as f64 <= 2.0 / share + 1.0, "{share}: {widest}");
        }
    }

    #[test]
    fn data_with_a_rhythm_is_held_out_in_all_of_its_beats() {
        let mut beats = [0; 10];
        held_out(0.1, 10_000).iter().for_each(|place| beats[(place % 10) as usize] += 1);
        assert!(beats.iter().all(|count| (70..130).contains(count)), "{beats:?}");
    }
}
