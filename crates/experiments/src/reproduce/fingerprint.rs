//! What an outcome depends on besides its configuration: the data, and what the learner and the protocol do.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thalweg::Interrupt;
use xxhash_rust::xxh3::Xxh3;

use super::configuration::{Configuration, Run};
use super::examples::{Examples, GERMAN, GERMAN_ORDERS};
use super::sets::{Set, Source};

/// Fingerprints of the data of a run and of what was done with it, in hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fingerprint {
    /// Of the bytes of the data, and of what is done to them.
    data: String,
    /// Of all scores of a run of the same configuration on made-up examples: nobody has to count versions.
    behaviour: String,
}

/// Why an outcome is of no use any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outdated {
    /// It is from other data.
    Data,
    /// The learner, or the protocol, does something else now.
    Behaviour,
}

impl Fingerprint {
    /// Why an outcome with this fingerprint is of no use where the other one is expected; nothing if it is.
    pub(super) fn outdated(&self, now: &Self) -> Option<Outdated> {
        let of_data = (self.data != now.data).then_some(Outdated::Data);
        of_data.or((self.behaviour != now.behaviour).then_some(Outdated::Behaviour))
    }
}

/// The fingerprints of configurations. Each is taken once.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    folder: Option<PathBuf>,
    data: HashMap<&'static str, Option<String>>,
    made_up: HashMap<&'static str, Option<Examples>>,
    behaviour: HashMap<String, Option<String>>,
}

impl Fingerprints {
    /// Of configurations whose data is in this folder.
    pub(super) fn new(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(Path::to_path_buf), ..Self::default() }
    }

    /// The fingerprint of a configuration; nothing if its data cannot be read, or the learner cannot be built.
    pub(super) fn of(&mut self, configuration: &Configuration) -> Option<Fingerprint> {
        let set = configuration.set;
        let folder = self.folder.as_deref();
        let data = self.data.entry(set.name).or_insert_with(|| of_data(set, folder)).clone()?;
        let made_up = self.made_up.entry(set.name).or_insert_with(|| Examples::made_up(set).ok()).as_ref()?;
        let taken = || of_behaviour(configuration, made_up);
        let behaviour = self.behaviour.entry(configuration.to_string()).or_insert_with(taken).clone()?;
        Some(Fingerprint { data, behaviour })
    }
}

fn digits(hash: &Xxh3) -> String {
    format!("{:016x}", hash.digest())
}

/// Of the files as they are, without decompressing them.
fn of_data(set: &Set, folder: Option<&Path>) -> Option<String> {
    let mut hash = Xxh3::new();
    hash.update(format!("{:?} {:?} {}", set.source, set.labels, set.unit_rows).as_bytes());
    match set.source {
        Source::Bundled => {
            hash.update(GERMAN);
            hash.update(GERMAN_ORDERS.as_bytes());
        }
        Source::Files { .. } => {
            let files = set.files(folder).ok()?;
            for file in files.train.iter().chain(&files.test) {
                hash.update(&std::fs::read(file).ok()?);
            }
        }
        Source::Synthetic { .. } => hash.update(&super::examples::beginning_of_synthetic()),
        Source::Unavailable => return None,
    }
    Some(digits(&hash))
}

/// Of all scores of a run on made-up examples, and of what came of it.
fn of_behaviour(configuration: &Configuration, made_up: &Examples) -> Option<String> {
    let run = match configuration.run {
        Run::Split { .. } => Run::Split { train: made_up.train.len() * 2 / 3 },
        // Two passes show what twenty do.
        Run::Folds { folds, passes } => Run::Folds { folds, passes: passes.min(2) },
        run => run,
    };
    let small = Configuration { run, ..configuration.clone() };
    let mut hash = Xxh3::new();
    let see = |scores: &[f64]| scores.iter().for_each(|score| hash.update(&score.to_bits().to_le_bytes()));
    let mut outcome = small.run_seen(made_up, 0, &Interrupt::default(), see).ok()??;
    outcome.seconds = 0.0;
    hash.update(serde_json::to_string(&outcome).ok()?.as_bytes());
    Some(digits(&hash))
}

#[cfg(test)]
mod tests {
    use super::super::configuration::Missed;
    use super::super::sets;
    use super::*;

    fn of(set: &str, run: Run, spec: &str) -> Fingerprint {
        let configuration = Configuration {
            set: sets::find(set).unwrap(),
            run,
            spec: spec.into(),
            missed: Missed::Cost(9.0),
        };
        Fingerprints::default().of(&configuration).unwrap()
    }

    #[test]
    fn behaviour_tells_learners_knobs_and_protocols_apart() {
        let arow = of("german", Run::Progressive, "arow:r=0.1");
        assert_eq!(arow, of("german", Run::Progressive, "arow:r=0.1"));
        for other in [
            of("german", Run::Progressive, "arow:r=0.100001"),
            of("german", Run::Progressive, "arow:r=0.1,denominator=shared"),
            of("german", Run::Split { train: 500 }, "arow:r=0.1"),
            of("german", Run::Folds { folds: 10, passes: 1 }, "arow:r=0.1"),
        ] {
            assert_eq!(arow.outdated(&other), Some(Outdated::Behaviour));
        }
        let elsewhere = of("synthetic", Run::Progressive, "arow:r=0.1");
        assert_eq!(arow.outdated(&elsewhere), Some(Outdated::Data));
    }

    #[test]
    fn made_up_examples_are_like_those_of_every_set() {
        for set in sets::SETS {
            let made_up = Examples::made_up(set).unwrap();
            assert!(made_up.train.len() > 100 && made_up.test.len() > 100, "{}", set.name);
            let mut labels = made_up.train.labels().to_vec();
            labels.sort_unstable();
            labels.dedup();
            assert_eq!(labels.len(), made_up.classes, "{}", set.name);
        }
    }
}
