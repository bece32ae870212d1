//! Learning: one or several learners over one reading of the data.

mod between;
mod records;
mod run;
mod shards;

use std::sync::Arc;
use std::time::Duration;

use thalweg_core::learner::Counts;
use thalweg_core::learners;
use thalweg_core::{Batch, Learner, TooLarge};
use thalweg_data::names::{Eviction, NewNumbers};
use thalweg_data::stream::BadLine;
use thalweg_data::{
    ExampleUse, FeatureNames, FeatureState, Format, Interrupt, Labels, Naming, ReadCounts, Reading,
    RecordReader, Settings,
};

use crate::config::{Config, is_prepared};
use crate::contradiction;
use crate::error::{ConfigError, Error, Result};
use crate::first_look::FirstLook;
use crate::holdout::Holdout;
use crate::label_order::{LabelOrder, LongRuns};
use crate::model::{ExampleConfig, Model};
use crate::observer::{Observer, Seen};
use crate::report::{self, Curves, DecisionReport, FiguresOf, LabelsUsed, RaceReport, Seconds, TrainReport};
use crate::score_use::ScoreUse;
use crate::seen_features::SeenFeatures;
use crate::track::{Measured, Track};
use crate::weighted_labels::WeightedLabels;

/// Learns from files, from records in memory, or from batches of numbers, in any order.
///
/// ```
/// # use thalweg::{Config, Format, Trainer};
/// let mut trainer = Trainer::new(Config::parse("arow")?.text("subject"))?;
/// trainer.learn_records(b"{\"subject\": \"free money\", \"label\": \"spam\"}\n", Format::JSONL)?;
/// trainer.learn_records(b"{\"subject\": \"lunch at noon\", \"label\": \"ham\"}\n", Format::JSONL)?;
/// let model = trainer.into_model()?;
/// assert_eq!(model.labels().names(), ["ham", "spam"]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub struct Trainer {
    config: Config,
    examples: ExampleConfig,
    tracks: Vec<Track>,
    state: State,
    /// Does the model know features by their numbers, whatever the format of the data?
    numbered: bool,
    /// What the first examples of a new model look like.
    first_look: FirstLook,
    interrupt: Interrupt,
    batch: Batch,
    counts: ReadCounts,
    /// Was anything learned since learners were told that the data has ended?
    unfinished: bool,
    /// Has the file of rejected lines been begun?
    rejects_begun: bool,
    reading: Duration,
    /// The order of the labels in the first pass, and what was told of it.
    order: LabelOrder,
    long_runs: Option<LongRuns>,
    holdout: Option<Holdout>,
    seen_features: SeenFeatures,
    weighted_labels: WeightedLabels,
    /// Labelled examples of first passes.
    labelled: u64,
    /// Labelled examples of this pass, and how many there were at the last line of progress, and will be at the next.
    in_pass: u64,
    shown: u64,
    show_next: u64,
}

/// How often the data has been gone through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Examples are new.
    First,
    /// They have been learned from.
    Later,
}

/// Who holds what is known of labels and features.
enum State {
    /// Nobody is reading.
    AtRest(Labels, Arc<FeatureState>),
    /// Records come, call after call.
    Records(Box<RecordReader>),
}

/// What became of records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// Labelled examples that were learned from. Those that wait until it is known which label is which class are not among them.
    pub examples: u64,
    /// Records that could not be used. Of many only the first are told.
    pub bad: Vec<BadLine>,
}

impl Trainer {
    /// A trainer for a learner that has seen nothing.
    pub fn new(config: Config) -> Result<Self> {
        let learner = config.learner_name().to_string();
        let tracks = Self::fresh_tracks(&config, &[&learner])?;
        Self::untrained(config, &learner, tracks)
    }

    /// A trainer for several learners over one reading of the data, `name:knob=value,...` each. All else of the configuration holds for all of them.
    pub fn with_learners(config: Config, learners: &[&str]) -> Result<Self> {
        let (config, first) = Self::shared(config, learners)?;
        let tracks = Self::fresh_tracks(&config, learners)?;
        Self::untrained(config, first, tracks)
    }

    /// Everything but the learners, for those that learn elsewhere. They get values as all of these learners want them.
    pub(crate) fn without_learners(config: Config, learners: &[&str]) -> Result<Self> {
        let (config, first) = Self::shared(config, learners)?;
        let trainer = Self::untrained(config, first, Vec::new())?;
        if trainer.examples.reading.max_features.is_some() {
            return Err(ConfigError::KeptInMemory.into());
        }
        Ok(trainer)
    }

    /// The configuration for all of these learners, which get the same values, and the first of them.
    fn shared<'a>(mut config: Config, learners: &[&'a str]) -> Result<(Config, &'a str)> {
        let first = learners.first().ok_or(ConfigError::NoLearner)?;
        config.prepare.get_or_insert_with(|| learners.iter().all(|learner| is_prepared(learner)));
        Ok((config, first))
    }

    /// Learners that have seen nothing, each with its figures.
    fn fresh_tracks(config: &Config, learners: &[&str]) -> Result<Vec<Track>> {
        let fresh = |learner: &&str| {
            let spec = config.spec_of(learner)?;
            let learner = learners::build(&spec, &config.setup(&spec)?).map_err(ConfigError::from)?;
            Ok(Track::new(learner, ScoreUse::default(), config.cost_col.is_some(), config)?)
        };
        learners.iter().map(fresh).collect()
    }

    /// A trainer that has read nothing, for classes as this learner wants them.
    fn untrained(config: Config, learner: &str, tracks: Vec<Track>) -> Result<Self> {
        let labels = config.fresh_labels(config.task(learner)?)?;
        let reading = config.reading()?;
        let examples = ExampleConfig { prepare: config.preparation(), rest: labels.is_rest(), reading };
        Self::of(config, examples, tracks, labels, Arc::default())
    }

    /// A trainer that goes on with a model, exactly as if training had never stopped.
    pub fn resume(model: Model) -> Result<Self> {
        Self::resume_with(model, Config::default())
    }

    /// A trainer that goes on with a model. The configuration may repeat what the model was trained with, but not contradict it.
    pub fn resume_with(model: Model, config: Config) -> Result<Self> {
        contradiction::check(&config, &model)?;
        let (learner, labels, features, mut examples, score_use) = model.into_parts();
        // How features are numbered is for the first example to say.
        let untouched = learner.counts() == Counts::default() && examples.reading.naming.is_none();
        config.adjust(&mut examples.reading);
        let labels = labels.at_most(config.class_limit());
        let track = Track::new(learner, score_use, examples.reading.cost.is_some(), &config)?;
        let trainer = Self::of(config, examples, vec![track], labels, features)?;
        if untouched {
            return Ok(trainer);
        }
        Ok(Self { numbered: true, first_look: FirstLook::none(), ..trainer })
    }

    fn of(
        config: Config,
        examples: ExampleConfig,
        tracks: Vec<Track>,
        labels: Labels,
        features: Arc<FeatureState>,
    ) -> Result<Self> {
        if examples.reading.max_features.is_some() {
            if let Some(track) = tracks.iter().find(|track| !track.learner().can_renumber()) {
                return Err(ConfigError::CannotForget { learner: track.learner().spec() }.into());
            }
            if config.shuffle.unwrap_or_default() {
                return Err(ConfigError::KeptInMemory.into());
            }
        }
        let holdout = config.held_out()?;
        let limit = config.memory_limit().0;
        let tracks = tracks.into_iter().map(|track| track.limited(&labels, limit)).collect();
        Ok(Self {
            config,
            examples,
            tracks,
            state: State::AtRest(labels, features),
            numbered: false,
            first_look: FirstLook::default(),
            interrupt: Interrupt::default(),
            batch: Batch::default(),
            counts: ReadCounts::default(),
            unfinished: false,
            rejects_begun: false,
            reading: Duration::ZERO,
            order: LabelOrder::default(),
            long_runs: None,
            holdout,
            seen_features: SeenFeatures::default(),
            weighted_labels: WeightedLabels::default(),
            labelled: 0,
            in_pass: 0,
            shown: 0,
            show_next: 1,
        })
    }

    /// Ends the data of [`Self::run`] when the interrupt comes. What was learned by then is kept.
    pub fn interrupt_by(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt;
    }

    /// How data is read, as long as nobody is reading.
    fn settings(&self, labels: &Labels, features: &Arc<FeatureState>) -> Settings {
        let mut reading = self.examples.reading.clone();
        if self.numbered {
            reading.naming.get_or_insert(Naming::Numbers);
        }
        let mut settings = Settings {
            reading,
            feature_state: Arc::clone(features),
            used_for: ExampleUse::Learning,
            prepare: self.examples.prepare,
            labels: labels.clone(),
            interrupt: self.interrupt.clone(),
            ..self.config.input_settings()
        };
        settings.bad_lines.append = self.rejects_begun;
        settings
    }

    /// What looks like nothing else is read as such a table later.
    fn remember_table(&mut self, format: Format, delimiter: Option<char>) {
        let Reading { table, delimiter: known, .. } = &mut self.examples.reading;
        if !format.is_table() || table.is_some() {
            return;
        }
        *table = Some(format.name().to_string());
        // A comma in CSV, or a tab in TSV, goes without saying.
        let usual = (format == Format::CSV && delimiter == Some(','))
            || (format == Format::TSV && delimiter == Some('\t'));
        *known = known.or(delimiter.filter(|_| !usual));
    }

    /// Takes back what is known of labels and features, and counts what was read.
    fn rest(&mut self, labels: Labels, features: Arc<FeatureState>, counts: ReadCounts) {
        self.counts.bad += counts.bad;
        self.counts.sorted += counts.sorted;
        self.examples.rest = labels.is_rest();
        if counts.examples == 0 && self.examples() == 0 && !self.numbered {
            // Data without an example does not decide how features are numbered.
            self.state = State::AtRest(labels, Arc::default());
            return;
        }
        self.examples.reading.naming = features.names.naming();
        self.numbered = true;
        self.state = State::AtRest(labels, features);
    }

    /// Tells the learners which classes there are, before the first example.
    fn announce(&mut self, labels: &Labels) {
        let limit = self.config.memory_limit().0;
        let tracks = std::mem::take(&mut self.tracks);
        self.tracks = tracks.into_iter().map(|track| track.limited(labels, limit)).collect();
    }

    /// The data has ended, for now.
    fn finish(&mut self) {
        self.tracks.iter_mut().for_each(Track::finish);
        self.unfinished = false;
    }

    /// All learners learn from a batch, then the observer sees it.
    fn learn(
        &mut self,
        batch: &Batch,
        measured: Measured,
        skipped: &[usize],
        labels: &Labels,
        names: &FeatureNames,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        // All of them, before an observer may refuse: they have learned from the same examples.
        self.tracks.iter_mut().try_for_each(|track| track.learn(batch, measured))?;
        if measured != Measured::Nothing {
            self.seen_features.observe(batch, names, self.tracks[0].remembered());
        }
        for (i, track) in self.tracks.iter_mut().enumerate() {
            let action = track.score_use().drift.as_ref().map(|drift| drift.action).unwrap_or_default();
            track.take_alarms().iter().for_each(|alarm| observer.drift(alarm, action));
            let (outcomes, predicted, probabilities) =
                (track.outcomes(), track.predicted(), track.probabilities());
            let variances = &[];
            let seen = Seen {
                track: i,
                batch,
                outcomes,
                predicted,
                probabilities,
                variances,
                skipped,
                labels,
                names,
            };
            observer.batch(&seen).map_err(Error::Observer)?;
        }
        Ok(())
    }

    /// For each of so many examples, whether it is held out, by its place in the data; nothing if none ever is.
    fn held_out(&self, examples: usize, ordinal: impl Fn(usize) -> u64) -> Vec<bool> {
        let all = |holdout: Holdout| (0..examples).map(|i| holdout.holds(ordinal(i))).collect();
        self.holdout.map(all).unwrap_or_default()
    }

    /// Features have got other numbers.
    fn take_over(&mut self, new: &NewNumbers) {
        self.first_look = FirstLook::none();
        self.tracks.iter_mut().for_each(|track| track.renumber(&|feature| new.of(feature)));
    }

    /// A model that grows beyond all bounds ends with an error, and not with the death of the process.
    fn check_memory(&self, features: &FeatureState) -> Result<()> {
        let learners: usize = self.tracks.iter().map(|track| track.learner().memory()).sum();
        let (needed, allowed) = ((learners + features.memory()) as u64, self.config.memory_limit().0);
        if needed <= allowed {
            return Ok(());
        }
        let count = self.tracks.first().map_or(0, |track| track.learner().features()) as u64;
        Err(TooLarge { what: "the model", count, of: "features", needed, allowed }.into())
    }

    /// The learners with their progressive figures.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// Which label is which class, as far as it is known.
    pub fn labels(&self) -> &Labels {
        match &self.state {
            State::AtRest(labels, _) => labels,
            State::Records(reader) => reader.labels(),
        }
    }

    fn feature_state(&self) -> &FeatureState {
        match &self.state {
            State::AtRest(_, features) => features,
            State::Records(reader) => reader.feature_state(),
        }
    }

    /// What was read so far.
    fn counts(&self) -> ReadCounts {
        let now = match &self.state {
            State::AtRest(..) => ReadCounts::default(),
            State::Records(reader) => reader.counts(),
        };
        let (bad, sorted) = (self.counts.bad + now.bad, self.counts.sorted + now.sorted);
        ReadCounts { bad, sorted, ..self.counts }
    }

    /// Labelled examples so far.
    pub fn examples(&self) -> u64 {
        self.tracks.first().map_or(0, Track::examples)
    }

    /// Has anything been learned?
    pub fn has_learned(&self) -> bool {
        self.tracks.iter().any(Track::has_learned)
    }

    /// An error that says why nothing has been learned, if that is so.
    pub fn check_learned(&self) -> Result<()> {
        if self.has_learned() {
            return Ok(());
        }
        let refused = self.tracks.first().map_or(0, |track| track.learner().counts().rejected);
        Err(Error::NothingLearned { refused })
    }

    fn figures_of(&self) -> FiguresOf {
        match (self.holdout, self.config.number_of_passes()) {
            _ if self.examples() > 0 && !self.tracks[0].has_figures() => FiguresOf::Nothing,
            (Some(_), _) => FiguresOf::HeldOut,
            (None, 1) => FiguresOf::AllExamples,
            (None, _) => FiguresOf::FirstPass,
        }
    }

    /// What was achieved so far, by the first learner.
    pub fn report(&self) -> TrainReport {
        let track = &self.tracks[0];
        let (learner, features, counts) = (track.learner(), self.feature_state(), self.counts());
        let bias = self.examples.prepare.bias;
        let feature_count = self.seen_features.count(&features.names, bias, learner);
        let nonzeros = learner.nonzeros();
        let seconds = Seconds {
            total: (self.reading + track.learning()).as_secs_f64(),
            reading: self.reading.as_secs_f64(),
            learning: track.learning().as_secs_f64(),
        };
        let mut figures = track.figures(self.labels());
        figures.set("updates", track.updates() as f64);
        TrainReport {
            learner: learner.spec(),
            race: learner.standings().as_ref().map(RaceReport::of),
            passes: self.config.number_of_passes(),
            interrupted: self.interrupt.has_come(),
            bad_lines: counts.bad,
            sorted_examples: counts.sorted,
            rejected: track.rejected(),
            seconds,
            examples: self.labelled,
            figures_of: self.figures_of(),
            figures,
            decision: DecisionReport::of(track.learner(), track.score_use()),
            class_costs: report::class_costs(learner, self.labels()),
            drift_alarms: track.score_use().drift.is_some().then(|| track.alarms()),
            label_budget: track.spent(self.labels()).map(LabelsUsed::from),
            costs: self.config.reported_costs(learner).unwrap_or_default(),
            curves: Curves::of(track.scores(), track.calibration()),
            unit_length: features.scales.leave_unit_length(),
            nonzeros,
            features: feature_count,
            classes: learner.classes(),
            memory: learner.memory(),
            shared_numbers: report::shared_numbers(
                &features.names,
                feature_count.saturating_sub(usize::from(bias)),
            ),
            evicted: features.eviction.as_ref().map(Eviction::evicted),
            sparsity: report::sparsity(learner, nonzeros, feature_count),
            long_runs: self.long_runs,
            model: None,
            test: None,
        }
    }

    /// The model of a learner that has learned elsewhere.
    pub(crate) fn into_model_of(mut self, learner: Box<dyn Learner>) -> Result<Model> {
        let example_costs = self.examples.reading.cost.is_some();
        self.tracks = vec![Track::new(learner, ScoreUse::default(), example_costs, &self.config)?];
        self.into_model()
    }

    /// The model, with what waited learned from.
    pub fn into_model(self) -> Result<Model> {
        let mut models = self.into_models()?;
        Ok(models.swap_remove(0))
    }

    /// The models of all learners, in their order.
    pub fn into_models(mut self) -> Result<Vec<Model>> {
        self.settle()?;
        if self.unfinished {
            self.finish();
        }
        let State::AtRest(labels, features) = self.state else { unreachable!("it was settled") };
        let examples = self.examples;
        let model = |track: Track| {
            let (learner, score_use) = track.into_parts();
            Model::new(learner, labels.clone(), Arc::clone(&features), examples.clone(), score_use)
        };
        Ok(self.tracks.into_iter().map(model).collect())
    }
}

/// Features that some learner has a weight for.
fn weighted(tracks: &[Track]) -> Vec<u32> {
    tracks.iter().flat_map(|track| track.learner().weights()).map(|weight| weight.feature).collect()
}
