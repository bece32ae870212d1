//! How fast each format is read, on one thread: the same examples in all formats that hold them well. With a word, only those
//! cases that have it in their name.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use thalweg_benches::median;
use thalweg_core::Batch;
use thalweg_data::Format;
use thalweg_data::{Access, Cache, Dictionary, Input, Labels, OutputFile, Settings, Writer, open};
use thalweg_data::{FeatureNames, Naming, Reading};

const ROUNDS: usize = 5;

/// A file to read, and how.
struct Case {
    name: &'static str,
    path: PathBuf,
    reading: Reading,
}

fn main() {
    let folder = std::env::temp_dir().join(format!("thalweg-formats-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let cases = [sparse, table, text].iter().flat_map(|make| make(&folder));
    let cases: Vec<Case> = cases.filter(|case| case.name.contains(&wanted)).collect();
    let mut runs = vec![(Vec::new(), 0); cases.len()];
    // In turn, so that whatever else the machine does hits all of them.
    for _ in 0..ROUNDS {
        for (case, (all, examples)) in cases.iter().zip(&mut runs) {
            let seconds;
            (seconds, *examples) = time(case);
            all.push(seconds);
        }
    }
    println!("{:<28} {:>8} {:>10} {:>12}", "one thread, medians of 5", "MB/s", "MB", "k examples/s");
    let speeds: Vec<(f64, f64)> = cases
        .iter()
        .zip(runs)
        .map(|(case, (seconds, examples))| {
            let (seconds, examples) = (median(seconds), examples as f64);
            let megabytes = std::fs::metadata(&case.path).unwrap().len() as f64 / 1e6;
            let (speed, rate) = (megabytes / seconds, examples / seconds / 1e3);
            println!("{:<28} {speed:>8.0} {megabytes:>10.1} {rate:>12.0}", case.name);
            (speed, rate)
        })
        .collect();
    std::fs::remove_dir_all(&folder).unwrap();
    if !wanted.is_empty() {
        return;
    }
    let of = |name: &str| speeds[cases.iter().position(|case| case.name == name).unwrap()];
    println!();
    verdict("VW text / LIBSVM text, MB/s (at least 0.6)", of("vw").0 / of("libsvm").0, 0.6);
    verdict("VW text / LIBSVM text with features as names", of("vw").0 / of("libsvm, as names").0, 0.6);
    verdict("CSV, MB/s (at least 300)", of("csv, table").0, 300.0);
    verdict("JSON lines, MB/s (at least 200)", of("jsonl").0, 200.0);
    verdict("Parquet / CSV, examples/s (at least 2)", of("parquet, table").1 / of("csv, table").1, 2.0);
    verdict("words 1..2, hashed, MB/s (at least 100)", of("text, words 1..2, hashed").0, 100.0);
    verdict("characters 3..5, hashed, MB/s (at least 40)", of("text, characters 3..5, hashed").0, 40.0);
    verdict("words, MB/s (at least 50)", of("text, words").0, 50.0);
    verdict("words 1..2, MB/s (at least 60)", of("text, words 1..2").0, 60.0);
}

fn verdict(what: &str, found: f64, wanted: f64) {
    println!("{what}: {found:.2}, {}", if found >= wanted { "reached" } else { "MISSED" });
}

/// Seconds to read it, and examples.
fn time(case: &Case) -> (f64, u64) {
    let settings = Settings {
        reading: case.reading.clone(),
        labels: Labels::many(),
        unlabelled: true,
        ..Settings::default()
    };
    let began = Instant::now();
    let mut reader = open(&[Input::File(case.path.clone())], settings).unwrap();
    let mut batch = Batch::default();
    while reader.read(&mut batch).unwrap() {}
    (began.elapsed().as_secs_f64(), reader.counts().examples)
}

/// Writes a file in another format, and says how to read it.
fn converted(name: &'static str, from: &Path, reading: &Reading, to: &Path, format: &str) -> Case {
    let settings = || Settings { reading: reading.clone(), labels: Labels::many(), ..Settings::default() };
    let mut reader = open(&[Input::File(from.into())], settings()).unwrap();
    let mut batch = Batch::default();
    while reader.read(&mut batch).unwrap() {}
    reader.rewind().unwrap();
    let file = OutputFile::create(to, Access::default()).unwrap();
    let mut writer = Writer::new(file, format.parse().unwrap(), reader.names(), None).unwrap();
    while reader.read(&mut batch).unwrap() {
        writer.write(&batch, Dictionary { labels: reader.labels(), names: reader.names() }).unwrap();
    }
    writer.finish().unwrap();
    Case { name, path: to.into(), reading: reading.clone() }
}

/// Many features, few of them in an example: numbers in LIBSVM, names elsewhere.
fn sparse(folder: &Path) -> Vec<Case> {
    let mut random = Pcg64::seed_from_u64(1);
    let mut batch = Batch::default();
    let labels = Labels::of_many(&["0".into(), "1".into()]);
    let path = folder.join("sparse.svm");
    let file = OutputFile::create(&path, Access::default()).unwrap();
    let mut writer = Writer::new(file, Format::default(), &FeatureNames::Numbers, None).unwrap();
    for _ in 0..60_000 {
        batch.clear();
        let features = (0..75).map(|_| {
            // Low numbers are frequent.
            let feature = (47_000.0f64.powf(random.random())) as u32;
            (feature, f64::from(random.random_range(1..1_000_000)) / 1e6)
        });
        let features: Vec<(u32, f64)> = features.collect();
        batch.push(features, Some(u32::from(random.random::<bool>()))).unwrap();
        writer.write(&batch, Dictionary { labels: &labels, names: &FeatureNames::Numbers }).unwrap();
    }
    writer.finish().unwrap();
    let numbers = Reading::default();
    let names = Reading { naming: Some(Naming::Names), ..Reading::default() };
    let case = |name, to: &str, format| converted(name, &path, &names, &folder.join(to), format);
    let cache = folder.join("sparse.svm.thwcache");
    let settings = Settings {
        cache: Cache::At(cache.clone()),
        labels: Labels::many(),
        unlabelled: true,
        ..Settings::default()
    };
    let mut reader = open(&[Input::File(path.clone())], settings).unwrap();
    while reader.read(&mut batch).unwrap() {}
    vec![
        Case { name: "libsvm", path: path.clone(), reading: numbers.clone() },
        Case { name: "libsvm, as names", path: path.clone(), reading: names.clone() },
        case("vw", "sparse.vw", "vw"),
        case("jsonl", "sparse.jsonl", "jsonl"),
        converted("parquet, lists", &path, &numbers, &folder.join("sparse.parquet"), "parquet"),
        Case { name: "cache", path: cache, reading: numbers },
    ]
}

/// Few features that all examples have.
fn table(folder: &Path) -> Vec<Case> {
    let mut random = Pcg64::seed_from_u64(2);
    let path = folder.join("table.csv");
    let header: String = (0..54).map(|column| format!(",c{column}")).collect();
    let mut text = format!("label{header}\n");
    for _ in 0..100_000 {
        text += if random.random() { "1" } else { "0" };
        for _ in 0..54 {
            text += &format!(",{}", f64::from(random.random_range(1..10_000)) / 1e4);
        }
        text += "\n";
    }
    std::fs::write(&path, text).unwrap();
    let reading = Reading::default();
    let case = |name, to: &str, format| converted(name, &path, &reading, &folder.join(to), format);
    vec![
        case("tsv, table", "table.tsv", "tsv"),
        case("jsonl, table", "table.jsonl", "jsonl"),
        case("parquet, table", "table.parquet", "parquet"),
        case("arrow, table", "table.arrow", "arrow"),
        Case { name: "csv, table", path: path.clone(), reading: reading.clone() },
    ]
}

/// Raw texts: the bundled messages, again and again, so that most names are known after the first round.
fn text(folder: &Path) -> Vec<Case> {
    let path = folder.join("text.tsv");
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/smsspam.train.tsv.zst");
    let once = zstd::decode_all(std::fs::File::open(bundled).unwrap()).unwrap();
    let header = once.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    std::fs::write(&path, [&once[..header], &once[header..].repeat(25)].concat()).unwrap();
    let words = |to| Reading { text: vec!["text".into()], words: Some((1, to)), ..Reading::default() };
    let hashed = |reading| Reading { naming: Some(Naming::Hashed(20)), ..reading };
    let characters = Reading { words: None, characters: Some((3, 5)), ..words(1) };
    vec![
        Case { name: "text, words", path: path.clone(), reading: words(1) },
        Case { name: "text, words 1..2", path: path.clone(), reading: words(2) },
        Case { name: "text, words 1..2, hashed", path: path.clone(), reading: hashed(words(2)) },
        Case { name: "text, characters 3..5", path: path.clone(), reading: characters.clone() },
        Case { name: "text, characters 3..5, hashed", path, reading: hashed(characters) },
    ]
}
