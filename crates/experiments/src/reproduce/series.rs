//! The lines of a figure.

use serde::Serialize;

use super::comparison::summary;
use super::exhibit::{Across, Axes, Part, Row};
use super::outcome::Outcome;
use super::runner::{Options, known_repetitions};
use super::store::Store;
use crate::Summary;

/// A line of a figure.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// What the paper calls the learner.
    pub learner: String,
    /// What we call it; `{x}` stands for what changes along the line.
    pub spec: String,
    /// Its points, x and y, in the order of the values of `{x}`.
    pub points: Vec<(f64, f64)>,
}

/// The lines of a part of a figure: means over all repetitions that are known. Lines of which nothing is known have no points.
pub fn series(part: &Part, axes: &Axes, store: &Store, options: &Options) -> Vec<Series> {
    let repetitions = known_repetitions(part, store, options);
    let line = |row: &Row| {
        let mut points = match axes.x {
            Across::Examples => curve(part, row, axes, store, repetitions),
            _ => path(part, row, axes, store, repetitions),
        };
        points.retain(|(x, y)| x.is_finite() && y.is_finite());
        Series { learner: row.learner.clone(), spec: row.spec.clone(), points }
    };
    part.rows.iter().map(line).collect()
}

/// A point for every value of the row's knob.
fn path(part: &Part, row: &Row, axes: &Axes, store: &Store, repetitions: usize) -> Vec<(f64, f64)> {
    let points = part.points(row);
    let of = |point: &super::exhibit::Point| {
        let weighs = matches!(axes.x, Across::SumWeight | Across::CostWeight);
        let weight = point.x.filter(|_| weighs);
        let y = summary(&point.configuration, repetitions, axes.y, weight, store)?;
        let outcomes = (0..repetitions).map(|i| store.get(&point.configuration, i));
        let mean =
            |value: fn(&Outcome) -> f64| Summary::of_all(outcomes.clone().map(|outcome| outcome.map(value)));
        let x = match axes.x {
            Across::Sparsity => 100.0 * mean(Outcome::sparsity)?.mean,
            Across::Nonzeros => mean(|outcome| outcome.nonzeros as f64)?.mean,
            Across::Value | Across::SumWeight | Across::CostWeight | Across::Examples => point.x?,
        };
        Some((x, y.mean))
    };
    points.iter().filter_map(of).collect()
}

/// The means of the curves of all repetitions.
fn curve(part: &Part, row: &Row, axes: &Axes, store: &Store, repetitions: usize) -> Vec<(f64, f64)> {
    let Some(point) = part.points(row).into_iter().next() else { return Vec::new() };
    let outcomes: Option<Vec<&Outcome>> =
        (0..repetitions).map(|i| store.get(&point.configuration, i)).collect();
    let Some(outcomes) = outcomes else { return Vec::new() };
    let points = outcomes.first().map_or(0, |outcome| outcome.curve.len());
    let mean = |at: usize| {
        let values = outcomes.iter().map(|outcome| {
            outcome.curve.get(at).map(|point| axes.y.of(&outcome.at(point), None)).filter(|y| y.is_finite())
        });
        let examples = outcomes.first()?.curve.get(at)?.0;
        Some((examples as f64, Summary::of_all(values)?.mean))
    };
    (0..points).filter_map(mean).collect()
}
