//! Vectors and square matrices of the size of a sketch (a handful), row after row.

/// a·b, in four sums that can be added up at once.
#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        sums.iter_mut().zip(a).zip(b).for_each(|((sum, a), b)| *sum += a * b);
    }
    let rest = a_rest.iter().zip(b_rest).fold(0.0, |sum, (a, b)| sum + a * b);
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// The m × m identity.
pub(super) fn identity(m: usize) -> Vec<f64> {
    (0..m * m).map(|at| f64::from(u8::from(at / m == at % m))).collect()
}

/// y ← M x.
#[inline]
pub(super) fn times(matrix: &[f64], x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(matrix.chunks_exact(x.len())).for_each(|(y, row)| *y = dot(row, x));
}

/// The part of a direction that is known, of which so much was seen: tΛH = tΛ / (1 + tΛ).
#[inline]
pub(super) fn gain(seen: f64) -> f64 {
    seen / (1.0 + seen)
}
