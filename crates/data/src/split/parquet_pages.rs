//! A Parquet file whose pages are looked at before they are decoded: the decoder asks for as much memory as a page says that it needs, and
//! a program that asks for more than there is is ended by the system.

use std::io::{self, Cursor, Read};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use super::arrow_messages::ZSTD;
use crate::limit::{self, MemoryLimit};

/// Bytes at the end of a file that are not a page: the length of what comes before, and the mark.
const END: u64 = 8;
/// So many bytes have what is looked at of a page's header.
const LOOKED_AT: u64 = 64;
/// Bytes of memory for a value in its page, besides its own: how deep it lies in lists, and what is null.
const PER_VALUE: u64 = 8;
/// What nobody minds.
const SMALL: u64 = 1 << 16;

/// A file, or what was read into memory.
pub(crate) struct Pages<S> {
    pub(crate) source: S,
    pub(crate) limit: MemoryLimit,
}

impl<S: ChunkReader> Length for Pages<S> {
    fn len(&self) -> u64 {
        self.source.len()
    }
}

impl<S: ChunkReader> ChunkReader for Pages<S> {
    type T = CheckedHeader<S::T>;

    /// The decoder reads the header of a page in this way, and at first the end of the file. It may also read nothing at all, if it has
    /// looked at the header before: what is there is not a header then.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        let is_end = self.len().saturating_sub(start) <= END;
        let limit = (!is_end).then_some(self.limit);
        Ok(CheckedHeader { source: self.source.get_read(start)?, limit, beginning: Cursor::default() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.len()) {
            return Err(ParquetError::EOF("it is damaged: an offset points outside the file".into()));
        }
        self.source.get_bytes(start, length)
    }
}

/// The header of a page, and what comes after it.
pub(crate) struct CheckedHeader<R> {
    source: R,
    /// The limit to what the page may take, until it has been checked.
    limit: Option<MemoryLimit>,
    /// What was read to check it.
    beginning: Cursor<Vec<u8>>,
}

impl<R: Read> Read for CheckedHeader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(limit) = self.limit.take() {
            self.source.by_ref().take(LOOKED_AT).read_to_end(self.beginning.get_mut())?;
            check(self.beginning.get_ref(), limit).map_err(io::Error::other)?;
        }
        match self.beginning.read(buffer)? {
            0 => self.source.read(buffer),
            count => Ok(count),
        }
    }
}

/// Checks what the header of a page says of its size.
fn check(header: &[u8], limit: MemoryLimit) -> std::result::Result<(), String> {
    let page = PageSize::read(header).ok_or("it is damaged: a page does not say how large it is")?;
    let PageSize { plain, stored, values } = page;
    if plain > SMALL.max(ZSTD * stored) {
        return Err(format!(
            "it is damaged: it says that {stored} bytes decompress to {plain}, which cannot be"
        ));
    }
    let needed = plain + PER_VALUE * values;
    if needed > limit.0 {
        let needed = limit::bytes(needed);
        return Err(format!("a page takes {needed} of memory, and the limit is {limit}"));
    }
    Ok(())
}

/// What the header of a page says of its size.
#[derive(Debug, PartialEq, Eq)]
struct PageSize {
    /// Bytes when it is decompressed, and in the file.
    plain: u64,
    stored: u64,
    values: u64,
}

/// Kinds of fields in Thrift's compact form.
const I32: u8 = 5;
const STRUCT: u8 = 12;

impl PageSize {
    /// Reads the beginning of a header: a structure of Thrift in its compact form. Fields have numbers and could have any order, but whoever
    /// writes them writes them in theirs: kind of page, bytes, bytes in the file, perhaps a checksum; and then a structure with
    /// the number of values in the first place.
    fn read(mut header: &[u8]) -> Option<Self> {
        let header = &mut header;
        let _kind = field(header, 1, I32)?;
        let plain = field(header, 1, I32)?;
        let stored = field(header, 1, I32)?;
        let after = *header.first()?;
        if after == 1 << 4 | I32 {
            field(header, 1, I32)?;
        }
        // A page of an index has no values.
        let inner = header.split_off_first()?;
        let values = if inner & 15 == STRUCT && *header.first()? != 0 { field(header, 1, I32)? } else { 0 };
        Some(Self { plain, stored, values })
    }
}

/// The number in a field of this kind, so far behind the last. None is below zero but a checksum, whose value is of no interest.
fn field(bytes: &mut &[u8], behind: u8, kind: u8) -> Option<u64> {
    if *bytes.split_off_first()? != behind << 4 | kind {
        return None;
    }
    let mut number = 0u64;
    for shift in (0..35).step_by(7) {
        let byte = *bytes.split_off_first()?;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            // Even numbers are twice a number from zero on, odd ones stand for those below.
            return Some(number / 2);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_where_they_should_be() {
        let of = |header: &[u8]| PageSize::read(header).map(|size| (size.plain, size.stored, size.values));
        assert_eq!(of(&[0x15, 0, 0x15, 0x90, 1, 0x15, 20, 0x2c, 0x15, 6]), Some((72, 10, 3)));
        // With a checksum, of a second kind of page.
        assert_eq!(of(&[0x15, 6, 0x15, 4, 0x15, 2, 0x15, 9, 0x4c, 0x15, 8, 0x15, 0]), Some((2, 1, 4)));
        assert_eq!(of(&[0x15, 2, 0x15, 4, 0x15, 2, 0x3c, 0, 0]), Some((2, 1, 0)));
        assert_eq!(of(&[0x15, 0, 0x05, 2, 4, 0x15, 20]), None);
        assert_eq!(of(&[0x15, 0, 0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 1]), None);
        assert_eq!(of(b""), None);
    }

    #[test]
    fn impossible_pages_are_refused() {
        let check = |header: &[u8], limit| check(header, MemoryLimit(limit));
        let honest = [0x15, 0, 0x15, 0x80, 0x80, 0x08, 0x15, 20, 0x2c, 0x15, 6];
        assert_eq!(check(&honest, 1 << 20), Ok(()));
        assert!(
            check(&honest, 1 << 10).unwrap_err().contains("takes 64.0 KiB of memory, and the limit is 1 KiB")
        );
        let liar = [0x15, 0, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x15, 20, 0x2c, 0x15, 6];
        assert!(
            check(&liar, 4 << 30).unwrap_err().contains("10 bytes decompress to 2147483647, which cannot be")
        );
        let many = [0x15, 0, 0x15, 4, 0x15, 4, 0x2c, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f];
        assert!(check(&many, 4 << 30).unwrap_err().contains("takes 16.0 GiB of memory"));
    }
}
