//! What stands for batches of rows in a program that was built without Parquet and Arrow: an error that says so.

use std::io::{self, Read};
use std::path::Path;

use super::row_format::RowFormat;
use crate::limit::MemoryLimit;

/// Rows, which there are none of.
pub(crate) enum RecordBatch {}

/// Batches of rows, which cannot be opened.
pub(crate) enum RowBatches {}

/// The error of whoever meets such a file.
pub(crate) fn unsupported(format: RowFormat) -> io::Error {
    let reason = "this program was built without Parquet and Arrow support (feature `columns`)";
    io::Error::other(format!("it is {}, and {reason}", format.title()))
}

impl RowBatches {
    pub(crate) fn of_file(_: &Path, format: RowFormat, _: MemoryLimit) -> io::Result<Self> {
        Err(unsupported(format))
    }

    pub(crate) fn of_stream(_: Box<dyn Read + Send>, format: RowFormat, _: MemoryLimit) -> io::Result<Self> {
        Err(unsupported(format))
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<RecordBatch>> {
        match *self {}
    }

    pub(crate) fn share(&self) -> f64 {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::row_format::{ARROW, PARQUET};
    use crate::files::output_file::Access;
    use crate::names::feature_names::FeatureNames;
    use crate::{Format, Input, OutputFile, Settings, Writer, open};

    #[test]
    fn files_of_columns_are_known_and_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (begin, name, title) in [(PARQUET, "a", "Parquet"), (ARROW, "a.arrow", "Arrow")] {
            let path = folder.path().join(name);
            std::fs::write(&path, begin).unwrap();
            for input in [Input::File(path.clone()), Input::bytes(name, begin)] {
                let read = open(&[input], Settings::default())
                    .and_then(|mut reader| reader.read(&mut thalweg_core::Batch::default()));
                let error = read.unwrap_err().to_string();
                let expected = format!("it is {title}, and this program was built without Parquet and Arrow");
                assert!(error.contains(&expected), "{error}");
            }
        }
        let file = OutputFile::create(&folder.path().join("b.parquet"), Access::default()).unwrap();
        let written = Writer::new(file, Format::PARQUET, &FeatureNames::Numbers, None);
        let error = written.err().unwrap().to_string();
        assert!(error.contains("built without Parquet and Arrow support"), "{error}");
    }
}
