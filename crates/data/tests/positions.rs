//! A reader that is opened where another stopped reads what that one had not read.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use thalweg_core::Batch;
use thalweg_data::{Cache, Input, Labels, Position, Reader, Reading, Settings, open};

/// Rows of several formats, some of them bad, with a new class now and then.
fn text(format: &str, rows: usize) -> String {
    let mut text = if format == "csv" { "label,a,\"b\nc\"\n".to_string() } else { String::new() };
    for i in 0..rows {
        let class = i * 7 / rows;
        text += &match format {
            "svm" if i % 97 == 0 => "1 a:b\n".to_string(),
            "svm" => format!("{class} {}:1 {}:{}.5\n", i % 50 + 1, i % 1000 + 100, i % 9),
            "csv" => format!("{class},word{},{}\n", i % 300, i % 17),
            _ => format!("{class} |w word{} other{}:2\n", i % 300, i % 7),
        };
    }
    text
}

fn settings() -> Settings {
    Settings { labels: Labels::many(), threads: 1, ..Settings::default() }
}

/// The examples that are left, and what was known of labels and features in the end.
fn rest(reader: &mut dyn Reader) -> Vec<String> {
    let (mut all, mut batch) = (Vec::new(), Batch::default());
    while reader.read(&mut batch).unwrap() {
        for i in 0..batch.len() {
            let row: Vec<String> =
                batch.row(i).iter().map(|(f, x)| format!("{} {x}", reader.feature_name(f))).collect();
            all.push(format!("{row:?} {}", reader.labels().name(batch.labels()[i].unwrap())));
        }
    }
    all
}

/// Reads some batches, and then the rest twice: by the same reader, and by one that is opened there.
fn check(inputs: &[Input], batches: usize, cache: &Cache, write: impl FnOnce()) {
    let settings = || Settings { cache: cache.clone(), ..settings() };
    let mut first = open(inputs, settings()).unwrap();
    let mut batch = Batch::default();
    let _ = (0..batches).all(|_| first.read(&mut batch).unwrap());
    let position = first.position().unwrap();
    let stored = serde_json::to_string(&position).unwrap();
    let (labels, features) = (first.labels_so_far(), Arc::new(first.feature_state().clone()));
    write();
    let position: Position = serde_json::from_str(&stored).unwrap();
    let again = Settings { start: Some(position), labels, feature_state: features, ..settings() };
    let reading = Reading { naming: first.names().naming(), ..Reading::default() };
    let mut second = open(inputs, Settings { reading, ..again }).unwrap();
    let (left, again) = (rest(first.as_mut()), rest(second.as_mut()));
    assert!(left == again, "{} and {} examples are left after {batches} batches", left.len(), again.len());
    assert_eq!(first.labels().names(), second.labels().names());
    assert_eq!(first.names().write(), second.names().write());
}

fn compressed(path: &Path) {
    let text = fs::read(path).unwrap();
    fs::File::create(path).unwrap().write_all(&zstd::encode_all(&text[..], 3).unwrap()).unwrap();
}

#[test]
fn reading_goes_on_anywhere_in_any_format() {
    let folder = tempfile::tempdir().unwrap();
    for format in ["svm", "csv", "vw"] {
        let [a, b] = ["a", "b"].map(|name| folder.path().join(format!("{name}.{format}")));
        fs::write(&a, text(format, 30_000)).unwrap();
        fs::write(&b, text(format, 9_000)).unwrap();
        for zipped in [false, true] {
            if zipped {
                compressed(&a);
            }
            let inputs = [Input::File(a.clone()), Input::File(b.clone())];
            for batches in [1, 2, 9, 17, 19, 20] {
                check(&inputs, batches, &Cache::No, || {});
            }
            // With caches that are made by the first reader, or were there before.
            check(&inputs, 18, &Cache::Beside, || {});
            check(&inputs, 18, &Cache::Beside, || {});
            fs::remove_file(thalweg_data::cache::path_of(&a)).unwrap();
            fs::remove_file(thalweg_data::cache::path_of(&b)).unwrap();
        }
    }
}

#[test]
fn bytes_in_memory_have_positions_too() {
    let inputs = [Input::bytes("a.svm", text("svm", 20_000).into_bytes())];
    check(&inputs, 12, &Cache::No, || {});
}

#[test]
fn a_log_that_has_grown_is_read_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.svm");
    let all = text("svm", 20_000);
    let half = all[..all.len() / 2].rfind('\n').unwrap() + 1;
    fs::write(&path, &all[..half]).unwrap();
    let inputs = [Input::File(path.clone())];
    let mut first = open(&inputs, settings()).unwrap();
    let before = rest(first.as_mut());
    let start = first.position();
    fs::write(&path, &all).unwrap();
    let labels = first.labels_so_far();
    let mut second = open(&inputs, Settings { start, labels, ..settings() }).unwrap();
    let after = rest(second.as_mut());
    assert_eq!(before.len() + after.len(), rest(open(&inputs, settings()).unwrap().as_mut()).len());
}

#[test]
fn what_is_not_the_same_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.svm");
    fs::write(&path, text("svm", 1000)).unwrap();
    let inputs = [Input::File(path.clone())];
    let mut reader = open(&inputs, settings()).unwrap();
    reader.read(&mut Batch::default()).unwrap();
    let start = reader.position();
    fs::write(&path, text("vw", 1000)).unwrap();
    let error = |inputs: &[Input]| {
        open(inputs, Settings { start: start.clone(), ..settings() }).err().unwrap().to_string()
    };
    assert!(error(&inputs).contains("is not what it was when reading stopped"), "{}", error(&inputs));
    assert!(error(&[]).contains("but there are only 0"), "{}", error(&[]));
    assert!(error(&[Input::reader("pipe", std::io::empty())]).contains("only files can"));
}

#[test]
fn a_pipe_has_no_position() {
    let pipe = Input::reader("pipe.svm", std::io::Cursor::new(text("svm", 100)));
    let mut reader = open(std::slice::from_ref(&pipe), settings()).unwrap();
    assert!(reader.read(&mut Batch::default()).unwrap() && reader.position().is_none());
    let error = open(&[pipe], settings()).err().unwrap().to_string();
    assert_eq!(error, "pipe.svm: it can be read only once");
}
