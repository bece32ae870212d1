use thalweg_core::Batch;

use super::*;

fn learned(rows: &[&[(u32, f64)]]) -> (TypicalValues, Vec<Vec<Real>>) {
    let mut typical = TypicalValues::new();
    let mut batch = Batch::default();
    rows.iter().for_each(|row| _ = batch.push(row.iter().copied(), None).unwrap());
    (0..batch.len()).for_each(|i| _ = typical.learn_from(&mut batch.row_mut(i)));
    let all = (0..batch.len()).map(|i| batch.row(i).values.to_vec()).collect();
    (typical, all)
}

/// A value of a feature, scaled.
fn scaled(typical: &TypicalValues, feature: u32, x: Real) -> Real {
    let mut values = [x];
    let row = &mut RowMut { indices: &[feature], values: &mut values, importance: 1.0, next: &[] };
    _ = typical.known().scale(row);
    values[0]
}

#[test]
fn what_is_always_1_and_rare_stays_1() {
    let rare: &[(u32, f64)] = &[(7, 1.0)];
    let other: &[(u32, f64)] = &[(8, 1.0)];
    let (typical, all) = learned(&[rare, other, other, other, other, rare]);
    assert!((f64::from(all[5][0]) - 1.0).abs() < 1e-3, "{all:?}");
    assert_eq!(scaled(&typical, 9, 5.0), 0.0, "never seen");
}

#[test]
fn units_do_not_matter() {
    let values = [1.0, 3.0, -2.0, 40.0, 0.5, 7.0];
    let scaled = |unit: f64| {
        let rows: Vec<[(u32, f64); 1]> = values.iter().map(|x| [(1, x * unit)]).collect();
        learned(&rows.iter().map(|row| &row[..]).collect::<Vec<_>>()).1.concat()
    };
    for unit in [1e-30, 1e-3, 1e3, 1e30] {
        let pairs = scaled(1.0).into_iter().zip(scaled(unit));
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-4), "{unit}");
    }
}

#[test]
fn what_every_example_has_is_centred() {
    let rows: Vec<[(u32, f64); 1]> = (0..2000).map(|i| [(1, 2000.0 + f64::from(i % 11))]).collect();
    let (typical, _) = learned(&rows.iter().map(|row| &row[..]).collect::<Vec<_>>());
    let [low, middle, high] = [2000.0, 2005.0, 2010.0].map(|x| scaled(&typical, 1, x));
    assert!(low < -0.5 && middle.abs() < 0.2 && high > 0.5, "{low} {middle} {high}");
}

/// Examples of length 1: sparse ones, in which no feature comes twice, or dense ones.
fn of_length_one(sparse: bool) -> Vec<[(u32, f64); 2]> {
    let angle = |i: u32| f64::from(i % 7) / 7.0 + 0.2;
    let first = |i: u32| if sparse { 2 * i } else { 0 };
    (0..40).map(|i| [(first(i), angle(i).sin()), (first(i) + 1, angle(i).cos())]).collect()
}

#[test]
fn sparse_examples_of_length_1_are_left_as_they_are() {
    for sparse in [true, false] {
        let rows = of_length_one(sparse);
        let rows: Vec<&[(u32, f64)]> = rows.iter().map(|row| &row[..]).collect();
        let (typical, all) = learned(&rows);
        let is_left = |i: &usize| rows[*i].iter().zip(&all[*i]).all(|((_, x), z)| *z == *x as Real);
        let decided = usize::from(LOOKED_AT);
        assert!((0..decided).all(|i| is_left(&i)), "not yet decided");
        assert_eq!((decided..40).filter(is_left).count(), if sparse { 40 - decided } else { 0 });
        assert_eq!(typical.leave_unit_length(), sparse);
        assert_eq!(typical.memory() == TypicalValues::new().memory(), sparse, "nothing is kept");
    }
}

#[test]
fn another_length_means_that_values_are_scaled() {
    let mut rows = of_length_one(true);
    rows[9][0].1 = 3.0;
    let rows: Vec<&[(u32, f64)]> = rows.iter().map(|row| &row[..]).collect();
    let (typical, all) = learned(&rows);
    assert_eq!(all[8][0], rows[8][0].1 as Real);
    assert!((all[9][0] - 1.0).abs() < 1e-6 && (all[20][0] - 1.0).abs() < 1e-6, "{all:?}");
    assert!(!typical.leave_unit_length());
}

#[test]
fn what_is_not_yet_decided_is_decided_alike_after_a_stop() {
    let rows = of_length_one(true);
    let rows: Vec<&[(u32, f64)]> = rows.iter().map(|row| &row[..]).collect();
    let (mut stopped, _) = learned(&rows[..10]);
    let mut bytes = Vec::new();
    stopped.write(&mut bytes);
    stopped = TypicalValues::read(&bytes).unwrap();
    let mut batch = Batch::default();
    rows[10..].iter().for_each(|row| _ = batch.push(row.iter().copied(), None).unwrap());
    (0..batch.len()).for_each(|i| _ = stopped.learn_from(&mut batch.row_mut(i)));
    let [mut ours, mut whole] = [Vec::new(), Vec::new()];
    stopped.write(&mut ours);
    learned(&rows).0.write(&mut whole);
    assert_eq!(ours, whole);
}

#[test]
fn extremes_stay_finite() {
    let extremes = [Real::MAX, Real::MIN, Real::MIN_POSITIVE, Real::MIN_POSITIVE / 4.0, -1.0].map(f64::from);
    for a in extremes {
        for b in extremes {
            let (typical, all) = learned(&[&[(1, a)], &[(1, b)], &[(1, a)], &[(2, b)], &[(1, b)]]);
            assert!(all.iter().flatten().all(|x| x.is_finite()), "{a} {b} {all:?}");
            assert!(extremes.iter().all(|x| scaled(&typical, 1, *x as Real).is_finite()));
        }
    }
}

#[test]
fn what_is_written_reads_back() {
    let (typical, _) = learned(&[&[(1, 3.0), (2, 1.0)], &[(1, -4.0)]]);
    let mut bytes = Vec::new();
    typical.write(&mut bytes);
    let mut again = TypicalValues::read(&bytes).unwrap();
    assert_eq!(scaled(&again, 1, 5.0), scaled(&typical, 1, 5.0));
    again.renumber(|feature| (feature == 1).then_some(5));
    assert_eq!((scaled(&again, 5, 5.0), scaled(&again, 1, 5.0)), (scaled(&typical, 1, 5.0), 0.0));
    assert!(TypicalValues::read(b"short").is_err());
    let impossible = |size, moments| {
        let mut typical = TypicalValues::new();
        typical.sizes.set(1, size);
        typical.moments.set(1, moments);
        let mut bytes = Vec::new();
        typical.write(&mut bytes);
        TypicalValues::read(&bytes).is_err()
    };
    assert!(impossible(Size { occurrences: u32::MAX, size: 1.0 }, NOTHING));
    assert!(impossible(Size { occurrences: 1, size: -1.0 }, NOTHING));
    assert!(impossible(NEVER, Moments { occurrences: 1, mean: Real::MAX, spread: 1.0 }));
    assert!(impossible(NEVER, Moments { occurrences: 1, mean: 1.0, spread: -1.0 }));
}
