//! Many deltas as one.

use std::iter;

use crate::error::Result;

use super::delta::Delta;
use super::delta_error::DeltaError;

/// The sum of all deltas: neighbours in pairs, and their sums in pairs, until one is left; an odd one waits for the next turn. So a tree that is
/// spread over many machines gives the same bytes, as long as neighbours stay neighbours.
pub fn merge_deltas(deltas: &[Delta]) -> Result<Delta> {
    let mut level: Vec<Delta> = deltas.to_vec();
    while level.len() > 1 {
        let mut below = level.into_iter();
        let pairs = iter::from_fn(|| below.next().map(|delta| (delta, below.next())));
        let sums = pairs.map(|(delta, neighbour)| match neighbour {
            Some(neighbour) => Delta::sum(delta, neighbour),
            None => Ok(delta),
        });
        level = sums.collect::<std::result::Result<_, _>>()?;
    }
    level.pop().ok_or_else(|| DeltaError::Nothing.into())
}
