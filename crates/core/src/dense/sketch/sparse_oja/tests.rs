use super::*;

const M: usize = 5;
const FEATURES: usize = 12;

fn example(number: usize) -> Vec<(usize, f64)> {
    (0..FEATURES).map(|slot| (slot, 2.0 * ((number * FEATURES + slot) as f64 * 1.7).sin())).collect()
}

/// A sketch with so many features, after groups of seven examples that are let in by large steps.
fn turned_far(knobs: &Knobs, groups: usize) -> SparseOja {
    let mut sketch = SparseOja::new(knobs);
    (0..FEATURES).for_each(|slot| sketch.add(knobs, slot, slot as u32 + 1));
    for last in (0..groups).map(|group| 7 * group + 6) {
        (last - 6..last).for_each(|number| sketch.let_in(&example(number), 1.0));
        learn(&mut sketch, last);
    }
    sketch
}

fn learn(sketch: &mut SparseOja, number: usize) {
    learn_in(sketch, number, false);
}

fn learn_in(sketch: &mut SparseOja, number: usize, alone: bool) {
    let x = example(number);
    let length2 = x.iter().map(|(_, x)| x * x).sum();
    let mut sums = Vec::new();
    sketch.score(&x, &mut sums);
    let round = Round { known: FEATURES, root: 1.0, length2, turn: true, alone, along: Some(0.5) };
    assert!(sketch.learn(&x, &round, &mut sums));
}

fn knobs() -> Knobs {
    Knobs { sketch: M as u64, rate: 2.0, every: 7, ..Knobs::default() }
}

#[test]
fn directions_are_orthonormal_however_far_a_group_has_turned_them() {
    for groups in 1..6 {
        let sketch = turned_far(&knobs(), groups);
        let columns = sketch.outside.chunks_exact(M).chain((0..FEATURES).map(|slot| sketch.z(slot)));
        let mut products = [[0.0; M]; M];
        for z in columns {
            let mut v = [0.0; M];
            times(&sketch.f, z, &mut v);
            products
                .iter_mut()
                .zip(v)
                .for_each(|(row, a)| row.iter_mut().zip(v).for_each(|(p, b)| *p += a * b));
        }
        for (i, j) in (0..M).flat_map(|i| (0..M).map(move |j| (i, j))) {
            let expected = f64::from(u8::from(i == j));
            assert!((products[i][j] - expected).abs() < 1e-12, "{groups}, {i} {j}: {}", products[i][j]);
        }
    }
}

#[test]
fn the_parts_of_a_weight_do_not_grow_without_end() {
    let knobs = Knobs { sketch: M as u64, power: 0.6, ..Knobs::default() };
    let mut sketch = turned_far(&knobs, 0);
    (0..2_000).for_each(|number| learn_in(&mut sketch, number, true));
    for slot in 0..FEATURES {
        let (part, weight) = (sketch.cell(slot)[0][0], sketch.weight(slot));
        assert!(part.abs() < 1e6 && weight.abs() < 1e3, "{slot}: {part}, of {weight}");
    }
}

/// What older programs wrote: the number of rounds in front, K, and no w outside of the features.
#[test]
fn models_with_k_are_read() {
    let mut sketch = turned_far(&knobs(), 4);
    let mut old = sketch.numbers();
    old[0] = 28.0;
    let k = (0..M * M)
        .map(|at| sketch.factor.chunks_exact(M).map(|column| column[at / M] * column[at % M]).sum::<f64>());
    let place = 2 + 2 * M + 2 * M * M;
    old.splice(place..place + M * M, k);
    // Behind the start, which nobody has inherited.
    let outside_w = place + 2 * M * M;
    old.drain(outside_w..outside_w + M);
    let mut resumed = SparseOja::new(&knobs());
    assert_eq!(resumed.restore(FEATURES, &old), Some(old.len()));
    for number in 28..35 {
        learn(&mut sketch, number);
        learn(&mut resumed, number);
    }
    let (x, mut sums) = (example(40), Vec::new());
    let [a, b] =
        [&sketch, &resumed].map(|sketch| (sketch.score(&x, &mut sums), sketch.known_part(&x, &sums)));
    assert!((a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9, "{a:?} {b:?}");
}
