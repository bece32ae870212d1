//! The marks at the points of a line.

/// What is drawn at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Marker {
    /// Its outline.
    pub shape: Shape,
    /// Its inside.
    pub fill: Fill,
}

/// The outline of a marker. Crosses have no inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A circle.
    Circle,
    /// A square.
    Square,
    /// A triangle that stands on its side.
    Up,
    /// A triangle that stands on its tip.
    Down,
    /// A square that stands on its tip.
    Diamond,
    /// A star with five rays.
    Star,
    /// A cross of an upright and a level stroke.
    Plus,
    /// A cross of two slanting strokes.
    Cross,
}

/// The inside of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fill {
    /// The colour of the line.
    Full,
    /// The colour of the paper.
    Hollow,
}

impl Shape {
    pub(crate) const ALL: [Self; 8] = [
        Self::Circle,
        Self::Square,
        Self::Up,
        Self::Down,
        Self::Diamond,
        Self::Star,
        Self::Plus,
        Self::Cross,
    ];
}

impl Marker {
    /// The element at a place, within a group that has the colour.
    pub(crate) fn svg(self, x: f64, y: f64) -> String {
        let class = match self.fill {
            Fill::Full => "full",
            Fill::Hollow => "hollow",
        };
        if self.shape == Shape::Circle {
            return format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\"/>");
        }
        let around = |radius: f64, turn: f64| {
            let (sin, cos) = turn.to_radians().sin_cos();
            (x + radius * sin, y - radius * cos)
        };
        let outline = |corners: &[(f64, f64)]| {
            let path: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
            format!("M{}Z", path.join("L"))
        };
        let regular = |corners: u32, radius: f64, turn: f64| {
            let corner = |i| around(radius, turn + 360.0 * f64::from(i) / f64::from(corners));
            outline(&(0..corners).map(corner).collect::<Vec<_>>())
        };
        let path = match self.shape {
            Shape::Circle | Shape::Square => regular(4, 4.7, 45.0),
            Shape::Diamond => regular(4, 5.0, 0.0),
            Shape::Up => regular(3, 5.0, 0.0),
            Shape::Down => regular(3, 5.0, 180.0),
            Shape::Star => {
                let corner = |i| around(if i % 2 == 0 { 5.8 } else { 2.5 }, 36.0 * f64::from(i));
                outline(&(0..10).map(corner).collect::<Vec<_>>())
            }
            Shape::Plus => format!("M{:.1} {y:.1}h9M{x:.1} {:.1}v9", x - 4.5, y - 4.5),
            Shape::Cross => {
                let (left, top) = (x - 3.4, y - 3.4);
                format!("M{left:.1} {top:.1}l6.8 6.8m0 -6.8l-6.8 6.8")
            }
        };
        format!("<path class=\"{class}\" d=\"{path}\"/>")
    }
}
