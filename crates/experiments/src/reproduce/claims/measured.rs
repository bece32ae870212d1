//! What has been measured, for claims to ask.

use super::super::comparison::{summary, values};
use super::super::exhibit::{Exhibit, Part, Point, Row};
use super::super::metric::Metric;
use super::super::runner::{Options, known_repetitions};
use super::super::store::Store;
use super::claim::Holds;
use crate::significance;

/// Differences that come about by chance more often than this are no evidence.
const CHANCE: f64 = 0.05;

/// What has been measured.
pub(super) struct Measured<'a> {
    pub(super) exhibits: Vec<Exhibit>,
    pub(super) store: &'a Store,
    pub(super) options: &'a Options,
}

/// What came of the repetitions of a run, in their order.
#[derive(Clone, Debug)]
pub(super) struct Repeats(pub(super) Vec<f64>);

impl Repeats {
    pub(super) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    /// Is this more than the other by more than `-slack`? The repetitions are of the same orders, so that their differences tell more than their
    /// means. Of one repetition only the sign is known.
    pub(super) fn above(&self, other: &Self, slack: f64) -> Holds {
        let raised: Vec<f64> = self.0.iter().map(|value| value + slack).collect();
        match significance::paired(&raised, &other.0) {
            Some(probability) if probability > CHANCE => Holds::Unclear,
            _ => (self.mean() + slack > other.mean()).into(),
        }
    }
}

impl Measured<'_> {
    /// The parts of a table or figure whose data is there.
    pub(super) fn parts(&self, exhibit: &str) -> impl Iterator<Item = &Part> {
        let found = self.exhibits.iter().filter(move |known| known.name == exhibit);
        found.flat_map(|exhibit| &exhibit.parts)
    }

    pub(super) fn repetitions(&self, part: &Part) -> usize {
        known_repetitions(part, self.store, self.options)
    }

    /// The mean of a metric of a point, if all its repetitions are known.
    pub(super) fn mean(&self, part: &Part, point: &Point, metric: Metric) -> Option<f64> {
        Some(summary(&point.configuration, self.repetitions(part), metric, None, self.store)?.mean)
    }

    pub(super) fn repeats(&self, part: &Part, point: &Point, metric: Metric) -> Option<Repeats> {
        values(&point.configuration, self.repetitions(part), metric, None, self.store).map(Repeats)
    }

    /// What came of a row: where a knob changes, of the point whose mean of this metric is best.
    pub(super) fn of(&self, part: &Part, learner: &str, metric: Metric) -> Option<Repeats> {
        self.best(part, &[learner], metric, |_| true)
    }

    /// What came of the best point of these learners among those that are wanted.
    pub(super) fn best(
        &self,
        part: &Part,
        learners: &[&str],
        metric: Metric,
        wanted: impl Fn(&Point) -> bool,
    ) -> Option<Repeats> {
        let rows = part.rows.iter().filter(|row| learners.contains(&row.learner.as_str()));
        let points = rows.flat_map(|row| part.points(row)).filter(wanted);
        let sign = if metric.falls() { -1.0 } else { 1.0 };
        points
            .filter_map(|point| self.repeats(part, &point, metric))
            .max_by(|a, b| (sign * a.mean()).total_cmp(&(sign * b.mean())))
    }

    /// Is everything of the part known?
    pub(super) fn is_known(&self, part: &Part) -> bool {
        let known = |point: &Point| self.repeats(part, point, Metric::Error).is_some();
        part.rows.iter().flat_map(|row| part.points(row)).all(|point| known(&point))
    }

    /// The points of a row in one repetition, by their weights that are not zero.
    pub(super) fn path(&self, part: &Part, row: &Row, repetition: usize, metric: Metric) -> Vec<(f64, f64)> {
        let of = |point: &Point| {
            let outcome = self.store.get(&point.configuration, repetition)?;
            Some((outcome.nonzeros as f64, metric.of(outcome, None)))
        };
        part.points(row).iter().filter_map(of).collect()
    }
}

/// The value of a line at x, between its points.
pub(super) fn at(points: &[(f64, f64)], x: f64) -> Option<f64> {
    let before = points.iter().filter(|point| point.0 <= x).max_by(|a, b| a.0.total_cmp(&b.0));
    let after = points.iter().filter(|point| point.0 >= x).min_by(|a, b| a.0.total_cmp(&b.0));
    let ((left, left_y), (right, right_y)) = (before?, after?);
    let part = if right > left { (x - left) / (right - left) } else { 0.0 };
    Some(left_y + part * (right_y - left_y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_counts_if_it_is_more_than_noise() {
        let ours = Repeats(vec![3.0, 5.0, 7.0]);
        let above = |others: &[f64], slack| ours.above(&Repeats(others.to_vec()), slack);
        assert_eq!(above(&[2.0, 4.1, 5.9], 0.0), Holds::Yes);
        assert_eq!(above(&[4.0, 6.1, 7.9], 0.0), Holds::No);
        assert_eq!(above(&[4.0, 6.1, 7.9], 2.0), Holds::Yes);
        assert_eq!(above(&[0.0, 5.0, 9.0], 0.0), Holds::Unclear);
        // Of one repetition only the sign is known.
        assert_eq!(Repeats(vec![1.0]).above(&Repeats(vec![0.9]), 0.0), Holds::Yes);
    }

    #[test]
    fn lines_are_read_between_their_points_and_not_beyond() {
        let points = [(10.0, 1.0), (20.0, 3.0)];
        assert_eq!(
            [5.0, 10.0, 15.0, 20.0, 21.0].map(|x| at(&points, x)),
            [None, Some(1.0), Some(2.0), Some(3.0), None]
        );
    }
}
