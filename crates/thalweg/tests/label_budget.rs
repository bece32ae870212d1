//! With few labels, those that were not asked for have no part in the model.
#![allow(missing_docs, clippy::unwrap_used)]

use thalweg::{Config, DriftAction, Format, Target, Trainer};

const END: usize = 600;

/// Records; one of them may have the other label.
fn lines(flipped: Option<usize>) -> String {
    let line = |i: usize| {
        let (told, is_spam) = (if (i * 7).is_multiple_of(3) { "a" } else { "b" }, (i * 7).is_multiple_of(3));
        let label = if is_spam == (flipped != Some(i)) { "spam" } else { "ham" };
        format!("{label} | {told}{} n{} n{}\n", i * 13 % 7, i * 31 % 97, i * 17 % 41)
    };
    (0..END).map(line).collect()
}

/// The model, and how many labels were asked for.
fn trained(config: &Config, flipped: Option<usize>) -> (Vec<u8>, u64) {
    let mut trainer = Trainer::new(config.clone()).unwrap();
    trainer.learn_records(lines(flipped).as_bytes(), Format::VW).unwrap();
    let asked = trainer.report().label_budget.unwrap().asked;
    (trainer.into_model().unwrap().to_bytes(), asked)
}

#[test]
fn no_more_labels_change_the_model_than_were_asked_for() {
    let target: Target = "recall>=0.8".parse().unwrap();
    let plain = |learner| Config::parse(learner).unwrap().positive("spam").label_budget(0.1);
    for config in [
        plain("arow"),
        plain("perceptron"),
        plain("arow").target(target).probabilities(true).on_drift(DriftAction::Reset),
    ] {
        let (model, asked) = trained(&config, None);
        let matter = (0..END).filter(|place| trained(&config, Some(*place)).0 != model).count();
        assert!(asked > 30 && asked <= 70, "{config:?}: {asked}");
        assert!(
            matter > 0 && matter as u64 <= asked,
            "{config:?}: {matter} labels matter, {asked} were asked for"
        );
    }
}
