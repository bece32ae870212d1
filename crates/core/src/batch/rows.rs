//! Rows that somebody else holds, on their way into a batch.

use std::ops::Range;

use super::{Batch, Class, NotFinite, RowBuilder};

/// Why arrays are not examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowsError {
    /// Lengths that do not fit together.
    #[error("{what} has {found} entries, but should have {expected}")]
    Length {
        /// Which array.
        what: &'static str,
        /// How many entries it should have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A row that ends before it begins, or behind the last value.
    #[error("row {row} ends at {end}, which is before its beginning or behind the last value")]
    RowEnd {
        /// Which row, counted from 0.
        row: usize,
        /// Where it ends.
        end: i64,
    },
    /// An index that no feature can have.
    #[error("row {row} has the feature {index}; features are numbered from 0 to {last}")]
    Index {
        /// Which row, counted from 0.
        row: usize,
        /// The index.
        index: i64,
        /// The last one that a feature can have here.
        last: u32,
    },
    /// A value, or a sum of duplicates, that is not a finite number.
    #[error("row {row} has a value of feature {feature} that is not a finite number")]
    NotFinite {
        /// Which row, counted from 0.
        row: usize,
        /// The feature.
        feature: u32,
    },
    /// An importance that is negative or not a finite number.
    #[error("row {row} has an importance that is not a finite number of at least 0")]
    Importance {
        /// Which row, counted from 0.
        row: usize,
    },
}

/// Rows that somebody else holds, in whatever layout: [compressed](super::Csr) or [dense](super::Matrix).
pub trait Rows {
    /// Number of rows.
    fn len(&self) -> usize;

    /// No rows?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Features are below.
    fn columns(&self) -> u32;

    /// Adds the features of a row to an example in the making, in any order.
    fn features(&self, row: usize, example: &mut RowBuilder<'_>) -> Result<(), RowsError>;

    /// Adds rows as they are, faster than one by one, where the layout allows it. `None` if it does not, or if one of them has to be put right or is
    /// wrong; then nothing was added.
    fn copy_rows(
        &self,
        _rows: Range<usize>,
        _labels: Option<&[Class]>,
        _importances: Option<&[f32]>,
        _batch: &mut Batch,
    ) -> Option<()> {
        None
    }

    /// Adds a row to a batch.
    fn push_row(
        &self,
        row: usize,
        label: Option<Class>,
        importance: f32,
        batch: &mut Batch,
    ) -> Result<(), RowsError> {
        if !counts(importance) {
            return Err(RowsError::Importance { row });
        }
        let mut example = batch.row_builder();
        self.features(row, &mut example)?;
        let committed = example.commit(label, importance);
        committed.map(|_| ()).map_err(|NotFinite(feature)| RowsError::NotFinite { row, feature })
    }

    /// Adds rows to a batch, with the labels and importances of all rows of these arrays, which [`Self::fit`].
    fn push_rows(
        &self,
        rows: Range<usize>,
        labels: Option<&[Class]>,
        importances: Option<&[f32]>,
        batch: &mut Batch,
    ) -> Result<(), RowsError> {
        if self.copy_rows(rows.clone(), labels, importances, batch).is_some() {
            return Ok(());
        }
        for row in rows {
            let importance = importances.map_or(1.0, |importances| importances[row]);
            self.push_row(row, labels.map(|labels| labels[row]), importance, batch)?;
        }
        Ok(())
    }

    /// Are there a label and an importance for every row?
    fn fit(&self, labels: Option<&[Class]>, importances: Option<&[f32]>) -> Result<(), RowsError> {
        labels.map_or(Ok(()), |labels| same_length("labels", self.len(), labels.len()))?;
        importances.map_or(Ok(()), |given| same_length("importances", self.len(), given.len()))
    }
}

/// May an example have this importance?
pub(super) fn counts(importance: f32) -> bool {
    importance.is_finite() && importance >= 0.0
}

pub(super) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), RowsError> {
    if expected == found { Ok(()) } else { Err(RowsError::Length { what, expected, found }) }
}

impl Batch {
    /// Examples from rows. Without labels all examples are unlabelled, without importances each has an importance of 1.
    ///
    /// ```
    /// use thalweg_core::Batch;
    /// use thalweg_core::batch::{Csr, Matrix};
    ///
    /// let sparse = Csr::new(&[0, 2, 3], &[7, 3, 4], &[0.5, 1.0, 2.0])?;
    /// let batch = Batch::from_rows(&sparse, Some(&[1, 0]), None)?;
    /// assert_eq!(batch.row(0).iter().collect::<Vec<_>>(), [(3, 1.0), (7, 0.5)]);
    ///
    /// let dense = Matrix::new(&[0.0, 2.0, 1.0, 0.0], 2, 2)?;
    /// let batch = Batch::from_rows(&dense, Some(&[1, 0]), None)?;
    /// assert_eq!(batch.row(0).iter().collect::<Vec<_>>(), [(1, 2.0)]);
    /// # Ok::<(), thalweg_core::batch::RowsError>(())
    /// ```
    pub fn from_rows(
        rows: &impl Rows,
        labels: Option<&[Class]>,
        importances: Option<&[f32]>,
    ) -> Result<Self, RowsError> {
        rows.fit(labels, importances)?;
        let mut batch = Self::default();
        rows.push_rows(0..rows.len(), labels, importances, &mut batch)?;
        Ok(batch)
    }
}
