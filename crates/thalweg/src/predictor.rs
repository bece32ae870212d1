//! Scoring: one model, used by as many threads as there are.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

#[cfg(feature = "columns")]
use arrow_array::RecordBatch;
use thalweg_core::{Batch, Class, Task};
use thalweg_data::stream::BadLine;
use thalweg_data::{
    ExampleUse, FeatureNames, Format, Input, Interrupt, ReadCounts, RecordScorer, ScoringPiece, Settings,
    open,
};

use crate::config::{Config, Kinds, MeasuredIn};
use crate::contradiction;
use crate::decision::Decision;
use crate::error::{ConfigError, Error, Result};
use crate::explanation::{Explanation, WeightTable};
use crate::model::Model;
use crate::observer::{Observer, Seen, Told};
use crate::report::{self, Curves, DecisionReport, EvalReport};
use crate::scoring::{Opinion, Scored, Scoring, score_all};

/// Scores examples with a model, which never changes. Any number of threads may use one predictor at once.
///
/// ```
/// # use std::sync::Arc;
/// # use thalweg::{Config, Format, Predictions, Predictor, Trainer};
/// # let mut trainer = Trainer::new(Config::parse("perceptron")?)?;
/// # trainer.learn_records(b"1 1:1\n0 2:1\n", Format::LIBSVM)?;
/// let predictor = Predictor::new(Arc::new(trainer.into_model()?));
/// let mut predictions = Predictions::default();
/// predictor.score_records(b"1:1\n2:1\n", Format::LIBSVM, &mut predictions)?;
/// assert_eq!((predictor.label(&predictions, 0), predictor.label(&predictions, 1)), ("1", "0"));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub struct Predictor {
    model: Arc<Model>,
    config: Config,
    /// Which scores are positive.
    decision: Decision,
    interrupt: Interrupt,
    /// Made when records in memory are to be scored.
    records: OnceLock<RecordScorer>,
    /// Made when something is to be explained.
    weights: OnceLock<WeightTable>,
}

/// What a model says of examples.
#[derive(Clone, Debug, Default)]
pub struct Predictions {
    opinion: Opinion,
    ids: Vec<Vec<u8>>,
    skipped: Vec<usize>,
    bad: Vec<BadLine>,
    unknown: u64,
}

impl Predictions {
    /// How many examples were scored.
    pub fn len(&self) -> usize {
        self.opinion.predicted.len()
    }

    /// None at all?
    pub fn is_empty(&self) -> bool {
        self.opinion.predicted.is_empty()
    }

    /// The scores of example `i`: one, or one for every class.
    pub fn scores(&self, i: usize) -> &[f64] {
        self.opinion.outcomes.scores_of(i)
    }

    /// The probabilities of example `i`, one for each of its scores: of two classes, that of the positive one. Nothing if the model gives none.
    pub fn probabilities(&self, i: usize) -> Option<&[f64]> {
        self.opinion.outcomes.beside_scores(i, &self.opinion.probabilities)
    }

    /// The variances of the scores of example `i`. Nothing unless `confidence` is set, and the learner has them.
    pub fn variances(&self, i: usize) -> Option<&[f64]> {
        self.opinion.outcomes.beside_scores(i, &self.opinion.variances)
    }

    /// The class that is predicted for example `i`.
    pub fn class(&self, i: usize) -> Class {
        self.opinion.predicted[i]
    }

    /// The id of example `i`; empty if it has none.
    pub fn id(&self, i: usize) -> &[u8] {
        self.ids.get(i).map(Vec::as_slice).unwrap_or_default()
    }

    /// The records that could not be read: for each, how many of the examples come before it.
    pub fn skipped(&self) -> &[usize] {
        &self.skipped
    }

    /// What was wrong with these records.
    pub fn bad_lines(&self) -> &[BadLine] {
        &self.bad
    }

    /// How many examples have no feature that the model knows by name.
    pub fn unknown(&self) -> u64 {
        self.unknown
    }

    /// Replaces what is said by an opinion of other examples.
    pub(crate) fn form(&mut self, form: impl FnOnce(&mut Opinion)) {
        self.clear();
        form(&mut self.opinion);
    }

    fn clear(&mut self) {
        self.opinion.outcomes.clear();
        self.opinion.predicted.clear();
        self.opinion.probabilities.clear();
        self.opinion.variances.clear();
        self.ids.clear();
        self.skipped.clear();
        self.bad.clear();
        self.unknown = 0;
    }
}

impl Predictor {
    /// Scores with this model.
    pub fn new(model: Arc<Model>) -> Self {
        let (config, decision, interrupt) = (Config::default(), model.decision(), Interrupt::default());
        Self { model, config, decision, interrupt, records: OnceLock::new(), weights: OnceLock::new() }
    }

    /// The same with a configuration of how data is read. It may repeat what the model was trained with, but not contradict it.
    pub fn configured(self, config: Config) -> Result<Self> {
        contradiction::check(&config, &self.model)?;
        if config.confidence == Some(true) && !self.model.learner().has_variance() {
            let learner = self.model.learner().spec();
            return Err(ConfigError::NoVariance { setting: "`confidence`", learner }.into());
        }
        let decision = self.model.decision_at(config.threshold)?;
        Ok(Self { config, decision, records: OnceLock::new(), ..self })
    }

    /// The same, with data that ends when the interrupt comes.
    #[must_use]
    pub fn interrupted_by(self, interrupt: Interrupt) -> Self {
        Self { interrupt, ..self }
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Which class a score means.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// The label that is predicted for example `i`.
    pub fn label(&self, predictions: &Predictions, i: usize) -> &str {
        self.model.labels().name(predictions.class(i))
    }

    /// Scores records that are in memory: one or a thousand of them. Labels are not needed. Tables begin with their header, if they have one, in
    /// every call.
    pub fn score_records(&self, records: &[u8], format: Format, out: &mut Predictions) -> Result<()> {
        out.clear();
        let (scorer, mut opinion) = (self.record_scorer(), Opinion::default());
        scorer.read(records, format, |piece| self.score_piece(scorer, piece, &mut opinion, out))?;
        Ok(())
    }

    /// Scores rows of a table, read as those of an Arrow file are.
    #[cfg(feature = "columns")]
    pub fn score_rows(&self, rows: RecordBatch, out: &mut Predictions) -> Result<()> {
        out.clear();
        let (scorer, mut opinion) = (self.record_scorer(), Opinion::default());
        scorer.read_rows(rows, |piece| self.score_piece(scorer, piece, &mut opinion, out))?;
        Ok(())
    }

    /// Appends what is said of the examples of a piece.
    fn score_piece(
        &self,
        scorer: &RecordScorer,
        piece: ScoringPiece<'_>,
        opinion: &mut Opinion,
        out: &mut Predictions,
    ) {
        self.scoring().score(piece.batch, opinion);
        let before = out.len();
        out.skipped.extend(piece.skipped.iter().map(|skipped| before + skipped));
        out.bad.extend(piece.bad_lines);
        out.unknown += scorer.unknown_examples(piece.batch);
        out.ids.extend((0..piece.batch.len()).map(|i| piece.batch.id(i).to_vec()));
        out.opinion.append(opinion);
    }

    /// Scores a batch of numbered features, prepared as the model's examples were.
    pub fn score_batch(&self, batch: &Batch, out: &mut Predictions) -> Result<()> {
        if !matches!(self.model.feature_names(), FeatureNames::Numbers) {
            return Err(Error::FeaturesHaveNames);
        }
        out.clear();
        let mut memory = Batch::default();
        let prepared =
            self.model.features().prepare_to_score(self.model.examples().prepare, batch, &mut memory);
        self.scoring().score(prepared, &mut out.opinion);
        out.ids.extend((0..batch.len()).map(|i| batch.id(i).to_vec()));
        Ok(())
    }

    fn record_scorer(&self) -> &RecordScorer {
        let settings = || settings_for(&self.model, &self.config, Labelling::Optional);
        self.records.get_or_init(|| RecordScorer::new(settings()))
    }

    fn scoring(&self) -> Scoring<'_> {
        let with_variances = self.config.confidence.unwrap_or_default();
        let (learner, score_use) = (self.model.learner(), self.model.score_use());
        Scoring { learner, score_use, decision: self.decision, with_variances }
    }

    /// Scores all examples of the inputs on several threads. `make` turns each batch into something on the thread that scored it, `take` gets the
    /// batches in order; no more is read when it says `false`. Returns what was read.
    pub fn run<T: Default + Send, O: Observer>(
        &self,
        inputs: &[Input],
        observer: &mut O,
        make: impl Fn(&mut Scored<T>) + Sync,
        mut take: impl FnMut(&Scored<T>, &mut O) -> Result<bool>,
    ) -> Result<ReadCounts> {
        let end = self.interrupt.narrower();
        let settings = Settings {
            interrupt: end.clone(),
            ..settings_for(&self.model, &self.config, Labelling::Optional)
        };
        let threads = scorers(settings.threads);
        let mut reader = open(inputs, settings)?;
        let mut stopped = false;
        score_all(self.scoring(), reader.as_mut(), threads, &end, observer, make, |scored, observer| {
            let more = take(scored, observer)?;
            stopped |= !more;
            Ok(more)
        })?;
        if !stopped {
            observer.skipped_at_end(reader.skipped().len()).map_err(Error::Observer)?;
        }
        Ok(reader.counts())
    }

    /// Measures the model on labelled data.
    pub fn evaluate(&self, inputs: &[Input], observer: &mut impl Observer) -> Result<EvalReport> {
        let began = Instant::now();
        let end = self.interrupt.narrower();
        let settings =
            Settings { interrupt: end.clone(), ..settings_for(&self.model, &self.config, Labelling::Needed) };
        let threads = scorers(settings.threads);
        let mut reader = open(inputs, settings)?;
        let model = &self.model;
        let example_costs = model.examples().reading.cost.is_some();
        let kinds = Kinds { probabilities: model.has_probabilities(), example_costs };
        let mut figures = self.config.no_figures(model.learner(), kinds, MeasuredIn::Testing)?;
        let mut unscored = 0;
        score_all(
            self.scoring(),
            reader.as_mut(),
            threads,
            &end,
            observer,
            |_: &mut Scored<()>| {},
            |scored, observer| {
                let seen = scored.seen(model);
                unscored += seen.outcomes.unscored().len() as u64;
                let Seen { batch, outcomes, predicted, probabilities, .. } = seen;
                figures.observe_with_probabilities(batch, outcomes, predicted, probabilities);
                observer.batch(&seen).map_err(Error::Observer)?;
                Ok(true)
            },
        )?;
        observer.skipped_at_end(reader.skipped().len()).map_err(Error::Observer)?;
        let counts = reader.counts();
        Ok(EvalReport {
            data: inputs.iter().map(Input::name).collect(),
            bad_lines: counts.bad,
            unscored,
            unknown: counts.unknown,
            read: counts.examples,
            seconds: began.elapsed().as_secs_f64(),
            decision: self.decision_report(),
            figures: report::figures(&figures, reader.labels()),
            costs: self.config.reported_costs(model.learner())?,
            curves: Curves::of(figures.scores(), figures.calibration()),
        })
    }

    /// Explains the score of every example of the inputs, batch after batch: that of the predicted class, or of the one that is named. Returns what
    /// was read.
    pub fn explain(
        &self,
        inputs: &[Input],
        class: Option<&str>,
        observer: &mut dyn Observer,
        mut take: impl FnMut(Vec<Explanation>) -> Result<()>,
    ) -> Result<ReadCounts> {
        let class = class.map(|name| self.class_called(name)).transpose()?;
        let settings = settings_for(&self.model, &self.config, Labelling::Optional);
        let mut reader = open(inputs, Settings { interrupt: self.interrupt.clone(), ..settings })?;
        let (mut batch, mut opinion) = (Batch::default(), Opinion::default());
        loop {
            if reader.would_wait() {
                observer.idle().map_err(Error::Observer)?;
            }
            let more = reader.read(&mut batch);
            Told::by(reader.as_mut()).pass_on(observer);
            if !more? {
                return Ok(reader.counts());
            }
            self.scoring().score(&batch, &mut opinion);
            let name = |feature| reader.feature_name(feature);
            let explain = |i| self.explain_row(&batch, i, &opinion, class, &name);
            take((0..batch.len()).map(explain).collect())?;
        }
    }

    /// Explains the scores of records that are in memory.
    pub fn explain_records(
        &self,
        records: &[u8],
        format: Format,
        class: Option<&str>,
    ) -> Result<Vec<Explanation>> {
        let class = class.map(|name| self.class_called(name)).transpose()?;
        let scorer = self.record_scorer();
        let (mut all, mut opinion) = (Vec::new(), Opinion::default());
        scorer.read(records, format, |piece| {
            self.scoring().score(piece.batch, &mut opinion);
            let explain = |i| self.explain_row(piece.batch, i, &opinion, class, piece.name);
            all.extend((0..piece.batch.len()).map(explain));
        })?;
        Ok(all)
    }

    fn explain_row(
        &self,
        batch: &Batch,
        i: usize,
        opinion: &Opinion,
        class: Option<Class>,
        name: &dyn Fn(u32) -> String,
    ) -> Explanation {
        let (labels, predicted) = (self.model.labels(), opinion.predicted[i]);
        let of_class =
            |numbers: &[f64], class: Option<Class>| numbers.get(class.unwrap_or(0) as usize).copied();
        let many = self.model.learner().task() != Task::Binary;
        let class = many.then(|| class.unwrap_or(predicted));
        let weights = self.weights.get_or_init(|| WeightTable::of(&self.model));
        let text = |bytes: &[u8]| (!bytes.is_empty()).then(|| String::from_utf8_lossy(bytes).into_owned());
        Explanation {
            id: text(batch.id(i)),
            label: batch.labels()[i].map(|class| labels.name(class).to_string()),
            predicted: labels.name(predicted).to_string(),
            class: class.map(|class| labels.name(class).to_string()),
            score: of_class(opinion.outcomes.scores_of(i), class).unwrap_or(0.0),
            probability: opinion
                .outcomes
                .beside_scores(i, &opinion.probabilities)
                .and_then(|probabilities| of_class(probabilities, class)),
            features: weights.contributions(&self.model, batch.row(i), class, name),
        }
    }

    /// The threshold, unless it is simply that of the learner.
    fn decision_report(&self) -> Option<DecisionReport> {
        let (Decision::Above(threshold) | Decision::AtLeast(threshold)) = self.decision else { return None };
        match (self.config.threshold, self.model.target()) {
            (None, Some((target, status))) => Some(DecisionReport::steered(threshold, target, status)),
            (None, None) if threshold == 0.0 => None,
            _ => Some(DecisionReport::fixed(threshold)),
        }
    }

    fn class_called(&self, name: &str) -> Result<Class> {
        if self.model.learner().task() == Task::Binary {
            return Err(ConfigError::OneScoreForBoth.into());
        }
        let found = self.model.labels().names().iter().position(|known| known == name);
        found.map(|class| class as Class).ok_or_else(|| ConfigError::UnknownClass(name.into()).into())
    }
}

/// What is to be done with labels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Labelling {
    /// They are compared with predictions.
    Needed,
    /// They may be missing, or such as the model has never seen.
    Optional,
}

/// How the data of a model is read.
pub(crate) fn settings_for(model: &Model, config: &Config, labelling: Labelling) -> Settings {
    let examples = model.examples();
    let mut reading = examples.reading_of_model();
    config.adjust(&mut reading);
    let labels = model.labels().clone().at_most(config.class_limit());
    Settings {
        reading,
        feature_state: Arc::clone(model.features()),
        used_for: ExampleUse::Scoring,
        prepare: examples.prepare,
        labels: if labelling == Labelling::Needed { labels } else { labels.lenient() },
        unlabelled: labelling != Labelling::Needed,
        ..config.input_settings()
    }
}

/// How many threads score where so many read: reading is most of the work, and what crosses from one core to another costs time too. One would only
/// be in the way of the caller.
fn scorers(readers: usize) -> usize {
    if readers < 4 { 0 } else { readers / 2 }
}
