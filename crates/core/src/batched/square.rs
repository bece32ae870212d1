//! Symmetric matrices with both triangles, so that every row is contiguous: what products with sparse rows want. Always
//! f64: they are inverted.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::solvers::DenseSolveCore;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par, Side};
use pulp::{Arch, NullaryFnOnce};
use serde::{Deserialize, Serialize};

use super::examples::{Rows, Sparse};

/// A symmetric matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub struct Square {
    size: usize,
    entries: Vec<f64>,
}

/// Of three ways to add up x x' (s of d values are not zero), measured on one machine: a product of unfolded rows is the
/// fastest from s²/d² = 1/8 on, unfolding one row at a time from s/d = 1/8 on, and entry by entry below that.
const DENSE: usize = 8;

/// So many rows are unfolded at a time: enough for the product to run at full speed.
const PANEL: usize = 512;

impl Square {
    /// Bytes that a matrix of this size needs, with one more of its kind for the inverse.
    pub(crate) fn bytes(size: usize) -> u64 {
        (size as u64).saturating_pow(2).saturating_mul(2 * size_of::<f64>() as u64)
    }

    /// The identity.
    pub fn identity(size: usize) -> Self {
        let mut matrix = Self { size, entries: vec![0.0; size * size] };
        (0..size).for_each(|i| matrix.entries[i * size + i] = 1.0);
        matrix
    }

    /// The matrix with these entries; only those on and below the diagonal are asked for.
    pub fn of(size: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut matrix = Self { size, entries: vec![0.0; size * size] };
        for i in 0..size {
            (0..=i).for_each(|j| matrix.entries[i * size + j] = entry(i, j));
        }
        matrix.mirror();
        matrix
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// One entry.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.size + j]
    }

    /// Row `i`, which is also column `i`.
    #[inline]
    fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.size..(i + 1) * self.size]
    }

    /// Is every entry finite?
    pub fn is_finite(&self) -> bool {
        self.entries.iter().all(|entry| entry.is_finite())
    }

    /// z ← M x.
    #[inline(always)]
    pub fn multiply(&self, x: Sparse, z: &mut [f64]) {
        z.fill(0.0);
        // Four rows at a time: z is read and written once for all of them.
        let (columns, four) = x.columns.as_chunks::<4>();
        let (values, rest) = x.values.as_chunks::<4>();
        for (columns, values) in columns.iter().zip(values) {
            let [a, b, c, d] = columns.map(|column| self.row(column as usize));
            let [xa, xb, xc, xd] = values.map(f64::from);
            for ((((z, a), b), c), d) in z.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *z += (a * xa + b * xb) + (c * xc + d * xd);
            }
        }
        for (&column, &x) in four.iter().zip(rest) {
            z.iter_mut().zip(self.row(column as usize)).for_each(|(z, m)| *z += m * f64::from(x));
        }
    }

    /// x'Mx.
    pub fn quadratic(&self, x: Sparse) -> f64 {
        x.iter().fold(0.0, |sum, (i, xi)| sum + xi * x.dot(self.row(i)))
    }

    /// Copies the lower triangle to the upper one.
    fn mirror(&mut self) {
        for i in 0..self.size {
            for j in 0..i {
                self.entries[j * self.size + i] = self.entries[i * self.size + j];
            }
        }
    }

    fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice(&self.entries, self.size, self.size)
    }

    fn view_mut(&mut self) -> MatMut<'_, f64> {
        MatMut::from_row_major_slice_mut(&mut self.entries, self.size, self.size)
    }

    /// M ← M + c X'X.
    pub fn add_gram(&mut self, rows: &Rows, c: f64) {
        let squares: usize = rows.iter().map(|row| row.columns.len().pow(2)).sum();
        if squares >= rows.len() * self.size.pow(2) / DENSE {
            self.add_dense_gram(rows, c);
        } else if rows.nonzeros() >= rows.len() * self.size / DENSE {
            Arch::new().dispatch(UnfoldedRows { matrix: self, rows, c });
        } else {
            for row in rows.iter() {
                for (end, (i, xi)) in row.iter().enumerate() {
                    let below = Sparse { columns: &row.columns[..=end], values: &row.values[..=end] };
                    let at = i * self.size;
                    below.add_to(&mut self.entries[at..at + self.size], c * xi);
                }
            }
        }
        self.mirror();
    }

    fn add_dense_gram(&mut self, rows: &Rows, c: f64) {
        let size = self.size;
        let mut panel = vec![0.0; size * PANEL.min(rows.len())];
        for start in (0..rows.len()).step_by(PANEL) {
            let count = PANEL.min(rows.len() - start);
            let panel = &mut panel[..size * count];
            panel.fill(0.0);
            for (i, home) in panel.chunks_exact_mut(size).enumerate() {
                rows.row(start + i).iter().for_each(|(column, x)| home[column] = x);
            }
            let columns = MatRef::from_column_major_slice(panel, size, count);
            // Row-major, so that "lower" means the same here and in `mirror`.
            let lower = BlockStructure::TriangularLower;
            let all = BlockStructure::Rectangular;
            matmul(self.view_mut(), lower, Accum::Add, columns, all, columns.transpose(), all, c, Par::Seq);
        }
    }

    /// M⁻¹ of a positive definite matrix; none if it is not finite.
    pub fn inverse(&self) -> Option<Self> {
        if !self.is_finite() {
            return None;
        }
        let inverse = if let Ok(root) = self.view().llt(Side::Lower) {
            root.inverse()
        } else {
            // Rounding has made it indefinite. Its eigenvalues are known to be positive: those that are not are noise,
            // and as small as the noise.
            let eigen = self.view().self_adjoint_eigen(Side::Lower).ok()?;
            let (values, vectors) = (eigen.S().column_vector(), eigen.U());
            let largest = values.iter().fold(0.0, |most: f64, value| most.max(*value));
            let mut scaled = vectors.to_owned();
            for j in 0..self.size {
                let value = values[j].max(largest * f64::EPSILON);
                scaled.col_mut(j).iter_mut().for_each(|entry| *entry /= value);
            }
            scaled * vectors.transpose()
        };
        let inverse = Self::of(self.size, |i, j| inverse[(i, j)]);
        inverse.is_finite().then_some(inverse)
    }

    /// (M⁻¹ + c X'X)⁻¹, the covariance after a batch (Tan et al. 2016, equation 6); none if it is not finite.
    pub fn tightened(&self, rows: &Rows, c: f64) -> Option<Self> {
        // Of no features, as of no examples, nothing is learned.
        if self.size == 0 || rows.nonzeros() == 0 {
            return Some(self.clone());
        }
        // Two inverses of d × d, or one root of n × n and products of n × d.
        if 2 * rows.len() < self.size {
            self.tightened_by_woodbury(rows, c)
        } else {
            self.tightened_directly(rows, c)
        }
    }

    fn tightened_directly(&self, rows: &Rows, c: f64) -> Option<Self> {
        let mut precision = self.inverse()?;
        precision.add_gram(rows, c);
        precision.inverse()
    }

    /// M − M X' (I/c + X M X')⁻¹ X M.
    fn tightened_by_woodbury(&self, rows: &Rows, c: f64) -> Option<Self> {
        let (n, size) = (rows.len(), self.size);
        let mut products = vec![0.0; n * size];
        products.chunks_exact_mut(size).zip(rows.iter()).for_each(|(z, x)| self.multiply(x, z));
        let inner = Self::of(n, |i, j| {
            rows.row(i).dot(&products[j * size..(j + 1) * size]) + if i == j { 1.0 / c } else { 0.0 }
        });
        let Ok(root) = inner.view().llt(Side::Lower) else { return self.tightened_directly(rows, c) };
        let half = MatMut::from_row_major_slice_mut(&mut products, n, size);
        solve_lower_triangular_in_place(root.L(), half, Par::Seq);
        let half = MatRef::from_row_major_slice(&products, n, size);
        let (lower, all) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        let mut tightened = self.clone();
        matmul(tightened.view_mut(), lower, Accum::Add, half.transpose(), all, half, all, -1.0, Par::Seq);
        tightened.mirror();
        tightened.is_finite().then_some(tightened)
    }
}

/// Adds c x x' to the lower triangle, row by row, with the vector instructions that there are.
struct UnfoldedRows<'a> {
    matrix: &'a mut Square,
    rows: &'a Rows,
    c: f64,
}

impl NullaryFnOnce for UnfoldedRows<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { matrix: Square { size, entries }, rows, c } = self;
        let mut unfolded = vec![0.0; *size];
        for row in rows.iter() {
            row.iter().for_each(|(column, x)| unfolded[column] = x);
            for (i, xi) in row.iter() {
                let below = &mut entries[i * *size..=i * *size + i];
                below.iter_mut().zip(&unfolded).for_each(|(m, x)| *m += c * xi * x);
            }
            row.iter().for_each(|(column, _)| unfolded[column] = 0.0);
        }
    }
}

/// One triangle is enough in a file.
impl From<Square> for Vec<f64> {
    fn from(matrix: Square) -> Self {
        (0..matrix.size).flat_map(|i| matrix.row(i)[..=i].to_vec()).collect()
    }
}

impl TryFrom<Vec<f64>> for Square {
    type Error = &'static str;

    fn try_from(triangle: Vec<f64>) -> Result<Self, Self::Error> {
        let size = (triangle.len() * 2).isqrt();
        if size * (size + 1) / 2 != triangle.len() || !triangle.iter().all(|entry| entry.is_finite()) {
            return Err("not a triangle of finite numbers");
        }
        Ok(Self::of(size, |i, j| triangle[i * (i + 1) / 2 + j]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Real;

    fn rows(width: usize, values: &[Vec<Option<f64>>]) -> Rows {
        let mut rows = Rows::default();
        for row in values {
            let row = row[..width].iter().enumerate();
            rows.push(row.filter_map(|(j, x)| Some((j as u32, (*x)? as Real))));
        }
        rows
    }

    fn close(a: &Square, b: &Square) -> bool {
        a.entries.iter().zip(&b.entries).all(|(a, b)| (a - b).abs() < 1e-10)
    }

    proptest! {
        #[test]
        fn all_ways_to_a_covariance_agree(
            width in 1..20usize,
            first in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.7, -1.0..1.0f64), 20), 1..15),
            second in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.2, -1.0..1.0f64), 20), 1..15),
        ) {
            let (first, second) = (rows(width, &first), rows(width, &second));
            let start = Square::identity(width).tightened(&first, 0.7).unwrap();
            let direct = start.tightened_directly(&second, 0.3).unwrap();
            prop_assert!(close(&direct, &start.tightened_by_woodbury(&second, 0.3).unwrap()));
            // (Σ⁻¹ + c X'X) Σ' = I, entry by entry.
            let mut precision = start.inverse().unwrap();
            for row in second.iter() {
                let of = |column: usize| row.iter().find(|(j, _)| *j == column).map_or(0.0, |(_, x)| x);
                let added = Square::of(width, |i, j| precision.at(i, j) + 0.3 * of(i) * of(j));
                precision = added;
            }
            let product = |i: usize, j: usize| (0..width).map(|k| precision.at(i, k) * direct.at(k, j)).sum::<f64>();
            for i in 0..width {
                for j in 0..width {
                    prop_assert!((product(i, j) - f64::from(u8::from(i == j))).abs() < 1e-9);
                }
            }
            let mut dense = Square::identity(width);
            dense.add_dense_gram(&second, 0.3);
            dense.mirror();
            let mut sparse = Square::identity(width);
            sparse.add_gram(&second, 0.3);
            prop_assert!(close(&dense, &sparse));
            let mut z = vec![1.0; width];
            direct.multiply(first.row(0), &mut z);
            prop_assert!((first.row(0).dot(&z) - direct.quadratic(first.row(0))).abs() < 1e-10);
        }
    }

    #[test]
    fn nothing_is_learned_from_nothing() {
        let empty = Square::identity(0);
        assert_eq!(empty.tightened(&rows(0, &[vec![], vec![]]), 1.0), Some(empty));
        let some = Square::identity(2);
        assert_eq!(some.tightened(&rows(2, &[vec![None, None]]), 1.0), Some(some));
    }

    #[test]
    fn rounding_does_not_make_an_inverse_fail() {
        let mut matrix = Square::identity(3);
        matrix.add_gram(&rows(3, &[vec![Some(1e30), Some(-1e30), Some(1.0)]]), 1.0);
        let inverse = matrix.inverse().unwrap();
        assert!(inverse.entries.iter().all(|entry| entry.is_finite()));
    }
}
