//! A symmetric matrix that grows row by row: one triangle, packed, in f64 whatever the build. (A
//! covariance must stay positive definite through very many rank-one steps; f32 was not tried.)

/// The lower triangle, row after row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symmetric {
    size: usize,
    entries: Vec<f64>,
}

/// A sparse vector costs a walk down one column per entry; with more entries than one in this many, one pass over the
/// whole triangle is cheaper because it is contiguous.
const CONTIGUOUS: usize = 8;

fn row_start(row: usize) -> usize {
    row * (row + 1) / 2
}

impl Symmetric {
    /// Bytes that a matrix of this size needs.
    pub(crate) fn bytes(size: usize) -> u64 {
        size as u64 * (size as u64 + 1) / 2 * size_of::<f64>() as u64
    }

    /// Adds a row and column of zeros with this on the diagonal.
    pub(crate) fn push(&mut self, diagonal: f64) {
        self.entries.resize(row_start(self.size + 1), 0.0);
        self.size += 1;
        let last = self.entries.len() - 1;
        self.entries[last] = diagonal;
    }

    /// Drops all but the first rows and columns.
    pub(crate) fn truncate(&mut self, size: usize) {
        self.entries.truncate(row_start(size));
        self.size = size;
    }

    /// An entry of the diagonal.
    pub(crate) fn diagonal(&self, row: usize) -> f64 {
        self.entries[row_start(row + 1) - 1]
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.entries[row_start(row)..row_start(row + 1)]
    }

    /// z ← M x for a sparse x.
    pub(crate) fn multiply(&self, x: &[(usize, f64)], z: &mut Vec<f64>) {
        z.clear();
        z.resize(self.size, 0.0);
        if x.len() * CONTIGUOUS >= self.size {
            self.multiply_contiguously(x, z);
            return;
        }
        for &(j, xj) in x {
            let (before, after) = z.split_at_mut(j + 1);
            before.iter_mut().zip(self.row(j)).for_each(|(z, m)| *z += m * xj);
            let mut at = row_start(j + 1) + j;
            for (i, z) in (j + 1..).zip(after) {
                *z += self.entries[at] * xj;
                at += i + 1;
            }
        }
    }

    fn multiply_contiguously(&self, x: &[(usize, f64)], z: &mut [f64]) {
        let mut dense = vec![0.0; self.size];
        x.iter().for_each(|&(j, xj)| dense[j] = xj);
        for i in 0..self.size {
            let row = self.row(i);
            let (left, diagonal) = row.split_at(i);
            let xi = dense[i];
            let mut own = diagonal[0] * xi;
            if xi == 0.0 {
                own += left.iter().zip(&dense).map(|(m, x)| m * x).sum::<f64>();
            } else {
                for ((m, x), z) in left.iter().zip(&dense).zip(z.iter_mut()) {
                    own += m * x;
                    *z += m * xi;
                }
            }
            z[i] += own;
        }
    }

    /// M ← M − β z z'.
    pub(crate) fn subtract(&mut self, beta: f64, z: &[f64]) {
        for (i, &zi) in z.iter().enumerate() {
            if zi != 0.0 {
                let scaled = beta * zi;
                let row = &mut self.entries[row_start(i)..row_start(i + 1)];
                row.iter_mut().zip(z).for_each(|(m, zk)| *m -= scaled * zk);
            }
        }
    }

    /// x'Mx for a sparse x.
    pub(crate) fn quadratic(&self, x: &[(usize, f64)]) -> f64 {
        let mut sum = 0.0;
        for (k, &(i, xi)) in x.iter().enumerate() {
            let others = x[..k].iter().map(|&(j, xj)| self.entries[row_start(i.max(j)) + i.min(j)] * xj);
            sum += xi * (self.diagonal(i) * xi + 2.0 * others.sum::<f64>());
        }
        sum
    }

    /// Multiplies the diagonal by a factor, up to the `most` that it may be, and everything else so that correlations stay.
    pub(crate) fn inflate(&mut self, factor: f64, most: f64) {
        let scale = |own: f64| if own > 0.0 { (factor.min(most / own)).max(1.0).sqrt() } else { 1.0 };
        let scales: Vec<f64> = (0..self.size).map(|i| scale(self.diagonal(i))).collect();
        for (i, own) in scales.iter().enumerate() {
            let row = &mut self.entries[row_start(i)..row_start(i + 1)];
            row.iter_mut().zip(&scales).for_each(|(entry, other)| *entry *= own * other);
        }
    }

    pub(crate) fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// A matrix of the given entries; none if their number does not fit.
    pub(crate) fn of(size: usize, entries: Vec<f64>) -> Option<Self> {
        (entries.len() == row_start(size)).then_some(Self { size, entries })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn products_and_updates_are_those_of_a_square_matrix(
            size in 1..24usize, steps in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 24), 1..5),
            x in prop::collection::vec(prop::option::weighted(0.3, -1.0..1.0f64), 24),
        ) {
            let mut packed = Symmetric::default();
            (0..size).for_each(|i| packed.push(1.0 + i as f64));
            let mut square: Vec<Vec<f64>> =
                (0..size).map(|i| (0..size).map(|j| if i == j { 1.0 + i as f64 } else { 0.0 }).collect()).collect();
            for z in &steps {
                packed.subtract(0.1, &z[..size]);
                for i in 0..size {
                    for j in 0..size {
                        square[i][j] -= 0.1 * z[i] * z[j];
                    }
                }
            }
            let sparse: Vec<(usize, f64)> = x[..size].iter().enumerate().filter_map(|(i, x)| Some((i, (*x)?))).collect();
            let expected: Vec<f64> = square.iter().map(|row| sparse.iter().map(|&(j, x)| row[j] * x).sum()).collect();
            let mut z = Vec::new();
            packed.multiply(&sparse, &mut z);
            prop_assert!(z.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
            let mut contiguous = vec![0.0; size];
            packed.multiply_contiguously(&sparse, &mut contiguous);
            prop_assert!(contiguous.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
            let form: f64 = sparse.iter().map(|&(i, x)| x * expected[i]).sum();
            prop_assert!((packed.quadratic(&sparse) - form).abs() < 1e-12);
        }

        #[test]
        fn inflating_keeps_correlations_and_stops_at_the_prior(
            z in prop::collection::vec(-1.0..1.0f64, 6), factor in 1.0..1e6f64,
        ) {
            let mut before = Symmetric::default();
            (0..6).for_each(|_| before.push(1.0));
            let length: f64 = z.iter().map(|z| z * z).sum();
            before.subtract(1.0 / (0.1 + length), &z);
            let mut after = before.clone();
            after.inflate(factor, 1.0);
            let entry = |m: &Symmetric, i: usize, j: usize| m.entries[row_start(i) + j];
            for i in 0..6 {
                let expected = (factor * before.diagonal(i)).min(1.0);
                prop_assert!((after.diagonal(i) - expected).abs() < 1e-12);
                for j in 0..i {
                    let correlation = |m: &Symmetric| entry(m, i, j) / (m.diagonal(i) * m.diagonal(j)).sqrt();
                    prop_assert!((correlation(&after) - correlation(&before)).abs() < 1e-12);
                }
            }
        }
    }
}
