//! All examples of some inputs in memory.

use std::collections::HashSet;

use thalweg::observer::Observer;
use thalweg::{AllExamples, Batch, Config, Error, Input, Interrupt, Labels, Result, read_all};
use thalweg_core::BIAS;
use thalweg_data::FeatureNames;

/// All examples of some inputs in memory, as they were read. They are prepared when it is their turn: scales depend on what came before.
#[derive(Clone, Debug)]
pub struct DataSet {
    name: String,
    all: AllExamples,
    features: usize,
}

impl DataSet {
    /// Reads all examples. The configuration says how; its learner and its preparation play no part.
    pub fn read(
        inputs: &[Input],
        config: &Config,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        Self::of(inputs, read_all(inputs, config, None, interrupt, observer)?)
    }

    /// Reads test data: labels and features are those of this data.
    pub fn read_test(
        &self,
        inputs: &[Input],
        config: &Config,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        Self::of(inputs, read_all(inputs, config, Some(&self.all), interrupt, observer)?)
    }

    /// Examples that were made or chosen elsewhere, with numbered features.
    pub fn from_batch(name: impl Into<String>, batch: Batch, labels: Labels) -> Self {
        let features = distinct_features(&batch);
        Self { name: name.into(), all: AllExamples { batch, labels, ..AllExamples::default() }, features }
    }

    fn of(inputs: &[Input], all: AllExamples) -> Result<Self> {
        if all.batch.labels().iter().flatten().next().is_none() {
            return Err(Error::NothingLearned { refused: 0 });
        }
        let features = distinct_features(&all.batch);
        Ok(Self { name: name_of(inputs), all, features })
    }

    /// The same examples under another name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// What it is called: the name of the first file, without its folder and endings.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The examples, in the order of the data.
    pub fn examples(&self) -> &Batch {
        &self.all.batch
    }

    /// Number of examples.
    pub fn len(&self) -> usize {
        self.all.batch.len()
    }

    /// No examples?
    pub fn is_empty(&self) -> bool {
        self.all.batch.is_empty()
    }

    /// How many features occur in it, without a bias.
    pub fn features(&self) -> usize {
        self.features
    }

    /// What features are called.
    pub fn feature_names(&self) -> &FeatureNames {
        &self.all.features.names
    }

    /// Which label is which class.
    pub fn labels(&self) -> &Labels {
        &self.all.labels
    }

    /// Lines that could not be read.
    pub fn bad_lines(&self) -> u64 {
        self.all.bad_lines
    }

    /// How many examples there are of a class.
    pub fn count(&self, class: u32) -> usize {
        self.all.batch.labels().iter().filter(|label| **label == Some(class)).count()
    }
}

fn distinct_features(batch: &Batch) -> usize {
    let mut seen: HashSet<u32> = HashSet::new();
    for i in 0..batch.len() {
        seen.extend(batch.row(i).indices.iter().filter(|feature| **feature != BIAS));
    }
    seen.len()
}

/// `news20.binary` for `/data/news20.binary.zst`.
fn name_of(inputs: &[Input]) -> String {
    let Some(first) = inputs.first() else { return String::new() };
    let path = first.name();
    let file = path.rsplit(['/', '\\']).next().unwrap_or(&path);
    let mut name = file;
    for ending in [".gz", ".zst", ".bz2", ".xz", ".svm", ".libsvm", ".vw", ".csv", ".tsv", ".jsonl", ".txt"] {
        name = name.strip_suffix(ending).unwrap_or(name);
    }
    if name.is_empty() { file.into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> DataSet {
        let input = Input::Bytes("data/spam.train.svm".into(), text.as_bytes().to_vec().into());
        DataSet::read(&[input], &Config::default(), &Interrupt::default(), &mut ()).unwrap()
    }

    #[test]
    fn a_data_set_knows_its_size_and_name() {
        let data = read("1 1:1 7:2\n-1 7:1\n-1 3:1 4:1\n");
        assert_eq!((data.name(), data.len(), data.features()), ("spam.train", 3, 4));
        assert_eq!((data.count(0), data.count(1), data.labels().name(1)), (2, 1, "1"));
    }

    #[test]
    fn test_data_has_the_labels_and_features_of_the_training_data() {
        let train = read("2 1:1\n5 2:1\n");
        let input = Input::Bytes("t".into(), b"5 1:1\n5 2:1\n".to_vec().into());
        let config = Config::default().format(thalweg::Format::LIBSVM);
        let test = train.read_test(&[input], &config, &Interrupt::default(), &mut ()).unwrap();
        assert_eq!(test.examples().labels(), [Some(1), Some(1)]);
    }

    #[test]
    fn data_without_an_example_is_an_error() {
        let input = Input::Bytes("empty.svm".into(), Vec::new().into());
        let read = DataSet::read(&[input], &Config::default(), &Interrupt::default(), &mut ());
        assert!(read.unwrap_err().to_string().contains("no examples"));
    }
}
