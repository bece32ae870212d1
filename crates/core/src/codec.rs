//! The form of what is known of features in a model file: their number, their indices, and then their cells, little-endian.
//!
//! A feature has one cell, or one for each class. Learners that are not per feature write numbers in place of cells.

use crate::cell::{Cell, Number};
use crate::learner::StateError;

fn misfit() -> StateError {
    StateError::new("cells")
}

/// Appends features and their cells, as many for each.
pub(crate) fn write_cells<'a, C: Cell>(rows: impl Iterator<Item = (u32, &'a [C])>, out: &mut Vec<u8>) {
    let (start, mut count, mut all_cells) = (out.len(), 0u64, Vec::new());
    out.extend_from_slice(&count.to_le_bytes());
    for (feature, cells) in rows {
        count += 1;
        feature.write(out);
        cells.iter().for_each(|cell| cell.write(&mut all_cells));
    }
    out[start..start + size_of::<u64>()].copy_from_slice(&count.to_le_bytes());
    out.append(&mut all_cells);
}

/// The features that [`write_cells`] wrote.
pub(crate) fn read_features(bytes: &[u8]) -> Result<impl Iterator<Item = u32>, StateError> {
    let (features, _) = split_features(bytes)?;
    Ok(features.chunks_exact(u32::BYTES).map(u32::read))
}

/// Reads what [`write_cells`] wrote with so many cells for each feature, and hands over one feature after the other.
pub(crate) fn read_cells<C: Cell>(
    bytes: &[u8],
    per_feature: usize,
    mut store: impl FnMut(u32, &[C]),
) -> Result<(), StateError> {
    let (features, cells) = split_features(bytes)?;
    let row = per_feature.checked_mul(C::BYTES).ok_or_else(misfit)?;
    let count = features.len() / u32::BYTES;
    if count.checked_mul(row) != Some(cells.len()) || (row == 0 && count > 0) {
        return Err(misfit());
    }
    let mut decoded = Vec::new();
    for (feature, cells) in features.chunks_exact(u32::BYTES).zip(cells.chunks_exact(row.max(1))) {
        decoded.clear();
        decoded.extend(cells.chunks_exact(C::BYTES).map(C::read));
        if !decoded.iter().all(Cell::is_finite) {
            return Err(misfit());
        }
        store(u32::read(feature), &decoded);
    }
    Ok(())
}

/// Appends features, and then numbers.
pub(crate) fn write_numbers<'a>(
    features: &[u32],
    numbers: impl IntoIterator<Item = &'a f64>,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(&(features.len() as u64).to_le_bytes());
    features.iter().for_each(|feature| feature.write(out));
    numbers.into_iter().for_each(|number| number.write(out));
}

/// Reads what [`write_numbers`] wrote. How many numbers there must be is for the caller to say.
pub(crate) fn read_numbers(bytes: &[u8]) -> Result<(Vec<u32>, Vec<f64>), StateError> {
    let (features, numbers) = split_features(bytes)?;
    let features = features.chunks_exact(u32::BYTES).map(u32::read).collect();
    let (whole, rest) = (numbers.chunks_exact(f64::BYTES), numbers.len() % f64::BYTES);
    let numbers: Vec<f64> = whole.map(f64::read).collect();
    if rest > 0 || !numbers.iter().all(|number| number.is_finite()) {
        return Err(misfit());
    }
    Ok((features, numbers))
}

/// Appends what `write` appends, and before it how long that is.
pub fn write_block(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&0u64.to_le_bytes());
    write(out);
    let length = (out.len() - start - size_of::<u64>()) as u64;
    out[start..start + size_of::<u64>()].copy_from_slice(&length.to_le_bytes());
}

/// What [`write_block`] wrote, and the bytes behind it.
pub fn split_block(bytes: &[u8]) -> Result<(&[u8], &[u8]), StateError> {
    let (length, rest) = split_length(bytes)?;
    rest.split_at_checked(length).ok_or_else(misfit)
}

/// The features' bytes, and those behind them.
fn split_features(bytes: &[u8]) -> Result<(&[u8], &[u8]), StateError> {
    let (count, rest) = split_length(bytes)?;
    count.checked_mul(u32::BYTES).and_then(|length| rest.split_at_checked(length)).ok_or_else(misfit)
}

/// A number of things, and the bytes behind it.
fn split_length(bytes: &[u8]) -> Result<(usize, &[u8]), StateError> {
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(misfit)?;
    Ok((usize::try_from(u64::from_le_bytes(*length)).map_err(|_| misfit())?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Real;
    use crate::cell::Plain;

    fn read(bytes: &[u8], per_feature: usize) -> Result<Vec<(u32, Vec<Plain>)>, StateError> {
        let mut rows = Vec::new();
        read_cells(bytes, per_feature, |feature, cells| rows.push((feature, cells.to_vec()))).map(|()| rows)
    }

    #[test]
    fn cells_read_back_and_no_other_number_of_them_does() {
        let cells = [1.0, -2.0, 3.0, 4.0].map(|w| Plain { w });
        let mut bytes = Vec::new();
        write_cells([(7, &cells[..2]), (u32::MAX, &cells[2..])].into_iter(), &mut bytes);
        assert_eq!(read(&bytes, 2), Ok(vec![(7, cells[..2].to_vec()), (u32::MAX, cells[2..].to_vec())]));
        for wrong in [0, 1, 3, usize::MAX] {
            assert_eq!(read(&bytes, wrong), Err(misfit()), "{wrong}");
        }
        (0..bytes.len()).for_each(|end| assert_eq!(read(&bytes[..end], 2), Err(misfit()), "{end}"));
        let end = bytes.len();
        bytes[end - size_of::<Real>()..].copy_from_slice(&Real::NAN.to_le_bytes());
        assert_eq!(read(&bytes, 2), Err(misfit()));
    }

    #[test]
    fn numbers_and_blocks_read_back() {
        let mut bytes = Vec::new();
        write_block(&mut bytes, |out| write_numbers(&[3, 1], &[0.5, 2.0, 4.0], out));
        bytes.push(9);
        let (block, rest) = split_block(&bytes).unwrap();
        assert_eq!(rest, [9]);
        assert_eq!(read_numbers(block), Ok((vec![3, 1], vec![0.5, 2.0, 4.0])));
        assert_eq!(read_numbers(&block[..block.len() - 1]), Err(misfit()));
        assert_eq!(split_block(&bytes[..bytes.len() - 2]), Err(misfit()));
    }
}
