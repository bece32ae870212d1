//! How records become features: flags of a first run, which the model remembers.

use clap::{Args, ValueEnum};
use thalweg::Config;
use thalweg_data::{NotAPair, check_pair};

/// What columns are for, and how features are named.
#[derive(Args)]
pub(crate) struct ReadingArgs {
    /// The column or key of the label [default: label]
    #[arg(long, value_name = "COLUMN")]
    label_col: Option<String>,

    /// The column or key of the importance
    #[arg(long, value_name = "COLUMN", alias = "weight-col")]
    importance_col: Option<String>,

    /// The column or key of an id for predictions
    #[arg(long, value_name = "COLUMN")]
    id_col: Option<String>,

    /// A column, key or namespace to leave out
    ///
    /// May be repeated.
    #[arg(long, value_name = "NAME")]
    ignore: Vec<String>,

    /// A column of codes, such as postcodes
    ///
    /// Each value is a feature COLUMN=VALUE, exactly as it is spelled. May be repeated.
    #[arg(long, value_name = "COLUMN")]
    category: Vec<String>,

    /// A column of dates or times
    ///
    /// For example 2024-02-29T13:05, or seconds since 1970. Weekday, month, hour and years since 2000 become features. May be repeated.
    #[arg(long, value_name = "COLUMN")]
    date: Vec<String>,

    /// A column of text: its words become features
    ///
    /// May be repeated.
    #[arg(long, value_name = "COLUMN")]
    text: Vec<String>,

    /// A column of web addresses: parts become features
    ///
    /// May be repeated.
    #[arg(long, value_name = "COLUMN")]
    url: Vec<String>,

    /// Lengths of word n-grams, such as 1..2
    ///
    /// [default: 1, or none with --chars]
    #[arg(long, value_name = "FROM..TO", value_parser = range)]
    ngrams: Option<(usize, usize)>,

    /// Lengths of character n-grams, such as 3..5
    ///
    /// They are taken from texts and web addresses. [default: none]
    #[arg(long, value_name = "FROM..TO", value_parser = range)]
    chars: Option<(usize, usize)>,

    /// The value of a word that occurs n times [default: binary]
    #[arg(long, value_enum, value_name = "WHAT")]
    text_values: Option<TextValues>,

    /// Multiply the features of two columns or namespaces
    ///
    /// The pair is two first letters (ab) or two names (user:item). May be repeated.
    #[arg(long, value_name = "PAIR", value_parser = pair)]
    interact: Vec<String>,

    /// Number features by a hash with this many bits
    ///
    /// This takes a fixed amount of memory, but names are not kept and may share a weight. The report says how many do.
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..=31), conflicts_with = "names")]
    hash_bits: Option<u32>,

    /// Treat the features of LIBSVM data as names
    ///
    /// The model is then the same whatever the format of the data.
    #[arg(long)]
    names: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum TextValues {
    /// 1
    Binary,
    /// n
    Count,
    /// 1 + ln n
    Log,
}

impl ReadingArgs {
    /// What the flags say.
    pub(crate) fn config(&self) -> Config {
        let values = |values| match values {
            TextValues::Binary => thalweg::TextValues::Binary,
            TextValues::Count => thalweg::TextValues::Count,
            TextValues::Log => thalweg::TextValues::Log,
        };
        Config {
            label_col: self.label_col.clone(),
            importance_col: self.importance_col.clone(),
            id_col: self.id_col.clone(),
            ignore: self.ignore.clone(),
            category: self.category.clone(),
            date: self.date.clone(),
            text: self.text.clone(),
            url: self.url.clone(),
            ngrams: self.ngrams,
            chars: self.chars,
            text_values: self.text_values.map(values),
            interact: self.interact.clone(),
            names: self.names.then_some(true),
            hash_bits: self.hash_bits,
            ..Config::default()
        }
    }
}

fn pair(text: &str) -> Result<String, NotAPair> {
    check_pair(text).map(|()| text.to_string())
}

/// `2` or `1..3`.
fn range(text: &str) -> Result<(usize, usize), String> {
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|n| (1..=20).contains(n));
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let range = number(from).zip(number(to.trim_start_matches('='))).filter(|(from, to)| from <= to);
    range.ok_or_else(|| "must be a number or a range from 1 to 20, such as 2 or 1..3".into())
}
