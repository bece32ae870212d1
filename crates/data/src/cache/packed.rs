//! Whole numbers, 128 at a time, each with as many bytes as the largest of them needs.
//!
//! Bytes and not bits: what is stored is up to a third larger, but takes no more time to read, and nothing but a few lines to say.
//! (A crate that packs bits took four minutes to compile.)

use pulp::{Arch, NullaryFnOnce};

pub(super) const TOGETHER: usize = 128;

/// How many bytes each of these numbers needs.
#[inline(always)]
fn width(group: &[u32]) -> usize {
    let all = group.iter().fold(0, |all, number| all | number);
    (u32::BITS - all.leading_zeros()).div_ceil(8) as usize
}

/// How many bytes packing these numbers takes.
pub(super) fn packed_size(numbers: &[u32]) -> usize {
    numbers.chunks(TOGETHER).map(|group| 1 + width(group) * group.len()).sum()
}

/// Appends the numbers.
pub(super) fn pack(numbers: &[u32], out: &mut Vec<u8>) {
    Arch::new().dispatch(Pack { numbers, out });
}

/// Packing, compiled for several kinds of processors.
struct Pack<'a> {
    numbers: &'a [u32],
    out: &'a mut Vec<u8>,
}

impl NullaryFnOnce for Pack<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { numbers, out } = self;
        for group in numbers.chunks(TOGETHER) {
            let width = width(group);
            out.push(width as u8);
            match width {
                0 => {}
                1 => append(group, out, |number| number.to_le_bytes().as_chunks::<1>().0[0]),
                2 => append(group, out, |number| number.to_le_bytes().as_chunks::<2>().0[0]),
                3 => append(group, out, |number| number.to_le_bytes().as_chunks::<3>().0[0]),
                _ => append(group, out, u32::to_le_bytes),
            }
        }
    }
}

/// Appends a few bytes of every number of a group, all of them at once: asking for room for every number is most of the work.
#[inline(always)]
pub(super) fn append<T: Copy, const WIDTH: usize>(
    group: &[T],
    out: &mut Vec<u8>,
    bytes: impl Fn(T) -> [u8; WIDTH],
) {
    let mut packed = [[0; WIDTH]; TOGETHER];
    for (room, number) in packed.iter_mut().zip(group) {
        *room = bytes(*number);
    }
    out.extend_from_slice(packed[..group.len()].as_flattened());
}

/// Appends so many numbers to `numbers`; the bytes after them, or nothing if there are not enough.
pub(super) fn unpack<'a>(bytes: &'a [u8], count: usize, numbers: &mut Vec<u32>) -> Option<&'a [u8]> {
    Arch::new().dispatch(Unpack { bytes, count, numbers })
}

/// Unpacking, compiled for several kinds of processors.
struct Unpack<'a, 'n> {
    bytes: &'a [u8],
    count: usize,
    numbers: &'n mut Vec<u32>,
}

impl<'a> NullaryFnOnce for Unpack<'a, '_> {
    type Output = Option<&'a [u8]>;

    #[inline(always)]
    fn call(self) -> Option<&'a [u8]> {
        let Self { mut bytes, count, numbers } = self;
        // Every group has at least its width: a count that is made up must not cost memory.
        if count.div_ceil(TOGETHER) > bytes.len() {
            return None;
        }
        numbers.reserve(count);
        let all = numbers.len() + count;
        let mut group = [0; TOGETHER];
        while numbers.len() < all {
            let length = TOGETHER.min(all - numbers.len());
            let (width, rest) = bytes.split_first()?;
            let (packed, rest) = rest.split_at_checked(length * usize::from(*width))?;
            match width {
                0 => group.fill(0),
                1 => group.iter_mut().zip(packed).for_each(|(number, byte)| *number = u32::from(*byte)),
                2 => widen(packed, &mut group, |pair| u32::from(u16::from_le_bytes(*pair))),
                3 => widen_threes(packed, &mut group),
                4 => widen(packed, &mut group, |four| u32::from_le_bytes(*four)),
                _ => return None,
            }
            numbers.extend_from_slice(&group[..length]);
            bytes = rest;
        }
        Some(bytes)
    }
}

/// Makes numbers of so many bytes each.
#[inline(always)]
fn widen<const WIDTH: usize>(
    packed: &[u8],
    group: &mut [u32; TOGETHER],
    number: impl Fn(&[u8; WIDTH]) -> u32,
) {
    for (room, bytes) in group.iter_mut().zip(packed.as_chunks().0) {
        *room = number(bytes);
    }
}

/// Makes numbers of three bytes each. Four numbers are three words: loops over those are turned into vector instructions.
#[inline(always)]
fn widen_threes(packed: &[u8], group: &mut [u32; TOGETHER]) {
    const LOW: u32 = 0x00ff_ffff;
    for (four, bytes) in group.as_chunks_mut().0.iter_mut().zip(packed.as_chunks::<12>().0) {
        let word = |i| u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
        let [a, b, c] = [word(0), word(4), word(8)];
        *four = [a & LOW, (a >> 24 | b << 8) & LOW, (b >> 16 | c << 16) & LOW, c >> 8];
    }
    // The last group may end with one to three numbers.
    let whole = packed.len() / 12;
    for (number, bytes) in group[4 * whole..].iter_mut().zip(packed[12 * whole..].as_chunks::<3>().0) {
        *number = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_read_back_as_they_were(
            numbers in prop::collection::vec(
                prop_oneof![Just(0), 0..9u32, 0..70_000u32, 0..20_000_000u32, any::<u32>()], 0..400),
            largest in prop_oneof![Just(0), Just(255), Just(65_535), Just(16_777_215), Just(u32::MAX)],
            cut in 0..2000usize,
        ) {
            let numbers: Vec<u32> = numbers.into_iter().map(|number| number.min(largest)).collect();
            let (mut bytes, mut read) = (Vec::new(), Vec::new());
            pack(&numbers, &mut bytes);
            prop_assert_eq!(bytes.len(), packed_size(&numbers));
            prop_assert_eq!(unpack(&bytes, numbers.len(), &mut read), Some(&[][..]));
            prop_assert_eq!(&read, &numbers);
            read.clear();
            if cut < bytes.len() {
                prop_assert_eq!(unpack(&bytes[..cut], numbers.len(), &mut read), None);
            }
        }

        #[test]
        fn no_bytes_crash_it(bytes in prop::collection::vec(any::<u8>(), 0..300), count in any::<u32>()) {
            let _ = unpack(&bytes, count as usize, &mut Vec::new());
        }
    }
}
