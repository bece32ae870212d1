//! Bytes as a course of learning: they choose a learner, its knobs, its costs, and examples with values beyond all measure.

use thalweg_core::cost::Costs;
use thalweg_core::learners::{self, Entry, LEARNERS};
use thalweg_core::model::{ModelFile, Sections};
use thalweg_core::{BIAS, Batch, Learner, Outcomes, Real, Setup, Task};

/// Numbers for knobs; those that a knob does not accept make no learner.
const NUMBERS: [&str; 8] = ["0", "1e-308", "1e-30", "0.5", "1", "1e19", "1e308", "inf"];
/// Whole numbers for knobs: few, because whatever takes long finds little.
const COUNTS: [&str; 6] = ["1", "2", "3", "7", "20", "4294967296"];
const COSTS: [f64; 6] = [1.0, 0.5, 20.0, 1e-300, 1e30, 1e300];
const IMPORTANCES: [f32; 6] = [1.0, 0.0, 3.0, 1e-38, 1e19, 3e38];
const VALUES: [f64; 10] = [1.0, -0.5, 1e9, 1e19, -2e19, 1e30, 3e38, -3e38, 1e-38, 1e-45];

/// Examples enough to find whatever can be found in few.
const MOST_EXAMPLES: usize = 24;
const CLASSES: u32 = 3;

/// Bytes, one after the other; zeros at the end.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        self.0.split_off_first().copied().unwrap_or(0)
    }

    /// One of several.
    fn of<T: Copy>(&mut self, several: &[T]) -> T {
        several[usize::from(self.byte()) % several.len()]
    }

    /// A value from the list, or any.
    fn value(&mut self) -> f64 {
        match self.byte() {
            listed if usize::from(listed) < 25 * VALUES.len() => VALUES[usize::from(listed) % VALUES.len()],
            _ => f64::from(f32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])),
        }
    }

    fn feature(&mut self) -> u32 {
        match self.byte() {
            255 => BIAS,
            far @ 250.. => u32::from(far) * 10_000_000,
            near => u32::from(near) % 24,
        }
    }

    /// Knobs as one would type them.
    fn spec(&mut self, entry: &Entry) -> String {
        let knobs = (entry.knobs)();
        let mut spec = entry.name.to_string();
        for _ in 0..self.byte() % 4 {
            let Some(knob) = knobs.get(usize::from(self.byte()) % knobs.len().max(1)) else { break };
            let text = match knob.kind.as_str() {
                "auto|number" if self.byte() < 128 => "auto",
                "number" | "auto|number" => self.of(&NUMBERS),
                "probability" => self.of(&["0.5000001", "0.7", "0.99999999"]),
                kind if kind.ends_with("whole number") => self.of(&COUNTS),
                words => self.of(&words.split('|').collect::<Vec<_>>()),
            };
            spec = learners::with_knob(&spec, knob.name, text);
        }
        spec
    }

    fn costs(&mut self) -> Costs {
        let choice = self.byte();
        if choice < 128 {
            return Costs::default();
        }
        Costs {
            missed: self.of(&COSTS),
            false_alarm: self.of(&COSTS),
            balanced: choice.is_multiple_of(2),
            balance_prior: self.of(&[1.0, 1e-300, 1e300]),
            balance_half_life: choice.is_multiple_of(3).then(|| self.of(&[1e-9, 2.5, 1e300])),
        }
    }

    fn example(&mut self) -> Batch {
        let class = (self.byte() < 250).then(|| u32::from(self.byte()) % CLASSES);
        let importance = if self.byte() < 200 { 1.0 } else { self.of(&IMPORTANCES) };
        let features: Vec<(u32, f64)> =
            (0..self.byte() % 20).map(|_| (self.feature(), self.value())).collect();
        let mut batch = Batch::default();
        // What is not finite is refused long before it reaches a learner.
        let _ = batch.push_with_importance(features, class, importance);
        batch
    }
}

fn bytes(learner: &dyn Learner) -> Vec<u8> {
    ModelFile {
        learner: learner.fork(),
        options: serde_json::Map::new(),
        labels: Vec::new(),
        sections: Sections::new(),
    }
    .to_bytes()
}

/// Learns, and looks after every example whether the learner can be kept: written and read back it is the same, and goes on the same.
pub(crate) fn learn(bytes_of_choice: &[u8]) {
    let mut choices = Choices(bytes_of_choice);
    let entry = &LEARNERS[usize::from(choices.byte()) % LEARNERS.len()];
    let task = choices.of(&[Task::Binary, Task::Binary, Task::Ovr, Task::Hinge]);
    let (spec, costs) = (choices.spec(entry), choices.costs());
    let setup = Setup { costs, task, ..Setup::default() };
    let Ok(mut straight) = learners::build(&spec, &setup) else { return };
    let Ok(mut resumed) = learners::build(&spec, &setup) else { return };
    for _ in 0..MOST_EXAMPLES {
        if choices.0.is_empty() {
            break;
        }
        let ends = choices.byte() > 200;
        let batch = choices.example();
        let said = [straight.as_mut(), resumed.as_mut()].map(|learner| step(learner, &batch, ends));
        assert_eq!(said[0], said[1], "{spec}: goes on as if it had never stopped");
        let file = bytes(straight.as_ref());
        assert_eq!(file, bytes(resumed.as_ref()), "{spec}: comes to the same");
        resumed = ModelFile::from_bytes(&file).expect("what was written can be read").learner;
        assert_eq!(file, bytes(resumed.as_ref()), "{spec}: reads back as it was");
    }
}

/// One example, and perhaps the end of the data; what was said of it before and after.
fn step(learner: &mut dyn Learner, batch: &Batch, ends: bool) -> [Outcomes; 2] {
    let mut said = [Outcomes::default(), Outcomes::default()];
    let refused = learner.counts().rejected;
    learner.learn(batch, &mut said[0]).expect("there is no limit of memory");
    let learns = batch
        .labels()
        .iter()
        .zip(batch.importances())
        .any(|(label, importance)| label.is_some() && *importance != 0.0);
    if learns && !said[0].unscored().is_empty() {
        assert!(learner.counts().rejected > refused, "an example without a score is refused");
    }
    if ends {
        learner.finish();
    }
    learner.score(batch, &mut said[1]);
    for outcomes in &said {
        let numbers = outcomes.scores.iter().chain(&outcomes.losses);
        assert!(numbers.clone().all(|number| number.is_finite()), "scores and losses are finite");
    }
    said
}

// Values of the list must be numbers of the cells' precision.
const _: () = assert!(VALUES[6] < Real::MAX as f64);
