//! How often what was predicted with some probability came true.

use serde::Serialize;
use thalweg_core::Class;

use crate::examples::Example;

/// Bins of equal width.
const BINS: usize = 15;

/// Predicted probabilities in 15 bins of equal width, with how often they came true.
///
/// With two classes these are the probabilities of the positive class. With many they are those of the class with the highest
/// probability (the first of several), which comes true if it is the true class.
#[derive(Clone, Debug, Default)]
pub struct Calibration {
    bins: [Sums; BINS],
}

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    importance: f64,
    predicted: f64,
    observed: f64,
}

/// A bin of predicted probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// Where the bin begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Importance of its examples.
    pub importance: f64,
    /// Mean of the predicted probabilities; none if the bin is empty.
    pub mean_predicted: Option<f64>,
    /// Share that came true; none if the bin is empty.
    pub observed: Option<f64>,
}

impl Calibration {
    /// Adds an example, if it has probabilities.
    pub(crate) fn observe(&mut self, example: &Example) {
        match example.probabilities() {
            None | Some([]) => {}
            Some([positive]) => self.add(*positive, example.truth == 1, example.importance),
            Some(all) => {
                let mut best = 0;
                for (class, probability) in all.iter().enumerate() {
                    if *probability > all[best] {
                        best = class;
                    }
                }
                self.add(all[best], best as Class == example.truth, example.importance);
            }
        }
    }

    /// Adds a predicted probability, and whether what was predicted came true.
    pub fn add(&mut self, probability: f64, came_true: bool, importance: f64) {
        let probability = if probability.is_nan() { 0.0 } else { probability.clamp(0.0, 1.0) };
        let bin = &mut self.bins[((probability * BINS as f64) as usize).min(BINS - 1)];
        bin.importance += importance;
        bin.predicted += importance * probability;
        bin.observed += if came_true { importance } else { 0.0 };
    }

    /// Mean over the examples of the difference between predicted probability and observed share of their bin; none without
    /// examples.
    pub fn expected_error(&self) -> Option<f64> {
        let importance: f64 = self.bins.iter().map(|bin| bin.importance).sum();
        let gaps: f64 = self.bins.iter().map(|bin| (bin.predicted - bin.observed).abs()).sum();
        (importance > 0.0).then(|| gaps / importance)
    }

    /// The bins, from the lowest probabilities to the highest.
    pub fn table(&self) -> Vec<CalibrationBin> {
        let bin = |(i, sums): (usize, &Sums)| {
            let mean = |sum: f64| (sums.importance > 0.0).then(|| sum / sums.importance);
            CalibrationBin {
                from: i as f64 / BINS as f64,
                to: (i + 1) as f64 / BINS as f64,
                importance: sums.importance,
                mean_predicted: mean(sums.predicted),
                observed: mean(sums.observed),
            }
        };
        self.bins.iter().enumerate().map(bin).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_of_equal_width_and_the_last_has_both_ends() {
        let mut calibration = Calibration::default();
        assert_eq!(calibration.expected_error(), None);
        for (probability, came_true, importance) in [
            (0.0, false, 1.0),
            (1.0, true, 2.0),
            (0.95, false, 1.0),
            (f64::NAN, false, 1.0),
            (7.0, true, 1.0),
        ] {
            calibration.add(probability, came_true, importance);
        }
        let table = calibration.table();
        assert_eq!((table.len(), table[0].importance, table[14].importance), (15, 2.0, 4.0));
        assert_eq!(
            (table[0].mean_predicted, table[0].observed, table[1].observed),
            (Some(0.0), Some(0.0), None)
        );
        assert_eq!((table[14].to, table[14].observed), (1.0, Some(0.75)));
        assert!((calibration.expected_error().unwrap() - 0.95 / 6.0).abs() < 1e-15);
    }
}
