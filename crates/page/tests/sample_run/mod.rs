//! Made-up runs that look like real ones.
#![allow(dead_code)]

use thalweg_page::{
    Assessment, CalibrationBin, ClassFigures, Confusion, Costs, Curve, CurvePoint, CurveValue, Feature,
    Figure, Kind, Metric, Note, OperatingPoint, Page, Row, Severity, Thresholds, Unit,
};

/// Two classes: training on text messages, with a test.
pub(crate) fn two_classes() -> Page {
    Page {
        title: "smsspam.train.tsv.zst".into(),
        kind: Kind::Training,
        command:
            "thalweg train data/smsspam.train.tsv.zst --text text --ngrams 1..2 --cost-fn 5 -f spam.thw \
                  -t data/smsspam.test.tsv.zst --report spam.html"
                .into(),
        made_at: "2026-11-18 13:05 UTC".into(),
        version: "thalweg 0.1.0".into(),
        figures: figures(&[
            ("Error", "1.79 %", "20 of 1,115 test examples are wrong"),
            ("Balanced accuracy", "97.50 %", "mean of the recalls of both classes"),
            ("Cost", "40", "5 for a miss, 1 for a false alarm"),
            ("Non-zero weights", "15,375", "of 31,040 features; 50.47 % are zero"),
        ]),
        cost:
            "On the test data the mistakes cost 40; flagging nothing would cost 725, flagging everything 970."
                .into(),
        notes: vec![
            note(Severity::Warning, "2 of 1,115 test examples have no feature that the model knows."),
            note(Severity::Remark, "Importances are all 1, so sums of importances are counts."),
        ],
        curve: curve(),
        assessments: vec![
            assessment("Test data", "The model was not trained on these examples.", 1_115, 3.6, 1),
            assessment(
                "Progressive validation",
                "Each training example was predicted before the model learned from it.",
                4_459,
                3.0,
                2,
            ),
        ],
        features: features(),
        data: rows(&[
            ("Training data", "data/smsspam.train.tsv.zst"),
            ("Examples", "4,459 in 1 pass"),
            ("Labels", "ham (negative) 3,857, spam (positive) 602"),
            ("Features", "31,040, 21.3 in a mean example"),
            ("Test data", "data/smsspam.test.tsv.zst"),
        ]),
        options: rows(&[
            ("learner", "sarow:r=0.1,kappa=0.15,floor=0.0003"),
            ("text", "text"),
            ("ngrams", "1..2"),
            ("normalize", "count"),
            ("cost of a miss", "5"),
            ("cost of a false alarm", "1"),
        ]),
    }
}

/// Many classes: the evaluation of a model.
pub(crate) fn many_classes(classes: usize) -> Page {
    let mut random = Random(7);
    let labels: Vec<String> =
        (0..classes).map(|i| GROUPS.get(i).map_or(format!("class {i}"), |name| (*name).into())).collect();
    let size = |i: usize| 60.0 + (i * 37 % 340) as f64;
    let counts: Vec<Vec<f64>> = (0..classes)
        .map(|i| {
            let mut row: Vec<f64> =
                (0..classes).map(|_| (random.uniform().powi(9) * size(i) * 0.1).floor()).collect();
            row[i] = (size(i) * (0.7 + 0.25 * random.uniform())).floor();
            row
        })
        .collect();
    let figures_of = |i: usize| {
        let (row, column): (f64, f64) = (counts[i].iter().sum(), counts.iter().map(|row| row[i]).sum());
        ClassFigures {
            label: labels[i].clone(),
            examples: row,
            precision: Some(counts[i][i] / column),
            recall: Some(counts[i][i] / row),
            f1: Some(2.0 * counts[i][i] / (row + column)),
        }
    };
    Page {
        title: "news20.t.zst".into(),
        kind: Kind::Evaluation,
        command: "thalweg eval -i news20.thw news20.t.zst --report news20.html".into(),
        made_at: "2026-11-18 13:07 UTC".into(),
        version: "thalweg 0.1.0".into(),
        figures: figures(&[
            ("Error", "18.42 %", "736 of 3,993 examples are wrong"),
            ("Macro F1", "81.03 %", "mean over the classes"),
        ]),
        assessments: vec![Assessment {
            name: "Evaluation".into(),
            classes: (0..classes).map(figures_of).collect(),
            confusion: Some(Confusion { labels, counts: counts.clone() }),
            ..Assessment::default()
        }],
        features: features()
            .into_iter()
            .enumerate()
            .map(|(i, feature)| Feature { class: Some(GROUPS[i % GROUPS.len()].into()), ..feature })
            .collect(),
        ..Page::default()
    }
}

const GROUPS: [&str; 20] = [
    "alt.atheism",
    "comp.graphics",
    "comp.os.ms-windows.misc",
    "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware",
    "comp.windows.x",
    "misc.forsale",
    "rec.autos",
    "rec.motorcycles",
    "rec.sport.baseball",
    "rec.sport.hockey",
    "sci.crypt",
    "sci.electronics",
    "sci.med",
    "sci.space",
    "soc.religion.christian",
    "talk.politics.guns",
    "talk.politics.mideast",
    "talk.politics.misc",
    "talk.religion.misc",
];

fn figures(given: &[(&str, &str, &str)]) -> Vec<Figure> {
    let one = |(name, value, explanation): &(&str, &str, &str)| Figure {
        name: (*name).into(),
        value: (*value).into(),
        explanation: (*explanation).into(),
    };
    given.iter().map(one).collect()
}

fn rows(given: &[(&str, &str)]) -> Vec<Row> {
    given.iter().map(|(name, value)| Row { name: (*name).into(), value: (*value).into() }).collect()
}

fn note(severity: Severity, text: &str) -> Note {
    Note { severity, text: text.into() }
}

fn curve() -> Curve {
    let metric = |name: &str, unit| Metric { name: name.into(), unit };
    let points = [
        (1, 0.0, 0.0, None, 1.0, 1.0, 1),
        (2, 0.0, 0.0, None, 0.761_90, 0.523_81, 12),
        (4, 0.25, 0.5, Some(0.5), 1.212_46, 1.663_01, 69),
        (8, 0.25, 0.25, Some(0.5), 1.202_94, 1.193_42, 156),
        (16, 0.375, 0.5, Some(0.587_3), 1.483_62, 1.764_30, 432),
        (32, 0.218_8, 0.0625, Some(0.645_8), 1.148_10, 0.812_58, 587),
        (64, 0.156_2, 0.093_75, Some(0.647_4), 0.966_86, 0.785_61, 896),
        (128, 0.101_6, 0.046_88, Some(0.740_6), 0.850_36, 0.733_86, 1_585),
        (256, 0.085_9, 0.070_31, Some(0.754), 0.704_03, 0.557_70, 2_496),
        (512, 0.054_7, 0.023_44, Some(0.852), 0.589_39, 0.474_74, 4_155),
        (1_024, 0.034_2, 0.013_67, Some(0.914_1), 0.480_57, 0.371_74, 6_510),
        (2_048, 0.024_9, 0.015_62, Some(0.941_2), 0.376_98, 0.273_40, 10_004),
        (4_096, 0.020_3, 0.015_63, Some(0.950_1), 0.284_89, 0.192_80, 14_679),
        (4_459, 0.019_5, 0.011_02, Some(0.951_6), 0.274_64, 0.159_02, 15_375),
    ];
    let point = |&(examples, error, since, balanced, loss, loss_since, nonzero): &(
        u64,
        f64,
        f64,
        Option<f64>,
        f64,
        f64,
        u64,
    )| {
        CurvePoint {
            examples,
            nonzero: Some(nonzero),
            values: vec![
                CurveValue { so_far: Some(error), since_last: Some(since) },
                CurveValue { so_far: balanced, since_last: None },
                CurveValue { so_far: Some(loss), since_last: Some(loss_since) },
            ],
        }
    };
    Curve {
        metrics: vec![
            metric("Error", Unit::Share),
            metric("Balanced accuracy", Unit::Share),
            metric("Average loss", Unit::Number),
        ],
        points: points.iter().map(point).collect(),
    }
}

/// Scores as of a good model: those of positives are higher by so much.
fn assessment(name: &str, explanation: &str, examples: usize, distance: f64, seed: u64) -> Assessment {
    let mut random = Random(seed);
    let mut scores: Vec<(f64, bool)> = (0..examples)
        .map(|_| {
            let positive = random.uniform() < 0.13;
            let noise = (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
            ((noise + if positive { distance / 2.0 } else { -distance / 2.0 }) * 0.55 + 0.003, positive)
        })
        .collect();
    scores.sort_by(|a, b| b.0.total_cmp(&a.0));
    let positives = scores.iter().filter(|score| score.1).count() as f64;
    let every = scores.len().div_ceil(1_000);
    let (mut true_positives, mut false_positives) = (0.0, 0.0);
    let (mut points, mut in_use) = (Vec::new(), OperatingPoint::default());
    for (i, (threshold, positive)) in scores.iter().enumerate() {
        *(if *positive { &mut true_positives } else { &mut false_positives }) += 1.0;
        let point = OperatingPoint { threshold: *threshold, true_positives, false_positives };
        if *threshold >= 0.0 {
            in_use = OperatingPoint { threshold: 0.0, ..point };
        }
        if i % every == 0 {
            points.push(point);
        }
    }
    Assessment {
        name: name.into(),
        explanation: explanation.into(),
        calibration: calibration(&scores, distance),
        thresholds: Some(Thresholds {
            positive: "spam".into(),
            negative: "ham".into(),
            positives,
            negatives: examples as f64 - positives,
            costs: Costs { missed: 5.0, false_alarm: 1.0 },
            in_use: Some(in_use),
            points,
        }),
        ..Assessment::default()
    }
}

fn calibration(scores: &[(f64, bool)], distance: f64) -> Vec<CalibrationBin> {
    let mut sums = [(0.0, 0.0, 0.0); 10];
    for (score, positive) in scores {
        let probability = 1.0 / (1.0 + (-score / 0.55 * distance * 0.7 + 1.4).exp());
        let sum = &mut sums[((probability * 10.0) as usize).min(9)];
        *sum = (sum.0 + probability, sum.1 + f64::from(u8::from(*positive)), sum.2 + 1.0);
    }
    sums.iter()
        .filter(|sum| sum.2 > 0.0)
        .map(|&(predicted, observed, weight)| CalibrationBin {
            predicted: predicted / weight,
            observed: observed / weight,
            weight,
        })
        .collect()
}

fn features() -> Vec<Feature> {
    [
        ("text=txt", 2.089_993),
        ("text=mobile", 1.843_977),
        ("text=150p", 1.821_043),
        ("text=uk", 1.816_071),
        ("text=www", 1.811_867),
        ("text=18", 1.693_077),
        ("text=service", 1.653_734),
        ("text=claim", 1.625_899),
        ("text=my", -1.624_1),
        ("text=ringtone", 1.622_154),
        ("text=stop_to", 1.611_014),
        ("text=i_ll", -1.602_7),
        ("text=ringtoneking_84484", 1.588_991),
        ("text=84484", 1.588_991),
        ("text=free", 1.579_391),
        ("text=calls_1", 1.568_008),
        ("text=sexy", 1.561_678),
        ("text=lt_gt", -1.534_9),
        ("text=co", 1.529_280),
        ("text=co_uk", 1.485_270),
    ]
    .iter()
    .enumerate()
    .map(|(i, (name, weight))| Feature {
        name: (*name).into(),
        weight: *weight,
        class: None,
        deviation: Some(0.031 + 0.007 * (i % 5) as f64),
    })
    .collect()
}

/// Numbers that are always the same.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
