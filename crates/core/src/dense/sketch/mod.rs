//! Sketched second-order learning: of the whole covariance only m directions are kept, which Oja's rule turns towards
//! those in which the stream varies most.

mod dense_oja;
mod learner;
mod small;
mod sparse_oja;

pub(crate) use dense_oja::DenseOja;
pub(crate) use learner::{Form, Knobs, Sketched};
pub(crate) use sparse_oja::SparseOja;
