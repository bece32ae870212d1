//! Vectors and square matrices of the size of a sketch (a handful), row after row.

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The m × m identity.
pub(super) fn identity(m: usize) -> Vec<f64> {
    (0..m * m).map(|at| f64::from(u8::from(at / m == at % m))).collect()
}

/// M x.
pub(super) fn times(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    matrix.chunks_exact(x.len()).map(|row| dot(row, x)).collect()
}

/// M'x.
pub(super) fn transposed_times(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; x.len()];
    for (row, x) in matrix.chunks_exact(x.len()).zip(x) {
        product.iter_mut().zip(row).for_each(|(p, m)| *p += m * x);
    }
    product
}

/// Solves M y = x by elimination with row exchanges; none if M is singular.
pub(super) fn solve(matrix: &[f64], x: &[f64]) -> Option<Vec<f64>> {
    let m = x.len();
    let mut rows: Vec<Vec<f64>> =
        matrix.chunks_exact(m).zip(x).map(|(row, x)| row.iter().copied().chain([*x]).collect()).collect();
    for column in 0..m {
        let pivot = (column..m).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        rows.swap(column, pivot);
        let head = rows[column].clone();
        if head[column] == 0.0 {
            return None;
        }
        for row in &mut rows[column + 1..] {
            let factor = row[column] / head[column];
            row.iter_mut().zip(&head).for_each(|(entry, head)| *entry -= factor * head);
        }
    }
    let mut y = vec![0.0; m];
    for i in (0..m).rev() {
        y[i] = (rows[i][m] - dot(&rows[i][i + 1..m], &y[i + 1..])) / rows[i][i];
    }
    Some(y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solving_undoes_multiplying() {
        let matrix = [0.0, 2.0, 1.0, 3.0, -1.0, 0.5, 1.0, 1.0, 4.0];
        let y = [1.0, -2.0, 0.25];
        let solved = solve(&matrix, &times(&matrix, &y)).unwrap();
        assert!(solved.iter().zip(y).all(|(a, b)| (a - b).abs() < 1e-14));
        assert_eq!(solve(&[1.0, 2.0, 2.0, 4.0], &[1.0, 1.0]), None);
    }
}
