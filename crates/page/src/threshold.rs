//! Two classes: what the chosen threshold gives and costs, and the curves of all thresholds.

use serde_json::{Value, json};

use crate::axis::{Axis, Scale};
use crate::chart::{Chart, Height, Line, Look};
use crate::number;
use crate::operating::{Operating, Point, usable};
use crate::page::{Costs, Thresholds};
use crate::text;

/// Where the axis of relative costs ends. What costs more is worse than not looking at scores at all.
const HIGHEST_COST: f64 = 1.1;

/// What is shown of the thresholds of an assessment.
pub(crate) struct Panel {
    /// The chosen threshold, and what is to be chosen.
    pub(crate) controls: String,
    /// The curves, if both classes came.
    pub(crate) curves: String,
    /// For the script.
    pub(crate) json: Value,
}

/// The panel of the assessment with this number.
pub(crate) fn panel(thresholds: &Thresholds, id: usize) -> Panel {
    let operating = Operating::new(thresholds);
    let costs = usable(thresholds.costs);
    let view = View { id, thresholds, operating: &operating, costs };
    let both = operating.positives > 0.0 && operating.negatives > 0.0;
    let shown: &[Curve] = if both { &[Curve::Roc, Curve::PrecisionRecall, Curve::Cost] } else { &[] };
    let (curves, frames): (Vec<String>, Vec<Value>) = shown.iter().map(|curve| view.figure(*curve)).unzip();
    let json = json!({
        "id": id,
        "operating": operating.json(costs),
        "positive": text::unescaped(&thresholds.positive),
        "negative": text::unescaped(&thresholds.negative),
        "curves": frames,
    });
    Panel { controls: view.controls(), curves: curves.concat(), json }
}

struct View<'a> {
    id: usize,
    thresholds: &'a Thresholds,
    operating: &'a Operating,
    costs: Costs,
}

impl View<'_> {
    /// What is chosen at first: what the model uses, or else what costs the least.
    fn first(&self) -> usize {
        self.operating.in_use.unwrap_or_else(|| self.operating.cheapest(self.costs))
    }

    fn controls(&self) -> String {
        let id = self.id;
        let in_use = if self.operating.in_use.is_some() {
            "<button type=\"button\" data-do=\"model\">Threshold of the model</button>"
        } else {
            ""
        };
        let last = self.operating.points.len() - 1;
        let value = last - self.first();
        format!(
            "<div class=\"explorer\" id=\"t{id}\">\n\
             <noscript><p class=\"wide\">Scripts are switched off, so the threshold cannot be moved.</p></noscript>\n\
             <div class=\"chooser\" hidden>\n\
             <div class=\"slider\"><label for=\"t{id}-slider\">Threshold</label> <output class=\"at\" data-is=\"threshold\" for=\"t{id}-slider\">{}</output>\
             <input type=\"range\" id=\"t{id}-slider\" min=\"0\" max=\"{last}\" step=\"1\" value=\"{value}\" autocomplete=\"off\">\
             <div class=\"ends\" aria-hidden=\"true\"><span>flag everything</span><span>flag nothing</span></div></div>\n\
             <div class=\"costs\">{}{}</div>\n\
             <p class=\"wrong\" id=\"t{id}-wrong\" role=\"alert\"></p>\n\
             <div class=\"buttons\"><button type=\"button\" data-do=\"cheapest\">Lowest cost</button>{in_use}</div>\n\
             <p class=\"unseen\" role=\"status\" data-is=\"said\"></p>\n\
             </div>\n{}{}{}</div>\n",
            threshold(&self.operating.points[self.first()], &self.operating.points),
            self.cost_input("missed", "Cost of a miss", self.costs.missed),
            self.cost_input("false-alarm", "Cost of a false alarm", self.costs.false_alarm),
            self.results(),
            self.matrix(),
            self.alternatives(),
        )
    }

    fn cost_input(&self, name: &str, label: &str, value: f64) -> String {
        let id = self.id;
        format!(
            "<label for=\"t{id}-{name}\">{label}</label> <input type=\"number\" id=\"t{id}-{name}\" data-cost=\"{name}\" min=\"0\" step=\"any\" \
             inputmode=\"decimal\" value=\"{value}\" aria-describedby=\"t{id}-wrong\" autocomplete=\"off\">"
        )
    }

    fn results(&self) -> String {
        let (operating, point) = (self.operating, &self.operating.points[self.first()]);
        let cost = operating.cost(point, self.costs);
        let row = |is: &str, name: &str, value: String| {
            format!("<div><dt>{name}</dt><dd data-is=\"{is}\">{value}</dd></div>")
        };
        format!(
            "<dl class=\"results\">{}{}{}{}{}{}</dl>\n",
            row("precision", "Precision", number::share(operating.precision(point))),
            row("recall", "Recall", number::share(operating.recall(point))),
            row("f1", "F1", number::share(operating.f1(point))),
            row("alerts", "Alerts per 1,000", per_thousand(operating.flagged(point))),
            row("cost", "Cost", number::amount(cost)),
            row("mean-cost", "Cost per 1,000", number::amount(1000.0 * cost / operating.total())),
        )
    }

    fn matrix(&self) -> String {
        let (operating, point) = (self.operating, &self.operating.points[self.first()]);
        let (positive, negative) =
            (text::heading(&self.thresholds.positive), text::heading(&self.thresholds.negative));
        let cell = |is: &str, name: &str, class: &str, value: f64| {
            format!(
                "<td class=\"{class}\"><b data-is=\"{is}\">{}</b> <small>{name}</small></td>",
                number::count(value)
            )
        };
        format!(
            "<div class=\"scroll\"><table class=\"matrix\"><caption>Examples at this threshold</caption>\n\
             <thead><tr><td></td><th scope=\"col\">flagged as {positive}</th><th scope=\"col\">not flagged</th></tr></thead>\n\
             <tbody><tr><th scope=\"row\">{positive}</th>{}{}</tr>\n<tr><th scope=\"row\">{negative}</th>{}{}</tr></tbody></table></div>\n",
            cell("tp", "found", "right", point.true_positives),
            cell("fn", "missed", "mistake", operating.positives - point.true_positives),
            cell("fp", "false alarms", "mistake", point.false_positives),
            cell("tn", "left alone", "right", operating.negatives - point.false_positives),
        )
    }

    fn alternatives(&self) -> String {
        let last = self.operating.points.len() - 1;
        let mut rows = String::new();
        if let Some(i) = self.operating.in_use {
            rows += &self.alternative("model", "Threshold of the model", i);
        }
        rows += &self.alternative("cheapest", "Lowest cost", self.operating.cheapest(self.costs));
        rows += &self.alternative("nothing", "Flag nothing", 0);
        rows += &self.alternative("everything", "Flag everything", last);
        format!(
            "<div class=\"wide\"><p class=\"caption\">If a miss costs <b data-is=\"missed-cost\">{}</b> and a false alarm \
             <b data-is=\"false-alarm-cost\">{}</b>:</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Cost of the alternatives\">\
             <table class=\"numbers alternatives\"><caption class=\"unseen\">Cost of the alternatives</caption>\n<thead><tr><th scope=\"col\">Choice</th><th \
             scope=\"col\">Threshold</th><th scope=\"col\">Alerts per 1,000</th><th scope=\"col\">Missed</th><th scope=\"col\">False alarms</th><th \
             scope=\"col\">Cost</th></tr></thead>\n<tbody>{rows}</tbody></table></div></div>\n",
            number::amount(self.costs.missed),
            number::amount(self.costs.false_alarm),
        )
    }

    fn alternative(&self, is: &str, name: &str, i: usize) -> String {
        let (operating, point) = (self.operating, &self.operating.points[i]);
        format!(
            "<tr data-row=\"{is}\"><th scope=\"row\">{name}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            threshold(point, &operating.points),
            per_thousand(operating.flagged(point)),
            number::count(operating.positives - point.true_positives),
            number::count(point.false_positives),
            number::amount(operating.cost(point, self.costs)),
        )
    }

    fn chart(&self, curve: Curve) -> (Chart, String) {
        let operating = self.operating;
        let shown = |area: Option<f64>| area.map_or(number::MISSING.into(), |area| format!("{area:.4}"));
        let (note, chance) = match curve {
            Curve::Roc => (format!("Area under the curve {}", shown(operating.roc_area())), (0.0, 1.0)),
            Curve::PrecisionRecall => {
                let base = operating.positives / operating.total();
                (format!("Average precision {}", shown(operating.average_precision())), (base, base))
            }
            Curve::Cost => {
                ("100\u{a0}% is the cheaper of flagging nothing and everything".into(), (1.0, 1.0))
            }
        };
        let (title, x, y, chance_name) = curve.words();
        let (x_axis, y_axis) = match curve {
            Curve::Cost => (
                Axis::counts(x, Scale::Logarithmic, [1.0, operating.total()].into_iter()),
                Axis { max: HIGHEST_COST, ..Axis::shares(y) },
            ),
            Curve::Roc | Curve::PrecisionRecall => (Axis::shares(x), Axis::shares(y)),
        };
        let points = operating.points.iter().filter_map(|point| curve.spot(operating, point, self.costs));
        let ends = vec![(x_axis.min, Some(chance.0)), (x_axis.max, Some(chance.1))];
        let chart = Chart {
            id: format!("t{}-{}", self.id, curve.id()),
            title: title.into(),
            description: format!("{y} by {x}, for {} thresholds. {note}.", operating.points.len()),
            x: x_axis,
            y: y_axis,
            lines: vec![
                Line { name: chance_name.into(), look: Look::Reference, points: ends },
                Line {
                    name: String::new(),
                    look: Look::Main,
                    points: points.map(|(x, y)| (x, Some(y))).collect(),
                },
            ],
            height: Height::Square,
        };
        (chart, note)
    }

    fn figure(&self, curve: Curve) -> (String, Value) {
        let (chart, note) = self.chart(curve);
        let mark =
            |point: &Point| curve.spot(self.operating, point, self.costs).map(|(x, y)| chart.place(x, y));
        let (mut inner, mut legend) = (String::new(), String::new());
        if let Some((x, y)) = self.operating.in_use.and_then(|i| mark(&self.operating.points[i])) {
            inner += &format!("<path class=\"model\" d=\"{}\"/>", diamond(x, y));
            legend += &format!(
                "<li><svg class=\"sample\" viewBox=\"0 0 28 16\" aria-hidden=\"true\"><path class=\"model\" d=\"{}\"/></svg>threshold of the model</li>",
                diamond(14.0, 8.0)
            );
        }
        // The script moves it, and shows it.
        inner += "<circle class=\"chosen\" r=\"4.5\" visibility=\"hidden\"/>";
        legend += "<li data-moving hidden><svg class=\"sample\" viewBox=\"0 0 28 16\" aria-hidden=\"true\"><circle class=\"chosen\" cx=\"14\" \
                   cy=\"8\" r=\"4.5\"/></svg>chosen threshold</li>";
        let html = format!(
            "<figure class=\"chart\"><figcaption>{} <small>{note}</small></figcaption>\n{}{}</figure>\n",
            chart.title,
            chart.svg(&inner),
            chart.legend(&legend)
        );
        (html, json!({ "curve": curve.id(), "frame": chart.frame() }))
    }
}

/// A curve of all thresholds.
#[derive(Clone, Copy)]
enum Curve {
    Roc,
    PrecisionRecall,
    Cost,
}

impl Curve {
    fn id(self) -> &'static str {
        match self {
            Self::Roc => "roc",
            Self::PrecisionRecall => "pr",
            Self::Cost => "cost",
        }
    }

    /// What it is called, what its axes are, and what it is compared with.
    fn words(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Self::Roc => ("ROC curve", "false positive rate", "recall (true positive rate)", "chance"),
            Self::PrecisionRecall => ("Precision and recall", "recall", "precision", "chance"),
            Self::Cost => ("Cost", "alerts (flagged examples)", "relative cost", "nothing or everything"),
        }
    }

    /// Where a threshold lies.
    fn spot(self, operating: &Operating, point: &Point, costs: Costs) -> Option<(f64, f64)> {
        match self {
            Self::Roc => Some((operating.false_positive_rate(point)?, operating.recall(point)?)),
            Self::PrecisionRecall => Some((operating.recall(point)?, operating.precision(point)?)),
            Self::Cost => {
                let (cost, least) = (operating.cost(point, costs), operating.cost_without_scores(costs));
                let share = if cost == 0.0 { 0.0 } else { (cost / least).min(HIGHEST_COST) };
                Some((point.true_positives + point.false_positives, share))
            }
        }
    }
}

fn diamond(x: f64, y: f64) -> String {
    format!("M{x:.1} {:.1}l7.5 7.5l-7.5 7.5l-7.5 -7.5z", y - 7.5)
}

fn per_thousand(share: Option<f64>) -> String {
    share.map_or(number::MISSING.into(), |share| number::number(1000.0 * share))
}

/// A threshold, or what lies beyond all scores.
fn threshold(point: &Point, points: &[Point]) -> String {
    match point.threshold {
        Some(threshold) => number::digits(threshold, 6),
        None if points.first() == Some(point) => "above all scores".into(),
        None => "below all scores".into(),
    }
}
