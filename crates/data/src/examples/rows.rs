//! Batches of rows whose every row is an example.

use super::example_maker::{ExampleBuffers, ExampleMaker};
use super::parsed_piece::ParsedPiece;
use super::piece_parser::PieceParser;
#[cfg(feature = "columns")]
use crate::formats::arrow::{Columns, row_as_json};
use crate::formats::roles::Roles;
use crate::prepare::preparation::Prepare;
use crate::split::row_batches::RecordBatch;
use crate::split::row_format::RowFormat;
use crate::split::{Piece, Splitting};

/// Parses columns, row by row.
#[cfg_attr(not(feature = "columns"), expect(dead_code, reason = "there are no rows to parse"))]
pub(crate) struct RowParser {
    pub(crate) format: RowFormat,
    pub(crate) roles: Roles,
    /// Columns that have a role may be absent: as the label is from examples to predict.
    pub(crate) incomplete: bool,
}

impl PieceParser for RowParser {
    fn name(&self) -> &'static str {
        self.format.title()
    }

    fn splitting(&self) -> Splitting {
        Splitting::Rows(self.format)
    }

    fn parse(
        &self,
        maker: &ExampleMaker,
        piece: &Piece,
        prepare: Prepare,
        buffers: &mut ExampleBuffers,
        parsed: &mut ParsedPiece,
    ) {
        let Piece::Rows(rows) = piece else { return };
        self.parse_rows(maker, rows, prepare, buffers, parsed);
    }
}

impl RowParser {
    #[cfg(not(feature = "columns"))]
    #[allow(clippy::unused_self)]
    fn parse_rows(
        &self,
        _: &ExampleMaker,
        rows: &RecordBatch,
        _: Prepare,
        _: &mut ExampleBuffers,
        _: &mut ParsedPiece,
    ) {
        match *rows {}
    }

    #[cfg(feature = "columns")]
    fn parse_rows(
        &self,
        maker: &ExampleMaker,
        rows: &RecordBatch,
        prepare: Prepare,
        buffers: &mut ExampleBuffers,
        parsed: &mut ParsedPiece,
    ) {
        let mut columns = match Columns::new(rows, &self.roles, self.incomplete) {
            Ok(columns) => columns,
            Err(fault) => {
                parsed.header_fault = Some(fault);
                return;
            }
        };
        for row in 0..rows.num_rows() {
            let as_text = |out: &mut Vec<u8>| out.append(&mut row_as_json(rows, row));
            maker.add(
                |buffers, example| columns.read(row, buffers, example).map(|()| true),
                as_text,
                prepare,
                buffers,
                parsed,
            );
        }
    }
}

#[cfg(test)]
#[cfg(feature = "columns")]
mod tests {
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use arrow_array::builder::{ListBuilder, StringBuilder};
    use arrow_array::{ArrayRef, Float32Array, Int64Array, RecordBatch};
    use arrow_ipc::writer::{FileWriter, StreamWriter};
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;
    use thalweg_core::Batch;

    use crate::{Cache, Input, Labels, ReadCounts, Settings, open};

    /// Rows of which some are bad.
    fn rows(count: i64) -> RecordBatch {
        let value = |i: i64| match i % 1000 {
            137 => Some(f32::INFINITY),
            138 => Some(f32::NAN),
            _ => (i % 3 > 0).then_some((i % 7) as f32),
        };
        let mut words = ListBuilder::new(StringBuilder::new());
        (0..count).for_each(|i| words.append_value((0..i % 4).map(|j| Some(format!("w{}", i * j % 97)))));
        let columns: [(&str, ArrayRef); 3] = [
            ("value", Arc::new((0..count).map(value).collect::<Float32Array>())),
            ("words", Arc::new(words.finish())),
            ("label", Arc::new((0..count).map(|i| (i != 4321).then_some(i % 3)).collect::<Int64Array>())),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
    }

    /// The same rows in every form of file.
    fn write_all(folder: &Path, rows: &RecordBatch) -> Vec<PathBuf> {
        let path = |name: &str| folder.join(name);
        let create = |name: &str| std::fs::File::create(path(name)).unwrap();
        let groups = WriterProperties::builder().set_max_row_group_row_count(Some(7000)).build();
        let mut parquet = ArrowWriter::try_new(create("a.parquet"), rows.schema(), Some(groups)).unwrap();
        parquet.write(rows).unwrap();
        parquet.close().unwrap();
        let mut arrow = FileWriter::try_new(create("a.arrow"), &rows.schema()).unwrap();
        arrow.write(rows).unwrap();
        arrow.finish().unwrap();
        let mut stream = StreamWriter::try_new(create("a.arrows"), &rows.schema()).unwrap();
        stream.write(rows).unwrap();
        stream.finish().unwrap();
        for name in ["a.parquet", "a.arrow", "a.arrows"] {
            let mut packed = zstd::Encoder::new(create(&format!("{name}.zst")), 1).unwrap();
            packed.write_all(&std::fs::read(path(name)).unwrap()).unwrap();
            packed.finish().unwrap();
            // Its first bytes tell what it is.
            std::fs::copy(path(name), path(&format!("{name}-without-extension"))).unwrap();
        }
        let mut names: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        names.sort();
        names
    }

    /// Everything that a reader says in two passes, the name of the file aside.
    fn transcript(path: &Path, threads: usize, cache: Cache) -> crate::Result<Vec<String>> {
        let settings = Settings { labels: Labels::many(), threads, cache, ..Settings::default() };
        let mut reader = open(&[Input::File(path.into())], settings)?;
        let (mut all, mut batch) = (Vec::new(), Batch::default());
        for _ in 0..2 {
            while reader.read(&mut batch)? {
                for i in 0..batch.len() {
                    let row = batch.row(i);
                    let named = row.iter().map(|(f, x)| format!(" {}:{x}", reader.names().name(f)));
                    all.push(format!("{:?}{}", batch.labels()[i], named.collect::<String>()));
                }
                let bad = reader.take_bad_lines().into_iter();
                all.extend(bad.map(|b| format!("{}:{} {}", b.place.line, b.place.column, b.message)));
            }
            all.push(format!("{:?}", ReadCounts { consumed: 0, ..reader.counts() }));
            reader.rewind()?;
        }
        Ok(all)
    }

    #[test]
    fn all_forms_of_files_and_any_number_of_threads_read_alike() {
        let folder = tempfile::tempdir().unwrap();
        let names = write_all(folder.path(), &rows(20_000));
        let expected = transcript(&names[0], 0, Cache::No).unwrap();
        assert!(expected.iter().any(|line| line.starts_with("1138:1 column \"value\": value must be")));
        assert!(expected.iter().any(|line| line.contains("lines: 20000, examples: 19979, bad: 21")));
        for path in &names {
            for threads in [0, 1, 3] {
                assert!(transcript(path, threads, Cache::No).unwrap() == expected, "{path:?} {threads}");
            }
        }
        for from in ["the file", "the cache"] {
            assert!(
                transcript(&folder.path().join("a.parquet"), 2, Cache::Beside).unwrap() == expected,
                "from {from}"
            );
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let whole = rows(300);
        for name in ["a.parquet", "a.arrow", "a.arrows"] {
            write_all(folder.path(), &whole);
            let path = folder.path().join(name);
            let bytes = std::fs::read(&path).unwrap();
            for length in (0..bytes.len() - 1).step_by(bytes.len() / 40) {
                std::fs::write(&path, &bytes[..length]).unwrap();
                let read = transcript(&path, 1, Cache::No).map_err(|error| error.to_string());
                // A stream may end anywhere between its messages.
                if name != "a.arrows" {
                    let error = read.unwrap_err();
                    assert!(error.contains(name) && error.contains("it cannot be read as"), "{error}");
                }
            }
            // A wrong byte is an error, another value, or nothing that matters.
            for at in (0..bytes.len()).step_by(bytes.len() / 150) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x55;
                std::fs::write(&path, damaged).unwrap();
                if let Err(error) = transcript(&path, 0, Cache::No) {
                    assert!(error.to_string().contains(name), "{error}");
                }
            }
        }
    }
}
