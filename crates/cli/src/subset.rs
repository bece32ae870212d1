//! Which examples `convert` writes, and the parts that it divides them into.

use std::path::{Path, PathBuf};

use clap::Args;
use thalweg_data::{Amount, Subset, is_stdout, part_path};

use crate::args::share;
use crate::usage;

/// Which examples are written, in which order, and to how many files.
#[derive(Args)]
pub(crate) struct SubsetArgs {
    /// Write only so many examples: 1%, or 1000
    ///
    /// They are drawn at random. Their number is exact, and any such sample is equally likely.
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    sample: Option<Amount>,

    /// Make positives this share of the examples, such as 1%
    ///
    /// If there are more, all negatives are kept and positives are drawn at random; if there are fewer, all positives are kept. The share is as exact as
    /// whole numbers allow. --sample and --split come after this, and keep the share.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    positives: Option<f64>,

    /// With --positives, the positive label
    ///
    /// Every other label is negative. By default there must be two labels, and the greater is positive.
    #[arg(long, value_name = "LABEL", requires = "positives", allow_hyphen_values = true)]
    positive: Option<String>,

    /// Divide the examples at random into files of these sizes, such as 80:20
    ///
    /// The files are called after OUT: with 80:20, data.svm.zst becomes data.1.svm.zst and data.2.svm.zst; with train=80:test=20, data.train.svm.zst
    /// and data.test.svm.zst. Sizes are proportions, of two parts or more. No file is replaced before all are written.
    #[arg(long, value_name = "SIZES", value_parser = parts)]
    split: Option<Parts>,

    /// With --sample or --split, give each class the same share
    ///
    /// In the sample and in every part, the number of examples of each class is its exact share, rounded down or up.
    #[arg(long)]
    stratified: bool,

    /// Write the examples in random order
    ///
    /// What does not fit into --max-memory goes through temporary files in the folder of OUT (of standard output, in that for temporary files), which
    /// need about as much room as the data. Every order is equally likely, and follows from the seed alone.
    #[arg(long)]
    pub(crate) shuffle: bool,

    /// The seed of --shuffle, --sample, --positives and --split [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// The names of parts and their sizes.
#[derive(Clone, Debug, PartialEq)]
struct Parts(Vec<(String, f64)>);

impl SubsetArgs {
    /// What the flags say. Whoever gives one that has no effect is told.
    pub(crate) fn subset(&self) -> anyhow::Result<Subset> {
        let parts = self.split.iter().flat_map(|split| &split.0).map(|(_, size)| *size).collect();
        let subset = Subset {
            positives: self.positives,
            positive: self.positive.clone(),
            sample: self.sample,
            parts,
            stratified: self.stratified,
            seed: self.seed(),
        };
        if self.stratified && self.sample.is_none() && self.split.is_none() {
            return Err(usage("--stratified is for --sample and --split"));
        }
        if self.seed.is_some() && !self.shuffle && subset.is_all() {
            return Err(usage("--seed is for --shuffle, --sample, --positives and --split"));
        }
        Ok(subset)
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    /// The files to write.
    pub(crate) fn paths(&self, output: &Path) -> anyhow::Result<Vec<PathBuf>> {
        match &self.split {
            None => Ok(vec![output.to_path_buf()]),
            Some(_) if is_stdout(output) => {
                Err(usage("--split writes several files, which cannot all be standard output: name a file"))
            }
            Some(Parts(parts)) => Ok(parts.iter().map(|(name, _)| part_path(output, name)).collect()),
        }
    }
}

/// A percentage or a fraction of the data, or a number of examples.
fn amount(text: &str) -> Result<Amount, String> {
    if let Some(count) = text.parse().ok().filter(|count| *count > 0) {
        return Ok(Amount::Count(count));
    }
    share(text)
        .map(Amount::Share)
        .map_err(|_| "must be a share of the data or a number of examples: 1%, 0.01, 1000".into())
}

/// Sizes, each with a name or called by its place.
fn parts(text: &str) -> Result<Parts, String> {
    let part = |(place, text): (usize, &str)| {
        let (name, size) = match text.rsplit_once('=') {
            Some((name, size)) => (name.trim().to_string(), size),
            None => (place.to_string(), text),
        };
        let right = !name.is_empty() && !name.contains(['/', '\\']);
        let size = size.trim().trim_end_matches('%').parse::<f64>().ok();
        size.filter(|size| right && *size > 0.0 && size.is_finite()).map(|size| (name, size))
    };
    let parts: Option<Vec<(String, f64)>> = (1..).zip(text.split(':')).map(part).collect();
    let distinct = |parts: &[(String, f64)]| {
        let names: std::collections::BTreeSet<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
        names.len() == parts.len()
    };
    parts
        .filter(|parts| parts.len() > 1 && distinct(parts))
        .map(Parts)
        .ok_or_else(|| "must be two or more sizes, with names or without: 80:20, train=80:test=20".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_proportions_with_names_or_without() {
        let named = |parts: &[(&str, f64)]| {
            Ok(Parts(parts.iter().map(|(name, size)| ((*name).to_string(), *size)).collect()))
        };
        assert_eq!(parts("80:20"), named(&[("1", 80.0), ("2", 20.0)]));
        assert_eq!(parts("80%:20%"), named(&[("1", 80.0), ("2", 20.0)]));
        assert_eq!(parts("train=.5:dev=.25:.25"), named(&[("train", 0.5), ("dev", 0.25), ("3", 0.25)]));
        for wrong in
            ["", "80", "80:", "80:0", "80:-20", "a=1:a=1", "2=1:1", "=1:2", "a/b=1:2", "1:inf", "x:y"]
        {
            assert!(parts(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn samples_are_shares_or_numbers() {
        assert_eq!(amount("1%"), Ok(Amount::Share(0.01)));
        assert_eq!(amount("0.25"), Ok(Amount::Share(0.25)));
        assert_eq!(amount("1"), Ok(Amount::Count(1)));
        for wrong in ["0", "-1", "1.5", "200%", "many"] {
            assert!(amount(wrong).is_err(), "{wrong}");
        }
    }
}
