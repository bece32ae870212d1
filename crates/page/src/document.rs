//! The whole page.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::page::{Assessment, Figure, Kind, Note, Page, Row, Severity};
use crate::{calibration, confusion, features, not_shown, progress, text, threshold};

const STYLE: &str = include_str!("page.css");
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
    let title = text::plain(&page.title);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{} – {title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        hash(SCRIPT),
        hash(STYLE),
        kind(page.kind),
    );
    html += &header(page, &sections);
    html += "<main>\n";
    for section in &sections {
        html += &format!(
            "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{}</h2>\n{}</section>\n",
            text::name(&section.name),
            section.html,
            id = section.id
        );
    }
    html += "</main>\n";
    html += &footer(page);
    html += &format!(
        "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        text::json_in_script(&json)
    );
    html
}

struct Section {
    id: String,
    name: String,
    html: String,
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

fn header(page: &Page, sections: &[Section]) -> String {
    let mut html = format!(
        "<header>\n<p class=\"kind\">{}</p>\n<h1>{}</h1>\n",
        kind(page.kind),
        text::name(&page.title)
    );
    let made: Vec<String> = [&page.made_at, &page.version]
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(|text| text::sentence(text))
        .collect();
    if !made.is_empty() {
        html += &format!("<p class=\"made\">{}</p>\n", made.join(" · "));
    }
    if !page.command.is_empty() {
        html += &format!("<pre class=\"command\"><code>{}</code></pre>\n", text::command(&page.command));
    }
    if sections.len() > 1 {
        let links: String = sections
            .iter()
            .map(|section| format!("<li><a href=\"#{}\">{}</a></li>", section.id, text::name(&section.name)))
            .collect();
        html += &format!("<nav aria-label=\"Sections\"><ul>{links}</ul></nav>\n");
    }
    html + "</header>\n"
}

fn footer(page: &Page) -> String {
    let by = if page.version.is_empty() {
        String::new()
    } else {
        format!("Made by {}. ", text::sentence(&page.version))
    };
    format!("<footer><p>{by}This page is complete: it loads nothing and sends nothing.</p></footer>\n")
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

fn paragraph(attributes: &str, sentence: &str) -> String {
    if sentence.is_empty() {
        String::new()
    } else {
        format!("<p{attributes}>{}</p>\n", text::sentence(sentence))
    }
}

fn notes(notes: &[Note]) -> String {
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

fn rows(rows: &[Row], caption: &str) -> String {
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

/// What the browser must find before it runs or applies what stands in the page.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}
