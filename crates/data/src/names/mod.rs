//! Names of features, and their numbers.

pub(crate) mod eviction;
pub(crate) mod hashed;
pub(crate) mod shared_names;
pub(crate) mod vocabulary;

pub use eviction::{NewNumbers, Room};
pub use hashed::{Collisions, Hashed};
pub use vocabulary::{Damage, Vocabulary};
