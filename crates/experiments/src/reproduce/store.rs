//! Outcomes that are known already, in a file that grows by a line for each: so an interrupted run goes on where it stopped.
//!
//! Every line has the fingerprints of the data and of the learner. Where they are not those of today, the outcome is not known.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thalweg_core::REAL;

use super::ReproduceError;
use super::configuration::Configuration;
use super::fingerprint::{Fingerprint, Fingerprints, Outdated};
use super::outcome::Outcome;

/// Outcomes that are known already.
#[derive(Debug, Default)]
pub struct Store {
    known: HashMap<String, (Fingerprint, Outcome)>,
    on_disk: Option<OnDisk>,
}

/// Only what outlives the program needs fingerprints.
#[derive(Debug)]
struct OnDisk {
    path: PathBuf,
    /// Opened and locked with the first outcome that is new: who only reads disturbs nobody.
    file: Option<File>,
    fingerprints: RefCell<Fingerprints>,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    run: String,
    #[serde(default)]
    fingerprint: Fingerprint,
    outcome: Outcome,
}

/// What is run, which repetition, and the program's numbers.
fn key(configuration: &Configuration, repetition: usize) -> String {
    format!("{configuration} #{repetition} {REAL}")
}

impl Store {
    /// A store that forgets.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// The store of a folder, which is made if it is not there, for runs on data of another folder. A last line that was cut off is left out.
    pub fn open(folder: &Path, data: Option<&Path>) -> Result<Self, ReproduceError> {
        let path = folder.join("outcomes.jsonl");
        let failed = |cause| ReproduceError::Io { file: path.display().to_string(), cause };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let mut known = HashMap::new();
        for (i, line) in text[..whole_lines(text.as_bytes())].lines().enumerate() {
            let line: Line = serde_json::from_str(line).map_err(|error| ReproduceError::Stored {
                file: path.display().to_string(),
                line: i + 1,
                error: error.to_string(),
            })?;
            known.insert(line.run, (line.fingerprint, line.outcome));
        }
        let fingerprints = RefCell::new(Fingerprints::new(data));
        Ok(Self { known, on_disk: Some(OnDisk { path, file: None, fingerprints }) })
    }

    /// Gets ready to write; an error if another run writes to the same folder.
    pub fn begin(&mut self) -> Result<(), ReproduceError> {
        self.on_disk.as_mut().map_or(Ok(()), OnDisk::begin)
    }

    /// The outcome of a repetition, if it is known.
    pub fn get(&self, configuration: &Configuration, repetition: usize) -> Option<&Outcome> {
        let (fingerprint, outcome) = self.known.get(&key(configuration, repetition))?;
        let is_current = match &self.on_disk {
            Some(disk) => fingerprint.outdated(&disk.fingerprint(configuration)?).is_none(),
            None => true,
        };
        is_current.then_some(outcome)
    }

    /// Why a stored outcome is of no use; nothing if it is, or if there is none.
    pub fn outdated(&self, configuration: &Configuration, repetition: usize) -> Option<Outdated> {
        let (fingerprint, _) = self.known.get(&key(configuration, repetition))?;
        fingerprint.outdated(&self.on_disk.as_ref()?.fingerprint(configuration)?)
    }

    /// Remembers an outcome.
    pub fn put(
        &mut self,
        configuration: &Configuration,
        repetition: usize,
        outcome: Outcome,
    ) -> Result<(), ReproduceError> {
        let now = self.on_disk.as_ref().and_then(|disk| disk.fingerprint(configuration));
        let line =
            Line { run: key(configuration, repetition), fingerprint: now.unwrap_or_default(), outcome };
        self.begin()?;
        if let Some(OnDisk { path, file: Some(file), .. }) = &mut self.on_disk {
            let failed = |cause| ReproduceError::Io { file: path.display().to_string(), cause };
            let text = serde_json::to_string(&line).map_err(|error| failed(error.into()))?;
            file.write_all(format!("{text}\n").as_bytes()).map_err(failed)?;
        }
        self.known.insert(line.run, (line.fingerprint, line.outcome));
        Ok(())
    }
}

/// How many bytes are whole lines.
fn whole_lines(text: &[u8]) -> usize {
    text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)
}

impl OnDisk {
    fn begin(&mut self) -> Result<(), ReproduceError> {
        if self.file.is_some() {
            return Ok(());
        }
        let name = self.path.display().to_string();
        let failed = |cause| ReproduceError::Io { file: name.clone(), cause };
        let file = OpenOptions::new().create(true).append(true).open(&self.path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ReproduceError::Busy { file: name }),
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
        let whole = whole_lines(&std::fs::read(&self.path).map_err(failed)?);
        file.set_len(whole as u64).map_err(failed)?;
        self.file = Some(file);
        Ok(())
    }

    fn fingerprint(&self, configuration: &Configuration) -> Option<Fingerprint> {
        self.fingerprints.borrow_mut().of(configuration)
    }
}

#[cfg(test)]
mod tests {
    use super::super::configuration::{Missed, Run};
    use super::super::sets;
    use super::*;

    fn configuration(spec: &str) -> Configuration {
        let set = sets::find("german").unwrap();
        Configuration { set, run: Run::Progressive, spec: spec.into(), missed: Missed::Cost(1.0) }
    }

    fn outcome(seconds: f64) -> Outcome {
        Outcome::new(&thalweg_eval::Confusion::default(), seconds, 1, 2)
    }

    #[test]
    fn what_was_stored_is_known_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), None).unwrap();
        store.put(&configuration("perceptron"), 3, outcome(0.1)).unwrap();
        let store = Store::open(folder.path(), None).unwrap();
        assert_eq!(store.get(&configuration("perceptron"), 3), Some(&outcome(0.1)));
        assert_eq!(store.get(&configuration("perceptron"), 4), None);
        assert_eq!(store.get(&configuration("romma"), 3), None);
    }

    #[test]
    fn one_run_writes_at_a_time_and_others_may_read() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Store::open(folder.path(), None).unwrap();
        let (mut first, mut second) = (open(), open());
        first.put(&configuration("perceptron"), 0, outcome(1.0)).unwrap();
        let error = second.put(&configuration("romma"), 0, outcome(1.0)).unwrap_err().to_string();
        assert!(error.contains("another run"), "{error}");
        assert_eq!(open().get(&configuration("perceptron"), 0), Some(&outcome(1.0)));
        drop(first);
        second.put(&configuration("romma"), 0, outcome(2.0)).unwrap();
        assert_eq!(open().get(&configuration("perceptron"), 0), Some(&outcome(1.0)));
    }

    #[test]
    fn a_line_that_was_cut_off_is_dropped_and_a_damaged_one_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), None).unwrap();
        store.put(&configuration("perceptron"), 0, outcome(1.0)).unwrap();
        let file = folder.path().join("outcomes.jsonl");
        let whole = std::fs::read_to_string(&file).unwrap();
        drop(store);
        std::fs::write(&file, format!("{whole}{{\"run\":\"x")).unwrap();
        let mut store = Store::open(folder.path(), None).unwrap();
        store.put(&configuration("romma"), 0, outcome(2.0)).unwrap();
        drop(store);
        let store = Store::open(folder.path(), None).unwrap();
        assert_eq!(store.get(&configuration("romma"), 0), Some(&outcome(2.0)));
        std::fs::write(&file, format!("nonsense\n{whole}")).unwrap();
        let error = Store::open(folder.path(), None).unwrap_err().to_string();
        assert!(error.contains("outcomes.jsonl:1:"), "{error}");
    }

    #[test]
    fn what_was_made_from_other_data_or_by_another_learner_is_not_known() {
        let folder = tempfile::tempdir().unwrap();
        let data = tempfile::tempdir().unwrap();
        std::fs::write(data.path().join("mushrooms"), "2 1:1\n").unwrap();
        let set = sets::find("mushrooms").unwrap();
        let mushrooms = Configuration { set, ..configuration("perceptron") };
        let open = || Store::open(folder.path(), Some(data.path())).unwrap();
        open().put(&mushrooms, 0, outcome(1.0)).unwrap();
        assert_eq!((open().get(&mushrooms, 0), open().outdated(&mushrooms, 0)), (Some(&outcome(1.0)), None));

        std::fs::write(data.path().join("mushrooms"), "2 1:2\n").unwrap();
        assert_eq!((open().get(&mushrooms, 0), open().outdated(&mushrooms, 0)), (None, Some(Outdated::Data)));
        open().put(&mushrooms, 0, outcome(2.0)).unwrap();
        assert_eq!(open().get(&mushrooms, 0), Some(&outcome(2.0)));

        // As if the perceptron had done something else then.
        let file = folder.path().join("outcomes.jsonl");
        let text = std::fs::read_to_string(&file).unwrap();
        let (_, end) = text.rsplit_once("\"behaviour\":\"").unwrap();
        std::fs::write(&file, text.replace(&end[..16], "0123456789abcdef")).unwrap();
        assert_eq!(
            (open().get(&mushrooms, 0), open().outdated(&mushrooms, 0)),
            (None, Some(Outdated::Behaviour))
        );

        // Without the data, nobody knows whether it is the same.
        let nowhere = Store::open(folder.path(), None).unwrap();
        assert_eq!((nowhere.get(&mushrooms, 0), nowhere.outdated(&mushrooms, 0)), (None, None));
    }
}
