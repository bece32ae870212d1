//! Digits, as kinds of processors read them.
//!
//! No closures, which may stay functions of their own that know nothing of the processor that the loop around them was compiled for.

use wide::u8x16;

use super::super::decimal::number;
use super::window::{WINDOW, Window};

/// The digits that a text begins with: one to eight.
#[derive(Clone, Copy)]
pub(super) struct Digits<'a> {
    pub(super) text: &'a [u8; 16],
    pub(super) length: usize,
}

/// What a kind of processor does in its own way.
pub(super) trait Processor: Copy {
    /// A bit for every character of the window that is no digit.
    fn others(self, window: &Window) -> u64;

    /// One number.
    fn number(self, digits: Digits) -> u32;

    /// Two numbers at the same time, one in each half.
    fn numbers(self, low: Digits, high: Digits) -> u64;
}

#[derive(Clone, Copy)]
pub(super) struct AnyProcessor;

impl Processor for AnyProcessor {
    #[inline(always)]
    fn others(self, window: &Window) -> u64 {
        let mut others = 0;
        for (i, text) in window[..WINDOW].as_chunks().0.iter().enumerate() {
            let above = u8x16::new(*text) - u8x16::splat(b'0');
            let not_digits = above.max(u8x16::splat(10)).simd_eq(above).to_bitmask();
            others |= u64::from(not_digits) << (16 * i);
        }
        others
    }

    #[inline(always)]
    fn number(self, digits: Digits) -> u32 {
        let [low, _] = pulp::cast::<[u8; 16], [u64; 2]>(*digits.text).map(u64::from_le);
        number((low ^ u64::from_le_bytes([b'0'; 8])) << (64 - 8 * digits.length)) as u32
    }

    #[inline(always)]
    fn numbers(self, low: Digits, high: Digits) -> u64 {
        u64::from(self.number(low)) | u64::from(self.number(high)) << 32
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::__m128i;

    use pulp::x86::V3;

    use super::{Digits, Processor, WINDOW, Window};

    impl Processor for V3 {
        #[inline(always)]
        fn others(self, window: &Window) -> u64 {
            let (halves, _) = window[..WINDOW].as_chunks();
            u64::from(not_digits(self, halves[0])) | u64::from(not_digits(self, halves[1])) << 32
        }

        #[inline(always)]
        fn number(self, digits: Digits) -> u32 {
            self.sse2._mm_cvtsi128_si32(add_up(self, last(self, digits, &LOW))).cast_unsigned()
        }

        #[inline(always)]
        fn numbers(self, low: Digits, high: Digits) -> u64 {
            let digits = self.sse2._mm_or_si128(last(self, low, &LOW), last(self, high, &HIGH));
            pulp::cast::<__m128i, [u64; 2]>(add_up(self, digits))[0]
        }
    }

    #[inline(always)]
    fn not_digits(simd: V3, text: [u8; 32]) -> u32 {
        let (avx, avx2) = (simd.avx, simd.avx2);
        let above = avx2._mm256_sub_epi8(pulp::cast(text), avx._mm256_set1_epi8(b'0'.cast_signed()));
        let most = avx2._mm256_max_epu8(above, avx._mm256_set1_epi8(10));
        avx2._mm256_movemask_epi8(avx2._mm256_cmpeq_epi8(most, above)).cast_unsigned()
    }

    /// Digits, moved to the end of one half of a vector.
    #[inline(always)]
    fn last(simd: V3, digits: Digits, places: &[[u8; 16]; 9]) -> __m128i {
        simd.ssse3._mm_shuffle_epi8(pulp::cast(*digits.text), pulp::cast(places[digits.length]))
    }

    /// Which of the first characters goes where if so many of them go to the end of a half; elsewhere there is nothing.
    static LOW: [[u8; 16]; 9] = places(8);
    static HIGH: [[u8; 16]; 9] = places(16);

    const fn places(end: usize) -> [[u8; 16]; 9] {
        const NOTHING: u8 = 0x80;
        let mut places = [[NOTHING; 16]; 9];
        let mut length = 1;
        while length <= 8 {
            let mut i = 0;
            while i < length {
                places[length][end - length + i] = i as u8;
                i += 1;
            }
            length += 1;
        }
        places
    }

    /// The two numbers whose digits these are: pairs, then fours, then all eight.
    #[inline(always)]
    fn add_up(simd: V3, digits: __m128i) -> __m128i {
        let (sse2, ssse3, sse4_1) = (simd.sse2, simd.ssse3, simd.sse4_1);
        let digits = sse2._mm_and_si128(digits, sse2._mm_set1_epi8(15));
        let pairs = ssse3._mm_maddubs_epi16(digits, sse2._mm_set1_epi16(10 + (1 << 8)));
        let fours = sse2._mm_madd_epi16(pairs, sse2._mm_set1_epi32(100 + (1 << 16)));
        sse2._mm_madd_epi16(sse4_1._mm_packus_epi32(fours, fours), sse2._mm_set1_epi32(10_000 + (1 << 16)))
    }
}
