//! Data as careless people and programs leave it.

use super::*;
use crate::names::FeatureNames;
use crate::stream::bad_lines::BadLinePolicy;
use crate::stream::reader::ExampleUse;
use crate::{Cache, Interrupt, MemoryLimit, Settings, open};

/// A file of its own.
fn file(name: &str, text: impl AsRef<[u8]>) -> (tempfile::TempDir, Vec<Input>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, vec![Input::File(path)])
}

/// Examples as shown, with a mark for each record that was skipped; bad lines, and the error at the end if there is one.
fn read(inputs: &[Input], settings: Settings) -> (Vec<String>, Vec<String>, ReadCounts, Option<String>) {
    let (mut examples, mut bad, mut batch) = (Vec::new(), Vec::new(), Batch::default());
    let mut reader = match open(inputs, settings) {
        Ok(reader) => reader,
        Err(error) => return (examples, bad, ReadCounts::default(), Some(error.to_string())),
    };
    let error = loop {
        let more = reader.read(&mut batch);
        bad.extend(reader.take_bad_lines().iter().map(|bad| format!("{}: {}", bad.place.line, bad.message)));
        let mut skipped = reader.skipped().iter().peekable();
        let ended = !matches!(more, Ok(true));
        for i in 0..if ended { 0 } else { batch.len() } {
            while skipped.next_if(|before| **before <= i).is_some() {
                examples.push("skipped".into());
            }
            let label = batch.labels()[i].map(|class| reader.labels().name(class).to_string());
            let row: String =
                batch.row(i).iter().map(|(f, x)| format!(" {}:{x}", reader.names().name(f))).collect();
            examples.push(format!("{}{row}", label.unwrap_or_default()));
        }
        examples.extend(skipped.map(|_| "skipped".to_string()));
        if ended {
            break more.err().map(|error| error.to_string());
        }
    };
    (examples, bad, ReadCounts { consumed: 0, ..reader.counts() }, error)
}

/// The same on any number of threads, without a cache, when it is made, and from it.
fn read_all_ways(
    inputs: &[Input],
    settings: &Settings,
) -> (Vec<String>, Vec<String>, ReadCounts, Option<String>) {
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
                _ if i.is_multiple_of(100) && !other.is_empty() => format!("{},{i},{other}\n", i % 2),
                _ => format!("{},{i:010},{:010}\n", i % 2, 1),
            };
            let (_folder, inputs) = file("a.csv", (0..20_000).map(row).collect::<String>());
            let (examples, bad, counts, error) = read_all_ways(&inputs, &Settings::default());
            assert_eq!((error, examples.len(), counts.bad), (None, 19_999, 1), "row {stray}, {other}");
            assert_eq!(examples[stray - 1], "skipped");
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

/// Lines of two labels, but for some.
fn labelled(count: usize, label: impl Fn(usize) -> Option<Vec<u8>>) -> (tempfile::TempDir, Vec<Input>) {
    let line = |i: usize| {
        let label = label(i).unwrap_or_else(|| if i.is_multiple_of(2) { b"-1".into() } else { b"+1".into() });
        [&label[..], format!(" {}:1\n", i % 97 + 1).as_bytes()].concat()
    };
    file("a.svm", (0..count).flat_map(line).collect::<Vec<u8>>())
}

fn only(at: &[usize], label: &[u8]) -> impl Fn(usize) -> Option<Vec<u8>> {
    move |i| at.contains(&i).then(|| label.to_vec())
}

#[test]
fn a_label_that_is_none_is_a_bad_line() {
    let count = 60_000;
    for (label, message) in [
        (&b"xx"[..], "a third label, \"xx\", after \"-1\" and \"1\"; `multiclass` learns them all"),
        (b"\xff", "a label must be UTF-8 text (`encoding` latin-1 reads Windows-1252), got \"\u{fffd}\""),
    ] {
        let (folder, inputs) = labelled(count, only(&[2, 30_000, count - 1], label));
        let (examples, bad, counts, error) = read_all_ways(&inputs, &Settings::default());
        assert_eq!((error, examples.len(), counts.bad), (None, count, 3));
        let skipped: Vec<usize> = (0..count).filter(|i| examples[*i] == "skipped").collect();
        assert_eq!(skipped, [2, 30_000, count - 1]);
        let lines: Vec<&str> = bad.iter().filter_map(|bad| bad.split(':').next()).collect();
        assert_eq!(lines, ["3", "30001", "60000"]);
        assert!(bad.iter().all(|bad| bad.contains(message)), "{bad:?}");
        // The others are what they would be without them.
        let without =
            |i: usize| format!("{}1 {}:1\n", if i.is_multiple_of(2) { '-' } else { '+' }, i % 97 + 1);
        let others = (0..count).filter(|i| ![2, 30_000, count - 1].contains(i));
        let (_folder, clean) = file("a.svm", others.map(without).collect::<String>());
        assert!(read(&clean, Settings::default()).0.iter().eq(examples.iter().filter(|e| *e != "skipped")));
        // They are kept, and seen by limits.
        let rejects = folder.path().join("rejects");
        for cache in [Cache::No, Cache::Beside] {
            let policy = BadLinePolicy { reject_file: Some(rejects.clone()), ..BadLinePolicy::default() };
            read(&inputs, Settings { bad_lines: policy, cache, threads: 2, ..Settings::default() });
            let kept = std::fs::read(&rejects).unwrap();
            assert_eq!(kept.split(|byte| *byte == b'\n').filter(|line| line.starts_with(label)).count(), 3);
            assert!(kept.ends_with(format!(" {}:1\n", (count - 1) % 97 + 1).as_bytes()));
        }
        let policy = BadLinePolicy {
            limit: Some(crate::stream::bad_lines::BadLineLimit::Lines(2)),
            ..BadLinePolicy::default()
        };
        let (.., error) = read_all_ways(&inputs, &Settings { bad_lines: policy, ..Settings::default() });
        assert!(error.unwrap().contains("3 of 60000 lines are bad, more than the 2 allowed"));
        let policy = BadLinePolicy { strict: true, ..BadLinePolicy::default() };
        let (.., error) = read_all_ways(&inputs, &Settings { bad_lines: policy, ..Settings::default() });
        assert!(error.unwrap().contains(&format!("a.svm:3:1: {message}")));
    }
}

#[test]
fn a_third_class_is_not_lost_as_bad_lines() {
    let error = |count: usize, label: &dyn Fn(usize) -> Option<Vec<u8>>| {
        let (_folder, inputs) = labelled(count, label);
        read_all_ways(&inputs, &Settings::default()).3
    };
    let every = |step: usize| move |i: usize| (i % step == 2).then(|| b"2".to_vec());
    let third = "a.svm:3:1: a third label, \"2\", after \"-1\" and \"1\"";
    for count in [3, 6, 150, 999, 1_000, 50_000] {
        assert!(error(count, &every(3)).unwrap().contains(third), "{count}");
    }
    // One in a hundred and a little less; late.
    assert!(error(5_000, &every(90)).unwrap().contains(third));
    assert_eq!(error(5_000, &every(110)), None);
    assert!(error(5_000, &|i| (i > 4_900).then(|| b"2".to_vec())).unwrap().contains("a.svm:4902:1: a third"));
    assert!(error(19, &only(&[2], b"2")).unwrap().contains(third));
    assert_eq!(error(20, &only(&[2], b"2")), None);
    // A model's labels are no others.
    let (_folder, inputs) = labelled(3_000, every(3));
    let labels = Labels::of_two(&["-1".into(), "1".into()], false);
    let (.., error) = read_all_ways(&inputs, &Settings { labels, ..Settings::default() });
    assert!(error.unwrap().contains("label \"2\" is neither \"-1\" nor \"1\", the labels of the model"));
}

#[test]
fn refused_lines_have_no_influence_on_names() {
    let line = |i: usize| match i {
        0 => "label,a,b\n".to_string(),
        50 | 4_000 => format!("maybe,new{i},{i}\n"),
        _ => format!("{},a{},{}\n", ["\" no\"", "yes ", "\"yes\""][i % 3], i % 13, i % 7),
    };
    let (_folder, inputs) = file("a.csv", (0..6_000).map(line).collect::<String>());
    let (examples, bad, ..) = read_all_ways(&inputs, &Settings::default());
    assert_eq!((examples.len(), bad.len()), (5_999, 2));
    assert_eq!((&examples[49][..], &examples[3_999][..]), ("skipped", "skipped"));
    let mut reader = open(&inputs, Settings { threads: 2, ..Settings::default() }).unwrap();
    let mut batch = Batch::default();
    while reader.read(&mut batch).unwrap() {}
    assert_eq!(reader.labels().names(), ["no", "yes"]);
    let FeatureNames::Names(names) = reader.names() else { panic!("features have names") };
    assert_eq!(names.len(), 14);
}

#[test]
fn a_positive_label_that_is_missing_is_an_error_when_learning() {
    let (_folder, inputs) = labelled(3_000, |_| None);
    let settings = Settings { labels: Labels::positive("7"), ..Settings::default() };
    let (.., error) = read_all_ways(&inputs, &settings);
    assert!(error.unwrap().ends_with("a.svm: no label is \"7\"; the labels are \"-1\", \"1\""));
    let scoring = Settings { used_for: ExampleUse::Scoring, ..settings };
    assert_eq!(read_all_ways(&inputs, &scoring).3, None);
}

#[test]
fn skipped_records_have_their_places_and_blank_lines_none() {
    let line = |i: usize| match i % 1_000 {
        0 | 1 | 999 => "1 x:1\n".to_string(),
        500 => "\n# nothing\n".to_string(),
        501 => "3:1\n".to_string(),
        777 => "third 4:1\n".to_string(),
        _ => format!("{} {}:1\n", i % 2, i % 97 + 1),
    };
    let (_folder, inputs) = file("a.svm", (0..50_000).map(line).collect::<String>());
    let (examples, _, counts, error) = read_all_ways(&inputs, &Settings::default());
    assert_eq!((error, counts.bad), (None, 250));
    let expected =
        (0..50_000).filter(|i| i % 1_000 != 500).map(|i| [0, 1, 501, 777, 999].contains(&(i % 1_000)));
    assert!(examples.iter().map(|example| example == "skipped").eq(expected));
    // Whole pieces of bad lines, and nothing else at the end.
    let line = |i: usize| if (9..90_000).contains(&i) { "1 x\n" } else { ["0 1:1\n", "1 2:1\n"][i % 2] };
    let text: String = (0..90_010).map(line).chain(std::iter::repeat_n("?:1\n", 90_000)).collect();
    let (_folder, inputs) = file("a.svm", text);
    let (examples, ..) = read_all_ways(&inputs, &Settings::default());
    let skipped: Vec<usize> = (0..examples.len()).filter(|i| examples[*i] != "skipped").collect();
    assert!(examples.len() == 180_010 && skipped.iter().copied().eq((0..9).chain(90_000..90_010)));
    let mut memory = crate::InMemory::read_all(
        open(&inputs, Settings::default()).unwrap(),
        crate::prepare::Prepare::default(),
        None,
        crate::stream::Milestones::default(),
        Interrupt::default(),
        MemoryLimit::default(),
        &mut |_| {},
    )
    .unwrap();
    let (mut batch, mut records, mut skipped) = (Batch::default(), 0, 0);
    while memory.read(&mut batch).unwrap() {
        (records, skipped) = (records + batch.len(), skipped + memory.skipped().len());
    }
    assert_eq!((records, skipped, memory.skipped().len()), (19, 89_991, 90_000));
}
