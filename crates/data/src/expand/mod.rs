//! One field becomes many features: the words of a text, the parts of a web address, the products of two namespaces.

pub(crate) mod interactions;
pub(crate) mod urls;
pub(crate) mod words;

pub use interactions::{NotAPair, check_pair};
pub use urls::UrlTokenizer;
pub use words::{TextFeatures, Tokenizer, Value};
