//! Batches to files of every format, compressed if the name ends in `.zst` or `.gz`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use thalweg_core::{BIAS, Batch, Real};

use crate::error::{Error, Result};
use crate::formats::csv_writer::CsvWriter;
use crate::formats::record::{Example, Role, Roles, Unwritable};
use crate::formats::{Format, jsonl_writer, vw};
use crate::labels::Labels;
use crate::reading::FeatureNames;

/// A file in the making. It is complete when [`Writer::finish`] has returned.
pub struct Writer {
    path: PathBuf,
    out: Compressor,
    form: Form,
}

enum Form {
    Libsvm,
    Vw,
    Jsonl(Roles),
    Table(CsvWriter),
}

enum Compressor {
    Plain(BufWriter<File>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
    Gzip(flate2::write::GzEncoder<BufWriter<File>>),
}

impl Compressor {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Compressor::Plain(out) => out,
            Compressor::Zstd(out) => out,
            Compressor::Gzip(out) => out,
        }
    }

    fn finish(self) -> std::io::Result<()> {
        match self {
            Compressor::Plain(out) => Ok(out),
            Compressor::Zstd(out) => out.finish(),
            Compressor::Gzip(out) => out.finish(),
        }?
        .flush()
    }
}

/// What is written about every example besides its features.
#[derive(Clone, Copy)]
pub struct Meaning<'a> {
    /// What classes are called.
    pub labels: &'a Labels,
    /// What features are called.
    pub names: &'a FeatureNames,
}

impl Writer {
    /// Begins a file. Tables need to know all features beforehand.
    pub fn create(path: &Path, format: Format, features: &FeatureNames) -> Result<Self> {
        let failed = |cause| Error::Io { file: path.display().to_string(), cause };
        let file = BufWriter::with_capacity(1 << 16, File::create(path).map_err(failed)?);
        let out = match path.extension().and_then(|extension| extension.to_str()) {
            Some("zst") => Compressor::Zstd(zstd::Encoder::new(file, 0).map_err(failed)?),
            Some("gz") => {
                Compressor::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default()))
            }
            _ => Compressor::Plain(file),
        };
        let unwritable = |cause| Error::Unwritable { file: path.display().to_string(), cause };
        let table = |separator| -> Result<CsvWriter> {
            let FeatureNames::Names(vocabulary) = features else {
                return Err(Error::NoColumns { file: path.display().to_string() });
            };
            CsvWriter::new(separator, written_roles(), vocabulary.iter()).map_err(unwritable)
        };
        let form = match format {
            Format::Libsvm => Form::Libsvm,
            Format::Vw => Form::Vw,
            Format::Jsonl => Form::Jsonl(written_roles()),
            Format::Csv => Form::Table(table(b',')?),
            Format::Tsv => Form::Table(table(b'\t')?),
        };
        let mut writer = Self { path: path.to_path_buf(), out, form };
        if let Form::Table(table) = &writer.form {
            let mut line = Vec::new();
            table.header(&mut line);
            writer.out.writer().write_all(&line).map_err(failed)?;
        }
        Ok(writer)
    }

    /// Writes the examples of a batch; features that are not `wanted`, and the constant, are left out.
    pub fn write(&mut self, batch: &Batch, meaning: Meaning, wanted: impl Fn(u32) -> bool) -> Result<()> {
        let mut line = Vec::new();
        for i in 0..batch.len() {
            line.clear();
            match &mut self.form {
                Form::Libsvm => libsvm(batch, i, meaning, &wanted, &mut line),
                form => named(form, batch, i, meaning, &wanted, &mut line),
            }
            .map_err(|cause| Error::Unwritable { file: self.path.display().to_string(), cause })?;
            self.out.writer().write_all(&line).map_err(|cause| self.failed(cause))?;
        }
        Ok(())
    }

    fn failed(&self, cause: std::io::Error) -> Error {
        Error::Io { file: self.path.display().to_string(), cause }
    }

    /// Writes what is still in memory.
    pub fn finish(self) -> Result<()> {
        let file = self.path.display().to_string();
        self.out.finish().map_err(|cause| Error::Io { file, cause })
    }
}

/// The columns and keys that are written: `label`, `importance` and `id`.
pub fn written_roles() -> Roles {
    Roles::new().with(Role::Weight, "importance").with(Role::Tag, "id")
}

fn libsvm(
    batch: &Batch,
    i: usize,
    Meaning { labels, names }: Meaning,
    wanted: &impl Fn(u32) -> bool,
    line: &mut Vec<u8>,
) -> std::result::Result<(), Unwritable> {
    let (mut whole, mut decimal) = (itoa::Buffer::new(), zmij::Buffer::new());
    line.extend_from_slice(batch.labels()[i].map_or("?", |class| labels.name(class)).as_bytes());
    let row = batch.row(i);
    let mut features: Vec<(u32, Real)> = Vec::new();
    for (feature, x) in row.indices.iter().zip(row.values).filter(|(f, _)| **f != BIAS && wanted(**f)) {
        features.push((numbered(*feature, names)?, *x));
    }
    if !matches!(names, FeatureNames::Numbers) {
        features.sort_unstable_by_key(|(feature, _)| *feature);
    }
    for (feature, x) in features {
        line.push(b' ');
        line.extend_from_slice(whole.format(feature).as_bytes());
        line.push(b':');
        // Most values of most data are 1: no need to find out how to write it.
        if x == 1.0 {
            line.push(b'1');
            continue;
        }
        // The shortest decimal that reads back as the same number.
        let value = decimal.format_finite(x);
        line.extend_from_slice(value.strip_suffix(".0").unwrap_or(value).as_bytes());
    }
    line.push(b'\n');
    Ok(())
}

/// The number that LIBSVM knows a feature by.
fn numbered(feature: u32, names: &FeatureNames) -> std::result::Result<u32, Unwritable> {
    let FeatureNames::Names(vocabulary) = names else { return Ok(feature) };
    let name = vocabulary.name(feature).unwrap_or_default();
    let number = std::str::from_utf8(name).ok().and_then(|name| name.parse().ok()).filter(|n| *n != BIAS);
    number.ok_or_else(|| Unwritable::new("LIBSVM", "the feature", name, "its features are whole numbers"))
}

fn named(
    form: &mut Form,
    batch: &Batch,
    i: usize,
    Meaning { labels, names }: Meaning,
    wanted: &impl Fn(u32) -> bool,
    line: &mut Vec<u8>,
) -> std::result::Result<(), Unwritable> {
    let row = batch.row(i);
    let wanted = row.indices.iter().zip(row.values).filter(|(f, _)| **f != BIAS && wanted(**f));
    let features: Vec<(Vec<u8>, Real)> = wanted.map(|(feature, x)| (names.bytes(*feature), *x)).collect();
    let features: Vec<(&[u8], Real)> = features.iter().map(|(name, x)| (name.as_slice(), *x)).collect();
    let example = Example {
        label: batch.labels()[i].map_or("", |class| labels.name(class)).as_bytes(),
        weight: batch.weights()[i],
        tag: batch.tag(i),
        features: &features,
    };
    match form {
        Form::Vw => vw::write(&example, line),
        Form::Jsonl(roles) => jsonl_writer::write(roles, &example, line),
        Form::Table(table) => table.write(&example, line),
        Form::Libsvm => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, Settings, open};

    #[test]
    fn what_is_written_reads_back_plain_or_compressed() {
        let folder = tempfile::tempdir().unwrap();
        let mut batch = Batch::default();
        batch.push([(1, 0.1), (7, -2.5e-9), (4_000_000_000, 3.0)], Some(1)).unwrap();
        batch.push([(2, 1.0)], Some(0)).unwrap();
        batch.push([(9, 1.0), (BIAS, 1.0)], Some(1)).unwrap();
        let labels = Labels::of_two(&["ham".into(), "spam".into()], false);
        for name in ["plain.svm", "a.svm.zst", "a.svm.gz"] {
            let path = folder.path().join(name);
            let names = FeatureNames::Numbers;
            let mut writer = Writer::create(&path, Format::Libsvm, &names).unwrap();
            writer.write(&batch, Meaning { labels: &labels, names: &names }, |feature| feature != 9).unwrap();
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
