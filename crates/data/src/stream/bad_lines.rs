//! What happens to lines that cannot be read: skipped and counted, shown, kept, or the end of the run.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Place, Result};

/// A bad line, for the user to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
}

/// How many bad lines are shown; the others are only counted.
pub const SHOWN: usize = 10;
/// A share of bad lines is meaningful from this many lines on (and at the end of the data).
const FIRST_CHECK: u64 = 1_000;

/// How many bad lines are too many. In JSON it is a text: `"100"` or `"1%"`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum BadLineLimit {
    /// A number of lines.
    Lines(u64),
    /// A percentage of all lines.
    Percent(f64),
}

impl BadLineLimit {
    /// Are so many bad lines of so many too many? A share means something from some lines on, and at the end of the data.
    pub fn is_exceeded(self, bad: u64, lines: u64, at_end: bool) -> bool {
        match self {
            BadLineLimit::Lines(limit) => bad > limit,
            BadLineLimit::Percent(share) => {
                (at_end || lines >= FIRST_CHECK) && bad as f64 > share / 100.0 * lines as f64
            }
        }
    }
}

impl FromStr for BadLineLimit {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let limit = match text.strip_suffix('%') {
            Some(share) => {
                share.parse().ok().filter(|p| (0.0..=100.0).contains(p)).map(BadLineLimit::Percent)
            }
            None => text.parse().ok().map(BadLineLimit::Lines),
        };
        limit.ok_or_else(|| "must be a number of lines (100) or a percentage (1%)".into())
    }
}

impl TryFrom<String> for BadLineLimit {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

impl From<BadLineLimit> for String {
    fn from(limit: BadLineLimit) -> Self {
        limit.to_string()
    }
}

impl std::fmt::Display for BadLineLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BadLineLimit::Lines(lines) => write!(f, "{lines}"),
            BadLineLimit::Percent(share) => write!(f, "{share}%"),
        }
    }
}

/// What to do with bad lines.
#[derive(Clone, Debug, Default)]
pub struct BadLinePolicy {
    /// Stop at the first.
    pub strict: bool,
    /// Stop when there are more.
    pub limit: Option<BadLineLimit>,
    /// Keep them here.
    pub reject_file: Option<PathBuf>,
    /// Keep also what the file holds already: it is from data before this.
    pub append: bool,
}

/// The bad lines of one reading.
pub(crate) struct BadLines {
    policy: BadLinePolicy,
    rejects: Option<BufWriter<File>>,
    /// Bad lines so far.
    pub(crate) count: u64,
    first: Option<BadLine>,
    last: Option<BadLine>,
    unshown: Vec<BadLine>,
}

impl BadLines {
    pub(crate) fn new(policy: BadLinePolicy) -> Result<Self> {
        let rejects = match &policy.reject_file {
            Some(path) => {
                let mut options = File::options();
                options.create(true).write(true).append(policy.append).truncate(!policy.append);
                Some(BufWriter::new(options.open(path).map_err(|e| rejects_failed(&policy, e))?))
            }
            None => None,
        };
        Ok(Self { policy, rejects, count: 0, first: None, last: None, unshown: Vec::new() })
    }

    /// Deals with a bad line, which is one of `lines` so far.
    pub(crate) fn add(&mut self, place: Place, message: String, text: &[u8], lines: u64) -> Result<()> {
        if let Some(rejects) = &mut self.rejects {
            let kept = rejects.write_all(text).and_then(|()| rejects.write_all(b"\n"));
            kept.map_err(|e| rejects_failed(&self.policy, e))?;
        }
        if self.policy.strict {
            self.finish()?;
            return Err(Error::Line { place, message });
        }
        let bad = BadLine { place, message };
        self.count += 1;
        if self.count <= SHOWN as u64 {
            self.unshown.push(bad.clone());
        }
        self.first.get_or_insert_with(|| bad.clone());
        self.last = Some(bad);
        self.check(lines, false)
    }

    /// Writes what is still in memory to the file of rejected lines.
    fn finish(&mut self) -> Result<()> {
        match &mut self.rejects {
            Some(rejects) => rejects.flush().map_err(|e| rejects_failed(&self.policy, e)),
            None => Ok(()),
        }
    }

    /// Checks the limit once more at the end of the data, however few lines there were.
    pub(crate) fn check_at_end(&mut self, lines: u64) -> Result<()> {
        self.finish()?;
        self.check(lines, true)
    }

    fn check(&mut self, lines: u64, at_end: bool) -> Result<()> {
        match (&self.last, self.policy.limit) {
            (Some(last), Some(limit)) if limit.is_exceeded(self.count, lines, at_end) => {
                let (place, message) = (last.place.clone(), last.message.clone());
                self.finish()?;
                Err(Error::TooManyBad { bad: self.count, lines, limit: limit.to_string(), place, message })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn first(&self) -> Option<&BadLine> {
        self.first.as_ref()
    }

    /// Bad lines that were not shown yet. Rejected lines are safe on disk then, whatever becomes of the run; whether that
    /// worked is asked at the end.
    pub(crate) fn take_unshown(&mut self) -> Vec<BadLine> {
        let _ = self.rejects.as_mut().map(Write::flush);
        std::mem::take(&mut self.unshown)
    }
}

fn rejects_failed(policy: &BadLinePolicy, cause: std::io::Error) -> Error {
    let file = policy.reject_file.as_ref().map_or_else(String::new, |path| path.display().to_string());
    Error::Io { file, cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_means_nothing_of_a_few_lines_unless_there_are_no_more() {
        let (some, share) = (BadLineLimit::Lines(2), BadLineLimit::Percent(1.0));
        assert!(some.is_exceeded(3, 3, false) && !some.is_exceeded(2, 2, true));
        assert!(!share.is_exceeded(999, 999, false) && share.is_exceeded(11, 1000, false));
        assert!(share.is_exceeded(1, 99, true) && !share.is_exceeded(1, 100, true));
    }

    #[test]
    fn limits_are_lines_or_percentages() {
        assert_eq!("100".parse(), Ok(BadLineLimit::Lines(100)));
        assert_eq!("0.5%".parse(), Ok(BadLineLimit::Percent(0.5)));
        for wrong in ["", "%", "-1", "1.5", "101%", "x%"] {
            assert!(wrong.parse::<BadLineLimit>().is_err(), "{wrong}");
        }
    }
}
