//! In which order examples in memory are visited.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// The order of the rows in one pass after another: that of the data, or with a seed a new random one for each pass.
pub struct PassOrder {
    rows: Vec<usize>,
    random: Option<Pcg64>,
}

impl PassOrder {
    /// The order of the first pass over so many rows.
    pub fn new(rows: usize, seed: Option<u64>) -> Self {
        let mut first = Self { rows: (0..rows).collect(), random: seed.map(Pcg64::seed_from_u64) };
        first.next_pass();
        first
    }

    /// The rows of this pass.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Goes on to the next pass.
    pub fn next_pass(&mut self) {
        if let Some(random) = &mut self.random {
            self.rows.shuffle(random);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pass_has_its_own_order_of_all_rows() {
        let mut order = PassOrder::new(100, Some(7));
        let first = order.rows().to_vec();
        assert_eq!(first, PassOrder::new(100, Some(7)).rows());
        order.next_pass();
        let mut second = order.rows().to_vec();
        assert_ne!(first, second);
        second.sort_unstable();
        assert_eq!(second, PassOrder::new(100, None).rows());
    }
}
