//! A parsed piece as bytes.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use thalweg_core::batch::{Columns, Numbers};
use thalweg_core::{Batch, Real};

use super::file::{begin, seal};
use super::packed::{TOGETHER, append, pack, packed_size, unpack};
use crate::error::Fault;
use crate::examples::parsed_piece::{BadRecord, Note, ParsedPiece};
use crate::examples::uncertain::UncertainExamples;
use crate::labels::piece_labels::PieceLabel;
use crate::names::feature_names::Naming;
use crate::names::hashed::Hashed;
use crate::names::input_names::NamesOfInput;
use crate::names::name_list::NameList;
use crate::names::piece_names::PieceNames;
use crate::names::vocabulary::Vocabulary;

/// Everything but the columns.
#[derive(Serialize, Deserialize)]
struct Head {
    lines: u64,
    sorted: u64,
    delimiter: Option<u8>,
    notes: Vec<Note>,
    examples: u32,
    nonzeros: u32,
    /// Text, line, column, examples before.
    labels: Vec<(Vec<u8>, u64, usize, usize)>,
    /// Line, examples before, column, message, text.
    bad: Vec<(u64, usize, usize, String, Vec<u8>)>,
    /// Examples whose labels may be refused.
    uncertain: UncertainExamples,
    shifts: Vec<(u32, u64)>,
    has_importances: bool,
    /// Features are stored as differences where that is shorter.
    differences: bool,
    values: Values,
    /// What the numbers of features stand for.
    names: StoredNames,
    /// The examples' ids; empty if none has one.
    ids: Vec<Vec<u8>>,
    /// What errors on the examples cost; empty if all cost 1.
    costs: Vec<f32>,
}

/// What the numbers of features stand for.
#[derive(Serialize, Deserialize)]
enum StoredNames {
    /// Numbers, as the data has them.
    Numbers,
    /// Hashes of so many bits.
    Hashed(u32),
    /// The names of this block.
    OfBlock(Vec<u8>),
    /// The names of all blocks so far, one after the other. These come first with this one, and follow so many.
    OfInput(u32, Vec<u8>),
}

impl StoredNames {
    fn of(piece: &ParsedPiece, naming: Naming) -> Self {
        let mut bytes = Vec::new();
        match (naming, piece.names.of_input()) {
            (Naming::Numbers, _) => StoredNames::Numbers,
            (Naming::Hashed(bits), _) => StoredNames::Hashed(bits),
            (Naming::Names, Some(of_input)) => {
                of_input.names.write(&mut bytes);
                StoredNames::OfInput(of_input.first, bytes)
            }
            (Naming::Names, None) => {
                debug_assert_eq!(piece.names.first_new(), 0, "these names would be missing");
                let new = piece.names.new_names();
                new.write(new.len(), &mut bytes);
                StoredNames::OfBlock(bytes)
            }
        }
    }

    /// The names, what they are, and where numbers end; nothing if they are none.
    fn read(self) -> Option<(PieceNames, Naming, u64)> {
        let mut piece = PieceNames::default();
        Some(match self {
            StoredNames::Numbers => (piece, Naming::Numbers, u64::MAX),
            StoredNames::Hashed(bits) => (piece, Naming::Hashed(bits), 1 << Hashed::new(bits)?.bits()),
            StoredNames::OfBlock(names) => {
                let names = Vocabulary::read(&names).ok()?;
                let end = names.len() as u64;
                (PieceNames::all_new(names), Naming::Names, end)
            }
            StoredNames::OfInput(first, names) => {
                let names = NamesOfInput { first, names: NameList::read(&names).ok()? };
                let end = names.end();
                piece.are_of_input(names);
                (piece, Naming::Names, end)
            }
        })
    }
}

/// How values are stored.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Values {
    /// All are 1.
    Ones,
    /// A bit for every value says whether it is 1; then the others.
    Mixed,
    /// One after the other.
    Plain,
}

impl Values {
    /// The shortest form.
    fn of(values: &[Real]) -> Self {
        let ones = count_ones(values);
        let bits = values.len() / 8;
        match ones {
            _ if ones == values.len() => Values::Ones,
            _ if ones * size_of::<Real>() > bits => Values::Mixed,
            _ => Values::Plain,
        }
    }
}

/// How many values are 1? A block has fewer than 2^32, and numbers of the width of values are counted many at a time.
fn count_ones(values: &[Real]) -> usize {
    values.iter().fold(0u32, |ones, x| ones + u32::from(*x == 1.0)) as usize
}

/// Memory for reading and writing blocks, used again.
#[derive(Debug, Default)]
pub(crate) struct BlockBuffers {
    numbers: Vec<u32>,
    lengths: Vec<u32>,
    classes: Vec<u32>,
    importances: Vec<f32>,
}

/// Writes a piece whose examples have not been prepared, as a block.
pub(crate) fn encode(piece: &ParsedPiece, naming: Naming, buffers: &mut BlockBuffers, out: &mut Vec<u8>) {
    begin(out);
    let batch = &piece.batch;
    let Columns { indices, values, .. } = batch.columns();
    let form = Values::of(values);
    let has_ids = (0..batch.len()).any(|i| !batch.id(i).is_empty());
    let has_importances = batch.importances().iter().any(|importance| *importance != 1.0);
    let differences = differences_are_shorter(batch, &mut buffers.numbers);
    let head = Head {
        lines: piece.lines,
        sorted: piece.sorted,
        delimiter: piece.delimiter,
        notes: piece.notes.clone(),
        examples: batch.len() as u32,
        nonzeros: batch.nonzeros() as u32,
        labels: piece.labels.iter().map(|l| (l.text.clone(), l.line, l.column, l.before)).collect(),
        bad: piece
            .bad
            .iter()
            .map(|b| (b.line, b.before, b.fault.column, b.fault.message.clone(), b.text.clone()))
            .collect(),
        uncertain: piece.rare(),
        shifts: piece.shifts.clone(),
        has_importances,
        differences,
        values: form,
        names: StoredNames::of(piece, naming),
        ids: if has_ids { (0..batch.len()).map(|i| batch.id(i).to_vec()).collect() } else { Vec::new() },
        costs: batch.costs().to_vec(),
    };
    let head = postcard::to_stdvec(&head).unwrap_or_default();
    out.extend_from_slice(&(head.len() as u32).to_le_bytes());
    out.extend_from_slice(&head);

    let BlockBuffers { lengths, classes, .. } = buffers;
    lengths.clear();
    lengths.extend((0..batch.len()).map(|i| batch.row(i).indices.len() as u32));
    pack(lengths, out);
    classes.clear();
    classes.extend(batch.labels().iter().map(|label| label.map_or(0, |class| class + 1)));
    pack(classes, out);
    if has_importances {
        batch.importances().iter().for_each(|importance| out.extend_from_slice(&importance.to_le_bytes()));
    }
    if differences {
        make_differences(batch, 0..batch.len(), &mut buffers.numbers);
    }
    pack(if differences { &buffers.numbers } else { indices }, out);
    encode_values(form, values, out);
    seal(out);
}

/// The features of these rows, each as its difference from the one before it.
fn make_differences(batch: &Batch, rows: Range<usize>, numbers: &mut Vec<u32>) {
    numbers.clear();
    for i in rows {
        let row = batch.row(i).indices;
        numbers.extend(row.first());
        numbers.extend(row.windows(2).map(|pair| pair[1] - pair[0]));
    }
}

/// Do differences take less room than features? The first few rows tell.
fn differences_are_shorter(batch: &Batch, numbers: &mut Vec<u32>) -> bool {
    const ENOUGH: usize = 2048;
    let mut features = 0;
    let rows = (0..batch.len()).take_while(|i| {
        let before = features;
        features += batch.row(*i).indices.len();
        before < ENOUGH
    });
    let rows = rows.count();
    make_differences(batch, 0..rows, numbers);
    packed_size(numbers) < packed_size(&batch.columns().indices[..numbers.len()])
}

fn encode_values(form: Values, values: &[Real], out: &mut Vec<u8>) {
    const SIZE: usize = size_of::<Real>();
    match form {
        Values::Ones => {}
        Values::Plain => values.chunks(TOGETHER).for_each(|group| append(group, out, Real::to_le_bytes)),
        Values::Mixed => {
            // Eviction is made once: asking for it for every value would be most of the work.
            let mut room = |bytes: usize| {
                let start = out.len();
                out.resize(start + bytes, 0);
                start
            };
            let bits_start = room(8 * values.len().div_ceil(64));
            let start = room(size_of_val(values));
            let (bits_room, values_room) = out[bits_start..].split_at_mut(start - bits_start);
            let values_room = values_room.as_chunks_mut::<SIZE>().0;
            let mut stored = 0;
            for (some, room) in values.chunks(64).zip(bits_room.as_chunks_mut::<8>().0) {
                let ones = which_are_one(some);
                *room = ones.to_le_bytes();
                let mut others = !ones & (u64::MAX >> (64 - some.len()));
                while others != 0 {
                    values_room[stored] = some[others.trailing_zeros() as usize].to_le_bytes();
                    stored += 1;
                    others &= others - 1;
                }
            }
            out.truncate(start + stored * SIZE);
        }
    }
}

/// A bit for each of up to 64 values: is it 1?
fn which_are_one(values: &[Real]) -> u64 {
    let mut ones = [0u8; 64];
    for (one, x) in ones.iter_mut().zip(values) {
        *one = u8::from(*x == 1.0);
    }
    // Eight bytes that are 0 or 1 become eight bits: the product adds each of them to the highest byte at its own place.
    let eight = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    ones.as_chunks().0.iter().rev().fold(0, |bits, bytes| bits << 8 | eight(bytes))
}

/// Reads a piece, and says what the numbers of its features stand for; nothing if the bytes are not one.
pub(crate) fn decode(bytes: &[u8], buffers: &mut BlockBuffers, piece: &mut ParsedPiece) -> Option<Naming> {
    piece.clear();
    let (length, bytes) = bytes.split_first_chunk::<4>()?;
    let (head, bytes) = bytes.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let head: Head = postcard::from_bytes(head).ok()?;
    let (examples, nonzeros) = (head.examples as usize, head.nonzeros as usize);
    let BlockBuffers { lengths, classes, importances, .. } = buffers;

    lengths.clear();
    let bytes = unpack(bytes, examples, lengths)?;
    classes.clear();
    let bytes = unpack(bytes, examples, classes)?;
    if classes.iter().any(|class| *class as usize > head.labels.len()) {
        return None;
    }
    importances.clear();
    let bytes = if head.has_importances {
        let (stored, bytes) = bytes.split_at_checked(4 * examples)?;
        importances.extend(stored.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)));
        bytes
    } else {
        importances.resize(examples, 1.0);
        bytes
    };
    let labels = classes.iter().map(|class| class.checked_sub(1));
    let (names, naming, end) = head.names.read()?;
    let fits = |length: usize| length == 0 || length == examples;
    let sound = |cost: &f32| cost.is_finite() && *cost >= 0.0;
    if !fits(head.ids.len()) || !fits(head.costs.len()) || !head.costs.iter().all(sound) {
        return None;
    }
    let columns = |numbers: &mut Vec<u32>, values: &mut Vec<Real>| {
        decode_values(head.values, unpack(bytes, nonzeros, numbers)?, nonzeros, values)?;
        Some(if head.differences { Numbers::Differences } else { Numbers::Features })
    };
    piece.batch.append(lengths, labels, importances, columns).ok()?;
    let largest = piece.batch.columns().indices.iter().copied().max();
    if largest.is_some_and(|largest| u64::from(largest) >= end) {
        return None;
    }
    piece.names = names;
    piece.batch.set_ids(head.ids.iter().map(Vec::as_slice));
    piece.batch.set_costs(&head.costs);

    piece.lines = head.lines;
    (piece.sorted, piece.delimiter, piece.notes) = (head.sorted, head.delimiter, head.notes);
    for (text, line, column, before) in head.labels {
        piece.labels.push(PieceLabel { text, line, column, before, uncertain: true, count: 0 });
    }
    let bad = head.bad.into_iter();
    piece.bad.extend(bad.map(|(line, before, column, message, text)| BadRecord {
        line,
        before,
        fault: Fault { column, message },
        text,
    }));
    (piece.uncertain, piece.shifts) = (head.uncertain, head.shifts);
    piece.uncertain.are_sound(examples).then_some(naming)
}

fn decode_values(form: Values, bytes: &[u8], count: usize, values: &mut Vec<Real>) -> Option<()> {
    const SIZE: usize = size_of::<Real>();
    let read = |bytes: &[u8; SIZE]| Real::from_le_bytes(*bytes);
    let before = values.len();
    match form {
        Values::Ones => values.resize(before + count, 1.0),
        Values::Plain => {
            let stored = bytes.get(..count.checked_mul(SIZE)?)?;
            values.extend(stored.as_chunks::<SIZE>().0.iter().map(read));
        }
        Values::Mixed => {
            let (bits, stored) = bytes.split_at_checked(count.div_ceil(64).checked_mul(8)?)?;
            let stored = stored.as_chunks::<SIZE>().0;
            values.resize(before + count, 1.0);
            let mut next = stored.iter();
            for (values, bits) in values[before..].chunks_mut(64).zip(bits.as_chunks().0) {
                let mut others = !u64::from_le_bytes(*bits) & (u64::MAX >> (64 - values.len()));
                while others != 0 {
                    values[others.trailing_zeros() as usize] = read(next.next()?);
                    others &= others - 1;
                }
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::file::HEAD;
    use super::*;

    type Row = (Vec<(u32, f64)>, Option<u32>, f32);

    /// What a block holds.
    fn content(block: &[u8]) -> &[u8] {
        &block[HEAD..]
    }

    fn piece(rows: &[Row]) -> ParsedPiece {
        let mut piece = ParsedPiece { lines: 7, sorted: 2, delimiter: Some(b';'), ..ParsedPiece::default() };
        for (features, label, importance) in rows {
            piece.batch.push_with_importance(features.iter().copied(), *label, *importance).unwrap();
        }
        for text in ["spam", "ham", ""] {
            let (line, column, before, uncertain, count) = (3, 1, 2, true, 0);
            let label = PieceLabel { text: text.into(), line, column, before, uncertain, count };
            piece.labels.push(label);
        }
        let fault = Fault { column: 4, message: "no".into() };
        piece.bad.push(BadRecord { line: 5, before: 1, fault, text: b"\xff".to_vec() });
        let labelled = (0..rows.len()).filter(|i| rows[*i].1.is_some());
        piece.shifts.push((1, 7));
        labelled.for_each(|i| piece.uncertain.add(i, 2, |out| out.push(i as u8)));
        piece
    }

    fn row() -> impl Strategy<Value = Row> {
        let value = prop_oneof![Just(1.0), Just(1.0), -9.0..9.0f64];
        let feature = prop_oneof![0..50u32, 0..100_000u32, any::<u32>()];
        let importance = prop_oneof![Just(1.0f32), 0.0..3.0f32];
        (prop::collection::vec((feature, value), 0..40), prop::option::of(0..3u32), importance)
    }

    fn shown(piece: &ParsedPiece) -> String {
        let ParsedPiece { batch, labels, bad, lines, sorted, delimiter, uncertain, shifts, .. } = piece;
        let rows: Vec<_> = (0..batch.len()).map(|i| batch.row(i)).collect();
        let (classes, importances) = (batch.labels(), batch.importances());
        format!(
            "{rows:?} {classes:?} {importances:?} {labels:?} {bad:?} {uncertain:?} {shifts:?} {lines} {sorted} {delimiter:?}"
        )
    }

    proptest! {
        #[test]
        fn a_piece_reads_back_as_it_was(rows in prop::collection::vec(row(), 0..40)) {
            let written = piece(&rows);
            let (mut bytes, mut buffers, mut read) = (Vec::new(), BlockBuffers::default(), ParsedPiece::default());
            encode(&written, Naming::Numbers, &mut buffers, &mut bytes);
            prop_assert!(decode(content(&bytes), &mut buffers, &mut read).is_some());
            prop_assert_eq!(shown(&written), shown(&read));
        }

        #[test]
        fn broken_bytes_are_noticed_or_harmless(
            rows in prop::collection::vec(row(), 0..9), at in any::<prop::sample::Index>(), flip in 1..=255u8, cut in any::<bool>(),
        ) {
            let (mut bytes, mut buffers) = (Vec::new(), BlockBuffers::default());
            encode(&piece(&rows), Naming::Numbers, &mut buffers, &mut bytes);
            let mut bytes = content(&bytes).to_vec();
            let at = at.index(bytes.len());
            if cut { bytes.truncate(at) } else { bytes[at] ^= flip }
            let _ = decode(&bytes, &mut buffers, &mut ParsedPiece::default());
        }
    }
}
