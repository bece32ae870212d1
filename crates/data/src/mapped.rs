//! A file that is read where it lies: mapped into memory, a stretch at a time, instead of being copied.
//!
//! One stretch at a time, because whatever is mapped counts as memory in use.

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use memmap2::{Mmap, MmapOptions};

const STRETCH: u64 = 8 << 20;

/// A regular file that is not empty.
pub(crate) struct MappedFile {
    file: File,
    size: u64,
    /// What is mapped, and where in the file it begins.
    stretch: Arc<Mmap>,
    start: u64,
}

/// Some bytes of a file.
#[derive(Clone)]
pub(crate) struct Slice {
    stretch: Arc<Mmap>,
    range: Range<usize>,
}

impl Deref for Slice {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.stretch[self.range.clone()]
    }
}

impl Slice {
    /// The first so many bytes.
    pub(crate) fn first(self, count: usize) -> Self {
        Self { range: self.range.start..self.range.end.min(self.range.start + count), ..self }
    }
}

impl MappedFile {
    /// None if it is not such a file, or cannot be mapped.
    pub(crate) fn open(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let found = file.metadata().ok()?;
        let size = found.len();
        let stretch = (found.is_file() && size > 0).then(|| map(&file, 0, STRETCH.min(size)).ok())??;
        Some(Self { file, size, stretch: Arc::new(stretch), start: 0 })
    }

    /// Bytes in the file.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The bytes from `at` on: at least so many, unless the file ends.
    pub(crate) fn from(&mut self, at: u64, least: u64) -> io::Result<Slice> {
        let end = self.size.min(at.saturating_add(least));
        if at < self.start || end > self.start + self.stretch.len() as u64 {
            let length = STRETCH.max(least).min(self.size - at.min(self.size));
            self.stretch = Arc::new(map(&self.file, at, length)?);
            self.start = at;
        }
        let offset = ((at - self.start) as usize).min(self.stretch.len());
        Ok(Slice { range: offset..self.stretch.len(), stretch: Arc::clone(&self.stretch) })
    }
}

fn map(file: &File, start: u64, length: u64) -> io::Result<Mmap> {
    let mut options = MmapOptions::new();
    options.offset(start).len(length as usize).populate();
    // SAFETY: what is mapped must not change while it is in use. It is only ever looked at as bytes that may have any value, so
    // a file that somebody writes to gives blocks that are damaged, as it would if it were copied; one that is cut off under our hands
    // ends the program. Caches, which are all that is mapped, are replaced as a whole and never written to.
    #[allow(unsafe_code)]
    unsafe {
        options.map(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_part_of_a_file_can_be_had() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let size = 3 * STRETCH + 4321;
        let content: Vec<u8> = (0..size).map(|i| (i * i % 251) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        let mut file = MappedFile::open(&path).unwrap();
        for (at, least) in
            [(0, 10), (7, STRETCH + 5), (STRETCH, 1), (3, 3), (size - 1, 99), (size, 5), (0, size)]
        {
            let slice = file.from(at, least).unwrap();
            let wanted = least.min(size - at) as usize;
            assert!(slice.len() >= wanted, "{at} {least}");
            assert!(slice[..] == content[at as usize..][..slice.len()], "{at} {least}");
            assert_eq!(slice.clone().first(wanted).len(), wanted);
        }
        std::fs::write(&path, "").unwrap();
        assert!(MappedFile::open(&path).is_none());
        assert!(MappedFile::open(folder.path()).is_none());
    }
}
