//! An experiment as one HTML file: figures and tables, for learners that are compared.

use thalweg_figures::Plot;

use crate::document::{notes, paragraph, rows};
use crate::not_shown;
use crate::page::{Note, Row};
use crate::shell::{STYLE, Section, Shell};
use crate::text;

/// Rows that a table has at most.
const MOST_ROWS: usize = 2_000;

/// All that a page says about an experiment.
#[derive(Clone, Debug, Default)]
pub struct Experiment {
    /// What kind of experiment, such as `Comparison`.
    pub kind: String,
    /// The heading, such as the name of the data.
    pub title: String,
    /// The command that made it, as it was typed.
    pub command: String,
    /// When it was made.
    pub made_at: String,
    /// The program and its version.
    pub version: String,
    /// What the reader should know before believing the figures.
    pub notes: Vec<Note>,
    /// Its parts, in order.
    pub parts: Vec<Part>,
    /// What the data was like, and the options.
    pub facts: Vec<Row>,
}

/// A part of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// What it is called.
    pub name: String,
    /// How it is to be read. May be empty.
    pub explanation: String,
    /// Figures, one below the other.
    pub figures: Vec<Plot>,
    /// A table: the first row is its heading, the first column names the others.
    pub table: Vec<Vec<String>>,
    /// Is the table folded until somebody wants it?
    pub folded: bool,
}

/// The page as HTML: one file that needs nothing else, not even a script.
pub fn experiment_html(experiment: &Experiment) -> String {
    let mut sections: Vec<Section> = Vec::new();
    let mut add = |id: String, name: &str, html: String| {
        if !html.is_empty() {
            sections.push(Section { id, name: name.into(), html });
        }
    };
    add("notes".into(), "Notes", notes(&experiment.notes));
    for (i, part) in experiment.parts.iter().enumerate() {
        add(format!("part-{i}"), &part.name, part_html(part));
    }
    add("facts".into(), "Data and options", rows(&experiment.facts, "Data and options of the experiment"));
    let shell = Shell {
        kind: &experiment.kind,
        title: &experiment.title,
        command: &experiment.command,
        made_at: &experiment.made_at,
        version: &experiment.version,
    };
    shell.html(&[STYLE, thalweg_figures::STYLE], &sections, None)
}

fn part_html(part: &Part) -> String {
    let mut html = String::new();
    for figure in &part.figures {
        html += &format!("<figure class=\"plain\">{}</figure>\n", figure.in_page());
    }
    html += &table(part);
    if html.is_empty() { html } else { paragraph("", &part.explanation) + &html }
}

fn table(part: &Part) -> String {
    let [heading, body @ ..] = &part.table[..] else { return String::new() };
    let name = text::plain(&part.name);
    let cells: String =
        heading.iter().map(|cell| format!("<th scope=\"col\">{}</th>", text::name(cell))).collect();
    let mut html = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\"><table class=\"numbers\">\
         <caption class=\"unseen\">{name}</caption>\n<thead><tr>{cells}</tr></thead>\n<tbody>\n"
    );
    for row in body.iter().take(MOST_ROWS) {
        let cell = |(i, cell): (usize, &String)| {
            let text = if cell.trim().is_empty() { String::new() } else { text::name(cell) };
            if i == 0 { format!("<th scope=\"row\">{text}</th>") } else { format!("<td>{text}</td>") }
        };
        html += &format!("<tr>{}</tr>\n", row.iter().enumerate().map(cell).collect::<String>());
    }
    html += "</tbody></table></div>\n";
    html += &not_shown::rest(body.len(), MOST_ROWS);
    if part.folded { format!("<details><summary>{name}</summary>\n{html}</details>\n") } else { html }
}
