//! Zhao et al. 2019.

use super::super::metric::Metric;
use super::claim::{Claim, Evidence, Holds};
use super::measured::Measured;

const PAPER: &str = "Zhao et al. 2019";

/// Two learners of a table of which one is claimed to be better.
struct Pair {
    table: &'static str,
    metric: Metric,
    better: &'static str,
    worse: &'static str,
}

const SECOND_ORDER: &[Pair] = &[
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-I (diagonal)", worse: "COG-I" },
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-II (diagonal)", worse: "COG-II" },
];
const COST_SENSITIVE: &[Pair] = &[
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "PAUM", worse: "Perceptron" },
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "COG-I", worse: "PA-I" },
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-II", worse: "AROW" },
];
const ACOG: &[Pair] = &[
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-I", worse: "COG-I" },
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-II", worse: "COG-II" },
    Pair { table: "zhao2019-table2", metric: Metric::CostInHundreds, better: "ACOG-I", worse: "COG-I" },
    Pair { table: "zhao2019-table2", metric: Metric::CostInHundreds, better: "ACOG-II", worse: "COG-II" },
    Pair { table: "zhao2019-table8", metric: Metric::Sum, better: "ACOG-I", worse: "COG-I" },
    Pair { table: "zhao2019-table8", metric: Metric::Sum, better: "ACOG-II", worse: "COG-II" },
];
const FULL: &[Pair] = &[
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-I", worse: "ACOG-I (diagonal)" },
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-II", worse: "ACOG-II (diagonal)" },
    Pair { table: "zhao2019-table8", metric: Metric::Sum, better: "ACOG-I", worse: "ACOG-I (diagonal)" },
    Pair { table: "zhao2019-table8", metric: Metric::Sum, better: "ACOG-II", worse: "ACOG-II (diagonal)" },
];

/// Sketches lose at most 0.98 points in the paper's own Table 5 (usps), where it says that they lose little.
const LITTLE: f64 = 1.0;

pub(super) fn claims(measured: &Measured) -> Vec<Claim> {
    let claim = |claim, evidence| Claim { claim, paper: PAPER, evidence };
    vec![
        claim(
            "Second-order learners beat first-order ones with the same loss.",
            pairs(measured, SECOND_ORDER),
        ),
        claim("Cost-sensitive learners beat cost-blind ones in the sum.", pairs(measured, COST_SENSITIVE)),
        claim("ACOG beats COG.", pairs(measured, ACOG)),
        claim("A full covariance beats a diagonal one.", pairs(measured, FULL)),
        claim(
            "The mean moved by the covariance from after the example beats the one from before.",
            updates(measured),
        ),
        claim("SSACOG loses at most a point against ACOG, in less time.", sketch(measured)),
    ]
}

fn pairs(measured: &Measured, pairs: &[Pair]) -> Vec<Evidence> {
    let mut all = Vec::new();
    for Pair { table, metric, better, worse } in pairs {
        for part in measured.parts(table).filter(|part| part.show.first() == Some(metric)) {
            let [Some(a), Some(b)] = [better, worse].map(|learner| measured.of(part, learner, *metric))
            else {
                continue;
            };
            let holds = if metric.falls() { b.above(&a, 0.0) } else { a.above(&b, 0.0) };
            let numbers = format!("{better} {:.2}, {worse} {:.2}", a.mean(), b.mean());
            all.push(Evidence::new(&part.title, holds, numbers));
        }
    }
    all
}

/// Figure 7.
fn updates(measured: &Measured) -> Vec<Evidence> {
    let mut all = Vec::new();
    for part in measured.parts("zhao2019-figure7") {
        for learner in ["ACOG-I", "ACOG-II"] {
            let before = format!("{learner}, Σ before");
            let sums = [learner, &before].map(|learner| measured.of(part, learner, Metric::Sum));
            let [Some(a), Some(b)] = sums else { continue };
            let numbers = format!("{learner} {:.2}, from before {:.2}", a.mean(), b.mean());
            all.push(Evidence::new(&part.title, a.above(&b, 0.0), numbers));
        }
    }
    all
}

fn sketch(measured: &Measured) -> Vec<Evidence> {
    let mut all = Vec::new();
    for part in measured.parts("zhao2019-table5").filter(|part| part.show.first() == Some(&Metric::Sum)) {
        for (sketch, full) in [("SSACOG-I", "ACOG-I"), ("SSACOG-II", "ACOG-II")] {
            let sums = [sketch, full].map(|learner| measured.of(part, learner, Metric::Sum));
            let times = [sketch, full].map(|learner| measured.of(part, learner, Metric::Seconds));
            let ([Some(a), Some(b)], [Some(fast), Some(slow)]) = (sums, times) else { continue };
            let share = fast.mean() / slow.mean();
            let numbers = format!("{sketch} {:.2}, {full} {:.2}; {share:.2} of its time", a.mean(), b.mean());
            let holds = if share < 1.0 { a.above(&b, LITTLE) } else { Holds::No };
            all.push(Evidence::new(&part.title, holds, numbers));
        }
    }
    all
}
