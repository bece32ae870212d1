//! How good predicted probabilities are.

use thalweg_core::Class;

use crate::calibration::Calibration;
use crate::examples::Example;
use crate::metric::{Better, Entry, Format, Measure, Place, Scope};
use crate::metrics::mean::Mean;

/// Probabilities are kept so far away from 0 and 1, so that their logarithms are finite.
const SMALLEST: f64 = 1e-15;

pub(super) const LOG_LOSS: Entry = Entry {
    name: "log_loss",
    title: "log loss",
    doc: "On request, needs probabilities: mean of −ln of the probability of the true class, which is clipped to [1e-15, 1 − 1e-15]",
    format: Format::Decimal,
    better: Better::Lower,
    scope: Scope::Probabilities,
    place: Place::OnRequest,
    measure: Measure::Examples(|| Box::new(Mean::of(log_loss))),
};

pub(super) const BRIER_SCORE: Entry = Entry {
    name: "brier_score",
    title: "Brier score",
    doc: "On request, needs probabilities: mean squared error of the probability of the positive class; with many classes, of all of them, summed",
    format: Format::Decimal,
    better: Better::Lower,
    scope: Scope::Probabilities,
    place: Place::OnRequest,
    measure: Measure::Examples(|| Box::new(Mean::of(squared_error))),
};

pub(super) const EXPECTED_CALIBRATION_ERROR: Entry = Entry {
    name: "expected_calibration_error",
    title: "calibration error",
    doc: "On request, needs probabilities: mean difference of predicted probability and observed share in 15 bins of equal width, of the positive class; with many classes, of the one with the highest probability",
    format: Format::Decimal,
    better: Better::Lower,
    scope: Scope::Probabilities,
    place: Place::OnRequest,
    measure: Measure::Calibration(Calibration::expected_error),
};

/// Without probabilities, what follows is not a number, and the metric is not defined.
fn log_loss(example: &Example) -> f64 {
    // What is not a number is as bad as 0.
    let clip = |p: f64| if p.is_nan() { SMALLEST } else { p.clamp(SMALLEST, 1.0 - SMALLEST) };
    example.probability_of_truth().map_or(f64::NAN, |probability| -clip(probability).ln())
}

fn squared_error(example: &Example) -> f64 {
    let square = |probability: f64, is_true: bool| (probability - f64::from(u8::from(is_true))).powi(2);
    match example.probabilities() {
        Some([positive]) => square(*positive, example.truth == 1),
        Some(all) => {
            let sum: f64 = (0..).zip(all).map(|(class, p)| square(*p, class == example.truth)).sum();
            let is_known = example.truth < all.len() as Class;
            // A class that was not known by then had a probability of 0.
            if is_known { sum } else { sum + 1.0 }
        }
        None => f64::NAN,
    }
}
