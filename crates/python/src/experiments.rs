//! Experiments: many settings, several learners, and what the papers published.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use thalweg::{Config, cores};
use thalweg_experiments::compare::{self, Comparison, entrants, measured_in};
use thalweg_experiments::grid::{Range, candidates};
use thalweg_experiments::reproduce::{self, Exhibit, Options, Store};
use thalweg_experiments::sweep::{Objective, Sweep, SweepError, Validation};
use thalweg_experiments::{DataSet, Orders};

use crate::errors::{raise, wrong};
use crate::inputs::inputs;
use crate::stream::config;
use crate::watcher::Watcher;

fn ranges(texts: &[String]) -> PyResult<Vec<Range>> {
    texts.iter().map(|text| text.parse().map_err(wrong)).collect()
}

/// How candidates are measured.
fn validation(folds: Option<u32>, holdout: Option<f64>) -> PyResult<Validation> {
    match (folds, holdout) {
        (Some(_), Some(_)) => Err(wrong("`folds` and `holdout` cannot be used together")),
        (Some(folds), None) => Ok(Validation::Folds(folds)),
        (None, Some(share)) => Ok(Validation::Holdout(share)),
        (None, None) => Ok(Validation::Progressive),
    }
}

/// Many settings learn from one reading of the data: a report as JSON, and the best model.
#[pyfunction]
#[pyo3(signature = (data, settings, learners, grid, folds=None, holdout=None, objective=None, race=None, tell=None))]
#[allow(clippy::too_many_arguments)] // called with keywords
fn sweep<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    settings: &str,
    learners: Vec<String>,
    grid: Vec<String>,
    folds: Option<u32>,
    holdout: Option<f64>,
    objective: Option<&str>,
    race: Option<f64>,
    tell: Option<Py<PyAny>>,
) -> PyResult<(String, Bound<'py, PyBytes>)> {
    let (data, config, mut watcher) = (inputs(data)?, config(settings)?, Watcher::new(tell));
    let objective = objective.map_or_else(|| Objective::of(&config), Objective::new).map_err(wrong)?;
    let candidates = candidates(&learners, &ranges(&grid)?).map_err(wrong)?;
    if candidates.len() < 2 {
        return Err(wrong(
            "there is only one setting, so nothing to compare: give a `grid`, or several `learners`",
        ));
    }
    let sweep = Sweep { config, candidates, validation: validation(folds, holdout)?, objective, race };
    let (report, model) = py.detach(|| {
        let interrupt = watcher.interrupt();
        let swept = sweep.run(&data, &interrupt, &mut watcher);
        watcher.end()?;
        let swept = swept.map_err(|error| match error {
            SweepError::Run(error) => raise(error),
            other => wrong(other),
        })?;
        Ok::<_, PyErr>((serde_json::to_string(&swept.report).map_err(wrong)?, swept.model.to_bytes()))
    })?;
    Ok((report, PyBytes::new(py, &model)))
}

/// Several learners over penalties and random orders: the outcome as JSON, the table as text, and a CSV of all settings.
#[pyfunction]
#[pyo3(name = "compare", signature = (data, settings, learners, path, points=9, repeat=10, seed=0, test=None, jobs=None))]
#[allow(clippy::too_many_arguments)] // called with keywords
fn compare_learners(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    settings: &str,
    learners: Vec<String>,
    path: Vec<String>,
    points: usize,
    repeat: usize,
    seed: u64,
    test: Option<&Bound<'_, PyAny>>,
    jobs: Option<usize>,
) -> PyResult<(String, String, String)> {
    let (data, test) = (inputs(data)?, test.map(inputs).transpose()?);
    let config = Config { learner: None, curves: None, ..config(settings)? };
    let (paths, mut watcher) = (ranges(&path)?, Watcher::new(None));
    py.detach(|| {
        let metrics = compare::metrics(&config).map_err(wrong)?;
        let entrants =
            entrants(&learners, &paths, points, &config, measured_in(test.is_some())).map_err(wrong)?;
        let interrupt = watcher.interrupt();
        let all = DataSet::read(&data, &config, &interrupt, &mut watcher).map_err(raise)?;
        let test = test.map(|test| all.read_test(&test, &config, &interrupt, &mut watcher));
        let test = test.transpose().map_err(raise)?;
        let orders = Orders::Random { rows: all.len(), count: repeat, seed };
        let comparison = Comparison {
            data: &all,
            test: test.as_ref(),
            orders: &orders,
            entrants: &entrants,
            metrics: &metrics,
            jobs: jobs.unwrap_or_else(cores),
        };
        let outcome = comparison.run(&interrupt, |_, _| watcher.look());
        watcher.end()?;
        let outcome = outcome.map_err(wrong)?;
        let json = serde_json::to_string(&outcome).map_err(wrong)?;
        Ok((json, compare::shown(&outcome), compare::csv(&outcome)))
    })
}

/// The tables and figures of the papers: name, paper and title.
#[pyfunction]
fn exhibits() -> Vec<(String, String, String)> {
    let described =
        |exhibit: &Exhibit| (exhibit.name.clone(), exhibit.paper().to_string(), exhibit.title.clone());
    reproduce::exhibits().iter().map(described).collect()
}

/// Runs the experiments behind tables and figures of the papers: the comparisons as JSON, and as text.
#[pyfunction]
#[pyo3(name = "reproduce", signature = (names, data=None, work=None, repeat=None, threads=None))]
fn reproduce_exhibits(
    py: Python<'_>,
    names: Vec<String>,
    data: Option<PathBuf>,
    work: Option<PathBuf>,
    repeat: Option<usize>,
    threads: Option<usize>,
) -> PyResult<(String, String)> {
    let all = reproduce::exhibits();
    let is = |exhibit: &Exhibit, name: &str| {
        name == "all" || exhibit.name == name || exhibit.name.split('-').next() == Some(name)
    };
    if let Some(name) = names.iter().find(|name| !all.iter().any(|exhibit| is(exhibit, name))) {
        return Err(wrong(format!("there is no table or figure \"{name}\"; `thalweg.exhibits()` lists all")));
    }
    let chosen: Vec<&Exhibit> =
        all.iter().filter(|exhibit| names.iter().any(|name| is(exhibit, name))).collect();
    let options = Options { data, repeat, threads };
    let mut watcher = Watcher::new(None);
    py.detach(|| {
        reproduce::check(&chosen, &options).map_err(wrong)?;
        let work = work.as_deref().unwrap_or(Path::new("reproduction"));
        let mut store = Store::open(work, options.data.as_deref()).map_err(wrong)?;
        let interrupt = watcher.interrupt();
        let result = reproduce::run(&chosen, &mut store, &options, &interrupt, |_| watcher.look());
        watcher.end()?;
        result.map_err(wrong)?;
        let json: Vec<_> = chosen.iter().map(|exhibit| reproduce::json(exhibit, &store, &options)).collect();
        let text: Vec<_> = chosen.iter().map(|exhibit| reproduce::text(exhibit, &store, &options)).collect();
        Ok((serde_json::to_string(&json).map_err(wrong)?, text.join("\n")))
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(sweep, module)?)?;
    module.add_function(wrap_pyfunction!(compare_learners, module)?)?;
    module.add_function(wrap_pyfunction!(exhibits, module)?)?;
    module.add_function(wrap_pyfunction!(reproduce_exhibits, module)?)
}
