//! What the line of a learner looks like: the same in every figure.
//!
//! Learners of one family have one colour. Within it, markers and dashes tell them apart: filled markers are of second order, hollow ones of first order.
//! Colours follow Okabe and Ito, and Tol, darkened for white paper and lightened for dark screens.

use crate::marker::{Fill, Marker, Shape};

/// How a line is drawn. No two learners share all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Look {
    /// Its colour.
    pub hue: Hue,
    /// What stands at its points.
    pub marker: Marker,
    /// How it is broken.
    pub dash: Dash,
}

/// The colours, each with a form for light and one for dark backgrounds: see `style.css`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // they are what they are called
pub enum Hue {
    Ink,
    Blue,
    Vermilion,
    Green,
    Purple,
    Gold,
    Grey,
    Wine,
    Indigo,
    Olive,
    Teal,
    Brown,
}

/// How a line is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dash {
    /// It is not.
    Solid,
    /// Long strokes.
    Dashed,
    /// Points.
    Dotted,
    /// Strokes and points.
    DashDotted,
}

use Dash::{DashDotted, Dashed, Dotted, Solid};
use Fill::{Full, Hollow};
use Hue::{Blue, Brown, Gold, Green, Grey, Indigo, Ink, Olive, Purple, Teal, Vermilion, Wine};
use Shape::{Circle, Cross, Diamond, Down, Plus, Square, Star, Up};

/// The looks of the learners. A line that is here stays as it is, so that figures made at different times can be laid side by side.
const LEARNERS: &[(&str, Hue, Shape, Fill, Dash)] = &[
    ("perceptron", Grey, Cross, Hollow, Dotted),
    ("romma", Grey, Circle, Hollow, Dashed),
    ("aromma", Grey, Square, Hollow, Dashed),
    ("pa", Brown, Circle, Hollow, Dotted),
    ("pa1", Brown, Square, Hollow, Dotted),
    ("pa2", Brown, Diamond, Hollow, Dotted),
    ("cpa", Brown, Up, Hollow, Dashed),
    ("paum", Olive, Circle, Hollow, Dashed),
    ("ogd", Olive, Plus, Hollow, Dotted),
    ("cog1", Vermilion, Circle, Hollow, Dashed),
    ("cog2", Vermilion, Square, Hollow, Dashed),
    ("stg", Gold, Down, Hollow, Dashed),
    ("fobos", Purple, Square, Hollow, Dashed),
    ("sgl1", Olive, Up, Hollow, Solid),
    ("sgl1-cumulative", Olive, Up, Hollow, Dotted),
    ("sgft", Teal, Down, Hollow, Solid),
    ("sgft-cumulative", Teal, Down, Hollow, Dotted),
    ("ada-fobos", Purple, Square, Full, Solid),
    ("rda", Vermilion, Up, Hollow, Dashed),
    ("ada-rda", Vermilion, Up, Full, Solid),
    ("ftrl", Green, Diamond, Full, Solid),
    ("fsol", Blue, Circle, Hollow, Dashed),
    ("cs-fsol", Blue, Diamond, Hollow, DashDotted),
    ("ssol", Blue, Circle, Full, Solid),
    ("cs-ssol", Blue, Diamond, Full, DashDotted),
    ("sop", Teal, Cross, Full, Solid),
    ("cw", Wine, Square, Full, Solid),
    ("scw1", Wine, Up, Full, Solid),
    ("scw2", Wine, Down, Full, Dashed),
    ("arow", Teal, Down, Full, Solid),
    ("sarow", Ink, Star, Full, Solid),
    ("narow", Teal, Square, Full, Dashed),
    ("acog1", Indigo, Circle, Full, Solid),
    ("acog2", Indigo, Square, Full, Solid),
    ("sofs", Green, Square, Full, Dashed),
    ("sacog1", Indigo, Up, Full, Dashed),
    ("sacog2", Indigo, Down, Full, Dashed),
    ("ssacog1", Green, Up, Full, DashDotted),
    ("ssacog2", Green, Down, Full, DashDotted),
    ("bcw1", Blue, Square, Full, Solid),
    ("bcw2", Blue, Square, Hollow, Dashed),
    ("sbcw1", Vermilion, Diamond, Full, Solid),
    ("sbcw2", Vermilion, Diamond, Hollow, Dashed),
    ("dcd", Grey, Down, Hollow, Solid),
    ("l1svm", Gold, Circle, Full, Solid),
    ("spardca", Gold, Square, Full, DashDotted),
    ("fgm", Purple, Diamond, Full, Dashed),
    // The one that chooses among others.
    ("auto", Ink, Circle, Full, DashDotted),
];

impl Look {
    /// The look of a learner, `name` or `name:knob=value,...`. One that is not listed has a look that follows from its name alone.
    pub fn of(learner: &str) -> Self {
        let name = learner.split(':').next().unwrap_or_default().trim();
        match LEARNERS.iter().find(|(known, ..)| *known == name) {
            Some(&(_, hue, shape, fill, dash)) => Self { hue, marker: Marker { shape, fill }, dash },
            None => Self::by_hash(name),
        }
    }

    /// Is there a line for this learner?
    pub fn is_listed(learner: &str) -> bool {
        LEARNERS.iter().any(|(known, ..)| *known == learner)
    }

    fn by_hash(name: &str) -> Self {
        // FNV-1a: the same for ever.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let (hash, hues) = ((hash >> 20) as usize, Hue::ALL);
        Self {
            hue: hues[hash % hues.len()],
            marker: Marker { shape: Shape::ALL[hash / 16 % Shape::ALL.len()], fill: Full },
            dash: Dash::ALL[hash / 256 % Dash::ALL.len()],
        }
    }

    /// The same colour with another marker and other dashes: for a learner that is in a figure several times. The first is as it always is.
    #[must_use]
    pub fn variant(self, number: usize) -> Self {
        let next = |all: &[Shape], now: Shape| {
            let at = all.iter().position(|one| *one == now).unwrap_or(0);
            all[(at + number) % all.len()]
        };
        let dash = Dash::ALL.iter().position(|dash| *dash == self.dash).unwrap_or(0);
        Self {
            hue: self.hue,
            marker: Marker { shape: next(&Shape::ALL, self.marker.shape), ..self.marker },
            dash: Dash::ALL[(dash + number) % Dash::ALL.len()],
        }
    }
}

/// The looks of learners that are in one figure, each `name` or `name:knob=value,...`. Of those with one name, the first has the usual look, the others have
/// its colour.
pub fn looks<'a>(learners: impl IntoIterator<Item = &'a str>) -> Vec<Look> {
    let mut seen: Vec<&str> = Vec::new();
    let mut all = Vec::new();
    for learner in learners {
        let name = learner.split(':').next().unwrap_or_default();
        let before = seen.iter().filter(|other| **other == name).count();
        all.push(Look::of(learner).variant(before));
        seen.push(name);
    }
    all
}

impl Hue {
    const ALL: [Self; 12] =
        [Ink, Blue, Vermilion, Green, Purple, Gold, Grey, Wine, Indigo, Olive, Teal, Brown];

    /// The class of what has this colour.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Ink => "ink",
            Blue => "blue",
            Vermilion => "vermilion",
            Green => "green",
            Purple => "purple",
            Gold => "gold",
            Grey => "grey",
            Wine => "wine",
            Indigo => "indigo",
            Olive => "olive",
            Teal => "teal",
            Brown => "brown",
        }
    }
}

impl Dash {
    const ALL: [Self; 4] = [Solid, Dashed, Dotted, DashDotted];

    /// The attribute of a line.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Solid => "",
            Dashed => " stroke-dasharray=\"7 4\"",
            Dotted => " stroke-dasharray=\"2 3.5\"",
            DashDotted => " stroke-dasharray=\"8 3.5 2 3.5\"",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_learners_look_alike() {
        let looks: HashSet<Look> = LEARNERS.iter().map(|(name, ..)| Look::of(name)).collect();
        assert_eq!(looks.len(), LEARNERS.len());
        // Also without colours.
        let sparse = ["fsol", "ssol", "stg", "fobos", "rda", "ada-rda", "ada-fobos", "ftrl", "sarow", "arow"];
        let grey: HashSet<_> =
            sparse.iter().map(|name| (Look::of(name).marker, Look::of(name).dash)).collect();
        assert_eq!(grey.len(), sparse.len());
    }

    #[test]
    fn knobs_change_nothing_but_a_second_line_is_another() {
        assert_eq!(Look::of("ssol:lambda=1"), Look::of("ssol"));
        let [first, second, other] = looks(["ssol:eta=1", "ssol:eta=2", "rda"])[..] else { panic!("three") };
        assert_eq!((first, other), (Look::of("ssol"), Look::of("rda")));
        assert_eq!(second.hue, first.hue);
        assert_ne!(second, first);
    }

    #[test]
    fn a_learner_that_is_not_listed_has_a_look_for_ever() {
        assert_eq!(Look::of("vw"), Look::of("vw"));
        assert_ne!(Look::of("vw"), Look::of("liblinear"));
    }
}
