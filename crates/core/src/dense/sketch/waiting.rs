//! Examples that wait until their group is let into the sketch.

/// Examples by slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    values: Vec<(usize, f64)>,
    /// Where each one ends.
    ends: Vec<usize>,
}

impl Waiting {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many values they have.
    pub(super) fn values(&self) -> usize {
        self.values.len()
    }

    pub(super) fn push(&mut self, x: &[(usize, f64)]) {
        self.values.extend_from_slice(x);
        self.ends.push(self.values.len());
    }

    /// Lets all go, in the order in which they came.
    pub(super) fn release(&mut self, mut take: impl FnMut(&[(usize, f64)])) {
        let mut start = 0;
        for end in self.ends.drain(..) {
            take(&self.values[start..end]);
            start = end;
        }
        self.values.clear();
    }

    pub(super) fn write(&self, numbers: &mut Vec<f64>) {
        let mut start = 0;
        for end in &self.ends {
            numbers.push((end - start) as f64);
            numbers.extend(self.values[start..*end].iter().flat_map(|(slot, x)| [*slot as f64, *x]));
            start = *end;
        }
    }

    /// Takes back what was written, if it is of so many features.
    pub(super) fn read(&mut self, features: usize, mut numbers: &[f64]) -> Option<()> {
        let mut new = Self::default();
        while let [length, rest @ ..] = numbers {
            let (own, others) = rest.split_at_checked((*length as usize).checked_mul(2)?)?;
            let (pairs, _) = own.as_chunks::<2>();
            let example: Vec<(usize, f64)> = pairs.iter().map(|[slot, x]| (*slot as usize, *x)).collect();
            if example.iter().any(|(slot, x)| *slot >= features || !x.is_finite()) {
                return None;
            }
            new.push(&example);
            numbers = others;
        }
        *self = new;
        Some(())
    }
}
