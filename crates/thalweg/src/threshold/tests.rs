use thalweg_core::Costs;

use super::{Target, TargetStatus, ThresholdTuner};

/// Numbers from 0 to 1 that look random.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About normal.
    fn bell(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// The decisions on a stream.
#[derive(Default)]
struct Made {
    found: f64,
    missed: f64,
    false_alarms: f64,
    right: f64,
}

impl Made {
    fn add(&mut self, flagged: bool, positive: bool) {
        *match (flagged, positive) {
            (true, true) => &mut self.found,
            (false, true) => &mut self.missed,
            (true, false) => &mut self.false_alarms,
            (false, false) => &mut self.right,
        } += 1.0;
    }

    fn recall(&self) -> f64 {
        self.found / (self.found + self.missed)
    }

    fn precision(&self) -> f64 {
        self.found / (self.found + self.false_alarms)
    }

    fn alerts(&self) -> f64 {
        let alerts = self.found + self.false_alarms;
        alerts / (alerts + self.missed + self.right)
    }
}

fn tuner(target: &str) -> ThresholdTuner {
    ThresholdTuner::new(target.parse().unwrap(), Costs { missed: 3.0, ..Costs::default() }, 0.0)
}

/// The decisions on the second half of a stream with this rate of positives, whose scores drift as the function says.
fn run(tuner: &mut ThresholdTuner, rounds: u32, rate: f64, drift: impl Fn(f64) -> f64) -> Made {
    let (mut noise, mut made) = (Noise(1), Made::default());
    for round in 0..rounds {
        let positive = noise.next() < rate;
        let score =
            noise.bell() + if positive { 2.0 } else { 0.0 } + drift(f64::from(round) / f64::from(rounds));
        if round >= rounds / 2 {
            made.add(score > tuner.threshold(), positive);
        }
        tuner.observe(score, Some(positive), 1.0);
    }
    made
}

#[test]
fn targets_are_met_also_while_scores_drift() {
    let drifts: [fn(f64) -> f64; 4] =
        [|_| 0.0, |t| 20.0 * t, |t| if t < 0.6 { 0.0 } else { -7.0 }, |t| -1e6 * t];
    for drift in drifts {
        let recall = run(&mut tuner("recall>=0.9"), 60_000, 0.05, drift).recall();
        assert!(recall > 0.88, "{recall}");
        let alerts = run(&mut tuner("alerts<=1/100"), 60_000, 0.05, drift).alerts();
        assert!(alerts < 0.0111, "{alerts}");
    }
    let recall = run(&mut tuner("recall>=0.9"), 60_000, 0.05, drifts[0]).recall();
    assert!(recall < 0.92, "{recall}");
    for drift in &drifts[..3] {
        let precision = run(&mut tuner("precision>=0.8"), 60_000, 0.2, drift).precision();
        assert!(precision > 0.77, "{precision}");
    }
}

/// Bells of width 1 at 0 and 2 with 20 % positives. F1 is best at about 1.2; three times the cost of a miss makes ln(4 / 3) / 2 + 1 best.
#[test]
fn the_lasting_threshold_is_the_best_one() {
    for (target, best, within) in
        [("cost", 1.14, 0.12), ("f1", 1.3, 0.2), ("recall>=0.9", 0.72, 0.1), ("alerts<=10%", 2.16, 0.1)]
    {
        let mut tuner = tuner(target);
        run(&mut tuner, 60_000, 0.2, |_| 0.0);
        let threshold = tuner.lasting_threshold();
        assert!((threshold - best).abs() < within, "{target}: {threshold}");
    }
}

/// With balanced costs and bells of the same width, the middle between them is best, however rare positives are.
#[test]
fn balanced_costs_do_not_depend_on_how_rare_positives_are() {
    for rate in [0.05, 0.2] {
        let costs = Costs { balanced: true, ..Costs::default() };
        let mut tuner = ThresholdTuner::new(Target::Cost, costs, 0.0);
        run(&mut tuner, 60_000, rate, |_| 0.0);
        let threshold = tuner.lasting_threshold();
        assert!((threshold - 1.0).abs() < 0.15, "{rate}: {threshold}");
    }
}

/// Whoever knows the threshold can send any score. Still there are no more errors than the bound says.
#[test]
fn an_adversary_cannot_break_the_budget() {
    let mut alerts = tuner("alerts<=1/100");
    let mut recall = tuner("recall>=0.9");
    let (mut flagged, mut missed) = (0.0, 0.0);
    for round in 1..=30_000 {
        let above = alerts.threshold().next_up().min(1e300);
        flagged += f64::from(u8::from(above > alerts.threshold()));
        alerts.observe(above, None, 1.0);
        assert!(flagged <= 0.01 * f64::from(round) + 22.0, "{round}: {flagged}");
        let below = recall.threshold().max(-1e300);
        missed += f64::from(u8::from(below <= recall.threshold()));
        recall.observe(below, Some(true), 1.0);
        assert!(missed <= 0.1 * f64::from(round) + 22.0, "{round}: {missed}");
    }
}

#[test]
fn equal_scores_are_all_flagged_or_none() {
    // Half of the positives share a score, the others are above it.
    let mut recall = tuner("recall>=0.9");
    let mut made = Made::default();
    for round in 0..4000 {
        let score = if round % 2 == 0 { -1.0 } else { f64::from(round % 7) };
        made.add(score > recall.threshold(), true);
        recall.observe(score, Some(true), 1.0);
    }
    assert!(made.recall() >= 0.89, "{}", made.recall());
    assert!(recall.lasting_threshold() < -1.0);
    // All scores are the same: at most 1 % may be flagged, so none.
    let mut alerts = tuner("alerts<=1%");
    (0..4000).for_each(|_| alerts.observe(3.0, None, 1.0));
    assert!(alerts.lasting_threshold() >= 3.0);
}

#[test]
fn the_start_is_the_learners_own_threshold() {
    for target in ["recall>=0.9", "precision>=0.8", "f1", "cost"] {
        let mut tuner = ThresholdTuner::new(target.parse().unwrap(), Costs::default(), 0.25);
        for round in 0..9 {
            assert_eq!((tuner.threshold(), tuner.status()), (0.25, TargetStatus::TooFew), "{target}");
            tuner.observe(f64::from(round), Some(true), 1.0);
            tuner.observe(f64::from(-round), Some(false), 1.0);
        }
        assert_eq!(tuner.lasting_threshold(), 0.25);
    }
}

#[test]
fn a_precision_out_of_reach_is_said_so() {
    let mut tuner = tuner("precision>=0.9");
    let mut noise = Noise(3);
    for _ in 0..20_000 {
        tuner.observe(noise.next(), Some(noise.next() < 0.3), 1.0);
    }
    let TargetStatus::OutOfReach { best } = tuner.status() else { panic!("{:?}", tuner.status()) };
    assert!((0.2..0.8).contains(&best), "{best}");
    assert!(tuner.status().to_string().starts_with("out of reach: the best precision"));
    for _ in 0..20_000 {
        let positive = noise.next() < 0.3;
        tuner.observe(noise.next() + f64::from(u8::from(positive)), Some(positive), 1.0);
    }
    assert_eq!(tuner.status(), TargetStatus::Steered);
}

#[test]
fn an_importance_of_two_counts_as_two_examples() {
    for target in ["f1", "cost", "precision>=0.8"] {
        let (mut twice, mut double) = (tuner(target), tuner(target));
        let mut noise = Noise(4);
        for _ in 0..30_000 {
            let positive = noise.next() < 0.1;
            let score = noise.bell() + 2.0 * f64::from(u8::from(positive));
            let times = if positive { 2 } else { 1 };
            (0..times).for_each(|_| twice.observe(score, Some(positive), 1.0));
            double.observe(score, Some(positive), f64::from(times));
        }
        let (one, other) = (twice.lasting_threshold(), double.lasting_threshold());
        assert!((one - other).abs() < 0.1, "{target}: {one}, {other}");
    }
}

#[test]
fn stored_and_read_back_it_goes_on_as_before() {
    for target in ["recall>=0.9", "precision>=0.8", "alerts<=1/100", "f2", "cost"] {
        let (mut straight, mut stored) = (tuner(target), tuner(target));
        let (mut noise, mut largest) = (Noise(5), 0);
        for round in 0..6000 {
            let positive = noise.next() < 0.1;
            let (score, importance) = (noise.bell() + f64::from(u8::from(positive)), 0.1 + noise.next());
            straight.observe(score, Some(positive), importance);
            stored.observe(score, Some(positive), importance);
            if round % 211 == 0 {
                let json = serde_json::to_string(&stored).unwrap();
                largest = largest.max(json.len());
                stored = serde_json::from_str(&json).unwrap();
            }
            assert_eq!(stored.threshold(), straight.threshold());
        }
        assert_eq!(stored, straight);
        assert!(largest < 60_000, "{target}: {largest} bytes");
    }
}

#[test]
fn hostile_numbers_leave_everything_finite() {
    let scores = [0.0, -0.0, 1.0, -1.0, 1e300, -1e300, 5e-324, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let importances = [1.0, 0.0, -1.0, f64::NAN, f64::from(f32::MAX), 1e-45, f64::INFINITY];
    for target in ["recall>=0.9", "precision>=0.8", "alerts<=1/100", "f2", "cost"] {
        let costs = Costs { missed: 1e30, false_alarm: 1e-30, balanced: true, ..Costs::default() };
        let mut tuner = ThresholdTuner::new(target.parse().unwrap(), costs, 0.0);
        let mut noise = Noise(6);
        let mut any = |from: &[f64]| from[(noise.next() * from.len() as f64) as usize];
        for round in 0..5000 {
            let label = [None, Some(true), Some(false)][round % 3];
            tuner.observe(any(&scores), label, any(&importances));
            assert!(
                tuner.threshold().is_finite() && tuner.lasting_threshold().is_finite(),
                "{target}, {round}"
            );
        }
        let json = serde_json::to_string(&tuner).unwrap();
        assert_eq!(serde_json::from_str::<ThresholdTuner>(&json).unwrap(), tuner);
    }
}

#[test]
fn labels_count_only_where_they_must() {
    let mut alerts = tuner("alerts<=1/10");
    let mut unlabelled = alerts.clone();
    let mut recall = tuner("recall>=0.9");
    let before = recall.clone();
    for round in 0..1000 {
        let score = f64::from(round * 7919 % 1000);
        alerts.observe(score, Some(round % 2 == 0), 1.0);
        unlabelled.observe(score, None, 1.0);
        recall.observe(score, None, 1.0);
        recall.observe(score, Some(false), 1.0);
    }
    assert_eq!(alerts, unlabelled);
    assert_eq!(recall, before);
    assert_eq!(alerts.target(), Target::Alerts { most: 1.0, per: 10.0 });
}
