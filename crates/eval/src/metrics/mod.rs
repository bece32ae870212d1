//! The registry of metrics: one line per metric, one file per metric or family.

mod average_loss;
mod balanced_accuracy;
mod cost;
mod macro_averages;
mod mistakes;
mod two_classes;
mod updates;

use crate::metric::{Context, Entry, Place};

/// Every metric, in the order in which reports show them.
///
/// In all of them each example counts as much as its importance says, except for `examples` and `updates`, which are plain counts.
pub static METRICS: &[Entry] = &[
    mistakes::EXAMPLES,
    mistakes::MISTAKES,
    mistakes::ERROR,
    balanced_accuracy::BALANCED_ACCURACY,
    average_loss::AVERAGE_LOSS,
    two_classes::MISSED,
    two_classes::FALSE_ALARMS,
    two_classes::SENSITIVITY,
    two_classes::SPECIFICITY,
    two_classes::PRECISION,
    two_classes::RECALL,
    two_classes::F1,
    cost::COST,
    macro_averages::MACRO_PRECISION,
    macro_averages::MACRO_RECALL,
    macro_averages::MACRO_F1,
    macro_averages::MICRO_F1,
    updates::UPDATES,
];

/// The metric of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    METRICS.iter().find(|metric| metric.name == name)
}

/// The metrics that the reports of a run show.
pub fn standard(context: &Context) -> impl Iterator<Item = &'static Entry> {
    METRICS.iter().filter(|metric| metric.scope.includes(context) && metric.place != Place::OnRequest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_metric() {
        for metric in METRICS {
            assert!(std::ptr::eq(find(metric.name).unwrap(), metric), "{}", metric.name);
            if let Place::Beside(other) = metric.place {
                assert_eq!(find(other).map(|other| other.place), Some(Place::Line), "{}", metric.name);
            }
        }
        assert!(find("no such metric").is_none());
    }

    #[test]
    fn the_readme_lists_every_metric() {
        let rows: String = METRICS.iter().map(|m| format!("| `{}` | {} |\n", m.name, m.doc)).collect();
        assert!(include_str!("../../README.md").contains(&rows), "the table should be\n{rows}");
    }
}
