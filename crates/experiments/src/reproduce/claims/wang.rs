//! Wang et al. 2015.

use super::super::exhibit::{Part, Point};
use super::super::metric::Metric;
use super::claim::{Claim, Evidence};
use super::measured::{Measured, Repeats};

const PAPER: &str = "Wang et al. 2015";

pub(super) fn claims(measured: &Measured) -> Vec<Claim> {
    let claim = |claim, evidence| Claim { claim, paper: PAPER, evidence };
    vec![
        claim("Dual averaging keeps its error to higher sparsity than truncation.", dual_averaging(measured)),
        claim("Second-order learners have lower errors than first-order ones.", second_order(measured)),
        claim("SSOL is no slower than Ada-RDA.", ssol_time(measured)),
    ]
}

/// Figures 1 and 2: the parts of which all is known.
fn paths<'a>(measured: &'a Measured) -> impl Iterator<Item = &'a Part> {
    let parts = measured.parts("wang2015-figure1").chain(measured.parts("wang2015-figure2"));
    parts.filter(|part| measured.is_known(part))
}

fn dual_averaging(measured: &Measured) -> Vec<Evidence> {
    // Where the lines part: the synthetic set has 90 % noise, texts can do without nearly all of their words.
    let levels = [
        ("synthetic", 90.0),
        ("a9a-test", 50.0),
        ("pcmac", 90.0),
        ("news20.binary", 99.0),
        ("addresses", 99.0),
    ];
    let mut all = Vec::new();
    for part in paths(measured) {
        let level = levels.iter().find(|(set, _)| *set == part.set).map_or(90.0, |(_, level)| *level);
        let sparse = |point: &Point| {
            measured.mean(part, point, Metric::Sparsity).is_some_and(|sparsity| sparsity >= level)
        };
        let best = |learners: &[&str]| measured.best(part, learners, Metric::Error, sparse);
        let dual = best(&["FSOL", "Ada-RDA", "SSOL"]);
        let truncated = best(&["STG", "FOBOS", "Ada-FOBOS"]);
        let numbers = format!(
            "with at least {level} % zeros {} against {} error",
            percent(dual.as_ref()),
            percent(truncated.as_ref())
        );
        let holds = match (&dual, &truncated) {
            (Some(dual), Some(truncated)) => truncated.above(dual, 0.0),
            (dual, _) => dual.is_some().into(),
        };
        all.push(Evidence::new(&part.title, holds, numbers));
    }
    all
}

fn second_order(measured: &Measured) -> Vec<Evidence> {
    let mut all = Vec::new();
    for part in paths(measured) {
        for (second, first) in [("SSOL", "FSOL"), ("Ada-FOBOS", "FOBOS")] {
            let errors = [second, first].map(|learner| measured.of(part, learner, Metric::Error));
            let [Some(a), Some(b)] = &errors else { continue };
            let numbers = format!("lowest error of {second} {:.2} %, of {first} {:.2} %", a.mean(), b.mean());
            all.push(Evidence::new(&part.title, b.above(a, 0.0), numbers));
        }
    }
    all
}

/// Figure 3: the mean over the path of penalties.
fn ssol_time(measured: &Measured) -> Vec<Evidence> {
    let mut all = Vec::new();
    for part in measured.parts("wang2015-figure3") {
        let time = |learner: &str| {
            let row = part.rows.iter().find(|row| row.learner == learner)?;
            let points = part.points(row);
            let times: Vec<Repeats> = points
                .iter()
                .map(|point| measured.repeats(part, point, Metric::Seconds))
                .collect::<Option<Vec<_>>>()?;
            let mean = |i: usize| times.iter().map(|time| time.0[i]).sum::<f64>() / times.len() as f64;
            Some(Repeats((0..measured.repetitions(part)).map(mean).collect()))
        };
        let (Some(ssol), Some(rda)) = (time("SSOL"), time("Ada-RDA")) else { continue };
        let numbers = format!("SSOL {:.1} ms, Ada-RDA {:.1} ms", 1e3 * ssol.mean(), 1e3 * rda.mean());
        all.push(Evidence::new(&part.title, rda.above(&ssol, 0.0), numbers));
    }
    all
}

fn percent(repeats: Option<&Repeats>) -> String {
    repeats.map_or_else(|| "none".into(), |repeats| format!("{:.2} %", repeats.mean()))
}
