//! Many classes: what was predicted as what, and the figures of each class.

use crate::number;
use crate::page::{ClassFigures, Confusion};
use crate::text;

/// Classes that a matrix has at most; a larger one cannot be read.
const MOST_IN_MATRIX: usize = 50;
/// Classes that a table has at most.
const MOST_IN_TABLE: usize = 100;

/// The matrix, with shades for the shares of each true class.
pub(crate) fn matrix(confusion: &Confusion) -> String {
    let chosen = largest(confusion);
    if chosen.is_empty() {
        return String::new();
    }
    let mut html = String::from("<h3>What was predicted as what</h3>\n");
    if chosen.len() < confusion.labels.len() {
        html += &format!(
            "<p>Only the {} largest of {} classes are shown.</p>\n",
            chosen.len(),
            number::count(confusion.labels.len() as f64)
        );
    }
    let size = if chosen.len() > 12 { " small" } else { "" };
    html += &format!(
        "<p class=\"caption\">Rows are true classes, columns predictions. The stronger the colour, the larger the share of the row.</p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Confusion matrix\"><table class=\"classes{size}\">\
         <caption class=\"unseen\">Confusion matrix: rows are true classes, columns predictions</caption>\n<thead><tr><td></td>"
    );
    for &i in &chosen {
        html += &format!("<th scope=\"col\"><span>{}</span></th>", text::repeated(&confusion.labels[i]));
    }
    html += "</tr></thead>\n<tbody>\n";
    for &i in &chosen {
        html += &format!("<tr><th scope=\"row\">{}</th>", text::heading(&confusion.labels[i]));
        let total: f64 = (0..confusion.labels.len()).map(|j| count(confusion, i, j)).sum();
        for &j in &chosen {
            html += &cell(count(confusion, i, j), total, i == j);
        }
        html += "</tr>\n";
    }
    html + "</tbody></table></div>\n"
}

fn cell(count: f64, total: f64, diagonal: bool) -> String {
    let share = if total > 0.0 { count / total } else { 0.0 };
    // Ten shades; whatever is not nothing has one. The root keeps rare mistakes visible.
    let shade = (share.sqrt() * 9.0).ceil().clamp(0.0, 9.0) as u32;
    match (count == 0.0, diagonal) {
        (true, false) => "<td class=\"s0\">0</td>".into(),
        (_, false) => format!("<td class=\"s{shade}\">{}</td>", number::count(count)),
        (_, true) => format!("<td class=\"s{shade} own\">{}</td>", number::count(count)),
    }
}

/// A number of the matrix. Rows may be missing or too short.
fn count(confusion: &Confusion, truth: usize, predicted: usize) -> f64 {
    let count = confusion.counts.get(truth).and_then(|row| row.get(predicted)).copied().unwrap_or(0.0);
    if count.is_finite() { count.max(0.0) } else { 0.0 }
}

/// The classes with the most examples, in the order in which they came.
fn largest(confusion: &Confusion) -> Vec<usize> {
    let size = |i: usize| (0..confusion.labels.len()).map(|j| count(confusion, i, j)).sum::<f64>();
    let mut sizes: Vec<(usize, f64)> = (0..confusion.labels.len()).map(|i| (i, size(i))).collect();
    sizes.sort_by(|a, b| b.1.total_cmp(&a.1));
    sizes.truncate(MOST_IN_MATRIX);
    let mut chosen: Vec<usize> = sizes.into_iter().map(|(i, _)| i).collect();
    chosen.sort_unstable();
    chosen
}

/// A table of classes.
pub(crate) fn classes(classes: &[ClassFigures]) -> String {
    if classes.is_empty() {
        return String::new();
    }
    let mut largest: Vec<&ClassFigures> = classes.iter().collect();
    largest.sort_by(|a, b| b.examples.total_cmp(&a.examples));
    let mut html = String::from("<h3>Each class</h3>\n");
    if classes.len() > MOST_IN_TABLE {
        largest.truncate(MOST_IN_TABLE);
        html += &format!(
            "<p>Only the {MOST_IN_TABLE} largest of {} classes are shown.</p>\n",
            number::count(classes.len() as f64)
        );
    }
    html += "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Figures of each class\"><table class=\"numbers\"><caption>Largest \
             class first</caption>\n<thead><tr><th scope=\"col\">Class</th><th scope=\"col\">Examples</th><th scope=\"col\">Precision</th><th \
             scope=\"col\">Recall</th><th scope=\"col\">F1</th></tr></thead>\n<tbody>\n";
    for class in largest {
        html += &format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            text::name(&class.label),
            number::count(class.examples),
            number::share(class.precision),
            number::share(class.recall),
            number::share(class.f1)
        );
    }
    html + "</tbody></table></div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_largest_classes_are_shown_and_that_is_said() {
        let labels: Vec<String> = (0..60).map(|i| format!("class{i}")).collect();
        let counts =
            (0..60).map(|i| (0..60).map(|j| if i == j { f64::from(i) } else { 0.0 }).collect()).collect();
        let html = matrix(&Confusion { labels, counts });
        assert!(html.contains("Only the 50 largest of 60 classes"), "{html}");
        assert!(!html.contains(">class9<") && html.contains(">class10<") && html.contains(">class59<"));
    }

    #[test]
    fn rows_that_are_missing_are_nothing() {
        let ragged = Confusion { labels: vec!["a".into(), "b".into()], counts: vec![vec![f64::NAN, 3.0]] };
        assert!(matrix(&ragged).contains("<td class=\"s9\">3</td>"));
        assert_eq!(matrix(&Confusion::default()), "");
    }
}
