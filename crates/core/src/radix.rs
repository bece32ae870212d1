//! Sorting whole numbers by some of their bits, in time that does not depend on their order.

use std::ops::Range;

/// So many bits are looked at together at most.
const DIGIT: u32 = 8;
/// Fewer numbers are sorted in less time by comparing them.
const FEW: usize = 48;

/// Sorts numbers by these bits, of which numbers that have the same ones stay in the order in which they are. What is in `memory` is lost.
pub fn sort_by_bits(numbers: &mut Vec<u64>, memory: &mut Vec<u64>, bits: Range<u32>) {
    if bits.is_empty() {
        return;
    }
    if numbers.len() < FEW {
        let mask = u64::MAX >> (u64::BITS - bits.len() as u32);
        numbers.sort_by_key(|number| number >> bits.start & mask);
        return;
    }
    memory.resize(numbers.len(), 0);
    // Short rows spend most of the time on the digits that there could be: no more than all passes need.
    let width = (bits.len() as u32).div_ceil((bits.len() as u32).div_ceil(DIGIT));
    for shift in bits.clone().step_by(width as usize) {
        let mask = (1 << width.min(bits.end - shift)) - 1;
        let digit = |number: u64| (number >> shift & mask) as usize;
        let next = &mut [0u32; 1 << DIGIT][..=mask as usize];
        numbers.iter().for_each(|number| next[digit(*number)] += 1);
        let mut before = 0;
        for next in &mut *next {
            before += std::mem::replace(next, before);
        }
        for &number in &*numbers {
            let place = &mut next[digit(number)];
            memory[*place as usize] = number;
            *place += 1;
        }
        std::mem::swap(numbers, memory);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_sorted_by_these_bits_and_stay_as_they_are_otherwise(
            numbers in prop::collection::vec(prop_oneof![any::<u64>(), 0..300u64, (0..9u64).prop_map(|n| n << 40)], 0..300),
            start in 0..64u32, length in 0..64u32,
        ) {
            let bits = start..(start + length).min(64);
            let (mut sorted, mut expected) = (numbers.clone(), numbers);
            sort_by_bits(&mut sorted, &mut Vec::new(), bits.clone());
            let digits = |number: &u64| bits.clone().filter(|bit| number >> bit & 1 == 1).map(|bit| 1u64 << bit).sum::<u64>();
            expected.sort_by_key(digits);
            prop_assert_eq!(sorted, expected);
        }
    }
}
