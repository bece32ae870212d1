//! Oja's sketch in the time of a sparse example (Zhao et al. 2019, Algorithms 4 to 6): O(m² + m s) per round, O(m³ + m s) with new features.
//!
//! ```text
//! V = F Z        μ = w + Z'b        K = Z Z'
//! Λ ← (1 − Γ) Λ + Γ diag(F Z x̂)²               δ = Γ Z x̂, Γ = 1/t
//! K ← K + Z x̂ δ' + δ (Z x̂)' + |x̂|² δ δ'        Z ← Z + δ x̂'
//! F ← F with rows orthonormal in K
//! w ← w − x̂ (δ·b)                               every round: μ must not move because Z has
//! w ← w − η g,  b ← b + η F' (tΛH) F Z g         on a loss
//! ```
//!
//! The printed line for rounds without a loss leaves w alone, which would move μ: read as above, both forms agree.
//!
//! An example is walked through twice: once for w·x and Z x together, once to move w and Z together.
//!
//! A single example changes K by rank one, and F follows in O(m²) (`rank_one.rs`). New features, a group of examples, and
//! every so many rounds the rounding errors take Gram-Schmidt in K, O(m³).

use super::knobs::{Knobs, StepSizes};
use super::learner::{Form, Round, TOO_FAR};
use super::rank_one::RankOne;
use super::small::{dot, gain, identity, times};

/// Z grows with the stream, and F shrinks accordingly. Beyond this Z is replaced by F Z, and F by I.
const LARGEST: f64 = 1e6;

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
    k: Vec<f64>,
    /// For every feature: its w, its column of Z, and zeros to fill the last lane.
    cells: Vec<Lane>,
    /// The columns of Z that belong to no feature that has come: the start.
    outside: Vec<f64>,
    /// K F' by column, with the K for which the rows of F are orthonormal: F K F' = I makes it F⁻¹, which every new
    /// feature needs.
    f_inverse: Vec<f64>,
    /// Did new features change K, so that the rows of F are not orthonormal?
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

    /// Λ, b, F, F⁻¹ and K.
    fn small(&self) -> [&Vec<f64>; 5] {
        [&self.lambda, &self.b, &self.f, &self.f_inverse, &self.k]
    }

    fn small_mut(&mut self) -> [&mut Vec<f64>; 5] {
        [&mut self.lambda, &mut self.b, &mut self.f, &mut self.f_inverse, &mut self.k]
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

    /// K ← K + a b'.
    fn add_to_k(k: &mut [f64], a: &[f64], b: &[f64]) {
        for (row, a) in k.chunks_exact_mut(b.len()).zip(a) {
            row.iter_mut().zip(b).for_each(|(k, b)| *k += a * b);
        }
    }

    /// Gram-Schmidt on the rows of F, with lengths and angles measured by K.
    fn orthonormalise(&mut self) {
        self.stretched = false;
        let Self { m, f, k, f_inverse, .. } = self;
        let m = *m;
        for i in 0..m {
            let (done, rest) = f.split_at_mut(i * m);
            let (k_done, k_rest) = f_inverse.split_at_mut(i * m);
            let (row, k_row) = (&mut rest[..m], &mut k_rest[..m]);
            times(k, row, k_row);
            for (other, k_other) in done.chunks_exact(m).zip(k_done.chunks_exact(m)) {
                let overlap = dot(k_other, row);
                row.iter_mut().zip(other).for_each(|(entry, other)| *entry -= overlap * other);
            }
            times(k, row, k_row);
            let length = dot(row, k_row).max(0.0).sqrt();
            if length > 0.0 {
                row.iter_mut().chain(k_row).for_each(|entry| *entry /= length);
            }
        }
    }

    /// Z ← F Z, F ← I, and b so that Z'b stays what it is. Nothing is done if that would not be finite.
    #[cold]
    fn rebase(&mut self) {
        let m = self.m;
        let mut new = self.clone();
        // Z'b = (F Z)' F'⁻¹b.
        times(&self.f_inverse, &self.b, &mut new.b);
        let lanes = self.lanes();
        let mut turned = vec![0.0; m];
        new.k.fill(0.0);
        let columns = new.outside.chunks_exact_mut(m);
        let cells = new.cells.chunks_exact_mut(lanes).map(|cell| &mut cell.as_flattened_mut()[1..=m]);
        for z in columns.chain(cells) {
            times(&self.f, z, &mut turned);
            z.copy_from_slice(&turned);
            Self::add_to_k(&mut new.k, z, z);
        }
        new.f = identity(m);
        new.f_inverse = identity(m);
        // The sum of all squares in Z is in K.
        if new.b.iter().chain(&new.k).all(|number| number.is_finite()) {
            *self = new;
        }
    }

    /// Lets in the example whose Z x̂ is in place: Λ, K, and δ, by which Z is to move. Returns c, with which K ← K + c Z x̂ (Z x̂)'; none if that would go
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
        for ((delta, product), zx) in self.delta.iter_mut().zip(&mut self.product).zip(&self.zx) {
            (*delta, *product) = (rate * zx, factor * zx);
        }
        Self::add_to_k(&mut self.k, &self.zx, &self.product);
        Some(factor)
    }

    /// F after a single example was let in.
    fn follow(&mut self, c: f64) {
        let often = (self.turns as u64).is_multiple_of(CLEAR.max(self.m) as u64);
        if often || self.stretched {
            self.orthonormalise();
        } else {
            self.rank_one.orthonormalise(&mut self.f, &mut self.f_inverse, &self.along, c);
        }
    }

    /// How far w and the columns of Z move for a value of 1: by δ, and w so that μ stays, and by `along` besides.
    fn moves(&self, along: f64, root: f64, moves: &mut [f64]) {
        moves[0] = along - dot(&self.delta, &self.b) / root;
        moves[1..=self.m].iter_mut().zip(&self.delta).for_each(|(step, delta)| *step = delta / root);
    }

    fn grow_back(&mut self) {
        if self.k.iter().any(|k| k.abs() > LARGEST) {
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
        let m = knobs.directions();
        let zeros = || vec![0.0; m];
        Self {
            m,
            step_sizes: knobs.step_sizes(),
            turns: 0.0,
            lambda: zeros(),
            b: zeros(),
            f: identity(m),
            k: identity(m),
            cells: Vec::new(),
            outside: knobs.first_columns(),
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
            // K knows of it already; only its place changes.
            let column = &mut self.outside[direction * m..(direction + 1) * m];
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
        Self::add_to_k(&mut self.k, z, z);
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
                let z = &self.cells[slot * lanes..(slot + 1) * lanes].as_flattened()[1..=m];
                self.outside[direction * m..(direction + 1) * m].copy_from_slice(z);
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
        if !within(&self.k, 1.0) || !within(&self.lambda, 1.0) || !within(moves, reach) {
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
        let small = self.small().into_iter().chain([&self.outside]).flatten().copied();
        let cells = self.cells.chunks_exact(self.lanes()).flat_map(|cell| &cell.as_flattened()[..=self.m]);
        // Twice: it was once two numbers.
        [self.turns, self.turns].into_iter().chain(small).chain(cells.copied()).collect()
    }

    fn restore(&mut self, features: usize, numbers: &[f64]) -> Option<usize> {
        let (m, lanes) = (self.m, self.lanes());
        let lengths = [m, m, m * m, m * m, m * m, self.outside.len()];
        let length = 2 + lengths.iter().sum::<usize>() + features * (m + 1);
        let numbers = numbers.get(..length)?;
        self.turns = numbers[1];
        let mut rest = &numbers[2..];
        let mut outside = Vec::new();
        for (home, length) in self.small_mut().into_iter().chain([&mut outside]).zip(lengths) {
            let (part, others) = rest.split_at(length);
            *home = part.to_vec();
            rest = others;
        }
        self.outside = outside;
        self.cells = vec![[0.0; 4]; features * lanes];
        for (cell, stored) in self.cells.chunks_exact_mut(lanes).zip(rest.chunks_exact(m + 1)) {
            cell.as_flattened_mut()[..=m].copy_from_slice(stored);
        }
        Some(length)
    }
}
