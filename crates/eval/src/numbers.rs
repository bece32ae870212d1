//! Numbers formatted for people.

/// A share as a percentage, such as `12.34 %`, or `-` if there is none.
pub fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".into(), |share| format!("{:.2} %", 100.0 * share))
}

/// A whole number with its digits in groups of three, such as `1,234,567`.
pub fn grouped(number: u64) -> String {
    group(&number.to_string())
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
    fn counts_are_whole_numbers_where_they_can_be() {
        assert_eq!([0.0, 1234.0, 1234.5, 999.999].map(count), ["0", "1,234", "1,234.50", "1,000.00"]);
        assert_eq!([0.0, 1234.0, 1234.5].map(plain_count), ["0", "1234", "1234.50"]);
        assert_eq!(count(1e21), "1,000,000,000,000,000,000,000");
    }
}
