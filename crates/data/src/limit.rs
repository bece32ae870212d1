//! How much memory data may take.

use std::fmt;

/// The most bytes of memory that one input may take at a time, where it says itself how much that is: a few kilobytes can claim to hold any
/// number of gigabytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimit(pub u64);

impl Default for MemoryLimit {
    /// 4 GiB.
    fn default() -> Self {
        Self(4 << 30)
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bytes(self.0).fmt(f)
    }
}

/// So many bytes, in the largest unit of which it is at least one.
pub(crate) fn bytes(count: u64) -> String {
    let unit = (count.max(1).ilog2() / 10).min(4);
    let number = count as f64 / (1u64 << (10 * unit)) as f64;
    let decimals = usize::from(number.fract() != 0.0);
    format!("{number:.decimals$} {}", ["bytes", "KiB", "MiB", "GiB", "TiB"][unit as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_said_in_fitting_units() {
        assert_eq!(MemoryLimit::default().to_string(), "4 GiB");
        assert_eq!([0, 1023, 1536, 5 << 20].map(bytes), ["0 bytes", "1023 bytes", "1.5 KiB", "5 MiB"]);
        assert_eq!([1 << 50, u64::MAX].map(bytes), ["1024 TiB", "16777216 TiB"]);
    }
}
