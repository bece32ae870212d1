//! Tan et al. 2016.

use super::super::exhibit::Across;
use super::super::metric::Metric;
use super::claim::{Claim, Evidence, Holds};
use super::measured::{Measured, Repeats, at};

const PAPER: &str = "Tan et al. 2016";

/// As accurate: by no more than this many points worse.
const CLOSE: f64 = 0.5;

pub(super) fn claims(measured: &Measured) -> Vec<Claim> {
    let claim = |claim, evidence| Claim { claim, paper: PAPER, evidence };
    vec![
        claim("BCW is as accurate as DCD, and much faster.", bcw(measured)),
        claim("SBCW is at least as accurate as FGM and L1-SVM with as many features.", selection(measured)),
    ]
}

fn bcw(measured: &Measured) -> Vec<Evidence> {
    let mut all = Vec::new();
    for part in measured.parts("tan2016-table2") {
        for learner in ["BCW-L1", "BCW-L2"] {
            let errors = [learner, "DCD"].map(|learner| measured.of(part, learner, Metric::Error));
            let times = [learner, "DCD"].map(|learner| measured.of(part, learner, Metric::Seconds));
            let ([Some(a), Some(b)], [Some(fast), Some(slow)]) = (errors, times) else { continue };
            let times = slow.mean() / fast.mean();
            let numbers = format!(
                "error of {learner} {:.2} %, of DCD {:.2} %; {times:.1} times as fast",
                a.mean(),
                b.mean()
            );
            let holds = if times > 2.0 { b.above(&a, CLOSE) } else { Holds::No };
            all.push(Evidence::new(&part.title, holds, numbers));
        }
    }
    all
}

/// Figure 1: the mean accuracy over the numbers of features that both reach.
fn selection(measured: &Measured) -> Vec<Evidence> {
    let mut all = Vec::new();
    let wanted =
        |axes: &super::super::exhibit::Axes| axes.x == Across::Nonzeros && axes.y == Metric::Accuracy;
    for part in measured.parts("tan2016-figure1").filter(|part| part.figure.as_ref().is_some_and(wanted)) {
        let row = |learner: &str| part.rows.iter().find(|row| row.learner == learner);
        let Some(ours) = row("SBCW").filter(|_| measured.is_known(part)) else { continue };
        for other in ["FGM", "L1-SVM"] {
            let Some(rival) = row(other) else { continue };
            let both = |repetition| {
                let path = |row| measured.path(part, row, repetition, Metric::Accuracy);
                let (ours, rival) = (path(ours), path(rival));
                let pairs: Vec<(f64, f64)> =
                    ours.iter().filter_map(|(x, y)| Some((*y, at(&rival, *x)?))).collect();
                let mean = |value: fn(&(f64, f64)) -> f64| {
                    pairs.iter().map(value).sum::<f64>() / pairs.len().max(1) as f64
                };
                (!pairs.is_empty()).then(|| (mean(|pair| pair.0), mean(|pair| pair.1)))
            };
            let all_of = (0..measured.repetitions(part)).map(both).collect::<Option<Vec<_>>>();
            let Some(both) = all_of.filter(|both| !both.is_empty()) else { continue };
            let (a, b): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
            let (a, b) = (Repeats(a), Repeats(b));
            let numbers = format!("mean accuracy of SBCW {:.1} %, of {other} {:.1} %", a.mean(), b.mean());
            all.push(Evidence::new(&part.set, a.above(&b, 0.0), numbers));
        }
    }
    all
}
