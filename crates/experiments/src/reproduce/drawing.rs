//! A part of a figure as a plot.

use thalweg_figures::axis::{Axis, Scale};
use thalweg_figures::{Plot, Point, Series, Spread, Unit, looks};

use super::exhibit::{Across, Axes, Part};
use super::metric::Metric;
use super::runner::{Options, known_repetitions};
use super::series::series;
use super::store::Store;

/// The plot of a part as SVG; nothing if it is no figure, or nothing of it is known.
pub(super) fn draw(title: &str, part: &Part, store: &Store, options: &Options) -> Option<String> {
    let axes = part.figure.as_ref()?;
    let lines = series(part, axes, store, options);
    let x_scale = if matches!(axes.x, Across::Sparsity) { 0.01 } else { 1.0 };
    let y_scale = if is_share(axes.y) { 0.01 } else { 1.0 };
    let point = |(x, y): &(f64, f64)| Point::new(x_scale * x, y_scale * y);
    let first = beginning(axes, &lines);
    let drawn: Vec<Series> = lines
        .iter()
        .zip(looks(lines.iter().map(|line| line.spec.as_str())))
        .filter(|(line, _)| !line.points.is_empty())
        .map(|(line, look)| {
            let points = line.points.iter().filter(|(x, _)| *x >= first).map(point).collect();
            Series { name: line.learner.clone(), look, points }
        })
        .collect();
    if drawn.is_empty() {
        return None;
    }
    let points: Vec<Point> = drawn.iter().flat_map(|line| line.points.iter().copied()).collect();
    let repetitions = known_repetitions(part, store, options);
    let times = if repetitions == 1 { "one run".to_string() } else { format!("mean of {repetitions} runs") };
    let times = if first > 0.0 { format!("{times}, after a tenth of the examples") } else { times };
    let plot = Plot {
        title: title.into(),
        subtitle: times,
        x: level(axes, points.iter().map(|point| point.x)),
        y: upright(axes, points.iter().map(|point| point.y)),
        series: drawn,
        spread: Spread::Hidden,
    };
    Some(plot.svg())
}

/// Where lines begin. What curves say of the first tenth of the examples is mostly chance, and would leave little room for the rest.
fn beginning(axes: &Axes, lines: &[super::series::Series]) -> f64 {
    let xs = lines.iter().flat_map(|line| &line.points).map(|(x, _)| *x);
    if axes.x == Across::Examples { 0.1 * xs.fold(0.0, f64::max) } else { f64::NEG_INFINITY }
}

fn is_share(metric: Metric) -> bool {
    !matches!(metric, Metric::Cost | Metric::CostInHundreds | Metric::Seconds)
}

fn level(axes: &Axes, values: impl Iterator<Item = f64> + Clone) -> Axis {
    match axes.x {
        Across::Examples => Axis::counts("examples", Scale::Linear, values),
        Across::Sparsity => Axis::sparsity("zero weights", values),
        Across::Nonzeros => Axis::logarithmic("selected features", Unit::Number, values),
        Across::Value => Axis::logarithmic(&axes.label, Unit::Number, values),
        Across::SumWeight | Across::CostWeight => Axis::around(&axes.label, Unit::Number, values),
    }
}

fn upright(axes: &Axes, values: impl Iterator<Item = f64> + Clone) -> Axis {
    let title = axes.y.title();
    match axes.y {
        Metric::Seconds => Axis::logarithmic(title, Unit::Number, values),
        metric if is_share(metric) => Axis::around(title.trim_end_matches(" (%)"), Unit::Share, values),
        _ => Axis::around(title, Unit::Number, values),
    }
}
