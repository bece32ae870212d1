//! Many deltas as one.

use crate::error::Result;

use super::delta::Delta;
use super::delta_error::DeltaError;

/// The sum of all deltas: neighbours in pairs, and their sums in pairs, until one is left; an odd one waits for the next turn. So a tree that is
/// spread over many machines gives the same bytes, as long as neighbours stay neighbours.
pub fn merge_deltas(deltas: &[Delta]) -> Result<Delta> {
    let mut level: Vec<Delta> = deltas.to_vec();
    while level.len() > 1 {
        let pairs = level.chunks(2);
        level = pairs
            .map(|pair| match pair {
                [a, b] => a.plus(b),
                rest => Ok(rest[0].clone()),
            })
            .collect::<Result<_>>()?;
    }
    level.pop().ok_or_else(|| DeltaError::Nothing.into())
}
