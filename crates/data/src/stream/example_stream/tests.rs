use super::*;
use crate::prepare::Norm;
use crate::prepare::preparation::Prepare;
use crate::stream::bad_lines::BadLinePolicy;
use crate::{Cache, ExampleUse, Settings, open};

/// Everything that a reader says in two passes.
fn transcript(mut reader: Box<dyn Reader>) -> Vec<String> {
    let (mut all, mut batch) = (Vec::new(), Batch::default());
    for _ in 0..2 {
        loop {
            let more = reader.read(&mut batch).map_err(|error| error.to_string());
            let rows: Vec<String> = (0..batch.len()).map(|i| format!("{:?}", batch.row(i))).collect();
            let (labels, counts) = (reader.labels().names().to_vec(), reader.counts());
            // How far the file has been read may be ahead of the batch.
            let counts = ReadCounts { consumed: 0, ..counts };
            let classes = batch.labels();
            all.push(format!(
                "{more:?} {rows:?} {classes:?} {labels:?} {counts:?} {:?}",
                reader.take_bad_lines()
            ));
            if more != Ok(true) {
                break;
            }
        }
        if reader.rewind().is_err() {
            break;
        }
    }
    all
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> (tempfile::TempDir, Vec<Input>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.svm");
    std::fs::write(&path, (0..count).map(line).collect::<String>()).unwrap();
    (folder, vec![Input::File(path.clone()), Input::File(path)])
}

#[test]
fn the_number_of_threads_has_no_influence() {
    let (_folder, inputs) = lines(60_000, |i| match i {
        137 | 9_000 => "1 x:3\n".to_string(),
        45_000 => "late 7:1\n".to_string(),
        _ => format!("{} {}:{}\n", i % 3, i % 97 + 1, i % 7),
    });
    for labels in [Labels::many(), Labels::default(), Labels::positive("2")] {
        let open = |threads| {
            let settings = Settings { labels: labels.clone(), threads, ..Settings::default() };
            open(&inputs, settings).map(transcript).map_err(|error| error.to_string())
        };
        let alone = open(0);
        for threads in [1, 2, 5] {
            assert!(open(threads) == alone, "{threads} threads, {labels:?}");
        }
    }
}

#[test]
fn a_cache_has_no_influence_and_follows_its_source() {
    let prepare = Prepare { normalize: Some(Norm::L2), bias: true, ..Prepare::default() };
    let text = |i: usize| match i {
        137 | 9_000 => "1 x:3\n".to_string(),
        20_000 => "3 9:1 2:1\n".to_string(),
        _ => format!("{} {}:{} {}:1 4000000000:1\n", i % 3, i % 97 + 1, i % 7, i % 97 + 200),
    };
    let (_folder, inputs) = lines(30_000, text);
    let Input::File(path) = &inputs[0] else { unreachable!() };
    let stored = crate::cache::path_of(path);
    let read = |prepare, cache, threads, inputs: &[Input]| {
        let settings = Settings { labels: Labels::many(), prepare, cache, threads, ..Settings::default() };
        transcript(open(inputs, settings).unwrap())
    };
    let plain = Prepare::default();
    for prepare in [prepare, plain] {
        let _ = std::fs::remove_file(&stored);
        let expected = read(prepare, Cache::No, 0, &inputs);
        assert!(!stored.exists());
        // The first pass over the first file writes, all others read.
        assert!(read(prepare, Cache::Beside, 2, &inputs) == expected);
        let written = std::fs::read(&stored).unwrap();
        assert!(read(prepare, Cache::Beside, 0, &inputs) == expected);
        assert!(read(prepare, Cache::Beside, 3, &inputs) == expected);
        assert!(std::fs::read(&stored).unwrap() == written, "it was written once");
    }
    // A cache is data by itself.
    let moved = path.with_extension("other");
    std::fs::copy(&stored, &moved).unwrap();
    let alone = read(plain, Cache::No, 1, &[Input::File(moved)]);
    let renamed = |line: &String| line.replace("a.other", "a.svm");
    assert!(alone.iter().map(renamed).collect::<Vec<_>>() == read(plain, Cache::No, 1, &inputs[..1]));

    // Another source, or another way to read it: another cache.
    std::fs::write(path, "1 1:1\n2 2:1\n").unwrap();
    let changed = read(plain, Cache::No, 0, &inputs);
    assert!(read(plain, Cache::Beside, 2, &inputs) == changed);
    assert!(read(plain, Cache::Beside, 2, &inputs) == changed);

    // Damage is noticed.
    let mut bytes = std::fs::read(&stored).unwrap();
    let middle = bytes.len() - 20;
    bytes[middle] ^= 1;
    let alone = path.with_extension("thwcache");
    std::fs::write(&alone, &bytes).unwrap();
    let settings = Settings { labels: Labels::many(), ..Settings::default() };
    let error = open(&[Input::File(alone)], settings).map(transcript).unwrap_err().to_string();
    assert!(error.contains("the cache is damaged"), "{error}");
}

#[test]
fn a_damaged_cache_is_made_anew_wherever_the_damage_is() {
    let (_folder, inputs) = lines(40_000, |i| match i {
        137 | 39_000 => "1 x:3\n".to_string(),
        _ => format!("{} {}:{} {}:1\n", i % 3, i % 97 + 1, i % 7, i % 97 + 200),
    });
    let Input::File(path) = &inputs[0] else { unreachable!() };
    let stored = crate::cache::path_of(path);
    let open = |cache, threads| {
        let settings = Settings { labels: Labels::many(), cache, threads, ..Settings::default() };
        open(&inputs, settings).unwrap()
    };
    let expected = transcript(open(Cache::No, 0));
    assert!(transcript(open(Cache::Beside, 0)) == expected);
    let whole = std::fs::read(&stored).unwrap();
    for at in [200, whole.len() / 3, whole.len() / 2, whole.len() - 100] {
        for threads in [0, 3] {
            let mut damaged = whole.clone();
            damaged[at] ^= 4;
            std::fs::write(&stored, damaged).unwrap();
            assert!(transcript(open(Cache::Beside, threads)) == expected, "{at} {threads}");
            assert!(std::fs::read(&stored).unwrap() == whole, "{at} {threads}");
        }
    }
    std::fs::write(&stored, [&whole[..300], &[0; 9], &whole[309..]].concat()).unwrap();
    let mut reader = open(Cache::Beside, 1);
    let mut warnings = reader.warnings();
    while reader.read(&mut Batch::default()).unwrap() {}
    warnings.extend(reader.warnings());
    assert!(warnings[0].ends_with("a.svm.thwcache: the cache is damaged; it is made anew"), "{warnings:?}");
}

#[test]
fn a_cache_that_cannot_be_written_is_no_obstacle() {
    let (folder, inputs) = lines(9_000, |i| format!("{} {}:1\n", i % 2, i % 97 + 1));
    let Input::File(path) = &inputs[0] else { unreachable!() };
    let occupied = crate::cache::path_of(path);
    std::fs::create_dir(&occupied).unwrap();
    let read = |cache| {
        let settings = Settings { labels: Labels::many(), cache, ..Settings::default() };
        let mut reader = open(&inputs, settings)?;
        let (mut batch, mut warnings) = (Batch::default(), Vec::new());
        while reader.read(&mut batch)? {
            warnings.extend(reader.warnings());
        }
        warnings.extend(reader.warnings());
        assert_eq!(reader.counts().examples, 18_000);
        Ok::<_, Error>(warnings)
    };
    let warnings = read(Cache::Beside).unwrap();
    assert!(warnings[0].ends_with("the data is read without a cache"), "{warnings:?}");
    // Unless it is all that is wanted.
    assert!(read(Cache::At(occupied.clone())).is_err());
    assert!(read(Cache::At(folder.path().join("nowhere/a"))).is_err());
}

/// Files whose names do not tell what they are: the first is opened to look at it.
#[test]
fn what_was_opened_to_look_at_it_is_not_taken_for_another() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = ["1 1:1\n0 2:1\n", "0 3:1\n1 4:1\n"].map(|text| {
        let path = folder.path().join(format!("{}", text.len() + usize::from(text.starts_with('0'))));
        std::fs::write(&path, text).unwrap();
        Input::File(path)
    });
    let read = |cache| transcript(open(&inputs, Settings { cache, ..Settings::default() }).unwrap());
    let expected = read(Cache::No);
    assert!(read(Cache::Beside) == expected);
    let Input::File(second) = &inputs[1] else { unreachable!() };
    std::fs::remove_file(crate::cache::path_of(second)).unwrap();
    assert!(read(Cache::Beside) == expected);
}

/// Everything that a reader says in two passes, features by name.
fn named_transcript(inputs: &[Input], settings: Settings) -> Vec<String> {
    let mut reader = open(inputs, settings).unwrap();
    let mut all = Vec::new();
    let mut batch = Batch::default();
    for _ in 0..2 {
        while reader.read(&mut batch).unwrap() {
            for i in 0..batch.len() {
                let row: Vec<_> = batch.row(i).iter().map(|(f, x)| (f, reader.names().name(f), x)).collect();
                let (label, importance, id) = (batch.labels()[i], batch.importances()[i], batch.id(i));
                all.push(format!("{row:?} {label:?} {importance} {id:?}"));
            }
            all.push(format!("{:?}", reader.take_bad_lines()));
        }
        reader.rewind().unwrap();
    }
    all
}

#[test]
fn named_features_are_the_same_on_any_number_of_threads_and_from_the_cache() {
    let table = |i: usize| match i {
        0 => "id,label,n,\"a \"\"b\"\"\",note\n".to_string(),
        5_000 => "x,1,y\n".to_string(),
        _ => format!("{i},{},{}.5,w{},\"line one\n, line \"\"two\"\" of {i}\"\n", i % 2, i % 9, i * i % 977),
    };
    let vw = |i: usize| match i {
        5_000 => "1 |a b:1c\n".to_string(),
        _ => format!("{} {} 't{i}|n x{}:2 y |m:3 x{} z{i}\n", i % 2, 1 + i % 3, i % 7, i % 501),
    };
    let json = |i: usize| match i {
        5_000 => "{\"label\": 1, \"a\": }\n".to_string(),
        _ => format!(
            "{{\"label\":{},\"a\":{{\"b\":{}.5}},\"bag\":[\"x{}\",\"y\"]}}\n",
            i % 2,
            i % 9,
            i * i % 977
        ),
    };
    // The same words again and again, in ever new company, so that most of them are familiar to all threads before long.
    let text = |i: usize| match i {
        0 => "label\tnote\n".to_string(),
        5_000 => "1\n".to_string(),
        _ => {
            let words: String = (0..9).map(|j| format!("w{} ", (i * j * j + 7 * j) % 1493)).collect();
            format!("{}\t{words}{words}new{i}\n", i % 2)
        }
    };
    let lines: [(&str, &dyn Fn(usize) -> String); 4] =
        [("csv", &table), ("vw", &vw), ("jsonl", &json), ("tsv", &text)];
    for (extension, line) in lines {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("a.{extension}"));
        let text = extension == "tsv";
        let records = if text { 6_000 } else { 12_000 };
        std::fs::write(&path, (0..records).map(line).collect::<String>()).unwrap();
        let inputs = [Input::File(path.clone()), Input::File(path)];
        let reading = crate::examples::reading::Reading {
            id: (!text).then(|| "id".into()),
            text: text.then(|| "note".into()).into_iter().collect(),
            values: Some(crate::expand::words::Value::Log),
            interact: vec!["n:m".into(), "nn".into()],
            ..Default::default()
        };
        let prepare = Prepare { normalize: Some(Norm::L2), bias: true, ..Prepare::default() };
        let read = |threads, cache| {
            let settings =
                Settings { reading: reading.clone(), prepare, threads, cache, ..Settings::default() };
            named_transcript(&inputs, settings)
        };
        let (no, beside) = (Cache::No, Cache::Beside);
        let alone = read(0, no.clone());
        let bad = if extension == "csv" { "line: 10000" } else { "line: 5001" };
        assert!(alone.iter().any(|said| said.contains(bad)), "{extension}");
        let runs = [(1, &no), (3, &no), (2, &beside), (0, &beside), (3, &beside)];
        for (threads, cache) in runs {
            let read = read(threads, cache.clone());
            let differing = read.iter().zip(&alone).find(|(read, alone)| read != alone);
            assert!(read.len() == alone.len() && differing.is_none(), "{extension}: {differing:?}");
        }
    }
}

/// Two inputs of names, some of which both have.
fn two_inputs(folder: &std::path::Path) -> Vec<Input> {
    let line = |i: usize, step: usize| {
        let words: String = (0..9).map(|j| format!(" w{}", (i * j * j * step + 7 * j) % 1493)).collect();
        format!("{} |n{words} new{step}{} | x:{}\n", i % 2, i / 3, i % 5)
    };
    let file = |(name, step): (&str, usize)| {
        let path = folder.join(name);
        std::fs::write(&path, (0..12_000).map(|i| line(i, step)).collect::<String>()).unwrap();
        Input::File(path)
    };
    [("a.vw", 1), ("b.vw", 3)].map(file).into()
}

/// What a model knows that has learned from these inputs.
fn state_after(inputs: &[Input]) -> Arc<crate::FeatureState> {
    let mut reader = open(inputs, Settings::default()).unwrap();
    let mut batch = Batch::default();
    while reader.read(&mut batch).unwrap() {}
    reader.into_state().1
}

#[test]
fn a_cache_gives_the_numbers_that_text_gives_whatever_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = two_inputs(folder.path());
    for known in [&inputs[..0], &inputs[..1], &inputs[1..]] {
        let feature_state = if known.is_empty() { Arc::default() } else { state_after(known) };
        let read = |threads, cache: &Cache| {
            let (feature_state, cache) = (Arc::clone(&feature_state), cache.clone());
            named_transcript(&inputs, Settings { feature_state, threads, cache, ..Settings::default() })
        };
        let expected = read(0, &Cache::No);
        for threads in [2, 0, 3] {
            assert!(read(threads, &Cache::Beside) == expected, "{threads} threads, {} known", known.len());
        }
        inputs.iter().for_each(|input| {
            let Input::File(path) = input else { unreachable!() };
            std::fs::remove_file(crate::cache::path_of(path)).unwrap();
        });
    }
}

#[test]
fn a_cache_is_scored_and_hashed_and_bounded_as_text_is() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = two_inputs(folder.path());
    let cache = folder.path().join("a.thwcache");
    let settings = Settings { cache: Cache::At(cache.clone()), ..Settings::default() };
    named_transcript(&inputs[..1], settings);
    let cached = [Input::File(cache)];
    let scoring = |known: &[Input]| Settings {
        feature_state: if known.is_empty() { Arc::default() } else { state_after(known) },
        used_for: ExampleUse::Scoring,
        ..Settings::default()
    };
    let reading = |reading| Settings { reading, ..Settings::default() };
    let naming = Some(crate::Naming::Hashed(9));
    for settings in [
        scoring(&inputs[1..]),
        scoring(&inputs[..1]),
        scoring(&[]),
        reading(crate::Reading { naming, ..Default::default() }),
        reading(crate::Reading { max_features: Some(500), ..Default::default() }),
    ] {
        let read = |inputs: &[Input]| {
            let mut reader = open(inputs, settings.clone()).unwrap();
            let (mut all, mut batch) = (Vec::new(), Batch::default());
            for _ in 0..2 {
                while reader.read(&mut batch).unwrap() {
                    for i in 0..batch.len() {
                        // Numbers of names that a model does not know mean nothing.
                        let mut row: Vec<(String, f64)> =
                            batch.row(i).iter().map(|(f, x)| (reader.feature_name(f), x)).collect();
                        row.sort_by(|a, b| a.0.cmp(&b.0));
                        all.push(row);
                    }
                    reader.evict_features(&|| vec![0, 1]);
                }
                reader.rewind().unwrap();
            }
            (all, reader.counts().unknown)
        };
        assert!(read(&inputs[..1]) == read(&cached), "{settings:?}");
    }
}

#[test]
fn what_is_wrong_is_said_in_the_order_of_the_lines() {
    let first = |wrong: &[(usize, &str)]| {
        let (_folder, inputs) = lines(30_000, |i| {
            let found = wrong.iter().find(|(at, _)| *at == i).map(|(_, line)| line.to_string());
            found.unwrap_or_else(|| format!("{} 1:1\n", i % 2))
        });
        let bad_lines = BadLinePolicy { strict: true, ..BadLinePolicy::default() };
        let settings = Settings { bad_lines, threads: 2, ..Settings::default() };
        let reader = open(&inputs[..1], settings);
        let error = reader.and_then(|mut reader| {
            let mut batch = Batch::default();
            while reader.read(&mut batch)? {}
            Ok(())
        });
        error.unwrap_err().to_string()
    };
    let (bad, third) = ("1 x:1\n", "3 1:1\n");
    assert!(first(&[(100, bad), (101, third)]).contains("a.svm:101:3: feature index must be"));
    assert!(first(&[(100, third), (101, bad)]).contains("a.svm:101:1: a third label"));
    assert!(first(&[(20_000, third), (25_000, bad)]).contains("a.svm:20001:1: a third label"));
    assert!(first(&[(25_000, bad)]).contains("a.svm:25001:3: feature index must be"));
}

#[test]
fn batches_end_at_powers_of_two() {
    let (_folder, inputs) = lines(5_000, |i| format!("{} 1:1\n", i % 2));
    let mut reader = open(&inputs, Settings::default()).unwrap();
    let (mut batch, mut seen, mut ends) = (Batch::default(), 0, Vec::new());
    while reader.read(&mut batch).unwrap() {
        seen += batch.len();
        ends.push(seen);
    }
    assert_eq!(seen, 10_000);
    assert!((0..14).all(|power| ends.contains(&(1 << power))), "{ends:?}");
}

#[test]
fn hanging_up_early_is_no_trouble() {
    let (_folder, inputs) = lines(100_000, |i| format!("{} 1:1\n", i % 2));
    let mut reader = open(&inputs, Settings { threads: 3, ..Settings::default() }).unwrap();
    let mut batch = Batch::default();
    assert!(reader.read(&mut batch).unwrap());
    reader.rewind().unwrap();
    assert!(reader.read(&mut batch).unwrap());
    assert_eq!(batch.row(0).indices, [1]);
}
