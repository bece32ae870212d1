//! A line of the progress table.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::figures::Figure;
use crate::metric::Format;
use crate::numbers::{fitted, grouped};

/// A line of the progress table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// Mean loss so far.
    pub average_loss: f64,
    /// Mean loss since the previous line.
    pub since_last: f64,
    /// Number of labelled examples so far.
    pub examples: u64,
    /// Label of the last example.
    pub label: String,
    /// Score of the last example, from before it was learned from.
    pub score: f64,
    /// Number of features of the last example.
    pub features: usize,
    /// Share of wrong predictions so far.
    pub error: f64,
    /// Mean of the recalls of the classes so far.
    pub balanced_accuracy: Option<f64>,
    /// Number of weights that are not zero.
    pub nonzeros: usize,
    /// The metrics that were chosen for the table. In JSON, `metrics` has their values so far and `metrics_since_last` those since
    /// the previous line.
    #[serde(flatten, serialize_with = "two_objects")]
    pub columns: Vec<Column>,
}

/// A metric that was chosen for the progress table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// Its value so far.
    pub so_far: Figure,
    /// Its value since the previous line.
    pub since_last: Figure,
}

impl Progress {
    /// The two heading lines of the table if no metrics were chosen. It fits into 80 columns.
    pub const HEADING: &'static str = concat!(
        "average   since                last     last     last         balanced  non-zero\n",
        "   loss    last    examples   label    score features error % accuracy   weights"
    );

    /// The two heading lines of the table that this line belongs to.
    pub fn heading(&self) -> String {
        if self.columns.is_empty() {
            return Self::HEADING.into();
        }
        let mut lines = [format!("{:>11}", ""), format!("{:>11}", "examples")];
        let mut add = |words: [&str; 2], width: usize| {
            let both = lines.iter_mut().zip(words);
            both.for_each(|(line, word)| *line += &format!(" {word:>width$}"));
        };
        for column in &self.columns {
            let title = column.so_far.metric.title();
            add(two_lines(&title), column.width());
            add(["since", "last"], NARROWEST);
        }
        add(["non-zero", "weights"], 9);
        lines.join("\n")
    }
}

/// The narrowest column of a metric.
const NARROWEST: usize = 8;

impl Column {
    fn width(&self) -> usize {
        let title = self.so_far.metric.title();
        two_lines(&title).map(|line| line.chars().count()).into_iter().fold(NARROWEST, usize::max)
    }
}

/// A title on two lines of about the same length. A single word is on the second.
fn two_lines(title: &str) -> [&str; 2] {
    let splits = title.match_indices(' ').map(|(at, _)| [&title[..at], &title[at + 1..]]);
    let longest = |lines: &[&str; 2]| lines.map(|line| line.chars().count()).into_iter().max();
    splits.min_by_key(longest).unwrap_or(["", title])
}

/// The value of a metric in a column of this width.
fn cell(figure: &Figure, width: usize) -> String {
    let Some(value) = figure.value else { return "-".into() };
    match figure.metric.entry.format {
        Format::Share => format!("{:.2}", 100.0 * value),
        Format::Count | Format::Amount if value.fract() == 0.0 && value < 1e15 => narrow(value as u64, width),
        Format::Count | Format::Amount => fitted(value, width, 2),
        Format::Mean | Format::Decimal => fitted(value, width, 6),
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.columns.is_empty() {
            write!(f, "{:>11}", narrow(self.examples, 11))?;
            for column in &self.columns {
                let width = column.width();
                write!(f, " {:>width$}", cell(&column.so_far, width))?;
                write!(f, " {:>NARROWEST$}", cell(&column.since_last, NARROWEST))?;
            }
            return write!(f, " {:>9}", narrow(self.nonzeros as u64, 9));
        }
        write!(
            f,
            "{:>7} {:>7} {:>11} {:>7} {:>8} {:>8} {:>7.2} {:>8} {:>9}",
            fitted(self.average_loss, 7, 5),
            fitted(self.since_last, 7, 5),
            narrow(self.examples, 11),
            self.label.chars().take(7).collect::<String>(),
            fitted(self.score, 8, 4),
            narrow(self.features as u64, 8),
            100.0 * self.error,
            self.balanced_accuracy.map_or_else(|| "-".into(), |share| format!("{:.2}", 100.0 * share)),
            narrow(self.nonzeros as u64, 9),
        )
    }
}

/// A whole number with its digits in groups where there is room for that, and otherwise rounded.
fn narrow(number: u64, width: usize) -> String {
    let text = grouped(number);
    if text.len() <= width { text } else { fitted(number as f64, width, 0) }
}

/// The columns as two objects, or nothing if there are none.
fn two_objects<S: Serializer>(columns: &[Column], serializer: S) -> Result<S::Ok, S::Error> {
    struct Object(Vec<Figure>);
    impl Serialize for Object {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            self.0.iter().try_for_each(|figure| figure.serialize_into(&mut map))?;
            map.end()
        }
    }
    let mut map = serializer.serialize_map(None)?;
    if !columns.is_empty() {
        map.serialize_entry("metrics", &Object(columns.iter().map(|c| c.so_far).collect()))?;
        map.serialize_entry("metrics_since_last", &Object(columns.iter().map(|c| c.since_last).collect()))?;
    }
    map.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::find;

    fn small() -> Progress {
        Progress {
            average_loss: 0.5,
            since_last: 0.25,
            examples: 1024,
            label: "spam".into(),
            score: -1.25,
            features: 12,
            error: 0.125,
            balanced_accuracy: None,
            nonzeros: 77,
            columns: Vec::new(),
        }
    }

    fn large() -> Progress {
        Progress {
            average_loss: 123_456_789.5,
            since_last: 1e200,
            examples: 98_765_432_109,
            label: "a long label".into(),
            score: -12_345.678,
            features: 12_345_678,
            error: 1.0,
            balanced_accuracy: Some(1.0),
            nonzeros: 1_234_567_890,
            columns: Vec::new(),
        }
    }

    #[test]
    fn headings_and_lines_end_in_the_same_column() {
        for line in [small(), large()] {
            assert!(
                Progress::HEADING.lines().all(|heading| heading.len() == line.to_string().len()),
                "{line}"
            );
            assert_eq!(line.to_string().len(), 80);
            assert_eq!(line.heading(), Progress::HEADING);
        }
    }

    fn column(name: &str, so_far: Option<f64>, since_last: Option<f64>) -> Column {
        let figure = |value| Figure { metric: find(name).unwrap(), value, within: None };
        Column { so_far: figure(so_far), since_last: figure(since_last) }
    }

    #[test]
    fn chosen_metrics_replace_the_other_columns() {
        let columns = vec![
            column("f0.5", Some(0.5), None),
            column("expected_calibration_error", Some(0.012_345_6), Some(0.25)),
            column("cost", Some(12_345.0), Some(17.5)),
        ];
        let line = Progress { columns, ..small() };
        let expected = "                        since calibration    since             since  non-zero
   examples     F0.5     last       error     last     cost     last   weights
      1,024    50.00        -    0.012346 0.250000   12,345    17.50        77";
        assert_eq!(format!("{}\n{line}", line.heading()), expected);
        let all = ["mistakes", "cost", "matthews_corrcoef", "log_loss", "top_12", "recall", "average_loss"];
        for value in [None, Some(1.0), Some(1e300), Some(123_456.789)] {
            let value = |name: &str| {
                let share = find(name).unwrap().entry.format == Format::Share;
                value.map(|value: f64| if share { value.min(1.0) } else { value })
            };
            let columns = all.iter().map(|name| column(name, value(name), value(name))).collect();
            let line = Progress { columns, ..large() };
            let width = line.to_string().len();
            assert!(
                line.heading().lines().all(|heading| heading.len() == width),
                "{}\n{line}",
                line.heading()
            );
        }
    }

    #[test]
    fn json_has_the_chosen_metrics_beside_the_other_fields() {
        let plain = serde_json::to_string(&small()).unwrap();
        assert!(plain.ends_with(r#""balanced_accuracy":null,"nonzeros":77}"#), "{plain}");
        let columns = vec![column("f1", Some(0.5), None), column("missed", Some(3.0), Some(1.0))];
        let chosen = serde_json::to_string(&Progress { columns, ..small() }).unwrap();
        let expected =
            r#""nonzeros":77,"metrics":{"f1":0.5,"missed":3},"metrics_since_last":{"f1":null,"missed":1}}"#;
        assert!(chosen.ends_with(expected), "{chosen}");
    }
}
