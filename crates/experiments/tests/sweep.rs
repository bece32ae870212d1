//! A sweep is many runs of training in one.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::Path;

use thalweg::{Config, Input, Interrupt, Multiclass, Observer, Trainer};
use thalweg_experiments::grid::{Candidate, candidates};
use thalweg_experiments::sweep::{Objective, Sweep, SweepError, Swept, Validation};

fn spam() -> Vec<Input> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/smsspam.train.svm.zst");
    vec![Input::File(data)]
}

fn grid(learners: &[&str], ranges: &[&str]) -> Vec<Candidate> {
    let learners: Vec<String> = learners.iter().map(ToString::to_string).collect();
    let ranges: Vec<_> = ranges.iter().map(|range| range.parse().unwrap()).collect();
    candidates(&learners, &ranges).unwrap()
}

fn sweep(candidates: Vec<Candidate>, validation: Validation) -> Sweep {
    let config = Config::default();
    Sweep { objective: Objective::of(&config).unwrap(), config, candidates, validation, race: None }
}

fn run(sweep: &Sweep, inputs: &[Input]) -> Swept {
    sweep.run(inputs, &Interrupt::default(), &mut ()).unwrap()
}

/// What training alone gives: the model's bytes, and the error.
fn trained(config: Config, learner: &str) -> (Vec<u8>, Option<f64>) {
    let mut trainer = Trainer::new(config.learner(learner)).unwrap();
    trainer.run(&spam(), &mut ()).unwrap();
    let error = trainer.report().figures.value("error");
    (trainer.into_model().unwrap().to_bytes(), error)
}

#[test]
fn every_candidate_is_measured_as_if_it_were_trained_alone_and_the_best_is_that_model() {
    let sweep = sweep(grid(&["arow", "ssol", "pa1"], &["r=0.1,1", "eta=1,4"]), Validation::Progressive);
    let swept = run(&sweep, &spam());
    assert_eq!(swept.report.candidates.len(), 2 + 4 + 1);
    for one in &swept.report.candidates {
        let (_, error) = trained(Config::default(), &one.candidate.learner);
        assert_eq!(one.value, error, "{}", one.candidate.learner);
    }
    let best = swept.report.winner().unwrap();
    assert!(best.pareto && swept.report.candidates.iter().all(|one| one.value >= best.value));
    assert_eq!(swept.model.to_bytes(), trained(Config::default(), &best.candidate.learner).0);
}

#[test]
fn the_default_learner_gets_prepared_values() {
    let swept = run(&sweep(grid(&["sarow"], &["kappa=0.15,1"]), Validation::Progressive), &spam());
    let best = swept.report.winner().unwrap();
    let (model, error) = trained(Config::default(), &best.candidate.learner);
    assert_eq!((swept.model.to_bytes(), best.value), (model, error));
}

#[test]
fn held_out_examples_are_those_of_training_in_every_pass() {
    let config = Config::default().passes(2u64);
    let mut sweep = sweep(grid(&["arow"], &["r=0.1,1"]), Validation::Holdout(0.2));
    sweep.config = config.clone();
    let best = run(&sweep, &spam());
    let winner = best.report.winner().unwrap();
    let (model, error) = trained(config.holdout(0.2), &winner.candidate.learner);
    assert_eq!((best.model.to_bytes(), winner.value), (model, error));
}

#[test]
fn folds_cover_all_examples_and_the_model_has_learned_from_all() {
    let swept = run(&sweep(grid(&["arow"], &["r=0.1,1,10"]), Validation::Folds(4)), &spam());
    let best = swept.report.winner().unwrap();
    assert!(best.deviation.unwrap() > 0.0);
    assert_eq!(swept.model.to_bytes(), trained(Config::default(), &best.candidate.learner).0);
    let alone = trained(Config::default(), &best.candidate.learner).1.unwrap();
    // Three quarters of the examples teach nearly as much as all.
    assert!((best.value.unwrap() - alone).abs() < 0.01, "{:?} {alone}", best.value);
    let tenth = swept.report.examples as f64 / 4.0;
    assert!((best.folds[0].examples() as f64 - tenth).abs() < 0.1 * tenth);
}

#[test]
fn a_race_drops_what_is_clearly_worse_and_finds_the_same_winner() {
    let candidates = grid(&["pa1"], &["c=1e-6,1e-5,0.1,1"]);
    let unhurried = sweep(candidates.clone(), Validation::Progressive);
    let mut racing = sweep(candidates, Validation::Progressive);
    racing.race = Some(0.05);
    for inputs in [spam(), spam().into_iter().cycle().take(2).collect()] {
        let (whole, raced) = (run(&unhurried, &inputs), run(&racing, &inputs));
        assert_eq!(raced.report.winner().unwrap().candidate, whole.report.winner().unwrap().candidate);
        let gone: Vec<_> = raced.report.candidates.iter().filter(|one| one.eliminated.is_some()).collect();
        assert!(!gone.is_empty());
        for one in gone {
            let eliminated = one.eliminated.as_ref().unwrap();
            assert!(eliminated.at_examples < raced.report.examples && eliminated.odds > 20.0);
            assert!(one.candidate.learner.contains("c=1e-"), "{}", one.candidate.learner);
        }
    }
    racing.validation = Validation::Folds(3);
    assert!(run(&racing, &spam()).report.candidates.iter().any(|one| one.eliminated.is_some()));
}

#[test]
fn many_classes_and_learners_that_share_nothing_can_be_swept() {
    let mut sweep = sweep(grid(&["arow", "ssacog1", "sofs"], &[]), Validation::Progressive);
    sweep.config = Config::default().multiclass(Multiclass::Ovr);
    let swept = run(&sweep, &spam());
    let best = swept.report.winner().unwrap();
    let (model, error) = trained(sweep.config.clone(), &best.candidate.learner);
    assert_eq!((swept.model.to_bytes(), best.value), (model, error));
}

/// Interrupts the run as soon as something was read.
struct Impatient(Interrupt);

impl Observer for Impatient {
    fn bytes_read(&mut self, _: u64) {
        self.0.set();
    }
}

#[test]
fn an_interrupted_sweep_tells_what_is_known() {
    let interrupt = Interrupt::default();
    let sweep = sweep(grid(&["arow"], &["r=0.1,1"]), Validation::Progressive);
    let swept = sweep.run(&spam(), &interrupt, &mut Impatient(interrupt.clone())).unwrap();
    assert!(swept.report.interrupted && swept.report.examples > 0);
    assert_eq!(swept.report.candidates.len(), 2);
}

#[test]
fn what_cannot_be_swept_is_refused_before_data_is_read() {
    let error = |sweep: Sweep| sweep.check().unwrap_err().to_string();
    let good = || sweep(grid(&["arow"], &["r=0.1,1"]), Validation::Progressive);
    assert!(matches!(Objective::new("updates"), Err(SweepError::NoObjective(_))));
    assert!(Objective::new("errr").err().unwrap().to_string().contains("did you mean \"error\""));
    assert!(error(Sweep { validation: Validation::Folds(1), ..good() }).contains("between 2 and 100"));
    assert!(error(Sweep { race: Some(1.5), ..good() }).contains("between 0 and 1"));
    let auc = Objective::new("roc_auc").unwrap();
    assert!(error(Sweep { race: Some(0.05), objective: auc, ..good() }).contains("use error or cost"));
    assert!(good().check().is_ok());
    let at_once = sweep(grid(&["dcd"], &["c=1,2"]), Validation::Progressive);
    let unmeasured = at_once.run(&spam(), &Interrupt::default(), &mut ());
    assert!(matches!(unmeasured, Err(SweepError::NothingMeasured)));
}
