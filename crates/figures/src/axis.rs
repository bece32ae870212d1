//! Axes: which numbers are marked, and where a number lies.

use crate::number;
use crate::unit::Unit;

/// Beyond this, a range would not be finite.
const FARTHEST: f64 = 1e300;

/// How numbers lie along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// For numbers above zero.
    Logarithmic,
    /// For shares that come close to the whole: what is missing to 1 is logarithmic.
    TowardsOne,
}

/// An axis of a chart.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What the numbers are, with their unit unless their marks have it.
    pub label: String,
    /// How they are written.
    pub unit: Unit,
    /// How they lie.
    pub scale: Scale,
    /// The number at its beginning.
    pub min: f64,
    /// The number at its end.
    pub max: f64,
}

impl Axis {
    /// An axis of shares, from none to all.
    pub fn shares(label: &str) -> Self {
        Self { label: label.into(), unit: Unit::Share, scale: Scale::Linear, min: 0.0, max: 1.0 }
    }

    /// A linear axis around these values. Zero is on it, unless the values are far from it.
    pub fn around(label: &str, unit: Unit, values: impl Iterator<Item = f64>) -> Self {
        let (mut min, mut max) = range(values);
        if min > 0.0 && min < 0.4 * max {
            min = 0.0;
        }
        if max < 0.0 && max > 0.4 * min {
            max = 0.0;
        }
        if min == max {
            let room = if min == 0.0 { 1.0 } else { 0.5 * min.abs() };
            // A share has nothing below zero.
            let low = if min > 0.0 || (min == 0.0 && unit == Unit::Share) { 0.0 } else { min - room };
            (min, max) = (low, max + room);
        }
        let step = step(min, max);
        let (min, max) = ((min / step).floor() * step, (max / step).ceil() * step);
        // A share cannot leave the whole, and neither should its axis.
        let (min, max) =
            if unit == Unit::Share && min >= 0.0 && max <= 1.1 { (min, max.min(1.0)) } else { (min, max) };
        Self { label: label.into(), unit, scale: Scale::Linear, min, max }
    }

    /// An axis of counts that ends where they do.
    pub fn counts(label: &str, scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let (min, max) = range(values);
        let (min, max) = match scale {
            Scale::Linear | Scale::TowardsOne => (0.0, max.max(1.0)),
            Scale::Logarithmic => (min.max(1.0), max.max(min.max(1.0) * 2.0)),
        };
        Self { label: label.into(), unit: Unit::Number, scale, min, max }
    }

    /// A logarithmic axis around those of the values that are above zero, with a round number at each end.
    pub fn logarithmic(label: &str, unit: Unit, values: impl Iterator<Item = f64>) -> Self {
        let (min, max) = range(values.filter(|value| *value > 0.0));
        let (min, max) = if max > 0.0 { (min.max(1e-300), max) } else { (0.1, 1.0) };
        let round = |number: f64, up: bool| {
            let power = 10f64.powi(number.log10().floor() as i32);
            let parts = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
            let fits = |part: &&f64| if up { **part >= number * 0.999 } else { **part <= number * 1.001 };
            let found = if up { parts.iter().find(fits) } else { parts.iter().rev().find(fits) };
            found.copied().unwrap_or(number)
        };
        let (low, high) = (round(min, false), round(max, true));
        let high = if high > low { high } else { 10.0 * low };
        Self { label: label.into(), unit, scale: Scale::Logarithmic, min: low, max: high }
    }

    /// An axis around values that are not below zero: logarithmic if they are of very different sizes.
    pub fn fitting(label: &str, unit: Unit, values: impl Iterator<Item = f64> + Clone) -> Self {
        let (min, max) = range(values.clone());
        if min > 0.0 && max > 8.0 * min {
            Self::logarithmic(label, unit, values)
        } else {
            Self::around(label, unit, values)
        }
    }

    /// An axis of the share of weights that are zero, which is all but the whole where there are many features.
    pub fn sparsity(label: &str, values: impl Iterator<Item = f64> + Clone) -> Self {
        let (min, max) = range(values.clone().filter(|value| *value < 1.0));
        if max <= 0.97 {
            return Self::around(label, Unit::Share, values);
        }
        let low = close_to_one().take_while(|mark| *mark <= min.max(0.0)).last().unwrap_or(0.0);
        let high = close_to_one().find(|mark| *mark >= max && *mark > low).unwrap_or(1.0 - 1e-9);
        Self { label: label.into(), unit: Unit::Share, scale: Scale::TowardsOne, min: low, max: high }
    }

    /// Where a number lies: 0 at the beginning of the axis, 1 at its end.
    pub fn place(&self, number: f64) -> f64 {
        let place = match self.scale {
            Scale::Linear => (number - self.min) / (self.max - self.min),
            Scale::Logarithmic => {
                (number.max(self.min).ln() - self.min.ln()) / (self.max.ln() - self.min.ln())
            }
            Scale::TowardsOne => {
                let missing = 1.0 - number.clamp(self.min, self.max);
                ((1.0 - self.min) / missing).ln() / ((1.0 - self.min) / (1.0 - self.max)).ln()
            }
        };
        place.clamp(0.0, 1.0)
    }

    /// The numbers that are marked, and what is written beside them.
    pub fn marks(&self) -> Vec<(f64, String)> {
        let numbers = match self.scale {
            Scale::Linear => multiples(self.min, self.max),
            Scale::Logarithmic => powers(self.min, self.max),
            Scale::TowardsOne => towards_one(self.min, self.max),
        };
        numbers.into_iter().map(|number| (number, self.mark(number))).collect()
    }

    /// A number as it is written beside the axis.
    pub fn mark(&self, number: f64) -> String {
        match self.unit {
            Unit::Share => number::mark(100.0 * number) + "\u{a0}%",
            Unit::Number => number::mark(number),
        }
    }
}

/// The least and the greatest of the numbers, kept within what can be computed with.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite());
    let (min, max) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| (min.min(value), max.max(value)));
    if min > max { (0.0, 0.0) } else { (min.clamp(-FARTHEST, FARTHEST), max.clamp(-FARTHEST, FARTHEST)) }
}

/// The distance of marks: 1, 2 or 5 times a power of ten, so that there are about five.
fn step(min: f64, max: f64) -> f64 {
    let rough = ((max - min) / 5.5).max(1e-300);
    let power = 10f64.powf(rough.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * power >= rough * 0.999);
    times.unwrap_or(10.0) * power
}

fn multiples(min: f64, max: f64) -> Vec<f64> {
    let step = step(min, max);
    let first = (min / step - 1e-9).ceil();
    // Rounding is a matter of the last digits; without it zero would be 1e-17.
    (0..12).map(|i| (first + f64::from(i)) * step).take_while(|number| *number <= max + 1e-9 * step).collect()
}

/// Powers of ten, not too many; between them 2 and 5, if there are few. One number alone says nothing of a distance: then numbers of equal distance.
fn powers(min: f64, max: f64) -> Vec<f64> {
    let (low, high) = (min.log10().floor() as i32, max.log10().ceil() as i32);
    let within = |number: &f64| *number >= min * 0.999 && *number <= max * 1.001;
    let tens: Vec<f64> = (low..=high).map(|power| 10f64.powi(power)).filter(within).collect();
    if tens.len() < 3 {
        let parts = |power: i32| [1.0, 2.0, 5.0].map(|times| times * 10f64.powi(power));
        let parts: Vec<f64> = (low..=high).flat_map(parts).filter(within).collect();
        return if parts.len() < 2 { multiples(min, max) } else { parts };
    }
    let every = tens.len().div_ceil(7);
    tens.into_iter().step_by(every).collect()
}

/// 0, 50, 80, 90, 95, 98, 99 %, and so on.
fn close_to_one() -> impl Iterator<Item = f64> {
    let decade = |power: i32| [1.0, 0.5, 0.2].map(move |part| 1.0 - part / 10f64.powi(power));
    (0..9).flat_map(decade)
}

/// Of these, all between the ends, or only 0, 50, 90, 99 % and so on if they are too many.
fn towards_one(min: f64, max: f64) -> Vec<f64> {
    let within: Vec<f64> =
        close_to_one().filter(|mark| *mark >= min - 1e-12 && *mark <= max + 1e-12).collect();
    if within.len() <= 7 {
        return within;
    }
    let nines = |mark: &f64| {
        let power = -(1.0 - mark).log10();
        *mark == 0.5 || (power - power.round()).abs() < 1e-6
    };
    within.into_iter().filter(nines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(axis: &Axis) -> Vec<String> {
        axis.marks().into_iter().map(|(_, mark)| mark).collect()
    }

    #[test]
    fn marks_are_round() {
        assert_eq!(
            marks(&Axis::shares("")).join(" "),
            "0\u{a0}% 20\u{a0}% 40\u{a0}% 60\u{a0}% 80\u{a0}% 100\u{a0}%"
        );
        let linear = |values: [f64; 2]| marks(&Axis::around("", Unit::Number, values.into_iter())).join(" ");
        assert_eq!(linear([0.1, 1.48]), "0 0.5 1 1.5");
        assert_eq!(linear([0.0, 15_375.0]), "0 5k 10k 15k 20k");
        assert_eq!(linear([0.91, 0.99]), "0.9 0.92 0.94 0.96 0.98 1");
        let examples =
            |values: [f64; 2]| marks(&Axis::counts("", Scale::Logarithmic, values.into_iter())).join(" ");
        assert_eq!(examples([1.0, 4459.0]), "1 10 100 1k");
        assert_eq!(examples([1000.0, 4459.0]), "1k 2k");
        assert_eq!(examples([1.0, 1e9]), "1 100 10k 1M 100M");
        assert_eq!(examples([1503.0, 3368.0]), "2k 2.5k 3k");
        assert_eq!(examples([52.0, 52.0]), "60 70 80 90 100");
        let none = marks(&Axis::around("", Unit::Share, [0.0, 0.0].into_iter()));
        assert_eq!(none.join(" ").replace('\u{a0}', ""), "0% 20% 40% 60% 80% 100%");
        let log =
            |values: [f64; 2]| marks(&Axis::logarithmic("", Unit::Number, values.into_iter())).join(" ");
        assert_eq!(log([0.0031, 0.42]), "0.002 0.005 0.01 0.02 0.05 0.1 0.2 0.5");
        assert_eq!(log([0.0, 30.0]), "20 50");
        let sparsity = |values: [f64; 3]| marks(&Axis::sparsity("", values.into_iter())).join(" ");
        assert_eq!(sparsity([0.1, 0.3, 0.8]).replace('\u{a0}', ""), "0% 20% 40% 60% 80%");
        assert_eq!(sparsity([0.3, 0.9991, 1.0]).replace('\u{a0}', ""), "0% 50% 90% 99% 99.9%");
        assert_eq!(sparsity([0.83, 0.9, 0.982]).replace('\u{a0}', ""), "80% 90% 95% 98% 99%");
    }

    #[test]
    fn every_range_has_an_axis() {
        let values = [0.0, -0.0, 1.0, -1.0, 5e-324, f64::MAX, f64::MIN, f64::NAN, f64::INFINITY, 1e-300, 0.3];
        for a in values {
            for b in values {
                let linear = Axis::around("", Unit::Number, [a, b].into_iter());
                let log = Axis::counts("", Scale::Logarithmic, [a, b].into_iter());
                let round = Axis::logarithmic("", Unit::Number, [a, b].into_iter());
                let sparsity = Axis::sparsity("", [a, b].into_iter());
                for axis in [linear, log, round, sparsity] {
                    assert!(axis.min < axis.max && axis.max.is_finite(), "{a} {b} {axis:?}");
                    assert!(axis.marks().len() <= 12 && !axis.marks().is_empty(), "{a} {b} {axis:?}");
                    for place in
                        axis.marks().iter().map(|(mark, _)| axis.place(*mark)).chain([axis.place(1.0)])
                    {
                        assert!((0.0..=1.0).contains(&place), "{a} {b} {axis:?}");
                    }
                }
            }
        }
    }
}
