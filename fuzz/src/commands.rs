//! Whole commands with hostile files: `hostile-commands PROGRAM SECONDS [SEED]`.
//!
//! Takes a file of the corpus, damages it, gives it to a command as data, as a model or as a cache, and checks what no command may do: end
//! by a signal, panic, take longer than its input allows, take more memory than it may, or change a file that it was not told to write.
#![allow(clippy::print_stdout)]
#![allow(clippy::case_sensitive_file_extension_comparisons)] // of names that were made here

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::time::{Duration, Instant};

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// What is run. DATA and MODEL are damaged files; GOOD and GOOD.thw are not.
const COMMANDS: &[&str] = &[
    "train DATA -f old.thw",
    "train DATA -q -f new.thw -p new.tsv --reject-file rejects",
    "train DATA -a arow --normalize l2 --scale max --bias --multiclass -f new.thw",
    "train DATA -a bcw1 --batch 7 -f new.thw",
    "train DATA -a ssacog1 --shuffle --passes 2 -f new.thw",
    "train DATA --no-header --label-col 1 --text 2 --ngrams 1..2 -f new.thw",
    "train DATA --delimiter ';' --decimal-comma --category a --date b --label-col 1 -f new.thw",
    "train DATA --encoding utf-16 --multiclass -f new.thw",
    "train DATA --encoding latin-1 --date when --cache -f new.thw",
    "train DATA --hash-bits 18 -f new.thw",
    "train DATA --max-features 10 -f new.thw",
    "train DATA -i GOOD.thw -f GOOD.thw",
    "train DATA --cache -f new.thw",
    "train GOOD.svm -i MODEL -f new.thw",
    "predict -i GOOD.thw DATA -p new.tsv",
    "predict -i MODEL GOOD.svm -p new.tsv",
    "eval -i GOOD.thw DATA --json",
    "explain -i MODEL DATA --top 3",
    "inspect MODEL",
    "inspect MODEL --json",
    "describe DATA",
    "select DATA --features 3 --output new.tsv --reduced new.svm",
    "select DATA --features 3 --curve --holdout 30%",
    "convert DATA new.vw",
    "convert DATA new.csv.zst",
    "convert DATA new.parquet",
];

/// So long for any input, and as much again for every mebibyte.
const PATIENCE: Duration = Duration::from_secs(10);
/// Kibibytes of address space.
const MEMORY: u64 = 6 << 20;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let program =
        PathBuf::from(arguments.next().expect("the program")).canonicalize().expect("the program exists");
    let seconds = arguments.next().and_then(|text| text.parse().ok()).expect("a number of seconds");
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut random = Pcg64::seed_from_u64(seed);
    let seeds = seeds(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"));
    let (began, mut runs, mut codes) = (Instant::now(), 0u64, BTreeMap::<i32, u64>::new());
    while began.elapsed() < Duration::from_secs(seconds) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let command = COMMANDS.choose(&mut random).expect("there are commands");
        match one_run(&program, folder.path(), command, &seeds, &mut random) {
            Ok(code) => *codes.entry(code).or_default() += 1,
            Err((shown, why)) => {
                println!("{why}\n  thalweg {shown}\n  in {}", folder.keep().display());
                return ExitCode::FAILURE;
            }
        }
        runs += 1;
    }
    println!("{runs} commands with hostile files; exit codes: {codes:?}");
    ExitCode::SUCCESS
}

/// All files of the corpus, with the end of the name that their target reads.
fn seeds(corpus: &Path) -> Vec<(String, Vec<u8>)> {
    let files =
        |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    let mut all = Vec::new();
    for folder in files(corpus) {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let end = match name {
            "libsvm" | "libsvm-names" => "svm",
            "cache" => "svm.thwcache",
            "text" | "urls" => "tsv",
            "model" => "thw",
            other => other,
        };
        all.extend(files(&folder).filter_map(|file| Some((end.to_string(), std::fs::read(file).ok()?))));
    }
    all.sort();
    all
}

type Failure = (String, String);

fn one_run(
    program: &Path,
    folder: &Path,
    command: &str,
    seeds: &[(String, Vec<u8>)],
    random: &mut Pcg64,
) -> Result<i32, Failure> {
    let is_model = |(end, _): &&(String, Vec<u8>)| end == "thw";
    let pick = |models: bool, random: &mut Pcg64| {
        let some: Vec<_> = seeds.iter().filter(|seed| is_model(seed) == models).collect();
        (*some.choose(random).expect("the corpus has some")).clone()
    };
    let (end, data) = pick(false, random);
    // Sometimes the name tells nothing, or the wrong thing.
    let name = match random.random_range(0..10) {
        0 => "data".to_string(),
        1 => "data.csv".to_string(),
        2 => format!("data.{end}.zst"),
        _ => format!("data.{end}"),
    };
    let data = damaged(data, random);
    let data = if name.ends_with(".zst") { zstd::encode_all(&data[..], 1).unwrap_or_default() } else { data };
    let model = damaged_model(pick(true, random).1, random);
    let good: String = (0..40).map(|i| format!("{} {}:1 {}:2\n", i % 2, 1 + i % 2, 3 + i % 5)).collect();
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a temporary file");
    write(&name, &data);
    write("bad.thw", &model);
    write("GOOD.svm", good.as_bytes());
    let shown = command.replace("DATA", &name).replace("MODEL", "bad.thw");
    let run = |args: &str| {
        let script = format!("ulimit -v {MEMORY}; exec \"$0\" {args}");
        let began = Instant::now();
        let limit = PATIENCE + PATIENCE * (data.len() >> 20) as u32;
        let output = Command::new("timeout")
            .args(["--signal=KILL", &limit.as_secs().to_string(), "sh", "-c", &script])
            .arg(program)
            .current_dir(folder)
            .output()
            .expect("the program runs");
        (output, began.elapsed())
    };
    for file in ["old.thw", "GOOD.thw"] {
        run(&format!("train GOOD.svm -q -a arow -f {file}"));
    }
    let kept = ["GOOD.svm", "bad.thw", &name].map(|name| (name, std::fs::read(folder.join(name)).ok()));
    let (output, took) = run(&shown);
    let fail = |why: String| Err((shown.clone(), why));
    if let Some(why) = misbehaved(&output) {
        return fail(format!("{why} after {took:?}"));
    }
    for (name, before) in &kept {
        if std::fs::read(folder.join(name)).ok() != *before {
            return fail(format!("{name} was changed"));
        }
    }
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.ends_with(".tmp") {
            return fail(format!("{name} was left behind"));
        }
        if name.ends_with(".thw") && name != "bad.thw" && !run(&format!("inspect {name}")).0.status.success()
        {
            return fail(format!("{name} cannot be read"));
        }
    }
    Ok(output.status.code().unwrap_or(-1))
}

fn misbehaved(output: &Output) -> Option<String> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    if stderr.contains("panicked") || stderr.contains("allocation of") {
        return Some(stderr.into_owned());
    }
    match (output.status.signal(), output.status.code()) {
        (Some(signal), _) => Some(format!("ended by signal {signal}: {stderr}")),
        (_, Some(0..=2)) => None,
        (_, code) => Some(format!("exit code {code:?}: {stderr}")),
    }
}

/// A file with a few faults: flipped bits, pieces cut out, doubled, or replaced by what parsers dislike.
fn damaged(mut bytes: Vec<u8>, random: &mut Pcg64) -> Vec<u8> {
    const NASTY: &[&[u8]] = &[
        b"\"",
        b"\n",
        b"\r",
        b"\0",
        b"\t",
        b"1e30",
        b"-2e19",
        b"3e38",
        b"nan",
        b"inf",
        b"4294967294",
        b"4294967295",
        b"-1",
        b":",
        b"|",
        b",",
        b"{",
        b"[",
        b"\\",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\x1b[2J",
        b" ",
        b"99999999999999999999",
        b"1e-400",
        b"\x80",
        b"\xff\xff\xff\xff",
    ];
    for _ in 0..random.random_range(0..6) {
        let at = random.random_range(0..=bytes.len());
        let length = random.random_range(0..=(bytes.len() - at).min(64));
        match random.random_range(0..6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.random_range(0..8),
            1 => drop(bytes.drain(at..at + length)),
            2 => {
                let part = bytes[at..at + length].to_vec();
                let many = 1 << random.random_range(0..12);
                bytes.splice(at..at, part.repeat(many));
            }
            3 => bytes.truncate(at),
            4 => {
                let mut noise = [0; 8];
                random.fill_bytes(&mut noise);
                bytes.splice(at..at, noise);
            }
            _ => {
                let nasty = *NASTY.choose(random).expect("there are some");
                bytes.splice(at..at + length.min(4), nasty.iter().copied());
            }
        }
    }
    bytes
}

/// A damaged model whose checksum is right, more often than not: the checksum is the first thing that is looked at.
fn damaged_model(bytes: Vec<u8>, random: &mut Pcg64) -> Vec<u8> {
    let mut bytes = damaged(bytes, random);
    if random.random_bool(0.8) && bytes.len() > 4 {
        let content = bytes.len() - 4;
        let checksum = crc32fast::hash(&bytes[..content]);
        bytes[content..].copy_from_slice(&checksum.to_le_bytes());
    }
    bytes
}
