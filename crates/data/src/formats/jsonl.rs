//! JSON lines: one object per line, or one array of objects.
//!
//! | in the object | becomes |
//! | --- | --- |
//! | `"age": 39` | `age` with the value 39 |
//! | `"seen": true` | `seen` with the value 1; `false` is no feature |
//! | `"color": "red"` | `color=red` with the value 1 |
//! | `"user": {"age": 39}` | `user.age` with the value 39 |
//! | `"words": ["a", "b", "a"]` | `words=a` with the value 2, `words=b` with the value 1 |
//! | `"pixels": [0.5, 0, 7]` | `pixels.0`, `pixels.1`, `pixels.2`; likewise for `true`, objects and arrays in arrays |
//! | `null`, `NaN`, `"NA"` and so on | nothing |
//!
//! Label, importance, id, texts and what is to be ignored are found by their keys, those of inner objects with their
//! dots (`user.id`). Names are only names: `{"a": {"b": 1}}` and `{"a.b": 1}` are the same example.
//!
//! The parser is our own: the label must be handed on as it was written (`1` is not `1.0`) and with its place, and
//! names are made in one buffer without a value tree.

use thalweg_core::Real;

use super::dates::put_date;
use super::json_string;
use super::jsonl_writer::JsonlWriter;
use super::listing::{
    ListedFormat, ParserSettings, Recognition, TextFormat, WriterSettings, first_content_line,
};
use super::record::{ParseBuffers, RecordFormat};
use super::roles::{Role, Roles};
use super::sink::{RecordSink, cost, importance, put_text};
use super::written::{ByName, FormatWriter, WriteFault};
use crate::error::Fault;
use crate::split::line::Line;
use crate::split::text_pieces::Layout;

/// Objects and arrays within one another, at most.
const DEEPEST: usize = 64;

/// JSON lines.
#[derive(Clone, Debug)]
pub(crate) struct Jsonl {
    roles: Roles,
}

impl Jsonl {
    /// JSON lines in which keys have these roles.
    pub(crate) fn new(roles: Roles) -> Self {
        Self { roles }
    }
}

impl ListedFormat for Jsonl {
    const NAME: &'static str = "jsonl";
    const TITLE: &'static str = "JSON lines";
    const ENDINGS: &'static [&'static str] = &["jsonl", "ndjson", "json"];

    fn recognize(beginning: &[u8]) -> Recognition {
        let is_array = || {
            let items = beginning.trim_ascii_start().strip_prefix(b"[")?.trim_ascii_start();
            matches!(items.first(), None | Some(b'{' | b']')).then_some(())
        };
        let is_object = first_content_line(beginning).is_some_and(|line| line.starts_with(b"{"));
        Recognition::certain_if(is_object || is_array().is_some())
    }

    fn writer(_: &WriterSettings) -> Result<Box<dyn FormatWriter>, WriteFault> {
        Ok(Box::new(ByName::new(JsonlWriter::new(WriterSettings::roles()))))
    }
}

impl TextFormat for Jsonl {
    type Parser = Self;

    fn parser(settings: &ParserSettings) -> Self {
        Self::new(settings.roles.clone())
    }
}

impl RecordFormat for Jsonl {
    const NAME_IN_CACHES: &'static str = "JSON lines";

    fn layout(&self) -> Layout {
        Layout::LinesOrArray
    }

    fn parse(
        &self,
        line: Line,
        buffers: &mut ParseBuffers,
        sink: &mut impl RecordSink,
    ) -> Result<bool, Fault> {
        let record = line.bytes();
        let ParseBuffers { name, text, .. } = buffers;
        name.clear();
        let mut parser =
            Parser { line: record, at: 0, roles: &self.roles, name, text, sink, seen: [false; 4] };
        parser.skip_blanks();
        if parser.at == record.len() {
            return Ok(false);
        }
        if !parser.next_is(b'{') {
            return Err(parser.fault("expected an object, as in {\"label\": 1, \"height\": 1.5}"));
        }
        parser.object(0)?;
        parser.skip_blanks();
        if parser.at < record.len() {
            return Err(parser.fault("expected the end of the line after the object"));
        }
        Ok(true)
    }
}

struct Parser<'a, S> {
    line: &'a [u8],
    at: usize,
    roles: &'a Roles,
    /// The name of the feature that is being read.
    name: &'a mut Vec<u8>,
    text: &'a mut Vec<u8>,
    sink: &'a mut S,
    /// Were label, importance, id and cost seen?
    seen: [bool; 4],
}

impl<S: RecordSink> Parser<'_, S> {
    #[inline]
    fn skip_blanks(&mut self) {
        while self.line.get(self.at).is_some_and(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Passes over the byte if it comes next.
    #[inline]
    fn next_is(&mut self, byte: u8) -> bool {
        let is = self.line.get(self.at) == Some(&byte);
        self.at += usize::from(is);
        is
    }

    #[cold]
    fn fault(&self, what: &str) -> Fault {
        Fault::at(self.at, what, &self.line[self.at..])
    }

    /// Reads an object whose brace was read: its features are called `name.key`, or just `key` in the outermost one.
    fn object(&mut self, depth: usize) -> Result<(), Fault> {
        let outer = self.name.len();
        self.skip_blanks();
        if self.next_is(b'}') {
            return Ok(());
        }
        loop {
            self.skip_blanks();
            if !self.next_is(b'"') {
                return Err(self.fault("expected a key in double quotes"));
            }
            if depth > 0 {
                self.name.push(b'.');
            }
            self.string_into_name()?;
            self.skip_blanks();
            if !self.next_is(b':') {
                return Err(self.fault("expected ':' after the key"));
            }
            let role = self.roles.of(self.name);
            self.value(role, depth)?;
            self.name.truncate(outer);
            self.skip_blanks();
            if self.next_is(b'}') {
                return Ok(());
            }
            if !self.next_is(b',') {
                return Err(self.fault("expected ',' or '}' in the object"));
            }
        }
    }

    fn value(&mut self, role: Role, depth: usize) -> Result<(), Fault> {
        self.skip_blanks();
        let inner = matches!(role, Role::Feature | Role::Ignored);
        match self.line.get(self.at) {
            Some(b'{') if inner && depth < DEEPEST => {
                self.at += 1;
                if role == Role::Ignored { self.skip(b'}') } else { self.object(depth + 1) }
            }
            Some(b'[') if (inner || matches!(role, Role::Text | Role::Category)) && depth < DEEPEST => {
                self.at += 1;
                if role == Role::Ignored { self.skip(b']') } else { self.array(role, depth + 1) }
            }
            Some(b'{' | b'[') if depth >= DEEPEST => Err(self.fault("objects and arrays are too deep")),
            Some(b'{' | b'[') => Err(self.fault("expected one text or number for this key")),
            _ => self.scalar(role),
        }
    }

    /// Reads an array whose bracket was read.
    fn array(&mut self, role: Role, depth: usize) -> Result<(), Fault> {
        let outer = self.name.len();
        self.skip_blanks();
        if self.next_is(b']') {
            return Ok(());
        }
        for i in 0.. {
            self.skip_blanks();
            // Texts are a bag, and so are codes; all else has its place.
            if self.line.get(self.at) != Some(&b'"') && role == Role::Feature {
                self.name.push(b'.');
                self.name.extend_from_slice(itoa::Buffer::new().format(i).as_bytes());
            }
            self.value(role, depth)?;
            self.name.truncate(outer);
            self.skip_blanks();
            if self.next_is(b']') {
                break;
            }
            if !self.next_is(b',') {
                return Err(self.fault("expected ',' or ']' in the array"));
            }
        }
        Ok(())
    }

    #[inline]
    fn scalar(&mut self, role: Role) -> Result<(), Fault> {
        let start = self.at;
        match self.line.get(start) {
            Some(b'"') => {
                self.at += 1;
                if role == Role::Feature {
                    let length = self.name.len();
                    self.name.push(b'=');
                    self.string_into_name()?;
                    if !role.is_missing(&self.name[length + 1..]) {
                        self.sink.named(b"", self.name, 1.0);
                    }
                    self.name.truncate(length);
                    return Ok(());
                }
                let text = self.string()?;
                self.put(role, text, start)
            }
            Some(b'-' | b'0'..=b'9') => {
                let digit = self.line.get(start + 1).is_some_and(u8::is_ascii_digit);
                let (value, length) =
                    fast_float2::parse_partial::<Real, _>(&self.line[start..]).unwrap_or((0.0, 0));
                if length == 0 || (self.line[start] == b'-' && !digit) {
                    return Err(self.fault("expected a number"));
                }
                if !value.is_finite() {
                    let text = &self.line[start..start + length];
                    return Err(Fault::at(start, "value must be a finite number", text));
                }
                self.at += length;
                if role == Role::Feature {
                    self.sink.named(b"", self.name, value);
                    return Ok(());
                }
                self.put(role, Text::Line(start, start + length), start)
            }
            _ => self.word(role, start),
        }
    }

    /// Reads `true`, `false` or `null`; or `NaN`, which is no JSON, but which Python writes.
    fn word(&mut self, role: Role, start: usize) -> Result<(), Fault> {
        let rest = &self.line[start..];
        let Some(word) =
            [b"true".as_slice(), b"false", b"null", b"NaN"].into_iter().find(|word| rest.starts_with(word))
        else {
            return Err(self.fault("expected a text, a number, true, false, null, an object or an array"));
        };
        self.at += word.len();
        match (role, word) {
            (_, b"null" | b"NaN") | (Role::Feature, b"false") => Ok(()),
            (Role::Feature, _) => {
                self.sink.named(b"", self.name, 1.0);
                Ok(())
            }
            _ => self.put(role, Text::Line(start, self.at), start),
        }
    }

    /// Puts text where the role says.
    fn put(&mut self, role: Role, text: Text, at: usize) -> Result<(), Fault> {
        let text = match text {
            Text::Line(start, end) => &self.line[start..end],
            Text::Buffer => self.text.as_slice(),
        };
        let single = match role {
            Role::Label => Some(0),
            Role::Importance => Some(1),
            Role::Id => Some(2),
            Role::Cost => Some(3),
            _ => None,
        };
        if let Some(i) = single
            && std::mem::replace(&mut self.seen[i], true)
        {
            return Err(Fault::at(at, "this key must stand once", text));
        }
        if role.is_missing(text) {
            return Ok(());
        }
        match role {
            Role::Label => self.sink.label(text, at),
            Role::Id => self.sink.id(text),
            Role::Importance => self.sink.importance(importance(text, at)?),
            Role::Cost => self.sink.cost(cost(text, at)?),
            Role::Category => {
                let length = self.name.len();
                self.name.push(b'=');
                self.name.extend_from_slice(text);
                self.sink.named(b"", self.name, 1.0);
                self.name.truncate(length);
            }
            Role::Date => put_date(self.sink, self.name, text, at)?,
            Role::Text => put_text(self.sink, self.name, text),
            Role::Feature | Role::Ignored => {}
        }
        Ok(())
    }

    /// Passes over an object or an array whose opening was read.
    fn skip(&mut self, close: u8) -> Result<(), Fault> {
        let mut open = vec![close];
        while let Some(&expected) = open.last() {
            let rest = &self.line[self.at..];
            let Some(next) = rest.iter().position(|b| matches!(b, b'"' | b'{' | b'}' | b'[' | b']')) else {
                self.at = self.line.len();
                return Err(self.fault("expected the end of an object or an array"));
            };
            self.at += next + 1;
            match rest[next] {
                b'"' => _ = self.string()?,
                b'{' => open.push(b'}'),
                b'[' => open.push(b']'),
                found if found == expected => _ = open.pop(),
                _ => {
                    self.at -= 1;
                    return Err(self.fault("this closes what was not opened"));
                }
            }
        }
        Ok(())
    }

    /// Reads a string whose opening quote was read, onto the end of the name.
    #[inline]
    fn string_into_name(&mut self) -> Result<(), Fault> {
        self.at = json_string::read(self.line, self.at, self.name)?;
        Ok(())
    }

    /// Reads a string whose opening quote was read; without escapes it is left where it is.
    fn string(&mut self) -> Result<Text, Fault> {
        let start = self.at;
        if let Some(length) = memchr::memchr2(b'"', b'\\', &self.line[start..])
            && self.line[start + length] == b'"'
        {
            self.at = start + length + 1;
            return Ok(Text::Line(start, start + length));
        }
        self.text.clear();
        self.at = json_string::read(self.line, start, self.text)?;
        Ok(Text::Buffer)
    }
}

/// Where a text is: from here to there in the line, or in the buffer.
#[derive(Clone, Copy)]
enum Text {
    Line(usize, usize),
    Buffer,
}

#[cfg(test)]
mod tests;
