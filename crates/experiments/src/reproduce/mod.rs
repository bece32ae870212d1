//! The papers' tables and figures from their own protocols, ours beside the published number.
//!
//! `published/` has a file for each table and figure. `exhibit.rs` reads it, `sets.rs` and `examples.rs` know the data, `protocol.rs` runs a
//! configuration once, `runner.rs` runs all that `store.rs` does not know yet, `fingerprint.rs` says whether what it knows is
//! still true, `comparison.rs` compares, `claims/` checks what the papers claim.

mod claims;
mod comparison;
mod configuration;
mod document;
mod drawing;
mod examples;
mod exhibit;
mod fingerprint;
mod metric;
mod outcome;
mod protocol;
mod runner;
mod series;
pub mod sets;
mod store;
mod text;

pub use claims::{Claim, Evidence, Holds, claims, claims_as_text};
pub use comparison::{Comparison, RowComparison, Verdict, compare};
pub use configuration::{Configuration, Missed, Run};
pub use document::{Document, document, json};
pub use examples::Examples;
pub use exhibit::{Across, Axes, Exhibit, Part, Point, Row, Values};
pub use fingerprint::Outdated;
pub use metric::Metric;
pub use outcome::{CurvePoint, Outcome};
pub use runner::{Options, OutdatedRuns, Progress, check, missing, outdated, run};
pub use series::{Series, series};
pub use store::Store;
pub use text::text;

/// The files of all tables and figures.
const PUBLISHED: &[&str] = &[
    include_str!("published/zhao2019-table2.json"),
    include_str!("published/zhao2019-table3.json"),
    include_str!("published/zhao2019-table5.json"),
    include_str!("published/zhao2019-table6.json"),
    include_str!("published/zhao2019-table8.json"),
    include_str!("published/zhao2019-figure1.json"),
    include_str!("published/zhao2019-figure2.json"),
    include_str!("published/zhao2019-figure3.json"),
    include_str!("published/zhao2019-figure4.json"),
    include_str!("published/zhao2019-figure5.json"),
    include_str!("published/zhao2019-figure6.json"),
    include_str!("published/zhao2019-figure7.json"),
    include_str!("published/zhao2019-figure8.json"),
    include_str!("published/zhao2019-figure9.json"),
    include_str!("published/zhao2019-figure10.json"),
    include_str!("published/tan2016-table2.json"),
    include_str!("published/tan2016-figure1.json"),
    include_str!("published/oiwa2011-table3.json"),
    include_str!("published/oiwa2011-table4.json"),
    include_str!("published/wang2015-figure1.json"),
    include_str!("published/wang2015-figure2.json"),
    include_str!("published/wang2015-figure3.json"),
    include_str!("published/wang2015-figure4.json"),
    include_str!("published/wang2015-figure5.json"),
];

/// All tables and figures, by paper.
pub fn exhibits() -> Vec<Exhibit> {
    PUBLISHED.iter().map(|text| serde_json::from_str(text).expect("a test reads every file")).collect()
}

/// What may go wrong.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// Data is missing.
    #[error("{0}")]
    Missing(String),
    /// A set is not the paper's.
    #[error("{set} must have {rows} rows, these files have {found}")]
    OtherRows {
        /// The set.
        set: &'static str,
        /// How many it must have.
        rows: usize,
        /// How many it has.
        found: usize,
    },
    /// A learner cannot be built, or cannot learn.
    #[error("{configuration}: {error}")]
    Learner {
        /// What was to be run.
        configuration: String,
        /// Why it cannot.
        error: String,
    },
    /// Data cannot be read.
    #[error(transparent)]
    Data(#[from] thalweg_data::Error),
    /// Orders cannot be read.
    #[error(transparent)]
    Order(#[from] crate::OrderError),
    /// A file cannot be read or written.
    #[error("{file}: {cause}")]
    Io {
        /// The file.
        file: String,
        /// Why.
        cause: std::io::Error,
    },
    /// Two runs would write to the same file.
    #[error("{file}: another run writes to it; wait for its end, or use another folder (`work`)")]
    Busy {
        /// The file.
        file: String,
    },
    /// What was stored cannot be read.
    #[error("{file}:{line}: not an outcome of this program ({error}); remove the file to begin anew")]
    Stored {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// Why.
        error: String,
    },
}

#[cfg(test)]
mod tests;
