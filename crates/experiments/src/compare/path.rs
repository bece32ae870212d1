//! Paths from dense to sparse: the knob that makes a learner sparser, and its values.

use thalweg::learners::{self, Entry, with_knob};
use thalweg::{Config, ConfigError, MeasuredIn};
use thalweg_core::cost::CostUse;

use super::error::CompareError;
use crate::grid::Range;
use crate::trial::Trial;

/// The knobs that make learners sparser, in the order in which they are looked for.
pub(super) const SPARSITY_KNOBS: [&str; 3] = ["lambda", "kappa", "features"];

/// A learner that takes part, with the settings that it goes through.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// The learner as it was named.
    pub learner: String,
    /// The knob that its settings differ in; none if there is only one setting.
    pub knob: Option<String>,
    /// Its settings, in the order of the path.
    pub settings: Vec<Setting>,
}

/// A learner with all knobs set.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The value of the path's knob.
    pub value: Option<f64>,
    /// What is learned and measured.
    pub config: Config,
}

/// The learners of a list, `name` or `name:knob=value,...` each, separated by commas as knobs are.
pub fn split_learners(list: &str) -> Vec<String> {
    let mut learners: Vec<String> = Vec::new();
    for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let is_knob = part.split_once('=').is_some_and(|(knob, _)| !knob.contains(':'));
        match learners.last_mut().filter(|_| is_knob) {
            Some(last) => *last += &format!(",{part}"),
            None => learners.push(part.into()),
        }
    }
    learners
}

/// The learners with their paths. A path that was given counts for every learner that has its knob and does not set it; other learners
/// go along their own sparsity knob, with so many points around its default. With one point, and without a knob, a learner is what it is by default.
///
/// Everything is checked before any work begins.
pub fn entrants(
    learners: &[String],
    paths: &[Range],
    points: usize,
    config: &Config,
    measured: &[MeasuredIn],
) -> Result<Vec<Entrant>, CompareError> {
    if learners.is_empty() {
        return Err(CompareError::NoLearners);
    }
    if let Some(twice) = (1..learners.len()).find(|i| learners[..*i].contains(&learners[*i])) {
        return Err(CompareError::Twice(learners[twice].clone()));
    }
    let mut used = vec![false; paths.len()];
    let mut all = Vec::new();
    for learner in learners {
        let entry = learners::find(name_of(learner)).map_err(ConfigError::from)?;
        let given = paths.iter().position(|path| path.fits(entry) && !sets(learner, &path.knob));
        let path = match given {
            Some(i) => {
                used[i] = true;
                Some((paths[i].knob.clone(), paths[i].settings.clone()))
            }
            None => own_path(entry, learner, points),
        };
        all.push(entrant(learner, path, &as_it_can(entry, config)?, measured)?);
    }
    match paths.iter().zip(used).find(|(_, used)| !used) {
        Some((path, _)) => Err(CompareError::Unused { knob: path.knob.clone() }),
        None => Ok(all),
    }
}

/// What is asked of all learners, as far as this one can: one that takes no costs is compared with those that do, by the same costs.
fn as_it_can(entry: &Entry, config: &Config) -> Result<Config, CompareError> {
    let mut config = config.clone();
    if !entry.has_knob("batch") {
        config.batch = None;
    }
    if matches!(entry.costs, CostUse::Refused(_)) {
        let by_class =
            config.cost_fn.is_some() || config.cost_fp.is_some() || !config.class_weight.is_empty();
        if by_class && config.declares_costs() {
            let declared = config.setup(entry.name)?.costs;
            config.report_cost.get_or_insert((declared.missed, declared.false_alarm));
            (config.cost_fn, config.cost_fp) = (None, None);
        }
        config.balanced = None;
        config.balance_half_life = None;
        config.class_weight.clear();
    }
    Ok(config)
}

fn entrant(
    learner: &str,
    path: Option<(String, Vec<String>)>,
    config: &Config,
    measured: &[MeasuredIn],
) -> Result<Entrant, CompareError> {
    let setting = |value: Option<f64>, learner: String| {
        let config = config.clone().learner(learner);
        Trial::check(&config, measured)?;
        Ok::<_, CompareError>(Setting { value, config })
    };
    let Some((knob, values)) = path else {
        let only = setting(None, learner.to_string())?;
        return Ok(Entrant { learner: learner.into(), knob: None, settings: vec![only] });
    };
    let with = |value: &String| setting(value.parse().ok(), with_knob(learner, &knob, value));
    let settings = values.iter().map(with).collect::<Result<_, _>>()?;
    Ok(Entrant { learner: learner.into(), knob: Some(knob), settings })
}

/// The path of a learner that nobody gave one: from where its penalty hardly matters to where few weights are left, on data like that of the guide. The defaults
/// of penalties below 1e-4, and that of ssol, are small for their learners.
fn own_path(entry: &Entry, learner: &str, points: usize) -> Option<(String, Vec<String>)> {
    let knobs = (entry.knobs)();
    let knob = SPARSITY_KNOBS.iter().find_map(|name| knobs.iter().find(|knob| knob.name == *name))?;
    if points < 2 || sets(learner, knob.name) {
        return None;
    }
    let default: f64 = knob.default.parse().ok().filter(|default| *default > 0.0)?;
    let (from, to) = match knob.name {
        // Its unit is a standard deviation.
        "kappa" => (0.02, 8.0),
        "features" => (10.0, 10.0 * default),
        _ if default < 1e-4 || entry.name.ends_with("ssol") => (default, default * 1e5),
        _ => (default / 10.0, default * 1e3),
    };
    let range = format!("{}={from:e}..{to:e}:{points}", knob.name);
    let mut values = range.parse::<Range>().ok()?.settings;
    if knob.name == "features" {
        values =
            values.iter().filter_map(|value| Some(value.parse::<f64>().ok()?.round().to_string())).collect();
    }
    Some((knob.name.into(), values))
}

impl Range {
    /// Is it about a knob of this learner?
    fn fits(&self, entry: &Entry) -> bool {
        self.learner.as_ref().is_none_or(|learner| learner == entry.name) && entry.has_knob(&self.knob)
    }
}

fn name_of(learner: &str) -> &str {
    learner.split(':').next().unwrap_or_default().trim()
}

/// Does the learner as it was named set the knob?
fn sets(learner: &str, knob: &str) -> bool {
    let knobs = learner.split_once(':').map_or("", |(_, knobs)| knobs);
    knobs.split(',').any(|set| set.split('=').next().unwrap_or_default().trim() == knob)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(learners: &str, paths: &[&str], points: usize) -> Result<Vec<Entrant>, CompareError> {
        let paths: Vec<Range> = paths.iter().map(|path| path.parse().unwrap()).collect();
        entrants(&split_learners(learners), &paths, points, &Config::default(), &[MeasuredIn::Training])
    }

    fn specs(entrant: &Entrant) -> Vec<&str> {
        entrant.settings.iter().map(|setting| setting.config.learner.as_deref().unwrap()).collect()
    }

    #[test]
    fn commas_separate_learners_and_knobs() {
        assert_eq!(
            split_learners("ssol:eta=1,r=2, rda,ftrl:beta=1,,arow"),
            ["ssol:eta=1,r=2", "rda", "ftrl:beta=1", "arow"]
        );
    }

    #[test]
    fn every_learner_goes_along_its_own_knob() {
        let all = of("ssol:eta=1,rda,sarow,arow,rda:lambda=0.5", &["lambda=1e-4..1e-2:3"], 5).unwrap();
        assert_eq!(
            specs(&all[0]),
            ["ssol:eta=1,lambda=0.0001", "ssol:eta=1,lambda=0.001", "ssol:eta=1,lambda=0.01"]
        );
        assert_eq!(all[1].settings.len(), 3);
        assert_eq!((all[2].knob.as_deref(), all[2].settings.len()), (Some("kappa"), 5));
        assert_eq!((all[2].settings[0].value, all[2].settings[4].value), (Some(0.02), Some(8.0)));
        assert_eq!((all[3].knob.as_deref(), specs(&all[3])), (None, vec!["arow"]));
        assert_eq!((all[4].knob.as_deref(), specs(&all[4])), (None, vec!["rda:lambda=0.5"]));
        let own = of("sofs,ssol", &["ssol.r=1,2"], 4).unwrap();
        assert_eq!(specs(&own[0])[1], "sofs:features=100");
        assert_eq!(specs(&own[1]), ["ssol:r=1", "ssol:r=2"]);
        assert_eq!(of("ssol", &[], 1).unwrap()[0].settings.len(), 1);
    }

    #[test]
    fn a_learner_that_takes_no_costs_is_measured_by_them() {
        let config = Config::default().cost_fn(9.0).batch(100u64);
        let learners = split_learners("pa,acog1,dcd");
        let all = entrants(&learners, &[], 1, &config, &[MeasuredIn::Training]).unwrap();
        let configs: Vec<&Config> = all.iter().map(|entrant| &entrant.settings[0].config).collect();
        assert_eq!((configs[0].cost_fn, configs[0].report_cost), (None, Some((9.0, 1.0))));
        assert_eq!((configs[1].cost_fn, configs[1].report_cost), (Some(9.0), None));
        assert_eq!((configs[1].batch, configs[2].batch), (None, Some(100)));
    }

    #[test]
    fn what_is_wrong_is_said_before_work_begins() {
        let error = |learners, paths: &[&str]| of(learners, paths, 9).unwrap_err().to_string();
        assert!(error("ssol,arrow", &[]).contains("did you mean \"arow\"?"));
        assert!(error("ssol:ета=1", &[]).contains("unknown knob"));
        assert!(error("arow", &["lambda=1,2"]).contains("no learner here goes along lambda"));
        assert!(error("ssol,ssol", &[]).contains("ssol is there twice"));
        assert!(error("", &[]).contains("no learners"));
        assert!(error("ssol", &["lambda=1,x"]).contains("lambda"));
    }
}
