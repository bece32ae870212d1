//! What forgetting and drift alarms do to the error on streams that change, and on those that do not.
//!
//! `cargo run --release -p thalweg --example changing_streams -- FILE...`
//!
//! Every example is scored before it is learned from; the table has the share of mistakes, and the number of alarms.
#![allow(clippy::print_stdout)]

use thalweg::observer::{Observer, Refusal, Seen};
use thalweg::{Batch, Config, DriftMonitor, Input, Learner, Trainer, learners};
use thalweg_core::{Outcomes, Setup};

/// Keeps the examples as a learner gets them.
#[derive(Default)]
struct Examples(Vec<Batch>);

/// So many are learned from before the monitor looks at them.
const AT_A_TIME: usize = 32;

impl Observer for Examples {
    fn batch(&mut self, seen: &Seen<'_>) -> Result<(), Refusal> {
        for start in (0..seen.batch.len()).step_by(AT_A_TIME) {
            let mut part = Batch::default();
            part.extend_from(seen.batch, start..seen.batch.len().min(start + AT_A_TIME));
            self.0.push(part);
        }
        Ok(())
    }
}

/// What is done when the stream has changed.
#[derive(Clone, Copy)]
enum OnAlarm {
    Nothing,
    Boost(f64),
    Reset,
}

fn mistakes(spec: &str, forget: Option<f64>, on_alarm: OnAlarm, examples: &[Batch]) -> (f64, usize) {
    let setup = Setup { forget, ..Setup::default() };
    let fresh = || learners::build(spec, &setup).expect("a learner that forgets");
    let (mut learner, mut monitor): (Box<dyn Learner>, _) = (fresh(), DriftMonitor::default());
    let (mut outcomes, mut wrong, mut count, mut alarms) = (Outcomes::default(), 0.0, 0.0, 0);
    for batch in examples {
        learner.learn(batch, &mut outcomes).expect("a learner without a limit");
        let guesses = outcomes.scores.iter().map(|score| u32::from(*score > 0.0));
        let losses = batch.labels().iter().zip(guesses);
        let losses: Vec<Option<f64>> =
            losses.map(|(label, guess)| label.map(|label| f64::from(u8::from(label != guess)))).collect();
        wrong += losses.iter().flatten().sum::<f64>();
        count += losses.iter().flatten().count() as f64;
        for _ in monitor.observe(losses) {
            alarms += 1;
            match on_alarm {
                OnAlarm::Nothing => {}
                OnAlarm::Boost(factor) => {
                    learner.boost(factor);
                }
                OnAlarm::Reset => learner = fresh(),
            }
        }
    }
    (100.0 * wrong / count, alarms)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let variants = [
        ("nothing", None, OnAlarm::Nothing),
        ("forget 300", Some(300.0), OnAlarm::Nothing),
        ("forget 1000", Some(1e3), OnAlarm::Nothing),
        ("forget 3000", Some(3e3), OnAlarm::Nothing),
        ("forget 10000", Some(1e4), OnAlarm::Nothing),
        ("forget 100000", Some(1e5), OnAlarm::Nothing),
        ("boost 10", None, OnAlarm::Boost(10.0)),
        ("boost 100", None, OnAlarm::Boost(100.0)),
        ("reset", None, OnAlarm::Reset),
        ("forget 10000, boost 100", Some(1e4), OnAlarm::Boost(100.0)),
    ];
    println!("| stream | examples | learner | {} |", variants.map(|(name, ..)| name).join(" | "));
    println!("| --- | --- | --- |{}", " --- |".repeat(variants.len()));
    for file in std::env::args().skip(1) {
        let mut examples = Examples::default();
        Trainer::new(Config::parse("sarow")?)?.run(&[Input::from(file.as_str())], &mut examples)?;
        let count: usize = examples.0.iter().map(Batch::len).sum();
        for spec in ["arow:r=0.1", "sarow"] {
            let cell = |(name, forget, on_alarm): (&str, Option<f64>, OnAlarm)| {
                let (error, alarms) = mistakes(spec, forget, on_alarm, &examples.0);
                if name == "nothing" || !matches!(on_alarm, OnAlarm::Nothing) {
                    format!("{error:.2} ({alarms})")
                } else {
                    format!("{error:.2}")
                }
            };
            println!("| {file} | {count} | {spec} | {} |", variants.map(cell).join(" | "));
        }
    }
    Ok(())
}
