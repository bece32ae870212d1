//! What is done when mistakes become more frequent.

use serde::{Deserialize, Serialize};

use crate::drift::{Alarm, DriftMonitor};

/// What is done when a stream has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriftAction {
    /// It is told.
    #[default]
    Warn,
    /// The learner becomes less certain of all weights, and learns faster for a while.
    Boost,
    /// The learner begins anew.
    Reset,
}

impl DriftAction {
    /// What was done, in words.
    pub(crate) fn done(self) -> &'static str {
        match self {
            DriftAction::Warn => "nothing was done",
            DriftAction::Boost => "the uncertainty of all weights was raised",
            DriftAction::Reset => "the learner begins anew",
        }
    }
}

/// By how much variances grow when the learner becomes less certain. None grows beyond that of a feature never seen.
pub(crate) const BOOST: f64 = 100.0;

/// Something is done at every so many examples at most. How data is cut into batches must have no influence on what is learned.
const CHECK: u64 = 256;

/// A monitor, and what is done when it gives an alarm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DriftWatch {
    pub(crate) action: DriftAction,
    monitor: DriftMonitor,
    /// Examples so far.
    examples: u64,
    /// An alarm that nothing was done about yet.
    pending: bool,
}

impl DriftWatch {
    /// Watches for a change, which is answered like this.
    pub(crate) fn new(action: DriftAction) -> Self {
        Self { action, ..Self::default() }
    }

    /// Two streams side by side. What order their losses had between them is not known, so a new window begins.
    pub(crate) fn pooled(&self, other: &Self) -> Self {
        Self { examples: self.examples.saturating_add(other.examples), ..Self::new(self.action) }
    }

    /// Without the examples that all streams had in common, which were counted so many times too often.
    pub(crate) fn without(&mut self, common: Option<&Self>, times: u64) {
        let common = common.map_or(0, |common| common.examples);
        self.examples = self.examples.saturating_sub(common.saturating_mul(times));
    }

    /// Takes note of an example: was its prediction wrong? Nothing, if that is not known.
    pub(crate) fn observe(&mut self, mistake: Option<bool>) -> Option<Alarm> {
        self.examples += 1;
        let loss = mistake.map(|mistake| f64::from(u8::from(mistake)));
        let alarm = self.monitor.observe([loss]).pop();
        // The monitor may be younger than the stream.
        let alarm = alarm.map(|alarm| Alarm { example: self.examples, ..alarm });
        self.pending |= alarm.is_some() && self.action != DriftAction::Warn;
        alarm
    }

    /// After how many more examples something may be done; nothing ever is, if changes are only told.
    pub(crate) fn until_check(&self) -> Option<usize> {
        (self.action != DriftAction::Warn).then(|| (CHECK - self.examples % CHECK) as usize)
    }

    /// What is to be done now, if it is time.
    pub(crate) fn due(&mut self) -> Option<DriftAction> {
        let due = self.pending && self.examples.is_multiple_of(CHECK);
        if due {
            // What comes now is measured against itself.
            (self.pending, self.monitor) = (false, DriftMonitor::default());
        }
        due.then_some(self.action)
    }
}
