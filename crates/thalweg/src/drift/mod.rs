//! Has the stream changed? A monitor watches the losses and says when they have become larger.

mod adwin;
mod monitor;

pub use adwin::{Adwin, Increase};
pub use monitor::{Alarm, DriftMonitor};
