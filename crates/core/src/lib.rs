//! Online learners for classification: sparse, cost-sensitive, second order. No input, no output, no threads.
//!
//! ```
//! use thalweg_core::{Batch, Outcomes, Setup, learners};
//!
//! let mut learner = learners::build("ssol:eta=1,lambda=0.001", &Setup::default()).unwrap();
//! let mut batch = Batch::default();
//! batch.push([(3, 1.0), (7, 0.5)], Some(1)).unwrap();
//! batch.push([(4, 1.0), (7, 0.5)], Some(0)).unwrap();
//!
//! let mut outcomes = Outcomes::default();
//! learner.learn(&batch, &mut outcomes).unwrap(); // scores are from before learning
//! assert_eq!(outcomes.len(), 2);
//! assert!(learner.weights().iter().any(|w| w.feature == 3 && w.value > 0.0));
//! ```
//!
//! # Contents
//!
//! To use a learner:
//!
//! - [`learners`] lists the learners ([`LEARNERS`](learners::LEARNERS)) and builds one from its name and knobs
//!   ([`build`](learners::build)). [`Setup`] has what else a learner is built with: costs, classes, a limit of memory.
//! - [`batch`] holds examples ([`Batch`]), and [`outcomes`] what became of them ([`Outcomes`]).
//! - [`learner`] has the interface of all learners: [`Learner`] learns and scores, [`Inspect`] tells what was learned, and [`Persist`]
//!   stores and copies.
//! - [`model`] is the model file ([`ModelFile`]).
//! - [`cost`] says what errors cost ([`Costs`]).
//! - [`merge`] lets what several learners have learned become one learner.
//!
//! To write a learner:
//!
//! - [`rule`] has the traits that a learner's author implements. A [`Rule`] says what one feature remembers (its
//!   [`Cell`](cell::Cell)), which weight follows from that, and how an example moves it. [`Linear`] turns a rule into a [`Learner`].
//! - [`params!`] declares the knobs of a learner, [`cell!`] what a feature remembers, and [`seen`] has what a rule knows of an example.
//! - [`loss`], [`rate`], [`shrink`] and [`gaussian`] are parts that rules share.
//! - [`dense`] is for rules with a full covariance, and [`batched`] for learners that take their examples by the batch.
//!
//! To store something by feature:
//!
//! - [`table`] has one cell for each feature, and [`keyed_hash`] hash tables for keys that come from data.
//! - [`random`] is the same on every machine.
//! - [`race`] says which of several learners is worse than another, by their losses on the same stream.
//!
//! Numbers of features are [`Real`], which is f32 unless the crate is compiled with `--cfg thalweg_real="f64"`.
#![deny(unsafe_code)]

pub mod batch;
pub mod batched;
pub mod cell;
pub mod class_costs;
mod class_table;
pub mod codec;
mod contest;
pub mod cost;
mod counts;
pub mod dense;
pub mod fetch;
mod forgetting;
pub mod gaussian;
pub mod group;
pub mod keyed_hash;
pub mod large_pages;
pub mod learner;
pub mod learners;
pub mod linear;
pub mod loss;
mod member;
pub mod merge;
pub mod model;
mod multiclass;
pub mod outcomes;
mod padded_row;
pub mod params;
mod progress;
pub mod race;
pub mod radix;
pub mod random;
pub mod rate;
mod registry;
pub mod rule;
pub mod seen;
pub mod shrink;
mod slots;
pub mod step_size;
pub mod table;

pub use batch::{BIAS, Batch, Class, Row};
pub use class_costs::ClassWeights;
pub use cost::{ClassCost, Costs};
pub use learner::{Inspect, Learner, Merge, Persist, Setup, StateError, Task, TooLarge, Weight};
pub use linear::Linear;
pub use model::ModelFile;
pub use outcomes::Outcomes;
pub use rule::Rule;
pub use seen::{Seen, Target};

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// What the macros of this crate need where they are used.
#[doc(hidden)]
pub mod __private {
    pub use serde_json;
}

/// A number of a feature: f32, or f64 if compiled with `--cfg thalweg_real="f64"`. Sums over features are always f64.
#[cfg(not(thalweg_real = "f64"))]
pub type Real = f32;
/// A number of a feature: f32, or f64 if compiled with `--cfg thalweg_real="f64"`. Sums over features are always f64.
#[cfg(thalweg_real = "f64")]
pub type Real = f64;

/// A number of a whole rule in the precision of its cells, at most as large as these can be: infinity times the 0 of a feature never seen
/// would be no number.
#[inline]
pub(crate) fn saturating_real(number: f64) -> Real {
    number.min(f64::from(Real::MAX)) as Real
}

/// The name of [`Real`], as the model file spells it.
pub const REAL: &str = if cfg!(thalweg_real = "f64") { "f64" } else { "f32" };
