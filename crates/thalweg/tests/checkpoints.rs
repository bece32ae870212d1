//! A learner and a position that are kept in the middle of a run go on to the same model, in every format.
#![allow(missing_docs, clippy::unwrap_used)]

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use thalweg::{Batch, Format, Input, Interrupt, Labels, Learner, Position, Scale, learners};
use thalweg_core::Outcomes;
use thalweg_core::learner::Setup;
use thalweg_data::{
    Cache, Dictionary, FeatureState, OutputFile, Prepare, Reader, Reading, Settings, Writer, open,
};

/// Rows with new names all the time, a third label and a bad line now and then.
fn text(format: &str, rows: usize) -> String {
    let mut text = if format == "csv" { "label,word,\"long\nname\"\n".to_string() } else { String::new() };
    for i in 0..rows {
        let label = if i % 701 == 700 { "other" } else { ["ham", "spam"][i * 7 % 5 % 2] };
        text += &match format {
            "svm" if i % 997 == 3 => "ham x:1\n".to_string(),
            "svm" => format!("{label} {}:1 {}:{}.5\n", i % 50 + 1, i % 1000 + 100, i % 9),
            "csv" => format!("{label},\"w{}\n{}\",{}\n", i % 300, i % 7, 1 + i % 17),
            "jsonl" => format!("{{\"label\": \"{label}\", \"word\": \"w{i}\", \"size\": {}}}\n", 1 + i % 9),
            _ => format!("{label} |w word{} other{}:2\n", i / 3, i % 7),
        };
    }
    text
}

/// What is kept: a copy of all that is known, and the place.
struct Checkpoint {
    learner: Box<dyn Learner>,
    labels: Labels,
    features: FeatureState,
    position: String,
}

/// Learns to the end, and keeps checkpoints after these batches.
fn to_the_end(
    reader: &mut dyn Reader,
    mut learner: Box<dyn Learner>,
    keep: &[usize],
) -> (Vec<u8>, Vec<Checkpoint>) {
    let (mut batch, mut outcomes, mut kept, mut batches) =
        (Batch::default(), Outcomes::default(), Vec::new(), 0);
    while reader.read(&mut batch).unwrap() {
        learner.learn(&batch, &mut outcomes).unwrap();
        let weighted = || learner.weights().iter().map(|weight| weight.feature).collect();
        if let Some(new) = reader.evict_features(&weighted) {
            learner.renumber(&|feature| new.of(feature));
        }
        batches += 1;
        if keep.contains(&batches) {
            let position = serde_json::to_string(&reader.position().unwrap()).unwrap();
            let (labels, features) = (reader.labels_so_far(), reader.feature_state().clone());
            kept.push(Checkpoint { learner: learner.fork(), labels, features, position });
        }
    }
    let mut state = learner.state().to_string().into_bytes();
    learner.write_cells(&mut state);
    reader.feature_state().write().into_iter().for_each(|(_, bytes)| state.extend(bytes));
    state.extend(reader.labels().names().join(" ").bytes());
    (state, kept)
}

struct Run<'a> {
    inputs: &'a [Input],
    settings: Settings,
    /// Where the reader that goes on looks for caches.
    cache: Cache,
}

impl Run<'_> {
    fn check(&self, what: &str) {
        let mut reader = open(self.inputs, self.settings.clone()).unwrap();
        let (whole, kept) = to_the_end(
            reader.as_mut(),
            learners::build("arow", &Setup::default()).unwrap(),
            &[1, 2, 7, 12, 14, 15, 16, 20, 40],
        );
        assert!(kept.len() >= 4, "{what}");
        for (i, Checkpoint { learner, labels, features, position }) in kept.into_iter().enumerate() {
            let start: Position = serde_json::from_str(&position).unwrap();
            let reading = Reading { naming: features.names.naming(), ..self.settings.reading.clone() };
            let settings = Settings {
                labels,
                feature_state: Arc::new(features),
                reading,
                start: Some(start),
                cache: self.cache.clone(),
                ..self.settings.clone()
            };
            let mut reader = open(self.inputs, settings).unwrap();
            let (again, _) = to_the_end(reader.as_mut(), learner, &[]);
            assert!(again == whole, "{what}: checkpoint {i} at {position}");
        }
    }
}

fn write(folder: &Path, format: &str, zipped: bool) -> Vec<Input> {
    let write = |(name, rows): (&str, usize)| {
        let path = folder.join(format!("{name}.{format}"));
        let text = text(format, rows);
        if zipped {
            let mut file = flate2::write::GzEncoder::new(
                std::fs::File::create(&path).unwrap(),
                flate2::Compression::fast(),
            );
            file.write_all(text.as_bytes()).unwrap();
            file.finish().unwrap();
        } else {
            std::fs::write(&path, text).unwrap();
        }
        Input::File(path)
    };
    [("a", 9000), ("b", 3000)].map(write).to_vec()
}

/// A file of columns with few features, and a third label now and then.
fn columns(folder: &Path, format: Format) -> Vec<Input> {
    let label = |i: usize| if i % 701 == 700 { "other" } else { ["ham", "spam"][i * 7 % 5 % 2] };
    let row = |i: usize| format!("{} | w{} size:{}\n", label(i), i / 400, 1 + i % 9);
    let text: String = (0..12_000).map(row).collect();
    let settings = Settings { labels: Labels::many(), ..Settings::default() };
    let mut reader = open(&[Input::bytes("a.vw", text.into_bytes())], settings).unwrap();
    let mut batch = Batch::default();
    // All columns must be known before the first row.
    while reader.read(&mut batch).unwrap() {}
    reader.rewind().unwrap();
    let path = folder.join(format!("c.{}", format.name()));
    let file = OutputFile::create(&path, thalweg_data::Access::default()).unwrap();
    let mut writer = Writer::new(file, format, reader.names(), None).unwrap();
    while reader.read(&mut batch).unwrap() {
        writer.write(&batch, Dictionary { labels: reader.labels(), names: reader.names() }).unwrap();
    }
    writer.finish().unwrap();
    vec![Input::File(path)]
}

fn settings(max_features: Option<u64>, scale: Option<Scale>) -> Settings {
    Settings {
        reading: Reading { max_features, ..Reading::default() },
        prepare: Prepare { scale, bias: true, ..Prepare::default() },
        threads: 1,
        interrupt: Interrupt::default(),
        ..Settings::default()
    }
}

#[test]
fn checkpoints_lead_to_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    for format in ["svm", "csv", "jsonl", "vw"] {
        for zipped in [false, true] {
            let inputs = write(folder.path(), format, zipped);
            for scale in [None, Some(Scale::Max)] {
                for limit in [None, Some(500)] {
                    let what = format!("{format}, zipped {zipped}, {scale:?}, {limit:?}");
                    let limit = limit.filter(|_| format != "svm");
                    Run { inputs: &inputs, settings: settings(limit, scale), cache: Cache::No }.check(&what);
                }
            }
        }
    }
}

#[test]
fn checkpoints_of_caches_and_columns_do_too() {
    let folder = tempfile::tempdir().unwrap();
    for format in ["svm", "csv", "vw"] {
        let inputs = write(folder.path(), format, false);
        let cached = Settings { cache: Cache::Beside, ..settings(None, Some(Scale::Deviation)) };
        // With a cache that is made on the way, and one that was there; found without and gone to with one, and the other way round.
        for _ in 0..2 {
            Run { inputs: &inputs, settings: cached.clone(), cache: Cache::Beside }
                .check(&format!("{format}, cached"));
        }
        Run { inputs: &inputs, settings: settings(None, None), cache: Cache::Beside }
            .check(&format!("{format}, cached later"));
        Run { inputs: &inputs, settings: cached, cache: Cache::No }
            .check(&format!("{format}, cached before"));
    }
    for format in [Format::PARQUET, Format::ARROW] {
        let inputs = columns(folder.path(), format);
        for limit in [None, Some(20)] {
            let settings = settings(limit, Some(Scale::Max));
            Run { inputs: &inputs, settings, cache: Cache::No }.check(&format!("{format:?} {limit:?}"));
        }
    }
}
