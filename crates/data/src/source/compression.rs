//! How files are compressed: told by their first bytes when they are read, by the end of their name when they are written.

use std::io::{self, BufRead, Read};

/// A way to compress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Zstd,
    Bzip2,
    Xz,
}

impl Compression {
    /// All of them: what files begin with, and how their names end.
    pub(crate) const ALL: [(Compression, &'static [u8], &'static str); 4] = [
        (Compression::Gzip, &[0x1f, 0x8b], ".gz"),
        (Compression::Zstd, &[0x28, 0xb5, 0x2f, 0xfd], ".zst"),
        (Compression::Bzip2, b"BZh", ".bz2"), // and more, see `of_bytes`
        (Compression::Xz, &[0xfd, b'7', b'z', b'X', b'Z', 0], ".xz"),
    ];

    /// What the first bytes of a file tell.
    pub(crate) fn of_bytes(first: &[u8]) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, magic, _)| first.starts_with(magic)).map(|(found, ..)| *found);
        // A text may begin with these letters: a digit and the mark of a block, or of the end, must follow.
        let is_bzip2 = || {
            let rest = first.get(4..10).unwrap_or_default();
            matches!(first.get(3), Some(b'1'..=b'9')) && (rest == b"1AY&SY" || rest == b"\x17rE8P\x90")
        };
        found.filter(|found| *found != Compression::Bzip2 || is_bzip2())
    }

    /// A file's name without the end that tells its compression, and that compression.
    pub(crate) fn of_name(name: &str) -> (&str, Option<Self>) {
        let stripped =
            |(compression, _, end): &(Self, _, &str)| Some((name.strip_suffix(*end)?, Some(*compression)));
        Self::ALL.iter().find_map(stripped).unwrap_or((name, None))
    }

    /// The text behind compressed bytes; several compressed files one after the other are one text.
    pub(crate) fn read(self, raw: impl BufRead + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(raw)),
            Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(raw)?),
            Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(raw)),
            Compression::Xz => Box::new(lzma_rust2::XzReader::new(raw, true)),
        })
    }
}
