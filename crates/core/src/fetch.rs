//! Asking for memory before it is needed.

/// Asks the processor to fetch what is there into its cache.
#[inline(always)]
pub fn fetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint. It reads nothing that the program could see, and an address where nothing is does no harm.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address.cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// The same for all of these.
#[inline(always)]
pub(crate) fn fetch_all<T>(these: &[T]) {
    const LINE: usize = 64;
    for line in these.chunks(LINE / size_of::<T>()) {
        fetch(line.as_ptr());
    }
}
