//! The Cholesky factor L of a matrix K = LL' that grows by products zz'.
//!
//! K itself would hold the square of what L holds: half of its digits would be lost to the largest numbers.
//!
//! L is lower triangular and stored by column; its inverse is lower triangular too, and stored by row.

/// L with LL' + zz' in place of LL', by one rotation for each column: O(m²). Uses z up.
#[inline]
pub(super) fn grow(factor: &mut [f64], z: &mut [f64]) {
    let m = z.len();
    for (j, column) in factor.chunks_exact_mut(m).enumerate() {
        let (first, z_below) = z[j..].split_at_mut(1);
        let (diagonal, below) = column[j..].split_at_mut(1);
        let square = first[0] * first[0];
        // Nothing, or so little that its square would be nothing, or have few digits.
        if square < f64::MIN_POSITIVE {
            continue;
        }
        let length = (diagonal[0] * diagonal[0] + square).sqrt();
        let (cosine, sine) = (diagonal[0] / length, first[0] / length);
        diagonal[0] = length;
        for (entry, z) in below.iter_mut().zip(z_below) {
            (*entry, *z) = (cosine * *entry + sine * *z, cosine * *z - sine * *entry);
        }
    }
}

/// L⁻¹, O(m³), with a row of zeros where the diagonal of L is 0.
pub(super) fn invert(factor: &[f64], inverse: &mut [f64], m: usize) {
    for i in 0..m {
        let (done, rest) = inverse.split_at_mut(i * m);
        let row = &mut rest[..m];
        row.fill(0.0);
        let diagonal = factor[i * m + i];
        if diagonal == 0.0 {
            continue;
        }
        row[i] = 1.0;
        for (j, other) in done.chunks_exact(m).enumerate() {
            let entry = factor[j * m + i];
            row[..=j].iter_mut().zip(other).for_each(|(sum, other)| *sum -= entry * other);
        }
        row[..=i].iter_mut().for_each(|entry| *entry /= diagonal);
    }
}

#[cfg(test)]
mod tests {
    use super::super::small::{dot, identity, times};
    use super::*;

    const M: usize = 5;

    /// Factor and inverse of I + Σ zz' for products that lie almost on one line and differ in size by many digits.
    fn grown(z: impl Fn(usize, usize) -> f64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let (mut factor, mut inverse, mut k) = (identity(M), identity(M), identity(M));
        for round in 0..40 {
            let mut z: Vec<f64> = (0..M).map(|i| z(round, i)).collect();
            for (row, a) in k.chunks_exact_mut(M).zip(&z) {
                row.iter_mut().zip(&z).for_each(|(k, b)| *k += a * b);
            }
            grow(&mut factor, &mut z);
        }
        invert(&factor, &mut inverse, M);
        (factor, inverse, k)
    }

    #[test]
    fn it_is_the_factor_of_the_sum() {
        let (factor, inverse, k) = grown(|round, i| ((round * M + i) as f64 * 0.7).sin());
        for (i, j) in (0..M).flat_map(|i| (0..M).map(move |j| (i, j))) {
            let product: f64 = factor.chunks_exact(M).map(|column| column[i] * column[j]).sum();
            assert!((product - k[i * M + j]).abs() < 1e-12, "{i} {j}: {product}");
            assert!(i >= j || factor[j * M + i] == 0.0, "lower triangular");
            let one: f64 = (0..M).map(|p| inverse[i * M + p] * factor[j * M + p]).sum();
            assert!((one - f64::from(u8::from(i == j))).abs() < 1e-12, "{i} {j}: {one}");
        }
    }

    #[test]
    fn numbers_whose_squares_are_nothing_do_no_harm() {
        for tiny in [0.0, 1e-300, 1e-160, 1e-153] {
            let mut factor = vec![0.0; 4];
            for mut z in [[tiny, 1.0], [0.5, -0.25], [0.25, tiny]] {
                grow(&mut factor, &mut z);
            }
            // Of the sum 0.3125, −0.125, 1.0625.
            let expected = [0.3125f64.sqrt(), -0.125 / 0.3125f64.sqrt(), 0.0, (1.0625 - 0.05f64).sqrt()];
            assert!(factor.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{tiny}: {factor:?}");
        }
    }

    #[test]
    fn a_direction_of_nothing_stays_one() {
        let (mut factor, mut inverse) = (vec![0.0; M * M], vec![0.0; M * M]);
        for round in 0..10 {
            let mut z: Vec<f64> =
                (0..M).map(|i| if i == 2 { 0.0 } else { ((round * M + i) as f64).cos() }).collect();
            grow(&mut factor, &mut z);
        }
        invert(&factor, &mut inverse, M);
        let mut y = [0.0; M];
        times(&inverse, &[1.0; M], &mut y);
        assert!(y.iter().all(|y| y.is_finite()) && y[2] == 0.0);
        assert!(dot(&factor[2 * M..3 * M], &[1.0; M]) == 0.0);
    }
}
