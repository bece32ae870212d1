//! Outcomes that are known already, in a file that grows by a line for each: so an interrupted run goes on where it stopped.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thalweg_core::REAL;

use super::ReproduceError;
use super::configuration::Configuration;
use super::outcome::Outcome;

/// Outcomes that are known already.
#[derive(Debug, Default)]
pub struct Store {
    known: HashMap<String, Outcome>,
    file: Option<(PathBuf, File)>,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    run: String,
    outcome: Outcome,
}

/// All that an outcome depends on: what is run, which repetition, and the program's numbers.
fn key(configuration: &Configuration, repetition: usize) -> String {
    format!("{configuration} #{repetition} {} {REAL}", env!("CARGO_PKG_VERSION"))
}

impl Store {
    /// A store that forgets.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// The store of a folder, which is made if it is not there. A last line that was cut off is dropped.
    pub fn open(folder: &Path) -> Result<Self, ReproduceError> {
        let path = folder.join("outcomes.jsonl");
        let failed = |cause| ReproduceError::Io { file: path.display().to_string(), cause };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut known = HashMap::new();
        for (i, line) in text[..whole].lines().enumerate() {
            let line: Line = serde_json::from_str(line).map_err(|error| ReproduceError::Stored {
                file: path.display().to_string(),
                line: i + 1,
                error: error.to_string(),
            })?;
            known.insert(line.run, line.outcome);
        }
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
        Ok(Self { known, file: Some((path, file)) })
    }

    /// The outcome of a repetition, if it is known.
    pub fn get(&self, configuration: &Configuration, repetition: usize) -> Option<&Outcome> {
        self.known.get(&key(configuration, repetition))
    }

    /// Remembers an outcome.
    pub fn put(
        &mut self,
        configuration: &Configuration,
        repetition: usize,
        outcome: Outcome,
    ) -> Result<(), ReproduceError> {
        let line = Line { run: key(configuration, repetition), outcome };
        if let Some((path, file)) = &mut self.file {
            let failed = |cause| ReproduceError::Io { file: path.display().to_string(), cause };
            let text = serde_json::to_string(&line).map_err(|error| failed(error.into()))?;
            file.write_all(format!("{text}\n").as_bytes()).map_err(failed)?;
        }
        self.known.insert(line.run, line.outcome);
        Ok(())
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
        let mut store = Store::open(folder.path()).unwrap();
        store.put(&configuration("perceptron"), 3, outcome(0.1)).unwrap();
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(store.get(&configuration("perceptron"), 3), Some(&outcome(0.1)));
        assert_eq!(store.get(&configuration("perceptron"), 4), None);
        assert_eq!(store.get(&configuration("romma"), 3), None);
    }

    #[test]
    fn a_line_that_was_cut_off_is_dropped_and_a_damaged_one_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path()).unwrap();
        store.put(&configuration("perceptron"), 0, outcome(1.0)).unwrap();
        let file = folder.path().join("outcomes.jsonl");
        let whole = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{whole}{{\"run\":\"x")).unwrap();
        let mut store = Store::open(folder.path()).unwrap();
        store.put(&configuration("romma"), 0, outcome(2.0)).unwrap();
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(store.get(&configuration("romma"), 0), Some(&outcome(2.0)));
        std::fs::write(&file, format!("nonsense\n{whole}")).unwrap();
        let error = Store::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("outcomes.jsonl:1:"), "{error}");
    }
}
