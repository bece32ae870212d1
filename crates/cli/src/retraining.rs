//! The command that trains the best of several settings again.

use thalweg::learners;
use thalweg_core::rule::Values;
use thalweg_experiments::sweep::Swept;

use crate::escape::shell_quoted;

/// Flags of a sweep that training does not have, and how many values each takes.
const ONLY_SWEEP: &[(&str, usize)] = &[
    ("-a", 1),
    ("--learner", 1),
    ("--grid", 1),
    ("--progressive", 0),
    ("--folds", 1),
    ("--race", 0),
    ("--objective", 1),
    ("--csv", 1),
    ("--report", 1),
    ("--top", 1),
    ("--json", 0),
    ("-q", 0),
    ("--quiet", 0),
];

/// The command that would train the best candidate. `prepare` is what the sweep was told about values.
pub(crate) fn command_to_retrain(swept: &Swept, prepare: Option<bool>) -> String {
    let words = std::env::args_os().skip(2).map(|word| word.to_string_lossy().into_owned());
    let mut kept = training_words(words);
    let Some(winner) = swept.report.winner() else { return String::new() };
    let spec = &winner.candidate.learner;
    // All candidates got the same values, which need not be those that the winner would get on its own.
    let prepared = |learner: &str| {
        learners::find(learner.split(':').next().unwrap_or_default())
            .is_ok_and(|entry| entry.values == Values::Prepared)
    };
    let all = swept.report.candidates.iter().all(|one| prepared(&one.candidate.learner));
    let mut flags = Vec::new();
    if prepare.is_none() && prepared(spec) != all {
        flags.push(if all { "--prepare" } else { "--raw" }.into());
    }
    // Behind -- there are only files.
    let end = kept.iter().position(|word| word == "--").unwrap_or(kept.len());
    flags.extend(["-a".into(), spec.clone()]);
    kept.splice(end..end, flags);
    let words = ["thalweg".to_string(), "train".into()].into_iter().chain(kept);
    words.map(|word| shell_quoted(&word)).collect::<Vec<_>>().join(" ")
}

/// The words of a sweep that mean the same for training.
fn training_words(words: impl Iterator<Item = String>) -> Vec<String> {
    let (mut kept, mut skip, mut only_files) = (Vec::new(), 0, false);
    for word in words {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        only_files |= word == "--";
        if only_files {
            kept.push(word);
            continue;
        }
        let flag = word.split('=').next().unwrap_or_default();
        let short = word.len() > 2 && word.starts_with("-a");
        match ONLY_SWEEP.iter().find(|(name, _)| *name == flag) {
            Some((_, values)) => skip = if word.contains('=') { 0 } else { *values },
            None if short => {}
            None => kept.push(word),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_training_has_are_kept() {
        let words = "a.svm -a ssol --grid eta=1,2 --bias --folds 5 -aarow --race=0.1 --cost-fn 20 --race b.svm -f m.thw --top=3";
        let kept = training_words(words.split(' ').map(Into::into));
        assert_eq!(kept.join(" "), "a.svm --bias --cost-fn 20 b.svm -f m.thw");
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(shell_quoted("ssol:eta=1,r=2"), "ssol:eta=1,r=2");
        assert_eq!(shell_quoted("it's"), "'it'\\''s'");
        assert_eq!(shell_quoted("logs/*.csv"), "'logs/*.csv'");
    }
}
