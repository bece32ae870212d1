#![doc = include_str!("../README.md")]

mod calibration;
mod columns;
mod config;
mod contradiction;
mod decision;
mod description;
mod drift;
mod drift_watch;
mod error;
mod examples;
mod explanation;
mod feature_curve;
mod first_look;
mod holdout;
mod label_budget;
mod label_order;
mod merge;
mod model;
pub mod observer;
mod predictor;
mod read_all;
mod report;
mod score_use;
mod scoring;
mod seen_features;
mod selection;
mod threshold;
mod track;
mod trainer;
mod weighted_labels;

pub use calibration::Calibrator;
pub use columns::{ColumnKind, kinds_of_columns};
pub use config::{Config, DEFAULT_LEARNER, MeasuredIn, Multiclass, cores};
pub use decision::Decision;
pub use description::{DescribedData, Description, Spread, describe};
pub use drift::{Adwin, Alarm, DriftMonitor, Increase};
pub use drift_watch::DriftAction;
pub use error::{ConfigError, Error, Result};
pub use examples::Examples;
pub use explanation::{Contribution, Explanation};
pub use feature_curve::{CurvePoint, FeatureCurve, feature_curve};
pub use holdout::Holdout;
pub use label_order::LongRuns;
pub use merge::{Delta, DeltaError, learn_shard, merge_deltas, train_shards};
pub use model::Model;
pub use observer::Observer;
pub use predictor::{Predictions, Predictor};
pub use read_all::{AllExamples, read_all};
pub use report::{
    Contender, CostOfClass, Curves, DecisionReport, EvalReport, FiguresOf, LabelsUsed, RaceReport, Saved,
    Seconds, TrainReport,
};
pub use scoring::Scored;
pub use selection::{ChosenFeature, Reduced, Selection};
pub use threshold::{Target, TargetError, TargetStatus, ThresholdTuner};
pub use track::Track;
pub use trainer::{Learned, Trainer};

pub use thalweg_core::learners;
pub use thalweg_core::model::ModelError;
pub use thalweg_core::{Batch, Class, ClassCost, Costs, Learner, Task};
pub use thalweg_data::expand::Value as TextValues;
pub use thalweg_data::stream::{BadLine, BadLineLimit, Milestones};
pub use thalweg_data::{Encoding, Format, Input, Interrupt, Labels, Norm, OutputFile, Position, Scale};
