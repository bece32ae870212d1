//! Streams whose examples depend on nothing but their place, so that parts of them are known.

use std::ops::Range;

/// A number between 0 and 1 for a place and a purpose (`SplitMix64`).
pub fn uniform(place: usize, purpose: usize) -> f64 {
    let mut z = (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (purpose as u64) << 40;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z = (z ^ (z >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// A number below `below`.
fn number(place: usize, purpose: usize, below: usize) -> usize {
    (uniform(place, purpose) * below as f64) as usize
}

/// The class of an example: every fifth is of class 1, and of the others as many are of class 2.
pub fn class(place: usize) -> usize {
    number(place, 0, 5).min(2)
}

/// Is it positive, where there are two classes?
pub fn is_positive(place: usize) -> bool {
    class(place) == 1
}

/// Ten features. Half of them tell the class, not quite reliably; from `change` on they tell another one.
pub fn features(place: usize, change: usize) -> String {
    let told = (class(place) + usize::from(place >= change)) % 3;
    let feature = |i: usize| {
        let group = if uniform(place, 100 + i) < 0.75 { told } else { number(place, 200 + i, 3) };
        let number = match i {
            0..5 => 1 + i * 100 + group * 30 + number(place, 300 + i, 30),
            _ => 1 + i * 100 + number(place, 300 + i, 90),
        };
        format!(" {number}:{:.3}", 0.5 + uniform(place, 400 + i))
    };
    (0..10).map(feature).collect()
}

/// Examples of two classes as LIBSVM text, which change at a place.
pub fn two_classes(places: Range<usize>, change: usize) -> String {
    let line = |i| format!("{}{}\n", if is_positive(i) { "+1" } else { "-1" }, features(i, change));
    places.map(line).collect()
}

/// The same of three classes: 0, 1 and 2.
pub fn three_classes(places: Range<usize>, change: usize) -> String {
    places.map(|i| format!("{}{}\n", class(i), features(i, change))).collect()
}
