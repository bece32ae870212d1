//! Tables as text.

use super::comparison::{Comparison, RowComparison, compare};
use super::exhibit::{Exhibit, Part};
use super::metric::Metric;
use super::runner::{Options, known_repetitions, missing};
use super::series::series;
use super::store::Store;

/// A table or the lines of a figure, ours beside what was published.
pub fn text(exhibit: &Exhibit, store: &Store, options: &Options) -> String {
    let mut text =
        format!("{}: {}, {}. {}\n", exhibit.name, exhibit.paper(), exhibit.number(), exhibit.title);
    for part in &exhibit.parts {
        let repetitions = known_repetitions(part, store, options);
        let times = if repetitions == 1 { "once".into() } else { format!("{repetitions} times") };
        text += &format!("\n{}, {times}\n", part.title);
        match missing(part, options) {
            Some(missing) => text += &format!("  not run: {missing}\n"),
            None if part.figure.is_some() => text += &lines(part, store, options),
            None => text += &rows(part, &compare(part, store, options)),
        }
    }
    text
}

/// The first metric of every row, with the others where one differs.
fn rows(part: &Part, rows: &[RowComparison]) -> String {
    let Some(first) = part.show.first() else { return String::new() };
    let head = [
        "learner".into(),
        format!("{} here", first.name()),
        "published".into(),
        "difference".into(),
        String::new(),
    ];
    let mut cells = vec![head];
    for row in rows {
        let number = &row.numbers[0];
        cells.push([row.learner.clone(), ours(number), published(number), difference(number), row.remark()]);
    }
    aligned(&cells)
}

/// The best point of every line.
fn lines(part: &Part, store: &Store, options: &Options) -> String {
    let Some(axes) = &part.figure else { return String::new() };
    let head =
        ["learner".into(), "points".into(), format!("best {}", axes.y.name()), "at".into(), String::new()];
    let mut cells = vec![head];
    for line in series(part, axes, store, options) {
        let better = |a: &&(f64, f64), b: &&(f64, f64)| {
            let order = a.1.total_cmp(&b.1);
            if axes.y.falls() { order.reverse() } else { order }
        };
        let best = line.points.iter().max_by(better);
        let [y, x] = [best.map(|(_, y)| value(axes.y, *y)), best.map(|(x, _)| format!("{x:.4}"))];
        let trimmed = x.map(|x| x.trim_end_matches('0').trim_end_matches('.').to_string());
        cells.push([
            line.learner,
            line.points.len().to_string(),
            y.unwrap_or_default(),
            trimmed.unwrap_or_default(),
            String::new(),
        ]);
    }
    aligned(&cells)
}

/// A number with the decimals that tables have.
pub(super) fn value(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Cost => format!("{value:.1}"),
        Metric::Error | Metric::Accuracy | Metric::Sparsity => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

pub(super) fn ours(number: &Comparison) -> String {
    let Some(ours) = number.ours else { return "not yet run".into() };
    let mean = value(number.metric, ours.mean);
    if ours.count > 1 { format!("{mean} ± {}", value(number.metric, ours.deviation)) } else { mean }
}

pub(super) fn published(number: &Comparison) -> String {
    let Some(mean) = number.published else { return "–".into() };
    let mean = value(number.metric, mean);
    match number.published_deviation {
        Some(deviation) => format!("{mean} ± {}", value(number.metric, deviation)),
        None => mean,
    }
}

pub(super) fn difference(number: &Comparison) -> String {
    let Some(difference) = number.difference else { return String::new() };
    // No minus before a zero.
    let shown = value(number.metric, difference.abs());
    let zero = shown.chars().all(|c| c == '0' || c == '.');
    if zero { shown } else { format!("{}{shown}", if difference < 0.0 { '-' } else { '+' }) }
}

fn aligned(cells: &[[String; 5]]) -> String {
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    let line = |row: &[String; 5]| {
        let [learner, numbers @ .., verdict] = row;
        let mut line = format!("  {learner:0$}", widths[0]);
        numbers.iter().zip(&widths[1..]).for_each(|(cell, width)| line += &format!("  {cell:>width$}"));
        format!("{line}  {verdict}").trim_end().to_string() + "\n"
    };
    cells.iter().map(line).collect()
}
