//! Numbers with a comma before their decimals, as many countries write them: `3,14`, `-0,5`, `1.234,5`.
//!
//! Points may stand between groups of three digits, and nowhere else: `0.5` is refused, because nobody could tell what was meant.

use crate::error::Fault;

/// The number with a point before its decimals and no other points; the text itself if it is no number.
pub(super) fn with_point<'a>(text: &'a [u8], at: usize, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], Fault> {
    if !text.iter().any(|byte| matches!(byte, b',' | b'.')) {
        return Ok(text);
    }
    buffer.clear();
    let (sign, number) = text.split_at(usize::from(matches!(text.first(), Some(b'-' | b'+'))));
    let comma = memchr::memchr(b',', number);
    let (whole, rest) = number.split_at(comma.unwrap_or(number.len()));
    buffer.extend_from_slice(sign);
    if whole.contains(&b'.') {
        if !is_grouped(whole) {
            let is_number = comma.is_none() && fast_float2::parse::<f64, _>(text).is_ok();
            let what = "with `decimal_comma`, a number must have a decimal comma";
            return if is_number { Err(Fault::at(at, what, text)) } else { Ok(text) };
        }
        buffer.extend(whole.iter().filter(|byte| **byte != b'.'));
    } else {
        buffer.extend_from_slice(whole);
    }
    if let Some((_, decimals)) = rest.split_first() {
        buffer.push(b'.');
        buffer.extend_from_slice(decimals);
    }
    Ok(if fast_float2::parse::<f64, _>(&buffer).is_ok() { buffer } else { text })
}

/// Digits in groups of three, but for the first group, which may have fewer.
fn is_grouped(digits: &[u8]) -> bool {
    let mut groups = digits.split(|byte| *byte == b'.');
    let first = groups.next().unwrap_or_default();
    let are_digits = |group: &[u8]| group.iter().all(u8::is_ascii_digit);
    (1..=3).contains(&first.len())
        && first[0] != b'0'
        && are_digits(first)
        && groups.all(|group| group.len() == 3 && are_digits(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_become_points() {
        for (text, number) in [
            ("3,14", "3.14"),
            ("-0,5", "-0.5"),
            ("+,5", "+.5"),
            ("1,5e-3", "1.5e-3"),
            ("1.234,5", "1234.5"),
            ("12.345.678", "12345678"),
            ("7", "7"),
            ("1,2,3", "1,2,3"),
            ("01.02.2024", "01.02.2024"),
            ("1.2,3", "1.2,3"),
            ("a, b", "a, b"),
            (",", ","),
        ] {
            let mut buffer = Vec::new();
            assert_eq!(with_point(text.as_bytes(), 0, &mut buffer), Ok(number.as_bytes()), "{text}");
        }
        for text in ["0.5", "3.14", "0.125", "1234.567", "1.5e3"] {
            assert!(with_point(text.as_bytes(), 0, &mut Vec::new()).is_err(), "{text}");
        }
    }
}
