//! The registry of metrics: one line per metric, one file per metric or family.

mod agreement;
mod average_loss;
mod balanced_accuracy;
mod cost;
mod hinge_loss;
mod macro_averages;
mod mean;
mod mistakes;
mod probabilities;
mod ranking;
mod top_k;
mod two_classes;
mod updates;

use crate::chosen::{Chosen, MetricError};
use crate::metric::{Context, Entry, Place};

/// Every metric, in the order in which reports show them.
///
/// In all of them each example counts as much as its importance says, except for `examples`, `updates` and `nonzeros`, which are
/// plain counts.
pub static METRICS: &[Entry] = &[
    mistakes::EXAMPLES,
    mistakes::MISTAKES,
    mistakes::ERROR,
    cost::COST,
    cost::OF_FLAGGING_NOTHING,
    cost::OF_FLAGGING_EVERYTHING,
    balanced_accuracy::BALANCED_ACCURACY,
    average_loss::AVERAGE_LOSS,
    two_classes::MISSED,
    two_classes::FALSE_ALARMS,
    two_classes::SENSITIVITY,
    two_classes::SPECIFICITY,
    two_classes::SUM,
    macro_averages::MACRO_PRECISION,
    macro_averages::MACRO_RECALL,
    macro_averages::MACRO_F1,
    macro_averages::MICRO_F1,
    updates::UPDATES,
    updates::NONZEROS,
    mistakes::ACCURACY,
    two_classes::PRECISION,
    two_classes::RECALL,
    two_classes::F1,
    two_classes::F_BETA,
    two_classes::GEOMETRIC_MEAN,
    macro_averages::MICRO_PRECISION,
    macro_averages::MICRO_RECALL,
    macro_averages::WEIGHTED_F1,
    top_k::TOP_K,
    agreement::MATTHEWS_CORRCOEF,
    agreement::COHEN_KAPPA,
    ranking::ROC_AUC,
    ranking::AVERAGE_PRECISION,
    hinge_loss::HINGE_LOSS,
    probabilities::LOG_LOSS,
    probabilities::BRIER_SCORE,
    probabilities::EXPECTED_CALIBRATION_ERROR,
];

/// Other names that people know metrics by.
const ALIASES: &[(&str, &str)] = &[
    ("auc", "roc_auc"),
    ("auroc", "roc_auc"),
    ("roc_auc_score", "roc_auc"),
    ("pr_auc", "average_precision"),
    ("auprc", "average_precision"),
    ("ap", "average_precision"),
    ("average_precision_score", "average_precision"),
    ("mcc", "matthews_corrcoef"),
    ("matthews", "matthews_corrcoef"),
    ("kappa", "cohen_kappa"),
    ("cohen_kappa_score", "cohen_kappa"),
    ("gmean", "geometric_mean"),
    ("g_mean", "geometric_mean"),
    ("ece", "expected_calibration_error"),
    ("calibration_error", "expected_calibration_error"),
    ("brier", "brier_score"),
    ("brier_score_loss", "brier_score"),
    ("logloss", "log_loss"),
    ("cross_entropy", "log_loss"),
    ("hinge", "hinge_loss"),
    ("acc", "accuracy"),
    ("accuracy_score", "accuracy"),
    ("balanced_accuracy_score", "balanced_accuracy"),
    ("loss", "average_loss"),
    ("precision_score", "precision"),
    ("recall_score", "recall"),
    ("tpr", "recall"),
    ("tnr", "specificity"),
    ("f1_score", "f1"),
    ("f1_macro", "macro_f1"),
    ("f1_micro", "micro_f1"),
    ("f1_weighted", "weighted_f1"),
    ("false_negatives", "missed"),
    ("false_positives", "false_alarms"),
];

/// The metric of this name, which may be an alias and the name of a member of a family. Capitals and dashes are as good as small
/// letters and underscores.
pub fn find(name: &str) -> Result<Chosen, MetricError> {
    let plain = name.trim().to_lowercase().replace([' ', '-'], "_");
    let alias = ALIASES.iter().find(|(alias, _)| *alias == plain);
    let named = |name: &str| METRICS.iter().find_map(|entry| Chosen::by_name(entry, name));
    let found = named(alias.map_or(&plain, |(_, name)| name));
    // `f1.0` is `f1`, which is not a member of its family.
    let found = found.map(|metric| named(&metric.name()).unwrap_or(metric));
    found.ok_or_else(|| MetricError::Unknown { name: name.to_string(), near: nearest(&plain) })
}

/// A name that may have been meant.
fn nearest(name: &str) -> Option<String> {
    let known = METRICS.iter().map(|metric| metric.name).chain(ALIASES.iter().map(|(alias, _)| *alias));
    let (distance, near) = known.map(|known| (strsim::damerau_levenshtein(name, known), known)).min()?;
    (distance <= 1 + near.len() / 4).then(|| near.to_string())
}

/// The metrics of these names, if a run has all of them.
pub fn choose<N: AsRef<str>>(names: &[N], context: &Context) -> Result<Vec<Chosen>, MetricError> {
    let chosen = |name: &N| find(name.as_ref()).and_then(|metric| metric.check(context).map(|()| metric));
    names.iter().map(chosen).collect()
}

/// The metrics that the reports of a run show.
pub fn standard(context: &Context) -> impl Iterator<Item = Chosen> {
    let shown = |entry: &&Entry| entry.scope.includes(context) && is_standard(entry.place, context);
    METRICS.iter().filter(shown).map(Chosen::from)
}

/// Are metrics of this place in the reports of a run without being asked for?
fn is_standard(place: Place, context: &Context) -> bool {
    match place {
        Place::Line | Place::LastLine | Place::JsonOnly => true,
        Place::LineIf(declared) => declared.by(context),
        Place::Beside(other) => {
            METRICS.iter().any(|entry| entry.name == other && is_standard(entry.place, context))
        }
        Place::OnRequest | Place::Elsewhere => false,
    }
}

/// What reports show beside a metric.
pub(crate) fn beside(metric: &Chosen) -> impl Iterator<Item = Chosen> {
    let name = metric.entry.name;
    METRICS.iter().filter(move |entry| entry.place == Place::Beside(name)).map(Chosen::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_metric() {
        for metric in METRICS.iter().filter(|metric| !metric.name.contains('<')) {
            assert!(std::ptr::eq(find(metric.name).unwrap().entry, metric), "{}", metric.name);
            if let Place::Beside(other) = metric.place {
                let place = find(other).unwrap().entry.place;
                assert!(matches!(place, Place::Line | Place::LineIf(_)), "{}", metric.name);
            }
        }
        for (alias, name) in ALIASES {
            assert_eq!(find(alias).unwrap().name(), *name);
            assert!(!METRICS.iter().any(|metric| metric.name == *alias), "{alias}");
        }
        assert_eq!(find("ROC-AUC").unwrap().name(), "roc_auc");
    }

    #[test]
    fn families_have_numbers_in_their_names() {
        for (name, expected, title, parameter) in [
            ("f2", "f2", "F2", Some(2.0)),
            ("F0.50", "f0.5", "F0.5", Some(0.5)),
            ("f1.0", "f1", "F1", None),
            ("top_3", "top_3", "top-3 accuracy", Some(3.0)),
        ] {
            let metric = find(name).unwrap();
            assert_eq!((metric.name().as_str(), metric.title().as_str()), (expected, title));
            assert_eq!(metric.parameter, parameter);
        }
        for name in [
            "f0",
            "f-1",
            "finf",
            "f",
            "f<beta>",
            "top_0",
            "top_1.5",
            "top_",
            "top_<k>",
            "f1e3",
            "f10000000",
            "f+1",
        ] {
            assert!(find(name).is_err(), "{name}");
        }
    }

    #[test]
    fn near_misses_are_suggested() {
        let message = |name| find(name).unwrap_err().to_string();
        assert_eq!(message("rok_auc"), "there is no metric \"rok_auc\" (did you mean \"roc_auc\"?)");
        assert_eq!(message("balanced"), "there is no metric \"balanced\"");
    }

    #[test]
    fn the_readme_lists_every_metric() {
        let rows: String = METRICS.iter().map(|m| format!("| `{}` | {} |\n", m.name, m.doc)).collect();
        assert!(include_str!("../../README.md").contains(&rows), "the table should be\n{rows}");
    }
}
