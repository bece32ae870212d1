#![doc = include_str!("../README.md")]

mod axis;
mod calibration;
mod chart;
mod confusion;
mod document;
mod features;
mod number;
pub mod operating;
pub mod page;
mod progress;
mod text;
mod threshold;

pub use document::html;
pub use page::{
    Assessment, CalibrationBin, ClassFigures, Confusion, Costs, Curve, CurvePoint, CurveValue, Feature,
    Figure, Kind, Metric, Note, OperatingPoint, Page, Row, Severity, Thresholds, Unit,
};
