//! What a configuration says of data: how records are read and prepared, and what a run may take.

use thalweg_data::stream::BadLinePolicy;
use thalweg_data::{Cache, MemoryLimit, Naming, Norm, Prepare, Reading, Scale, Settings};

use super::{Config, cores, is_prepared};
use crate::error::ConfigError;

impl Config {
    /// How records become features, for whoever reads data without a model.
    pub fn reading(&self) -> Result<Reading, ConfigError> {
        let naming = match (self.hash_bits, self.names.unwrap_or_default()) {
            (Some(_), true) => return Err(ConfigError::Together("hash_bits", "names")),
            (Some(bits), false) if (1..=31).contains(&bits) => Some(Naming::Hashed(bits)),
            (Some(bits), false) => {
                return Err(ConfigError::Value {
                    field: "hash_bits",
                    must: "be from 1 to 31",
                    got: bits.to_string(),
                });
            }
            (None, names) => names.then_some(Naming::Names),
        };
        if self.hash_bits.is_some() && self.max_features.is_some() {
            return Err(ConfigError::Together("hash_bits", "max_features"));
        }
        for pair in &self.interact {
            thalweg_data::check_pair(pair).map_err(|cause| ConfigError::Interaction(cause.to_string()))?;
        }
        Ok(Reading {
            naming,
            encoding: self.encoding,
            delimiter: delimiter(self.delimiter)?,
            decimal_comma: self.decimal_comma.unwrap_or_default(),
            label: self.label_col.clone(),
            importance: self.importance_col.clone(),
            cost: self.cost_col.clone(),
            id: self.id_col.clone(),
            ignore: self.ignore.clone(),
            category: self.category.clone(),
            date: self.date.clone(),
            text: self.text.clone(),
            url: self.url.clone(),
            words: lengths("ngrams", self.ngrams)?,
            characters: lengths("chars", self.chars)?,
            values: self.text_values,
            interact: self.interact.clone(),
            max_features: self.max_features,
            headless: self.no_header.unwrap_or_default(),
            table: None,
        })
    }

    /// How a model reads this run's data, which may be spelled in another way than what it was trained on.
    pub(crate) fn adjust(&self, reading: &mut Reading) {
        reading.headless |= self.no_header.unwrap_or_default();
        reading.encoding = self.encoding.or(reading.encoding);
        reading.decimal_comma = self.decimal_comma.unwrap_or(reading.decimal_comma);
    }

    /// What is done to every example.
    pub fn preparation(&self) -> Prepare {
        let whole = self.with_preparation();
        Prepare {
            binary: self.binary.unwrap_or_default(),
            scale: whole.scale.filter(|scale| *scale != Scale::None),
            normalize: whole.normalize.filter(|norm| *norm != Norm::None),
            bias: whole.bias.unwrap_or_default(),
        }
    }

    /// The same configuration with its preparation written out: as the learner wants it, unless the run says otherwise.
    pub(crate) fn with_preparation(&self) -> Self {
        let (scale, normalize, bias) = if self.prepare.unwrap_or_else(|| is_prepared(self.learner_name())) {
            (Scale::Typical, Norm::Count, true)
        } else {
            (Scale::None, Norm::None, false)
        };
        Self {
            prepare: None,
            scale: self.scale.or(Some(scale)),
            normalize: self.normalize.or(Some(normalize)),
            bias: self.bias.or(Some(bias)),
            ..self.clone()
        }
    }

    pub(crate) fn memory_limit(&self) -> MemoryLimit {
        self.max_memory.map_or_else(MemoryLimit::default, MemoryLimit)
    }

    fn bad_lines(&self) -> BadLinePolicy {
        let strict = self.strict.unwrap_or_default();
        BadLinePolicy { strict, limit: self.max_bad, reject_file: self.reject_file.clone(), append: false }
    }

    /// How inputs are read, whatever is made of them.
    pub(crate) fn input_settings(&self) -> Settings {
        Settings {
            format: self.format,
            delimiter: self.delimiter,
            bad_lines: self.bad_lines(),
            threads: self.reading_threads(),
            cache: if self.cache.unwrap_or_default() { Cache::Beside } else { Cache::No },
            memory: self.memory_limit(),
            milestones: self.milestones(),
            ..Settings::default()
        }
    }

    /// How many threads read.
    fn reading_threads(&self) -> usize {
        self.threads.unwrap_or_else(cores)
    }
}

/// Lengths that make sense, if they are set.
fn lengths(
    field: &'static str,
    lengths: Option<(usize, usize)>,
) -> Result<Option<(usize, usize)>, ConfigError> {
    match lengths {
        Some((from, to)) if !(1 <= from && from <= to && to <= 20) => {
            let must = "be a range from 1 to 20, such as 1 to 3";
            Err(ConfigError::Value { field, must, got: format!("{from} to {to}") })
        }
        lengths => Ok(lengths),
    }
}

/// A character that can separate fields, if it is set.
fn delimiter(delimiter: Option<char>) -> Result<Option<char>, ConfigError> {
    let must =
        "be one ASCII character such as ; or |, and not a letter, digit, quote, point, sign or line end";
    let fits = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && !"\"\n\r.+-\0".contains(c);
    match delimiter {
        Some(c) if !fits(c) => Err(ConfigError::Value { field: "delimiter", must, got: format!("{c:?}") }),
        delimiter => Ok(delimiter),
    }
}
