//! The papers' claims as checks.

use serde::Serialize;

use super::comparison::summary;
use super::exhibit::{Across, Exhibit, Part};
use super::metric::Metric;
use super::runner::Options;
use super::series::{Series, series};
use super::store::Store;

/// A claim of a paper, and what was measured here.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// What is claimed.
    pub claim: &'static str,
    /// By whom.
    pub paper: &'static str,
    /// One for each data set on which it was looked at.
    pub evidence: Vec<Evidence>,
}

/// Whether a claim holds on a data set.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// The data set, or what was measured on it.
    pub on: String,
    /// Does it hold?
    pub holds: bool,
    /// The numbers.
    pub numbers: String,
}

impl Claim {
    /// `holds`, or on how many data sets.
    pub fn verdict(&self) -> String {
        let holds = self.evidence.iter().filter(|evidence| evidence.holds).count();
        match self.evidence.len() {
            all if holds == all => "holds".into(),
            _ if holds == 0 => "does not hold here".into(),
            all => format!("does not hold everywhere here: on {holds} of {all}"),
        }
    }
}

/// What has been measured.
struct Measured<'a> {
    exhibits: Vec<Exhibit>,
    store: &'a Store,
    options: &'a Options,
}

/// Two learners of a table of which one is claimed to be better.
struct Pair {
    table: &'static str,
    metric: Metric,
    better: &'static str,
    worse: &'static str,
}

const SECOND_ORDER: &[Pair] = &[
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-I (diagonal)", worse: "COG-I" },
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-II (diagonal)", worse: "COG-II" },
];
const COST_SENSITIVE: &[Pair] = &[
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "PAUM", worse: "Perceptron" },
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "COG-I", worse: "PA-I" },
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-II", worse: "AROW" },
];
const ACOG: &[Pair] = &[
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-I", worse: "COG-I" },
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-II", worse: "COG-II" },
    Pair { table: "zhao2019-table2", metric: Metric::CostInHundreds, better: "ACOG-I", worse: "COG-I" },
    Pair { table: "zhao2019-table2", metric: Metric::CostInHundreds, better: "ACOG-II", worse: "COG-II" },
    Pair { table: "zhao2019-table8", metric: Metric::Sum, better: "ACOG-I", worse: "COG-I" },
    Pair { table: "zhao2019-table8", metric: Metric::Sum, better: "ACOG-II", worse: "COG-II" },
];
const FULL: &[Pair] = &[
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-I", worse: "ACOG-I (diagonal)" },
    Pair { table: "zhao2019-table2", metric: Metric::Sum, better: "ACOG-II", worse: "ACOG-II (diagonal)" },
    Pair { table: "zhao2019-table8", metric: Metric::Sum, better: "ACOG-I", worse: "ACOG-I (diagonal)" },
    Pair { table: "zhao2019-table8", metric: Metric::Sum, better: "ACOG-II", worse: "ACOG-II (diagonal)" },
];

/// All claims of which something is known.
pub fn claims(store: &Store, options: &Options) -> Vec<Claim> {
    let measured = Measured { exhibits: super::exhibits(), store, options };
    let zhao = "Zhao et al. 2019";
    let wang = "Wang et al. 2015";
    let tan = "Tan et al. 2016";
    let all = [
        (
            "Dual averaging keeps its error to higher sparsity than truncation.",
            wang,
            measured.dual_averaging(),
        ),
        (
            "Second-order learners have lower errors than first-order ones.",
            wang,
            measured.second_order_paths(),
        ),
        ("SSOL is no slower than Ada-RDA.", wang, measured.ssol_time()),
        (
            "Second-order learners beat first-order ones with the same loss.",
            zhao,
            measured.pairs(SECOND_ORDER),
        ),
        ("Cost-sensitive learners beat cost-blind ones in the sum.", zhao, measured.pairs(COST_SENSITIVE)),
        ("ACOG beats COG.", zhao, measured.pairs(ACOG)),
        ("A full covariance beats a diagonal one.", zhao, measured.pairs(FULL)),
        ("SSACOG is close to ACOG in a fraction of its time.", zhao, measured.sketch()),
        (
            "SGFT with p = 2 is more accurate than SG-L1 where both leave at least half of the weights out (of values of λ ten times apart, which is coarse for SGFT).",
            "Oiwa et al. 2011",
            measured.frequency(),
        ),
        ("BCW is as accurate as DCD, and much faster.", tan, measured.bcw()),
        ("SBCW is at least as accurate as FGM and L1-SVM with as many features.", tan, measured.selection()),
    ];
    let known = all.into_iter().filter(|(.., evidence)| !evidence.is_empty());
    known.map(|(claim, paper, evidence)| Claim { claim, paper, evidence }).collect()
}

/// Claims as text, after the tables.
pub fn claims_as_text(claims: &[Claim]) -> String {
    let mut text = String::new();
    for claim in claims {
        text += &format!("\n{} ({}): {}\n", claim.claim.trim_end_matches('.'), claim.paper, claim.verdict());
        for Evidence { on, holds, numbers } in &claim.evidence {
            text += &format!("  {}  {on}: {numbers}\n", if *holds { "yes" } else { "no " });
        }
    }
    text
}

/// As accurate: by no more than this many points worse.
const CLOSE: f64 = 0.5;

impl Measured<'_> {
    fn parts(&self, exhibit: &str) -> impl Iterator<Item = &Part> {
        let found = self.exhibits.iter().filter(move |known| known.name == exhibit);
        found.flat_map(|exhibit| &exhibit.parts)
    }

    /// The mean of a metric of a row; where a knob was chosen, of its best value.
    fn mean(&self, part: &Part, learner: &str, metric: Metric) -> Option<f64> {
        let row = part.rows.iter().find(|row| row.learner == learner)?;
        let sign = if metric.falls() { -1.0 } else { 1.0 };
        let points = part.points(row).into_iter();
        let mean = |point: super::exhibit::Point| {
            Some(summary(part, &point.configuration, metric, None, self.store, self.options)?.mean)
        };
        points.filter_map(mean).max_by(|a, b| (sign * a).total_cmp(&(sign * b)))
    }

    fn pairs(&self, pairs: &[Pair]) -> Vec<Evidence> {
        let mut all = Vec::new();
        for Pair { table, metric, better, worse } in pairs {
            for part in self.parts(table).filter(|part| part.show.first() == Some(metric)) {
                let means = [better, worse].map(|learner| self.mean(part, learner, *metric));
                let [Some(a), Some(b)] = means else { continue };
                let holds = if metric.falls() { a < b } else { a > b };
                let numbers = format!("{better} {a:.2}, {worse} {b:.2}");
                all.push(Evidence { on: part.title.clone(), holds, numbers });
            }
        }
        all
    }

    /// The paths of a figure, of the parts of which all is known.
    fn paths(&self, figure: &str) -> Vec<(&Part, Vec<Series>)> {
        let of = |part: &'_ Part| {
            let axes = part.figure.as_ref()?;
            let lines = series(part, axes, self.store, self.options);
            lines.iter().all(|line| !line.points.is_empty()).then_some(lines)
        };
        self.parts(figure).filter_map(|part| Some((part, of(part)?))).collect()
    }

    fn dual_averaging(&self) -> Vec<Evidence> {
        // Where the lines part: the synthetic set has 90 % noise, texts can do without nearly all of their words.
        let levels = [
            ("synthetic", 90.0),
            ("a9a-test", 50.0),
            ("pcmac", 90.0),
            ("news20.binary", 99.0),
            ("addresses", 99.0),
        ];
        let mut all = Vec::new();
        for (part, lines) in self.paths("wang2015-figure1").into_iter().chain(self.paths("wang2015-figure2"))
        {
            let level = levels.iter().find(|(set, _)| *set == part.set).map_or(90.0, |(_, level)| *level);
            let best = |learners: &[&str]| lowest(&lines, learners, level);
            let (dual, truncated) =
                (best(&["FSOL", "Ada-RDA", "SSOL"]), best(&["STG", "FOBOS", "Ada-FOBOS"]));
            let numbers = format!(
                "with at least {level} % zeros {} against {} error",
                percent(dual),
                percent(truncated)
            );
            all.push(Evidence { on: part.title.clone(), holds: dual < truncated, numbers });
        }
        all
    }

    fn second_order_paths(&self) -> Vec<Evidence> {
        let mut all = Vec::new();
        for (part, lines) in self.paths("wang2015-figure1").into_iter().chain(self.paths("wang2015-figure2"))
        {
            for (second, first) in [("SSOL", "FSOL"), ("Ada-FOBOS", "FOBOS")] {
                let (a, b) = (lowest(&lines, &[second], 0.0), lowest(&lines, &[first], 0.0));
                let numbers = format!("lowest error of {second} {}, of {first} {}", percent(a), percent(b));
                all.push(Evidence { on: part.title.clone(), holds: a < b, numbers });
            }
        }
        all
    }

    fn ssol_time(&self) -> Vec<Evidence> {
        let time = |(part, lines): (&Part, Vec<Series>)| {
            let mean = |learner: &str| {
                let line = lines.iter().find(|line| line.learner == learner)?;
                Some(line.points.iter().map(|point| point.1).sum::<f64>() / line.points.len().max(1) as f64)
            };
            let (ssol, rda) = (mean("SSOL")?, mean("Ada-RDA")?);
            let numbers = format!("SSOL {:.0} ms, Ada-RDA {:.0} ms", 1e3 * ssol, 1e3 * rda);
            Some(Evidence { on: part.title.clone(), holds: ssol <= rda, numbers })
        };
        self.paths("wang2015-figure3").into_iter().filter_map(time).collect()
    }

    fn sketch(&self) -> Vec<Evidence> {
        let mut all = Vec::new();
        for part in self.parts("zhao2019-table5").filter(|part| part.show.first() == Some(&Metric::Sum)) {
            for (sketch, full) in [("SSACOG-I", "ACOG-I"), ("SSACOG-II", "ACOG-II")] {
                let sums = [sketch, full].map(|learner| self.mean(part, learner, Metric::Sum));
                let times = [sketch, full].map(|learner| self.mean(part, learner, Metric::Seconds));
                let ([Some(a), Some(b)], [Some(fast), Some(slow)]) = (sums, times) else { continue };
                let numbers = format!("{sketch} {a:.2}, {full} {b:.2}; {:.2} of its time", fast / slow);
                all.push(Evidence {
                    on: part.title.clone(),
                    holds: a > b - CLOSE && fast < slow / 2.0,
                    numbers,
                });
            }
        }
        all
    }

    /// With hardly any penalty, both are the same learner: so it takes sparse weights to compare them.
    fn frequency(&self) -> Vec<Evidence> {
        let best = |part: &Part, learner: &str| {
            let row = part.rows.iter().find(|row| row.learner == learner)?;
            let mean = |point: &super::exhibit::Point, metric| {
                Some(summary(part, &point.configuration, metric, None, self.store, self.options)?.mean)
            };
            let points = part.points(row);
            let sparse = points
                .iter()
                .filter(|point| mean(point, Metric::Sparsity).is_some_and(|zeros| zeros >= 50.0));
            sparse.filter_map(|point| mean(point, Metric::Accuracy)).reduce(f64::max)
        };
        let of = |part: &Part| {
            let (a, b) = (best(part, "SGFT p=2")?, best(part, "SG-L1")?);
            let numbers = format!("SGFT p=2 {a:.2} %, SG-L1 {b:.2} %");
            Some(Evidence { on: part.title.clone(), holds: a > b, numbers })
        };
        self.parts("oiwa2011-table4").filter_map(of).collect()
    }

    fn bcw(&self) -> Vec<Evidence> {
        let mut all = Vec::new();
        for part in self.parts("tan2016-table2") {
            for learner in ["BCW-L1", "BCW-L2"] {
                let errors = [learner, "DCD"].map(|learner| self.mean(part, learner, Metric::Error));
                let times = [learner, "DCD"].map(|learner| self.mean(part, learner, Metric::Seconds));
                let ([Some(a), Some(b)], [Some(fast), Some(slow)]) = (errors, times) else { continue };
                let numbers =
                    format!("error of {learner} {a:.2} %, of DCD {b:.2} %; {:.1} times as fast", slow / fast);
                all.push(Evidence {
                    on: part.title.clone(),
                    holds: a < b + CLOSE && fast < slow / 2.0,
                    numbers,
                });
            }
        }
        all
    }

    fn selection(&self) -> Vec<Evidence> {
        let mut all = Vec::new();
        for (part, lines) in self.paths("tan2016-figure1") {
            let accuracy = part
                .figure
                .as_ref()
                .is_some_and(|axes| axes.x == Across::Nonzeros && axes.y == Metric::Accuracy);
            let line = |learner: &str| lines.iter().find(|line| line.learner == learner);
            let (true, Some(ours)) = (accuracy, line("SBCW")) else { continue };
            for other in ["FGM", "L1-SVM"] {
                let Some(rival) = line(other) else { continue };
                let compared: Vec<(f64, f64, f64)> = ours
                    .points
                    .iter()
                    .filter_map(|(features, y)| Some((*features, *y, at(&rival.points, *features)?)))
                    .collect();
                let Some((features, a, b)) = compared.get(compared.len() / 2) else { continue };
                let mean = |value: fn(&(f64, f64, f64)) -> f64| {
                    compared.iter().map(value).sum::<f64>() / compared.len() as f64
                };
                let (x, y) = (mean(|point| point.1), mean(|point| point.2));
                let numbers = format!(
                    "mean accuracy of SBCW {x:.1} %, of {other} {y:.1} %; with {features:.0} features {a:.1} and {b:.1} %"
                );
                all.push(Evidence { on: part.set.clone(), holds: x >= y, numbers });
            }
        }
        all
    }
}

/// The lowest value of some lines at this x or beyond.
fn lowest(lines: &[Series], learners: &[&str], from: f64) -> f64 {
    let chosen = lines.iter().filter(|line| learners.contains(&line.learner.as_str()));
    let points = chosen.flat_map(|line| &line.points).filter(|(x, _)| *x >= from);
    points.map(|(_, y)| *y).fold(f64::INFINITY, f64::min)
}

fn percent(value: f64) -> String {
    if value.is_finite() { format!("{value:.2} %") } else { "none".into() }
}

/// The value of a line at x, between its points.
fn at(points: &[(f64, f64)], x: f64) -> Option<f64> {
    let before = points.iter().filter(|point| point.0 <= x).max_by(|a, b| a.0.total_cmp(&b.0));
    let after = points.iter().filter(|point| point.0 >= x).min_by(|a, b| a.0.total_cmp(&b.0));
    let ((left, left_y), (right, right_y)) = (before?, after?);
    let part = if right > left { (x - left) / (right - left) } else { 0.0 };
    Some(left_y + part * (right_y - left_y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_between_their_points_and_not_beyond() {
        let points = [(10.0, 1.0), (20.0, 3.0)];
        assert_eq!(
            [5.0, 10.0, 15.0, 20.0, 21.0].map(|x| at(&points, x)),
            [None, Some(1.0), Some(2.0), Some(3.0), None]
        );
    }

    #[test]
    fn a_claim_holds_if_it_holds_everywhere() {
        let evidence = |holds| Evidence { on: "a".into(), holds, numbers: String::new() };
        let claim = |evidence| Claim { claim: "c", paper: "p", evidence };
        assert_eq!(claim(vec![evidence(true), evidence(true)]).verdict(), "holds");
        assert!(claim(vec![evidence(true), evidence(false)]).verdict().contains("1 of 2"));
        assert_eq!(claim(vec![evidence(false)]).verdict(), "does not hold here");
    }
}
