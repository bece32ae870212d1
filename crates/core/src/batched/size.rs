//! Numbers that may be left to the program.

use crate::params::{KnobValue, positive_finite};

/// A number, or whatever follows from the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auto<T = usize> {
    /// What follows.
    Auto,
    /// This one.
    Of(T),
}

impl<T: Copy> Auto<T> {
    /// The number, if it is given.
    pub fn given(self) -> Option<T> {
        match self {
            Auto::Auto => None,
            Auto::Of(number) => Some(number),
        }
    }
}

/// A number of things.
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

/// A constant such as C.
impl KnobValue for Auto<f64> {
    fn kind() -> String {
        "auto|number".into()
    }

    fn parse(text: &str) -> Result<Self, String> {
        match f64::parse(text) {
            Ok(number) if positive_finite(number).is_ok() => Ok(Auto::Of(number)),
            Err(_) if text == "auto" => Ok(Auto::Auto),
            _ => Err("must be auto, or a number greater than 0 and finite".into()),
        }
    }

    fn show(self) -> String {
        self.given().map_or_else(|| "auto".into(), f64::show)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_read_checked_and_shown() {
        for text in ["auto", "0.1", "1e-9", "10"] {
            assert_eq!(Auto::<f64>::parse(text).unwrap().show(), text);
        }
        for text in ["0", "-1", "inf", "nan", "Auto", ""] {
            let complaint = "must be auto, or a number greater than 0 and finite";
            assert_eq!(Auto::<f64>::parse(text), Err(complaint.to_string()), "{text:?}");
        }
    }
}
