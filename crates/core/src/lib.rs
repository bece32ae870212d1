//! The algorithms of Thalweg, and nothing else: no input, no output, no threads.
//!
//! A learner's author writes a [`Rule`]: what one feature remembers (its [`Cell`](cell::Cell)), the weight that
//! follows from it, and how one example moves it. [`Linear`] turns a rule into a [`Learner`], which is all
//! that the rest of the program knows. [`learners::LEARNERS`] lists them.
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
#![deny(unsafe_code)]

pub mod batch;
pub mod batched;
pub mod cell;
pub mod class_table;
mod codec;
pub mod cost;
pub mod dense;
mod fetch;
pub mod gaussian;
pub mod keyed_hash;
mod large_pages;
pub mod learner;
pub mod learners;
pub mod linear;
pub mod loss;
mod member;
pub mod model;
pub mod multiclass;
pub mod outcomes;
mod padded_row;
pub mod params;
mod progress;
pub mod random;
pub mod rate;
mod registry;
pub mod rule;
pub mod seen;
pub mod shrink;
mod slots;
pub mod table;

pub use batch::{BIAS, Batch, Class, Row};
pub use learner::{Inspect, Learner, Persist, Setup, Task, TooLarge, Weight};
pub use linear::Linear;
pub use outcomes::Outcomes;
pub use rule::Rule;
pub use seen::{Seen, Target};

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
