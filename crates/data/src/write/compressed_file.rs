//! Files that are compressed as their names tell.

use std::io::{self, BufWriter, Write};

use crate::error::{Error, Result};
use crate::files::output_file::OutputFile;
use crate::source::compression::Compression;

/// A file in the making, compressed as its name tells. It is complete when [`CompressedFile::complete`] has returned.
pub(crate) enum CompressedFile {
    Plain(BufWriter<OutputFile>),
    Gzip(flate2::write::GzEncoder<BufWriter<OutputFile>>),
    Zstd(zstd::Encoder<'static, BufWriter<OutputFile>>),
    Bzip2(bzip2::write::BzEncoder<BufWriter<OutputFile>>),
    Xz(Box<lzma_rust2::XzWriter<BufWriter<OutputFile>>>),
}

impl CompressedFile {
    pub(crate) fn new(file: OutputFile) -> io::Result<Self> {
        let name = file.name().to_ascii_lowercase();
        let file = BufWriter::with_capacity(1 << 16, file);
        Ok(match Compression::of_name(&name).1 {
            None => Self::Plain(file),
            Some(Compression::Gzip) => {
                Self::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default()))
            }
            Some(Compression::Zstd) => Self::Zstd(zstd::Encoder::new(file, 0)?),
            Some(Compression::Bzip2) => {
                Self::Bzip2(bzip2::write::BzEncoder::new(file, bzip2::Compression::default()))
            }
            Some(Compression::Xz) => {
                Self::Xz(Box::new(lzma_rust2::XzWriter::new(file, lzma_rust2::XzOptions::default())?))
            }
        })
    }

    /// Writes all, and leaves the file without its name.
    pub(crate) fn complete(self) -> Result<OutputFile> {
        let name = self.name().to_string();
        self.end().map_err(|cause| Error::Io { file: name, cause })
    }

    fn end(self) -> io::Result<OutputFile> {
        let file = match self {
            Self::Plain(file) => Ok(file),
            Self::Gzip(file) => file.finish(),
            Self::Zstd(file) => file.finish(),
            Self::Bzip2(file) => file.finish(),
            Self::Xz(file) => file.finish(),
        }?;
        file.into_inner().map_err(io::IntoInnerError::into_error)
    }

    fn name(&self) -> &str {
        match self {
            Self::Plain(file) => file,
            Self::Gzip(file) => file.get_ref(),
            Self::Zstd(file) => file.get_ref(),
            Self::Bzip2(file) => file.get_ref(),
            Self::Xz(file) => file.inner(),
        }
        .get_ref()
        .name()
    }
}

impl Write for CompressedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Gzip(file) => file.write(bytes),
            Self::Zstd(file) => file.write(bytes),
            Self::Bzip2(file) => file.write(bytes),
            Self::Xz(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Gzip(file) => file.flush(),
            Self::Zstd(file) => file.flush(),
            Self::Bzip2(file) => file.flush(),
            Self::Xz(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{BufRead, BufReader, Read};
    use std::path::Path;

    use super::*;
    use crate::files::output_file::Access;

    fn text(path: &Path) -> io::Result<Vec<u8>> {
        let mut raw = BufReader::new(File::open(path)?);
        let compression = Compression::of_bytes(raw.fill_buf()?).unwrap();
        let mut text = Vec::new();
        compression.read(raw)?.read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn what_is_compressed_reads_back_also_twice_in_a_row_and_not_when_cut() {
        let folder = tempfile::tempdir().unwrap();
        let lines: Vec<u8> = (0..50_000u32).flat_map(|i| format!("{} {i}:1\n", i % 2).into_bytes()).collect();
        for (compression, _, end) in Compression::ALL {
            let path = folder.path().join(format!("a.svm{end}"));
            let file = OutputFile::create(&path, Access::default()).unwrap();
            let mut file = CompressedFile::new(file).unwrap();
            file.write_all(&lines).unwrap();
            file.complete().unwrap().finish().unwrap();
            assert!(text(&path).unwrap() == lines, "{compression:?}");
            let bytes = std::fs::read(&path).unwrap();
            assert!(bytes.len() < lines.len() / 2);
            std::fs::write(&path, [&bytes[..], &bytes[..]].concat()).unwrap();
            assert!(text(&path).unwrap() == [&lines[..], &lines[..]].concat(), "{compression:?} twice");
            for cut in [bytes.len() / 2, bytes.len() - 3] {
                std::fs::write(&path, &bytes[..cut]).unwrap();
                assert!(text(&path).is_err(), "{compression:?} cut at {cut}");
            }
        }
    }
}
