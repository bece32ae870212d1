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

pub mod bad;
pub mod cache;
mod chunks;
mod compression;
pub mod description;
mod error;
mod familiar;
pub mod features;
mod file_id;
mod finish;
pub mod formats;
pub mod generate;
pub mod hashed;
mod interactions;
mod interrupt;
mod known;
pub mod labels;
mod limit;
mod lines;
mod memory;
pub mod model_file;
pub mod names;
mod output_file;
mod pipeline;
mod portion;
mod reader;
pub mod reading;
mod records;
mod regular_file;
pub mod room;
mod rows;
pub mod scales;
mod source;
mod stream;
pub mod urls;
pub mod words;
mod writer;

pub use cache::Cache;
pub use error::{Error, Fault, Place, Result};
pub use file_id::FileId;
pub use interactions::{NotAPair, check_pair};
pub use interrupt::Interrupt;
pub use known::Known;
pub use labels::Labels;
pub use limit::MemoryLimit;
pub use memory::Memory;
pub use output_file::{Access, OutputFile, is_stdout};
pub use reader::{Census, Purpose, Reader, Settings, open};
pub use source::Input;
pub use writer::{Meaning, Writer};
