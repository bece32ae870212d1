//! Memory for large tables, in pages that are large too.
//!
//! A feature may be anywhere in a table. With pages of 4 KiB the processor has to look up where the page of nearly every cell of a large
//! table is; of 2 MiB pages it knows all. Systems that hand them out only to those who ask are the usual ones.

/// An empty vector with room for so many.
pub fn with_room<T>(length: usize) -> Vec<T> {
    let vec = Vec::with_capacity(length);
    #[cfg(all(target_os = "linux", not(miri)))]
    ask(vec.as_ptr() as usize, length * size_of::<T>());
    vec
}

/// Asks for large pages. Whether there are any is the system's affair.
#[cfg(all(target_os = "linux", not(miri)))]
fn ask(start: usize, bytes: usize) {
    use rustix::mm::{Advice, madvise};
    const PAGE: usize = 4096;
    const LARGE_PAGE: usize = 2 << 20;
    let (first, end) = (start.next_multiple_of(PAGE), (start + bytes) / PAGE * PAGE);
    if bytes >= 2 * LARGE_PAGE {
        // SAFETY: a hint. It changes nothing that the program could see, and the memory is the vector's.
        #[allow(unsafe_code)]
        let _ = unsafe { madvise(first as *mut _, end - first, Advice::LinuxHugepage) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read_back() {
        for length in [0, 1, 5000, 3 << 19] {
            let mut numbers = with_room(length);
            assert!(numbers.is_empty() && numbers.capacity() >= length);
            numbers.extend(0..length as u64);
            assert!(numbers.iter().copied().eq(0..length as u64));
        }
    }
}
