#![doc = include_str!("../README.md")]

pub mod compare;
mod cpu_time;
mod csv_line;
mod data_set;
pub mod grid;
mod order;
mod queue;
pub mod reproduce;
pub mod significance;
mod summary;
pub mod sweep;
mod trial;

pub use csv_line::csv_line;
pub use data_set::DataSet;
pub use order::{Order, OrderError, Orders};
pub use queue::{Done, run_all};
pub use summary::Summary;
pub use trial::{CurvePoint, Trial, TrialResult, milestones};
