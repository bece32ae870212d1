//! Whether predicted probabilities are right.

use serde_json::Value;

use crate::axis::Axis;
use crate::chart::{Chart, Height, Line, Look};
use crate::number;
use crate::page::CalibrationBin;

/// Bins that are shown.
const MOST: usize = 100;

/// The reliability diagram, its numbers as a table, and what the script must know.
pub(crate) fn figure(bins: &[CalibrationBin], id: usize) -> Option<(String, String, Value)> {
    let finite = |bin: &&CalibrationBin| {
        [bin.predicted, bin.observed, bin.weight].iter().all(|number| number.is_finite()) && bin.weight > 0.0
    };
    let mut bins: Vec<CalibrationBin> = bins.iter().filter(finite).copied().collect();
    bins.sort_by(|a, b| a.predicted.total_cmp(&b.predicted));
    bins.truncate(MOST);
    if bins.is_empty() {
        return None;
    }
    let total: f64 = bins.iter().map(|bin| bin.weight / bins.len() as f64).sum::<f64>() * bins.len() as f64;
    let gap: f64 = bins.iter().map(|bin| bin.weight / total * (bin.predicted - bin.observed).abs()).sum();
    let chart = Chart {
        id: format!("t{id}-calibration"),
        title: "Calibration".into(),
        description: format!(
            "Share of positives by predicted probability, in {} bins. The mean distance of the two is {}.",
            bins.len(),
            number::share(Some(gap))
        ),
        x: Axis::shares("predicted probability"),
        y: Axis::shares("share of positives"),
        lines: vec![
            Line {
                name: "perfect".into(),
                look: Look::Reference,
                points: vec![(0.0, Some(0.0)), (1.0, Some(1.0))],
            },
            Line {
                name: "share of positives".into(),
                look: Look::Dotted,
                points: bins.iter().map(|bin| (bin.predicted, Some(bin.observed))).collect(),
            },
        ],
        height: Height::Square,
    };
    let largest = bins.iter().fold(0.0, |most: f64, bin| most.max(bin.weight));
    let dots: String = bins
        .iter()
        .map(|bin| {
            let (x, y) = chart.place(bin.predicted, bin.observed);
            let radius = 2.2 + 7.0 * (bin.weight / largest).sqrt();
            format!("<circle class=\"bin\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>")
        })
        .collect();
    let html = format!(
        "<figure class=\"chart\"><figcaption>Calibration <small>Mean distance {}</small></figcaption>\n{}{}</figure>\n",
        number::share(Some(gap)),
        chart.svg(&dots),
        chart.legend("<li>circle: number of examples</li>")
    );
    Some((html, table(&bins), chart.json(&[])))
}

fn table(bins: &[CalibrationBin]) -> String {
    let mut html = String::from(
        "<details><summary>Calibration as a table</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Calibration\"><table \
         class=\"numbers\"><caption class=\"unseen\">Calibration</caption>\n<thead><tr><th scope=\"col\">Predicted probability</th><th \
         scope=\"col\">Share of positives</th><th scope=\"col\">Examples</th></tr></thead>\n<tbody>\n",
    );
    for bin in bins {
        html += &format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n",
            number::share(Some(bin.predicted)),
            number::share(Some(bin.observed)),
            number::count(bin.weight)
        );
    }
    html + "</tbody></table></div></details>\n"
}
