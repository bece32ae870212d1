//! Numbers that may be left to the program.

use crate::params::KnobValue;

/// A number of things, or whatever follows from the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auto {
    /// What follows.
    Auto,
    /// This many.
    Of(usize),
}

impl Auto {
    /// The number, if it is given.
    pub fn given(self) -> Option<usize> {
        match self {
            Auto::Auto => None,
            Auto::Of(number) => Some(number),
        }
    }
}

impl KnobValue for Auto {
    fn kind() -> String {
        "auto|whole number".into()
    }

    fn parse(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(number @ 1..) => Ok(Auto::Of(number)),
            Err(_) if text == "auto" => Ok(Auto::Auto),
            _ => Err("must be auto or a whole number greater than 0".into()),
        }
    }

    fn show(self) -> String {
        self.given().map_or_else(|| "auto".into(), |number| number.to_string())
    }
}
