//! Gram-Schmidt after a change of rank one, in O(m²) instead of O(m³).
//!
//! If the rows of F are orthonormal in K, F K F' = I, then in K + c zz' their products are I + c pp' with p = F z. Gram-Schmidt on the rows is
//! F ← L⁻¹F with the Cholesky factor L of that, which is known:
//!
//! ```text
//! a_i = 1 + c (p_1² + … + p_i²)        L_ii = √(a_i / a_i−1)        L_ij = p_i β_j        β_j = c p_j / √(a_j a_j−1)
//! ```
//!
//! So every row needs only a sum over the rows before it.

/// The factor L, and room for a sum.
#[derive(Clone, Debug)]
pub(super) struct RankOne {
    diagonal: Vec<f64>,
    beta: Vec<f64>,
    sum: Vec<f64>,
}

impl RankOne {
    pub(super) fn new(m: usize) -> Self {
        Self { diagonal: vec![1.0; m], beta: vec![0.0; m], sum: vec![0.0; m] }
    }

    /// Makes the rows of F orthonormal again.
    pub(super) fn orthonormalise(&mut self, f: &mut [f64], p: &[f64], c: f64) {
        let m = p.len();
        let mut before = 1.0;
        for ((diagonal, beta), p) in self.diagonal.iter_mut().zip(&mut self.beta).zip(p) {
            let after = before + c * p * p;
            (*diagonal, *beta) = ((after / before).sqrt(), c * p / (after * before).sqrt());
            before = after;
        }
        self.sum.fill(0.0);
        for (((row, p), diagonal), beta) in f.chunks_exact_mut(m).zip(p).zip(&self.diagonal).zip(&self.beta) {
            let shrink = 1.0 / diagonal;
            for (entry, sum) in row.iter_mut().zip(&mut self.sum) {
                *entry = (*entry - p * *sum) * shrink;
                *sum += beta * *entry;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::small::{dot, identity, times};
    use super::*;

    #[test]
    fn it_is_gram_schmidt() {
        const M: usize = 6;
        let (mut f, mut k) = (identity(M), identity(M));
        let (mut rank_one, mut p) = (RankOne::new(M), vec![0.0; M]);
        for round in 0..50 {
            let z: Vec<f64> = (0..M).map(|i| ((round * M + i) as f64 * 0.7).sin()).collect();
            let c = 0.3 + f64::from(round as u32 % 3);
            times(&f, &z, &mut p);
            rank_one.orthonormalise(&mut f, &p, c);
            for (row, a) in k.chunks_exact_mut(M).zip(&z) {
                row.iter_mut().zip(&z).for_each(|(k, b)| *k += c * a * b);
            }
            let mut k_row = [0.0; M];
            for (i, j) in (0..M).flat_map(|i| (0..M).map(move |j| (i, j))) {
                times(&k, &f[j * M..(j + 1) * M], &mut k_row);
                let product = dot(&f[i * M..(i + 1) * M], &k_row);
                let expected = f64::from(u8::from(i == j));
                assert!((product - expected).abs() < 1e-12, "round {round}, {i} {j}: {product}");
                assert!(j <= i || f[i * M + j] == 0.0, "rows are taken in order: F is lower triangular");
            }
        }
    }
}
