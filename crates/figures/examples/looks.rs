//! A plot with a line for every name on the command line: `cargo run -p thalweg-figures --example looks -- ssol fsol rda > looks.svg`.
#![allow(clippy::print_stdout)]

use thalweg_figures::{Axis, Plot, Point, Series, Spread, Unit};

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let line = |(i, name): (usize, &String)| {
        let level = 0.03 + 0.006 * i as f64;
        let error = |sparsity: f64| level + (0.02 + 0.01 * (i % 4) as f64) * (sparsity - 0.5).powi(2);
        let points = (0..8).map(|step| 1.0 - 0.6 * 0.4f64.powi(step));
        (name.clone(), points.map(|x| Point::new(x, error(x)).within(0.003)).collect())
    };
    let series = Series::of_learners(names.iter().enumerate().map(line));
    let points = series.iter().flat_map(|series| &series.points);
    let plot = Plot {
        title: "Error against sparsity".into(),
        subtitle: "made up, mean and deviation of 20 orders".into(),
        x: Axis::sparsity("sparsity", points.clone().map(|point| point.x)),
        y: Axis::fitting("error", Unit::Share, points.clone().map(|point| point.y)),
        spread: Spread::Bars,
        series,
    };
    print!("{}", plot.svg());
}
