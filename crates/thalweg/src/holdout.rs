//! Examples that are never learned from, so that figures are honest in every pass.

/// A share of the examples, evenly spread over the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Holdout {
    share: f64,
}

impl Holdout {
    /// Holds out this share of the examples, which is between 0 and 1.
    pub(crate) fn new(share: f64) -> Self {
        Self { share }
    }

    /// Is the example with this place in the data held out?
    pub(crate) fn holds(self, ordinal: u64) -> bool {
        let held_before = |examples: u64| (examples as f64 * self.share).floor();
        held_before(ordinal.saturating_add(1)) > held_before(ordinal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_held_out_and_spread_evenly() {
        let held = |share: f64, of: u64| (0..of).filter(|i| Holdout::new(share).holds(*i)).count();
        assert_eq!((held(0.1, 1000), held(0.3, 1000), held(0.5, 10), held(0.001, 999)), (100, 300, 5, 0));
        let every_tenth: Vec<u64> = (0..40).filter(|i| Holdout::new(0.1).holds(*i)).collect();
        assert_eq!(every_tenth, [9, 19, 29, 39]);
    }
}
