//! Sketched second-order learning: of the whole covariance only m directions are kept, which Oja's rule turns towards
//! those in which the stream varies most.

mod dense_oja;
mod diagonal;
mod factor;
mod knobs;
mod learner;
mod rank_one;
mod small;
mod sparse_oja;
mod waiting;

pub(crate) use dense_oja::DenseOja;
pub(crate) use knobs::Knobs;
pub(crate) use learner::{Form, Sketched};
pub(crate) use sparse_oja::SparseOja;
