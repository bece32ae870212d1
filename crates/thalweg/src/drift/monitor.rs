//! What is watched of a stream: the loss of every example with a label, in order.

use serde::{Deserialize, Serialize};

use super::adwin::Adwin;

/// 500 million draws with probabilities from 0.001 to 0.5 gave no false alarm; with 0.002, the usual value, they gave 43.
const DELTA: f64 = 1e-4;

/// Watches the losses of a stream.
///
/// Losses are those of a learner before it learned from the example, between 0 and 1: best the mistakes, 1 or 0. Importances are not
/// considered: the bound on false alarms is one for examples that count alike, and a few very important ones would give an alarm by
/// themselves.
///
/// All of it can be stored (it is a few kilobytes), and goes on as if nothing had been.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DriftMonitor {
    window: Adwin,
    examples: u64,
}

/// The stream has changed: from here on, losses are larger.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    /// The example at which it was noticed, counted from 1, those without a label included.
    pub example: u64,
    /// The mean loss before the change.
    pub before: f64,
    /// The mean loss since then.
    pub after: f64,
    /// How many labelled examples ago the change seems to have been.
    pub window: u64,
}

impl Default for DriftMonitor {
    fn default() -> Self {
        Self::new(DELTA)
    }
}

impl DriftMonitor {
    /// A monitor that has seen nothing. The smaller `delta`, the fewer false alarms and the later the true ones.
    pub fn new(delta: f64) -> Self {
        Self { window: Adwin::new(delta), examples: 0 }
    }

    /// Watches the examples of a batch: their losses, none for those without a label. The alarms, if there are any.
    pub fn observe(&mut self, losses: impl IntoIterator<Item = Option<f64>>) -> Vec<Alarm> {
        let mut alarms = Vec::new();
        for loss in losses {
            self.examples = self.examples.saturating_add(1);
            if let Some(increase) = loss.and_then(|loss| self.window.add(loss)) {
                let (example, window) = (self.examples, increase.window);
                alarms.push(Alarm { example, before: increase.before, after: increase.after, window });
            }
        }
        alarms
    }

    /// How many labelled examples ago the last change was, good or bad.
    pub fn width(&self) -> u64 {
        self.window.width()
    }

    /// The mean loss since then.
    pub fn mean(&self) -> f64 {
        self.window.mean()
    }
}

#[cfg(test)]
mod tests {
    use thalweg_core::random::scramble;

    use super::*;

    /// A number between 0 and 1, always the same for the same stream and example.
    fn uniform(stream: u64, example: u64) -> f64 {
        scramble(scramble(stream) ^ example) as f64 / u64::MAX as f64
    }

    /// Mistakes with the probability that each example has.
    fn mistakes(stream: u64, probabilities: impl Iterator<Item = f64>) -> impl Iterator<Item = Option<f64>> {
        let draw = move |(i, p): (u64, f64)| Some(f64::from(u8::from(uniform(stream, i) < p)));
        (0..).zip(probabilities).map(draw)
    }

    fn alarms(stream: u64, probabilities: impl Iterator<Item = f64>) -> Vec<Alarm> {
        DriftMonitor::default().observe(mistakes(stream, probabilities))
    }

    #[test]
    fn a_stream_that_does_not_change_gives_no_alarm() {
        for (stream, p) in (0..).zip([0.0, 0.001, 0.01, 0.05, 0.2, 0.5, 1.0]) {
            assert_eq!(alarms(stream, std::iter::repeat_n(p, 1_000_000)), [], "{p}");
        }
        // Nor do losses that are no mistakes.
        let losses = (0..1_000_000).map(|i| Some(uniform(9, i) * uniform(10, i)));
        assert_eq!(DriftMonitor::default().observe(losses), []);
    }

    #[test]
    fn a_jump_is_noticed_soon() {
        // From, to, and how many examples later at the latest (the median is half of that).
        for (p, q, latest) in
            [(0.01, 0.06, 800), (0.05, 0.1, 3000), (0.05, 0.25, 300), (0.2, 0.4, 500), (0.5, 0.7, 600)]
        {
            for stream in 20..30 {
                let probabilities = (0..60_000).map(|i| if i < 50_000 { p } else { q });
                let found = alarms(stream, probabilities);
                let first = found.first().unwrap_or_else(|| panic!("{p} to {q} is not noticed"));
                let late = first.example.checked_sub(50_000).unwrap();
                assert!(late <= latest, "{p} to {q}: noticed after {late}");
                assert!((first.before - p).abs() < 0.02 && first.after > first.before, "{first:?}");
                assert!(first.window <= 2 * latest, "{first:?}");
                assert!(found.len() <= 3, "{p} to {q}: {found:?}");
            }
        }
    }

    #[test]
    fn a_slow_change_is_noticed() {
        let probability = |i: u32| 0.1 + 0.2 * (f64::from(i.clamp(50_000, 150_000)) - 50_000.0) / 100_000.0;
        let found = alarms(31, (0..200_000).map(probability));
        assert!((50_000..75_000).contains(&found[0].example), "{:?}", found[0]);
        assert!((3..12).contains(&found.len()), "{found:?}");
        assert!(found.iter().all(|alarm| alarm.after > alarm.before && alarm.example < 200_000));
    }

    #[test]
    fn that_losses_become_smaller_is_no_alarm() {
        let mut monitor = DriftMonitor::default();
        let probabilities = (0..60_000).map(|i| if i < 50_000 { 0.3 } else { 0.1 });
        assert_eq!(monitor.observe(mistakes(32, probabilities)), []);
        assert!((9_000..11_000).contains(&monitor.width()), "{}", monitor.width());
        assert!((monitor.mean() - 0.1).abs() < 0.01, "{}", monitor.mean());
    }

    #[test]
    fn a_stored_monitor_goes_on_as_if_nothing_had_been() {
        let losses: Vec<Option<f64>> = (0..20_000)
            .map(|i| (i % 7 != 0).then(|| uniform(33, i) * if i < 15_000 { 0.5 } else { 0.9 }))
            .collect();
        let mut straight = DriftMonitor::default();
        let expected = straight.observe(losses.iter().copied());
        assert_eq!(expected.len(), 1, "{expected:?}");
        let (mut resumed, mut found) = (DriftMonitor::default(), Vec::new());
        for part in losses.chunks(777) {
            found.append(&mut resumed.observe(part.iter().copied()));
            let text = serde_json::to_string(&resumed).unwrap();
            assert!(text.len() < 20_000);
            resumed = serde_json::from_str(&text).unwrap();
        }
        assert_eq!((found, resumed), (expected, straight));
    }

    #[test]
    fn whatever_comes_figures_stay_finite() {
        let mut monitor = DriftMonitor::new(2.0);
        let odd = [f64::NAN, f64::INFINITY, -1e300, 1e300, 0.5, -0.0];
        let found = monitor.observe((0..100_000).map(|i| (i % 5 != 0).then(|| odd[i / 1000 % odd.len()])));
        assert!(!found.is_empty());
        assert!(found.iter().all(|alarm| alarm.before.is_finite() && alarm.after <= 1.0));
        assert!((0.0..=1.0).contains(&monitor.mean()));
        assert!(DriftMonitor::new(f64::NAN).observe([None, Some(1.0)]).is_empty());
        assert_eq!((DriftMonitor::default().mean(), DriftMonitor::default().width()), (0.0, 0));
    }
}
