//! Model files on disk: never half-written, never half-read.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thalweg_core::Task;
use thalweg_core::learner::StateError;
use thalweg_core::model::{Model, ModelError};

use crate::error::{Error, Result};
use crate::examples::reading::Reading;
use crate::feature_state::FeatureState;
use crate::files::output_file::OutputFile;
use crate::labels::classes::Labels;
use crate::names::feature_names::Naming;
use crate::prepare::preparation::Prepare;

/// What a model remembers of how its data is read, so that nobody has to say it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Options {
    /// How examples are prepared.
    #[serde(flatten)]
    pub prepare: Prepare,
    /// Is every label but the positive one negative?
    pub rest: bool,
    /// How records become features.
    #[serde(skip_serializing_if = "is_default")]
    pub reading: Reading,
}

fn is_default(reading: &Reading) -> bool {
    *reading == Reading::default()
}

impl Options {
    /// What a model keeps as its options. One that this program does not know is an error: without it, data would be read in another way
    /// than the model learned it.
    fn read(map: &Map<String, Value>) -> std::result::Result<Self, ModelError> {
        fn part<T: DeserializeOwned>(value: Value) -> std::result::Result<T, ModelError> {
            serde_json::from_value(value).map_err(|cause| ModelError::Options(cause.to_string()))
        }
        let mut map = map.clone();
        let rest = map.remove("rest").map_or(Ok(false), part)?;
        let reading = map.remove("reading").map_or_else(|| Ok(Reading::default()), part)?;
        Ok(Self { prepare: part(map.into())?, rest, reading })
    }

    /// The options of a model as they are to be followed: features that it knows by numbers are numbers in every format.
    #[must_use]
    pub fn told(mut self) -> Self {
        self.reading.naming.get_or_insert(Naming::Numbers);
        self
    }

    /// The form that a model keeps.
    pub fn to_map(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
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

/// Writes the model, and returns the number of bytes. They are read back first: a model that could not be read never takes the place of one that
/// can.
pub fn save(model: &Model, mut file: OutputFile) -> Result<u64> {
    let bytes = model.to_bytes();
    parse(&bytes).map_err(|cause| Error::Unreadable { file: file.name().into(), cause })?;
    file.write_all(&bytes).map_err(|cause| Error::Io { file: file.name().into(), cause })?;
    file.finish()?;
    Ok(bytes.len() as u64)
}

/// A model as it was written, with its options and what is known of its features.
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// How its data is read.
    pub options: Options,
    /// What its features are called, and how large their values are.
    pub feature_state: FeatureState,
}

/// Reads a model.
pub fn load(path: &Path) -> Result<Loaded> {
    let bytes = fs::read(path).map_err(|cause| Error::Io { file: path.display().to_string(), cause })?;
    parse(&bytes).map_err(|cause| Error::Model { path: path.to_path_buf(), cause })
}

fn parse(bytes: &[u8]) -> std::result::Result<Loaded, ModelError> {
    let model = Model::from_bytes(bytes)?;
    let options = Options::read(&model.options)?;
    let feature_state = FeatureState::read(&options.reading, options.prepare, &model.sections);
    let feature_state =
        feature_state.map_err(|cause| ModelError::State(StateError { part: cause.to_string() }))?;
    Ok(Loaded { model, options, feature_state })
}

#[cfg(test)]
mod tests {
    use thalweg_core::{Setup, learners};

    use super::*;
    use crate::files::output_file::Access;

    fn model() -> Model {
        let learner = learners::build("arow", &Setup::default()).unwrap();
        Model {
            learner,
            options: serde_json::Map::new(),
            labels: vec!["a".into(), "b".into()],
            sections: thalweg_core::model::Sections::new(),
        }
    }

    fn save(model: &Model, path: &Path) -> Result<u64> {
        super::save(model, OutputFile::create(path, Access::default())?)
    }

    #[test]
    fn saving_replaces_the_file_and_leaves_nothing_else_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.thw");
        fs::write(&path, "old").unwrap();
        save(&model(), &path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), model().to_bytes());
        assert_eq!(load(&path).unwrap().model.labels, ["a", "b"]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_read_back_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.thw");
        fs::write(&path, "old").unwrap();
        let broken = Model { sections: [("names".into(), vec![1, 2, 3])].into(), ..model() };
        let options = Options {
            reading: Reading { naming: Some(Naming::Names), ..Reading::default() },
            ..Options::default()
        };
        let broken = Model { options: options.to_map(), ..broken };
        let error = save(&broken, &path).unwrap_err().to_string();
        assert!(error.contains("could not be read back, and was not written"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn an_option_that_cannot_be_read_is_an_error() {
        let reading = Reading { text: vec!["body".into()], ..Reading::default() };
        let options = Options { rest: true, reading, ..Options::default() };
        assert_eq!(Options::read(&options.to_map()).unwrap(), options);
        assert_eq!(Options::read(&Map::new()).unwrap(), Options::default());
        for (name, value) in [
            ("bias", serde_json::json!("yes")),
            ("normalize", serde_json::json!("l7")),
            ("rest", serde_json::json!(1)),
            ("colour", serde_json::json!("red")),
            ("reading", serde_json::json!({"text": ["body"], "colour": "red"})),
            ("reading", serde_json::json!({"text": "body"})),
        ] {
            let mut map = options.to_map();
            map.insert(name.into(), value);
            let error = Options::read(&map).unwrap_err().to_string();
            assert!(error.starts_with("the model's options cannot be read: "), "{error}");
        }
    }

    #[test]
    fn errors_name_the_file() {
        let error = |path: &str| load(Path::new(path)).err().unwrap().to_string();
        assert!(error("/nowhere/m.thw").starts_with("/nowhere/m.thw: "));
        assert!(error("Cargo.toml").starts_with("Cargo.toml: not a Thalweg model"));
    }
}
