#![doc = include_str!("../README.md")]

pub mod confusion;
pub mod examples;
pub mod figures;
pub mod metric;
pub mod metrics;
pub mod numbers;
pub mod progress;
pub mod progressive;
pub mod totals;

pub use confusion::Confusion;
pub use examples::{Example, Examples};
pub use figures::{Figure, Figures};
pub use metric::{Classes, Context, Metric};
pub use metrics::METRICS;
pub use numbers::{bytes, counted, grouped, percent};
pub use progress::Progress;
pub use progressive::ProgressiveFigures;
pub use totals::Totals;
