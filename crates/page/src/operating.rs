//! What each threshold gives and costs.

use serde_json::{Value, json};

use crate::page::{Costs, OperatingPoint, Thresholds};

/// Points that a page has at most. More could not be told apart.
const MOST: usize = 1_000;

/// Thresholds in order, from flagging nothing to flagging everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Operating {
    /// Number of positives.
    pub positives: f64,
    /// Number of negatives.
    pub negatives: f64,
    /// The points. Flagged counts never fall.
    pub points: Vec<Point>,
    /// Where the threshold of the model is among the points.
    pub in_use: Option<usize>,
}

/// A threshold and what it gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The threshold; none is beyond all scores.
    pub threshold: Option<f64>,
    /// Positives that are flagged.
    pub true_positives: f64,
    /// Negatives that are flagged.
    pub false_positives: f64,
}

impl Operating {
    /// Puts thresholds into order. Points whose numbers are not finite are left out, and counts are kept within the totals.
    pub fn new(thresholds: &Thresholds) -> Self {
        let total = |number: f64| if number.is_finite() { number.max(0.0) } else { 0.0 };
        let (positives, negatives) = (total(thresholds.positives), total(thresholds.negatives));
        let finite = |point: &&OperatingPoint| {
            [point.threshold, point.true_positives, point.false_positives]
                .iter()
                .all(|number| number.is_finite())
        };
        // Zero has two signs, which must not make two thresholds of it.
        let in_use = thresholds.in_use.as_ref().filter(finite).map(|point| point.threshold + 0.0);
        let mut given: Vec<_> =
            thresholds.in_use.iter().chain(&thresholds.points).filter(finite).copied().collect();
        given.iter_mut().for_each(|point| point.threshold += 0.0);
        // Stable, so what the model's threshold gives comes before another point with the same threshold, and stays.
        given.sort_by(|a, b| b.threshold.total_cmp(&a.threshold));
        given.dedup_by(|later, first| later.threshold == first.threshold);
        let given = thinned(&given, in_use);

        let none = Point { threshold: None, true_positives: 0.0, false_positives: 0.0 };
        let mut points = vec![none];
        let mut last = none;
        for point in given {
            last = Point {
                threshold: Some(point.threshold),
                true_positives: point.true_positives.max(last.true_positives).min(positives),
                false_positives: point.false_positives.max(last.false_positives).min(negatives),
            };
            points.push(last);
        }
        if (last.true_positives, last.false_positives) != (positives, negatives) {
            points.push(Point { threshold: None, true_positives: positives, false_positives: negatives });
        }
        let in_use =
            in_use.and_then(|wanted| points.iter().position(|point| point.threshold == Some(wanted)));
        Self { positives, negatives, points, in_use }
    }

    /// Number of examples.
    pub fn total(&self) -> f64 {
        self.positives + self.negatives
    }

    /// What the mistakes at a point cost.
    pub fn cost(&self, point: &Point, costs: Costs) -> f64 {
        (self.positives - point.true_positives) * costs.missed + point.false_positives * costs.false_alarm
    }

    /// What it costs at least if nobody looks at scores: the cheaper of flagging nothing and flagging everything.
    pub fn cost_without_scores(&self, costs: Costs) -> f64 {
        (self.positives * costs.missed).min(self.negatives * costs.false_alarm)
    }

    /// The cheapest point; of several, the one that flags the least.
    pub fn cheapest(&self, costs: Costs) -> usize {
        let mut best = 0;
        for (i, point) in self.points.iter().enumerate() {
            if self.cost(point, costs) < self.cost(&self.points[best], costs) {
                best = i;
            }
        }
        best
    }

    /// Share of the flagged that are positive.
    pub fn precision(&self, point: &Point) -> Option<f64> {
        ratio(point.true_positives, point.true_positives + point.false_positives)
    }

    /// Share of the positives that are flagged.
    pub fn recall(&self, point: &Point) -> Option<f64> {
        ratio(point.true_positives, self.positives)
    }

    /// Share of the negatives that are flagged.
    pub fn false_positive_rate(&self, point: &Point) -> Option<f64> {
        ratio(point.false_positives, self.negatives)
    }

    /// Harmonic mean of precision and recall.
    pub fn f1(&self, point: &Point) -> Option<f64> {
        ratio(2.0 * point.true_positives, self.positives + point.true_positives + point.false_positives)
    }

    /// Share of the examples that are flagged.
    pub fn flagged(&self, point: &Point) -> Option<f64> {
        ratio(point.true_positives + point.false_positives, self.total())
    }

    /// Area under the ROC curve, if there are both classes.
    pub fn roc_area(&self) -> Option<f64> {
        let rates: Option<Vec<_>> = self
            .points
            .iter()
            .map(|point| Some((self.false_positive_rate(point)?, self.recall(point)?)))
            .collect();
        Some(rates?.windows(2).map(|two| (two[1].0 - two[0].0) * f64::midpoint(two[0].1, two[1].1)).sum())
    }

    /// Mean precision over all recalls, if there are positives.
    pub fn average_precision(&self) -> Option<f64> {
        ratio(1.0, self.positives)?;
        let step = |two: &[Point]| {
            let more = self.recall(&two[1]).unwrap_or(0.0) - self.recall(&two[0]).unwrap_or(0.0);
            more * self.precision(&two[1]).unwrap_or(0.0)
        };
        Some(self.points.windows(2).map(step).sum())
    }

    /// For the script.
    pub(crate) fn json(&self, costs: Costs) -> Value {
        let points: Vec<_> = self
            .points
            .iter()
            .map(|point| {
                json!([
                    shown(point.threshold),
                    short(Some(point.true_positives)),
                    short(Some(point.false_positives))
                ])
            })
            .collect();
        json!({
            "positives": self.positives,
            "negatives": self.negatives,
            "missed": costs.missed,
            "falseAlarm": costs.false_alarm,
            "inUse": self.in_use,
            "points": points,
        })
    }
}

/// A threshold with the digits that are ever shown, and two more.
fn shown(threshold: Option<f64>) -> Value {
    short(threshold.map(|threshold| format!("{threshold:.7e}").parse().unwrap_or(threshold)))
}

/// Whole numbers without `.0`, which most are.
fn short(number: Option<f64>) -> Value {
    match number {
        Some(whole) if whole.fract() == 0.0 && whole.abs() < 1e15 => json!(whole as i64),
        number => json!(number),
    }
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole).filter(|ratio| ratio.is_finite())
}

/// Costs that can be computed with: finite and not negative, else 1.
pub(crate) fn usable(costs: Costs) -> Costs {
    let usable = |cost: f64| if cost.is_finite() && cost >= 0.0 { cost } else { 1.0 };
    Costs { missed: usable(costs.missed), false_alarm: usable(costs.false_alarm) }
}

/// As many points as a page can show, evenly chosen; the one in use is always among them.
fn thinned(points: &[OperatingPoint], in_use: Option<f64>) -> Vec<OperatingPoint> {
    if points.len() <= MOST {
        return points.to_vec();
    }
    let mut next = 0;
    let mut kept = Vec::with_capacity(MOST + 1);
    for (i, point) in points.iter().enumerate() {
        let due = next * (points.len() - 1) / (MOST - 1);
        if i == due {
            next += 1;
        }
        if i == due || Some(point.threshold) == in_use {
            kept.push(*point);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(threshold: f64, true_positives: f64, false_positives: f64) -> OperatingPoint {
        OperatingPoint { threshold, true_positives, false_positives }
    }

    fn thresholds(points: Vec<OperatingPoint>) -> Thresholds {
        Thresholds { positives: 10.0, negatives: 90.0, points, ..Thresholds::default() }
    }

    #[test]
    fn costs_and_rates_by_hand() {
        let mut given = thresholds(vec![point(0.9, 4.0, 0.0), point(0.5, 8.0, 2.0), point(0.1, 10.0, 40.0)]);
        given.in_use = Some(point(0.5, 8.0, 2.0));
        let operating = Operating::new(&given);
        assert_eq!(operating.points.len(), 5, "with nothing and everything");
        assert_eq!(operating.in_use, Some(2));
        let costs = Costs { missed: 5.0, false_alarm: 1.0 };
        let all: Vec<f64> = operating.points.iter().map(|point| operating.cost(point, costs)).collect();
        assert_eq!(all, [50.0, 30.0, 12.0, 40.0, 90.0]);
        assert_eq!(operating.cheapest(costs), 2);
        assert_eq!(operating.cheapest(Costs { missed: 0.0, false_alarm: 1.0 }), 0);
        let at = operating.points[2];
        assert_eq!((operating.precision(&at), operating.recall(&at)), (Some(0.8), Some(0.8)));
        assert_eq!((operating.f1(&at), operating.flagged(&at)), (Some(0.8), Some(0.1)));
        assert_eq!(operating.precision(&operating.points[0]), None, "nothing is flagged");
    }

    #[test]
    fn areas_by_hand() {
        let operating = Operating::new(&thresholds(vec![point(1.0, 10.0, 0.0)]));
        assert_eq!((operating.roc_area(), operating.average_precision()), (Some(1.0), Some(1.0)));
        let chance = Operating::new(&thresholds(Vec::new()));
        assert_eq!((chance.roc_area(), chance.average_precision()), (Some(0.5), Some(0.1)));
        assert_eq!(Operating::new(&Thresholds::default()).roc_area(), None);
    }

    #[test]
    fn disorder_and_nonsense_are_put_right() {
        let operating = Operating::new(&thresholds(vec![
            point(0.1, 3.0, 1e300),
            point(f64::NAN, 1.0, 1.0),
            point(0.9, 5.0, -7.0),
            point(0.9, 1.0, 1.0),
            point(f64::INFINITY, 0.0, 0.0),
        ]));
        let counts: Vec<_> =
            operating.points.iter().map(|point| (point.true_positives, point.false_positives)).collect();
        assert_eq!(counts, [(0.0, 0.0), (5.0, 0.0), (5.0, 90.0), (10.0, 90.0)]);
        let odd = Thresholds { positives: f64::NAN, negatives: -1.0, ..Thresholds::default() };
        assert_eq!(Operating::new(&odd).total(), 0.0);
    }

    #[test]
    fn the_point_in_use_survives_thinning() {
        let mut given = thresholds((0..5_000).map(|i| point(f64::from(-i), 0.0, 0.0)).collect());
        given.in_use = Some(point(-1234.5, 5.0, 5.0));
        let operating = Operating::new(&given);
        assert!(operating.points.len() <= MOST + 3);
        assert_eq!(operating.points[operating.in_use.unwrap()].threshold, Some(-1234.5));
        let thresholds: Vec<_> = operating.points.iter().filter_map(|point| point.threshold).collect();
        assert_eq!((thresholds[0], *thresholds.last().unwrap()), (0.0, -4999.0));
    }
}
