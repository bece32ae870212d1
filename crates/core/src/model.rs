//! The model file's bytes: a text line with the version, a JSON line that anybody can read, the cells, a checksum.
//!
//! ```text
//! thalweg model 3\n
//! {"program":"thalweg 0.1.0","learner":"ssol:eta=1,...","options":{...},"labels":["ham","spam"],...}\n
//! cells: little-endian, `cells` bytes long
//! sections: names of features and whatever else the front end wrote, as long as `sections` says
//! CRC-32 of everything before it, little-endian
//! ```
//!
//! `head -n 2 spam.thw` shows what a model is. The same learner in the same state has the same bytes.

use std::collections::BTreeMap;
use std::ops::Deref;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::REAL;
use crate::cell::Number;
use crate::class_costs::ClassWeights;
use crate::cost::Costs;
use crate::learner::{Inspect, Learner, Persist, Setup, StateError, Task};
use crate::learners::{self, BuildError};

/// The version that this program writes, and the only one that it reads.
pub const VERSION: u32 = 3;
const MAGIC: &str = "thalweg model ";

/// What a model says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The program that wrote it.
    pub program: String,
    /// The learner with all knobs.
    pub learner: String,
    /// Two classes, or many and how.
    pub task: Task,
    /// The costs that it learned with.
    pub costs: Costs,
    /// The half-life of what it learned, if it forgets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forget: Option<f64>,
    /// The weights of many classes that it learned with.
    #[serde(default, skip_serializing_if = "ClassWeights::are_equal")]
    pub class_weights: ClassWeights,
    /// How examples were prepared, and whatever else a front end wants to keep.
    pub options: Map<String, Value>,
    /// The classes' names; of two classes the negative one first.
    pub labels: Vec<String>,
    /// Features with a trace in the model.
    pub features: u64,
    /// Weights that are not zero.
    pub nonzeros: u64,
    /// Counts, clocks and sums.
    pub state: Value,
    /// The precision of the numbers in the cells.
    pub real: String,
    /// Bytes of cells that follow.
    pub cells: u64,
    /// Bytes of each section that follows the cells, in this order.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sections: BTreeMap<String, u64>,
}

/// What is in a model file: a learner with everything that is needed to go on with it. Who only writes may borrow the learner.
pub struct ModelFile<L = Box<dyn Learner>> {
    /// The learner.
    pub learner: L,
    /// See [`Header::options`].
    pub options: Map<String, Value>,
    /// See [`Header::labels`].
    pub labels: Vec<String>,
    /// What the front end knows of the features, such as their names, in forms of its own.
    pub sections: Sections,
}

/// Bytes by name.
pub type Sections = BTreeMap<String, Vec<u8>>;

/// Why bytes are not a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The first bytes are something else.
    #[error("not a Thalweg model (it does not begin with \"thalweg model\")")]
    NotAModel,
    /// Written by a program with another format.
    #[error("model format {found}, but this program reads format {VERSION}")]
    Version {
        /// The file's version.
        found: String,
    },
    /// Shorter (or longer) than it says.
    #[error("the model is {found} bytes long but should be {expected}: it was cut short or damaged")]
    Length {
        /// Bytes that there should be.
        expected: u64,
        /// Bytes that there are.
        found: u64,
    },
    /// The checksum does not fit.
    #[error("the model is damaged (its checksum is {found:08x}, its bytes give {computed:08x})")]
    Checksum {
        /// As stored.
        found: u32,
        /// As computed.
        computed: u32,
    },
    /// The JSON line cannot be read.
    #[error("the model's header cannot be read: {0}")]
    Header(String),
    /// f32 and f64 builds do not read each other's cells.
    #[error("the model holds {found} numbers, this program was built for {REAL}")]
    Precision {
        /// The file's precision.
        found: String,
    },
    /// A part of the state is missing or of the wrong kind.
    #[error(transparent)]
    State(#[from] StateError),
    /// An option that this program does not know, or whose value it does not understand.
    #[error("the model's options cannot be read: {0}")]
    Options(String),
    /// The learner that it names cannot be built.
    #[error("the model's learner cannot be built: {0}")]
    Learner(#[from] BuildError),
}

impl<L: Deref<Target: Learner>> ModelFile<L> {
    /// The file's header and the cells behind it.
    fn parts(&self) -> (Header, Vec<u8>) {
        let mut cells = Vec::new();
        self.learner.write_cells(&mut cells);
        (self.header_for(cells.len() as u64), cells)
    }

    /// What the file's header says.
    pub fn header(&self) -> Header {
        self.parts().0
    }

    fn header_for(&self, cells: u64) -> Header {
        Header {
            program: format!("thalweg {}", env!("CARGO_PKG_VERSION")),
            learner: self.learner.spec(),
            task: self.learner.task(),
            costs: self.learner.costs(),
            forget: self.learner.half_life(),
            class_weights: self.learner.class_weights(),
            options: self.options.clone(),
            labels: self.labels.clone(),
            features: self.learner.features() as u64,
            nonzeros: self.learner.nonzeros() as u64,
            state: self.learner.state(),
            real: REAL.to_string(),
            cells,
            sections: self.sections.iter().map(|(name, bytes)| (name.clone(), bytes.len() as u64)).collect(),
        }
    }

    /// The whole file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (header, mut cells) = self.parts();
        let header = serde_json::to_string(&header).expect("numbers and strings are always JSON");
        let mut bytes = format!("{MAGIC}{VERSION}\n{header}\n").into_bytes();
        bytes.append(&mut cells);
        self.sections.values().for_each(|section| bytes.extend_from_slice(section));
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }
}

impl ModelFile {
    /// Reads a whole file. The learner may take any amount of memory: [`Persist::fork_with`] sets a
    /// limit.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let (header, start) = Header::read(bytes)?;
        let parts = header.sections.values().fold(header.cells, |sum, bytes| sum.saturating_add(*bytes));
        let expected = (start as u64).saturating_add(parts).saturating_add(u32::BYTES as u64);
        if bytes.len() as u64 != expected {
            return Err(ModelError::Length { expected, found: bytes.len() as u64 });
        }
        let (content, checksum) = bytes.split_at(bytes.len() - u32::BYTES);
        let (found, computed) = (u32::read(checksum), crc32fast::hash(content));
        if found != computed {
            return Err(ModelError::Checksum { found, computed });
        }
        if header.real != REAL {
            return Err(ModelError::Precision { found: header.real });
        }
        let Header { costs, class_weights, task, forget, .. } = header;
        let setup = Setup { costs, class_weights, task, forget, ..Setup::default() };
        let mut learner = learners::build(&header.learner, &setup)?;
        let (cells, mut rest) = content[start..].split_at(header.cells as usize);
        learner.restore(&header.state, cells)?;
        let mut sections = Sections::new();
        for (name, bytes) in header.sections {
            let (section, after) = rest.split_at(bytes as usize);
            sections.insert(name, section.to_vec());
            rest = after;
        }
        Ok(Self { learner, options: header.options, labels: header.labels, sections })
    }
}

impl Header {
    /// Reads the header from a file's first bytes; also says where the cells begin.
    pub fn read(bytes: &[u8]) -> Result<(Self, usize), ModelError> {
        let rest = bytes.strip_prefix(MAGIC.as_bytes()).ok_or(ModelError::NotAModel)?;
        let version = line(rest).ok_or(ModelError::NotAModel)?;
        if version != VERSION.to_string().as_bytes() {
            let found = String::from_utf8_lossy(&version[..version.len().min(20)]).into_owned();
            return Err(ModelError::Version { found });
        }
        let start = MAGIC.len() + version.len() + 1;
        let json = line(&bytes[start..]).ok_or_else(|| ModelError::Header("it has no end".into()))?;
        let header = serde_json::from_slice(json).map_err(|e| ModelError::Header(e.to_string()))?;
        Ok((header, start + json.len() + 1))
    }
}

fn line(bytes: &[u8]) -> Option<&[u8]> {
    bytes.iter().position(|&b| b == b'\n').map(|end| &bytes[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, Outcomes};

    fn model() -> ModelFile {
        let setup = Setup { costs: Costs { missed: 2.0, ..Costs::default() }, ..Setup::default() };
        let mut learner = learners::build("arow:r=0.5", &setup).unwrap();
        let mut batch = Batch::default();
        batch.push([(3, 1.0), (4_000_000_000, 0.5)], Some(1)).unwrap();
        batch.push([(4, 1.0), (7, 0.5)], Some(0)).unwrap();
        learner.learn(&batch, &mut Outcomes::default()).unwrap();
        ModelFile {
            learner,
            options: Map::new(),
            labels: vec!["ham".into(), "spam\n".into()],
            sections: [("names".into(), b"three four".to_vec()), ("five".into(), b"6".to_vec())].into(),
        }
    }

    #[test]
    fn a_model_reads_back_to_the_same_bytes() {
        let bytes = model().to_bytes();
        let back = ModelFile::from_bytes(&bytes).unwrap();
        assert_eq!(back.to_bytes(), bytes);
        assert_eq!(back.labels, ["ham", "spam\n"]);
        assert_eq!(back.learner.weights(), model().learner.weights());
    }

    #[test]
    fn every_cut_and_every_flipped_byte_is_refused() {
        let bytes = model().to_bytes();
        for end in 0..bytes.len() {
            assert!(ModelFile::from_bytes(&bytes[..end]).is_err(), "cut at {end}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x20;
            assert!(ModelFile::from_bytes(&damaged).is_err(), "flipped byte {at}");
        }
    }

    #[test]
    fn no_damage_that_the_checksum_misses_is_a_crash() {
        let specs = [
            ("arow", Task::Binary),
            ("arow:covariance=full", Task::Binary),
            ("pa1", Task::Hinge),
            ("fobos", Task::Ovr),
            ("sofs:features=3", Task::Binary),
        ];
        for (spec, task) in specs {
            let mut learner = learners::build(spec, &Setup { task, ..Setup::default() }).unwrap();
            let mut batch = Batch::default();
            batch.push([(3, 1.0), (70_000, 0.5)], Some(1)).unwrap();
            batch.push([(4, 1.0), (7, 0.5)], Some(0)).unwrap();
            learner.learn(&batch, &mut Outcomes::default()).unwrap();
            let bytes =
                ModelFile { learner, options: Map::new(), labels: Vec::new(), sections: Sections::new() }
                    .to_bytes();
            let content = bytes.len() - u32::BYTES;
            for at in 0..content {
                for flip in [0x01, 0x10, 0x80] {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= flip;
                    let checksum = crc32fast::hash(&damaged[..content]);
                    damaged[content..].copy_from_slice(&checksum.to_le_bytes());
                    if let Ok(mut model) = ModelFile::from_bytes(&damaged) {
                        model.learner.learn(&batch, &mut Outcomes::default()).unwrap();
                    }
                }
            }
        }
    }

    #[test]
    fn a_model_of_another_kind_is_named() {
        let error = |bytes: &[u8]| ModelFile::from_bytes(bytes).err().unwrap().to_string();
        assert_eq!(error(b"PK\x03\x04"), "not a Thalweg model (it does not begin with \"thalweg model\")");
        assert_eq!(error(b"thalweg model 9\n{}\n"), "model format 9, but this program reads format 3");
        let other = if REAL == "f32" { "f64" } else { "f32" };
        let mut text = model().to_bytes();
        let at = text.windows(11).position(|w| w == format!("\"real\":\"{REAL}").as_bytes()).unwrap();
        text[at + 8..at + 11].copy_from_slice(other.as_bytes());
        let end = text.len() - 4;
        let checksum = crc32fast::hash(&text[..end]);
        text[end..].copy_from_slice(&checksum.to_le_bytes());
        assert_eq!(
            error(&text),
            format!("the model holds {other} numbers, this program was built for {REAL}")
        );
    }
}
