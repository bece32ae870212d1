//! What a cache was made of, and where it is to be.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use thalweg_core::Real;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
use crate::files::output_file::{Access, OutputFile};
use crate::files::regular_file::RegularFile;
use crate::names::shared_names::SharedNames;

/// Counts up with every change of the form.
const VERSION: u32 = 8;

/// What a cache was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    version: u32,
    /// Bytes of a number.
    real: usize,
    /// The source's size, and when it was changed last (nanoseconds since 1970).
    size: u64,
    modified: u128,
    /// Which file it is, and when anything of it was changed, where the system tells. Who copies or moves a file may keep its age, but
    /// cannot keep these.
    identity: (u64, u64, i64, i64),
    /// The hash of some of its bytes.
    sample: u64,
    /// How it was read.
    how: String,
}

impl Origin {
    /// The source as it is now; nothing if it is not a file.
    pub(crate) fn of(source: &Path, how: &str) -> Option<Self> {
        let found = fs::metadata(source).ok().filter(Metadata::is_file)?;
        let modified = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        let sample = sample(&mut RegularFile::open(source)?, found.len()).ok()?;
        let (version, real, size) = (VERSION, size_of::<Real>(), found.len());
        Some(Self { version, real, size, modified, identity: identity(&found), sample, how: how.into() })
    }

    /// Has the source not changed?
    pub(crate) fn is_still(&self, source: &Path) -> bool {
        Self::of(source, &self.how).as_ref() == Some(self)
    }

    /// Can this program read what was made of it?
    pub(super) fn is_readable(&self) -> bool {
        (self.version, self.real) == (VERSION, size_of::<Real>())
    }

    pub(super) fn into_how(self) -> String {
        self.how
    }
}

#[cfg(unix)]
fn identity(found: &Metadata) -> (u64, u64, i64, i64) {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino(), found.ctime(), found.ctime_nsec())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64, i64, i64) {
    (0, 0, 0, 0)
}

/// The hash of the beginning, the end and some places between them: less than a millisecond, whatever the size.
fn sample(file: &mut RegularFile, size: u64) -> io::Result<u64> {
    const ENDS: u64 = 1 << 16;
    const BETWEEN: (u64, u64) = (16, 1 << 12);
    let mut bytes = Vec::new();
    let mut take = |at: u64, length: u64| {
        let start = bytes.len();
        bytes.resize(start + length as usize, 0);
        let count = file.read(at, &mut bytes[start..])?;
        bytes.truncate(start + count);
        Ok::<_, io::Error>(())
    };
    take(0, ENDS)?;
    for i in 1..=BETWEEN.0 {
        take(size / (BETWEEN.0 + 1) * i, BETWEEN.1)?;
    }
    take(size.saturating_sub(ENDS), ENDS)?;
    Ok(xxh3_64(&bytes))
}

/// Where something is to be stored, and what it was made of.
#[derive(Debug)]
pub(crate) struct CacheDestination {
    pub(super) path: PathBuf,
    pub(crate) origin: Origin,
    source: PathBuf,
    /// The names of the source so far, for those who parse pieces of it.
    pub(super) names: SharedNames,
    /// Was it asked for by name? Otherwise, data can be read without it.
    pub(crate) required: bool,
    given_up: AtomicBool,
}

impl CacheDestination {
    pub(crate) fn new(path: PathBuf, source: &Path, origin: Origin, required: bool) -> Self {
        let (names, given_up) = (SharedNames::default(), AtomicBool::new(false));
        Self { path, origin, source: source.into(), names, required, given_up }
    }

    /// It cannot be stored there: nobody need prepare for it any more.
    pub(crate) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// A file in the making, which nobody can read who cannot read the source. One that stands where the user said is as any other that
    /// is made of the source; one beside it is as the source is.
    pub(super) fn create(&self) -> Result<OutputFile> {
        let failed = |cause| Error::Io { file: self.path.display().to_string(), cause };
        let source = fs::metadata(&self.source).map_err(failed)?;
        let beside = !self.required;
        if beside && let Ok(old) = File::open(&self.path) {
            // A file that is replaced hands on who may read it.
            let _ = make_like(&old, &source);
        }
        let file = OutputFile::create(&self.path, Access::default().and_like(&self.source))?;
        if let Some(new) = file.as_file().filter(|_| beside) {
            make_like(new, &source).map_err(failed)?;
        }
        Ok(file)
    }
}

/// Gives a file the mode of another, and its owner as far as that is permitted.
#[cfg(unix)]
fn make_like(file: &File, source: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let _ = fchown(file, Some(source.uid()), Some(source.gid()))
        .or_else(|_| fchown(file, None, Some(source.gid())));
    let others = source.mode() & 0o007;
    let group = if file.metadata()?.gid() == source.gid() { source.mode() & 0o070 } else { others << 3 };
    file.set_permissions(PermissionsExt::from_mode(0o600 | group | others))
}

#[cfg(not(unix))]
fn make_like(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::FileTimes;

    use super::*;

    /// As `touch -r`, `mv` and `rsync -t` do.
    #[test]
    fn a_source_of_equal_size_and_age_is_another_source() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svm");
        fs::write(&path, "1 1:1\n").unwrap();
        let (before, age) =
            (Origin::of(&path, "").unwrap(), fs::metadata(&path).unwrap().modified().unwrap());
        assert!(before.is_still(&path));
        fs::write(&path, "1 2:1\n").unwrap();
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_times(FileTimes::new().set_modified(age))
            .unwrap();
        let after = Origin::of(&path, "").unwrap();
        assert_eq!((before.size, before.modified), (after.size, after.modified));
        assert_ne!(before.sample, after.sample);
        assert!(cfg!(not(unix)) || before.identity != after.identity);
        assert!(!before.is_still(&path));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_private_stays_private() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svm");
        fs::write(&path, "1 1:1\n").unwrap();
        let cache = folder.path().join("b");
        for (mode, expected) in [(0o600, 0o600), (0o640, 0o640), (0o400, 0o600), (0o666, 0o666)] {
            for old in [None, Some(0o600), Some(0o644)] {
                let _ = fs::remove_file(&cache);
                if let Some(old) = old {
                    fs::write(&cache, "").unwrap();
                    fs::set_permissions(&cache, fs::Permissions::from_mode(old)).unwrap();
                }
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
                let origin = Origin::of(&path, "").unwrap();
                let made = CacheDestination::new(cache.clone(), &path, origin, false).create().unwrap();
                assert_eq!(made.as_file().unwrap().metadata().unwrap().mode() & 0o777, expected);
                assert!(old.is_none() || fs::metadata(&cache).unwrap().mode() & 0o777 == expected);
            }
        }
    }
}
