//! Repeats in short.

use serde::Serialize;

/// The mean of repeats and how far they are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of the sample (divided by n − 1); 0 for one value.
    pub deviation: f64,
    /// How many values there are.
    pub count: usize,
}

impl Summary {
    /// Of these values; nothing if there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = if count < 2 { 0.0 } else { (squares / (count - 1) as f64).sqrt() };
        Some(Self { mean, deviation, count })
    }

    /// Of values that may be missing; nothing if one is. A mean of what happens to be there would mislead.
    pub fn of_all(values: impl IntoIterator<Item = Option<f64>>) -> Option<Self> {
        Self::of(&values.into_iter().collect::<Option<Vec<f64>>>()?)
    }

    /// The standard error of the mean.
    pub fn error(&self) -> f64 {
        self.deviation / (self.count.max(1) as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_are_those_of_a_sample() {
        let summary = Summary::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((summary.mean, summary.count), (5.0, 8));
        assert!((summary.deviation - (32.0f64 / 7.0).sqrt()).abs() < 1e-15);
        assert!((summary.error() - (4.0f64 / 7.0).sqrt()).abs() < 1e-15);
        assert_eq!(Summary::of(&[3.0]), Some(Summary { mean: 3.0, deviation: 0.0, count: 1 }));
        assert_eq!((Summary::of(&[]), Summary::of_all([Some(1.0), None])), (None, None));
    }
}
