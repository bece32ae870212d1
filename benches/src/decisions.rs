//! The tables of docs/design/2026-11-18-thresholds.md and docs/design/2026-11-18-probabilities.md.
//!
//! `measure-decisions FOLDER` reads the data sets from the folder and prints Markdown. The first four fifths of a stream are learned from; thresholds
//! are measured on the second half of these, as the stream goes, and on the last fifth with the model and the threshold as they were saved.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use thalweg::observer::{Refusal, Seen};
use thalweg::{Calibrator, Config, Costs, Input, Observer, Predictor, Target, Task, ThresholdTuner, Trainer};

/// How the examples of a stream come.
#[derive(Clone, Copy)]
enum Order {
    Shuffled,
    AsTheyAre,
    /// The rate of positives at each point of the stream, from 0 to 1.
    Rate(fn(f64) -> f64),
}

/// Name, files, positive label, order.
type Source = (&'static str, &'static [&'static str], &'static str, Order);
const SLOW: Order = Order::Rate(|t| 0.02 + 0.28 * t);
const SUDDEN: Order = Order::Rate(|t| if t < 0.5 { 0.02 } else { 0.3 });
/// The first nine are those that constants were chosen on.
const SOURCES: [Source; 18] = [
    ("a9a", &["a9a.zst", "a9a.t.zst"], "+1", Order::Shuffled),
    ("a9a, 2 to 30 %", &["a9a.zst", "a9a.t.zst"], "+1", SLOW),
    ("basehock", &["basehock.zst"], "+1", Order::Shuffled),
    ("covtype", &["covtype.libsvm.binary.zst"], "2", Order::Shuffled),
    ("covtype, as it is", &["covtype.libsvm.binary.zst"], "2", Order::AsTheyAre),
    ("german", &["german.numer.zst"], "+1", Order::Shuffled),
    ("ijcnn1", &["ijcnn1.zst"], "+1", Order::Shuffled),
    ("kddcup99 rare", &["kddcup99.10pct.rare_u2r_r2l.zst"], "+1", Order::Shuffled),
    ("magic04", &["magic04.zst"], "-1", Order::Shuffled),
    ("phishing", &["pdd_urls.tsv.zst"], "+1", Order::Shuffled),
    ("phishing, 2 to 30 %", &["pdd_urls.tsv.zst"], "+1", SLOW),
    ("phishing, 2, then 30 %", &["pdd_urls.tsv.zst"], "+1", SUDDEN),
    ("reuters, as it is", &["reuters21578.crude.zst"], "+1", Order::AsTheyAre),
    ("smsspam", &["smsspam.zst"], "+1", Order::Shuffled),
    ("spambase", &["spambase.zst"], "+1", Order::Shuffled),
    ("splice", &["splice.zst"], "+1", Order::Shuffled),
    ("usps 0", &["usps.zst"], "1", Order::Shuffled),
    ("w8a", &["w8a.zst"], "+1", Order::Shuffled),
];
/// A learner, and whether costs are balanced.
const LEARNERS: [(&str, bool); 5] =
    [("sarow", false), ("arow", false), ("arow", true), ("ssol", false), ("perceptron", false)];
/// Thresholds are measured for the first so many.
const STEERED: usize = 3;
const TARGETS: [&str; 5] = ["recall>=0.9", "precision>=0.8", "alerts<=1/100", "f1", "cost"];
const COSTS: Costs = Costs { missed: 5.0, ..Costs::EQUAL };
const BINS: usize = 15;

/// Scores with what is true.
type Scores = Vec<(f64, bool)>;

struct Stream {
    name: &'static str,
    learned: Vec<u8>,
    held_out: Vec<u8>,
    positive: &'static str,
    table: bool,
}

fn lines(folder: &Path, files: &[&str]) -> Vec<Vec<u8>> {
    let read = |file: &&str| zstd::decode_all(File::open(folder.join(file)).unwrap()).unwrap();
    let text: Vec<u8> = files.iter().flat_map(read).collect();
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
}

impl Stream {
    fn read(folder: &Path, (name, files, positive, order): Source) -> Self {
        let mut all = lines(folder, files);
        let mut random = Pcg64Mcg::seed_from_u64(7);
        if !matches!(order, Order::AsTheyAre) {
            all.shuffle(&mut random);
        }
        if let Order::Rate(rate) = order {
            let is_positive = |line: &Vec<u8>| {
                let end = line.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(line.len());
                &line[..end] == positive.as_bytes()
            };
            let (mut positives, mut negatives): (Vec<_>, Vec<_>) = all.into_iter().partition(is_positive);
            let expected = negatives.len() as f64 / 0.84;
            all = Vec::new();
            loop {
                let now = rate((all.len() as f64 / expected).min(1.0));
                let next = if random.random::<f64>() < now { positives.pop() } else { negatives.pop() };
                let Some(line) = next else { break };
                all.push(line);
            }
        }
        let held_out = all.split_off(all.len() * 4 / 5);
        let table = files[0].contains(".tsv");
        let text = |lines: Vec<Vec<u8>>| [lines.join(&b'\n'), vec![b'\n']].concat();
        Self { name, learned: text(all), held_out: text(held_out), positive, table }
    }

    /// The scores from before learning, and those of the rest with the model.
    fn scores(&self, (learner, balanced): (&str, bool)) -> (Scores, Scores) {
        let mut config = Config::parse(learner).unwrap().positive(self.positive).balanced(balanced);
        if self.table {
            config = config.no_header(true).label_col("1").url("2");
        }
        let input =
            |bytes: &[u8]| [Input::bytes(if self.table { "data.tsv" } else { "data.svm" }, bytes.to_vec())];
        let mut trainer = Trainer::new(config).unwrap();
        let (mut learned, mut held_out) = (Collected::default(), Collected::default());
        trainer.run(&input(&self.learned), &mut learned).unwrap();
        let model = Arc::new(trainer.into_model().unwrap());
        let predictor = Predictor::new(Arc::clone(&model));
        predictor
            .run::<(), _>(
                &input(&self.held_out),
                &mut (),
                |_| {},
                |scored, ()| {
                    held_out.batch(&scored.seen(&model)).map(|()| true).map_err(thalweg::Error::Observer)
                },
            )
            .unwrap();
        (learned.0, held_out.0)
    }
}

#[derive(Default)]
struct Collected(Scores);

impl Observer for Collected {
    fn batch(&mut self, seen: &Seen<'_>) -> Result<(), Refusal> {
        let labelled = seen.outcomes.scores.iter().zip(seen.batch.labels());
        self.0.extend(labelled.filter_map(|(score, label)| label.map(|class| (*score, class == 1))));
        Ok(())
    }
}

/// The decisions on some examples.
#[derive(Clone, Copy, Default)]
struct Made {
    found: f64,
    missed: f64,
    false_alarms: f64,
    right: f64,
}

impl Made {
    fn of(decisions: impl Iterator<Item = (bool, bool)>) -> Self {
        let mut made = Self::default();
        decisions.for_each(|(flagged, positive)| made.add(flagged, positive));
        made
    }

    fn add(&mut self, flagged: bool, positive: bool) {
        *match (flagged, positive) {
            (true, true) => &mut self.found,
            (false, true) => &mut self.missed,
            (true, false) => &mut self.false_alarms,
            (false, false) => &mut self.right,
        } += 1.0;
    }

    /// What a target is about.
    fn figure(&self, target: Target) -> f64 {
        let Self { found, missed, false_alarms, right } = *self;
        let all = found + missed + false_alarms + right;
        match target {
            Target::Recall { .. } => found / (found + missed),
            Target::Precision { .. } => found / (found + false_alarms),
            Target::Alerts { .. } => (found + false_alarms) / all,
            Target::F { beta } => {
                let recall = beta * beta;
                (1.0 + recall) * found / ((1.0 + recall) * found + recall * missed + false_alarms)
            }
            Target::Cost => (COSTS.missed * missed + COSTS.false_alarm * false_alarms) / all,
        }
    }

    /// Is the target missed by more than two points (alerts: a tenth) and two standard errors?
    fn fails(&self, target: Target) -> bool {
        let error = |share: f64, of: f64| 2.0 * (share * (1.0 - share) / of.max(1.0)).sqrt();
        let figure = self.figure(target);
        match target {
            Target::Recall { least } => figure < least - error(least, self.found + self.missed).max(0.02),
            Target::Precision { least } => {
                let alerts = self.found + self.false_alarms;
                figure.is_nan() || figure < least - error(least, alerts).max(0.02)
            }
            Target::Alerts { most, per } => {
                let all = self.found + self.missed + self.false_alarms + self.right;
                figure > most / per + error(most / per, all).max(0.1 * most / per)
            }
            Target::F { .. } | Target::Cost => false,
        }
    }
}

/// The best figure that a single threshold reaches, for targets that have a best.
fn best(scores: &Scores, target: Target) -> Option<f64> {
    let mut sorted = scores.clone();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut made = Made::of(sorted.iter().map(|(_, positive)| (false, *positive)));
    let mut figures = vec![made.figure(target)];
    for (i, (score, positive)) in sorted.iter().enumerate() {
        if *positive {
            (made.found, made.missed) = (made.found + 1.0, made.missed - 1.0);
        } else {
            (made.false_alarms, made.right) = (made.false_alarms + 1.0, made.right - 1.0);
        }
        if sorted.get(i + 1).is_none_or(|next| next.0 < *score) {
            figures.push(made.figure(target));
        }
    }
    match target {
        Target::F { .. } => figures.into_iter().reduce(f64::max),
        Target::Cost => figures.into_iter().reduce(f64::min),
        _ => None,
    }
}

/// The figure of the second half, and that of what was held out. An exclamation mark stands by those that fail, the best possible in brackets.
fn steered(learned: &Scores, held_out: &Scores, target: Target) -> String {
    let mut tuner = ThresholdTuner::new(target, COSTS, 0.0);
    let half = learned.len() / 2;
    let mut decisions = Vec::new();
    for (score, positive) in learned {
        decisions.push((*score > tuner.threshold(), *positive));
        tuner.observe(*score, Some(*positive), 1.0);
    }
    let now = Made::of(decisions.into_iter().skip(half));
    let saved = tuner.lasting_threshold();
    let later = Made::of(held_out.iter().map(|(score, positive)| (*score > saved, *positive)));
    let (places, unit) = if matches!(target, Target::Cost) { (4, 1.0) } else { (1, 100.0) };
    let places = if matches!(target, Target::Alerts { .. }) { 2 } else { places };
    let show = |made: &Made, scores: &Scores| {
        let mark = if made.fails(target) { "!" } else { "" };
        let best = best(scores, target).map_or(String::new(), |best| format!(" ({:.places$})", best * unit));
        format!("{:.places$}{mark}{best}", made.figure(target) * unit)
    };
    format!("{}, {}", show(&now, &learned[half..].to_vec()), show(&later, held_out))
}

/// Expected calibration error, Brier score and log loss of what was held out.
fn calibrated(learned: &Scores, held_out: &Scores) -> String {
    let mut calibrator = Calibrator::new(Task::Binary);
    for (score, positive) in learned {
        calibrator.observe(&[*score], u32::from(*positive), 1.0);
    }
    let (mut bins, mut brier, mut loss) = ([[0.0; 2]; BINS], 0.0, 0.0);
    for (score, positive) in held_out {
        let (p, truth) = (calibrator.probability(*score), f64::from(u8::from(*positive)));
        let bin = ((p * BINS as f64) as usize).min(BINS - 1);
        bins[bin][0] += p;
        bins[bin][1] += truth;
        brier += (p - truth).powi(2);
        loss -= if *positive { p } else { 1.0 - p }.max(1e-12).ln();
    }
    let all = held_out.len() as f64;
    let error: f64 = bins.iter().map(|[p, truth]| (p - truth).abs()).sum();
    format!("{:.4} / {:.4} / {:.3}", error / all, brier / all, loss / all)
}

fn main() {
    let Some(folder) = std::env::args().nth(1) else {
        println!("usage: measure-decisions FOLDER");
        return;
    };
    let mut rows: Vec<Vec<String>> = vec![Vec::new(); TARGETS.len() + 1];
    for source in SOURCES {
        let stream = Stream::read(Path::new(&folder), source);
        let scores: Vec<_> = LEARNERS.iter().map(|learner| stream.scores(*learner)).collect();
        for (target, rows) in TARGETS.iter().zip(&mut rows) {
            let target = target.parse().unwrap();
            let cell = |(learned, held_out): &(Scores, Scores)| steered(learned, held_out, target);
            let cells: Vec<String> = scores[..STEERED].iter().map(cell).collect();
            rows.push(format!("| {} | {} |", stream.name, cells.join(" | ")));
        }
        let cells: Vec<String> =
            scores.iter().map(|(learned, held_out)| calibrated(learned, held_out)).collect();
        rows[TARGETS.len()].push(format!("| {} | {} |", stream.name, cells.join(" | ")));
    }
    let head = |count: usize| {
        let name =
            |(name, balanced): &(&str, bool)| format!("{name}{}", if *balanced { " --balanced" } else { "" });
        LEARNERS[..count].iter().map(name).collect::<Vec<_>>().join(" | ")
    };
    for (what, rows) in TARGETS.iter().chain(&["ECE / Brier / log loss"]).zip(rows) {
        let count = if TARGETS.contains(what) { STEERED } else { LEARNERS.len() };
        println!("| {what} | {} |\n| --- |{}\n{}\n", head(count), " --- |".repeat(count), rows.join("\n"));
    }
}
