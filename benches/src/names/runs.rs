//! Who takes turns on a data set.

use std::path::{Path, PathBuf};

use thalweg_benches::child::{self, Usage};
use thalweg_benches::median;

use crate::Programs;
use crate::data::Subject;

/// A command that is timed again and again.
pub(crate) struct Run {
    pub(crate) name: String,
    program: PathBuf,
    arguments: Vec<String>,
    usages: Vec<Usage>,
}

impl Run {
    fn new(name: &str, program: &Path, arguments: &[&str]) -> Self {
        Self {
            name: name.into(),
            program: program.into(),
            arguments: child::words(arguments),
            usages: Vec::new(),
        }
    }

    pub(crate) fn run(&mut self) {
        self.usages.push(child::run(&self.program, &self.arguments));
    }

    /// Medians.
    pub(crate) fn usage(&self) -> Usage {
        let of = |quantity: fn(&Usage) -> f64| median(self.usages.iter().map(quantity).collect());
        Usage { wall: of(|usage| usage.wall), cpu: of(|usage| usage.cpu), peak: of(|usage| usage.peak) }
    }
}

/// All who take turns. Caches are made here.
pub(crate) fn of(programs: &Programs, subject: &Subject) -> Vec<Run> {
    let mut all = Vec::new();
    thalweg(programs, subject, &mut all);
    peers(programs, subject, &mut all);
    all
}

fn thalweg(programs: &Programs, subject: &Subject, all: &mut Vec<Run>) {
    let (text, bits) = (subject.text.to_str().unwrap(), subject.bits.to_string());
    let mut add = |name: &str, data: &str, flags: &[&str]| {
        let fixed = ["train", data, "-a", "arow", "-q"];
        all.push(Run::new(&format!("thalweg, {name}"), &programs.thalweg, &[&fixed, flags].concat()));
    };
    let hashed = ["--hash-bits", &bits];
    let Some(numbers) = &subject.numbers else {
        let words = ["--text", "text", "--ngrams", "1..2"];
        add("words 1..2", text, &words);
        add("words 1..2, hashed", text, &[&words[..], &hashed].concat());
        add("words 1..2, at most 100000 names", text, &[&words[..], &["--max-features", "100000"]].concat());
        add("characters 3..5, hashed", text, &[&["--text", "text", "--chars", "3..5"][..], &hashed].concat());
        return;
    };
    let numbers = numbers.to_str().unwrap();
    add("names", text, &[]);
    add("names, hashed", text, &hashed);
    add("names, cache", &cached(programs, text, "names", &[]), &[]);
    add("names, hashed, cache", &cached(programs, text, "hashed", &hashed), &hashed);
    add("numbers", numbers, &[]);
    add("numbers, cache", &cached(programs, numbers, "numbers", &[]), &[]);
}

/// The cache of a file.
fn cached(programs: &Programs, file: &str, kind: &str, flags: &[&str]) -> String {
    let cache = format!("{file}.{kind}.thwcache");
    let arguments = [&["convert", file, &cache, "-q"][..], flags].concat();
    child::run(&programs.thalweg, &child::words(&arguments));
    cache
}

fn peers(programs: &Programs, subject: &Subject, all: &mut Vec<Run>) {
    let (text, bits) = (subject.for_vw.to_str().unwrap(), subject.bits.to_string());
    let is_text = subject.numbers.is_none();
    if let Some(python) = &programs.python {
        let cache = format!("{text}.vwcache");
        let fixed = ["-m", "vowpalwabbit", "--quiet", "--loss_function", "logistic", "-b", &bits, "-d", text];
        let more: &[&str] = if is_text { &["--ngram", "2"] } else { &[] };
        all.push(Run::new("vw", python, &[&fixed, more].concat()));
        if !is_text {
            let with_cache = [&fixed[..], &["--cache_file", &cache]].concat();
            child::run(python, &child::words(&[&with_cache[..], &["-k"]].concat()));
            all.push(Run::new("vw, cache", python, &with_cache));
        }
    }
    let Some(numbers) = &subject.numbers else { return };
    if let Some(fwumious) = &programs.fwumious {
        let fixed = ["--data", text, "-l", "0.1", "-b", &bits, "--adaptive", "--fastmath", "--sgd"];
        let loss = ["--loss_function", "logistic", "--link", "logistic", "--power_t", "0.0", "--l2", "0.0"];
        let fixed = [&fixed[..], &loss, &["--keep", "f"]].concat();
        all.push(Run::new("fwumious", fwumious, &fixed));
        let with_cache = [&fixed[..], &["-c"]].concat();
        child::run(fwumious, &child::words(&with_cache));
        all.push(Run::new("fwumious, cache", fwumious, &with_cache));
    }
    if let Some(sol) = &programs.sol {
        all.push(Run::new("SOL, numbers", sol, &["-a", "arow", numbers.to_str().unwrap()]));
    }
}
