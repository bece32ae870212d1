//! The papers' claims as checks. Each paper has a file.

mod claim;
mod measured;
mod oiwa;
mod reasons;
mod tan;
mod wang;
mod zhao;

use super::runner::Options;
use super::store::Store;
pub use claim::{Claim, Evidence, Holds};
use measured::Measured;

/// All claims of which something is known.
pub fn claims(store: &Store, options: &Options) -> Vec<Claim> {
    let measured = Measured { exhibits: super::exhibits(), store, options };
    let all =
        [wang::claims(&measured), zhao::claims(&measured), oiwa::claims(&measured), tan::claims(&measured)];
    let known = all.into_iter().flatten().filter(|claim| !claim.evidence.is_empty());
    known.map(reasons::given).collect()
}

/// Claims as text, after the tables.
pub fn claims_as_text(claims: &[Claim]) -> String {
    let mut text = String::new();
    for claim in claims {
        text += &format!("\n{} ({}): {}\n", claim.claim.trim_end_matches('.'), claim.paper, claim.verdict());
        for Evidence { on, holds, numbers, reason } in &claim.evidence {
            let why = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
            text += &format!(
                "  {:7}  {on}: {numbers}{why}\n",
                if *holds == Holds::Unclear { "unclear" } else { holds.word() }
            );
        }
    }
    text
}
