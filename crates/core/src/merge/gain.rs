//! What a learner has gained since its base: sums that add up.

use crate::batch::Class;
use crate::cell::Number;
use crate::counts::Counts;

use super::merging::Unmergeable;

/// What a learner has learned since its base, as sums that add up over shards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gain {
    /// What was done since.
    pub(crate) counts: Counts,
    /// Examples of each class, for costs that follow their ratio.
    pub(crate) class_counts: Vec<f64>,
    /// What the rule keeps in common for all cells.
    pub(crate) common: Vec<f64>,
    /// How long the steps of beliefs are that each shard took, added up.
    pub(crate) steps: f64,
    /// Sums for each feature: so many for each class.
    stride: usize,
    classes: usize,
    features: Vec<u32>,
    sums: Vec<f64>,
    /// Of learners for each class.
    pub(crate) members: Vec<Gain>,
}

/// Bytes that are no gain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DamagedGain(&'static str);

const CUT_SHORT: DamagedGain = DamagedGain("it is cut short");

/// Gains are not believed that claim more of anything for a class or a feature.
const MOST: usize = 1 << 20;

impl Gain {
    /// What was done since the base.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Nothing but counts.
    pub(crate) fn counted(counts: Counts) -> Self {
        Self { counts, ..Self::default() }
    }

    /// Nothing at all?
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// How many features have changed, those of every class counted.
    pub fn changed(&self) -> usize {
        self.features.len() + self.members.iter().map(Self::changed).sum::<usize>()
    }

    /// No sums so far, and so many for every feature that comes.
    pub fn of_features(sums: usize) -> Self {
        let mut gain = Self::default();
        gain.begin(sums, 1);
        gain
    }

    /// Sums that belong to no feature.
    pub fn common(&self) -> &[f64] {
        &self.common
    }

    /// Sets the sums that belong to no feature.
    pub fn set_common(&mut self, common: Vec<f64>) {
        self.common = common;
    }

    pub(crate) fn begin(&mut self, stride: usize, classes: usize) {
        (self.stride, self.classes) = (stride, classes);
    }

    /// The next feature, which is above all others.
    pub fn push(&mut self, feature: u32, sums: &[f64]) {
        debug_assert!(self.features.last().is_none_or(|last| *last < feature));
        self.features.push(feature);
        self.sums.extend_from_slice(sums);
    }

    /// How many sums there are for each feature and class.
    pub fn stride(&self) -> usize {
        self.stride
    }

    fn width(&self) -> usize {
        self.stride * self.classes
    }

    /// How many classes its features have sums for.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// The features with their sums.
    pub fn features(&self) -> impl ExactSizeIterator<Item = (u32, &[f64])> {
        self.features.iter().copied().zip(self.sums.chunks_exact(self.width().max(1)))
    }

    /// Adds what another shard has gained. The order of two makes no difference; that of more makes none beyond the rounding of sums of f64.
    pub fn add(&mut self, other: &Self) {
        self.join(other, |sum, part| sum + part);
    }

    /// [`Self::add`] with another operation for what belongs to features: one that makes no difference between its sides, and for which 0 changes nothing.
    pub fn join(&mut self, other: &Self, join: fn(f64, f64) -> f64) {
        let (sum, other_counts) = (&mut self.counts, &other.counts);
        sum.examples = sum.examples.saturating_add(other_counts.examples);
        sum.updates = sum.updates.saturating_add(other_counts.updates);
        sum.rejected = sum.rejected.saturating_add(other_counts.rejected);
        add_all(&mut self.class_counts, &other.class_counts);
        add_all(&mut self.common, &other.common);
        self.steps += other.steps;
        self.members.resize_with(self.members.len().max(other.members.len()), Self::default);
        self.members.iter_mut().zip(&other.members).for_each(|(member, other)| member.join(other, join));
        let Self { stride, classes, features, sums, .. } = self.joined_rows(other, join);
        (self.stride, self.classes, self.features, self.sums) = (stride, classes, features, sums);
    }

    /// The features of two gains, with the sums of both.
    fn joined_rows(&self, other: &Self, join: fn(f64, f64) -> f64) -> Self {
        let (stride, classes) = (self.stride.max(other.stride), self.classes.max(other.classes));
        let mut joined = Self { stride, classes, ..Self::default() };
        joined.features.reserve(self.features.len().max(other.features.len()));
        let (mut ours, mut theirs) = (self.features().peekable(), other.features().peekable());
        let mut row = Vec::new();
        loop {
            let next = match (ours.peek(), theirs.peek()) {
                (Some(a), Some(b)) => a.0.min(b.0),
                (Some(one), None) | (None, Some(one)) => one.0,
                (None, None) => return joined,
            };
            row.clear();
            row.resize(joined.width(), 0.0);
            let parts = [&mut ours, &mut theirs].map(|rows| rows.next_if(|part| part.0 == next));
            for (_, part) in parts.into_iter().flatten() {
                row.iter_mut().zip(part).for_each(|(sum, part)| *sum = join(*sum, *part));
            }
            joined.push(next, &row);
        }
    }

    /// Gives features other numbers, all different. The bias keeps its own.
    pub fn renumber(&mut self, new: &dyn Fn(u32) -> u32) {
        self.members.iter_mut().for_each(|member| member.renumber(new));
        let number = |feature: u32| if feature == crate::BIAS { feature } else { new(feature) };
        if self.features.iter().all(|feature| number(*feature) == *feature) {
            return;
        }
        let mut rows: Vec<(u32, usize)> =
            self.features.iter().enumerate().map(|(i, feature)| (number(*feature), i)).collect();
        rows.sort_unstable();
        let width = self.width();
        let sums = rows.iter().flat_map(|(_, i)| &self.sums[i * width..(i + 1) * width]).copied().collect();
        (self.features, self.sums) = (rows.iter().map(|(feature, _)| *feature).collect(), sums);
    }

    /// Gives the classes of a learner of many other numbers, all different, among so many.
    pub fn reorder_classes(&mut self, new: &[Class], classes: usize) {
        if !self.members.is_empty() {
            let mut members = vec![Self::default(); classes];
            let old = std::mem::take(&mut self.members);
            old.into_iter().zip(new).for_each(|(member, new)| members[*new as usize] = member);
            self.members = members;
            return;
        }
        if !self.class_counts.is_empty() {
            let mut counts = vec![0.0; classes];
            self.class_counts.iter().zip(new).for_each(|(count, new)| counts[*new as usize] = *count);
            self.class_counts = counts;
        }
        let (stride, width) = (self.stride, self.stride * classes);
        let mut sums = vec![0.0; self.features.len() * width];
        for ((_, from), to) in self.features().zip(sums.chunks_exact_mut(width.max(1))) {
            for (part, new) in from.chunks_exact(stride).zip(new) {
                to[*new as usize * stride..][..stride].copy_from_slice(part);
            }
        }
        (self.classes, self.sums) = (classes, sums);
    }

    /// Appends its bytes: the same sums always have the same.
    pub fn write(&self, out: &mut Vec<u8>) {
        let Counts { examples, updates, rejected } = self.counts;
        [examples, updates, rejected].into_iter().for_each(|count| write_number(count, out));
        for list in [&self.class_counts, &self.common] {
            write_number(list.len() as u64, out);
            list.iter().for_each(|number| Number::write(*number, out));
        }
        Number::write(self.steps, out);
        for size in [self.stride, self.classes, self.features.len()] {
            write_number(size as u64, out);
        }
        let mut last = 0;
        for feature in &self.features {
            write_number(u64::from(feature - last), out);
            last = *feature;
        }
        self.sums.iter().for_each(|sum| Number::write(*sum, out));
        write_number(self.members.len() as u64, out);
        self.members.iter().for_each(|member| member.write(out));
    }

    /// Reads what [`Self::write`] wrote, and leaves the bytes behind it.
    pub fn read(bytes: &mut &[u8]) -> Result<Self, DamagedGain> {
        Self::read_within(bytes, true)
    }

    fn read_within(bytes: &mut &[u8], may_have_members: bool) -> Result<Self, DamagedGain> {
        let [examples, updates, rejected] = [read_number(bytes)?, read_number(bytes)?, read_number(bytes)?];
        let counts = Counts { examples, updates, rejected };
        let lists = [read_list(bytes)?, read_list(bytes)?];
        let steps = read_floats(bytes, 1)?[0];
        let mut size = || Some(read_number(bytes)).transpose().ok().flatten().unwrap_or(u64::MAX) as usize;
        let [stride, classes, count] = [size(), size(), size()];
        if stride > MOST || classes > MOST || count > bytes.len() {
            return Err(CUT_SHORT);
        }
        let mut features: Vec<u32> = Vec::with_capacity(count);
        for i in 0..count {
            let step = u32::try_from(read_number(bytes)?).map_err(|_| CUT_SHORT)?;
            let last = features.last().copied().unwrap_or(0);
            let next = last.checked_add(step).filter(|_| step > 0 || i == 0);
            features.push(next.ok_or(DamagedGain("its features are not in order"))?);
        }
        let needed = count.checked_mul(stride * classes).ok_or(CUT_SHORT)?;
        if count > 0 && stride * classes == 0 {
            return Err(DamagedGain("its features have no sums"));
        }
        let sums = read_floats(bytes, needed)?;
        let members = read_number(bytes)? as usize;
        // The least gain has so many bytes.
        if members > bytes.len() / 17 || (members > 0 && !may_have_members) {
            return Err(CUT_SHORT);
        }
        let members = (0..members).map(|_| Self::read_within(bytes, false)).collect::<Result<_, _>>()?;
        let [class_counts, common] = lists;
        Ok(Self { counts, class_counts, common, steps, stride, classes, features, sums, members })
    }
}

impl Gain {
    /// What was done since the base; an error if less was done than there.
    pub(crate) fn since(now: Counts, base: Counts) -> Result<Self, Unmergeable> {
        let less = Unmergeable::Misfit(
            "it has learned from fewer examples than the model that it is said to have begun with",
        );
        let gained = |now: u64, base: u64| now.checked_sub(base).ok_or(less.clone());
        let counts = Counts {
            examples: gained(now.examples, base.examples)?,
            updates: gained(now.updates, base.updates)?,
            rejected: gained(now.rejected, base.rejected)?,
        };
        Ok(Self::counted(counts))
    }

    /// How many examples were learned from since.
    pub(crate) fn examples(&self) -> f64 {
        self.counts.examples as f64
    }

    /// The counts with what was done since.
    pub(crate) fn on_top_of(&self, base: Counts) -> Counts {
        Counts {
            examples: base.examples.saturating_add(self.counts.examples),
            updates: base.updates.saturating_add(self.counts.updates),
            rejected: base.rejected.saturating_add(self.counts.rejected),
        }
    }

    /// What classes have gained. Counts that fade are averaged: each shard has forgotten as much as it has seen.
    pub(crate) fn set_class_counts(&mut self, now: &[f64], base: &[f64], fade: bool) {
        let weight = if fade { self.examples() } else { 1.0 };
        let before = base.iter().copied().chain(std::iter::repeat(0.0));
        self.class_counts = now.iter().zip(before).map(|(now, before)| weight * (now - before)).collect();
    }

    /// The counts of classes with what they have gained.
    pub(crate) fn join_class_counts(&self, counts: &mut Vec<f64>, fade: bool) {
        let weight = if fade { self.examples().max(1.0) } else { 1.0 };
        counts.resize(counts.len().max(self.class_counts.len()), 0.0);
        for (count, gained) in counts.iter_mut().zip(&self.class_counts) {
            *count = (*count + gained / weight).max(0.0);
        }
    }
}

fn add_all(sums: &mut Vec<f64>, others: &[f64]) {
    sums.resize(sums.len().max(others.len()), 0.0);
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

/// A number in base 128, low digits first.
fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

fn read_number(bytes: &mut &[u8]) -> Result<u64, DamagedGain> {
    let mut number = 0u64;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(CUT_SHORT)?;
        *bytes = rest;
        let digit = u64::from(byte & 127);
        if digit << shift >> shift != digit {
            break;
        }
        number |= digit << shift;
        if byte < 128 {
            return Ok(number);
        }
    }
    Err(DamagedGain("a number is too large"))
}

fn read_list(bytes: &mut &[u8]) -> Result<Vec<f64>, DamagedGain> {
    let count = usize::try_from(read_number(bytes)?).map_err(|_| CUT_SHORT)?;
    read_floats(bytes, count)
}

fn read_floats(bytes: &mut &[u8], count: usize) -> Result<Vec<f64>, DamagedGain> {
    let length = count.checked_mul(f64::BYTES).ok_or(CUT_SHORT)?;
    let (numbers, rest) = bytes.split_at_checked(length).ok_or(CUT_SHORT)?;
    *bytes = rest;
    let numbers: Vec<f64> = numbers.chunks_exact(f64::BYTES).map(<f64 as Number>::read).collect();
    let finite = numbers.iter().all(|number| number.is_finite());
    if finite { Ok(numbers) } else { Err(DamagedGain("a sum is no number")) }
}
