//! The labels that are settled, for threads that read pieces of the data.

use std::sync::OnceLock;

use super::classes::{Labels, canonical};

/// The two labels that are settled, for those who read pieces of the data: examples with others may yet be refused.
#[derive(Debug, Default)]
pub(crate) struct SettledLabels(OnceLock<[String; 2]>);

impl SettledLabels {
    /// From now on these are the labels.
    pub(crate) fn publish(&self, labels: &Labels) {
        if self.0.get().is_none()
            && let Some(both) = labels.both()
        {
            let _ = self.0.set(both);
        }
    }

    /// Is it certain that a label is not refused?
    pub(crate) fn has(&self, text: &[u8]) -> bool {
        let known =
            |both: &[String; 2]| std::str::from_utf8(text).is_ok_and(|text| both.contains(&canonical(text)));
        self.0.get().is_some_and(known)
    }
}
