//! Who takes turns, and what each of them used.

use std::path::PathBuf;

use thalweg_benches::median;

use crate::child::{self, Usage, words};
use crate::sets::{Set, text};
use crate::{Setting, quality};

/// What a contender does; contenders of one kind are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    Read,
    Parse,
    Train,
    MakeCache,
    TrainFromCache,
    Predict,
}

/// A command that is timed again and again.
pub(crate) struct Contender {
    pub(crate) name: String,
    pub(crate) job: Job,
    /// Its processor time begins with the start of Python, which is no part of the job.
    pub(crate) starts_python: bool,
    program: PathBuf,
    arguments: Vec<String>,
    /// A file that must not be there when it begins.
    without: Option<PathBuf>,
    runs: Vec<Usage>,
}

impl Contender {
    fn new(name: &str, job: Job, program: impl Into<PathBuf>, arguments: &[&str]) -> Self {
        Self {
            name: name.into(),
            job,
            starts_python: false,
            program: program.into(),
            arguments: words(arguments),
            without: None,
            runs: Vec::new(),
        }
    }

    pub(crate) fn run(&mut self) {
        self.without.iter().for_each(|file| drop(std::fs::remove_file(file)));
        self.runs.push(child::run(&self.program, &self.arguments));
    }

    /// Takes the start of Python off.
    pub(crate) fn subtract(&mut self, start_up: Usage) {
        for run in &mut self.runs {
            run.cpu -= start_up.cpu;
            run.wall -= start_up.wall;
        }
    }

    /// Medians.
    pub(crate) fn usage(&self) -> Usage {
        medians(&self.runs)
    }
}

fn medians(runs: &[Usage]) -> Usage {
    let of = |quantity: fn(&Usage) -> f64| median(runs.iter().map(quantity).collect());
    Usage { wall: of(|run| run.wall), cpu: of(|run| run.cpu), peak: of(|run| run.peak) }
}

/// What it takes to start Python and load Vowpal Wabbit.
pub(crate) fn start_up(setting: &Setting) -> Usage {
    let Some(python) = &setting.python else { return Usage::default() };
    let runs: Vec<Usage> = (0..setting.rounds)
        .map(|_| child::run(python, &words(&["-m", "vowpalwabbit", "--version"])))
        .collect();
    medians(&runs)
}

/// Learners that are timed.
const LEARNERS: [&str; 8] = ["perceptron", "arow", "ssol", "ada-rda", "sgft", "fobos", "ada-fobos", "rda"];

/// All who take turns on this set. Models and caches that they need are made here.
pub(crate) fn all(setting: &Setting, set: &Set) -> Vec<Contender> {
    let myself = std::env::current_exe().unwrap();
    let train = text(&set.train);
    let mut all = vec![
        Contender::new("read only", Job::Read, &myself, &["floor", "read", &train]),
        Contender::new("parse only", Job::Parse, &myself, &["floor", "parse", &train]),
    ];
    for learner in LEARNERS {
        let arguments = ["train", &train, "-a", learner, "-q"];
        all.push(Contender::new(&format!("thalweg {learner}"), Job::Train, &setting.thalweg, &arguments));
    }
    for spread in set.spread.iter().map(|spread| text(spread)) {
        for learner in ["perceptron", "arow"] {
            let name = format!("thalweg {learner}, features up to 10^7");
            let arguments = ["train", &spread, "-a", learner, "-q"];
            all.push(Contender::new(&name, Job::Train, &setting.thalweg, &arguments));
        }
    }
    thalweg_from_cache(setting, set, &mut all);
    let model = set.beside("thw");
    child::run(&setting.thalweg, &words(&["train", &train, "-a", "arow", "-q", "-f", &model]));
    let arguments = ["predict", &train, "-i", &model, "-p", "/dev/null"];
    all.push(Contender::new("thalweg predict", Job::Predict, &setting.thalweg, &arguments));
    if setting.python.is_some() {
        vowpal_wabbit(setting, set, &mut all);
    }
    all
}

fn thalweg_from_cache(setting: &Setting, set: &Set, all: &mut Vec<Contender>) {
    let train = text(&set.train);
    let arguments = |learner| ["train", &train, "-a", learner, "-q", "--cache"];
    let name = "thalweg arow, making the cache";
    let first = Contender::new(name, Job::MakeCache, &setting.thalweg, &arguments("arow"));
    all.push(Contender { without: Some(set.cache()), ..first });
    for learner in ["perceptron", "arow", "ssol", "sgft", "fobos", "ada-fobos", "rda"] {
        let name = format!("thalweg {learner}, cache");
        all.push(Contender::new(&name, Job::TrainFromCache, &setting.thalweg, &arguments(learner)));
    }
    // Reading ahead on another core takes less time and more work.
    for learner in ["arow", "ssol"] {
        let alone = [&arguments(learner)[..], &["--threads", "0"]].concat();
        let name = format!("thalweg {learner}, cache, no reading ahead");
        all.push(Contender::new(&name, Job::TrainFromCache, &setting.thalweg, &alone));
    }
}

fn vowpal_wabbit(setting: &Setting, set: &Set, all: &mut Vec<Contender>) {
    let (train, model, cache) = (set.beside("vw"), set.beside("vwm"), set.beside("vwcache"));
    let mut add = |name: &str, job, more: &[&str]| {
        let (program, arguments) = quality::vw(setting, set, &train, more);
        all.push(Contender { program, arguments, starts_python: true, ..Contender::new(name, job, "", &[]) });
    };
    add("vw", Job::Train, &[]);
    add("vw, making the cache", Job::MakeCache, &["-k", "--cache_file", &cache]);
    add("vw, cache", Job::TrainFromCache, &["--cache_file", &cache]);
    add("vw predict", Job::Predict, &["-t", "-i", &model, "-p", "/dev/null"]);
    for needed in [&["-k", "--cache_file", &cache][..], &["-f", &model]] {
        let (program, arguments) = quality::vw(setting, set, &train, needed);
        child::run(&program, &arguments);
    }
}
