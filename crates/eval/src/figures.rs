//! The figures of a run, for reports.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::metric::{Entry, Format, Place};
use crate::numbers::{count, grouped, percent, plain_count};

/// The figures of a run. In JSON they are an object whose keys are the names of the metrics; many classes add `classes`, their
/// names, and `confusion`, the confusion matrix.
#[derive(Clone, Debug)]
pub struct Figures {
    pub(crate) examples: u64,
    pub(crate) all: Vec<Figure>,
    pub(crate) matrix: Option<Matrix>,
}

/// A metric and its value.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// The metric.
    pub metric: &'static Entry,
    /// Its value; none if it is not defined, as a mean of nothing.
    pub value: Option<f64>,
}

/// The confusion matrix of many classes.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    /// The names of the classes.
    pub(crate) classes: Vec<String>,
    /// A row for each true class, a column for each predicted class.
    pub(crate) rows: Vec<Vec<f64>>,
}

impl Figures {
    /// Number of labelled examples.
    pub fn examples(&self) -> u64 {
        self.examples
    }

    /// All figures.
    pub fn iter(&self) -> impl Iterator<Item = &Figure> {
        self.all.iter()
    }

    /// The value of the metric with this name; none if it is not defined, or not among the figures.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.iter().find(|figure| figure.metric.name == name)?.value
    }

    /// Titles and values, for a report in text.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let last = |figure: &&Figure| figure.metric.place == Place::LastLine;
        let mut lines: Vec<_> = self.iter().filter(|f| !last(f)).filter_map(|f| self.line(f)).collect();
        lines.extend(self.matrix.as_ref().map(|matrix| ("classes", grouped(matrix.classes.len() as u64))));
        lines.extend(self.iter().filter(last).filter_map(|f| self.line(f)));
        lines
    }

    /// The line of a figure, if it has one, with what belongs beside it.
    fn line(&self, figure: &Figure) -> Option<(&'static str, String)> {
        if matches!(figure.metric.place, Place::Beside(_) | Place::JsonOnly) {
            return None;
        }
        let mut text = figure.text()?;
        let beside = |other: &&Figure| other.metric.place == Place::Beside(figure.metric.name);
        let beside: Vec<String> = self
            .iter()
            .filter(beside)
            .filter_map(|other| Some(format!("{} {}", other.metric.title, other.text()?)))
            .collect();
        if !beside.is_empty() {
            text += &format!(" ({})", beside.join(", "));
        }
        Some((figure.metric.title, text))
    }

    /// The confusion matrix of many classes as a table; none for two classes, and none for so many that nobody could read it.
    pub fn matrix(&self) -> Option<String> {
        self.matrix.as_ref().filter(|matrix| matrix.classes.len() <= WIDEST).map(Matrix::text)
    }
}

impl Figure {
    /// The value for people. A share that is not defined is `-`, any other figure has no text then.
    pub fn text(&self) -> Option<String> {
        match self.metric.format {
            Format::Count => self.value.map(count),
            Format::Share => Some(percent(self.value)),
            Format::Number => self.value.map(|number| number.to_string()),
            Format::Mean => self.value.map(|mean| format!("{mean:.6}")),
        }
    }
}

/// The largest confusion matrix that is shown as a table.
const WIDEST: usize = 24;

impl Matrix {
    fn text(&self) -> String {
        let cell = |sum: &f64| if *sum == 0.0 { ".".into() } else { plain_count(*sum) };
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        let widths = self.classes.iter().chain(rows.iter().flatten()).map(|text| text.chars().count());
        let width = widths.fold(6, usize::max) + 1;
        let line = |name: &str, cells: &[String]| {
            let cells: String = cells.iter().map(|cell| format!("{cell:>width$}")).collect();
            format!("{name:<18}{cells}\n")
        };
        let rows = self.classes.iter().zip(&rows).map(|(name, cells)| line(name, cells));
        std::iter::once(line("truth \\ predicted", &self.classes)).chain(rows).collect()
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for Figure { metric, value } in &self.all {
            match metric.format {
                Format::Count => map.serialize_entry(metric.name, &value.map(Count))?,
                Format::Share | Format::Number | Format::Mean => map.serialize_entry(metric.name, value)?,
            }
        }
        if let Some(Matrix { classes, rows }) = &self.matrix {
            let rows: Vec<Vec<Count>> =
                rows.iter().map(|row| row.iter().copied().map(Count).collect()).collect();
            map.serialize_entry("classes", classes)?;
            map.serialize_entry("confusion", &rows)?;
        }
        map.end()
    }
}

/// A sum of importances, which is a whole number in JSON if it is one.
struct Count(f64);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Above this not every whole number is an f64, and digits would be invented.
        const LARGEST: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
        let Self(sum) = *self;
        let whole = sum.fract() == 0.0 && (0.0..=LARGEST).contains(&sum);
        if whole { serializer.serialize_u64(sum as u64) } else { serializer.serialize_f64(sum) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::find;

    fn figures(values: &[(&str, Option<f64>)], matrix: Option<Matrix>) -> Figures {
        let figure =
            |(name, value): &(&str, Option<f64>)| Figure { metric: find(name).unwrap(), value: *value };
        Figures { examples: 0, all: values.iter().map(figure).collect(), matrix }
    }

    #[test]
    fn counts_are_whole_numbers_in_json_where_they_can_be() {
        let figures = figures(
            &[
                ("mistakes", Some(3.0)),
                ("missed", Some(2.5)),
                ("false_alarms", Some(1e30)),
                ("cost", Some(3.0)),
            ],
            Some(Matrix {
                classes: vec!["a".into(), "b".into()],
                rows: vec![vec![1.0, 0.0], vec![0.5, 2.0]],
            }),
        );
        assert_eq!(
            serde_json::to_string(&figures).unwrap(),
            r#"{"mistakes":3,"missed":2.5,"false_alarms":1e+30,"cost":3.0,"classes":["a","b"],"confusion":[[1,0],[0.5,2]]}"#
        );
    }

    #[test]
    fn undefined_figures_are_null_in_json() {
        let figures = figures(&[("error", None), ("average_loss", None), ("mistakes", None)], None);
        assert_eq!(
            serde_json::to_string(&figures).unwrap(),
            r#"{"error":null,"average_loss":null,"mistakes":null}"#
        );
        assert_eq!(figures.lines(), [("error", "-".to_string())]);
    }

    #[test]
    fn wide_numbers_keep_columns_apart() {
        let rows = vec![vec![12_345_678.0, 0.0], vec![0.25, 2.0]];
        let table = Matrix { classes: vec!["a".into(), "b".into()], rows }.text();
        let expected = "truth \\ predicted         a        b
a                  12345678        .
b                      0.25        2
";
        assert_eq!(table, expected);
    }
}
