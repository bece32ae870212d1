//! What one feature remembers: a few named numbers.
//!
//! [`cell!`](crate::cell!) declares the numbers once; the model file's little-endian form and the check that an
//! update left nothing infinite follow from it.

/// The memory of one feature.
pub trait Cell: Copy + PartialEq + Send + Sync + 'static {
    /// Bytes in a model file.
    const BYTES: usize;
    /// The numbers' names, in the order of the model file.
    const FIELDS: &'static [&'static str];
    /// Writes the numbers, little-endian.
    fn write(&self, out: &mut Vec<u8>);
    /// Reads the numbers back from exactly [`Self::BYTES`] bytes.
    fn read(bytes: &[u8]) -> Self;
    /// The numbers, as many as there are [`Self::FIELDS`].
    fn numbers(&self, out: &mut [f64]);
    /// The cell that is nearest to these numbers.
    fn of_numbers(numbers: &[f64]) -> Self;
    /// Not 0 if a number is infinite or NaN: an update that does this is not carried out. A number and not a bool, because a processor
    /// adds those up as they are.
    fn non_finite(&self) -> u32;
    /// Are all numbers finite?
    fn is_finite(&self) -> bool {
        self.non_finite() == 0
    }
}

/// Would the cell still be finite after the change?
pub(crate) fn stays_finite<C: Cell>(cell: &C, change: &impl Fn(&mut C)) -> bool {
    let mut changed = *cell;
    change(&mut changed);
    changed.is_finite()
}

/// A number that a cell can hold.
pub trait Number: Copy {
    /// Bytes in a model file.
    const BYTES: usize;
    /// Appends the number, little-endian.
    fn write(self, out: &mut Vec<u8>);
    /// Reads the number from its first [`Self::BYTES`] bytes.
    fn read(bytes: &[u8]) -> Self;
    /// 1 if infinite or NaN, else 0.
    fn non_finite(self) -> u32;
    /// As f64.
    fn widened(self) -> f64;
    /// The nearest number of this kind.
    fn nearest(number: f64) -> Self;
}

macro_rules! numbers {
    ($($number:ident finite $finite:expr, nearest $nearest:expr;)+) => {$(
        impl Number for $number {
            const BYTES: usize = size_of::<$number>();
            fn write(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn read(bytes: &[u8]) -> Self {
                let mut raw = [0; size_of::<$number>()];
                raw.copy_from_slice(&bytes[..size_of::<$number>()]);
                $number::from_le_bytes(raw)
            }
            #[inline]
            fn non_finite(self) -> u32 {
                u32::from(!$finite(self))
            }
            #[inline]
            fn widened(self) -> f64 {
                self as f64
            }
            #[inline]
            fn nearest(number: f64) -> Self {
                $nearest(number)
            }
        }
    )+};
}

numbers! {
    f32 finite f32::is_finite, nearest |number| number as f32;
    f64 finite f64::is_finite, nearest |number| number;
    u32 finite |_| true, nearest |number: f64| number.round() as u32;
}

/// Declares a cell: a plain struct of numbers that is also a [`Cell`](crate::cell::Cell).
#[macro_export]
macro_rules! cell {
    ($(#[$outer:meta])* $visible:vis struct $name:ident { $($(#[$inner:meta])* $field:ident: $type:ty,)+ }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        $visible struct $name { $($(#[$inner])* pub $field: $type,)+ }

        impl $crate::cell::Cell for $name {
            const BYTES: usize = 0 $(+ <$type as $crate::cell::Number>::BYTES)+;
            const FIELDS: &'static [&'static str] = &[$(stringify!($field)),+];
            fn write(&self, out: &mut Vec<u8>) {
                $($crate::cell::Number::write(self.$field, out);)+
            }
            fn read(bytes: &[u8]) -> Self {
                let mut at = 0;
                $(
                    let $field = <$type as $crate::cell::Number>::read(&bytes[at..]);
                    at += <$type as $crate::cell::Number>::BYTES;
                )+
                debug_assert_eq!(at, Self::BYTES);
                Self { $($field),+ }
            }
            fn numbers(&self, out: &mut [f64]) {
                let numbers = [$($crate::cell::Number::widened(self.$field)),+];
                out.copy_from_slice(&numbers);
            }
            fn of_numbers(numbers: &[f64]) -> Self {
                let mut numbers = numbers.iter();
                $(let $field = $crate::cell::Number::nearest(*numbers.next().unwrap_or(&0.0));)+
                Self { $($field),+ }
            }
            #[inline]
            fn non_finite(&self) -> u32 {
                0 $(| $crate::cell::Number::non_finite(self.$field))+
            }
        }
    };
}

cell! {
    /// A weight and nothing more.
    pub struct Plain {
        /// The weight.
        w: crate::Real,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    cell! {
        struct Mixed { a: f32, b: f64, c: u32, }
    }

    #[test]
    fn a_cell_reads_back_as_it_was_written() {
        let cell = Mixed { a: -1.5, b: std::f64::consts::PI, c: 7 };
        let mut bytes = Vec::new();
        cell.write(&mut bytes);
        assert_eq!((bytes.len(), Mixed::BYTES), (16, 16));
        assert_eq!(Mixed::read(&bytes), cell);
        assert_eq!(Mixed::FIELDS, ["a", "b", "c"]);
        let mut numbers = [0.0; 3];
        cell.numbers(&mut numbers);
        assert_eq!(numbers, [-1.5, std::f64::consts::PI, 7.0]);
        assert_eq!(Mixed::of_numbers(&numbers), cell);
    }

    #[test]
    fn one_number_that_is_not_finite_spoils_the_cell() {
        assert!(Mixed { a: 0.0, b: 1.0, c: u32::MAX }.is_finite());
        assert!(!Mixed { a: f32::NAN, b: 1.0, c: 0 }.is_finite());
        assert!(!Mixed { a: 0.0, b: f64::INFINITY, c: 0 }.is_finite());
    }
}
