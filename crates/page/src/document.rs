//! The whole page.

use serde_json::{Value, json};

use crate::page::{Assessment, Figure, Kind, Note, Page, Row, Severity};
use crate::shell::{STYLE, Script, Section, Shell};
use crate::{calibration, confusion, features, not_shown, progress, text, threshold};

const SCRIPT: &str = include_str!("page.js");

/// Rows that a table of options or of facts has at most.
const MOST_ROWS: usize = 80;
/// Notes and figures that are shown at most.
const MOST_NOTES: usize = 20;
/// Assessments that are shown at most: there are progressive validation and test data. More would make a page too large to mail.
const MOST_ASSESSMENTS: usize = 2;

/// The page as HTML: one file that needs nothing else. The same page always gives the same text.
pub fn html(page: &Page) -> String {
    let (sections, json) = sections(page);
    let shell = Shell {
        kind: kind(page.kind),
        title: &page.title,
        command: &page.command,
        made_at: &page.made_at,
        version: &page.version,
    };
    let script = Script { data: text::json_in_script(&json), code: SCRIPT };
    shell.html(&[STYLE], &sections, Some(&script))
}

fn sections(page: &Page) -> (Vec<Section>, Value) {
    let (mut sections, mut charts, mut panels) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |id: &str, name: &str, html: String| {
        if !html.is_empty() {
            sections.push(Section { id: id.into(), name: name.into(), html });
        }
    };
    add("result", "Result", figures(&page.figures) + &cost(&page.cost) + &notes(&page.notes));
    if let Some((html, json)) = progress::section(&page.curve, page.kind) {
        add("progress", "Progress", html);
        charts.extend(json);
    }
    for (i, assessment) in page.assessments.iter().take(MOST_ASSESSMENTS).enumerate() {
        let (html, more_charts, panel) = assessed(assessment, i);
        add(&format!("assessment-{i}"), &assessment.name, html);
        charts.extend(more_charts);
        panels.extend(panel);
    }
    add("more", "More", not_shown::rest(page.assessments.len(), MOST_ASSESSMENTS));
    if let Some(html) = features::table(&page.features) {
        add("features", "Strongest features", html);
    }
    add("data-read", "Data", rows(&page.data, "What the data was like"));
    add("options", "Options", rows(&page.options, "Options of the run"));
    (sections, json!({ "charts": charts, "panels": panels }))
}

fn assessed(assessment: &Assessment, id: usize) -> (String, Vec<Value>, Option<Value>) {
    let mut html = paragraph("", &assessment.explanation) + &figures(&assessment.figures);
    let (mut curves, mut charts, mut json) = (String::new(), Vec::new(), None);
    if let Some(thresholds) = &assessment.thresholds {
        let panel = threshold::panel(thresholds, id);
        html += "<h3>What a threshold gives</h3>\n";
        html += &panel.controls;
        if panel.curves.is_empty() {
            html += "<p>Curves need examples of both classes.</p>\n";
        }
        curves = panel.curves;
        json = Some(panel.json);
    }
    let calibration = calibration::figure(&assessment.calibration, id);
    let mut table = String::new();
    if let Some((figure, numbers, chart)) = calibration {
        curves += &figure;
        table = numbers;
        charts.push(chart);
    }
    if !curves.is_empty() {
        html += &format!("<div class=\"charts\">\n{curves}</div>\n{table}");
    }
    // Two classes are in the table of the chosen threshold already.
    if let Some(confusion) = &assessment.confusion
        && (confusion.labels.len() > 2 || assessment.thresholds.is_none())
    {
        html += &confusion::matrix(confusion);
    }
    html += &confusion::classes(&assessment.classes);
    (html, charts, json)
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Training => "Training",
        Kind::Evaluation => "Evaluation",
    }
}

fn figures(figures: &[Figure]) -> String {
    if figures.is_empty() {
        return String::new();
    }
    let one = |figure: &Figure| {
        let explanation = match text::sentence(&figure.explanation) {
            empty if empty.is_empty() => empty,
            explanation => format!("<dd class=\"why\">{explanation}</dd>"),
        };
        format!(
            "<div><dt>{}</dt><dd>{}</dd>{explanation}</div>\n",
            text::name(&figure.name),
            text::name(&figure.value)
        )
    };
    let shown: String = figures.iter().take(MOST_NOTES).map(one).collect();
    format!("<dl class=\"figures\">\n{shown}</dl>\n{}", not_shown::rest(figures.len(), MOST_NOTES))
}

fn cost(sentence: &str) -> String {
    paragraph(" class=\"lead\"", sentence)
}

pub(crate) fn paragraph(attributes: &str, sentence: &str) -> String {
    if sentence.is_empty() {
        String::new()
    } else {
        format!("<p{attributes}>{}</p>\n", text::sentence(sentence))
    }
}

pub(crate) fn notes(notes: &[Note]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let one = |note: &Note| {
        let (class, word) = match note.severity {
            Severity::Warning => ("warning", "Warning"),
            Severity::Remark => ("remark", "Note"),
        };
        format!("<li class=\"{class}\"><b>{word}</b> {}</li>\n", text::sentence(&note.text))
    };
    // What misleads comes first, so that remarks cannot push it out.
    let mut sorted: Vec<&Note> = notes.iter().collect();
    sorted.sort_by_key(|note| note.severity == Severity::Remark);
    let shown: String = sorted.into_iter().take(MOST_NOTES).map(one).collect();
    format!("<ul class=\"notes\">\n{shown}</ul>\n{}", not_shown::rest(notes.len(), MOST_NOTES))
}

pub(crate) fn rows(rows: &[Row], caption: &str) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let one = |row: &Row| {
        format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
            text::name(&row.name),
            text::sentence(&row.value)
        )
    };
    let shown: String = rows.iter().take(MOST_ROWS).map(one).collect();
    let rest = not_shown::rest(rows.len(), MOST_ROWS);
    format!(
        "<table class=\"facts\"><caption class=\"unseen\">{caption}</caption>\n<tbody>\n{shown}</tbody></table>\n{rest}"
    )
}
