//! The strongest features.

use crate::not_shown;
use crate::number;
use crate::page::Feature;
use crate::text;

/// Features that are shown.
const MOST: usize = 100;

/// The table, with a bar for each weight.
pub(crate) fn table(features: &[Feature]) -> Option<String> {
    let shown: Vec<&Feature> =
        features.iter().filter(|feature| feature.weight.is_finite()).take(MOST).collect();
    let largest = shown.iter().fold(0.0, |most: f64, feature| most.max(feature.weight.abs()));
    if shown.is_empty() {
        return None;
    }
    let with_class = shown.iter().any(|feature| feature.class.is_some());
    let with_deviation = shown.iter().any(|feature| feature.deviation.is_some());
    let mut html = String::from(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Strongest features\"><table class=\"features\"><caption \
         class=\"unseen\">Strongest features</caption>\n<thead><tr><th scope=\"col\">Feature</th>",
    );
    html += if with_class { "<th scope=\"col\">Class</th>" } else { "" };
    html += "<th scope=\"col\" class=\"number\">Weight</th>";
    html += if with_deviation { "<th scope=\"col\" class=\"number\">± deviation</th>" } else { "" };
    html += "<td></td></tr></thead>\n<tbody>\n";
    for feature in &shown {
        html += &format!("<tr><th scope=\"row\">{}</th>", text::name(&feature.name));
        if with_class {
            html += &format!("<td>{}</td>", feature.class.as_deref().map_or(String::new(), text::heading));
        }
        html += &format!("<td class=\"number\">{}</td>", signed(feature.weight));
        if with_deviation {
            let deviation = feature.deviation.unwrap_or(f64::NAN);
            html += &format!("<td class=\"number\">{}</td>", number::number(deviation));
        }
        html += &format!("<td>{}</td></tr>\n", bar(feature.weight, largest));
    }
    Some(html + "</tbody></table></div>\n" + &not_shown::rest(features.len(), shown.len()))
}

fn signed(weight: f64) -> String {
    let text = number::number(weight);
    if weight > 0.0 { format!("+{text}") } else { text }
}

/// To the right for weights above zero, to the left for those below.
fn bar(weight: f64, largest: f64) -> String {
    let length = if largest > 0.0 { 59.0 * (weight.abs() / largest) } else { 0.0 };
    let (class, x) = if weight < 0.0 { ("below", 60.0 - length) } else { ("above", 60.0) };
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 120 12\" aria-hidden=\"true\"><path class=\"axis\" d=\"M60 0V12\"/><rect class=\"{class}\" x=\"{x:.1}\" \
         y=\"2\" width=\"{length:.1}\" height=\"8\"/></svg>"
    )
}
