//! From bytes to batches: source → chunks → format → labels and feature preparation → [`Batch`](thalweg_core::Batch).
//!
//! ```no_run
//! use thalweg_core::Batch;
//! use thalweg_data::{Reader, Settings, open};
//!
//! let mut reader = open(&["spam.svm.zst".into()], Settings::default())?;
//! let mut batch = Batch::default();
//! while reader.read(&mut batch)? {
//!     println!("{} examples", batch.len());
//! }
//! # Ok::<(), thalweg_data::Error>(())
//! ```

pub mod cache;
mod error;
pub mod examples;
pub mod expand;
mod feature_state;
mod files;
mod formats;
mod interrupt;
pub mod labels;
mod limit;
pub mod names;
mod open;
pub mod ordered_map;
pub mod prepare;
mod records;
mod registry;
mod source;
mod split;
pub mod stream;
mod write;

pub use cache::Cache;
pub use error::{Error, Fault, Place, Result};
pub use examples::Reading;
pub use expand::{NotAPair, check_pair};
pub use feature_state::FeatureState;
pub use files::file_id::FileId;
pub use files::output_file::{Access, OutputFile, is_stdout};
pub use interrupt::Interrupt;
pub use labels::Labels;
pub use limit::MemoryLimit;
pub use names::{FeatureNames, Naming};
pub use open::{Settings, open};
pub use prepare::{Norm, Prepare, Scale};
pub use records::{RecordReader, RecordScorer, ScoringPiece};
pub use registry::Format;
pub use source::input::Input;
pub use stream::in_memory::InMemory;
pub use stream::position::{Fingerprint, Position};
pub use stream::reader::{ExampleUse, ReadCounts, Reader};
pub use write::{Dictionary, Writer};
