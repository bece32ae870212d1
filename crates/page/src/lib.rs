#![doc = include_str!("../README.md")]

mod calibration;
mod chart;
mod confusion;
mod document;
mod experiment;
mod features;
mod not_shown;
pub mod operating;
pub mod page;
mod progress;
mod shell;
mod threshold;

pub(crate) use thalweg_figures::{axis, number, text};

pub use document::html;
pub use experiment::{Experiment, Part, experiment_html};
pub use page::{
    Assessment, CalibrationBin, ClassFigures, Confusion, Costs, Curve, CurvePoint, CurveValue, Feature,
    Figure, Kind, Metric, Note, OperatingPoint, Page, Row, Severity, Thresholds, Unit,
};
