//! Runs what is not known yet, data set by data set.

use std::collections::HashSet;
use std::path::PathBuf;

use thalweg::{Interrupt, cores};

use super::ReproduceError;
use super::configuration::{Configuration, Run};
use super::examples::Examples;
use super::exhibit::{Exhibit, Part, Point};
use super::fingerprint::Outdated;
use super::sets::Set;
use super::store::Store;
use crate::run_all;

/// How much is run, and where the data is.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder of the data sets.
    pub data: Option<PathBuf>,
    /// At most so many repetitions of each run, unless their orders are published, or they are folds.
    pub repeat: Option<usize>,
    /// At most so many threads; all cores by default.
    pub threads: Option<usize>,
}

impl Options {
    /// How often the runs of a part are repeated. Where the orders are published, always as often as in the paper: only then can numbers be the
    /// same. And always on all folds.
    pub fn repetitions(&self, part: &Part) -> usize {
        let fixed = part.has_published_orders() || matches!(part.run, Run::Folds { .. });
        let repeat = self.repeat.filter(|_| !fixed);
        repeat.map_or(part.repeat, |repeat| repeat.clamp(1, part.repeat))
    }
}

/// How many repetitions of a part are known: of every run of which something is known at all, so that means are of the same orders. What is to
/// come where nothing is. Folds belong together.
pub(super) fn known_repetitions(part: &Part, store: &Store, options: &Options) -> usize {
    let wanted = options.repetitions(part);
    if matches!(part.run, Run::Folds { .. }) {
        return wanted;
    }
    let points = part.rows.iter().flat_map(|row| part.points(row));
    let known =
        |point: Point| (0..wanted).take_while(|i| store.get(&point.configuration, *i).is_some()).count();
    points.map(known).filter(|known| *known > 0).min().unwrap_or(wanted)
}

/// Work that is left, for one data set.
struct Work {
    set: &'static Set,
    runs: Vec<(Configuration, usize)>,
}

/// What to tell the user while it runs.
pub struct Progress<'a> {
    /// The set that is worked on.
    pub set: &'a str,
    /// Runs that are done, of those that were not known before.
    pub done: usize,
    /// All runs that were not known before.
    pub total: usize,
}

/// Is all data of a part there?
pub fn missing(part: &Part, options: &Options) -> Option<String> {
    part.set().files(options.data.as_deref()).err()
}

/// How many stored outcomes are of no use any more, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutdatedRuns {
    /// From other data.
    pub data: usize,
    /// Of a learner, or a protocol, that does something else now.
    pub behaviour: usize,
}

/// Stored outcomes of these tables and figures that have to be run again.
pub fn outdated(exhibits: &[&Exhibit], store: &Store, options: &Options) -> OutdatedRuns {
    let (mut runs, mut seen) = (OutdatedRuns::default(), HashSet::new());
    for part in exhibits.iter().flat_map(|exhibit| &exhibit.parts) {
        for point in part.rows.iter().flat_map(|row| part.points(row)) {
            for repetition in 0..options.repetitions(part) {
                match store.outdated(&point.configuration, repetition) {
                    Some(why) if seen.insert(format!("{} {repetition}", point.configuration)) => match why {
                        Outdated::Data => runs.data += 1,
                        Outdated::Behaviour => runs.behaviour += 1,
                    },
                    _ => {}
                }
            }
        }
    }
    runs
}

/// An error if there is no data for any part, or a learner cannot be built: before any work begins.
pub fn check(exhibits: &[&Exhibit], options: &Options) -> Result<(), ReproduceError> {
    work(exhibits, &Store::in_memory(), options).map(drop)
}

/// Parts whose data is missing are left out, unless it is that of all parts.
fn work(exhibits: &[&Exhibit], store: &Store, options: &Options) -> Result<Vec<Work>, ReproduceError> {
    let (mut all, mut planned): (Vec<Work>, _) = (Vec::new(), HashSet::new());
    let parts = || exhibits.iter().flat_map(|exhibit| &exhibit.parts);
    let lacking: Vec<String> = parts().filter_map(|part| missing(part, options)).collect();
    if let Some(first) = lacking.first().filter(|_| lacking.len() == parts().count()) {
        return Err(ReproduceError::Missing(first.clone()));
    }
    for part in parts().filter(|part| missing(part, options).is_none()) {
        let points: Vec<_> = part.rows.iter().flat_map(|row| part.points(row)).collect();
        points.iter().try_for_each(|point| point.configuration.check())?;
        for repetition in 0..options.repetitions(part) {
            for point in &points {
                let configuration = &point.configuration;
                if store.get(configuration, repetition).is_some()
                    || !planned.insert(format!("{configuration} {repetition}"))
                {
                    continue;
                }
                let set = configuration.set;
                let at = all.iter().position(|work| work.set.name == set.name).unwrap_or_else(|| {
                    all.push(Work { set, runs: Vec::new() });
                    all.len() - 1
                });
                all[at].runs.push((configuration.clone(), repetition));
            }
        }
    }
    Ok(all)
}

/// Runs what is not known yet. Data sets are in memory one after the other. After an interrupt, what is known so far is in the store.
pub fn run(
    exhibits: &[&Exhibit],
    store: &mut Store,
    options: &Options,
    interrupt: &Interrupt,
    mut tell: impl FnMut(&Progress),
) -> Result<(), ReproduceError> {
    let all = work(exhibits, store, options)?;
    store.begin()?;
    let total = all.iter().map(|work| work.runs.len()).sum();
    let mut before = 0;
    for Work { set, runs } in all {
        if interrupt.has_come() {
            return Ok(());
        }
        tell(&Progress { set: set.name, done: before, total });
        let examples = Examples::of(set, options.data.as_deref())?;
        let threads = options.threads.unwrap_or_else(cores);
        let mut failed = None;
        run_all(
            runs.len(),
            threads,
            interrupt,
            |job| runs[job].0.run(&examples, runs[job].1, interrupt),
            |done| {
                let (configuration, repetition) = &runs[done.job];
                if let Err(error) = store.put(configuration, *repetition, done.result.clone()) {
                    failed.get_or_insert(error);
                }
                tell(&Progress { set: set.name, done: before + done.done, total });
            },
        )?;
        if let Some(error) = failed {
            return Err(error);
        }
        before += runs.len();
    }
    Ok(())
}
