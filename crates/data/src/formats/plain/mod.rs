//! Short and plain features, `index:value` one after the other with a blank between them, as most data has them.
//!
//! 64 characters are looked at together. A bit for each says that it is no digit, and where those are tells where numbers begin and end, without
//! loops over digits, whose ends the processor would guess wrong. What is not short and plain is left to others.

mod processors;
mod window;

use pulp::NullaryFnOnce;
#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;
use thalweg_core::Real;

use super::decimal::decimal;
use super::sink::RecordSink;

use processors::{AnyProcessor, Digits, Processor};
use window::{REACH, WINDOW, Window};

/// So many features are read from a window. Three of usual length fit; taking as many as there are would be a loop whose end the processor guesses
/// wrong.
const TOGETHER: usize = 3;
/// Features are handed on by so many.
const BUFFERED: usize = 64;

/// Features on their way to a sink.
#[derive(Clone, Debug)]
pub(super) struct FeatureBuffer {
    /// The indices, and in the high halves the decimals of the values.
    numbers: [u64; BUFFERED],
    /// The values but for their decimals: what is before the point,
    wholes: [f64; BUFFERED],
    /// and what a unit of the last decimal is worth, or how many of them make one: see [`value`].
    units: [f64; BUFFERED],
    indices: [u32; BUFFERED],
    values: [Real; BUFFERED],
}

impl Default for FeatureBuffer {
    fn default() -> Self {
        Self {
            numbers: [0; BUFFERED],
            wholes: [0.0; BUFFERED],
            units: [0.0; BUFFERED],
            indices: [0; BUFFERED],
            values: [0.0; BUFFERED],
        }
    }
}

/// Reads features from the beginning of a text as long as they are short and plain. Returns where the next thing begins: behind the last feature,
/// and behind the blank after it if there is one.
pub(super) fn features(text: &[u8], buffer: &mut FeatureBuffer, sink: &mut impl RecordSink) -> usize {
    // Compiled for processors that do more at a time, and for any.
    #[cfg(target_arch = "x86_64")]
    if let Some(processor) = V3::try_new() {
        return processor.vectorize(Features { processor, text, buffer, sink });
    }
    Features { processor: AnyProcessor, text, buffer, sink }.call()
}

struct Features<'a, P, S> {
    processor: P,
    text: &'a [u8],
    buffer: &'a mut FeatureBuffer,
    sink: &'a mut S,
}

impl<P: Processor, S: RecordSink> NullaryFnOnce for Features<'_, P, S> {
    type Output = usize;

    #[inline(always)]
    fn call(self) -> usize {
        let Self { processor, text, buffer, sink } = self;
        let mut at = 0;
        loop {
            let (mut count, mut next) = (0, Next::Feature);
            while next == Next::Feature
                && let Some(window) = text[at..].first_chunk()
                && let Some(places) = buffer.places(count)
            {
                let mut rest = Rest { start: 0, others: processor.others(window) };
                let taken;
                (taken, next) = three(processor, window, &mut rest, places);
                // It may only have been cut off by the window.
                if next == Next::Other && taken > 0 {
                    next = Next::Feature;
                }
                count += taken;
                at += rest.start;
            }
            buffer.hand_on(count, sink);
            if next != Next::Feature || count <= BUFFERED - TOGETHER {
                return at;
            }
        }
    }
}

/// What comes next in a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Another feature, as far as can be seen.
    Feature,
    /// Something that is no blank.
    End,
    /// Something that is not short and plain, or goes beyond the window.
    Other,
}

/// Where to put the features of a window.
struct Places<'a> {
    numbers: &'a mut [u64; TOGETHER],
    wholes: &'a mut [f64; TOGETHER],
    units: &'a mut [f64; TOGETHER],
}

/// Reads up to three features, and says how many there were. Not a loop: it would stay one.
#[inline(always)]
fn three<P: Processor>(processor: P, window: &Window, rest: &mut Rest, mut places: Places) -> (usize, Next) {
    let first = feature(processor, window, rest, &mut places, 0);
    if first != Next::Feature {
        return (usize::from(first == Next::End), first);
    }
    let second = feature(processor, window, rest, &mut places, 1);
    if second != Next::Feature {
        return (1 + usize::from(second == Next::End), second);
    }
    let third = feature(processor, window, rest, &mut places, 2);
    (2 + usize::from(third != Next::Other), third)
}

/// The part of a window that has not been read: where it begins, and a bit for each of its characters that is no digit.
struct Rest {
    start: usize,
    others: u64,
}

impl Rest {
    /// Takes the first character that is no digit; if there is none, the first behind the window.
    #[inline(always)]
    fn next(&mut self) -> usize {
        let place = self.others.trailing_zeros() as usize;
        self.others &= self.others.wrapping_sub(1);
        place
    }
}

/// Reads a feature, and tells what comes after it.
#[inline(always)]
fn feature<P: Processor>(
    processor: P,
    window: &Window,
    rest: &mut Rest,
    places: &mut Places,
    place: usize,
) -> Next {
    let start = rest.start;
    let colon = rest.next();
    let length = colon.wrapping_sub(start);
    if length.wrapping_sub(1) >= 8 || window[colon] != b':' {
        return Next::Other;
    }
    let index = Digits { text: sixteen(window, start), length };
    let after = rest.next();
    let end;
    // Most often one digit, a point, and one to eight digits. Where nothing but digits is left of the window, what comes behind the window was
    // taken for no digit: then it is a blank, or this is not taken for a feature.
    if after == colon + 2 && window[after] == b'.' {
        end = rest.next();
        let length = end.wrapping_sub(after + 1);
        if length.wrapping_sub(1) >= 8 || window[end] > b' ' {
            return Next::Other;
        }
        let decimals = Digits { text: sixteen(window, colon + 3), length };
        places.numbers[place] = processor.numbers(index, decimals);
        places.wholes[place] = DIGITS[usize::from(window[colon + 1] & 15)];
        places.units[place] = UNITS[length];
    } else {
        if after == colon + 2 && window[after] <= b' ' {
            end = after;
            places.wholes[place] = DIGITS[usize::from(window[colon + 1] & 15)];
        } else {
            let Some((value, length)) = other_value(window, colon + 1) else { return Next::Other };
            end = colon + 1 + length;
            rest.others &= u64::MAX << end << 1;
            places.wholes[place] = f64::from(value);
        }
        places.numbers[place] = u64::from(processor.number(index));
        places.units[place] = 1.0;
    }
    if window[end] == b' ' || window[end] == b'\t' {
        rest.start = end + 1;
        return Next::Feature;
    }
    rest.start = end;
    Next::End
}

/// A value of another form, but still short and within the window, and its length.
#[inline(never)] // not in the way of what is most frequent
fn other_value(window: &Window, at: usize) -> Option<(Real, usize)> {
    decimal(window[at..].first_chunk()?).filter(|(_, length)| at + length < WINDOW)
}

#[inline(always)]
fn sixteen(window: &Window, at: usize) -> &[u8; 16] {
    const { assert!(REACH - 16 > WINDOW + 3) };
    window[at.min(REACH - 16)..].first_chunk().unwrap_or(&[0; 16])
}

const DIGITS: [f64; 16] = [0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 0., 0., 0., 0., 0., 0.];

#[cfg(not(thalweg_real = "f64"))]
const UNITS: [f64; 9] = [1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
#[cfg(thalweg_real = "f64")]
const UNITS: [f64; 9] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];

/// The value, to three units in the last place of an f64: a product is worked out much faster than a quotient.
///
/// That is enough for the right f32. Rounding goes wrong only from the middle between two of them, m / 2^q with an odd m of 25 bits. A decimal
/// k / 10^n with n up to 8 and one digit before the point is never there: if 5^n divides k it has twelve bits, otherwise it is no such fraction. And it is
/// not close: k 2^q - m 10^n is a multiple of 2^n, so it is at least 2^n / (10^n 2^25) of its value away, a hundred times as much as three units.
#[cfg(not(thalweg_real = "f64"))]
#[inline(always)]
fn value(whole: f64, decimals: f64, unit: f64) -> f64 {
    decimals * unit + whole
}

/// The value, exactly: both numbers of the quotient are whole and exact, or there are no decimals.
#[cfg(thalweg_real = "f64")]
#[inline(always)]
fn value(whole: f64, decimals: f64, units: f64) -> f64 {
    (whole * units + decimals) / units
}

impl FeatureBuffer {
    /// Where the features of a window go if there are so many already; nowhere if there is no room.
    #[inline(always)]
    fn places(&mut self, count: usize) -> Option<Places<'_>> {
        Some(Places {
            numbers: self.numbers.get_mut(count..)?.first_chunk_mut()?,
            wholes: self.wholes.get_mut(count..)?.first_chunk_mut()?,
            units: self.units.get_mut(count..)?.first_chunk_mut()?,
        })
    }

    /// Works out the values and hands the features on.
    #[inline(always)]
    fn hand_on(&mut self, count: usize, sink: &mut impl RecordSink) {
        let Self { numbers, wholes, units, indices, values } = self;
        let count = count.min(BUFFERED);
        for i in 0..count {
            indices[i] = numbers[i] as u32;
            // Decimals are below 10^8.
            values[i] = value(wholes[i], f64::from((numbers[i] >> 32) as i32), units[i]) as Real;
        }
        sink.numbers(&indices[..count], &values[..count]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Default)]
    struct Found(Vec<(u32, Real)>);

    impl RecordSink for Found {
        fn number(&mut self, feature: u32, value: Real) {
            self.0.push((feature, value));
        }

        fn label(&mut self, _: &[u8], _: usize) {}
        fn named(&mut self, _: &[u8], _: &[u8], _: Real) {}
        fn importance(&mut self, _: f32) {}
        fn id(&mut self, _: &[u8]) {}
        fn text(&mut self, _: &[u8], _: &str) {}
    }

    /// What is read of a line, and how much of it is left.
    fn read(line: &str) -> (Vec<(u32, Real)>, &str) {
        let text = format!("{line}\n{}", "9:9 ".repeat(REACH));
        let (mut buffer, mut found, mut plainly) =
            (FeatureBuffer::default(), Found::default(), Found::default());
        let length = features(text.as_bytes(), &mut buffer, &mut found);
        let any = Features {
            processor: AnyProcessor,
            text: text.as_bytes(),
            buffer: &mut buffer,
            sink: &mut plainly,
        };
        assert_eq!((any.call(), &plainly.0), (length, &found.0), "another processor reads {line}");
        (found.0, &line[length..])
    }

    #[test]
    fn short_and_plain_features() {
        assert_eq!(read("1:1"), (vec![(1, 1.0)], ""));
        assert_eq!(read("98765432:0.25 7"), (vec![(98_765_432, 0.25)], "7"));
        assert_eq!(read("3:-12.5\t4:7"), (vec![(3, -12.5), (4, 7.0)], ""));
        assert_eq!(read("3:125 4:.5 5:1.5 6:0"), (vec![(3, 125.0), (4, 0.5), (5, 1.5), (6, 0.0)], ""));
        assert_eq!(read("3:1\r"), (vec![(3, 1.0)], "\r"));
    }

    #[test]
    fn everything_else_is_left_to_others() {
        for text in [
            ":1",
            "123456789:1",
            "1 2:3",
            "a:1",
            "-1:1",
            "1",
            "1:",
            "1: 2",
            "1:2:3",
            "1:2x",
            "1:2.5x",
            "1:1e5",
            "1:1.123456789",
            " 1:1",
        ] {
            assert_eq!(read(text), (vec![], text));
            assert_eq!(read(&format!("7:0.5 {text}")), (vec![(7, 0.5)], text));
        }
        let digits = "1".repeat(2 * REACH);
        assert_eq!(read(&digits), (vec![], &digits[..]));
    }

    #[test]
    fn short_decimals_are_what_rust_reads() {
        for length in 1..=4 {
            for decimals in 0..10u32.pow(length) {
                let text = format!("{}.{decimals:0width$}", decimals % 10, width = length as usize);
                assert_eq!(read(&format!("1:{text}")), (vec![(1, text.parse().unwrap())], ""), "{text}");
            }
        }
    }

    fn plain() -> impl Strategy<Value = String> {
        prop_oneof![
            "[0-9]{1,8}:[0-9]",
            "[0-9]{1,8}:[0-9]\\.[0-9]{1,8}",
            "[0-9]{1,8}:-?[0-9]{1,5}(\\.[0-9]{1,3})?"
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn plain_features_are_what_rust_reads(features in prop::collection::vec(plain(), 0..80)) {
            let line = features.join(" ");
            let expected: Vec<(u32, Real)> = features
                .iter()
                .map(|feature| feature.split_once(':').unwrap())
                .map(|(index, value)| (index.parse().unwrap(), value.parse().unwrap()))
                .collect();
            prop_assert_eq!(read(&line), (expected, ""));
        }

        #[test]
        fn whatever_is_taken_is_what_rust_reads(
            parts in prop::collection::vec("[0-9]{0,9}[:.]?[-0-9.: ]{0,4}[0-9]{0,9}[ :x\t]?[0-9]{0,7}", 0..9),
        ) {
            let line = parts.join(" ");
            let (found, rest) = read(&line);
            let taken = line[..line.len() - rest.len()].split([' ', '\t']).filter(|feature| !feature.is_empty());
            let taken = taken.map(|feature| feature.split_once(':').unwrap());
            let taken: Vec<(u32, Real)> =
                taken.map(|(index, value)| (index.parse().unwrap(), value.parse().unwrap())).collect();
            prop_assert_eq!(found, taken);
        }
    }
}
