//! Numbers as text, eight digits at a time.
//!
//! Data is mostly short numbers: a few digits, a point, a few digits more. Reading those without a loop over their digits spares
//! the processor its wrong guesses of where they end, which is most of what reading costs. What is not short and plain is
//! left to the general parser, so every number is what Rust's own parser makes of it.

use thalweg_core::Real;
use wide::u8x16;

const EVERY: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * EVERY;
const ZEROS: u64 = b'0' as u64 * EVERY;

/// So many bytes must be there to be looked at, whatever they are.
const WINDOW: usize = 16;

/// The decimal at the beginning that a blank or a line end follows, and its length; none if it is not short and plain.
#[inline(always)]
pub(super) fn decimal(text: &[u8; WINDOW]) -> Option<(Real, usize)> {
    let bytes = *text;
    let vector = u8x16::new(bytes);
    let blanks = vector.min(u8x16::splat(b' ')).simd_eq(vector).to_bitmask();
    let length = (blanks | 1 << 16).trailing_zeros();
    let digit = bytes[0].wrapping_sub(b'0');
    if length == 1 {
        return (digit < 10).then(|| (Real::from(digit), 1));
    }
    let decimals = length.wrapping_sub(2) as usize;
    if digit >= 10 || bytes[1] != b'.' || decimals.wrapping_sub(1) >= 8 {
        return longer(bytes, length);
    }
    // One digit, a point, and one to eight digits.
    let after = (u64::from_le_bytes(*text[2..].first_chunk()?) ^ ZEROS) << (64 - 8 * decimals);
    if !are_digits(after) {
        return None;
    }
    let whole = u64::from(digit) * WHOLE[decimals] + number(after);
    Some((quotient(whole, decimals)?, length as usize))
}

/// As [`decimal`]: up to six digits or a minus before the point, up to eight after it, or no point.
#[inline(never)]
fn longer(bytes: [u8; 16], length: u32) -> Option<(Real, usize)> {
    let points = u8x16::new(bytes).simd_eq(u8x16::splat(b'.')).to_bitmask();
    let point = (points | 1 << length).trailing_zeros().min(length);
    let decimals = length - point - u32::from(point < length);
    let [low, high] = [u64::from_le_bytes(*bytes.first_chunk()?), u64::from_le_bytes(*bytes.last_chunk()?)];
    let negative = u32::from(bytes[0] == b'-');
    if length > 15 || point > 6 || decimals > 8 || point - negative + decimals == 0 {
        return None;
    }
    // A minus counts as a leading zero.
    let low = low ^ ZEROS ^ (u64::from(negative) * u64::from(b'-' ^ b'0'));
    let before = if point == 0 { 0 } else { low << (64 - 8 * point) };
    let after = low >> (8 * point) >> 8 | (high ^ ZEROS) << (56 - 8 * point);
    let after = if decimals == 0 { 0 } else { after << (64 - 8 * decimals) };
    if !(are_digits(before) & are_digits(after)) {
        return None;
    }
    let value = quotient(number(before) * WHOLE[decimals as usize] + number(after), decimals as usize)?;
    Some((if negative == 1 { -value } else { value }, length as usize))
}

/// whole / 10^decimals.
#[inline(always)]
fn quotient(whole: u64, decimals: usize) -> Option<Real> {
    rounded(whole.cast_signed() as f64 / POWERS[decimals])
}

/// Both numbers of the quotient are exact in f64, so it is the f64 nearest to the decimal. Is it the nearest `Real` too?
#[inline(always)]
#[cfg(not(thalweg_real = "f64"))]
fn rounded(value: f64) -> Option<Real> {
    // Rounding twice goes wrong only from the middle between two f32.
    (value.to_bits() & 0x1fff_ffff != 0x1000_0000).then_some(value as Real)
}

#[inline(always)]
#[cfg(thalweg_real = "f64")]
#[allow(clippy::unnecessary_wraps)] // as in the other build
fn rounded(value: f64) -> Option<Real> {
    Some(value)
}

const POWERS: [f64; 9] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
const WHOLE: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Is every byte below ten?
#[inline(always)]
fn are_digits(bytes: u64) -> bool {
    (bytes.wrapping_add(0x76 * EVERY) | bytes) & HIGH == 0
}

/// The number whose digits the bytes are, the last digit in the highest byte: pairs, then fours, then all eight.
#[inline(always)]
pub(super) fn number(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let odd = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let even = (pairs >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    odd.wrapping_add(even) >> 32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn window(text: &str) -> [u8; WINDOW] {
        let mut window = [b' '; WINDOW];
        let length = text.len().min(WINDOW);
        window[..length].copy_from_slice(&text.as_bytes()[..length]);
        window
    }

    #[test]
    fn short_and_plain_decimals() {
        for text in [
            "0",
            "1",
            "7",
            "12",
            "0.5",
            "-0.5",
            ".5",
            "-.25",
            "5.",
            "-3",
            "999999.12345678",
            "0.00000001",
            "-0",
        ] {
            let expected: Real = text.parse().unwrap();
            let read = decimal(&window(text));
            assert_eq!(
                read.map(|(x, length)| (x.to_bits(), length)),
                Some((expected.to_bits(), text.len())),
                "{text}"
            );
        }
    }

    #[test]
    fn everything_else_is_left_to_others() {
        for text in
            ["", "-", ".", "-.", "+1", "1e5", "nan", "1.2.3", "1:2", "1x", "1.x", "12345678", "--1", "1-"]
        {
            assert_eq!(decimal(&window(text)), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_decimal_is_what_rust_reads(text in "-?[0-9]{0,8}(\\.[0-9]{0,10})?") {
            if let Some((x, length)) = decimal(&window(&text)) {
                let expected: Real = text.parse().unwrap();
                prop_assert_eq!((x.to_bits(), length), (expected.to_bits(), text.len()));
            }
        }

        #[test]
        fn whatever_is_taken_is_what_rust_reads(text in "[-+0-9.e:]{0,16}") {
            if let Some((x, length)) = decimal(&window(&text)) {
                let expected: Real = text[..length].parse().unwrap();
                prop_assert_eq!(x.to_bits(), expected.to_bits());
            }
        }
    }
}
