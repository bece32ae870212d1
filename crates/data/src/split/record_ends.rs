//! Where the records of a text end.
//!
//! In most formats every line is a record. In a table whose fields may stand in double quotes a field may hold line ends (RFC 4180), and
//! then one stray quote could swallow the rest of the data. So a record that goes on over several lines must look like one:
//!
//! - every quote that is opened is closed by one that a delimiter or a line end follows, blanks aside;
//! - it is not longer than [`LONGEST`] bytes and [`MOST_LINES`] lines;
//! - it has as many fields as the first record of its input.
//!
//! Otherwise its first line is a record by itself, which is bad because its quote is not closed, and the next record begins with the next
//! line. This depends on nothing but the first record and the bytes from the beginning of the record on: not on how the data is cut into
//! pieces. Ends are looked for once, where the data is cut, and handed to whoever reads the pieces.

use super::line::ClosingQuote;

/// The most bytes of a record of several lines.
pub(crate) const LONGEST: usize = 1 << 20;
/// The most lines of a record.
pub(crate) const MOST_LINES: usize = 4096;

/// How a table can have line ends in its fields: in double quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quoting {
    /// What separates the fields.
    pub(crate) delimiter: u8,
}

/// Where the records of a text end that has quotes, and the fields in quotes.
#[derive(Default)]
pub(crate) struct RecordEnds {
    /// Where records end; nothing if they are lines.
    pub(crate) records: Vec<usize>,
    /// Where fields in quotes end, of records that are whole.
    pub(crate) quotes: Vec<ClosingQuote>,
}

impl RecordEnds {
    fn clear(&mut self) {
        self.records.clear();
        self.quotes.clear();
    }
}

/// Finds the ends of the records of a text that grows, and looks at no byte twice for that.
#[derive(Default)]
pub(crate) struct RecordSplitter {
    quoting: Option<Quoting>,
    /// How many fields the first record of the input has.
    fields: Option<usize>,
    /// How much of the text was looked at, and whether there are quotes.
    seen: usize,
    quoted: bool,
    /// Where the last whole record ends.
    whole: usize,
    /// Where the records end, if there are quotes. Otherwise they are lines.
    ends: RecordEnds,
    /// The first record that is not whole.
    scan: Scan,
    /// How many bytes were looked at.
    #[cfg(test)]
    work: usize,
}

impl RecordSplitter {
    /// Lines, or records with quotes.
    pub(crate) fn new(quoting: Option<Quoting>) -> Self {
        Self { quoting, ..Self::default() }
    }

    /// A text begins, with a record.
    pub(crate) fn begin(&mut self) {
        (self.seen, self.quoted, self.whole) = (0, false, 0);
        self.scan.begin();
        self.ends.clear();
    }

    /// Looks at a text that has grown since the last time. Where its last whole record ends: 0 if there is none. At the end of the input all
    /// records are whole.
    pub(crate) fn look(&mut self, text: &[u8], at_end: bool) -> usize {
        let new = &text[self.seen..];
        #[cfg(test)]
        (self.work += new.len());
        if let Some(quoting) = self.quoting
            && (self.quoted || memchr::memchr(b'"', new).is_some())
        {
            if !self.quoted {
                (self.quoted, self.whole) = (true, 0);
            }
            self.find_records(text, quoting, at_end);
        } else if at_end {
            self.whole = text.len();
        } else if let Some(last) = memchr::memrchr(b'\n', new) {
            self.whole = self.seen + last + 1;
        }
        self.seen = text.len();
        if let (Some(quoting), None, 1..) = (self.quoting, self.fields, self.whole) {
            self.fields = Some(fields_of(first_line(&text[..self.whole]), quoting));
        }
        self.whole
    }

    fn find_records(&mut self, text: &[u8], quoting: Quoting, at_end: bool) {
        while self.whole < text.len() {
            let rest = &text[self.whole..];
            #[cfg(test)]
            let before = self.scan.at;
            let found = self.scan.record(rest, quoting, self.fields, at_end);
            let start = self.whole;
            #[cfg(test)]
            (self.work += self.scan.at - before);
            let Some(length) = found else { return };
            if self.fields.is_none() {
                self.fields = Some(self.scan.fields);
            }
            self.whole += length;
            self.ends.records.push(self.whole);
            let quotes = self.scan.quotes.iter().map(|quote| ClosingQuote { at: start + quote.at, ..*quote });
            self.ends.quotes.extend(quotes);
            self.scan.begin();
        }
    }

    /// Where the records of the text end; nothing if they are lines. The memory is exchanged.
    pub(crate) fn give_ends(&mut self, ends: &mut RecordEnds) {
        std::mem::swap(&mut self.ends, ends);
        self.ends.clear();
    }

    /// Length of the first record of a text with its line end; none if it is not complete.
    pub(crate) fn first(mut self, text: &[u8]) -> Option<usize> {
        let whole = self.look(text, false);
        (whole > 0).then(|| self.ends.records.first().copied().unwrap_or_else(|| first_line(text).len()))
    }
}

/// The length of the first record of a text and the number of its fields; nothing if it is not complete. If its quotes are not closed where fields
/// end, it has no fields that count. `fields` are those of the first record of the input, unless it is that one.
pub(crate) fn first_record(
    text: &[u8],
    quoting: Quoting,
    quotes: bool,
    fields: Option<usize>,
    at_end: bool,
) -> Option<(usize, usize)> {
    let mut scan = Scan::default();
    if quotes {
        let length = scan.record(text, quoting, fields, at_end)?;
        return Some((length, if scan.broken { 1 } else { scan.fields }));
    }
    let length = scan.first_line(text, at_end)?;
    Some((length, fields_of(&text[..length], quoting)))
}

/// The first line with its end.
pub(crate) fn first_line(text: &[u8]) -> &[u8] {
    memchr::memchr(b'\n', text).map_or(text, |end| &text[..=end])
}

/// A record without the line end that it may have.
pub(crate) fn without_line_end(record: &[u8]) -> &[u8] {
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    record.strip_suffix(b"\r").unwrap_or(record)
}

/// The fields of a line in which quotes mean nothing.
fn fields_of(line: &[u8], quoting: Quoting) -> usize {
    1 + memchr::memchr_iter(quoting.delimiter, line).count()
}

/// How far a record has been looked at.
#[derive(Default)]
struct Scan {
    /// The length of its first line, once that has an end, or how many bytes have none.
    line: Option<usize>,
    without_end: usize,
    /// Where the look goes on, and at what.
    at: usize,
    inside: Inside,
    /// Fields that are through, and the quotes that ended those in quotes.
    fields: usize,
    quotes: Vec<ClosingQuote>,
    /// Were there doubled quotes in the field?
    doubled: bool,
    /// Is it a record by its first line only, because its quotes are not closed where fields end?
    broken: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Inside {
    /// The blanks before a field.
    #[default]
    Beginning,
    /// A field without quotes.
    Plain,
    /// Between quotes.
    Quotes,
    /// Behind the closing quote.
    Closed,
}

/// Where looking at a record came to.
enum Stop {
    /// Its end.
    End,
    /// Something that does not belong behind a quote.
    Broken,
    /// The end of what there is.
    OutOfText,
}

impl Scan {
    /// A record begins. The memory for quotes is used again.
    fn begin(&mut self) {
        let mut quotes = std::mem::take(&mut self.quotes);
        quotes.clear();
        *self = Self { quotes, ..Self::default() };
    }

    /// The length of the record that a text begins with; nothing while that is not certain.
    fn record(
        &mut self,
        text: &[u8],
        quoting: Quoting,
        fields: Option<usize>,
        at_end: bool,
    ) -> Option<usize> {
        let line = self.first_line(text, at_end)?;
        if self.at == 0 && memchr::memchr(b'"', &text[..line]).is_none() {
            self.fields = fields_of(&text[..line], quoting);
            return Some(line);
        }
        let longest = line.max(LONGEST);
        let window = &text[..text.len().min(longest)];
        let last = at_end && window.len() == text.len();
        let end = match self.go_on(window, quoting.delimiter, last) {
            Stop::End => Some(self.at),
            Stop::OutOfText if last && self.inside != Inside::Quotes => {
                self.fields += 1;
                Some(window.len())
            }
            Stop::OutOfText if !last && window.len() < longest => return None,
            Stop::OutOfText | Stop::Broken => None,
        };
        let is_one = |end: usize| {
            end == line
                || (fields.is_none_or(|fields| fields == self.fields)
                    && memchr::memchr_iter(b'\n', &text[..end - 1]).count() < MOST_LINES)
        };
        let end = end.filter(|end| is_one(*end));
        if end.is_none() {
            self.fields = fields_of(&text[..line], quoting);
            self.quotes.clear();
            self.broken = true;
        }
        Some(end.unwrap_or(line))
    }

    fn first_line(&mut self, text: &[u8], at_end: bool) -> Option<usize> {
        if self.line.is_none() {
            match memchr::memchr(b'\n', &text[self.without_end..]) {
                Some(end) => self.line = Some(self.without_end + end + 1),
                None if at_end => self.line = Some(text.len()),
                None => self.without_end = text.len(),
            }
        }
        self.line
    }

    /// Looks at a record that begins the text, from where it was left. `last` if nothing comes after the text.
    fn go_on(&mut self, text: &[u8], delimiter: u8, last: bool) -> Stop {
        let is_blank = |byte: &&u8| matches!(**byte, b' ' | b'\t') && **byte != delimiter;
        let blanks = |at: usize| at + text[at..].iter().take_while(is_blank).count();
        loop {
            match self.inside {
                Inside::Beginning => {
                    self.at = blanks(self.at);
                    self.inside = match text.get(self.at) {
                        None => return Stop::OutOfText,
                        Some(b'"') => Inside::Quotes,
                        Some(_) => Inside::Plain,
                    };
                    self.at += usize::from(self.inside == Inside::Quotes);
                }
                Inside::Plain => {
                    let Some(length) = memchr::memchr2(delimiter, b'\n', &text[self.at..]) else {
                        self.at = text.len();
                        return Stop::OutOfText;
                    };
                    self.at += length + 1;
                    self.fields += 1;
                    if text[self.at - 1] == b'\n' {
                        return Stop::End;
                    }
                    self.inside = Inside::Beginning;
                }
                Inside::Quotes => {
                    let Some(length) = memchr::memchr(b'"', &text[self.at..]) else {
                        self.at = text.len();
                        return Stop::OutOfText;
                    };
                    self.at += length;
                    match text.get(self.at + 1) {
                        // It may be doubled.
                        None if !last => return Stop::OutOfText,
                        Some(b'"') => (self.at, self.doubled) = (self.at + 2, true),
                        _ => {
                            let doubled = std::mem::take(&mut self.doubled);
                            self.quotes.push(ClosingQuote { at: self.at, doubled });
                            (self.at, self.inside) = (self.at + 1, Inside::Closed);
                        }
                    }
                }
                Inside::Closed => {
                    self.at = blanks(self.at);
                    match &text[self.at..] {
                        [] | [b'\r'] => return Stop::OutOfText,
                        [byte, ..] if *byte == delimiter => {
                            (self.at, self.inside) = (self.at + 1, Inside::Beginning);
                            self.fields += 1;
                        }
                        [b'\n', ..] | [b'\r', b'\n', ..] => {
                            self.at += if text[self.at] == b'\n' { 1 } else { 2 };
                            self.fields += 1;
                            return Stop::End;
                        }
                        _ => return Stop::Broken,
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
