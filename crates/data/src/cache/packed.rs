//! Whole numbers, 128 at a time, each with as many bits as the largest of them needs.

use bitpacking::{BitPacker, BitPacker4x};

const TOGETHER: usize = BitPacker4x::BLOCK_LEN;

/// Appends the numbers.
pub(super) fn pack(numbers: &[u32], out: &mut Vec<u8>) {
    let packer = BitPacker4x::new();
    let mut append = |numbers: &[u32]| {
        let bits = packer.num_bits(numbers);
        out.push(bits);
        let start = out.len();
        out.resize(start + BitPacker4x::compressed_block_size(bits), 0);
        packer.compress(numbers, &mut out[start..], bits);
    };
    let (whole, rest) = numbers.as_chunks::<TOGETHER>();
    whole.iter().for_each(|numbers| append(numbers));
    if !rest.is_empty() {
        let mut last = [0; TOGETHER];
        last[..rest.len()].copy_from_slice(rest);
        append(&last);
    }
}

/// Reads so many numbers into `numbers`; the bytes after them, or nothing if there are not enough.
pub(super) fn unpack<'a>(mut bytes: &'a [u8], count: usize, numbers: &mut Vec<u32>) -> Option<&'a [u8]> {
    let packer = BitPacker4x::new();
    numbers.clear();
    // Every group has at least its number of bits: a count that is made up must not cost memory.
    if count.div_ceil(TOGETHER) > bytes.len() {
        return None;
    }
    numbers.resize(count.next_multiple_of(TOGETHER), 0);
    for group in numbers.chunks_exact_mut(TOGETHER) {
        let (bits, rest) = bytes.split_first().filter(|(bits, _)| **bits <= 32)?;
        let (packed, rest) = rest.split_at_checked(BitPacker4x::compressed_block_size(*bits))?;
        packer.decompress(packed, group, *bits);
        bytes = rest;
    }
    numbers.truncate(count);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_read_back_as_they_were(
            numbers in prop::collection::vec(prop_oneof![0..9u32, 0..70_000u32, any::<u32>()], 0..400),
            cut in 0..2000usize,
        ) {
            let (mut bytes, mut read) = (Vec::new(), Vec::new());
            pack(&numbers, &mut bytes);
            prop_assert_eq!(unpack(&bytes, numbers.len(), &mut read), Some(&[][..]));
            prop_assert_eq!(&read, &numbers);
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
