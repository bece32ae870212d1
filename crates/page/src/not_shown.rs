//! What is said of what is left out.

use crate::number::count;

/// What is said of those of a list that are not shown, if there are any.
pub(crate) fn rest(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!("<p class=\"rest\">And {} more, not shown here.</p>\n", count(more as f64)),
    }
}
