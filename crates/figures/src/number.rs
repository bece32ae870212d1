//! Numbers for people. The script writes them in the same way.

/// What stands for a number that there is not.
pub const MISSING: &str = "–";

/// From here on, powers of ten are shorter than digits.
const LARGE: f64 = 1e15;

/// A count, or a sum of importances: `1,234`, or `1,234.50` if it is not whole.
pub fn count(number: f64) -> String {
    if !number.is_finite() {
        return MISSING.into();
    }
    if number.abs() >= LARGE {
        return format!("{number:.3e}");
    }
    let text = if number.fract() == 0.0 { format!("{number:.0}") } else { format!("{number:.2}") };
    grouped(&text)
}

/// A sum of costs: like a count, but small ones show the digits that count.
pub fn amount(number: f64) -> String {
    if number.fract() == 0.0 || number.abs() >= 100.0 { count(number) } else { digits(number, 4) }
}

/// A share: `12.34 %`.
pub fn share(share: Option<f64>) -> String {
    match share {
        Some(share) if share.abs() < 1e6 => format!("{:.2}\u{a0}%", 100.0 * share),
        Some(share) if (100.0 * share).is_finite() => format!("{:.3e}\u{a0}%", 100.0 * share),
        _ => MISSING.into(),
    }
}

/// A number with four digits that count: `0.01234`, `12.34`, `1.234e9`.
pub fn number(number: f64) -> String {
    digits(number, 4)
}

/// A number with so many digits that count.
pub fn digits(number: f64, digits: i32) -> String {
    if !number.is_finite() {
        return MISSING.into();
    }
    let size = number.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{number:.*e}", (digits - 1) as usize);
    }
    let decimals = (digits - 1 - size.log10().floor() as i32).max(0) as usize;
    grouped(&format!("{number:.decimals$}"))
}

/// The number beside a mark of an axis, as short as can be: `0.05`, `100`, `20k`, `1.5M`, `1e12`.
pub fn mark(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 {
        return "0".into();
    }
    match size {
        1e12.. | ..1e-4 => format!("{number:.2e}").replace(".00e", "e").replace("0e", "e"),
        1e9.. => trimmed(number / 1e9) + "G",
        1e6.. => trimmed(number / 1e6) + "M",
        1e3.. => trimmed(number / 1e3) + "k",
        _ => trimmed(number),
    }
}

fn trimmed(number: f64) -> String {
    let text = format!("{number:.5}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

fn grouped(text: &str) -> String {
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |rest| ("−", rest));
    let (whole, decimals) = text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let mut shown = String::from(sign);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    if let Some(decimals) = decimals {
        shown.push('.');
        shown += decimals;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(
            [0.0, 999.0, 1e6, 1234.5, 1e15].map(count),
            ["0", "999", "1,000,000", "1,234.50", "1.000e15"]
        );
        assert_eq!(
            [0.0, 0.012_345, -12.345_6, 123_456.0, 1e-9].map(number),
            ["0", "0.01235", "−12.35", "123,456", "1.000e-9"]
        );
        assert_eq!(
            [0.05, 100.0, 20_000.0, 1.5e6, 1e12, 2.5e-7].map(mark),
            ["0.05", "100", "20k", "1.5M", "1e12", "2.5e-7"]
        );
        assert_eq!(share(Some(0.12345)), "12.35\u{a0}%");
    }

    #[test]
    fn no_number_is_a_dash() {
        for none in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!([count(none), number(none), share(Some(none)), share(None)], [MISSING; 4]);
        }
    }
}
