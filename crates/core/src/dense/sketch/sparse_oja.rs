//! Oja's sketch in the time of a sparse example (Zhao et al. 2019, Algorithms 4 to 6): O(m² + m s) per round, O(m³ + m s) with new features.
//!
//! ```text
//! V = F Z        μ = w + Z'b        K = Z Z' = L L'
//! Λ ← (1 − Γ) Λ + Γ diag(F Z x̂)²               δ = Γ Z x̂, Γ = 1/t
//! K ← K + Z x̂ δ' + δ (Z x̂)' + |x̂|² δ δ'        Z ← Z + δ x̂'
//! F ← F with rows orthonormal in K: L⁻¹
//! w ← w − x̂ (δ·b)                               every round: μ must not move because Z has
//! w ← w − η g,  b ← b + η F' (tΛH) F Z g         on a loss
//! ```
//!
//! The printed line for rounds without a loss leaves w alone, which would move μ: read as above, both forms agree.
//!
//! An example is walked through twice: once for w·x and Z x together, once to move w and Z together.
//!
//! Of K only the Cholesky factor L is kept (`factor.rs`): F = L⁻¹ is what Gram-Schmidt on the rows of F makes of it. Directions that a group of examples has turned far
//! towards each other would be lost in K, which holds the squares of the numbers in Z.
//!
//! A single example changes K by rank one, and F follows in O(m²) (`rank_one.rs`). After new features and groups of examples, and every so many rounds because
//! of rounding errors, L is inverted anew, O(m³).

use super::factor::{grow, invert};
use super::knobs::{Knobs, StepSizes};
use super::learner::{Form, Round, TOO_FAR};
use super::rank_one::RankOne;
use super::small::{dot, gain, identity, times};

/// Z grows with the stream, and F shrinks accordingly. When L is beyond this, Z is replaced by F Z and w by μ.
const LARGEST: f64 = 1e3;

/// Stands in front of the numbers of a sketch with L. In models from before there is the number of rounds, K is where L is now, and there is no w
/// outside of the features.
const WITH_FACTOR: f64 = -1.0;

/// Rounding errors of F are cleared away in every so many-th round, or every m-th if that is rarer.
const CLEAR: usize = 64;

/// What cancelling leaves, in proportion.
const ROUNDING: f64 = 1e-13;

/// Four numbers that move together.
type Lane = [f64; 4];

/// The sketch by feature.
#[derive(Clone, Debug)]
pub(crate) struct SparseOja {
    m: usize,
    step_sizes: StepSizes,
    /// t: the examples that were let in.
    turns: f64,
    lambda: Vec<f64>,
    b: Vec<f64>,
    f: Vec<f64>,
    /// L, by column.
    factor: Vec<f64>,
    /// For every feature: its w, its column of Z, and zeros to fill the last lane.
    cells: Vec<Lane>,
    /// The columns of Z that belong to no feature that has come: the start.
    outside: Vec<f64>,
    /// Their w.
    outside_w: Vec<f64>,
    /// F⁻¹ by column, which every new feature needs: L as it was when the rows of F were orthonormal.
    f_inverse: Vec<f64>,
    /// Did new features change L, so that the rows of F are not orthonormal?
    stretched: bool,
    /// Z x̂, δ, F Z x̂ and other products: kept to spare allocations.
    zx: Vec<f64>,
    delta: Vec<f64>,
    along: Vec<f64>,
    product: Vec<f64>,
    rank_one: RankOne,
    /// The parts that are not by feature, as they were before the round.
    marked: Vec<f64>,
}

impl SparseOja {
    fn lanes(&self) -> usize {
        (self.m + 1).div_ceil(4)
    }

    fn cell(&self, slot: usize) -> &[Lane] {
        &self.cells[slot * self.lanes()..(slot + 1) * self.lanes()]
    }

    /// Λ, b, F, F⁻¹ and L.
    fn small(&self) -> [&Vec<f64>; 5] {
        [&self.lambda, &self.b, &self.f, &self.f_inverse, &self.factor]
    }

    fn small_mut(&mut self) -> [&mut Vec<f64>; 5] {
        [&mut self.lambda, &mut self.b, &mut self.f, &mut self.f_inverse, &mut self.factor]
    }

    /// The column of Z of a feature.
    fn z(&self, slot: usize) -> &[f64] {
        &self.cell(slot).as_flattened()[1..=self.m]
    }

    /// Adds w·x and Z x of some features to the sums.
    fn look(&self, x: &[(usize, f64)], sums: &mut [Lane]) {
        // A sketch of up to seven directions, which is usual, has two lanes: known sizes make fast loops.
        if let Ok(sums) = <&mut [Lane; 2]>::try_from(&mut *sums) {
            let (cells, _) = self.cells.as_chunks::<2>();
            let mut held = *sums;
            for &(slot, x) in x {
                for (sum, lane) in held.iter_mut().zip(&cells[slot]) {
                    sum.iter_mut().zip(lane).for_each(|(sum, number)| *sum += number * x);
                }
            }
            *sums = held;
            return;
        }
        let lanes = sums.len();
        for &(slot, x) in x {
            let cell = &self.cells[slot * lanes..(slot + 1) * lanes];
            for (sum, lane) in sums.iter_mut().zip(cell) {
                sum.iter_mut().zip(lane).for_each(|(sum, number)| *sum += number * x);
            }
        }
    }

    /// Moves w along `along` · x and Z along δ x'.
    fn move_cells(&mut self, x: &[(usize, f64)], along: &[Lane]) {
        if let Ok(along) = <&[Lane; 2]>::try_from(along) {
            let (cells, _) = self.cells.as_chunks_mut::<2>();
            for &(slot, x) in x {
                for (lane, along) in cells[slot].iter_mut().zip(along) {
                    lane.iter_mut().zip(along).for_each(|(number, along)| *number += along * x);
                }
            }
            return;
        }
        let lanes = along.len();
        for &(slot, x) in x {
            let cell = &mut self.cells[slot * lanes..(slot + 1) * lanes];
            for (lane, along) in cell.iter_mut().zip(along) {
                lane.iter_mut().zip(along).for_each(|(number, along)| *number += along * x);
            }
        }
    }

    /// F with rows orthonormal in K.
    fn orthonormalise(&mut self) {
        self.stretched = false;
        self.f_inverse.copy_from_slice(&self.factor);
        invert(&self.factor, &mut self.f, self.m);
    }

    /// L of Z as it is.
    fn measure(&mut self) {
        let (m, lanes) = (self.m, self.lanes());
        self.factor.fill(0.0);
        let columns = self.outside.chunks_exact(m);
        let cells = self.cells.chunks_exact(lanes).map(|cell| &cell.as_flattened()[1..=m]);
        for z in columns.chain(cells) {
            self.product.copy_from_slice(z);
            grow(&mut self.factor, &mut self.product);
        }
    }

    /// Z ← F Z, F accordingly, w ← μ, b ← 0. Nothing is done if that would not be finite.
    ///
    /// What b holds of μ grows with Z, and w takes it back: if b went on from here, both would grow without end, and μ would be the difference of two huge numbers.
    #[cold]
    fn rebase(&mut self) {
        let mut new = self.clone();
        let lanes = self.lanes();
        let columns = new.outside.chunks_exact_mut(self.m).zip(&mut new.outside_w);
        columns.for_each(|(z, w)| self.turn_column(w, z));
        for cell in new.cells.chunks_exact_mut(lanes) {
            let (w, z) = cell.as_flattened_mut().split_at_mut(1);
            self.turn_column(&mut w[0], &mut z[..self.m]);
        }
        new.b.fill(0.0);
        // All but I: what rounding has left in F is seen here, and mended.
        new.measure();
        new.orthonormalise();
        // The sum of all squares in Z is in L.
        let weights = new.outside_w.iter().chain(new.cells.chunks_exact(lanes).map(|cell| &cell[0][0]));
        if new.small().into_iter().flatten().chain(weights).all(|number| number.is_finite()) {
            *self = new;
        }
    }

    /// w ← μ and z ← F z for one feature.
    fn turn_column(&self, w: &mut f64, z: &mut [f64]) {
        *w += dot(z, &self.b);
        for i in (0..self.m).rev() {
            // F is lower triangular: nobody above needs this entry any more.
            z[i] = dot(&self.f[i * self.m..=i * self.m + i], &z[..=i]);
        }
    }

    /// Lets in the example whose Z x̂ is in place: Λ, L, and δ, by which Z is to move. Returns c, with which K ← K + c Z x̂ (Z x̂)'; none if that would go
    /// beyond all numbers.
    fn enter(&mut self, length2: f64) -> Option<f64> {
        let rate = self.step_sizes.at(self.turns + 1.0);
        // K + Z x̂ δ' + δ (Z x̂)' + |x̂|² δ δ', with δ in proportion to Z x̂.
        let factor = rate * (2.0 + rate * length2);
        let growth = dot(&self.zx, &self.zx) * factor;
        if growth.is_nan() || growth > TOO_FAR {
            return None;
        }
        self.turns += 1.0;
        times(&self.f, &self.zx, &mut self.along);
        for (lambda, along) in self.lambda.iter_mut().zip(&self.along) {
            *lambda = (1.0 - rate) * *lambda + rate * along * along;
        }
        let root = factor.sqrt();
        for ((delta, product), zx) in self.delta.iter_mut().zip(&mut self.product).zip(&self.zx) {
            (*delta, *product) = (rate * zx, root * zx);
        }
        grow(&mut self.factor, &mut self.product);
        Some(factor)
    }

    /// F after a single example was let in.
    fn follow(&mut self, c: f64) {
        let often = (self.turns as u64).is_multiple_of(CLEAR.max(self.m) as u64);
        if often || self.stretched {
            self.orthonormalise();
        } else {
            self.rank_one.orthonormalise(&mut self.f, &self.along, c);
            self.f_inverse.copy_from_slice(&self.factor);
        }
    }

    /// How far w and the columns of Z move for a value of 1: by δ, and w so that μ stays, and by `along` besides.
    fn moves(&self, along: f64, root: f64, moves: &mut [f64]) {
        moves[0] = along - dot(&self.delta, &self.b) / root;
        moves[1..=self.m].iter_mut().zip(&self.delta).for_each(|(step, delta)| *step = delta / root);
    }

    fn grow_back(&mut self) {
        if self.factor.iter().any(|entry| entry.abs() > LARGEST) {
            self.rebase();
        }
    }

    /// The parts that are not by feature, as they were when they were marked.
    fn take_back(&mut self) {
        let marked = std::mem::take(&mut self.marked);
        self.turns = marked[0];
        let mut rest = &marked[1..];
        for part in self.small_mut() {
            let (own, others) = rest.split_at(part.len());
            part.copy_from_slice(own);
            rest = others;
        }
        self.marked = marked;
        self.stretched = false;
    }
}

/// Is none of the numbers, so many times, too large? (No early end: several are looked at at once.)
fn within(numbers: &[f64], times: f64) -> bool {
    numbers.iter().fold(true, |all, number| all & ((number * times).abs() <= TOO_FAR))
}

impl Form for SparseOja {
    type Sums = Vec<Lane>;

    fn new(knobs: &Knobs) -> Self {
        let (m, outside) = (knobs.directions(), knobs.first_columns());
        let zeros = || vec![0.0; m];
        Self {
            m,
            step_sizes: knobs.step_sizes(),
            turns: 0.0,
            lambda: zeros(),
            b: zeros(),
            f: identity(m),
            factor: identity(m),
            cells: Vec::new(),
            outside_w: vec![0.0; outside.len() / m],
            outside,
            f_inverse: identity(m),
            stretched: false,
            zx: zeros(),
            delta: zeros(),
            along: zeros(),
            product: zeros(),
            rank_one: RankOne::new(m),
            marked: Vec::new(),
        }
    }

    fn add(&mut self, knobs: &Knobs, slot: usize, feature: u32) {
        let (m, lanes) = (self.m, self.lanes());
        self.cells.resize((slot + 1) * lanes, [0.0; 4]);
        let cell = self.cells[slot * lanes..].as_flattened_mut();
        if let Some(direction) = knobs.inherits(feature) {
            // L knows of it already; only its place changes.
            let column = &mut self.outside[direction * m..(direction + 1) * m];
            cell[0] = std::mem::take(&mut self.outside_w[direction]);
            cell[1..=m].copy_from_slice(column);
            column.fill(0.0);
            return;
        }
        if !knobs.share(feature, slot, &mut self.product) {
            return;
        }
        let z = &mut cell[1..=m];
        for (column, share) in self.f_inverse.chunks_exact(m).zip(&self.product) {
            z.iter_mut().zip(column).for_each(|(z, entry)| *z += entry * share);
        }
        self.product.copy_from_slice(z);
        grow(&mut self.factor, &mut self.product);
        self.stretched = true;
        // μ of a feature never seen is 0, whatever b is.
        cell[0] = -dot(&cell[1..=m], &self.b);
    }

    fn mark(&mut self) {
        let mut marked = std::mem::take(&mut self.marked);
        marked.clear();
        marked.push(self.turns);
        self.small().into_iter().for_each(|part| marked.extend_from_slice(part));
        self.marked = marked;
    }

    fn undo(&mut self, knobs: &Knobs, added: &[u32]) {
        let (m, lanes) = (self.m, self.lanes());
        let first = self.cells.len() / lanes - added.len();
        for (slot, feature) in (first..).zip(added) {
            if let Some(direction) = knobs.inherits(*feature) {
                let cell = self.cells[slot * lanes..(slot + 1) * lanes].as_flattened();
                self.outside_w[direction] = cell[0];
                self.outside[direction * m..(direction + 1) * m].copy_from_slice(&cell[1..=m]);
            }
        }
        self.cells.truncate(first * lanes);
        self.take_back();
    }

    fn weight(&self, slot: usize) -> f64 {
        self.cell(slot)[0][0] + dot(self.z(slot), &self.b)
    }

    fn score(&self, x: &[(usize, f64)], sums: &mut Vec<Lane>) -> f64 {
        sums.clear();
        sums.resize(self.lanes(), [0.0; 4]);
        self.look(x, sums);
        let sums = sums.as_flattened();
        let (own, common) = (sums[0], dot(&sums[1..=self.m], &self.b));
        // Weights of 0 are differences too: what is left of two numbers that cancel to their last digits is rounding.
        let score = own + common;
        if score.abs() > ROUNDING * (own.abs() + common.abs()) { score } else { 0.0 }
    }

    fn known_part(&self, _x: &[(usize, f64)], sums: &Vec<Lane>) -> f64 {
        let mut along = vec![0.0; self.m];
        times(&self.f, &sums.as_flattened()[1..=self.m], &mut along);
        along.iter().zip(&self.lambda).map(|(along, lambda)| gain(self.turns * lambda) * along * along).sum()
    }

    fn let_in(&mut self, x: &[(usize, f64)], root: f64) {
        let mut sums = vec![[0.0; 4]; self.lanes()];
        self.look(x, &mut sums);
        for (zx, sum) in self.zx.iter_mut().zip(&sums.as_flattened()[1..]) {
            *zx = sum / root;
        }
        let length2 = x.iter().fold(0.0, |sum, (_, x)| sum + x * x) / (root * root);
        self.mark();
        if self.enter(length2).is_none() {
            return;
        }
        self.moves(0.0, root, sums.as_flattened_mut());
        let (moves, reach) = (&sums.as_flattened()[..=self.m], length2.sqrt() * root);
        if !within(&self.factor, 1.0) || !within(&self.lambda, 1.0) || !within(moves, reach) {
            self.take_back();
            return;
        }
        self.move_cells(x, &sums);
    }

    fn turns(&self) -> u64 {
        self.turns as u64
    }

    fn learn(&mut self, x: &[(usize, f64)], round: &Round, sums: &mut Vec<Lane>) -> bool {
        let Round { known, root, length2, turn, alone, along } = *round;
        self.look(&x[known..], sums);
        for (zx, sum) in self.zx.iter_mut().zip(&sums.as_flattened()[1..]) {
            *zx = sum / root;
        }
        self.delta.fill(0.0);
        let entered = if turn { self.enter(length2) } else { None };
        if turn && entered.is_none() {
            return false;
        }
        self.moves(along.unwrap_or(0.0), root, sums.as_flattened_mut());
        match entered {
            Some(c) if alone => self.follow(c),
            Some(_) => self.orthonormalise(),
            None => {}
        }
        if let Some(along) = along {
            // Z x with Z as it is now: Z + δ x̂'.
            for (zx, delta) in self.zx.iter_mut().zip(&self.delta) {
                *zx = (*zx + delta * length2) * root;
            }
            times(&self.f, &self.zx, &mut self.product);
            for (pull, lambda) in self.product.iter_mut().zip(&self.lambda) {
                *pull *= -along * gain(self.turns * lambda);
            }
            for (row, pull) in self.f.chunks_exact(self.m).zip(&self.product) {
                self.b.iter_mut().zip(row).for_each(|(b, f)| *b += pull * f);
            }
        }
        let (moves, reach) = (&sums.as_flattened()[..=self.m], round.reach());
        if !self.small().into_iter().all(|part| within(part, 1.0)) || !within(moves, reach) {
            return false;
        }
        self.move_cells(x, sums);
        if turn {
            self.grow_back();
        }
        true
    }

    fn numbers(&self) -> Vec<f64> {
        let small = self.small().into_iter().chain([&self.outside, &self.outside_w]).flatten().copied();
        let cells = self.cells.chunks_exact(self.lanes()).flat_map(|cell| &cell.as_flattened()[..=self.m]);
        [WITH_FACTOR, self.turns].into_iter().chain(small).chain(cells.copied()).collect()
    }

    fn restore(&mut self, features: usize, numbers: &[f64]) -> Option<usize> {
        let (m, lanes) = (self.m, self.lanes());
        let has_factor = *numbers.first()? == WITH_FACTOR;
        let (outside, outside_w) = (self.outside.len(), self.outside_w.len());
        let lengths = [m, m, m * m, m * m, m * m, outside, if has_factor { outside_w } else { 0 }];
        let length = 2 + lengths.iter().sum::<usize>() + features * (m + 1);
        let numbers = numbers.get(..length)?;
        self.turns = numbers[1];
        let mut rest = &numbers[2..];
        let (mut outside, mut outside_w) = (Vec::new(), Vec::new());
        let homes = self.small_mut().into_iter().chain([&mut outside, &mut outside_w]);
        for (home, length) in homes.zip(lengths) {
            let (part, others) = rest.split_at(length);
            *home = part.to_vec();
            rest = others;
        }
        self.outside = outside;
        outside_w.resize(self.outside_w.len(), 0.0);
        self.outside_w = outside_w;
        self.cells = vec![[0.0; 4]; features * lanes];
        for (cell, stored) in self.cells.chunks_exact_mut(lanes).zip(rest.chunks_exact(m + 1)) {
            cell.as_flattened_mut()[..=m].copy_from_slice(stored);
        }
        if !has_factor {
            self.measure();
        }
        Some(length)
    }
}

#[cfg(test)]
mod tests;
