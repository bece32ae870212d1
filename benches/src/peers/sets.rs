//! The data sets, as LIBSVM text and as Vowpal Wabbit's text.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use thalweg_core::Batch;
use thalweg_data::{Input, Settings, open};

use crate::{Setting, child};

/// A data set on disk.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    /// One positive in a hundred.
    pub(crate) unbalanced: bool,
    pub(crate) train: PathBuf,
    pub(crate) test: PathBuf,
    /// Bits of Vowpal Wabbit's table, enough for all features.
    pub(crate) bits: u32,
    /// How many features the training part has.
    pub(crate) features: usize,
    /// The training part with its features farther apart: the same stream in a larger space.
    pub(crate) spread: Option<PathBuf>,
}

/// Features of the rcv-like set are this far apart where they are spread: the largest is 10^7 then.
const APART: u64 = 212;

impl Set {
    /// Another file about this set, beside its own.
    pub(crate) fn beside(&self, extension: &str) -> String {
        text(&self.train.with_extension(extension))
    }

    /// Where our cache of the training part is.
    pub(crate) fn cache(&self) -> PathBuf {
        thalweg_data::cache::path_of(&self.train)
    }

    /// The test part as Vowpal Wabbit's text.
    pub(crate) fn test_for_vw(&self) -> String {
        text(&self.test.with_extension("vw"))
    }
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> String {
    path.to_str().unwrap().to_string()
}

/// Makes what is not there yet: as many examples as asked for, and a ninth of that to test on.
pub(crate) fn make(setting: &Setting, folder: &Path) -> Vec<Set> {
    let shapes = [
        ("rcv-like", "rcv1-like", None, 18),
        ("url-like", "url-like", None, 22),
        ("url-like, 1 % positive", "url-like", Some("1%"), 22),
    ];
    let sets = shapes.map(|(name, shape, positives, bits)| {
        let stem = format!("{shape}{}-{}", if positives.is_some() { "-1%" } else { "" }, setting.examples);
        let set = Set {
            name,
            unbalanced: positives.is_some(),
            train: folder.join(format!("{stem}.svm")),
            test: folder.join(format!("{stem}-test.svm")),
            bits,
            features: 0,
            spread: shape.starts_with("rcv").then(|| folder.join(format!("{stem}-spread.svm"))),
        };
        generate(setting, shape, positives, 0, setting.examples, &set.train);
        generate(setting, shape, positives, setting.examples, setting.examples / 9, &set.test);
        if setting.python.is_some() {
            for file in [&set.train, &set.test] {
                for_vw(file, if set.unbalanced { 99 } else { 1 });
            }
        }
        set.spread.iter().for_each(|spread| spread_features(&set.train, spread));
        Set { features: count_features(&set.train), ..set }
    });
    sets.into()
}

/// How many different features a file has.
fn count_features(file: &Path) -> usize {
    let mut reader = open(&[Input::File(file.to_path_buf())], Settings::default()).unwrap();
    let (mut batch, mut seen) = (Batch::default(), Vec::new());
    while reader.read(&mut batch).unwrap() {
        for feature in batch.columns().indices.iter().map(|feature| *feature as usize) {
            if feature >= seen.len() {
                seen.resize(feature + 1, false);
            }
            seen[feature] = true;
        }
    }
    seen.into_iter().filter(|seen| *seen).count()
}

fn generate(setting: &Setting, shape: &str, positives: Option<&str>, skip: u64, examples: u64, file: &Path) {
    if file.exists() {
        return;
    }
    eprintln!("making {}", file.display());
    // A name that is not the final one until all is there.
    let unfinished = file.with_extension("part");
    let (skip, examples, output) = (skip.to_string(), examples.to_string(), text(&unfinished));
    let mut arguments =
        vec!["generate", shape, "--skip", &skip, "--examples", &examples, "-q", "-o", &output];
    arguments.extend(positives.into_iter().flat_map(|share| ["--positives", share]));
    child::run(&setting.thalweg, &child::words(&arguments));
    std::fs::rename(unfinished, file).unwrap();
}

/// `1 3:0.5` is `1 636:0.5`.
fn spread_features(file: &Path, spread: &Path) {
    convert(file, spread, |line, output| {
        let mut words = line.split(' ');
        write!(output, "{}", words.next().unwrap()).unwrap();
        for (index, value) in words.map(|word| word.split_once(':').unwrap()) {
            write!(output, " {}:{value}", APART * index.parse::<u64>().unwrap()).unwrap();
        }
        writeln!(output).unwrap();
    });
}

/// `1 3:0.5` is `1 99 |f 3:0.5` with an importance of 99 for positives; that of negatives is 1.
fn for_vw(file: &Path, importance: u32) {
    convert(file, &file.with_extension("vw"), |line, output| {
        let (label, features) = line.split_once(' ').unwrap();
        let importance = if label == "1" { importance } else { 1 };
        writeln!(output, "{label} {importance} |f {features}").unwrap();
    });
}

/// Writes a file line by line anew, unless it is there.
fn convert(file: &Path, converted: &Path, line: impl Fn(&str, &mut BufWriter<File>)) {
    if converted.exists() {
        return;
    }
    eprintln!("making {}", converted.display());
    let unfinished = file.with_extension("part");
    let mut output = BufWriter::new(File::create(&unfinished).unwrap());
    BufReader::new(File::open(file).unwrap()).lines().for_each(|text| line(&text.unwrap(), &mut output));
    output.flush().unwrap();
    std::fs::rename(unfinished, converted).unwrap();
}
