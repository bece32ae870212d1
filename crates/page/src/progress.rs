//! How the figures developed: a chart for each metric, one for the number of weights, and all of it as a table.

use serde_json::Value;

use crate::axis::{Axis, Scale};
use crate::chart::{Chart, Height, Line, Look};
use crate::not_shown;
use crate::number;
use crate::page::{Curve, CurvePoint, CurveValue, Kind, Metric, Unit};
use crate::text;

/// Points that a curve has at most; more could not be told apart.
const MOST_POINTS: usize = 150;
/// Metrics that have a chart.
const MOST_METRICS: usize = 6;

/// The section, if there is anything to show, and what the script must know of its charts.
pub(crate) fn section(curve: &Curve, kind: Kind) -> Option<(String, Vec<Value>)> {
    let points = thinned(&curve.points);
    let mut charts = Vec::new();
    for (i, metric) in curve.metrics.iter().take(MOST_METRICS).enumerate() {
        charts.extend(pair(
            &format!("curve-{i}"),
            &metric.name,
            metric.unit,
            &points,
            &of_metric(&points, i),
        ));
    }
    charts.extend(pair("curve-weights", "Non-zero weights", Unit::Number, &points, &weights(&points)));
    if charts.is_empty() {
        return None;
    }
    let mut html = String::from(match kind {
        Kind::Training => "<p>Each example was predicted before the model learned from it.</p>\n",
        Kind::Evaluation => {
            "<p>The model does not change; the figures become steadier with more examples.</p>\n"
        }
    });
    html += "<fieldset class=\"choice\" id=\"scale\" hidden><legend>Axis of examples</legend>\
         <label><input type=\"radio\" name=\"scale\" value=\"log\" checked autocomplete=\"off\"> logarithmic</label>\
         <label><input type=\"radio\" name=\"scale\" value=\"linear\" autocomplete=\"off\"> linear</label></fieldset>\n\
         <div class=\"charts\">\n";
    let mut json = Vec::new();
    for (log, linear) in &charts {
        html += &format!("<figure class=\"chart\"><figcaption>{}</figcaption>\n", text::name(&log.title));
        html += &format!("<div data-scale=\"log\">{}</div>", log.svg(""));
        html += &format!("<div data-scale=\"linear\" hidden>{}</div>", linear.svg(""));
        html += &log.legend("");
        html += "</figure>\n";
        json.push(log.json(&[linear]));
    }
    html += "</div>\n";
    html += &not_shown::rest(curve.metrics.len(), MOST_METRICS);
    html += &table(&curve.metrics, &points);
    Some((html, json))
}

type Values = Vec<(&'static str, Look, Vec<Option<f64>>)>;

fn of_metric(points: &[&CurvePoint], i: usize) -> Values {
    let values = |of: fn(&CurveValue) -> Option<f64>| -> Vec<Option<f64>> {
        points
            .iter()
            .map(|point| point.values.get(i).and_then(of).filter(|value| value.is_finite()))
            .collect()
    };
    vec![
        ("since the last point", Look::Dotted, values(|value| value.since_last)),
        ("all examples so far", Look::Main, values(|value| value.so_far)),
    ]
}

fn weights(points: &[&CurvePoint]) -> Values {
    vec![("", Look::Main, points.iter().map(|point| point.nonzero.map(|count| count as f64)).collect())]
}

/// A chart with both axes of examples, unless it would be empty.
fn pair(
    id: &str,
    title: &str,
    unit: Unit,
    points: &[&CurvePoint],
    values: &Values,
) -> Option<(Chart, Chart)> {
    let lines: Vec<_> = values.iter().filter(|(_, _, values)| values.iter().any(Option::is_some)).collect();
    let last = lines.last()?.2.iter().rev().find_map(|value| *value)?;
    let chart = |scale: Scale, id: String| Chart {
        id,
        title: title.into(),
        description: format!(
            "{title} by number of examples, {} points. It ends at {}. The numbers are in the table below the charts.",
            points.len(),
            shown(last, unit)
        ),
        x: Axis::counts("examples", scale, points.iter().map(|point| point.examples as f64)),
        y: Axis::around("", unit, lines.iter().flat_map(|line| line.2.iter().flatten().copied())),
        lines: lines
            .iter()
            .map(|(name, look, values)| Line {
                name: (*name).into(),
                look: *look,
                points: points
                    .iter()
                    .map(|point| point.examples as f64)
                    .zip(values.iter().copied())
                    .collect(),
            })
            .collect(),
        height: Height::Low,
    };
    Some((chart(Scale::Logarithmic, id.into()), chart(Scale::Linear, format!("{id}-linear"))))
}

fn shown(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Share => number::share(Some(value)),
        Unit::Number if value.fract() == 0.0 => number::count(value),
        Unit::Number => number::number(value),
    }
}

fn table(metrics: &[Metric], points: &[&CurvePoint]) -> String {
    let metrics = &metrics[..metrics.len().min(MOST_METRICS)];
    let mut html = String::from(
        "<details><summary>The same as a table</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Figures by number of examples\"><table class=\"numbers\"><caption class=\"unseen\">Figures by number of \
         examples</caption>\n<thead><tr><th scope=\"col\">Examples</th>",
    );
    for metric in metrics {
        let name = text::name(&metric.name);
        html += &format!("<th scope=\"col\">{name}</th><th scope=\"col\">{name}, since last</th>");
    }
    html += "<th scope=\"col\">Non-zero weights</th></tr></thead>\n<tbody>\n";
    for point in points {
        html += &format!("<tr><th scope=\"row\">{}</th>", number::count(point.examples as f64));
        for (i, metric) in metrics.iter().enumerate() {
            let value = point.values.get(i).copied().unwrap_or_default();
            for value in [value.so_far, value.since_last] {
                let value = value.filter(|value| value.is_finite());
                html += &format!(
                    "<td>{}</td>",
                    value.map_or(number::MISSING.into(), |value| shown(value, metric.unit))
                );
            }
        }
        let weights = point.nonzero.map_or(number::MISSING.into(), |count| number::count(count as f64));
        html += &format!("<td>{weights}</td></tr>\n");
    }
    html + "</tbody></table></div></details>\n"
}

/// The last point, and evenly many of those before it.
fn thinned(points: &[CurvePoint]) -> Vec<&CurvePoint> {
    let every = points.len().div_ceil(MOST_POINTS).max(1);
    let last = points.len().saturating_sub(1);
    points
        .iter()
        .enumerate()
        .filter(|(i, _)| (last - i).is_multiple_of(every))
        .map(|(_, point)| point)
        .collect()
}
