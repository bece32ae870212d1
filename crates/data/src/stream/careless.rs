//! Data as careless people and programs leave it.

use super::*;
use crate::{Cache, Settings, open};

/// A file of its own.
fn file(name: &str, text: impl AsRef<[u8]>) -> (tempfile::TempDir, Vec<Input>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, vec![Input::File(path)])
}

/// Examples as shown, bad lines, and the error at the end if there is one.
fn read(inputs: &[Input], settings: Settings) -> (Vec<String>, Vec<String>, Census, Option<String>) {
    let (mut examples, mut bad, mut batch) = (Vec::new(), Vec::new(), Batch::default());
    let mut reader = match open(inputs, settings) {
        Ok(reader) => reader,
        Err(error) => return (examples, bad, Census::default(), Some(error.to_string())),
    };
    let error = loop {
        let more = reader.read(&mut batch);
        bad.extend(reader.complaints().iter().map(|bad| format!("{}: {}", bad.place.line, bad.message)));
        match more {
            Ok(true) => {}
            end => break end.err().map(|error| error.to_string()),
        }
        for i in 0..batch.len() {
            let label = batch.labels()[i].map(|class| reader.labels().name(class).to_string());
            let row: String =
                batch.row(i).iter().map(|(f, x)| format!(" {}:{x}", reader.names().name(f))).collect();
            examples.push(format!("{}{row}", label.unwrap_or_default()));
        }
    };
    (examples, bad, Census { consumed: 0, ..reader.census() }, error)
}

/// The same on any number of threads, without a cache, when it is made, and from it.
fn read_all_ways(
    inputs: &[Input],
    settings: &Settings,
) -> (Vec<String>, Vec<String>, Census, Option<String>) {
    let expected = read(inputs, settings.clone());
    let (no, beside) = (Cache::No, Cache::Beside);
    for (threads, cache) in [(1, &no), (3, &no), (2, &beside), (0, &beside), (3, &beside)] {
        let read = read(inputs, Settings { threads, cache: cache.clone(), ..settings.clone() });
        assert!(read == expected, "{threads} threads, {cache:?}: {:?}", (read.1, read.2, read.3));
    }
    expected
}

#[test]
fn a_stray_quote_costs_its_line_and_no_more() {
    // At the beginning, across the end of the first piece (2^18 bytes), in the last line.
    for stray in [10, 10_485, 10_486, 19_999] {
        for other in ["", "\"a \"\"b\"\",\nc\""] {
            let row = |i: usize| match i {
                0 => "label,a,b\n".to_string(),
                _ if i == stray => format!("{},\"{i:010},{:010}\n", i % 2, 1),
                _ if i % 100 == 0 && !other.is_empty() => format!("{},{i},{other}\n", i % 2),
                _ => format!("{},{i:010},{:010}\n", i % 2, 1),
            };
            let (_folder, inputs) = file("a.csv", (0..20_000).map(row).collect::<String>());
            let (examples, bad, census, error) = read_all_ways(&inputs, &Settings::default());
            assert_eq!((error, examples.len(), census.bad), (None, 19_998, 1), "row {stray}, {other}");
            let twice = if other.is_empty() { 0 } else { (stray as u64 - 1) / 100 };
            let line = stray as u64 + 1 + twice;
            assert_eq!(
                bad,
                [format!("{line}: this quote must be closed, got \"\\\"{stray:010},0000000001\"")]
            );
            let doubled = examples.iter().filter(|example| example.ends_with("b=a \"b\",\nc:1")).count();
            assert_eq!(doubled, if other.is_empty() { 0 } else { 199 });
        }
    }
}
