//! The data: sparse examples as LIBSVM text and as Vowpal Wabbit's, and texts of words.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use thalweg_benches::child;

use crate::Programs;

/// What is learned from.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// As Vowpal Wabbit's text, or a table with a column of text.
    pub(crate) text: PathBuf,
    /// The same with numbers, if there are any.
    pub(crate) numbers: Option<PathBuf>,
    /// The same for Vowpal Wabbit.
    pub(crate) for_vw: PathBuf,
    /// Bits of a table that is large enough.
    pub(crate) bits: u32,
}

/// All data sets, of which those that are there are kept.
pub(crate) fn subjects(programs: &Programs, folder: &Path, examples: u64) -> Vec<Subject> {
    // fwumious_wabbit wants to know which namespaces there are.
    std::fs::write(folder.join("vw_namespace_map.csv"), "f,f\n").unwrap();
    let sparse = [("rcv-like", "rcv1-like", 18), ("url-like", "url-like", 22)];
    let mut all: Vec<Subject> = sparse
        .into_iter()
        .map(|(name, shape, bits)| {
            let numbers = folder.join(format!("{shape}-{examples}.svm"));
            let text = numbers.with_extension("vw");
            generate(programs, shape, examples, &numbers);
            rewrite(&numbers, &text, |line, out| {
                let (label, features) = line.split_once(' ').unwrap();
                writeln!(out, "{label} |f {features}").unwrap();
            });
            Subject { name, numbers: Some(numbers), for_vw: text.clone(), text, bits }
        })
        .collect();
    // Words of one rank are as frequent as those of all ranks e times as high; the more words, the more pairs come once.
    for (name, stem, words, bits) in
        [("raw text", "texts", 2e4, 22), ("text with many rare words", "rare", 1e6, 24)]
    {
        let text = folder.join(format!("{stem}-{examples}.tsv"));
        let for_vw = text.with_extension("vw");
        make(&text, |out| write_texts(words, examples, out));
        rewrite(&text, &for_vw, |line, out| {
            if let Some((label, text)) = line.split_once('\t').filter(|(label, _)| *label != "label") {
                writeln!(out, "{label} |f {text}").unwrap();
            }
        });
        all.push(Subject { name, numbers: None, for_vw, text, bits });
    }
    all
}

/// Texts of a hundred words on average, some of which tell the label.
fn write_texts(words: f64, examples: u64, out: &mut BufWriter<File>) {
    let mut random = Pcg64::seed_from_u64(3);
    writeln!(out, "label\ttext").unwrap();
    for _ in 0..examples {
        let label = random.random::<bool>();
        write!(out, "{}\t", if label { 1 } else { -1 }).unwrap();
        for i in 0..random.random_range(50..150) {
            let rank = words.powf(random.random()) as u64;
            let rank = if i % 10 == 0 { 2 * rank + u64::from(label) } else { rank };
            write!(out, "{}{}", if i > 0 { " " } else { "" }, word(rank)).unwrap();
        }
        writeln!(out).unwrap();
    }
}

/// A word for a number, the longer the larger that is.
fn word(mut number: u64) -> String {
    let mut word = String::new();
    while number > 0 || word.len() < 2 {
        word.push(char::from(b'a' + (number % 17) as u8));
        number /= 17;
        word.push(['e', 'o', 'n', 's', 't'][(number % 5) as usize]);
        number /= 5;
    }
    word
}

fn generate(programs: &Programs, shape: &str, examples: u64, file: &Path) {
    if !file.exists() {
        let (examples, output) = (examples.to_string(), file.to_str().unwrap());
        let arguments = ["generate", shape, "--examples", &examples, "-q", "-o", output];
        child::run(&programs.thalweg, &child::words(&arguments));
    }
}

/// Writes a file that is not there yet. It has its name when all of it is there.
fn make(file: &Path, write: impl FnOnce(&mut BufWriter<File>)) {
    if file.exists() {
        return;
    }
    eprintln!("making {}", file.display());
    let unfinished = file.with_extension("part");
    let mut out = BufWriter::new(File::create(&unfinished).unwrap());
    write(&mut out);
    out.flush().unwrap();
    std::fs::rename(unfinished, file).unwrap();
}

/// Makes a file of the lines of another.
fn rewrite(from: &Path, to: &Path, line: impl Fn(&str, &mut BufWriter<File>)) {
    make(to, |out| {
        BufReader::new(File::open(from).unwrap()).lines().for_each(|text| line(&text.unwrap(), out));
    });
}
