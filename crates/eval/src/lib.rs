//! From scores to knowledge: figures that grow with the stream (test, then train) and the reports made of them.

pub mod metrics;
pub mod prequential;
pub mod report;
pub mod sink;

pub use metrics::confusion::Confusion;
pub use prequential::Prequential;
pub use report::{Figures, Progress, grouped, percent};
pub use sink::Sink;
