//! Lines out of a byte stream, without an allocation per line.

use std::io::{self, Read};

const CHUNK: usize = 1 << 20;
/// No line of text data is this long; a binary file without line ends is.
const LONGEST: usize = 256 << 20;

pub(crate) struct Lines {
    source: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    finished: bool,
    /// Number of the line that was returned last.
    pub(crate) number: u64,
}

impl Lines {
    pub(crate) fn new(source: Box<dyn Read + Send>) -> Self {
        Self { source, buffer: vec![0; CHUNK], start: 0, end: 0, finished: false, number: 0 }
    }

    /// The next line without its line end (`\n` or `\r\n`); the last one may lack it.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let mut searched = self.start;
        let end = loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[searched..self.end]) {
                break searched + at;
            }
            if self.finished {
                if self.start == self.end {
                    return Ok(None);
                }
                break self.end;
            }
            let pending = self.end - self.start;
            self.fill()?;
            searched = self.start + pending;
        };
        let line = &self.buffer[self.start..end];
        self.start = (end + 1).min(self.end);
        self.number += 1;
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            if self.end >= LONGEST {
                return Err(io::Error::other(format!("line {} has no end: is this text?", self.number + 1)));
            }
            self.buffer.resize(2 * self.end, 0);
        }
        let count = loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.finished = count == 0;
        self.end += count;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives its bytes in pieces of the sizes asked for.
    struct Trickle(Vec<u8>, Vec<usize>);

    impl Read for Trickle {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.pop().unwrap_or(usize::MAX).min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    fn lines(text: &[u8], pieces: Vec<usize>) -> Vec<Vec<u8>> {
        let mut lines = Lines::new(Box::new(Trickle(text.to_vec(), pieces)));
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push(line.to_vec());
        }
        all
    }

    #[test]
    fn line_ends_of_all_kinds() {
        assert_eq!(lines(b"a\r\nb\n\nc", Vec::new()), [&b"a"[..], b"b", b"", b"c"]);
        assert_eq!(lines(b"a\n", Vec::new()), [b"a"]);
        assert!(lines(b"", Vec::new()).is_empty());
    }

    #[test]
    fn a_line_longer_than_the_buffer() {
        let long = vec![b'x'; 3 * CHUNK + 5];
        assert_eq!(lines(&[&long[..], b"\ny"].concat(), Vec::new()), [&long[..], b"y"]);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text in "[ab\n]{0,60}", pieces in prop::collection::vec(1..9usize, 0..20)) {
            let whole: Vec<Vec<u8>> = text.lines().map(|l| l.as_bytes().to_vec()).collect();
            prop_assert_eq!(lines(text.as_bytes(), pieces), whole);
        }
    }
}
