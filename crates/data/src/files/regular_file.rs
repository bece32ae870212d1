//! A regular file, of which any part can be read at any time.

use std::fs::File;
use std::io;
use std::path::Path;

/// A regular file.
pub(crate) struct RegularFile {
    file: File,
    /// How many bytes at its beginning are no part of it, for whoever reads it.
    skipped: u64,
}

impl RegularFile {
    /// None if it is not such a file, or cannot be opened.
    pub(crate) fn open(path: &Path) -> Option<Self> {
        // Looked at before it is opened: whoever opens a pipe a second time waits for a second writer.
        std::fs::metadata(path).ok()?.is_file().then_some(())?;
        let file = File::open(path).ok()?;
        file.metadata().ok()?.is_file().then_some(Self { file, skipped: 0 })
    }

    /// Bytes in the file as it is now.
    pub(crate) fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// The same file without its first bytes.
    pub(crate) fn without_first(self, bytes: usize) -> Self {
        Self { skipped: self.skipped + bytes as u64, ..self }
    }

    /// Fills the buffer with what is in the file from `at` on. How much that is; the buffer is not full only if the file ends.
    pub(crate) fn read(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match read_at(&mut self.file, &mut buffer[filled..], self.skipped + at + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(filled)
    }
}

/// Reads some of what is there from `at` on: one call of the system where there is one for that.
#[cfg(unix)]
fn read_at(file: &mut File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(not(unix))]
fn read_at(file: &mut File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(at))?;
    file.read(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_part_of_a_file_can_be_had() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "abcdefgh").unwrap();
        let mut file = RegularFile::open(&path).unwrap();
        let mut part = |at, length| {
            let mut buffer = vec![b'-'; length];
            let count = file.read(at, &mut buffer).unwrap();
            String::from_utf8(buffer[..count].to_vec()).unwrap()
        };
        assert_eq!([part(2, 3), part(0, 1), part(6, 9), part(8, 1), part(99, 1)], ["cde", "a", "gh", "", ""]);
        // What is cut off meanwhile is not there any more.
        std::fs::write(&path, "xyz").unwrap();
        assert_eq!([part(1, 9), part(6, 2)], ["yz", ""]);
        let mut rest = RegularFile::open(&path).unwrap().without_first(1);
        let mut buffer = [0; 5];
        assert_eq!((rest.read(0, &mut buffer).unwrap(), &buffer[..2]), (2, &b"yz"[..]));
        assert!(RegularFile::open(folder.path()).is_none());
    }
}
