//! One learner over one order of the rows.

use std::time::Duration;

use thalweg::{Batch, Config, Decision, Interrupt, Learner, MeasuredIn, Result, Task, learners};
use thalweg_core::{Outcomes, Setup};
use thalweg_data::FeatureState;
use thalweg_eval::{Figures, ProgressiveFigures};

use crate::cpu_time::CpuTime;
use crate::data_set::DataSet;
use crate::order::Order;

/// The most examples that are prepared and learned from at once. What is learned does not depend on it.
const BATCH: usize = 4096;

/// One learner over one order of the rows, on one thread. The same trial always gives the same figures; only its time differs.
///
/// The configuration says what is learned and measured: `learner`, `batch`, costs, preparation, `multiclass`, `forget`, `passes`, `threshold`,
/// `metrics`, `report_cost`, `report_sum`. How data is read has been decided before.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    /// What is learned and measured.
    pub config: &'a Config,
    /// What is learned from.
    pub data: &'a DataSet,
    /// In which order.
    pub order: &'a Order,
    /// What the model is measured on at the end.
    pub test: Option<&'a DataSet>,
    /// After how many examples of the first pass figures are noted, increasing: see [`milestones`].
    pub milestones: &'a [u64],
    /// Which class a score means. By default as [`Decision::by`] has it, at the threshold of the configuration; [`Decision::of`] is what the papers'
    /// codes do.
    pub decision: Option<Decision>,
}

/// What came of a trial.
#[derive(Clone, Debug)]
pub struct TrialResult {
    /// The learner with all its knobs.
    pub learner: String,
    /// Figures of the first pass: every example was scored before it was learned from.
    pub figures: Figures,
    /// Figures of the first pass at the milestones.
    pub curve: Vec<CurvePoint>,
    /// Figures of the test data.
    pub test: Option<Figures>,
    /// Weights that are not zero.
    pub nonzeros: usize,
    /// Share of the weights that are zero, of one weight for each feature of the data (and class, if there are many).
    pub sparsity: f64,
    /// Examples that changed the weights; batches, for learners that take them by the batch.
    pub updates: u64,
    /// Processor time of learning alone: not of reading, preparing and measuring.
    pub seconds: f64,
}

/// Figures after some of the examples.
#[derive(Clone, Debug)]
pub struct CurvePoint {
    /// Examples so far.
    pub examples: u64,
    /// Of all examples so far.
    pub figures: Figures,
    /// Weights that are not zero.
    pub nonzeros: usize,
    /// Processor time of learning so far.
    pub seconds: f64,
}

/// Where an online curve has its points: at about so many numbers of examples, evenly spaced, the last at the end.
pub fn milestones(examples: usize, points: usize) -> Vec<u64> {
    let points = points.clamp(1, examples.max(1)) as u64;
    (1..=points).map(|i| examples as u64 * i / points).collect()
}

impl<'a> Trial<'a> {
    /// A trial without test data and curve, in which scores mean what they mean elsewhere in the library.
    pub fn new(config: &'a Config, data: &'a DataSet, order: &'a Order) -> Self {
        Self { config, data, order, test: None, milestones: &[], decision: None }
    }

    /// An error if the learner cannot be built, or what is to be measured is not there: before any work begins.
    pub fn check(config: &Config, measured: &[MeasuredIn]) -> Result<()> {
        let learner = build(config, 0)?;
        for measured in measured {
            config.figures_of(learner.as_ref(), *measured)?;
        }
        Ok(())
    }

    /// Learns and measures; nothing if the interrupt came first.
    pub fn run(&self, interrupt: &Interrupt) -> Result<Option<TrialResult>> {
        let labels = self.data.labels();
        let mut learner = build(self.config, labels.names().len())?;
        let decision =
            self.decision.unwrap_or_else(|| Decision::by(learner.as_ref()).at(self.config.threshold));
        let figures = self.config.figures_of(learner.as_ref(), MeasuredIn::Training)?;
        let mut pass = Pass { decision, figures, ..Pass::new(self, learner.as_mut()) };
        for number in 1..=self.config.passes.unwrap_or(1) {
            if !pass.go_through(number == 1, interrupt)? {
                return Ok(None);
            }
        }
        let Pass { figures, curve, features, learning, .. } = pass;
        let test =
            self.test.map(|test| self.tested(learner.as_ref(), decision, &features, test)).transpose()?;
        let nonzeros = learner.nonzeros();
        let classes = if learner.task() == Task::Binary { 1 } else { learner.classes() };
        let weights = classes * (self.data.features() + usize::from(self.config.preparation().bias));
        Ok(Some(TrialResult {
            learner: learner.spec(),
            figures: figures.figures(|class| labels.name(class).to_string()),
            curve,
            test,
            nonzeros,
            sparsity: 1.0 - nonzeros as f64 / weights.max(1) as f64,
            updates: learner.counts().updates,
            seconds: learning.as_secs_f64(),
        }))
    }

    fn tested(
        &self,
        learner: &dyn Learner,
        decision: Decision,
        features: &FeatureState,
        test: &DataSet,
    ) -> Result<Figures> {
        let mut figures = self.config.figures_of(learner, MeasuredIn::Testing)?;
        let (mut batch, mut prepared, mut outcomes) =
            (Batch::default(), Batch::default(), Outcomes::default());
        let all = test.examples();
        for start in (0..all.len()).step_by(BATCH) {
            batch.clear();
            batch.extend_from(all, start..all.len().min(start + BATCH));
            let ready = features.prepare_to_score(self.config.preparation(), &batch, &mut prepared);
            learner.score(ready, &mut outcomes);
            figures.observe(ready, &outcomes, &decision.classes(&outcomes));
        }
        Ok(figures.figures(|class| test.labels().name(class).to_string()))
    }
}

/// The learner of a configuration that has seen nothing.
fn build(config: &Config, classes: usize) -> Result<Box<dyn Learner>> {
    let spec = config.spec_of(config.learner.as_deref().unwrap_or(thalweg::DEFAULT_LEARNER))?;
    let setup = Setup { classes, ..config.setup(&spec)? };
    Ok(learners::build(&spec, &setup).map_err(thalweg::ConfigError::from)?)
}

/// A learner on its way through the rows.
struct Pass<'a> {
    trial: &'a Trial<'a>,
    learner: &'a mut dyn Learner,
    decision: Decision,
    figures: ProgressiveFigures,
    curve: Vec<CurvePoint>,
    /// What is known of the sizes of values so far.
    features: FeatureState,
    learning: Duration,
    outcomes: Outcomes,
}

impl<'a> Pass<'a> {
    fn new(trial: &'a Trial, learner: &'a mut dyn Learner) -> Self {
        Self {
            trial,
            decision: Decision::of(learner.task()),
            learner,
            figures: ProgressiveFigures::default(),
            curve: Vec::new(),
            features: FeatureState::default(),
            learning: Duration::ZERO,
            outcomes: Outcomes::default(),
        }
    }

    /// Goes through all rows; `false` if the interrupt came. Only in the first pass are the examples new, and measured.
    fn go_through(&mut self, measures: bool, interrupt: &Interrupt) -> Result<bool> {
        let rows = self.trial.order.rows();
        let prepare = self.trial.config.preparation();
        let (mut batch, mut prepared) = (Batch::default(), Batch::default());
        let mut milestones = self.trial.milestones.iter().map(|examples| *examples as usize).peekable();
        let mut at = 0;
        while at < rows.len() {
            if interrupt.has_come() {
                return Ok(false);
            }
            while milestones.next_if(|milestone| *milestone <= at).is_some() {}
            let milestone = milestones.peek().copied().unwrap_or(rows.len());
            let end = rows.len().min(at + BATCH).min(milestone);
            batch.clear();
            rows[at..end].iter().for_each(|row| batch.push_from(self.trial.data.examples(), *row as usize));
            let ready = self.features.prepare_to_learn(prepare, &batch, &mut prepared);
            self.learn(ready)?;
            at = end;
            if measures {
                self.measure(ready);
                if milestones.peek() == Some(&at) {
                    self.note(at);
                }
            }
        }
        let began = CpuTime::now();
        self.learner.finish();
        self.learning += began.elapsed();
        Ok(true)
    }

    fn learn(&mut self, batch: &Batch) -> Result<()> {
        let mut weighed = None;
        if !batch.costs().is_empty() {
            let weighed = weighed.insert(batch.clone());
            weighed.weigh(|i| f64::from(batch.cost(i)));
        }
        let began = CpuTime::now();
        let learned = self.learner.learn(weighed.as_ref().unwrap_or(batch), &mut self.outcomes);
        self.learning += began.elapsed();
        Ok(learned?)
    }

    fn measure(&mut self, batch: &Batch) {
        let predicted = self.decision.classes(&self.outcomes);
        // A learner that waits for its first batch has no opinion that could be measured.
        let known_from = self.outcomes.before_knowledge();
        if known_from == 0 {
            return self.figures.observe(batch, &self.outcomes, &predicted);
        }
        let mut known = batch.clone();
        known.set_labels(|i| batch.labels()[i].filter(|_| i >= known_from));
        self.figures.observe(&known, &self.outcomes, &predicted);
    }

    fn note(&mut self, examples: usize) {
        let labels = self.trial.data.labels();
        let nonzeros = self.learner.nonzeros();
        self.figures.set_nonzeros(nonzeros);
        self.curve.push(CurvePoint {
            examples: examples as u64,
            figures: self.figures.figures(|class| labels.name(class).to_string()),
            nonzeros,
            seconds: self.learning.as_secs_f64(),
        });
    }
}
