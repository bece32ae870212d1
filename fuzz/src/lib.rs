//! What no input may do: end the program, break a promise of [`Batch`], or change when it is written and read again. And what no example may
//! do to a learner.
//!
//! `make fuzz` lets libFuzzer look for inputs that do (one target after the other, for a bounded time), and `make test` replays those
//! that are known: `corpus/TARGET/` holds one file for each. A file that ends a run of `make fuzz` belongs there, with the mend.

mod learners;

use std::path::{Path, PathBuf};

use thalweg_core::learners as learners_of_core;
use thalweg_core::merge::Gain;
use thalweg_core::model::ModelFile;
use thalweg_core::{Batch, Real, Setup, Task};
use thalweg_data::Format;
use thalweg_data::merge::FeatureGain;
use thalweg_data::stream::BadLinePolicy;
use thalweg_data::{
    Access, Dictionary, Input, Labels, MemoryLimit, OutputFile, Reader, Settings, Writer, open,
};
use thalweg_data::{FeatureNames, FeatureState, Naming, Reading};

/// A name, and what is done with the bytes.
pub struct Target {
    /// Its name, which is that of its corpus.
    pub name: &'static str,
    run: Run,
}

type Run = Box<dyn Fn(&[u8]) + Send + Sync>;

impl Target {
    fn new(name: &'static str, run: impl Fn(&[u8]) + Send + Sync + 'static) -> Self {
        Self { name, run: Box::new(run) }
    }

    /// Does it.
    pub fn run(&self, bytes: &[u8]) {
        (self.run)(bytes);
    }
}

/// All of them: every format, and what else is read.
pub fn targets() -> Vec<Target> {
    let format = |format: Format| {
        Target::new(format.name(), move |bytes| {
            if format.is_columnar() {
                survive(bytes, format.endings()[0], &with_roles());
            } else {
                round_trip(bytes, format, &with_roles());
            }
        })
    };
    let others = [
        Target::new("libsvm-names", |bytes| round_trip(bytes, Format::default(), &named())),
        Target::new("text", |bytes| survive(&table_of(bytes), "tsv", &text("text", ""))),
        Target::new("urls", |bytes| survive(&table_of(bytes), "tsv", &text("", "text"))),
        Target::new("cache", |bytes| survive(bytes, "svm.thwcache", &Reading::default())),
        Target::new("model", |bytes| drop(ModelFile::from_bytes(bytes))),
        Target::new("learners", learners::learn),
        Target::new("names", names),
        Target::new("gain", gain),
        Target::new("feature-gain", feature_gain),
    ];
    Format::all().map(format).chain(others).collect()
}

fn named() -> Reading {
    Reading { naming: Some(Naming::Names), ..Reading::default() }
}

/// As `convert` writes them.
fn with_roles() -> Reading {
    Reading { importance: Some("importance".into()), id: Some("id".into()), ..Reading::default() }
}

fn text(words: &str, address: &str) -> Reading {
    let some = |name: &str| if name.is_empty() { Vec::new() } else { vec![name.to_string()] };
    let (text, url) = (some(words), some(address));
    Reading { text, url, words: Some((1, 3)), characters: Some((2, 4)), ..Reading::default() }
}

/// One line of a table with a column of text.
fn table_of(bytes: &[u8]) -> Vec<u8> {
    [b"label\ttext\n1\t", bytes, b"\n"].concat()
}

/// A folder that is not on a disk where there is one.
fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a temporary folder can be made")
}

fn settings(reading: &Reading, format: Option<Format>, threads: usize) -> Settings {
    let bad_lines = BadLinePolicy::default();
    let reading = reading.clone();
    Settings {
        format,
        reading,
        labels: Labels::many(),
        unlabelled: true,
        bad_lines,
        threads,
        // No input of a few kilobytes has a right to more.
        memory: MemoryLimit(64 << 20),
        ..Settings::default()
    }
}

/// An example as a person would describe it: label, importance, id, features by name.
type Described = (Option<String>, f32, Vec<u8>, Vec<(String, Real)>);

/// Everything that is read, in order; nothing if reading fails.
fn read_all(reader: &mut dyn Reader) -> Option<Vec<Described>> {
    let (mut batch, mut all) = (Batch::default(), Vec::new());
    while reader.read(&mut batch).ok()? {
        for i in 0..batch.len() {
            let row = batch.row(i);
            assert!(row.indices.is_sorted_by(|a, b| a < b), "features are in order");
            assert!(row.values.iter().all(|x| x.is_finite() && *x != 0.0), "values are finite and not zero");
            let label = batch.labels()[i].map(|class| reader.labels().name(class).to_string());
            let features = row.indices.iter().zip(row.values);
            let mut features: Vec<(String, Real)> =
                features.map(|(feature, x)| (reader.names().name(*feature), *x)).collect();
            features.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            all.push((label, batch.importances()[i], batch.id(i).to_vec(), features));
        }
    }
    Some(all)
}

/// Reads the bytes as what a model keeps of names. The first says in how many bits they are hashed, or that they are not.
fn names(bytes: &[u8]) {
    let Some((bits, bytes)) = bytes.split_first() else { return };
    let naming = if *bits == 0 { Naming::Names } else { Naming::Hashed(u32::from(*bits)) };
    if let Ok(names) = FeatureNames::read(naming, bytes) {
        let written = names.write();
        let again = FeatureNames::read(naming, &written).expect("what is written can be read");
        assert_eq!(written, again.write(), "what is written reads back as it was");
    }
}

/// Reads the bytes as what a learner has gained, adds it to itself, and lets a learner take it in.
fn gain(bytes: &[u8]) {
    let mut rest = bytes;
    let Ok(gain) = Gain::read(&mut rest) else { return };
    let mut written = Vec::new();
    gain.write(&mut written);
    assert_eq!(Gain::read(&mut &written[..]), Ok(gain.clone()), "what is written reads back as it was");
    let mut twice = gain.clone();
    twice.add(&gain);
    twice.renumber(&|feature| feature / 2);
    twice.reorder_classes(&[1, 0], 3);
    for (learner, task) in [("sarow", Task::Binary), ("ftrl", Task::Hinge), ("arow", Task::Ovr)] {
        let mut learner = learners_of_core::build(learner, &Setup { task, classes: 3, ..Setup::default() })
            .expect("it is in the registry");
        _ = learner.take_in(&gain);
        assert!(learner.weights().iter().all(|weight| weight.value.is_finite()), "weights stay finite");
    }
}

/// Reads the bytes as what was found out of features, adds it to itself, and applies it to what is known of none.
fn feature_gain(bytes: &[u8]) {
    let mut rest = bytes;
    let Some(gain) = FeatureGain::read(&mut rest) else { return };
    let mut written = Vec::new();
    gain.write(&mut written);
    assert_eq!(
        FeatureGain::read(&mut &written[..]),
        Some(gain.clone()),
        "what is written reads back as it was"
    );
    let mut twice = gain.clone();
    _ = twice.add(&gain);
    for naming in [Naming::Numbers, Naming::Names, Naming::Hashed(8)] {
        for limit in [None, Some(10)] {
            _ = twice.apply_to(&FeatureState::default(), naming, limit);
        }
    }
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("a temporary file can be written");
}

/// Reads the bytes as a file with such a name.
fn survive(bytes: &[u8], extension: &str, reading: &Reading) {
    let folder = folder();
    let path = folder.path().join(format!("a.{extension}"));
    write(&path, bytes);
    if let Ok(mut reader) = open(&[Input::File(path)], settings(reading, None, 0)) {
        read_all(reader.as_mut());
    }
}

/// Reads the bytes on one thread and on two, writes what was read in the same format, and reads that.
fn round_trip(bytes: &[u8], format: Format, reading: &Reading) {
    let folder = folder();
    let [path, copy] = ["a", "b"].map(|name| folder.path().join(name));
    write(&path, bytes);
    let read = |path: &PathBuf, threads| {
        let mut reader = open(&[Input::File(path.clone())], settings(reading, Some(format), threads)).ok()?;
        Some((read_all(reader.as_mut())?, reader))
    };
    let Some((first, mut reader)) = read(&path, 0) else { return };
    let threaded = read(&path, 2).map(|(all, _)| all);
    assert_eq!(Some(&first), threaded.as_ref(), "the number of threads has no influence");
    if reader.rewind().is_err() {
        return;
    }
    let Ok(file) = OutputFile::create(&copy, Access::default()) else { return };
    let Ok(mut writer) = Writer::new(file, format, reader.names(), None) else { return };
    let mut batch = Batch::default();
    while reader.read(&mut batch).is_ok_and(|more| more) {
        let meaning = Dictionary { labels: reader.labels(), names: reader.names() };
        if writer.write(&batch, meaning).is_err() {
            // The format cannot hold it, and has said so.
            return;
        }
    }
    writer.finish().expect("a temporary file can be written");
    let again = read(&copy, 0).map(|(all, _)| all).unwrap_or_default();
    assert_eq!(first, again, "what is written reads back as it was");
}
