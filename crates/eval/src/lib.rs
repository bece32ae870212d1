//! Evaluation: figures that are updated with every example of a stream, and the reports made of them.

pub mod examples;
pub mod figures;
pub mod metrics;
pub mod numbers;
pub mod progress;
pub mod progressive;

pub use examples::{Example, Examples};
pub use figures::Figures;
pub use metrics::confusion::Confusion;
pub use numbers::{grouped, percent};
pub use progress::Progress;
pub use progressive::ProgressiveFigures;
