//! Model files on disk: never half-written, never half-read.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thalweg_core::Task;
use thalweg_core::model::{Model, ModelError};

use crate::error::{Error, Result};
use crate::features::Prepare;
use crate::known::Known;
use crate::labels::Labels;
use crate::reading::{Naming, Reading};

/// What a model remembers of how its data is read, so that nobody has to say it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// How examples are prepared.
    #[serde(flatten)]
    pub prepare: Prepare,
    /// Is every label but the positive one negative?
    pub rest: bool,
    /// How records become features.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reading: Reading,
}

fn is_default(reading: &Reading) -> bool {
    *reading == Reading::default()
}

impl Options {
    /// The options of a model.
    pub fn of(model: &Model) -> Self {
        serde_json::from_value(model.options.clone().into()).unwrap_or_default()
    }

    /// The options of a model as they are to be followed: features that it knows by numbers are numbers in every format.
    #[must_use]
    pub fn told(mut self) -> Self {
        self.reading.naming.get_or_insert(Naming::Numbers);
        self
    }

    /// The form that a model keeps.
    pub fn to_map(&self) -> serde_json::Map<String, serde_json::Value> {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(map)) => map,
            _ => serde_json::Map::new(),
        }
    }

    /// The labels of a model that was written with these options.
    pub fn labels(&self, model: &Model) -> Labels {
        match model.learner.task() {
            Task::Binary => Labels::of_two(&model.labels, self.rest),
            Task::Hinge | Task::Ovr => Labels::of_many(&model.labels),
        }
    }
}

/// Writes the model so that whoever opens the path finds either the old file or the whole new one: into a temporary
/// file beside it, to the disk, and then under its name. Returns the number of bytes.
pub fn save(model: &Model, path: &Path) -> Result<u64> {
    let bytes = model.to_bytes();
    write(&bytes, path).map_err(|cause| failed(path, cause))?;
    Ok(bytes.len() as u64)
}

/// Reads a model, and what is known of its features.
pub fn load(path: &Path) -> Result<(Model, Known)> {
    let bytes = fs::read(path).map_err(|cause| failed(path, cause))?;
    let damaged = |cause| Error::Model { path: path.to_path_buf(), cause };
    let model = Model::from_bytes(&bytes).map_err(damaged)?;
    let Options { reading, prepare, .. } = Options::of(&model);
    let known = Known::read(&reading, prepare, &model.sections);
    let known = known.map_err(|cause| damaged(ModelError::State(cause.to_string())))?;
    Ok((model, known))
}

/// Says early, before hours of training, that a model could not be written to the path.
pub fn check_writable(path: &Path) -> Result<()> {
    let folder = folder(path);
    let problem = match fs::metadata(&folder) {
        Err(cause) => Some(cause),
        Ok(found) if !found.is_dir() => Some(io::Error::other("its folder is not a folder")),
        Ok(_) if path.is_dir() => Some(io::Error::other("it is a directory")),
        Ok(_) => None,
    };
    problem.map_or(Ok(()), |cause| Err(failed(path, cause)))
}

fn write(bytes: &[u8], path: &Path) -> io::Result<()> {
    // A device or pipe (/dev/null, /dev/stdout) must be written to, not replaced by a file.
    if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    // A link stays a link: the file that it leads to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = folder(&path);
    let mut file = beside(&path)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|e| e.error)?;
    // The new name is on the disk only once the folder is. Not every system can do this, and the file itself is safe.
    let _ = File::open(&folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// A temporary file in the folder of a file that it will become.
pub(crate) fn beside(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".thalweg-").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // less the umask, as any new file
    builder.tempfile_in(folder(path))
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn failed(path: &Path, cause: io::Error) -> Error {
    Error::Io { file: path.display().to_string(), cause }
}

#[cfg(test)]
mod tests {
    use thalweg_core::cost::Costs;
    use thalweg_core::learners;

    use super::*;

    fn model() -> Model {
        let learner = learners::build("arow", Costs::default()).unwrap();
        Model {
            learner,
            options: serde_json::Map::new(),
            labels: vec!["a".into(), "b".into()],
            sections: thalweg_core::model::Sections::new(),
        }
    }

    #[test]
    fn saving_replaces_the_file_and_leaves_nothing_else_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.thw");
        fs::write(&path, "old").unwrap();
        save(&model(), &path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), model().to_bytes());
        assert_eq!(load(&path).unwrap().0.labels, ["a", "b"]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_a_device_stays_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("m.thw"), folder.path().join("current.thw"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        save(&model(), &link).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(load(&file).is_ok());
        save(&model(), Path::new("/dev/null")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn errors_name_the_file() {
        let error = |path: &str| load(Path::new(path)).err().unwrap().to_string();
        assert!(error("/nowhere/m.thw").starts_with("/nowhere/m.thw: "));
        assert!(error("Cargo.toml").starts_with("Cargo.toml: not a Thalweg model"));
        assert!(check_writable(Path::new("/nowhere/m.thw")).is_err());
    }
}
