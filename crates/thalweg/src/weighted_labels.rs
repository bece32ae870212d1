//! Labels that have a weight and never come: a slip of the keyboard that would otherwise go unnoticed.

use thalweg_core::{Batch, Task};
use thalweg_data::Labels;

use crate::config::Config;

/// Which classes examples had.
#[derive(Debug, Default)]
pub(crate) struct WeightedLabels {
    seen: Vec<bool>,
}

impl WeightedLabels {
    /// Takes note of the classes of a batch.
    pub(crate) fn observe(&mut self, batch: &Batch) {
        for class in batch.labels().iter().flatten().map(|class| *class as usize) {
            if class >= self.seen.len() {
                self.seen.resize(class + 1, false);
            }
            self.seen[class] = true;
        }
    }

    /// What is to be told when all examples have come.
    pub(crate) fn warnings(&self, config: &Config, labels: &Labels, task: Task) -> Vec<String> {
        let names = labels.names();
        // Several labels that share the negative class are called the rest: it is not known whether this is one of them.
        let has_rest = task == Task::Binary && labels.is_rest() && names[0] == "rest";
        let known = |label: &str| {
            let class = names.iter().position(|name| name == label);
            class.map_or(has_rest, |class| self.seen.get(class).copied().unwrap_or(false))
        };
        let weighted = config.weights_by_label().unwrap_or_default().into_iter();
        let unknown = weighted.filter(|(label, _)| !known(label));
        unknown.map(|(label, _)| format!("no example has the label \"{label}\" (`class_weight`)")).collect()
    }
}
