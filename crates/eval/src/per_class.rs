//! The figures of each of many classes, and the confusion matrix.

use serde::ser::{Serialize, SerializeStruct, Serializer};
use thalweg_core::Class;

use crate::confusion::Confusion;
use crate::numbers::{Count, count, percent, plain_count};

/// How well one of many classes is told from the others.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassFigures {
    /// Its name.
    pub class: String,
    /// Share of the predictions of the class that were right; none if it was never predicted.
    pub precision: Option<f64>,
    /// Share of the examples of the class that were predicted as such; none if it never came.
    pub recall: Option<f64>,
    /// Harmonic mean of precision and recall.
    pub f1: Option<f64>,
    /// Importance of the examples of the class.
    pub support: f64,
}

impl Serialize for ClassFigures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("ClassFigures", 5)?;
        object.serialize_field("class", &self.class)?;
        object.serialize_field("precision", &self.precision)?;
        object.serialize_field("recall", &self.recall)?;
        object.serialize_field("f1", &self.f1)?;
        object.serialize_field("support", &Count(self.support))?;
        object.end()
    }
}

/// The confusion matrix of many classes.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    /// The names of the classes.
    pub(crate) classes: Vec<String>,
    /// The matrix.
    pub(crate) confusion: Confusion,
}

/// The largest confusion matrix that is shown as a table.
const WIDEST: usize = 24;

impl Matrix {
    /// The figures of each class.
    pub(crate) fn per_class(&self) -> Vec<ClassFigures> {
        let figures = |(class, name): (Class, &String)| ClassFigures {
            class: name.clone(),
            precision: self.confusion.precision(class),
            recall: self.confusion.recall(class),
            f1: self.confusion.f1(class),
            support: self.confusion.support(class),
        };
        (0..).zip(&self.classes).map(figures).collect()
    }

    /// The figures of each class as a table.
    pub(crate) fn per_class_text(&self) -> String {
        let width = self.classes.iter().map(|name| name.chars().count()).fold(18, usize::max);
        let line = |name: &str, cells: [String; 4]| {
            let cells: String = cells.iter().map(|cell| format!(" {cell:>9}")).collect();
            format!("{name:<width$}{cells}\n")
        };
        let heading = line("class", ["precision", "recall", "F1", "support"].map(str::to_string));
        let rows = self.per_class().into_iter().map(|of| {
            line(&of.class, [percent(of.precision), percent(of.recall), percent(of.f1), count(of.support)])
        });
        std::iter::once(heading).chain(rows).collect()
    }

    /// The matrix as a table; none if nobody could read it.
    pub(crate) fn text(&self) -> Option<String> {
        if self.classes.len() > WIDEST {
            return None;
        }
        let cell = |sum: &f64| if *sum == 0.0 { ".".into() } else { plain_count(*sum) };
        let rows: Vec<Vec<String>> =
            self.confusion.rows().iter().map(|row| row.iter().map(cell).collect()).collect();
        let widths = self.classes.iter().chain(rows.iter().flatten()).map(|text| text.chars().count());
        let width = widths.fold(6, usize::max) + 1;
        let line = |name: &str, cells: &[String]| {
            let cells: String = cells.iter().map(|cell| format!("{cell:>width$}")).collect();
            format!("{name:<18}{cells}\n")
        };
        let rows = self.classes.iter().zip(&rows).map(|(name, cells)| line(name, cells));
        Some(std::iter::once(line("truth \\ predicted", &self.classes)).chain(rows).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(sums: &[(Class, Class, f64)]) -> Matrix {
        let mut confusion = Confusion::default();
        sums.iter().for_each(|&(truth, predicted, sum)| confusion.add(truth, predicted, sum));
        Matrix { classes: vec!["a".into(), "b".into()], confusion }
    }

    #[test]
    fn wide_numbers_keep_columns_apart() {
        let expected = "truth \\ predicted         a        b
a                  12345678        .
b                      0.25        2
";
        let matrix = matrix(&[(0, 0, 12_345_678.0), (1, 0, 0.25), (1, 1, 2.0)]);
        assert_eq!(matrix.text().as_deref(), Some(expected));
    }

    #[test]
    fn each_class_has_a_row() {
        let matrix = matrix(&[(0, 0, 3.0), (1, 0, 1.0)]);
        let expected = "class              precision    recall        F1   support
a                    75.00 %  100.00 %   85.71 %         3
b                          -    0.00 %    0.00 %         1
";
        assert_eq!(matrix.per_class_text(), expected);
        assert_eq!(
            serde_json::to_string(&matrix.per_class()[1]).unwrap(),
            r#"{"class":"b","precision":null,"recall":0.0,"f1":0.0,"support":1}"#
        );
    }
}
