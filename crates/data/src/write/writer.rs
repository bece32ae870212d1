//! Batches to files of every format, compressed as their names tell.

use std::collections::BTreeSet;
use std::io::Write;

use thalweg_core::{BIAS, Batch, Real};

use super::compressed_file::CompressedFile;
use crate::error::{Error, Result, Unwritable};
use crate::files::output_file::OutputFile;
use crate::formats::arrow_writer::{ColumnWriter, Wanted, Written};
use crate::formats::csv_writer::CsvWriter;
use crate::formats::roles::{Role, Roles};
use crate::formats::written::WrittenExample;
use crate::formats::{jsonl_writer, libsvm, vw};
use crate::labels::classes::Labels;
use crate::names::feature_names::FeatureNames;
use crate::names::vocabulary::Vocabulary;
use crate::registry::Format;
use crate::split::row_batches::RowFormat;

/// A file in the making. It is complete when [`Writer::finish`] has returned.
pub struct Writer {
    name: String,
    out: CompressedFile,
    form: Form,
    /// The features that are written; all, if it is not said.
    wanted: Option<BTreeSet<u32>>,
    line: Vec<u8>,
    names: Vec<u8>,
}

enum Form {
    Libsvm,
    Vw,
    Jsonl(Roles),
    Table(CsvWriter),
    Columns(Box<ColumnWriter>),
}

/// What is written about every example besides its features.
#[derive(Clone, Copy)]
pub struct Dictionary<'a> {
    /// What classes are called.
    pub labels: &'a Labels,
    /// What features are called.
    pub names: &'a FeatureNames,
}

impl Writer {
    /// Begins a file with all features, or only those wanted. Tables need to know their names beforehand.
    pub fn new(
        file: OutputFile,
        format: Format,
        features: &FeatureNames,
        wanted: Option<BTreeSet<u32>>,
    ) -> Result<Self> {
        let name = file.name().to_string();
        let failed = |cause| Error::Io { file: name.clone(), cause };
        let out = CompressedFile::new(file).map_err(failed)?;
        let unwritable = |cause| Error::Unwritable { file: name.clone(), cause };
        let table = |separator| -> Result<CsvWriter> {
            let FeatureNames::Names(vocabulary) = features else {
                return Err(Error::NoColumns { file: name.clone() });
            };
            let columns = wanted_names(vocabulary, wanted.as_ref()).map(|(_, name)| name);
            CsvWriter::new(separator, written_roles(), columns).map_err(unwritable)
        };
        let form = match format {
            Format::Libsvm => Form::Libsvm,
            Format::Vw => Form::Vw,
            Format::Jsonl => Form::Jsonl(written_roles()),
            Format::Csv => Form::Table(table(b',')?),
            Format::Tsv => Form::Table(table(b'\t')?),
            Format::Parquet | Format::Arrow => {
                let format = if format == Format::Parquet { RowFormat::Parquet } else { RowFormat::Arrow };
                let wanted = match features {
                    FeatureNames::Names(vocabulary) => {
                        Wanted::Names(wanted_names(vocabulary, wanted.as_ref()).collect())
                    }
                    FeatureNames::Numbers | FeatureNames::Hashed(_) => Wanted::Numbers,
                };
                let stream = name.to_ascii_lowercase().contains(".arrows");
                let writer = ColumnWriter::new(format, stream, &written_roles(), &wanted);
                Form::Columns(Box::new(writer.map_err(|cause| failed(std::io::Error::other(cause)))?))
            }
        };
        let (line, names) = (Vec::new(), Vec::new());
        let mut writer = Self { name: name.clone(), out, form, wanted, line, names };
        if let Form::Table(table) = &writer.form {
            let mut line = Vec::new();
            table.header(&mut line).map_err(unwritable)?;
            writer.out.write_all(&line).map_err(failed)?;
        }
        Ok(writer)
    }

    /// Writes the examples of a batch, without the constant.
    pub fn write(&mut self, batch: &Batch, meaning: Dictionary) -> Result<()> {
        for i in 0..batch.len() {
            self.line.clear();
            let written = self.format(batch, i, meaning);
            written.map_err(|cause| Error::Unwritable { file: self.name.clone(), cause })?;
            if let Form::Columns(columns) = &mut self.form {
                let taken = columns.take(&mut self.line);
                taken.map_err(|cause| self.failed(std::io::Error::other(cause)))?;
            }
            self.out.write_all(&self.line).map_err(|cause| self.failed(cause))?;
        }
        Ok(())
    }

    /// WrittenExample `i` as a record.
    fn format(
        &mut self,
        batch: &Batch,
        i: usize,
        Dictionary { labels, names }: Dictionary,
    ) -> std::result::Result<(), Unwritable> {
        let wanted = self.wanted.as_ref();
        let row = batch.row(i);
        let row = row.indices.iter().copied().zip(row.values.iter().copied());
        let row = row.filter(|(f, _)| *f != BIAS && wanted.is_none_or(|wanted| wanted.contains(f)));
        let label = batch.labels()[i].map(|class| labels.name(class).as_bytes());
        let (importance, id) = (batch.importances()[i], batch.id(i));
        if let Form::Columns(columns) = &mut self.form {
            let label = batch.labels()[i].map(|class| labels.name(class));
            let vocabulary =
                if let FeatureNames::Names(vocabulary) = names { Some(vocabulary) } else { None };
            return columns.add(&Written { label, importance, id }, row, vocabulary);
        }
        if let Form::Libsvm = self.form {
            return match names {
                FeatureNames::Names(vocabulary) => {
                    let numbers = row.map(|(feature, x)| Ok((numbered(vocabulary, feature)?, x)));
                    let mut numbers = numbers.collect::<std::result::Result<Vec<_>, _>>()?;
                    numbers.sort_unstable_by_key(|(feature, _)| *feature);
                    libsvm::write(label, importance, id, numbers.into_iter(), &mut self.line)
                }
                FeatureNames::Numbers | FeatureNames::Hashed(_) => {
                    libsvm::write(label, importance, id, row, &mut self.line)
                }
            };
        }
        // All names one after the other first, so that there are no more vectors than examples.
        self.names.clear();
        let mut ends = Vec::new();
        for (feature, x) in row {
            names.append(feature, &mut self.names);
            ends.push((self.names.len(), x));
        }
        let starts = std::iter::once(0).chain(ends.iter().map(|(end, _)| *end));
        let features: Vec<(&[u8], Real)> =
            starts.zip(&ends).map(|(start, (end, x))| (&self.names[start..*end], *x)).collect();
        let example =
            WrittenExample { label: label.unwrap_or_default(), importance, id, features: &features };
        match &mut self.form {
            Form::Vw => vw::write(&example, &mut self.line),
            Form::Jsonl(roles) => jsonl_writer::write(roles, &example, &mut self.line),
            Form::Table(table) => table.write(&example, &mut self.line),
            Form::Libsvm | Form::Columns(_) => Ok(()),
        }
    }

    fn failed(&self, cause: std::io::Error) -> Error {
        Error::Io { file: self.name.clone(), cause }
    }

    /// Writes what is still in memory.
    pub fn finish(self) -> Result<()> {
        let Self { name, mut out, form, mut line, .. } = self;
        let failed = |cause| Error::Io { file: name.clone(), cause };
        if let Form::Columns(columns) = form {
            line.clear();
            columns.finish(&mut line).map_err(|cause| failed(std::io::Error::other(cause)))?;
            out.write_all(&line).map_err(failed)?;
        }
        out.finish()
    }
}

/// The columns and keys that are written: `label`, `importance` and `id`.
fn written_roles() -> Roles {
    Roles::new().with(Role::Importance, "importance").with(Role::Id, "id")
}

/// The names that are to be written, with their numbers.
fn wanted_names<'a>(
    vocabulary: &'a Vocabulary,
    wanted: Option<&BTreeSet<u32>>,
) -> impl Iterator<Item = (u32, &'a [u8])> {
    let all = vocabulary.iter().enumerate().map(|(number, name)| (number as u32, name));
    all.filter(move |(number, _)| wanted.is_none_or(|wanted| wanted.contains(number)))
}

/// The number that LIBSVM knows a feature by.
fn numbered(vocabulary: &Vocabulary, feature: u32) -> std::result::Result<u32, Unwritable> {
    let name = vocabulary.name(feature).unwrap_or_default();
    let number = std::str::from_utf8(name).ok().and_then(|name| name.parse().ok()).filter(|n| *n != BIAS);
    number.ok_or_else(|| Unwritable::new("LIBSVM", "the feature", name, "its features are whole numbers"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::output_file::Access;
    use crate::{Input, Settings, open};

    #[test]
    fn what_is_written_reads_back_plain_or_compressed() {
        let folder = tempfile::tempdir().unwrap();
        let mut batch = Batch::default();
        batch.push([(1, 0.1), (7, -2.5e-9), (4_000_000_000, 3.0)], Some(1)).unwrap();
        batch.push([(2, 1.0)], Some(0)).unwrap();
        batch.push([(9, 1.0), (BIAS, 1.0)], Some(1)).unwrap();
        let labels = Labels::of_two(&["ham".into(), "spam".into()], false);
        for name in ["plain.svm", "a.svm.zst", "a.svm.gz", "a.svm.bz2", "a.svm.xz"] {
            let path = folder.path().join(name);
            let names = FeatureNames::Numbers;
            let wanted = Some([1, 2, 7, 4_000_000_000].into());
            let mut writer = Writer::new(
                OutputFile::create(&path, Access::default()).unwrap(),
                Format::Libsvm,
                &names,
                wanted,
            )
            .unwrap();
            writer.write(&batch, Dictionary { labels: &labels, names: &names }).unwrap();
            writer.finish().unwrap();
            let settings = Settings { labels: labels.clone(), ..Settings::default() };
            let mut reader = open(&[Input::File(path)], settings).unwrap();
            let (mut back, mut part) = (Batch::default(), Batch::default());
            while reader.read(&mut part).unwrap() {
                back.extend_from(&part, 0..part.len());
            }
            assert_eq!(back.labels(), batch.labels(), "{name}");
            for i in 0..2 {
                assert!(back.row(i).iter().eq(batch.row(i).iter()), "{name}");
            }
            assert!(back.row(2).indices.is_empty(), "{name}");
        }
    }
}
