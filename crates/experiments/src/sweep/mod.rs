//! Many candidates learn from one reading of the data, and the best of them becomes a model.

mod blocks;
mod error;
mod lane;
mod objective;
mod parts;
mod report;

use std::sync::Mutex;
use std::thread::{self, ScopedJoinHandle};
use std::time::Instant;

use thalweg::{
    Batch, Config, ConfigError, Error, Examples, Input, Interrupt, Learner, Model, Observer, cores,
};
use thalweg_core::TooLarge;
use thalweg_core::group::groups;
use thalweg_core::race::Race;

use crate::grid::Candidate;
use crate::summary::Summary;
use blocks::{Block, Blocks};
use lane::{Lane, Run};
use objective::Losses;
use parts::{Part, View, views};

pub use error::{SweepError, WAITING};
pub use objective::Objective;
pub use parts::Validation;
pub use report::{CandidateReport, Eliminated, SweepReport};

/// A search for the best of several candidates.
///
/// All candidates learn from the same examples while the data is read once for each pass. Those of one rule learn side by side. The result does not depend
/// on the number of threads.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// How data is read and prepared, what errors cost, and how often the data is gone through. Its learner plays no part.
    pub config: Config,
    /// Who is compared.
    pub candidates: Vec<Candidate>,
    /// How they are measured.
    pub validation: Validation,
    /// By what they are compared.
    pub objective: Objective,
    /// Let those go that are worse than another, with at most this probability that one goes wrongly.
    pub race: Option<f64>,
}

/// What a sweep found, and the best candidate as a model.
pub struct Swept {
    /// The candidates, the best first.
    pub report: SweepReport,
    /// The best candidate with all that it has learned.
    pub model: Model,
}

impl Sweep {
    /// An error if there is something wrong with the sweep itself: before any work begins.
    pub fn check(&self) -> Result<(), SweepError> {
        match self.validation {
            Validation::Folds(folds) if !(2..=100).contains(&folds) => return Err(SweepError::Folds(folds)),
            Validation::Holdout(share) => _ = Config::default().holdout(share).held_out()?,
            Validation::Folds(_) | Validation::Progressive => {}
        }
        if let Some(level) = self.race {
            if !(level > 0.0 && level < 1.0) {
                return Err(SweepError::Level(level));
            }
            self.objective.losses(&self.config, self.first_learner())?;
        }
        let config = self.measuring();
        for candidate in &self.candidates {
            let spec = config.spec_of(&candidate.learner)?;
            let learner =
                thalweg::learners::build(&spec, &config.setup(&spec)?).map_err(ConfigError::from)?;
            config.figures_of(learner.as_ref(), thalweg::MeasuredIn::Training)?;
        }
        Ok(())
    }

    /// Goes through the data. An interrupt ends it, and what is known by then is the result.
    pub fn run(
        &self,
        inputs: &[Input],
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Result<Swept, SweepError> {
        self.check()?;
        let began = Instant::now();
        let config = self.measuring();
        let specs: Vec<&str> = self.candidates.iter().map(|candidate| candidate.learner.as_str()).collect();
        let examples = Examples::open(&config, &specs, inputs, interrupt.clone(), observer)?;
        let mut field = Field::new(self, &config, &examples)?;
        let mut blocks = Blocks::new(examples);
        let passes = config.passes.unwrap_or(1);
        for pass in 1..=passes {
            if interrupt.has_come() {
                break;
            }
            if pass > 1 {
                blocks.examples.rewind()?;
                field.begin_pass(&config)?;
            }
            observer.pass(pass, passes);
            field.one_pass(&mut blocks, pass == 1, observer)?;
        }
        if field.examples == 0 {
            return Err(Error::NothingLearned { refused: 0 }.into());
        }
        let examples = blocks.examples;
        let labels = examples.labels().clone();
        let report = SweepReport {
            objective: self.objective.name(),
            metrics: self
                .config
                .metrics
                .iter()
                .filter(|name| **name != self.objective.name())
                .cloned()
                .collect(),
            validation: match self.validation {
                Validation::Progressive => "progressive",
                Validation::Holdout(_) => "holdout",
                Validation::Folds(_) => "folds",
            },
            examples: field.examples,
            bad_lines: examples.bad_lines(),
            interrupted: interrupt.has_come(),
            passes,
            seconds: began.elapsed().as_secs_f64(),
            candidates: field.reports(self, &|class| labels.name(class).to_string()),
        }
        .ranked(&self.objective);
        let winner = report.winner().ok_or_else(|| field.why_nothing(&report))?;
        let model = examples.into_model(field.learner(winner.number - 1))?;
        Ok(Swept { report, model })
    }

    fn first_learner(&self) -> &str {
        self.candidates.first().map_or(thalweg::DEFAULT_LEARNER, |first| &first.learner)
    }

    /// The configuration with the objective among its metrics, and nothing that scores are steered by.
    fn measuring(&self) -> Config {
        let mut config = Config { holdout: None, learner: None, ..self.config.clone() };
        if !config.metrics.contains(&self.objective.name()) {
            config.metrics.insert(0, self.objective.name());
        }
        config
    }
}

/// All learners on their way through the data.
struct Field {
    validation: Validation,
    parts: Vec<Part>,
    lanes: Vec<Lane>,
    race: Option<(Race, Losses)>,
    /// Candidates that left the race, in the order in which they did, with what was measured in each part and their weights.
    gone: Vec<Gone>,
    threads: usize,
    /// The most bytes that all learners together may take.
    max_memory: u64,
    /// Labelled examples so far.
    examples: u64,
    /// Of these, how many each part is measured on.
    measured: Vec<u64>,
}

/// A candidate that has left the race.
struct Gone {
    candidate: usize,
    /// By part.
    runs: Vec<(usize, Run)>,
    nonzeros: usize,
}

impl Field {
    fn new(sweep: &Sweep, config: &Config, examples: &Examples) -> Result<Self, SweepError> {
        let parts = Part::all(sweep.validation);
        let threads = cores();
        let together = sweep.candidates.len() * parts.len();
        let most = together.div_ceil(threads).clamp(1, 16);
        let mut lanes = Vec::new();
        for part in 0..parts.len() {
            let mut learners = Vec::new();
            let mut runs = Vec::new();
            for (number, candidate) in sweep.candidates.iter().enumerate() {
                let learner = examples.build(&candidate.learner)?;
                runs.push(Run::new(number, learner.as_ref(), config)?);
                learners.push(learner);
            }
            let mut runs = runs.into_iter();
            for group in groups(learners, most) {
                let members = runs.by_ref().take(group.len()).collect();
                lanes.push(Lane::new(part, group, members));
            }
        }
        let max_memory = config.setup(sweep.first_learner())?.max_memory;
        let measured = vec![0; parts.len()];
        let contenders = sweep.candidates.len();
        let race = match sweep.race {
            Some(level) => {
                let losses = sweep.objective.losses(config, sweep.first_learner())?;
                Some((Race::new(contenders, level), losses))
            }
            None => None,
        };
        Ok(Self {
            validation: sweep.validation,
            parts,
            lanes,
            race,
            gone: Vec::new(),
            threads,
            max_memory,
            examples: 0,
            measured,
        })
    }

    /// What is measured on examples that nobody learns from is measured anew in every pass.
    fn begin_pass(&mut self, config: &Config) -> Result<(), SweepError> {
        for lane in &mut self.lanes {
            if self.parts[lane.part].learns_what_it_is_measured_on() {
                continue;
            }
            for (member, run) in lane.runs.iter_mut().enumerate() {
                let fresh = Run::new(run.candidate, lane.group.learner(member).as_ref(), config)?;
                run.figures = fresh.figures;
            }
        }
        Ok(())
    }

    /// Learns from all blocks of the data. While one is learned from, the next is read.
    fn one_pass(
        &mut self,
        blocks: &mut Blocks,
        is_first: bool,
        observer: &mut dyn Observer,
    ) -> Result<(), SweepError> {
        let (mut block, mut next) = (Block::default(), Block::default());
        blocks.fill(&mut block, observer)?;
        while !block.is_empty() {
            let labelled = |batch: &Batch| batch.labels().iter().flatten().count() as u64;
            let views = views(self.validation, &self.parts, &block);
            if is_first {
                self.examples += labelled(&block.batch);
                self.measured
                    .iter_mut()
                    .zip(&views)
                    .for_each(|(measured, view)| *measured += labelled(&view.measured));
            }
            let read = self.learn(&views, is_first, || blocks.fill(&mut next, observer))?;
            self.follow_race(&block);
            self.check_memory()?;
            read?;
            std::mem::swap(&mut block, &mut next);
        }
        let finish = |lane: &mut Lane| {
            lane.finish();
            Ok(())
        };
        on_all(&mut self.lanes, self.threads, finish, || ())
    }

    /// Learners that grow beyond all bounds end with an error, and not with the death of the process.
    fn check_memory(&self) -> Result<(), SweepError> {
        let needed: usize = self.lanes.iter().map(|lane| lane.group.memory()).sum();
        let (needed, allowed) = (needed as u64, self.max_memory);
        let count = self.lanes.iter().map(|lane| lane.runs.len() as u64).sum();
        let too_large = TooLarge { what: "the sweep", count, of: "learners", needed, allowed };
        if needed <= allowed { Ok(()) } else { Err(Error::from(too_large).into()) }
    }

    /// All lanes learn from a block, on several threads, and meanwhile something else is done.
    fn learn<T>(
        &mut self,
        views: &[View],
        is_first: bool,
        meanwhile: impl FnOnce() -> T,
    ) -> Result<T, SweepError> {
        let losses = self.race.as_ref().map(|(_, losses)| losses);
        let parts = &self.parts;
        let learn = |lane: &mut Lane| lane.learn(parts[lane.part], &views[lane.part], is_first, losses);
        on_all(&mut self.lanes, self.threads, learn, meanwhile)
    }

    /// Shows the race what the examples of a block have cost each candidate, and lets those go that have lost.
    fn follow_race(&mut self, block: &Block) {
        let Some((race, _)) = &mut self.race else { return };
        let mut losses = vec![vec![None; block.ordinals.len()]; race.contenders()];
        for run in self.lanes.iter().flat_map(|lane| &lane.runs) {
            run.losses.iter().for_each(|(i, loss)| losses[run.candidate][*i] = Some(*loss));
        }
        let losses: Vec<Vec<f64>> =
            losses.into_iter().map(|all| all.into_iter().flatten().collect()).collect();
        let before = race.eliminated().len();
        race.observe(&losses);
        let lost: Vec<usize> = race.eliminated()[before..].iter().map(|lost| lost.contender).collect();
        lost.into_iter().for_each(|candidate| self.let_go(candidate));
        self.lanes.retain(|lane| !lane.runs.is_empty());
    }

    fn let_go(&mut self, candidate: usize) {
        let nonzeros = self.nonzeros(candidate);
        let runs = self.lanes.iter_mut().filter_map(|lane| Some((lane.part, lane.remove(candidate)?)));
        let gone = Gone { candidate, runs: runs.collect(), nonzeros };
        self.gone.push(gone);
    }

    /// Why no candidate has a value of the objective.
    fn why_nothing(&self, report: &SweepReport) -> SweepError {
        let measured =
            || self.parts.iter().zip(&self.measured).filter(|(part, _)| **part != Part::Everything);
        let empty = measured().filter(|(_, examples)| **examples == 0).count();
        if empty > 0 {
            return SweepError::NothingToMeasureOn {
                empty,
                parts: measured().count(),
                examples: self.examples,
            };
        }
        if report.candidates.iter().any(CandidateReport::is_measured) {
            return SweepError::Undefined(report.objective.clone());
        }
        SweepError::NothingMeasured
    }

    /// The lane and the place there of the learner that becomes the candidate's model.
    fn place(&self, candidate: usize) -> Option<(&Lane, usize)> {
        let mut last = self.lanes.iter().filter(|lane| lane.part + 1 == self.parts.len());
        last.find_map(|lane| Some((lane, lane.runs.iter().position(|run| run.candidate == candidate)?)))
    }

    fn nonzeros(&self, candidate: usize) -> usize {
        self.place(candidate).map_or(0, |(lane, member)| lane.group.nonzeros(member))
    }

    /// The candidate with all that it has learned.
    fn learner(&self, candidate: usize) -> Box<dyn Learner> {
        let (lane, member) = self.place(candidate).expect("the best candidate is still in the race");
        lane.group.learner(member)
    }

    /// What was measured of each candidate.
    fn reports(&self, sweep: &Sweep, name: &dyn Fn(u32) -> String) -> Vec<CandidateReport> {
        let eliminated = self.race.as_ref().map_or(&[][..], |(race, _)| race.eliminated());
        let report = |(number, candidate): (usize, &Candidate)| {
            let gone = self.gone.iter().find(|gone| gone.candidate == number);
            let runs: Vec<(usize, &Run)> = match gone {
                Some(gone) => gone.runs.iter().map(|(part, run)| (*part, run)).collect(),
                None => self
                    .lanes
                    .iter()
                    .flat_map(|lane| lane.runs.iter().map(|run| (lane.part, run)))
                    .filter(|(_, run)| run.candidate == number)
                    .collect(),
            };
            let measured = runs.iter().filter(|(part, _)| self.parts[*part] != Part::Everything);
            let mut folds: Vec<_> = measured.map(|(_, run)| run.figures.figures(name)).collect();
            let summary = Summary::of_all(folds.iter().map(|figures| figures.value(&sweep.objective.name())));
            let figures = if matches!(sweep.validation, Validation::Folds(_)) { None } else { folds.pop() };
            let (time, examples) = runs.iter().fold((0.0, 0), |(time, examples), (_, run)| {
                (time + run.learning.as_secs_f64(), examples + run.examples)
            });
            CandidateReport {
                number: number + 1,
                candidate: candidate.clone(),
                value: summary.map(|summary| summary.mean),
                deviation: summary.filter(|summary| summary.count > 1).map(|summary| summary.deviation),
                figures,
                folds,
                nonzeros: gone.map_or_else(|| self.nonzeros(number), |gone| gone.nonzeros),
                nanoseconds: 1e9 * time / examples.max(1) as f64,
                pareto: false,
                eliminated: eliminated.iter().find(|lost| lost.contender == number).map(|lost| Eliminated {
                    at_examples: lost.at_examples,
                    by: lost.by + 1,
                    odds: lost.evidence.exp(),
                }),
            }
        };
        sweep.candidates.iter().enumerate().map(report).collect()
    }
}

/// Works on all lanes, on several threads, and meanwhile something else is done.
fn on_all<T>(
    lanes: &mut [Lane],
    threads: usize,
    work: impl Fn(&mut Lane) -> Result<(), Error> + Sync,
    meanwhile: impl FnOnce() -> T,
) -> Result<T, SweepError> {
    let threads = threads.min(lanes.len()).max(1);
    let lanes = Mutex::new(lanes.iter_mut());
    let work = || -> Result<(), Error> {
        loop {
            let lane = lanes.lock().ok().and_then(|mut lanes| lanes.next());
            let Some(lane) = lane else { return Ok(()) };
            work(lane)?;
        }
    };
    let (done, results) = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let done = meanwhile();
        let results: Vec<_> = threads.into_iter().map(ScopedJoinHandle::join).collect();
        (done, results)
    });
    for result in results {
        match result {
            Ok(learned) => learned?,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    Ok(done)
}
