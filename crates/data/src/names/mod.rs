//! Names of features, and their numbers.

pub(crate) mod eviction;
pub(crate) mod feature_names;
pub(crate) mod hashed;
pub(crate) mod input_names;
pub(crate) mod name_list;
mod name_slots;
mod name_store;
pub(crate) mod name_table;
pub(crate) mod piece_names;
pub(crate) mod shared_names;
pub(crate) mod vocabulary;

pub use eviction::{Eviction, NewNumbers};
pub use feature_names::{FeatureNames, Naming};
pub use hashed::Hashed;
pub use vocabulary::{Damage, Vocabulary};
