//! Oiwa et al. 2011.

use super::super::exhibit::{Part, Point};
use super::super::metric::Metric;
use super::claim::{Claim, Evidence};
use super::measured::Measured;

const PAPER: &str = "Oiwa et al. 2011";

/// The share of zero weights from which on weights count as sparse.
const SPARSE: f64 = 50.0;

pub(super) fn claims(measured: &Measured) -> Vec<Claim> {
    let claim = |claim, evidence| Claim { claim, paper: PAPER, evidence };
    vec![
        claim(
            "SGFT with p = 2 is more accurate than SG-L1, each with its best λ.",
            compared(measured, |_, _| true),
        ),
        // With hardly any penalty, both are the same learner.
        claim(
            "SGFT with p = 2 is more accurate than SG-L1 where both leave at least half of the weights out.",
            compared(measured, |part, point| {
                measured.mean(part, point, Metric::Sparsity).is_some_and(|sparsity| sparsity >= SPARSE)
            }),
        ),
    ]
}

/// Folds are the same for both learners.
fn compared(measured: &Measured, wanted: impl Fn(&Part, &Point) -> bool) -> Vec<Evidence> {
    let mut all = Vec::new();
    for part in measured.parts("oiwa2011-table4").filter(|part| measured.is_known(part)) {
        let best = |learner| measured.best(part, &[learner], Metric::Accuracy, |point| wanted(part, point));
        let [Some(a), Some(b)] = ["SGFT p=2", "SG-L1"].map(best) else { continue };
        let numbers = format!("SGFT p=2 {:.2} %, SG-L1 {:.2} %", a.mean(), b.mean());
        all.push(Evidence::new(&part.title, a.above(&b, 0.0), numbers));
    }
    all
}
