//! The papers' data sets, and what stands in for those that cannot be had.

use std::path::{Path, PathBuf};

/// A data set of the papers, or what stands in for it.
#[derive(Debug)]
pub struct Set {
    /// What tables call it.
    pub name: &'static str,
    /// Where its examples come from.
    pub source: Source,
    /// Which labels are positive, or which classes there are.
    pub labels: Labels,
    /// Rows are divided by their length.
    pub unit_rows: bool,
    /// How many rows there must be, if that is known.
    pub rows: Option<usize>,
    /// Where a user gets it, and what is different from the paper's.
    pub remark: &'static str,
}

/// Where the examples come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// The program has it.
    Bundled,
    /// Files of the folder, and such as are only tested on.
    Files {
        /// All are learned from.
        train: &'static [&'static str],
        /// None is learned from.
        test: &'static [&'static str],
    },
    /// The synthetic set of Wang et al. 2015, section 5.2.
    Synthetic {
        /// Examples to learn from.
        train: u64,
        /// Examples to test on.
        test: u64,
    },
    /// Nobody here has it.
    Unavailable,
}

/// Which labels are positive, or which classes there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Labels {
    /// This label against all others.
    Positive(&'static str),
    /// Positives are dropped at random until they are one in a hundred.
    RarePositive(&'static str),
    /// These labels only, so many examples of each.
    Classes(&'static [&'static str], usize),
    /// This label against all others; all rows come so often.
    Cycled(&'static str, usize),
}

const fn files(train: &'static [&'static str]) -> Source {
    Source::Files { train, test: &[] }
}

const LIBSVM: &str = "LIBSVM data page";

/// All data sets.
pub const SETS: &[Set] = &[
    Set {
        name: "german",
        source: Source::Bundled,
        labels: Labels::Positive("1"),
        unit_rows: true,
        rows: Some(1000),
        remark: "bundled, with the 20 published permutations",
    },
    Set {
        name: "a9a",
        source: files(&["a9a", "a9a.t"]),
        labels: Labels::Positive("1"),
        unit_rows: true,
        rows: Some(48_842),
        remark: "LIBSVM data page: a9a and a9a.t together",
    },
    Set {
        name: "ijcnn1",
        source: files(&["ijcnn1"]),
        labels: Labels::Positive("1"),
        unit_rows: true,
        rows: Some(49_990),
        remark: "LIBSVM data page: the 49,990 rows of ijcnn1, not the 141,691 that the paper mentions",
    },
    Set {
        name: "covtype",
        source: files(&["covtype.libsvm.binary"]),
        labels: Labels::Positive("2"),
        unit_rows: true,
        rows: Some(581_012),
        remark: "LIBSVM data page: covtype.binary, not scaled",
    },
    Set {
        name: "covtype-scaled",
        source: files(&["covtype.libsvm.binary.scale"]),
        labels: Labels::Positive("2"),
        unit_rows: false,
        rows: Some(581_012),
        remark: "LIBSVM data page: covtype.binary, columns scaled to [0, 1]",
    },
    Set {
        name: "mushrooms",
        source: files(&["mushrooms"]),
        labels: Labels::Positive("2"),
        unit_rows: true,
        rows: Some(8_124),
        remark: LIBSVM,
    },
    Set {
        name: "usps",
        source: files(&["usps"]),
        labels: Labels::Positive("1"),
        unit_rows: true,
        rows: Some(7_291),
        remark: "LIBSVM data page: usps, the digit 0 (label 1) against the others",
    },
    Set {
        name: "sensorless",
        source: files(&["Sensorless.sample2200"]),
        labels: Labels::Cycled("0", 27),
        unit_rows: true,
        rows: None,
        remark: "a sample of 2,200 rows, gone through 27 times, whose label 0 is class 1 of the 58,509 rows on the LIBSVM data page",
    },
    Set {
        name: "protein",
        source: Source::Unavailable,
        labels: Labels::Positive("1"),
        unit_rows: true,
        rows: None,
        remark: "LIBSVM data page: protein; which of its classes is positive is not published",
    },
    Set {
        name: "australian",
        source: files(&["australian"]),
        labels: Labels::Positive("1"),
        unit_rows: true,
        rows: Some(690),
        remark: LIBSVM,
    },
    Set {
        name: "magic04",
        source: files(&["magic04"]),
        labels: Labels::Positive("-1"),
        unit_rows: true,
        rows: Some(19_020),
        remark: "UCI repository: MAGIC Gamma Telescope, as LIBSVM text with gamma +1 and hadron -1",
    },
    Set {
        name: "dna",
        source: files(&["dna.scale"]),
        labels: Labels::Positive("1"),
        unit_rows: true,
        rows: Some(2_000),
        remark: "LIBSVM data page: dna.scale",
    },
    Set {
        name: "kddcup08",
        source: Source::Unavailable,
        labels: Labels::Positive("1"),
        unit_rows: true,
        rows: None,
        remark: "KDD Cup 2008, breast cancer: only from its organizers",
    },
    Set {
        name: "pcmac",
        source: files(&["pcmac"]),
        labels: Labels::Positive("1"),
        unit_rows: true,
        rows: Some(1_943),
        remark: "20 Newsgroups, pc.hardware against mac.hardware, as LIBSVM text: 3,289 of the 7,510 words that the papers have",
    },
    Set {
        name: "basehock",
        source: files(&["basehock"]),
        labels: Labels::Positive("1"),
        unit_rows: true,
        rows: Some(1_993),
        remark: "20 Newsgroups, baseball against hockey, as LIBSVM text",
    },
    Set {
        name: "news20.binary",
        source: files(&["news20.binary|news20.binary.rebuilt"]),
        labels: Labels::Positive("1"),
        unit_rows: true,
        rows: None,
        remark: "LIBSVM data page: news20.binary; here rebuilt from the posts by its recipe, 19,953 rows and 1,284,587 features",
    },
    Set {
        name: "a9a-test",
        source: Source::Files { train: &["a9a"], test: &["a9a.t"] },
        labels: Labels::Positive("1"),
        unit_rows: true,
        rows: Some(32_561),
        remark: "LIBSVM data page: a9a to learn from, a9a.t to test on; in place of AUT",
    },
    Set {
        name: "addresses",
        source: files(&["pdd_urls"]),
        labels: Labels::Positive("1"),
        unit_rows: true,
        rows: Some(73_575),
        remark: "phishing addresses (73,575 rows, 374,880 features) in place of URL, which has 2,396,130 rows",
    },
    Set {
        name: "addresses-rare",
        source: files(&["pdd_urls"]),
        labels: Labels::RarePositive("1"),
        unit_rows: true,
        rows: None,
        remark: "phishing addresses with one positive in a hundred, in place of URL2",
    },
    Set {
        name: "news20-rare",
        source: files(&["news20.binary|news20.binary.rebuilt"]),
        labels: Labels::RarePositive("1"),
        unit_rows: true,
        rows: None,
        remark: "news20.binary with one positive in a hundred, in place of WEBSPAM2",
    },
    Set {
        name: "synthetic",
        source: Source::Synthetic { train: 100_000, test: 10_000 },
        labels: Labels::Positive("1"),
        unit_rows: false,
        rows: None,
        remark: "made by the program, as section 5.2 of the paper says",
    },
    Set {
        name: "books",
        source: files(&["books"]),
        labels: Labels::Positive("1"),
        unit_rows: false,
        rows: None,
        remark: "Multi-Domain Sentiment Dataset, books: the 2,000 reviews with labels",
    },
    Set {
        name: "dvd",
        source: files(&["dvd"]),
        labels: Labels::Positive("1"),
        unit_rows: false,
        rows: None,
        remark: "Multi-Domain Sentiment Dataset, dvd: the 2,000 reviews with labels",
    },
    Set {
        name: "ob-2-1",
        source: files(&["news20"]),
        labels: Labels::Classes(&["8", "9"], 500),
        unit_rows: false,
        rows: Some(1000),
        remark: "LIBSVM data page: news20, rec.autos and rec.motorcycles",
    },
    Set {
        name: "sb-2-1",
        source: files(&["news20"]),
        labels: Labels::Classes(&["8", "15"], 500),
        unit_rows: false,
        rows: Some(1000),
        remark: "LIBSVM data page: news20, rec.autos and sci.space",
    },
    Set {
        name: "ob-8-1",
        source: files(&["news20"]),
        labels: Labels::Classes(&["2", "3", "4", "5", "8", "9", "10", "11"], 500),
        unit_rows: false,
        rows: Some(4000),
        remark: "LIBSVM data page: news20, four groups of comp and four of rec",
    },
    Set {
        name: "sb-8-1",
        source: files(&["news20"]),
        labels: Labels::Classes(&["2", "8", "10", "12", "14", "15", "17", "18"], 500),
        unit_rows: false,
        rows: Some(4000),
        remark: "LIBSVM data page: news20, eight groups far from each other",
    },
    Set {
        name: "reuters",
        source: files(&["reuters21578.crude"]),
        labels: Labels::Positive("1"),
        unit_rows: false,
        rows: None,
        remark: "Reuters-21578, crude oil against the rest, in place of the 20 categories of reut20",
    },
];

/// The set of this name.
pub fn find(name: &str) -> Option<&'static Set> {
    SETS.iter().find(|set| set.name == name)
}

/// Endings that a file may have besides its name.
const ENDINGS: &[&str] = &["", ".zst", ".bz2", ".xz", ".gz", ".svm", ".svm.zst", ".libsvm", ".txt"];

/// The file of this name in the folder, with or without an ending. Other names are separated by bars.
fn file(folder: &Path, names: &str) -> Option<PathBuf> {
    let mut all =
        names.split('|').flat_map(|name| ENDINGS.iter().map(move |ending| format!("{name}{ending}")));
    all.find_map(|name| Some(folder.join(name)).filter(|path| path.is_file()))
}

/// The files of a set: those to learn from and those to test on.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// To learn from.
    pub train: Vec<PathBuf>,
    /// To test on.
    pub test: Vec<PathBuf>,
}

impl Set {
    /// Its files, or what is missing.
    pub fn files(&self, folder: Option<&Path>) -> Result<Files, String> {
        let Source::Files { train, test } = self.source else {
            return match self.source {
                Source::Unavailable => Err(format!("{}: {}", self.name, self.remark)),
                _ => Ok(Files::default()),
            };
        };
        let Some(folder) = folder else {
            return Err(format!(
                "{} needs --data, a folder with {} ({})",
                self.name,
                train.join(", "),
                self.remark
            ));
        };
        let find = |names: &[&str]| {
            names
                .iter()
                .map(|name| {
                    let missing = || {
                        format!("{}: {} is not in {} ({})", self.name, name, folder.display(), self.remark)
                    };
                    file(folder, name).ok_or_else(missing)
                })
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(Files { train: find(train)?, test: find(test)? })
    }
}
