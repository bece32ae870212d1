//! Numbers formatted for people, and counts for JSON.

use serde::ser::{Serialize, Serializer};

/// A share as a percentage, such as `12.34 %`, or `-` if there is none.
pub fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".into(), |share| format!("{:.2} %", 100.0 * share))
}

/// A whole number with its digits in groups of three, such as `1,234,567`.
pub fn grouped(number: u64) -> String {
    group(&number.to_string())
}

/// So many of something, such as `1 bad line` or `1,234 bad lines`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// A size in the largest unit of which it is at least one, such as `12.3 MiB`.
pub fn bytes(size: u64) -> String {
    if size < 1024 {
        return counted(size, "byte", "bytes");
    }
    let unit = (size.ilog2() / 10).min(4);
    let number = size as f64 / (1u64 << (10 * unit)) as f64;
    let decimals = if number < 10.0 { 2 } else { usize::from(number < 1000.0) };
    format!("{number:.decimals$} {}", ["", "KiB", "MiB", "GiB", "TiB"][unit as usize])
}

/// A number in a column of this width: with as many decimals as fit, and at most so many.
pub(crate) fn fitted(number: f64, width: usize, decimals: usize) -> String {
    let plain = (0..=decimals).rev().map(|decimals| format!("{number:.decimals$}"));
    let powers = (0..=2).rev().map(|decimals| format!("{number:.decimals$e}"));
    plain.chain(powers).find(|text| text.len() <= width).unwrap_or_else(|| format!("{number:.0e}"))
}

/// A sum of importances: a whole number such as `1,234` if it is one, otherwise with two decimals, such as `1,234.50`.
pub fn count(sum: f64) -> String {
    let text = plain_count(sum);
    match text.split_once('.') {
        Some((whole, decimals)) => format!("{}.{decimals}", group(whole)),
        None => group(&text),
    }
}

/// As [`count`], without groups of digits.
pub fn plain_count(sum: f64) -> String {
    if sum.fract() == 0.0 { format!("{sum:.0}") } else { format!("{sum:.2}") }
}

/// What something costs: as [`count`] as long as the digits mean something.
pub(crate) fn amount(cost: f64) -> String {
    if cost < 1e15 { count(cost) } else { format!("{cost:.3e}") }
}

/// A sum of importances, which is a whole number in JSON if it is one.
pub(crate) struct Count(pub(crate) f64);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Above this not every whole number is an f64, and digits would be invented.
        const LARGEST: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
        let Self(sum) = *self;
        let whole = sum.fract() == 0.0 && (0.0..=LARGEST).contains(&sum);
        if whole { serializer.serialize_u64(sum as u64) } else { serializer.serialize_f64(sum) }
    }
}

fn group(digits: &str) -> String {
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!([0, 999, 1_000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
        assert_eq!(percent(Some(0.12345)), "12.35 %");
        assert_eq!(percent(None), "-");
    }

    #[test]
    fn one_is_singular() {
        let lines = |number| counted(number, "bad line", "bad lines");
        assert_eq!(
            [0, 1, 2, 1000].map(lines),
            ["0 bad lines", "1 bad line", "2 bad lines", "1,000 bad lines"]
        );
    }

    #[test]
    fn sizes_are_in_units_that_fit() {
        let sizes = [0, 1, 1023, 1024, 12_893_211, 1 << 30, (1 << 40) - 1, u64::MAX].map(bytes);
        let texts = [
            "0 bytes",
            "1 byte",
            "1,023 bytes",
            "1.00 KiB",
            "12.3 MiB",
            "1.00 GiB",
            "1024 GiB",
            "16777216 TiB",
        ];
        assert_eq!(sizes, texts);
    }

    #[test]
    fn numbers_have_the_decimals_that_fit() {
        let all = [0.5, -1.25, 12.345_678, 1_234.567_89, -123_456.7, 12_345_678.9, 1e300, -1e300];
        let texts = all.map(|number| fitted(number, 7, 5));
        assert_eq!(
            texts,
            ["0.50000", "-1.2500", "12.3457", "1234.57", "-123457", "1.23e7", "1.0e300", "-1e300"]
        );
        assert_eq!(fitted(f64::NAN, 7, 5), "NaN");
    }

    #[test]
    fn counts_are_whole_numbers_where_they_can_be() {
        assert_eq!([0.0, 1234.0, 1234.5, 999.999].map(count), ["0", "1,234", "1,234.50", "1,000.00"]);
        assert_eq!([0.0, 1234.0, 1234.5].map(plain_count), ["0", "1234", "1234.50"]);
        assert_eq!(count(1e21), "1,000,000,000,000,000,000,000");
    }
}
