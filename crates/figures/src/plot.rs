//! Line plots that stand alone.

use crate::axis::Axis;
use crate::look::{Look, looks};
use crate::text;

const WIDTH: f64 = 640.0;
const LEFT: f64 = 58.0;
/// Where the names above the axes end.
const TOP: f64 = 76.0;
const BOTTOM: f64 = 46.0;
/// The least height of the box of the axes.
const HEIGHT: f64 = 280.0;
/// An entry of the legend: its height, and the width of its sample.
const ENTRY: f64 = 19.0;
const SAMPLE: f64 = 30.0;
/// About the width of a character, and of a capital.
const CHARACTER: f64 = 7.0;
const CAPITAL: f64 = 9.5;
/// Longer names are cut where they are shown.
const LONGEST_NAME: usize = 24;
/// A line has so many markers at most; more would hide it.
const MOST_MARKERS: usize = 14;
/// Points of a line that are closer than this cannot be told apart.
const CLOSEST: f64 = 0.4;

/// How the elements of a plot look, on light and on dark backgrounds. Part of every file; a page with several plots needs it once.
pub const STYLE: &str = include_str!("style.css");

/// Several lines over the same axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// Of what, and how it was measured. May be empty.
    pub subtitle: String,
    /// The level axis.
    pub x: Axis,
    /// The upright axis.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
    /// How the spread of values is shown.
    pub spread: Spread,
}

/// A line.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// How it is drawn.
    pub look: Look,
    /// Its points, from left to right or along a path.
    pub points: Vec<Point>,
}

/// A point of a line. One that is not finite is not drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where it is on the level axis.
    pub x: f64,
    /// Where it is on the upright axis.
    pub y: f64,
    /// By how much values differ from it, up and down.
    pub spread: f64,
}

/// How the spread of values is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spread {
    /// Not at all.
    #[default]
    Hidden,
    /// As a bar at every point.
    Bars,
    /// As a band along the line.
    Band,
}

impl Point {
    /// A point without spread.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, spread: 0.0 }
    }

    /// The same with a spread.
    #[must_use]
    pub fn within(self, spread: f64) -> Self {
        Self { spread, ..self }
    }

    fn is_finite(&self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

impl Series {
    /// The line of a learner, `name` or `name:knob=value,...`, as it looks everywhere.
    pub fn of_learner(learner: &str, points: Vec<Point>) -> Self {
        Self { name: learner.into(), look: Look::of(learner), points }
    }

    /// The lines of several learners. Those of one learner with different knobs have one colour, and differ in markers and dashes.
    pub fn of_learners(learners: impl IntoIterator<Item = (String, Vec<Point>)>) -> Vec<Self> {
        let learners: Vec<(String, Vec<Point>)> = learners.into_iter().collect();
        let looks = looks(learners.iter().map(|(name, _)| name.as_str()));
        let series = |((name, points), look)| Self { name, look, points };
        learners.into_iter().zip(looks).map(series).collect()
    }

    /// The value at its right end.
    fn last(&self) -> Option<f64> {
        let finite = self.points.iter().filter(|point| point.is_finite());
        finite.reduce(|last, point| if point.x >= last.x { point } else { last }).map(|point| point.y)
    }
}

/// Where the box of the axes is.
struct Frame<'a> {
    plot: &'a Plot,
    right: f64,
    bottom: f64,
}

impl Plot {
    /// A file that stands alone.
    pub fn svg(&self) -> String {
        let paper = "<rect class=\"figure-paper\" width=\"100%\" height=\"100%\"/>";
        self.element(" xmlns=\"http://www.w3.org/2000/svg\"", &format!("<style>\n{STYLE}</style>{paper}"))
            + "\n"
    }

    /// An element of a page that has [`STYLE`].
    pub fn in_page(&self) -> String {
        self.element("", "")
    }

    fn element(&self, attributes: &str, before: &str) -> String {
        let mut shown: Vec<&Series> = self.series.iter().filter(|series| series.last().is_some()).collect();
        // The legend has the order of the lines' right ends, so that the eye need not search.
        shown.sort_by(|a, b| b.last().unwrap_or(0.0).total_cmp(&a.last().unwrap_or(0.0)));
        let longest = shown.iter().map(|series| width(&shown_name(&series.name))).fold(0.0, f64::max);
        let legend = SAMPLE + 14.0 + longest;
        let height = (ENTRY * shown.len() as f64).max(HEIGHT);
        let frame = Frame { plot: self, right: WIDTH - legend - 14.0, bottom: TOP + height };
        let whole = frame.bottom + BOTTOM;
        let mut svg = format!(
            "<svg{attributes} class=\"figure\" viewBox=\"0 0 {WIDTH} {whole:.0}\" role=\"img\" aria-label=\"{title}\">\
             <title>{title}</title><desc>{}</desc>{before}\n",
            text::sentence(&self.description(&shown)),
            title = text::plain(&self.title),
        );
        svg += &frame.heading();
        svg += &frame.axes();
        for series in &shown {
            svg += &frame.line(series);
        }
        svg += &frame.legend(&shown);
        svg + "</svg>"
    }

    /// What one sees, for those who do not see it.
    fn description(&self, shown: &[&Series]) -> String {
        let ends: Vec<String> = shown
            .iter()
            .filter_map(|series| Some(format!("{} {}", series.name, self.y.mark(series.last()?))))
            .collect();
        let Self { subtitle, x, y, .. } = self;
        let dot = if subtitle.is_empty() { "" } else { ". " };
        format!("{subtitle}{dot}{} by {}. At the right end: {}.", y.label, x.label, ends.join(", "))
    }
}

impl Frame<'_> {
    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let (width, height) = (self.right - LEFT, self.bottom - TOP);
        (LEFT + width * self.plot.x.place(x), self.bottom - height * self.plot.y.place(y))
    }

    fn heading(&self) -> String {
        let Plot { title, subtitle, y, .. } = self.plot;
        format!(
            "<text class=\"figure-title\" x=\"10\" y=\"24\">{}</text>\n\
             <text class=\"figure-soft\" x=\"10\" y=\"43\">{}</text>\n\
             <text x=\"10\" y=\"{}\">{}</text>\n",
            text::plain(title),
            text::plain(subtitle),
            TOP - 12.0,
            text::plain(&y.label)
        )
    }

    fn axes(&self) -> String {
        let Self { plot, right, bottom } = self;
        let mut svg = String::new();
        for (number, mark) in plot.y.marks() {
            let (_, y) = self.place(plot.x.min, number);
            svg += &format!("<path class=\"figure-grid\" d=\"M{LEFT} {y:.1}H{right:.1}\"/>");
            svg += &format!(
                "<text class=\"figure-soft figure-end\" x=\"{}\" y=\"{:.1}\">{mark}</text>\n",
                LEFT - 8.0,
                y + 4.5
            );
        }
        // Marks of a bent axis may be closer than their texts are wide: then the first one is written.
        let mut written_to = f64::NEG_INFINITY;
        for (number, mark) in plot.x.marks() {
            let (x, _) = self.place(number, plot.y.min);
            svg += &format!("<path class=\"figure-axis\" d=\"M{x:.1} {bottom:.1}v5\"/>");
            let half = widest(&mark) / 2.0;
            if x - half < written_to + CHARACTER {
                continue;
            }
            written_to = x + half;
            svg += &format!(
                "<text class=\"figure-soft figure-middle\" x=\"{x:.1}\" y=\"{:.1}\">{mark}</text>\n",
                bottom + 19.0
            );
        }
        let (middle, below) = (f64::midpoint(LEFT, *right), bottom + 38.0);
        svg += &format!("<path class=\"figure-axis\" d=\"M{LEFT} {TOP}V{bottom:.1}H{right:.1}\"/>");
        svg += &format!(
            "<text class=\"figure-middle\" x=\"{middle:.1}\" y=\"{below:.1}\">{}</text>\n",
            text::plain(&plot.x.label)
        );
        svg
    }

    fn line(&self, series: &Series) -> String {
        let points: Vec<&Point> = series.points.iter().filter(|point| point.is_finite()).collect();
        let mut path = String::new();
        let mut last: Option<(f64, f64)> = None;
        for (i, point) in points.iter().enumerate() {
            let (x, y) = self.place(point.x, point.y);
            let near = last.is_some_and(|(a, b)| (a - x).abs() + (b - y).abs() < CLOSEST);
            if near && i + 1 < points.len() {
                continue;
            }
            path += &format!("{}{x:.1} {y:.1}", if last.is_some() { "L" } else { "M" });
            last = Some((x, y));
        }
        let mut svg = format!("<g class=\"{}\">", series.look.hue.class());
        svg += &self.spread(&points);
        if points.len() > 1 {
            svg += &format!("<path class=\"line\"{} d=\"{path}\"/>", series.look.dash.attribute());
        }
        let every = points.len().div_ceil(MOST_MARKERS).max(1);
        for (i, point) in points.iter().enumerate() {
            if (points.len() - 1 - i).is_multiple_of(every) {
                let (x, y) = self.place(point.x, point.y);
                svg += &series.look.marker.svg(x, y);
            }
        }
        svg + "</g>\n"
    }

    fn spread(&self, points: &[&Point]) -> String {
        let end = |point: &Point, sign: f64| self.place(point.x, point.y + sign * point.spread);
        match self.plot.spread {
            Spread::Hidden => String::new(),
            Spread::Bars => points.iter().filter(|point| point.spread > 0.0).fold(String::new(), |svg, point| {
                let ((x, low), (_, high)) = (end(point, -1.0), end(point, 1.0));
                let (left, width) = (x - 3.0, 6.0);
                svg + &format!(
                    "<path class=\"bar\" d=\"M{x:.1} {low:.1}V{high:.1}M{left:.1} {low:.1}h{width}M{left:.1} {high:.1}h{width}\"/>"
                )
            }),
            Spread::Band => {
                let upper = points.iter().map(|point| end(point, 1.0));
                let lower = points.iter().rev().map(|point| end(point, -1.0));
                let corners: Vec<String> = upper.chain(lower).map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
                if corners.len() < 4 { String::new() } else { format!("<path class=\"band\" d=\"M{}Z\"/>", corners.join("L")) }
            }
        }
    }

    fn legend(&self, shown: &[&Series]) -> String {
        let x = self.right + 14.0;
        let mut svg = String::new();
        for (i, series) in shown.iter().enumerate() {
            let y = TOP + 4.0 + ENTRY * i as f64;
            let end = x + SAMPLE;
            svg += &format!("<g class=\"{}\">", series.look.hue.class());
            svg += &format!(
                "<path class=\"line\"{} d=\"M{x:.1} {y:.1}H{end:.1}\"/>",
                series.look.dash.attribute()
            );
            svg += &series.look.marker.svg(x + SAMPLE / 2.0, y);
            svg += &format!(
                "</g><text x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
                end + 7.0,
                y + 4.5,
                text::plain(&shown_name(&series.name))
            );
        }
        svg
    }
}

/// About the width of a name.
fn width(name: &str) -> f64 {
    name.chars().map(|c| if c.is_uppercase() { CAPITAL } else { CHARACTER }).sum()
}

/// The width of a mark in the widest of the fonts: digits of DejaVu Sans are 8.3 units wide.
fn widest(mark: &str) -> f64 {
    8.3 * mark.chars().count() as f64
}

/// A name that fits into the legend.
fn shown_name(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.into();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Unit;

    fn plot(series: Vec<Series>) -> Plot {
        let values = || series.iter().flat_map(|series| series.points.iter());
        Plot {
            title: "Error <against> sparsity".into(),
            subtitle: "made up".into(),
            x: Axis::around("sparsity", Unit::Share, values().map(|point| point.x)),
            y: Axis::around("error", Unit::Share, values().map(|point| point.y)),
            spread: Spread::Bars,
            series,
        }
    }

    fn line(learner: &str, ys: &[f64]) -> Series {
        let point = |(i, y): (usize, &f64)| Point::new(i as f64 / 10.0, *y).within(0.01);
        Series::of_learner(learner, ys.iter().enumerate().map(point).collect())
    }

    #[test]
    fn the_legend_has_the_order_of_the_right_ends() {
        let svg =
            plot(vec![line("rda", &[0.9, 0.1]), line("ssol", &[0.1, 0.3]), line("stg", &[0.2, 0.2])]).svg();
        let at = |name: &str| svg.find(&format!(">{name}</text>")).unwrap();
        assert!(at("ssol") < at("stg") && at("stg") < at("rda"));
        assert!(svg.contains("At the right end: ssol 30"), "{svg}");
    }

    #[test]
    fn text_is_escaped_and_a_file_has_its_own_style() {
        let plot = plot(vec![line("<script>", &[0.5, 0.4])]);
        assert!(plot.svg().contains("Error &lt;against&gt; sparsity") && !plot.svg().contains("<script>"));
        assert!(plot.svg().contains("<style>") && plot.svg().contains("xmlns="));
        assert!(!plot.in_page().contains("<style>"));
    }

    #[test]
    fn what_is_not_a_number_is_left_out() {
        let plot =
            plot(vec![line("rda", &[0.5, f64::NAN, 0.4]), line("stg", &[f64::NAN]), line("ogd", &[0.3])]);
        let svg = plot.svg();
        assert!(!svg.contains("NaN") && !svg.contains(">stg<"), "{svg}");
        // A single point is a marker without a line.
        assert!(svg.contains(">ogd<"));
        let empty = Plot { series: Vec::new(), ..plot };
        assert!(empty.svg().ends_with("</svg>\n"));
    }

    #[test]
    fn long_lines_keep_few_markers() {
        let svg = plot(vec![line("ssol", &[0.2; 200])]).svg();
        assert!(svg.matches("<circle").count() <= MOST_MARKERS + 1, "{}", svg.matches("<circle").count());
    }

    #[test]
    fn texts_along_an_axis_do_not_overlap() {
        let mut plot = plot(vec![line("ssol", &[0.2, 0.3])]);
        let zeros = [0.3, 0.9, 0.99, 0.999, 0.9999, 0.999_99, 0.999_999, 0.999_999_9];
        plot.x = Axis::sparsity("zero weights", zeros.into_iter());
        let svg = plot.svg();
        let marks: Vec<(f64, f64)> = svg
            .lines()
            .filter_map(|text| text.split_once("figure-soft figure-middle\" x=\"")?.1.split_once('"'))
            .filter_map(|(x, rest)| {
                let half = widest(rest.split_once('>')?.1.split('<').next()?) / 2.0;
                let x: f64 = x.parse().ok()?;
                Some((x - half, x + half))
            })
            .collect();
        assert!(marks.len() > 3, "{svg}");
        assert!(marks.windows(2).all(|pair| pair[0].1 < pair[1].0), "{marks:?}");
    }
}
