//! Where caches are.

use std::path::{Path, PathBuf};

/// Where what was read is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// Nowhere.
    #[default]
    No,
    /// In a file beside each input, which is read instead of it as long as the input is the same.
    Beside,
    /// In this file, made anew, from the only input.
    At(PathBuf),
}

/// How the names of caches end.
pub const ENDING: &str = ".thwcache";

/// Where the cache of a file is.
pub fn path_of(source: &Path) -> PathBuf {
    let mut name = source.as_os_str().to_owned();
    name.push(ENDING);
    name.into()
}
