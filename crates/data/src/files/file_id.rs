//! Which file a path means, however it is spelled: links, `.` and `..` lead to the same one.

use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// A file, or the place of one that does not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileId {
    /// A file that exists. Hard links to it are the same file.
    Existing(Identity),
    /// A name in a folder that exists.
    Absent(Identity, OsString),
    /// A path that leads nowhere.
    Nowhere(PathBuf),
}

/// Device and inode, or the full path on systems that have none.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

impl FileId {
    /// The file that a path leads to; none if that is a device, a pipe or a folder, which many may use at once.
    pub fn of(path: &Path) -> Option<Self> {
        if let Ok(found) = std::fs::metadata(path) {
            return found.is_file().then(|| Self::Existing(identity(path, &found)));
        }
        let place = std::fs::metadata(folder_of(path)).ok().zip(path.file_name());
        let absent = |(folder, name): (Metadata, &std::ffi::OsStr)| {
            Self::Absent(identity(&folder_of(path), &folder), name.into())
        };
        Some(place.map_or_else(|| Self::Nowhere(path.into()), absent))
    }

    /// The file that is open.
    #[cfg(unix)]
    pub fn of_open(file: &impl std::os::fd::AsFd) -> Option<Self> {
        let file = std::fs::File::from(file.as_fd().try_clone_to_owned().ok()?);
        let found = file.metadata().ok().filter(Metadata::is_file)?;
        Some(Self::Existing(identity(Path::new(""), &found)))
    }
}

#[cfg(unix)]
pub(crate) fn identity(_: &Path, found: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino())
}

#[cfg(not(unix))]
pub(crate) fn identity(path: &Path, _: &Metadata) -> Identity {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_to_a_file_lead_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a"), "").unwrap();
        std::fs::write(path("other"), "").unwrap();
        std::fs::hard_link(path("a"), path("hard")).unwrap();
        std::os::unix::fs::symlink(path("a"), path("soft")).unwrap();
        std::fs::create_dir(path("sub")).unwrap();
        let id = FileId::of(&path("a"));
        for same in ["hard", "soft", "sub/../a"] {
            assert_eq!(FileId::of(&path(same)), id, "{same}");
        }
        assert_ne!(FileId::of(&path("other")), id);
        assert_eq!(FileId::of(&path("new")), FileId::of(&path("sub/../new")));
        assert_ne!(FileId::of(&path("new")), FileId::of(&path("sub/new")));
        assert_eq!(FileId::of(Path::new("/dev/null")), None);
        assert_eq!(FileId::of_open(&std::fs::File::open(path("hard")).unwrap()), id);
    }
}
