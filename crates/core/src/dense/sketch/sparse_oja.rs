//! Oja's sketch in the time of a sparse example (paper 003, Algorithms 4 to 6): O(m³ + m s) per round.
//!
//! ```text
//! V = F Z        μ = w + Z'b        K = Z Z'
//! Λ ← (1 − 1/t) Λ + (1/t) diag(F Z x̂)²        δ = Z x̂ / t
//! K ← K + Z x̂ δ' + δ (Z x̂)' + |x̂|² δ δ'        Z ← Z + δ x̂'
//! F ← F with rows orthonormal in K
//! w ← w − x̂ (δ·b)                               every round: μ must not move because Z has
//! w ← w − η g,  b ← b + η F' (tΛH) F Z g         on a loss
//! ```
//!
//! The printed line for rounds without a loss leaves w alone, which would move μ: read as above, both forms agree.

use super::learner::{Form, Knobs};
use super::small::{dot, identity, solve, times, transposed_times};

/// Z grows with the stream, and F shrinks accordingly. Beyond this Z is replaced by F Z, and F by I.
const LARGEST: f64 = 1e6;

/// By how much K may grow in one round: far beyond any real example, and far from what f64 can hold.
const TOO_FAR: f64 = 1e100;

/// The sketch by feature.
#[derive(Clone, Debug)]
pub struct SparseOja {
    m: usize,
    t: f64,
    lambda: Vec<f64>,
    b: Vec<f64>,
    f: Vec<f64>,
    k: Vec<f64>,
    w: Vec<f64>,
    /// m numbers for every feature.
    z: Vec<f64>,
    /// The m columns of Z that belong to no feature that has come: the start.
    outside: Vec<f64>,
}

impl SparseOja {
    fn z(&self, slot: usize) -> &[f64] {
        &self.z[slot * self.m..(slot + 1) * self.m]
    }

    /// Z x.
    fn project(&self, x: &[(usize, f64)]) -> Vec<f64> {
        let mut sum = vec![0.0; self.m];
        for &(slot, x) in x {
            sum.iter_mut().zip(self.z(slot)).for_each(|(sum, z)| *sum += z * x);
        }
        sum
    }

    /// K ← K + a b'.
    fn add_to_k(&mut self, a: &[f64], b: &[f64]) {
        for (row, a) in self.k.chunks_exact_mut(self.m).zip(a) {
            row.iter_mut().zip(b).for_each(|(k, b)| *k += a * b);
        }
    }

    /// Gram-Schmidt on the rows of F, with lengths and angles measured by K.
    fn orthonormalise(&mut self) {
        let m = self.m;
        for i in 0..m {
            let mut row = self.f[i * m..(i + 1) * m].to_vec();
            let seen_by_k = times(&self.k, &row);
            let overlaps: Vec<f64> = (0..i).map(|j| dot(&self.f[j * m..(j + 1) * m], &seen_by_k)).collect();
            for (j, overlap) in overlaps.iter().enumerate() {
                let other = &self.f[j * m..(j + 1) * m];
                row.iter_mut().zip(other).for_each(|(entry, other)| *entry -= overlap * other);
            }
            let length = dot(&row, &times(&self.k, &row)).max(0.0).sqrt();
            if length > 0.0 {
                self.f[i * m..(i + 1) * m].iter_mut().zip(&row).for_each(|(f, row)| *f = row / length);
            }
        }
    }

    /// Z ← F Z, F ← I, and b so that Z'b stays what it is.
    fn rebase(&mut self) {
        let m = self.m;
        let transposed: Vec<f64> = (0..m * m).map(|at| self.f[at % m * m + at / m]).collect();
        let Some(b) = solve(&transposed, &self.b) else { return };
        self.b = b;
        for z in self.outside.chunks_exact_mut(m).chain(self.z.chunks_exact_mut(m)) {
            let turned = times(&self.f, z);
            z.copy_from_slice(&turned);
        }
        self.f = identity(m);
        self.k.fill(0.0);
        let columns: Vec<f64> = self.outside.iter().chain(&self.z).copied().collect();
        columns.chunks_exact(m).for_each(|column| self.add_to_k(column, column));
    }
}

impl Form for SparseOja {
    fn new(knobs: &Knobs) -> Self {
        let m = knobs.directions();
        let (lambda, b) = (vec![0.0; m], vec![0.0; m]);
        let (f, k, outside) = (identity(m), identity(m), identity(m));
        Self { m, t: 0.0, lambda, b, f, k, w: Vec::new(), z: Vec::new(), outside }
    }

    fn add(&mut self, knobs: &Knobs, slot: usize, feature: u32) {
        let m = self.m;
        if let Some(direction) = knobs.inherits(feature) {
            // K knows of it already; only its place changes.
            let column = &mut self.outside[direction * m..(direction + 1) * m];
            self.z.extend_from_slice(column);
            column.fill(0.0);
            self.w.push(0.0);
            return;
        }
        let z = knobs
            .share(feature, slot)
            .and_then(|share| solve(&self.f, &share))
            .unwrap_or_else(|| vec![0.0; m]);
        self.add_to_k(&z, &z);
        // μ of a feature never seen is 0, whatever b is.
        self.w.push(-dot(&z, &self.b));
        self.z.extend(z);
    }

    fn weight(&self, slot: usize) -> f64 {
        self.w[slot] + dot(self.z(slot), &self.b)
    }

    fn unseen(&self, direction: usize) -> f64 {
        dot(&self.outside[direction * self.m..(direction + 1) * self.m], &self.b)
    }

    fn turn(&mut self, x: &[(usize, f64)]) -> bool {
        let rate = 1.0 / (self.t + 1.0);
        let zx = self.project(x);
        let length2: f64 = x.iter().map(|(_, x)| x * x).sum();
        let growth = dot(&zx, &zx) * rate * (2.0 + rate * length2);
        if growth.is_nan() || growth > TOO_FAR {
            return false;
        }
        self.t += 1.0;
        for (lambda, along) in self.lambda.iter_mut().zip(times(&self.f, &zx)) {
            *lambda = (1.0 - rate) * *lambda + rate * along * along;
        }
        let delta: Vec<f64> = zx.iter().map(|z| rate * z).collect();
        let stretched: Vec<f64> = delta.iter().map(|d| length2 * d).collect();
        self.add_to_k(&zx, &delta);
        self.add_to_k(&delta, &zx);
        self.add_to_k(&delta, &stretched);
        for &(slot, x) in x {
            // w − x̂ (δ·b), written so that μ keeps its value to the last bit.
            let mu = self.weight(slot);
            let m = self.m;
            self.z[slot * m..(slot + 1) * m].iter_mut().zip(&delta).for_each(|(z, d)| *z += d * x);
            self.w[slot] = mu - dot(self.z(slot), &self.b);
        }
        self.orthonormalise();
        if self.k.iter().any(|k| k.abs() > LARGEST) {
            self.rebase();
        }
        true
    }

    fn step(&mut self, x: &[(usize, f64)], along: f64) {
        x.iter().for_each(|&(slot, x)| self.w[slot] += along * x);
        let mut pulls = times(&self.f, &self.project(x));
        for (pull, lambda) in pulls.iter_mut().zip(&self.lambda) {
            *pull *= -along * self.t * lambda / (1.0 + self.t * lambda);
        }
        let change = transposed_times(&self.f, &pulls);
        self.b.iter_mut().zip(change).for_each(|(b, change)| *b += change);
    }

    fn numbers(&self) -> Vec<f64> {
        let small = [&self.lambda, &self.b, &self.f, &self.k, &self.outside, &self.w, &self.z];
        [self.t].into_iter().chain(small.into_iter().flatten().copied()).collect()
    }

    fn restore(&mut self, features: usize, numbers: &[f64]) -> bool {
        let m = self.m;
        let lengths = [m, m, m * m, m * m, m * m, features, features * m];
        if numbers.len() != 1 + lengths.iter().sum::<usize>() {
            return false;
        }
        self.t = numbers[0];
        let mut rest = &numbers[1..];
        let homes = [
            &mut self.lambda,
            &mut self.b,
            &mut self.f,
            &mut self.k,
            &mut self.outside,
            &mut self.w,
            &mut self.z,
        ];
        for (home, length) in homes.into_iter().zip(lengths) {
            let (part, others) = rest.split_at(length);
            *home = part.to_vec();
            rest = others;
        }
        true
    }
}
