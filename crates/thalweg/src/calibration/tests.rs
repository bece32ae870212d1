use super::*;

/// Numbers from 0 to 1 that look random.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A calibrator of scores whose true probability is known, from −3 to 3.
fn trained(rounds: u32, truth: impl Fn(f64) -> f64, scale: f64, seed: u64) -> Calibrator {
    let (mut calibrator, mut noise) = (Calibrator::new(Task::Binary), Noise(seed));
    for _ in 0..rounds {
        let score = 6.0 * noise.next() - 3.0;
        let positive = noise.next() < truth(score);
        calibrator.observe(&[score * scale], Class::from(positive), 1.0);
    }
    calibrator
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[test]
fn a_sigmoid_is_found() {
    for scale in [1.0, 1e-250, 1e250] {
        let calibrator = trained(40_000, |score| logistic(2.0 * score - 1.0), scale, 1);
        for score in [-2.0, -0.5, 0.0, 0.5, 1.0, 2.0] {
            let (p, truth) = (calibrator.probability(score * scale), logistic(2.0 * score - 1.0));
            assert!((p - truth).abs() < 0.03, "{score} times {scale}: {p} instead of {truth}");
        }
    }
}

#[test]
fn what_is_no_sigmoid_is_found_too() {
    let truth = |score: f64| if score < 0.0 { 0.3 } else { 0.4 + 0.1 * score };
    let calibrator = trained(60_000, truth, 1.0, 2);
    for score in [-2.5, -1.0, 1.0, 2.0, 2.8] {
        let p = calibrator.probability(score);
        assert!((p - truth(score)).abs() < 0.04, "{score}: {p} instead of {}", truth(score));
    }
}

#[test]
fn probabilities_increase_with_the_score() {
    let calibrator = trained(3000, |score| 0.5 + 0.4 * (3.0 * score).sin(), 1.0, 3);
    let p: Vec<f64> = (-500..=500).map(|i| calibrator.probability(f64::from(i) / 100.0)).collect();
    assert!(p.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12));
    assert!(p.iter().all(|p| *p > 0.0 && *p < 1.0));
}

#[test]
fn before_anything_is_known_it_is_how_frequent_positives_are() {
    let mut calibrator = Calibrator::new(Task::Binary);
    assert_eq!(calibrator.probability(7.0), 0.5);
    (0..8).for_each(|_| calibrator.observe(&[1.0], 1, 1.0));
    assert_eq!(calibrator.probability(-7.0), 0.9);
}

#[test]
fn importance_counts_examples() {
    let (mut weighted, mut repeated) = (Calibrator::new(Task::Binary), Calibrator::new(Task::Binary));
    let mut noise = Noise(5);
    for _ in 0..20_000 {
        let score = 2.0 * noise.next() - 1.0;
        let class = Class::from(noise.next() < logistic(score));
        // Of the negatives a quarter was kept.
        weighted.observe(&[score], class, if class == 1 { 1.0 } else { 4.0 });
        (0..if class == 1 { 1 } else { 4 }).for_each(|_| repeated.observe(&[score], class, 1.0));
    }
    for score in [-0.8, 0.0, 0.8] {
        let (one, other) = (weighted.probability(score), repeated.probability(score));
        assert!(
            (one - other).abs() < 0.03 && (one - logistic(score - 4f64.ln())).abs() < 0.04,
            "{one}, {other}"
        );
    }
}

#[test]
fn stored_and_read_back_it_goes_on_as_before() {
    for task in [Task::Binary, Task::Hinge] {
        let (mut calibrator, mut noise) = (Calibrator::new(task), Noise(6));
        for round in 0..1500 {
            if round % 97 == 0 {
                let json = serde_json::to_string(&calibrator).unwrap();
                let copy: Calibrator = serde_json::from_str(&json).unwrap();
                assert_eq!(copy, calibrator);
                calibrator = copy;
            }
            let scores = [noise.next(), noise.next(), noise.next()];
            let scores = if task == Task::Binary { &scores[..1] } else { &scores };
            calibrator.observe(scores, Class::from(noise.next() < scores[0]), 0.1 + noise.next());
        }
        let mut straight = Calibrator::new(task);
        let mut noise = Noise(6);
        for _ in 0..1500 {
            let scores = [noise.next(), noise.next(), noise.next()];
            let scores = if task == Task::Binary { &scores[..1] } else { &scores };
            straight.observe(scores, Class::from(noise.next() < scores[0]), 0.1 + noise.next());
        }
        assert_eq!(straight, calibrator);
    }
}

#[test]
fn many_classes_get_what_they_deserve() {
    let (mut calibrator, mut noise) = (Calibrator::new(Task::Ovr), Noise(7));
    let truth = |scores: &[f64; 3]| {
        let e = scores.map(|score| (2.0 * score).exp());
        e.map(|one| one / e.iter().sum::<f64>())
    };
    let mut out = Vec::new();
    let mut off = 0.0;
    for round in 0..30_000 {
        let scores = [noise.next(), noise.next(), noise.next()].map(|x| 1e6 * 2.0 * x);
        let p = truth(&scores.map(|score| score / 1e6));
        let u = noise.next();
        let class = if u < p[0] {
            0
        } else if u < p[0] + p[1] {
            1
        } else {
            2
        };
        calibrator.probabilities(&scores, &mut out);
        assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        if round >= 20_000 {
            off += (0..3).map(|k| (out[k] - p[k]).abs()).sum::<f64>() / 30_000.0;
            let highest = (0..3).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap();
            assert!(out.iter().all(|p| *p <= out[highest]));
        }
        calibrator.observe(&scores, class, 1.0);
    }
    assert!(off < 0.03, "{off}");
}

#[test]
fn hostile_numbers_leave_everything_finite() {
    let numbers =
        [0.0, -0.0, 1.0, -1.0, 1e300, -1e300, 1e-300, 5e-324, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let importances = [1.0, 0.0, -1.0, f64::NAN, f64::from(f32::MAX), 1e-45, f64::INFINITY];
    let mut noise = Noise(8);
    let (mut two, mut many) = (Calibrator::new(Task::Binary), Calibrator::new(Task::Hinge));
    let mut out = Vec::new();
    let mut any = |from: &[f64]| from[(noise.next() * from.len() as f64) as usize];
    for round in 0..5000 {
        let (scores, importance) = ([any(&numbers), any(&numbers)], any(&importances));
        two.observe(&scores[..1], round % 3, importance);
        many.observe(&scores, round % 3, importance);
        many.observe(&[], 0, importance);
        two.observe(&scores, 1, importance);
        let p = two.probability(any(&numbers));
        assert!((0.0..=1.0).contains(&p), "{p}");
        many.probabilities(&[any(&numbers), any(&numbers), any(&numbers)], &mut out);
        assert!(
            out.iter().all(|p| (0.0..=1.0).contains(p)) && (out.iter().sum::<f64>() - 1.0).abs() < 1e-9,
            "{out:?}"
        );
        two.probabilities(&scores[..1], &mut out);
        assert_eq!(out.len(), 2);
    }
    for calibrator in [two, many] {
        let json = serde_json::to_string(&calibrator).unwrap();
        assert_eq!(serde_json::from_str::<Calibrator>(&json).unwrap(), calibrator);
    }
}
