//! Data that has been read before, in a form that is read again in a fraction of the time.
//!
//! A cache file holds parsed pieces, just as reading the source gave them: examples in columns, labels as written, bad lines. So what is
//! learned from it, and what is said about it, is the same to the last bit. How examples are prepared is not part of
//! it; how they were read is, and so is what the source was (size, age, identity, some of its bytes): where one of these has changed, the
//! cache is made anew. A cache is for the eyes of those who may see its source.
//!
//! Names of features are numbered as they come in the input, and each stands where it comes first: what is read from a cache are numbers. Which numbers
//! the stream has for these names is found out once (`InputNames`).
//!
//! A cache that is damaged, beside a source that is not, is made anew too. Blocks have checksums, and each is checked when it is its turn;
//! where one is wrong, the source is read instead, from the example on that is next. To check all of them before the first is used would
//! read every cache twice.
//!
//! ```text
//! magic, header length, header (postcard), checksum
//! block: length, checksum, parsed piece        as often as there are pieces
//! 0, 0, magic of the end                       a file without it was never finished
//! ```

mod block;
mod file;
pub(crate) mod input_pieces;
pub(crate) mod location;
mod origin;
mod packed;
pub(crate) mod piece_reader;
pub(crate) mod upkeep;

pub use location::{Cache, ENDING, path_of};
