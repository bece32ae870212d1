//! Charts as SVG, complete without the script. The script adds only what moves: the reading under the pointer and the chosen threshold.

use serde_json::{Value, json};

use crate::axis::{Axis, Scale};
use crate::page::Unit;
use crate::text;

const WIDTH: f64 = 360.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 10.0;
/// Room for the name of the upright axis, which is easiest to read when it lies above it.
const NAME: f64 = 18.0;
const BOTTOM: f64 = 42.0;
/// Points of a line that are closer than this cannot be told apart.
const CLOSEST: f64 = 0.8;
/// A line with more points has no dots, which would only blur it.
const MOST_DOTS: usize = 80;

/// A chart.
pub(crate) struct Chart {
    /// The id of its element.
    pub(crate) id: String,
    /// What it shows.
    pub(crate) title: String,
    /// What one sees in it, for those who do not see it.
    pub(crate) description: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) lines: Vec<Line>,
    pub(crate) height: Height,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Height {
    /// For values over time.
    Low,
    /// For two axes of the same kind.
    Square,
}

/// A line of a chart.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) look: Look,
    pub(crate) points: Vec<(f64, Option<f64>)>,
}

/// How a line is drawn. Lines differ in more than colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Solid and strong.
    Main,
    /// Thin, with a dot at every point.
    Dotted,
    /// Dashed and grey: what the others are compared with.
    Reference,
}

impl Look {
    fn class(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Dotted => "dotted",
            Self::Reference => "reference",
        }
    }
}

impl Chart {
    /// The SVG element, within an element that can be moved through.
    pub(crate) fn svg(&self, inner: &str) -> String {
        let (id, height) = (&self.id, self.height());
        let mut svg = format!(
            "<div class=\"plot\" id=\"{id}\"><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-desc\"><title id=\"{id}-title\">{}</title><desc id=\"{id}-desc\">{}</desc>",
            text::plain(&self.title),
            text::sentence(&self.description)
        );
        svg += &self.axes();
        for line in &self.lines {
            svg += &self.line(line);
        }
        svg + inner + "</svg></div>\n"
    }

    /// What the lines are called, with a piece of each, and more entries.
    pub(crate) fn legend(&self, more: &str) -> String {
        let entries: String = self.lines.iter().filter(|line| !line.name.is_empty()).map(entry).collect();
        format!("<ul class=\"legend\">{entries}{more}</ul>\n")
    }

    /// Where a number lies in the picture.
    pub(crate) fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let (width, height) = (WIDTH - LEFT - RIGHT, self.height() - self.top() - BOTTOM);
        (LEFT + width * self.x.place(x), self.top() + height * (1.0 - self.y.place(y)))
    }

    /// For the script: where numbers lie, and the lines that can be read. Other charts may show the same lines with other axes.
    pub(crate) fn json(&self, others: &[&Self]) -> Value {
        let read: Vec<&Line> = self.lines.iter().filter(|line| line.look != Look::Reference).collect();
        let at: Vec<f64> =
            read.first().map_or(Vec::new(), |line| line.points.iter().map(|(x, _)| *x).collect());
        let lines: Vec<Value> = read
            .iter()
            .map(|line| {
                let values: Vec<Option<f64>> = line.points.iter().map(|(_, y)| y.map(shown)).collect();
                json!({ "name": text::unescaped(&line.name), "values": values })
            })
            .collect();
        let frames: Vec<Value> = [self].iter().chain(others).map(|chart| chart.frame()).collect();
        json!({ "frames": frames, "at": at, "lines": lines })
    }

    /// For the script: the box of the axes, and the numbers at their ends.
    pub(crate) fn frame(&self) -> Value {
        let axis = |axis: &Axis| {
            json!({
                "label": text::unescaped(&axis.label),
                "share": axis.unit == Unit::Share,
                "log": axis.scale == Scale::Logarithmic,
                "min": axis.min,
                "max": axis.max,
            })
        };
        let sides = [LEFT, self.top(), WIDTH - RIGHT, self.height() - BOTTOM];
        json!({ "id": self.id, "box": sides, "x": axis(&self.x), "y": axis(&self.y) })
    }

    fn height(&self) -> f64 {
        match self.height {
            Height::Low => 236.0,
            Height::Square => 350.0,
        }
    }

    fn top(&self) -> f64 {
        if self.y.label.is_empty() { TOP } else { TOP + NAME }
    }

    fn axes(&self) -> String {
        let (left, right, top, bottom) = (LEFT, WIDTH - RIGHT, self.top(), self.height() - BOTTOM);
        let mut svg = String::from("<g class=\"axes\" aria-hidden=\"true\">");
        if !self.y.label.is_empty() {
            svg += &format!("<text class=\"name\" x=\"2\" y=\"12\">{}</text>", text::plain(&self.y.label));
        }
        for (number, mark) in self.y.marks() {
            let (_, y) = self.place(self.x.min, number);
            svg += &format!("<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/>");
            svg += &format!("<text class=\"end\" x=\"{}\" y=\"{:.1}\">{mark}</text>", left - 7.0, y + 4.0);
        }
        for (number, mark) in self.x.marks() {
            let (x, _) = self.place(number, self.y.min);
            svg += &format!("<path class=\"tick\" d=\"M{x:.1} {bottom}v5\"/>");
            svg += &format!("<text class=\"middle\" x=\"{x:.1}\" y=\"{}\">{mark}</text>", bottom + 18.0);
        }
        svg += &format!("<path class=\"axis\" d=\"M{left} {top}V{bottom}H{right}\"/>");
        let middle = f64::midpoint(left, right);
        svg += &format!(
            "<text class=\"middle name\" x=\"{middle}\" y=\"{}\">{}</text></g>",
            bottom + 36.0,
            text::plain(&self.x.label)
        );
        svg
    }

    fn line(&self, line: &Line) -> String {
        let mut path = String::new();
        let mut dots = String::new();
        let mut last: Option<(f64, f64)> = None;
        let end = line.points.len().saturating_sub(1);
        for (i, (x, y)) in line.points.iter().enumerate() {
            let Some(y) = y.filter(|y| y.is_finite()) else {
                last = None;
                continue;
            };
            let (x, y) = self.place(*x, y);
            if last.is_some_and(|(a, b)| (a - x).abs() + (b - y).abs() < CLOSEST) && i < end {
                continue;
            }
            path += &format!("{}{x:.1} {y:.1}", if last.is_some() { "L" } else { "M" });
            last = Some((x, y));
            if line.look == Look::Dotted && end < MOST_DOTS {
                dots += &format!("<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.2\"/>");
            }
        }
        format!("<path class=\"line {}\" d=\"{path}\"/>{dots}", line.look.class())
    }
}

/// A number with the digits that are ever shown, and two more.
fn shown(number: f64) -> f64 {
    format!("{number:.5e}").parse().unwrap_or(number)
}

fn entry(line: &Line) -> String {
    let dot =
        if line.look == Look::Dotted { "<circle class=\"dot\" cx=\"14\" cy=\"6\" r=\"2.2\"/>" } else { "" };
    format!(
        "<li><svg class=\"sample\" viewBox=\"0 0 28 12\" aria-hidden=\"true\"><path class=\"line {}\" d=\"M1 6H27\"/>{dot}</svg>{}</li>",
        line.look.class(),
        text::name(&line.name)
    )
}
