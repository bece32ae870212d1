//! What the scores of two classes say at every threshold.
//!
//! [`ScoreHistogram`] keeps the scores of a stream in constant memory, [`KeptScores`] those of test data as they are, and
//! [`Scores`] is one of the two. Areas under curves, operating points and the best threshold follow from either.

mod area;
mod goal;
mod groups;
mod histogram;
mod kept;
mod operating;
mod scores;
mod trade_off;

pub use area::Estimate;
pub use goal::Goal;
pub use groups::{Group, Groups};
pub use histogram::ScoreHistogram;
pub use kept::KeptScores;
pub use operating::{OperatingCurve, OperatingPoint};
pub use scores::Scores;
pub use trade_off::{TradeOff, trade_off_table};
