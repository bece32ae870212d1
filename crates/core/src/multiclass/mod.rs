//! Many classes: the papers' 1-of-K hinge loss, or each class against all others.

mod one_of_k;
mod one_versus_rest;

pub(crate) use one_of_k::OneOfK;
pub(crate) use one_versus_rest::OneVersusRest;
