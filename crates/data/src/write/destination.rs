//! Where the examples of a conversion go: one file, or several parts, in the order in which they come or in a random one.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use thalweg_core::Batch;
use thalweg_core::random::scramble;

use super::writer::{Dictionary, Writer};
use crate::error::Result;
use crate::external_shuffle::ExternalShuffle;
use crate::files::output_file::OutputFile;
use crate::interrupt::Interrupt;
use crate::limit::MemoryLimit;
use crate::names::feature_names::FeatureNames;
use crate::registry::Format;
use crate::source::compression::Compression;
use crate::subset::{ClassCounts, Lots};

/// Files in the making. None has its name before all of them are whole.
pub struct Destination {
    format: Format,
    parts: Vec<Part>,
    lots: Option<Lots>,
    features: HashSet<u32>,
}

/// A random order for what is written.
#[derive(Clone, Debug)]
pub struct RandomOrder {
    /// The order follows from it.
    pub seed: u64,
    /// What does not fit goes to temporary files.
    pub memory: MemoryLimit,
    /// The folder of these files.
    pub folder: PathBuf,
}

/// What a file has got.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Examples by class.
    pub examples: ClassCounts,
    /// Values that are not 0.
    pub nonzeros: u64,
}

struct Part {
    stage: Stage,
    written: Written,
    /// The examples of the batch at hand that go there.
    batch: Batch,
}

enum Stage {
    Writing(Box<Writer>),
    /// Nothing is written before all names are known.
    Shuffling(OutputFile, Box<ExternalShuffle>),
}

impl Destination {
    /// These files: all examples go to the first, or each where its lot says. Tables must know all names now, unless there is a random order.
    pub fn new(
        files: Vec<OutputFile>,
        format: Format,
        names: &FeatureNames,
        lots: Option<Lots>,
        order: Option<&RandomOrder>,
    ) -> Result<Self> {
        let count = files.len() as u64;
        let stage = |(part, file)| match order {
            Some(order) => Ok(Stage::Shuffling(file, Box::new(order.of_part(part, count)))),
            None => Ok(Stage::Writing(Box::new(Writer::new(file, format, names, None)?))),
        };
        let part = |stage| Part { stage, written: Written::default(), batch: Batch::default() };
        let parts = (0..).zip(files).map(|file| stage(file).map(part)).collect::<Result<Vec<Part>>>()?;
        Ok(Self { format, parts, lots, features: HashSet::new() })
    }

    /// Takes the examples of a batch.
    pub fn take(&mut self, batch: &Batch, names: Dictionary) -> Result<()> {
        let Some(lots) = &mut self.lots else {
            let Some(only) = self.parts.first_mut() else { return Ok(()) };
            self.features.extend(batch.columns().indices);
            return only.take(batch, names);
        };
        for (i, label) in batch.labels().iter().enumerate() {
            if let Some(part) = lots.draw(*label)?.and_then(|part| self.parts.get_mut(part)) {
                part.batch.push_from(batch, i);
            }
        }
        for part in &mut self.parts {
            let mut batch = std::mem::take(&mut part.batch);
            self.features.extend(batch.columns().indices);
            part.take(&batch, names)?;
            batch.clear();
            part.batch = batch;
        }
        Ok(())
    }

    /// How many different features there were.
    pub fn features(&self) -> u64 {
        self.features.len() as u64
    }

    /// Writes what is left and gives the files their names, unless the interrupt comes. Says what each has got. `progress` hears how many more
    /// examples have been written.
    pub fn finish(
        self,
        names: Dictionary,
        interrupt: &Interrupt,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<Written>> {
        let (mut files, mut written) = (Vec::new(), Vec::new());
        for part in self.parts {
            files.push(part.stage.complete(self.format, names, interrupt, progress)?);
            written.push(part.written);
        }
        if !interrupt.has_come() {
            files.into_iter().try_for_each(OutputFile::finish)?;
        }
        Ok(written)
    }
}

impl Part {
    fn take(&mut self, batch: &Batch, names: Dictionary) -> Result<()> {
        self.written.examples.add(batch);
        self.written.nonzeros += batch.nonzeros() as u64;
        match &mut self.stage {
            Stage::Writing(writer) => writer.write(batch, names),
            Stage::Shuffling(_, shuffle) => shuffle.push(batch),
        }
    }
}

impl Stage {
    /// Writes all, and leaves the file without a name.
    fn complete(
        self,
        format: Format,
        names: Dictionary,
        interrupt: &Interrupt,
        progress: &mut dyn FnMut(u64),
    ) -> Result<OutputFile> {
        match self {
            Stage::Writing(writer) => writer.complete(),
            Stage::Shuffling(file, shuffle) => {
                let mut writer = Writer::new(file, format, names.names, None)?;
                shuffle.finish(interrupt, &mut |batch| {
                    progress(batch.len() as u64);
                    writer.write(batch, names)
                })?;
                writer.complete()
            }
        }
    }
}

impl RandomOrder {
    fn of_part(&self, part: u64, parts: u64) -> ExternalShuffle {
        let seed = if part == 0 { self.seed } else { scramble(self.seed.wrapping_add(part)) };
        ExternalShuffle::new(seed, MemoryLimit(self.memory.0 / parts.max(1)), &self.folder)
    }
}

/// The path of one of several parts: `mails.train.svm.zst` of `mails.svm.zst`.
pub fn part_path(path: &Path, part: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (uncompressed, _) = Compression::of_name(&name);
    let stem = match uncompressed.rfind('.') {
        Some(at) if at > 0 => at,
        _ => uncompressed.len(),
    };
    path.with_file_name(format!("{}.{part}{}", &name[..stem], &name[stem..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_called_after_the_whole() {
        for (whole, part) in [
            ("mails.svm", "mails.1.svm"),
            ("a.b/mails.svm.zst", "a.b/mails.1.svm.zst"),
            ("mails", "mails.1"),
            ("mails.gz", "mails.1.gz"),
            (".svm", ".svm.1"),
            ("x.y.vw.xz", "x.y.1.vw.xz"),
        ] {
            assert_eq!(part_path(Path::new(whole), "1"), Path::new(part), "{whole}");
        }
    }
}
