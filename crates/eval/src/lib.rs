#![doc = include_str!("../README.md")]

pub mod calibration;
pub mod chosen;
pub mod confusion;
pub mod curves;
pub mod examples;
pub mod figures;
pub mod metric;
mod metric_set;
pub mod metrics;
pub mod numbers;
pub mod per_class;
pub mod progress;
pub mod progressive;
pub mod totals;

pub use calibration::{Calibration, CalibrationBin};
pub use chosen::{Chosen, MetricError};
pub use confusion::Confusion;
pub use curves::{
    Estimate, Goal, OperatingCurve, OperatingPoint, ScoreHistogram, Scores, TradeOff, trade_off_table,
};
pub use examples::{Example, Examples};
pub use figures::{Figure, Figures};
pub use metric::{Better, Classes, Context, Keeping, Metric};
pub use metrics::{METRICS, choose, find};
pub use numbers::{bytes, counted, grouped, percent};
pub use per_class::ClassFigures;
pub use progress::{Column, Progress};
pub use progressive::ProgressiveFigures;
pub use totals::Totals;
