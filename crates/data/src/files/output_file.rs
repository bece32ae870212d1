//! Files that take their name when they are whole, and not before.
//!
//! Bytes go to a temporary file in the same folder, which replaces the old file at the end. So whoever opens the path finds the whole old file
//! or the whole new one, and a run that fails or is killed leaves the old one as it was. While a run lasts it locks the file that it
//! will replace: a second run that wants to replace it is told at once, and not by the loss of what it learned.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::NamedTempFile;

use crate::error::{Error, Result};
use crate::files::file_id::{FileId, folder_of};

/// A file in the making.
pub struct OutputFile {
    name: String,
    target: Target,
}

enum Target {
    Stdout(io::Stdout),
    /// A device or a pipe is written to, not replaced.
    Device(File),
    /// The file replaces what `path` was.
    Replacement {
        file: NamedTempFile,
        path: PathBuf,
        old: Option<Version>,
        _lock: Option<File>,
    },
}

/// What a file was at some time.
#[derive(Debug, PartialEq)]
struct Version {
    id: Option<FileId>,
    length: u64,
    modified: Option<SystemTime>,
}

impl Version {
    fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self { id: FileId::of(path), length: found.len(), modified: found.modified().ok() })
    }
}

/// Who may read a file that did not exist before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    mode: u32,
}

impl Default for Access {
    /// Whoever the system lets read any new file.
    fn default() -> Self {
        Self { mode: 0o666 }
    }
}

impl Access {
    /// Those who may also read this file: what is made of private data is private.
    #[must_use]
    pub fn and_like(self, path: &Path) -> Self {
        #[cfg(unix)]
        if let Ok(found) = fs::metadata(path)
            && found.is_file()
        {
            use std::os::unix::fs::PermissionsExt;
            return Self { mode: self.mode & (found.permissions().mode() | 0o600) };
        }
        self
    }
}

/// `-` is standard output.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

impl OutputFile {
    /// Begins a file. What would keep it from being written is found now, and not when the work is done.
    pub fn create(path: &Path, access: Access) -> Result<Self> {
        let name = path.display().to_string();
        let target = if is_stdout(path) { Ok(Target::Stdout(io::stdout())) } else { open(path, access) };
        target
            .map(|target| Self { name: name.clone(), target })
            .map_err(|cause| Error::Io { file: name, cause })
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file that will replace another, if it is one.
    pub(crate) fn as_file(&self) -> Option<&File> {
        match &self.target {
            Target::Replacement { file, .. } => Some(file.as_file()),
            Target::Stdout(_) | Target::Device(_) => None,
        }
    }

    /// Writes all to the disk and gives the file its name.
    pub fn finish(mut self) -> Result<()> {
        let name = std::mem::take(&mut self.name);
        self.try_finish(true).map_err(|cause| Error::Io { file: name, cause })
    }

    /// The same for what can be made again: nobody waits until it is on the disk.
    pub(crate) fn finish_soon(mut self) -> Result<()> {
        let name = std::mem::take(&mut self.name);
        self.try_finish(false).map_err(|cause| Error::Io { file: name, cause })
    }

    fn try_finish(mut self, sync: bool) -> io::Result<()> {
        self.flush()?;
        let Target::Replacement { file, path, old, _lock } = self.target else { return Ok(()) };
        if sync {
            file.as_file().sync_all()?;
        }
        if Version::of(&path) != old {
            return Err(io::Error::other(
                "another program has changed it since this run began; it stays as it is now",
            ));
        }
        file.persist(&path).map_err(|e| e.error)?;
        if sync {
            // The new name is on the disk only once the folder is. Not every system can do this, and the file itself is safe.
            let _ = File::open(folder_of(&path)).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Stdout(out) => out.write(bytes),
            Target::Device(file) => file.write(bytes),
            Target::Replacement { file, .. } => file.write(bytes),
        }
    }

    fn write_vectored(&mut self, parts: &[io::IoSlice<'_>]) -> io::Result<usize> {
        match &mut self.target {
            Target::Stdout(out) => out.write_vectored(parts),
            Target::Device(file) => file.write_vectored(parts),
            Target::Replacement { file, .. } => file.write_vectored(parts),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Stdout(out) => out.flush(),
            Target::Device(file) => file.flush(),
            Target::Replacement { file, .. } => file.flush(),
        }
    }
}

fn open(path: &Path, access: Access) -> io::Result<Target> {
    let found = match fs::metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return match fs::symlink_metadata(path) {
                Ok(_) => Err(io::Error::other("it is a link to a file that does not exist")),
                Err(_) => replacement(path, access, None, None),
            };
        }
        other => other?,
    };
    if found.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    // The system follows links here, and refuses those that it does not trust. What may not be written is not replaced, either.
    let old = File::options().write(true).open(path)?;
    if !found.is_file() {
        return Ok(Target::Device(old));
    }
    let path = fs::canonicalize(path)?;
    let lock = lock(&path, old)?;
    replacement(&path, access, Version::of(&path), Some(lock))
}

/// Locks a file that is to be replaced.
fn lock(path: &Path, mut file: File) -> io::Result<File> {
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("another run is writing to it; try again when it has ended"));
            }
            // Not every file system has locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // The run that held the lock before may have put another file here.
        if is_at(path, &file) {
            return Ok(file);
        }
        file = File::options().write(true).open(path)?;
    }
}

#[cfg(unix)]
fn is_at(path: &Path, file: &File) -> bool {
    FileId::of(path) == FileId::of_open(file)
}

#[cfg(not(unix))]
fn is_at(_: &Path, _: &File) -> bool {
    true
}

fn replacement(path: &Path, access: Access, old: Option<Version>, lock: Option<File>) -> io::Result<Target> {
    let folder = folder_of(path);
    let file = temporary_file(&folder, access)?;
    #[cfg(unix)]
    if let Some(old) = &lock {
        use std::os::unix::fs::{MetadataExt, fchown};
        let (old, new) = (old.metadata()?, file.as_file().metadata()?);
        if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
            // Only the administrator may give files away; for others the new file is their own.
            let _ = fchown(file.as_file(), Some(old.uid()), Some(old.gid()));
        }
        file.as_file().set_permissions(old.permissions())?;
    }
    Ok(Target::Replacement { file, path: path.into(), old, _lock: lock })
}

const PREFIX: &str = ".thalweg-";
const SUFFIX: &str = ".tmp";

/// A temporary file, locked as long as this run lives; those that dead runs left in the folder are removed.
fn temporary_file(folder: &Path, access: Access) -> io::Result<NamedTempFile> {
    // The system's own words, without the temporary name.
    fs::metadata(folder)?;
    remove_leftovers(folder);
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(access.mode)); // less the umask, as any new file
    #[cfg(not(unix))]
    let _ = access;
    loop {
        let file = builder.tempfile_in(folder).map_err(|e| io::Error::from(e.kind()))?;
        let _ = file.as_file().try_lock();
        // Another run may have taken it for a leftover before it was locked.
        if is_at(file.path(), file.as_file()) {
            return Ok(file);
        }
    }
}

/// Removes temporary files that nobody has locked: their runs were killed.
fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        if ours
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn written(path: &Path, access: Access, text: &str) -> std::result::Result<(), String> {
        let write = || {
            let mut file = OutputFile::create(path, access)?;
            file.write_all(text.as_bytes()).unwrap();
            file.finish()
        };
        write().map_err(|error| error.to_string())
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_file_has_its_name_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        let mut file = OutputFile::create(&path, Access::default()).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        written(&path, Access::default(), "new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn two_runs_do_not_write_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        // Neither knows of the other while the file does not exist: the second to end is told.
        let [first, second] = [0, 1].map(|_| OutputFile::create(&path, Access::default()).unwrap());
        first.finish().unwrap();
        let error = second.finish().unwrap_err().to_string();
        assert!(error.contains("another program has changed it"), "{error}");
        let first = OutputFile::create(&path, Access::default()).unwrap();
        let error = written(&path, Access::default(), "").unwrap_err();
        assert!(error.contains("another run is writing to it"), "{error}");
        drop(first);
        written(&path, Access::default(), "").unwrap();
    }

    #[test]
    fn what_dead_runs_left_is_removed_and_what_living_ones_need_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let leftover = folder.path().join(".thalweg-dead.tmp");
        fs::write(&leftover, "half").unwrap();
        let mut living = OutputFile::create(&folder.path().join("a"), Access::default()).unwrap();
        written(&folder.path().join("b"), Access::default(), "b").unwrap();
        assert!(!leftover.exists());
        living.write_all(b"a").unwrap();
        living.finish().unwrap();
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"a");
    }

    #[test]
    fn a_private_file_stays_private_and_what_is_made_of_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let (path, new) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        written(&path, Access::default(), "new").unwrap();
        assert_eq!(mode(&path), 0o600);
        written(&new, Access::default().and_like(&path), "new").unwrap();
        assert_eq!(mode(&new), 0o600);
    }

    #[test]
    fn a_link_is_followed_where_it_leads_somewhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "old").unwrap();
        symlink(path("file"), path("link")).unwrap();
        symlink(path("nothing"), path("dangling")).unwrap();
        symlink(path("loop"), path("loop")).unwrap();
        written(&path("link"), Access::default(), "new").unwrap();
        assert!(fs::symlink_metadata(path("link")).unwrap().is_symlink());
        assert_eq!(fs::read(path("file")).unwrap(), b"new");
        let error = written(&path("dangling"), Access::default(), "").unwrap_err();
        assert!(error.contains("a link to a file that does not exist"), "{error}");
        assert!(written(&path("loop"), Access::default(), "").is_err());
        for link in ["dangling", "loop"] {
            assert!(fs::symlink_metadata(path(link)).unwrap().is_symlink());
        }
        written(Path::new("/dev/null"), Access::default(), "gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert!(written(folder.path(), Access::default(), "").unwrap_err().contains("it is a directory"));
        assert!(written(&path("no/folder"), Access::default(), "").is_err());
    }
}
