//! Batches to files of every format, compressed as their names tell.

use std::collections::BTreeSet;
use std::io::Write;

use thalweg_core::{BIAS, Batch, Real};

use super::compressed_file::CompressedFile;
use crate::error::{Error, Result};
use crate::files::output_file::OutputFile;
use crate::formats::written::{FormatWriter, NumberedExample, WriteFault};
use crate::labels::classes::Labels;
use crate::names::feature_names::FeatureNames;
use crate::registry::Format;

/// A file in the making. It is complete when [`Writer::finish`] has returned.
pub struct Writer {
    name: String,
    out: CompressedFile,
    format: Box<dyn FormatWriter>,
    /// The features that are written; all, if it is not said.
    wanted: Option<BTreeSet<u32>>,
    /// What is to be written next, and the features of an example.
    bytes: Vec<u8>,
    features: Vec<(u32, Real)>,
}

/// What classes and features are called.
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
        names: &FeatureNames,
        wanted: Option<BTreeSet<u32>>,
    ) -> Result<Self> {
        let name = file.name().to_string();
        let out = CompressedFile::new(file).map_err(|cause| Error::Io { file: name.clone(), cause })?;
        let format = format.writer(&name, names, wanted.as_ref()).map_err(|fault| failed(&name, fault))?;
        let mut new = Self { name, out, format, wanted, bytes: Vec::new(), features: Vec::new() };
        new.format.begin(&mut new.bytes).map_err(|fault| failed(&new.name, fault))?;
        new.write_bytes()?;
        Ok(new)
    }

    /// Writes the examples of a batch, without the constant.
    pub fn write(&mut self, batch: &Batch, Dictionary { labels, names }: Dictionary) -> Result<()> {
        for i in 0..batch.len() {
            let row = batch.row(i);
            let wanted = |feature: u32| {
                feature != BIAS && self.wanted.as_ref().is_none_or(|wanted| wanted.contains(&feature))
            };
            let features = row.indices.iter().copied().zip(row.values.iter().copied());
            self.features.clear();
            self.features.extend(features.filter(|(feature, _)| wanted(*feature)));
            let example = NumberedExample {
                label: batch.labels()[i].map(|class| labels.name(class)),
                importance: batch.importances()[i],
                id: batch.id(i),
                features: &self.features,
                names,
            };
            self.format.write(&example, &mut self.bytes).map_err(|fault| failed(&self.name, fault))?;
            self.write_bytes()?;
        }
        Ok(())
    }

    fn write_bytes(&mut self) -> Result<()> {
        let written = self.out.write_all(&self.bytes);
        self.bytes.clear();
        written.map_err(|cause| Error::Io { file: self.name.clone(), cause })
    }

    /// Writes what is still in memory, and gives the file its name.
    pub fn finish(self) -> Result<()> {
        self.complete()?.finish()
    }

    /// Writes what is still in memory. The file is whole then, and has no name yet.
    pub(crate) fn complete(self) -> Result<OutputFile> {
        let Self { name, mut out, format, mut bytes, .. } = self;
        format.finish(&mut bytes).map_err(|fault| failed(&name, fault))?;
        out.write_all(&bytes).map_err(|cause| Error::Io { file: name, cause })?;
        out.complete()
    }
}

fn failed(file: &str, fault: WriteFault) -> Error {
    let file = file.to_string();
    match fault {
        WriteFault::NoColumns => Error::NoColumns { file },
        WriteFault::Unwritable(cause) => Error::Unwritable { file, cause },
        WriteFault::Encoder(cause) => Error::Io { file, cause },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::output_file::Access;
    use crate::names::Vocabulary;
    use crate::{Input, Naming, Reading, Settings, open};

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
                Format::default(),
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

    /// The label of an example, and its features by name.
    type Described = (Option<String>, Vec<(String, f64)>);

    fn read_by_name(path: std::path::PathBuf) -> Vec<Described> {
        let reading = Reading { naming: Some(Naming::Names), ..Reading::default() };
        let settings = Settings { reading, unlabelled: true, ..Settings::default() };
        let mut reader = open(&[Input::File(path)], settings).unwrap();
        let (mut all, mut batch) = (Vec::new(), Batch::default());
        while reader.read(&mut batch).unwrap() {
            for i in 0..batch.len() {
                let label = batch.labels()[i].map(|class| reader.labels().name(class).to_string());
                let row = batch.row(i);
                let mut features: Vec<(String, f64)> =
                    row.iter().map(|(feature, x)| (reader.names().name(feature), x)).collect();
                features.sort_by(|a, b| a.0.cmp(&b.0));
                all.push((label, features));
            }
        }
        all
    }

    #[test]
    fn what_is_written_in_any_format_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut vocabulary = Vocabulary::default();
        ["7", "1", "200"].iter().for_each(|name| _ = vocabulary.number(name.as_bytes()));
        let names = FeatureNames::Names(vocabulary);
        let labels = Labels::of_two(&["ham".into(), "spam".into()], false);
        let mut batch = Batch::default();
        batch.push([(0, 0.5), (2, -3.0)], Some(1)).unwrap();
        batch.push([(1, 1.0)], Some(0)).unwrap();
        batch.push([(0, 2.0), (1, 4.0), (BIAS, 1.0)], None).unwrap();
        let example = |label: Option<&str>, features: &[(&str, f64)]| {
            let features = features.iter().map(|(name, x)| ((*name).to_string(), *x)).collect();
            (label.map(str::to_string), features)
        };
        let expected = [
            example(Some("spam"), &[("200", -3.0), ("7", 0.5)]),
            example(Some("ham"), &[("1", 1.0)]),
            example(None, &[("1", 4.0), ("7", 2.0)]),
        ];
        for format in Format::all().filter(|format| cfg!(feature = "columns") || !format.is_columnar()) {
            for ending in format.endings() {
                let path = folder.path().join(format!("a.{ending}"));
                let file = OutputFile::create(&path, Access::default()).unwrap();
                let mut writer = Writer::new(file, format, &names, None).unwrap();
                writer.write(&batch, Dictionary { labels: &labels, names: &names }).unwrap();
                writer.finish().unwrap();
                assert_eq!(read_by_name(path), expected, "{ending}");
            }
        }
    }
}
