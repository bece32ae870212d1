#![doc = include_str!("../README.md")]

pub mod axis;
mod look;
mod marker;
pub mod number;
mod plot;
pub mod text;
mod unit;

pub use axis::{Axis, Scale};
pub use look::{Dash, Hue, Look, looks};
pub use marker::{Fill, Marker, Shape};
pub use plot::{Plot, Point, STYLE, Series, Spread};
pub use unit::Unit;
