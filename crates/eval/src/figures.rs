//! The figures of a run, for reports.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::chosen::Chosen;
use crate::metric::{Format, Place};
use crate::numbers::{Count, amount, count, grouped, percent};
use crate::per_class::{ClassFigures, Matrix};

/// The figures of a run. In JSON they are an object whose keys are the names of the metrics. A value that may be off by a known
/// bound has the bound beside it, under its name with `_within`. Many classes add `classes`, their names, `confusion`, the confusion
/// matrix, and `per_class`, the figures of each class.
#[derive(Clone, Debug)]
pub struct Figures {
    pub(crate) examples: u64,
    pub(crate) all: Vec<Figure>,
    pub(crate) matrix: Option<Matrix>,
}

/// A metric and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The metric.
    pub metric: Chosen,
    /// Its value; none if it is not defined, as a mean of nothing.
    pub value: Option<f64>,
    /// The value from all scores differs from this one by at most so much; none if the value is exact.
    pub within: Option<f64>,
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

    /// The figure of the metric with this name, if it is among them.
    pub fn get(&self, name: &str) -> Option<&Figure> {
        self.iter().find(|figure| figure.metric.name() == name)
    }

    /// The value of the metric with this name; none if it is not defined, or not among the figures.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.get(name)?.value
    }

    /// Many classes: their names, and the confusion matrix with a row for each true class.
    pub fn confusion(&self) -> Option<(&[String], &[Vec<f64>])> {
        self.matrix.as_ref().map(|matrix| (&matrix.classes[..], matrix.confusion.rows()))
    }

    /// Replaces the value of a metric by one that is known better elsewhere.
    pub fn set(&mut self, name: &str, value: f64) {
        if let Some(figure) = self.all.iter_mut().find(|figure| figure.metric.name() == name) {
            figure.value = Some(value);
        }
    }

    /// Titles and values, for a report in text.
    pub fn lines(&self) -> Vec<(String, String)> {
        let last = |figure: &&Figure| figure.metric.entry.place == Place::LastLine;
        let mut lines: Vec<_> = self.iter().filter(|f| !last(f)).filter_map(|f| self.line(f)).collect();
        lines.extend(self.matrix.as_ref().map(|m| ("classes".into(), grouped(m.classes.len() as u64))));
        lines.extend(self.iter().filter(last).filter_map(|f| self.line(f)));
        lines
    }

    /// The line of a figure, if it has one, with what belongs beside it.
    fn line(&self, figure: &Figure) -> Option<(String, String)> {
        let entry = figure.metric.entry;
        if matches!(entry.place, Place::Beside(_) | Place::JsonOnly | Place::Elsewhere) {
            return None;
        }
        let mut text = figure.text()?;
        let beside = |other: &&Figure| other.metric.entry.place == Place::Beside(entry.name);
        let beside: Vec<String> = self
            .iter()
            .filter(beside)
            .filter_map(|other| Some(format!("{} {}", other.metric.title(), other.text()?)))
            .collect();
        if !beside.is_empty() {
            text += &format!(" ({})", beside.join(", "));
        }
        Some((figure.metric.title(), text))
    }

    /// The confusion matrix of many classes as a table; none for two classes, and none for so many that nobody could read it.
    pub fn matrix(&self) -> Option<String> {
        self.matrix.as_ref().and_then(Matrix::text)
    }

    /// The figures of each of many classes; empty for two classes.
    pub fn per_class(&self) -> Vec<ClassFigures> {
        self.matrix.as_ref().map(Matrix::per_class).unwrap_or_default()
    }

    /// The figures of each of many classes as a table; none for two classes.
    pub fn per_class_table(&self) -> Option<String> {
        self.matrix.as_ref().map(Matrix::per_class_text)
    }
}

impl Figure {
    /// The value for people. A share or a decimal that is not defined is `-`, any other figure has no text then.
    pub fn text(&self) -> Option<String> {
        let text = match self.metric.entry.format {
            Format::Count => self.value.map(count),
            Format::Share => Some(percent(self.value)),
            Format::Amount => self.value.map(amount),
            Format::Mean => self.value.map(|mean| format!("{mean:.6}")),
            Format::Decimal => Some(self.value.map_or_else(|| "-".into(), |value| format!("{value:.6}"))),
        };
        // A bound that would read ± 0 is left out.
        let within = self.within.filter(|within| *within >= 5e-7).map(|within| format!(" ± {within:.6}"));
        text.map(|text| text + &within.unwrap_or_default())
    }

    /// Writes the figure into an object.
    pub(crate) fn serialize_into<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let name = self.metric.name();
        match self.metric.entry.format {
            Format::Count => map.serialize_entry(&name, &self.value.map(Count))?,
            Format::Share | Format::Amount | Format::Mean | Format::Decimal => {
                map.serialize_entry(&name, &self.value)?;
            }
        }
        self.within.map_or(Ok(()), |within| map.serialize_entry(&format!("{name}_within"), &within))
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for figure in self.iter().filter(|figure| figure.metric.entry.place != Place::Elsewhere) {
            figure.serialize_into(&mut map)?;
        }
        if let Some(matrix) = &self.matrix {
            let counts = |row: &Vec<f64>| row.iter().copied().map(Count).collect();
            let rows: Vec<Vec<Count>> = matrix.confusion.rows().iter().map(counts).collect();
            map.serialize_entry("classes", &matrix.classes)?;
            map.serialize_entry("confusion", &rows)?;
            map.serialize_entry("per_class", &matrix.per_class())?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confusion::Confusion;
    use crate::metrics::find;

    fn figures(values: &[(&str, Option<f64>)], matrix: Option<Matrix>) -> Figures {
        let figure = |(name, value): &(&str, Option<f64>)| Figure {
            metric: find(name).unwrap(),
            value: *value,
            within: None,
        };
        Figures { examples: 0, all: values.iter().map(figure).collect(), matrix }
    }

    #[test]
    fn counts_are_whole_numbers_in_json_where_they_can_be() {
        let mut confusion = Confusion::default();
        for (truth, predicted, sum) in [(0, 0, 1.0), (1, 0, 0.5), (1, 1, 2.0)] {
            confusion.add(truth, predicted, sum);
        }
        let figures = figures(
            &[
                ("mistakes", Some(3.0)),
                ("missed", Some(2.5)),
                ("false_alarms", Some(1e30)),
                ("cost", Some(3.0)),
            ],
            Some(Matrix { classes: vec!["a".into(), "b".into()], confusion }),
        );
        let json = serde_json::to_string(&figures).unwrap();
        assert!(
            json.starts_with(
                r#"{"mistakes":3,"missed":2.5,"false_alarms":1e+30,"cost":3.0,"classes":["a","b"],"confusion":[[1,0],[0.5,2]],"per_class":[{"class":"a","#
            ),
            "{json}"
        );
    }

    #[test]
    fn undefined_figures_are_null_in_json() {
        let figures = figures(
            &[
                ("error", None),
                ("average_loss", None),
                ("mistakes", None),
                ("roc_auc", None),
                ("nonzeros", None),
            ],
            None,
        );
        assert_eq!(
            serde_json::to_string(&figures).unwrap(),
            r#"{"error":null,"average_loss":null,"mistakes":null,"roc_auc":null}"#
        );
        assert_eq!(figures.lines(), [("error", "-"), ("ROC AUC", "-")].map(|(a, b)| (a.into(), b.into())));
    }

    #[test]
    fn bounds_are_beside_their_values() {
        let mut figures = figures(&[("roc_auc", Some(0.875)), ("average_precision", Some(1.0))], None);
        (figures.all[0].within, figures.all[1].within) = (Some(0.001_25), Some(0.0));
        assert_eq!(
            serde_json::to_string(&figures).unwrap(),
            r#"{"roc_auc":0.875,"roc_auc_within":0.00125,"average_precision":1.0,"average_precision_within":0.0}"#
        );
        let texts: Vec<_> = figures.lines().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["0.875000 ± 0.001250", "1.000000"]);
    }

    #[test]
    fn what_mistakes_cost_is_compared_with_what_is_trivial() {
        let figures = figures(
            &[
                ("cost", Some(812.0)),
                ("cost_of_flagging_nothing", Some(4100.0)),
                ("cost_of_flagging_everything", Some(49_500.5)),
            ],
            None,
        );
        let expected = "812 (flagging nothing 4,100, flagging everything 49,500.50)";
        assert_eq!(figures.lines(), [("cost".into(), expected.into())]);
    }
}
