//! Merging does what it says, for every learner that merges; all others say why not.
#![allow(missing_docs, clippy::unwrap_used)]

use thalweg_core::learners::{self, LEARNERS};
use thalweg_core::merge::{Gain, Merging, SameNumbers};
use thalweg_core::{Learner, Outcomes, REAL, Setup, Task};
use thalweg_laws::{Candidate, Example, batch, bytes, candidates, learn};

/// Every candidate that merges.
fn for_every(law: impl Fn(&Candidate)) {
    let merges = |c: &Candidate| !matches!(c.build().merging(), Merging::Never(_));
    let all: Vec<Candidate> = candidates().into_iter().filter(merges).collect();
    assert!(all.len() > 100, "{}", all.len());
    all.iter().for_each(law);
}

/// What a shard of the base has gained from some examples.
fn gain(base: &dyn Learner, shards: u32, examples: &[Example]) -> Gain {
    let mut shard = base.fork();
    shard.share(shards).unwrap();
    learn(shard.as_mut(), examples);
    shard.gain(base, shards, &SameNumbers).unwrap()
}

/// The base with such gains.
fn with(base: &dyn Learner, gains: &[Gain]) -> Box<dyn Learner> {
    let mut joined = base.fork_with(base.classes().max(4), u64::MAX);
    let mut sum = Gain::default();
    gains.iter().for_each(|gain| sum.add(gain));
    joined.take_in(&sum).unwrap();
    joined
}

/// A learner that has learned from some examples.
fn base(c: &Candidate) -> Box<dyn Learner> {
    let mut base = c.build().fork_with(if c.classes() == 2 { 2 } else { 4 }, u64::MAX);
    learn(base.as_mut(), &c.stream(400, 71));
    base
}

fn scores(learner: &dyn Learner, examples: &[Example]) -> Vec<f64> {
    let mut outcomes = Outcomes::default();
    learner.score(&batch(examples), &mut outcomes);
    outcomes.scores
}

/// How far scores are apart, as a part of their size.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let size = |scores: &[f64]| scores.iter().map(|score| score * score).sum::<f64>().sqrt();
    let apart: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    size(&apart) / size(b).max(1e-3)
}

/// Rounding of single numbers of a cell.
fn rounding() -> f64 {
    if REAL == "f64" { 1e-12 } else { 1e-5 }
}

#[test]
fn every_learner_says_how_it_merges_or_why_not() {
    for entry in LEARNERS {
        let learner = learners::build(entry.name, &Setup::default()).unwrap();
        assert_eq!(learner.merging(), entry.merging, "{}", entry.name);
        if let Merging::Never(reason) = entry.merging {
            let refusal = learner.fork().share(2).unwrap_err().to_string();
            assert!(reason.len() > 20 && refusal.contains(reason), "{refusal}");
            assert!(learner.gain(learner.as_ref(), 1, &SameNumbers).is_err(), "{}", entry.name);
            assert!(learner.fork().take_in(&Gain::default()).is_err(), "{}", entry.name);
        }
    }
    for spec in ["arow:covariance=full", "ssol:covariance=full"] {
        let refusal = learners::build(spec, &Setup::default()).unwrap().share(2).unwrap_err();
        assert!(refusal.to_string().contains("covariance=diagonal merges"), "{refusal}");
    }
    let forgets = Setup { forget: Some(100.0), ..Setup::default() };
    let refusal = learners::build("sarow", &forgets).unwrap().share(2).unwrap_err();
    assert!(refusal.to_string().contains("(`forget`)"), "{refusal}");
}

#[test]
fn an_untouched_copy_of_the_base_gains_nothing_and_changes_nothing() {
    for_every(|c| {
        let base = base(c);
        for shards in [1, 2, 8] {
            let nothing = gain(base.as_ref(), shards, &[]);
            assert_eq!(nothing.changed(), 0, "{c}");
            let something = gain(base.as_ref(), shards, &c.stream(100, 72));
            let (alone, beside) = (
                with(base.as_ref(), std::slice::from_ref(&something)),
                with(base.as_ref(), &[something, nothing.clone()]),
            );
            assert!(bytes(alone.as_ref()) == bytes(beside.as_ref()), "{c}");
            assert!(bytes(with(base.as_ref(), &[nothing]).as_ref()) == bytes(base.as_ref()), "{c}");
        }
    });
}

#[test]
fn a_model_merged_from_one_shard_is_that_shard() {
    for_every(|c| {
        for base in [c.build().fork_with(if c.classes() == 2 { 2 } else { 4 }, u64::MAX), base(c)] {
            let mut shard = base.fork();
            shard.share(1).unwrap();
            assert!(bytes(shard.as_ref()) == bytes(base.as_ref()), "{c}");
            learn(shard.as_mut(), &c.stream(300, 73));
            let merged = with(base.as_ref(), &[shard.gain(base.as_ref(), 1, &SameNumbers).unwrap()]);
            let new = c.stream(200, 74);
            let apart = distance(&scores(merged.as_ref(), &new), &scores(shard.as_ref(), &new));
            assert!(apart <= rounding(), "{c}: {apart}");
            assert_eq!(merged.counts(), shard.counts(), "{c}");
            assert_eq!(merged.class_costs(), shard.class_costs(), "{c}");
            if c.entry.merging == Merging::Beliefs && REAL == "f32" {
                assert!(bytes(merged.as_ref()) == bytes(shard.as_ref()), "{c}");
            }
        }
    });
}

#[test]
fn the_order_of_two_makes_no_difference_and_that_of_more_none_beyond_rounding() {
    for_every(|c| {
        let base = base(c);
        let gains: Vec<Gain> = (0..5).map(|i| gain(base.as_ref(), 5, &c.stream(120, 80 + i))).collect();
        let [mut ab, mut ba] = [gains[0].clone(), gains[1].clone()];
        ab.add(&gains[1]);
        ba.add(&gains[0]);
        assert_eq!(ab, ba, "{c}");
        let new = c.stream(300, 90);
        let forwards = scores(with(base.as_ref(), &gains).as_ref(), &new);
        let mut pairs = vec![gains[4].clone(), gains[2].clone()];
        pairs[0].add(&gains[3]);
        pairs[1].add(&ab);
        let apart = distance(&forwards, &scores(with(base.as_ref(), &pairs).as_ref(), &new));
        assert!(apart <= rounding(), "{c}: {apart}");
    });
}

/// All of them went on with the base, and with the same examples.
#[test]
fn a_correction_that_all_shards_have_made_is_made_once() {
    for_every(|c| {
        let base = base(c);
        let (examples, new) = (c.stream(40, 91), c.stream(300, 92));
        let mut alone = base.fork();
        learn(alone.as_mut(), &examples);
        let all = with(base.as_ref(), &vec![gain(base.as_ref(), 1, &examples); 8]);
        let before = scores(base.as_ref(), &new);
        let step = |learner: &dyn Learner| {
            let steps = scores(learner, &new).into_iter().zip(&before).map(|(now, before)| now - before);
            steps.map(|step| step * step).sum::<f64>().sqrt()
        };
        let times = step(all.as_ref()) / step(alone.as_ref()).max(1e-3);
        assert!(times < 1.5, "{c}: {times} times");
    });
}

/// Mistakes on new examples, as a share.
fn error(learner: &dyn Learner, c: &Candidate) -> f64 {
    let new = c.stream(3000, 99);
    let mut outcomes = Outcomes::default();
    learner.score(&batch(&new), &mut outcomes);
    let classes = thalweg::Decision::by(learner).classes(&outcomes);
    let wrong = classes.iter().zip(&new).filter(|(class, example)| **class != example.1).count();
    wrong as f64 / new.len() as f64
}

/// What shards make of a stream in some rounds, with what is gained in each of them joined like this.
fn in_rounds(
    c: &Candidate,
    examples: &[Example],
    shards: usize,
    rounds: usize,
    join: impl Fn(&dyn Learner, &[Gain]) -> Box<dyn Learner>,
    shared_by: u32,
) -> Box<dyn Learner> {
    let mut base = c.build().fork_with(if c.classes() == 2 { 2 } else { 4 }, u64::MAX);
    for part in examples.chunks(examples.len().div_ceil(rounds)) {
        let parts = part.chunks(part.len().div_ceil(shards));
        let gains: Vec<Gain> = parts.map(|part| gain(base.as_ref(), shared_by, part)).collect();
        base = join(base.as_ref(), &gains);
    }
    base
}

/// In units of the error of learning in order: how much worse shards may be, with some examples to spare.
const CLOSE: (f64, f64) = (1.15, 0.04);

fn is_close(together: f64, alone: f64) -> bool {
    together <= CLOSE.0 * alone + CLOSE.1
}

#[test]
fn several_rounds_stay_close_to_learning_in_order() {
    for_every(|c| {
        let examples = c.stream(9600, 75);
        let mut sequential = c.build();
        learn(sequential.as_mut(), &examples);
        let alone = error(sequential.as_ref(), c);
        for rounds in [1, 3, 6] {
            let together = error(in_rounds(c, &examples, 8, rounds, with, 8).as_ref(), c);
            assert!(is_close(together, alone), "{c}, {rounds} rounds: {together} against {alone}");
        }
    });
}

/// What merging is not: every shard makes the whole correction, and all of them are made. One round hides it.
#[test]
fn adding_up_what_shards_have_changed_diverges_in_several_rounds() {
    let added_up = |base: &dyn Learner, gains: &[Gain]| {
        let mut sum = base.fork();
        gains.iter().for_each(|gain| sum.take_in(gain).unwrap());
        sum
    };
    for spec in ["ftrl", "fsol:lambda=0"] {
        let entry = learners::find(spec.split(':').next().unwrap()).unwrap();
        let c = Candidate { entry, spec: spec.into(), task: Task::Binary };
        let examples = c.stream(9600, 75);
        let mut sequential = c.build();
        learn(sequential.as_mut(), &examples);
        let alone = error(sequential.as_ref(), &c);
        let worst =
            [3, 4, 5, 6].map(|rounds| error(in_rounds(&c, &examples, 8, rounds, added_up, 1).as_ref(), &c));
        assert!(worst.iter().any(|added_up| !is_close(*added_up, alone)), "{c}: {worst:?} against {alone}");
    }
}

#[test]
fn shards_may_have_seen_other_classes_and_features() {
    for_every(|c| {
        if c.task == Task::Binary {
            return;
        }
        let base = c.build();
        let (few, many): (Vec<Example>, Vec<Example>) =
            c.stream(600, 76).into_iter().partition(|example| example.1 < 2);
        let gains = [&few, &many].map(|examples| gain(base.as_ref(), 2, examples));
        let mut both = gains[0].clone();
        both.add(&gains[1]);
        let mut merged = base.fork_with(4, u64::MAX);
        merged.take_in(&both).unwrap();
        assert_eq!(merged.classes(), 4, "{c}");
        assert_eq!(merged.counts().examples, 600, "{c}");
        assert!(error(merged.as_ref(), c) < 0.75, "{c}");
        // A learner that does not know all of the classes says so.
        assert!(c.build().take_in(&both).is_err(), "{c}");
    });
}

#[test]
fn no_bytes_of_a_gain_crash_whoever_reads_them() {
    let c = Candidate { entry: learners::find("arow").unwrap(), spec: "arow".into(), task: Task::Ovr };
    let base = c.build();
    let mut bytes = Vec::new();
    let whole = gain(base.as_ref(), 2, &c.stream(50, 77));
    whole.write(&mut bytes);
    assert_eq!(Gain::read(&mut &bytes[..]), Ok(whole));
    for at in 0..bytes.len() {
        assert!(Gain::read(&mut &bytes[..at]).is_err(), "cut at {at}");
        for flip in [0x01, 0x40, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            if let Ok(mut gain) = Gain::read(&mut &damaged[..]) {
                gain.add(&gain.clone());
                _ = base.fork_with(4, u64::MAX).take_in(&gain);
            }
        }
    }
}
