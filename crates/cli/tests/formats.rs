//! Data in all formats, with names.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::{Workplace, repository};
use thalweg_data::Format;
use thalweg_laws::{Example, stream};

/// The same examples in every format.
fn write_all(work: &Workplace, name: &str, examples: &[Example]) {
    let highest = examples.iter().flat_map(|(row, _)| row).map(|(feature, _)| *feature).max().unwrap();
    let columns: String = (0..=highest).map(|feature| format!(",{feature}")).collect();
    let (mut svm, mut vw, mut jsonl) = (String::new(), String::new(), String::new());
    let mut csv = format!("label{columns}\n");
    for (row, class) in examples {
        let mut row: Vec<(u32, f64)> = row.clone();
        row.sort_by_key(|(feature, _)| *feature);
        row.dedup_by_key(|(feature, _)| *feature);
        let features: String = row.iter().map(|(feature, x)| format!(" {feature}:{x}")).collect();
        svm += &format!("{class}{features}\n");
        vw += &format!("{class} |{features}\n");
        let keys: String = row.iter().map(|(feature, x)| format!(",\"{feature}\":{x}")).collect();
        jsonl += &format!("{{\"label\":{class}{keys}}}\n");
        let value = |feature| row.iter().find(|(other, _)| *other == feature).map(|(_, x)| x.to_string());
        let fields: String = (0..=highest).map(|f| format!(",{}", value(f).unwrap_or_default())).collect();
        csv += &format!("{class}{fields}\n");
    }
    let tsv = csv.replace(',', "\t");
    for (extension, text) in [("svm", svm), ("vw", vw), ("jsonl", jsonl), ("csv", csv), ("tsv", tsv)] {
        work.write(&format!("{name}.{extension}"), text);
    }
    // Sparse, and with columns.
    for (from, to) in [("svm", "parquet"), ("csv", "arrow"), ("vw", "arrows")] {
        work.ok(&format!("convert {name}.{from} {name}.{to} -q"));
    }
    // What is not written here is written by the program.
    for to in extensions().into_iter().filter(|to| !work.path(&format!("{name}.{to}")).exists()) {
        work.ok(&format!("convert {name}.svm {name}.{to} -q"));
    }
}

/// Of every format, how the names of files end; an Arrow file can be a stream, too.
fn extensions() -> Vec<&'static str> {
    Format::all().map(|format| format.endings()[0]).chain(["arrows"]).collect()
}

/// A model's header without the kind of table that it expects, and what is behind the header, but for the checksum.
fn but_for_table(bytes: &[u8]) -> (serde_json::Value, Vec<u8>) {
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n').skip(1);
    let mut header: serde_json::Value = serde_json::from_slice(lines.next().unwrap()).unwrap();
    header["options"]["reading"].as_object_mut().unwrap().remove("table");
    let rest = lines.next().unwrap();
    (header, rest[..rest.len() - 4].to_vec())
}

#[test]
fn the_same_data_in_all_formats_gives_the_same_model() {
    let work = Workplace::new();
    write_all(&work, "a", &stream(200, 1));
    write_all(&work, "b", &stream(150, 2));
    for learner in ["arow", "ssol", "fobos", "bcw1"] {
        let mut models = Vec::new();
        for extension in extensions() {
            work.ok(&format!("train a.{extension} --names -q -a {learner} --normalize l2 --bias -f m.thw"));
            models.push((extension, work.read("m.thw")));
            // Each goes on with the next one's data, and predicts it alike.
            let next = if extension == "vw" { "csv" } else { "vw" };
            work.ok(&format!("train b.{next} -i m.thw -q -f resumed.thw"));
            models.push((next, work.read("resumed.thw")));
        }
        let (first, resumed) = (&models[0].1, &models[1].1);
        for pair in models.chunks(2) {
            let same = |one: &[u8], other: &[u8]| but_for_table(one) == but_for_table(other);
            assert!(same(&pair[0].1, first), "{learner} from {}", pair[0].0);
            assert!(same(&pair[1].1, resumed), "{learner}, {} and then {}", pair[0].0, pair[1].0);
        }
        let predict = |extension: &str| work.ok(&format!("predict -i resumed.thw b.{extension}")).stdout;
        assert!(extensions().iter().all(|extension| predict(extension) == predict("svm")), "{learner}");
    }
}

#[test]
fn names_survive_a_resume() {
    let work = Workplace::new();
    let line = |i: usize| format!("{} |word w{} x{}:0.5 |host h{}\n", i % 2, i * i % 37, i % 11, i % 5);
    let text = |range: std::ops::Range<usize>| range.map(line).collect::<String>();
    work.write("a.vw", text(0..200)).write("b.vw", text(200..320)).write("ab.vw", text(0..320));
    for flags in ["", "--hash-bits 5"] {
        work.ok(&format!("train ab.vw -q -a arow {flags} -f whole.thw"));
        work.ok(&format!("train a.vw -q -a arow {flags} -f part.thw"));
        work.ok("train b.vw -q -i part.thw -f resumed.thw --cache");
        assert!(work.read("whole.thw") == work.read("resumed.thw"), "{flags}");
        work.ok("train b.vw -q -i part.thw -f again.thw --cache");
        assert!(work.read("whole.thw") == work.read("again.thw"), "{flags}, from the cache");
        let weights = work.ok("inspect resumed.thw --weights").stdout;
        assert!(weights.contains(if flags.is_empty() { "host^h3\t" } else { "#" }), "{weights}");
    }
    let report = work.ok("train ab.vw -a arow --hash-bits 5").stdout;
    assert!(report.contains("numbers in use, ") && report.contains("shared by several names"), "{report}");
    assert_eq!(work.run("train b.vw -q -i resumed.thw --hash-bits 6").code, 2);
    assert_eq!(work.run("train b.vw -q -i whole.thw --text word").code, 2);
}

#[test]
fn numbers_stay_numbers_whatever_the_format() {
    let work = Workplace::new();
    write_all(&work, "a", &stream(200, 1));
    work.ok("train a.svm -q -a arow -f m.thw");
    let predict = |extension: &str| work.ok(&format!("predict -i m.thw a.{extension}")).stdout;
    assert!(extensions().iter().all(|extension| predict(extension) == predict("svm")));
    work.write("named.vw", "1 | seven\n0 | 3\n");
    let outcome = work.run("predict -i m.thw named.vw");
    assert!(outcome.stderr.contains("features are known by numbers here"), "{}", outcome.stderr);
}

/// All pairs of formats, on real data with numbers and on data with names, tags and importances.
#[test]
fn data_goes_round_through_every_pair_of_formats() {
    let work = Workplace::new();
    let german = repository("data/german.numer.svm.zst");
    let train = |file: &str, model: &str| {
        let flags = "--weight-col importance --id-col id -q -a arow -f";
        work.ok(&format!("train {file} --names {flags} {model}.thw -p {model}.tsv"));
        (but_for_table(&work.read(&format!("{model}.thw"))), work.read(&format!("{model}.tsv")))
    };
    let line = |i: usize| {
        format!("{} {} 'e{i}|word w%20{} x{}:-0.25 |host h{}\n", i % 2, 1 + i % 3, i * i % 37, i % 11, i % 5)
    };
    work.write("named.vw", (0..300).map(line).collect::<String>());
    for (source, expected) in [
        (german.display().to_string(), train(&german.display().to_string(), "direct")),
        ("named.vw".to_string(), train("named.vw", "direct")),
    ] {
        let numbers = source.contains("german");
        let formats = extensions().into_iter().filter(|extension| numbers || *extension != "svm");
        for first in formats.clone() {
            let roles = "--names --weight-col importance --id-col id -q";
            work.ok(&format!("convert {source} 1.{first}.zst {roles}"));
            for second in formats.clone() {
                work.ok(&format!("convert 1.{first}.zst 2.{second} {roles}"));
                let read = train(&format!("2.{second}"), "converted");
                assert!(read == expected, "{source} to {first} to {second}");
            }
        }
    }
    work.ok("convert named.vw kept.thwcache -q");
    assert!(train("kept.thwcache", "kept") == train("named.vw", "direct"), "a cache of VW text");
    work.ok(&format!("convert {} kept.thwcache -q", german.display()));
    work.ok("train kept.thwcache -q -a arow -f kept.thw");
    work.ok(&format!("train {} -q -a arow -f direct.thw", german.display()));
    assert!(work.read("kept.thw") == work.read("direct.thw"), "a cache of LIBSVM text");
    assert_eq!(work.run("convert kept.thwcache again.thwcache").code, 2);
    let outcome = work.run("convert named.vw named.svm");
    assert!(
        outcome.code == 1 && outcome.stderr.contains("its features are whole numbers"),
        "{}",
        outcome.stderr
    );
    assert_eq!(work.run("convert named.vw out.txt").code, 2);
    assert_eq!(work.run("convert named.vw ./named.vw").code, 2);
}

#[test]
fn columns_go_through_pipes_and_hold_many_names() {
    let work = Workplace::new();
    let line = |i: usize| format!("{} |w x{} y{}:0.5 label importance\n", i % 2, i * i % 1777, i % 1300);
    work.write("a.vw", (0..3000).map(line).collect::<String>());
    let flags = "-q -a arow -f m.thw --weight-col importance --id-col id";
    work.ok(&format!("train a.vw {flags}"));
    let expected = work.read("m.thw");
    for name in ["a.parquet", "a.arrow", "a.arrows", "a.pq.gz", "a.feather.zst"] {
        work.ok(&format!("convert a.vw {name} -q"));
        work.ok(&format!("train {name} {flags} --cache"));
        assert!(work.read("m.thw") == expected, "{name}");
        work.ok(&format!("train {name} {flags} --cache --threads 0"));
        assert!(work.read("m.thw") == expected, "{name}, from the cache");
        let outcome = work.run_with(&format!("train - {flags}"), work.read(name));
        assert!(outcome.code == 0 && work.read("m.thw") == expected, "{name} {}", outcome.stderr);
    }
    // Which features there are must be known first, unless they are numbers.
    assert_eq!(work.run_with("convert - b.parquet", "1 | a\n").code, 2);
    assert_eq!(work.run_with("convert - b.parquet", "1 3:1\n0 4:1\n").code, 0);
    work.ok("convert b.parquet b.svm -q");
    assert_eq!(String::from_utf8(work.read("b.svm")).unwrap(), "1 3:1\n0 4:1\n");
}

#[test]
fn reduced_data_keeps_names_tags_and_importances() {
    let work = Workplace::new();
    work.write("a.vw", "1 2 'x|w good fine:2\n0 'y|w bad fine\n1 |w good\n0 |w bad rare\n");
    let select = "select a.vw -a perceptron --features 2 -q --normalize l2 --reduced";
    work.ok(&format!("{select} r.vw"));
    work.ok(&format!("{select} r.csv"));
    work.ok(&format!("{select} r.parquet"));
    work.ok("convert r.parquet back.csv --weight-col importance --id-col id -q");
    let read = |file| String::from_utf8(work.read(file)).unwrap();
    assert_eq!(read("r.csv"), read("back.csv"));
    assert_eq!(read("r.csv"), "label,importance,id,w^fine,w^bad\n1,2,x,2,\n0,,y,1,1\n1,,,,\n0,,,,1\n");
    assert_eq!(read("r.vw"), "1 2 'x |w fine:2\n0 'y |w fine bad\n1 |\n0 |w bad\n");
}

#[test]
fn screens_of_data_described_and_examples_explained() {
    let work = Workplace::new();
    let line = |i: usize| {
        let label = if i.is_multiple_of(9) { "fraud" } else { "fine" };
        format!("{i},{label},\"pay {i} now, please\",{},https://a{i}.example/x\n", i * 250)
    };
    let table: String = (1..=30).map(line).collect();
    work.write("a.csv", format!("key,label,note,amount,link\n{table}too,short\n"));
    work.write("three.svm", "a 1:1 2:0.5\nb 2:1\nc 3:2 1:-1\na 1:1\n\n2:1 3:1\n");
    let described = [work.screen("describe a.csv"), work.screen("describe three.svm")];
    let json = work.ok("describe three.svm --json").stdout;
    assert!(json.contains("\"labels\":[[\"a\",2],[\"b\",1],[\"c\",1]]"), "{json}");
    let shares: serde_json::Value = serde_json::from_str(&work.ok("describe a.csv --json").stdout).unwrap();
    assert_eq!((&shares["rare"], &shares["ones"]), (&0.1.into(), &(61.0 / 120.0).into()));
    work.ok("train a.csv --text note --id-col key --ignore link --ignore amount -a perceptron -q -f m.thw");
    work.write("one.jsonl", "{\"key\":\"k\",\"note\":\"Pay 9 now and never\"}\n");
    work.ok("train three.svm --multiclass -a arow -q -f many.thw --max-bad 5");
    let explained = [
        work.screen("explain -i m.thw one.jsonl --top 2"),
        work.screen("explain -i m.thw one.jsonl --json"),
        work.screen("explain -i m.thw one.jsonl --class fraud"),
    ];
    let many = work.ok("explain -i many.thw three.svm --class c").stdout;
    assert!(many.contains("labelled c, score for c") && many.contains("variance"), "{many}");
    assert_screen!("described", [described.join("\n"), explained.join("\n")].join("\n"));
}

/// What the features add is the score that is predicted.
#[test]
fn contributions_add_up_to_the_score() {
    let work = Workplace::new();
    write_all(&work, "a", &stream(200, 1));
    for learner in ["ssol", "fobos", "sgft-cumulative", "scw1:covariance=full", "ssacog1", "bcw1", "romma"] {
        work.ok(&format!("train a.svm -q -a {learner} --bias -f m.thw"));
        let scores = work.ok("predict -i m.thw a.svm").stdout;
        let explained = work.ok("explain -i m.thw a.svm --json").stdout;
        for (line, explained) in scores.lines().zip(explained.lines()) {
            let score: f64 = line.split('\t').next().unwrap().parse().unwrap();
            let explained: serde_json::Value = serde_json::from_str(explained).unwrap();
            let all = explained["features"].as_array().unwrap().iter();
            let sum: f64 = all.map(|feature| feature["contribution"].as_f64().unwrap()).sum();
            assert!((sum - score).abs() <= 1e-6 * (1.0 + score.abs()), "{learner}: {sum} {score}");
            assert_eq!(explained["score"].as_f64(), Some(score));
        }
    }
}

/// Scales are learned as the stream goes by, so they must survive a resume, and stay as they are for test data.
#[test]
fn values_are_scaled_multiplied_and_made_binary() {
    let work = Workplace::new();
    let line = |i: usize| format!("{} |u a{} n:{} |i x{}:0.5\n", i % 2, i % 7, (i * 37 % 100) * 1000, i % 5);
    let text = |range: std::ops::Range<usize>| range.map(line).collect::<String>();
    work.write("a.vw", text(0..200)).write("b.vw", text(200..320)).write("ab.vw", text(0..320));
    for flags in [
        "--scale max",
        "--scale deviation --normalize l2 --bias",
        "--scale rms --normalize l2 --bias",
        "--binary --interact ui",
    ] {
        work.ok(&format!("train ab.vw -q -a arow {flags} -f whole.thw -p whole.tsv"));
        work.ok(&format!("train a.vw -q -a arow {flags} -f part.thw"));
        work.ok("train b.vw -q -i part.thw -f resumed.thw --cache");
        assert!(work.read("whole.thw") == work.read("resumed.thw"), "{flags}");
        for threads in [0, 3] {
            work.ok(&format!("train ab.vw -q -a arow {flags} -f other.thw --threads {threads}"));
            assert!(work.read("whole.thw") == work.read("other.thw"), "{flags}, {threads} threads");
        }
        // Whoever only predicts learns no scales: the order of examples says nothing.
        let scores = |file: &str| {
            let mut lines: Vec<String> =
                work.ok(&format!("predict -i whole.thw {file}")).stdout.lines().map(String::from).collect();
            lines.sort();
            lines
        };
        let both: Vec<String> = [scores("b.vw"), scores("a.vw")].concat();
        work.write("ba.vw", text(200..320) + &text(0..200));
        let mut sorted = both;
        sorted.sort();
        assert_eq!(scores("ba.vw"), sorted, "{flags}");
        assert_eq!(work.run("train b.vw -q -i whole.thw --scale max --interact aa").code, 2, "{flags}");
    }
    let weights = work.ok("inspect whole.thw --weights").stdout;
    assert!(weights.contains("u^a3*i^x2\t") && weights.contains("u^n*i^x0\t"), "{weights}");
    let binary = work.ok("explain -i whole.thw b.vw --json").stdout;
    assert!(!binary.contains("\"value\":0.5"), "{binary}");
    work.write("n.svm", "1 1:1\n0 2:1\n");
    let refused = work.run("train n.svm --interact ab -q");
    assert!(refused.stderr.contains("interactions are between namespaces"), "{}", refused.stderr);
    assert_eq!(work.run("train a.vw --interact abc -q").code, 2);
}

/// What leaves, and when, depends on the stream alone.
#[test]
fn no_more_features_are_kept_than_there_may_be() {
    let work = Workplace::new();
    // Two words that tell, ten that do not, and one in every example that never comes again.
    let line = |i: usize| format!("{} |w {} x{} once{i}:0.01\n", i % 2, ["bad", "good"][i % 2], i * 7 % 10);
    let text = |range: std::ops::Range<usize>| range.map(line).collect::<String>();
    work.write("a.vw", text(0..3_300)).write("b.vw", text(3_300..9_000)).write("ab.vw", text(0..9_000));
    for flags in ["-a ssol", "-a fobos --scale max --normalize l2", "-a arow --scale rms --multiclass"] {
        let flags = format!("{flags} --max-features 500 -q");
        work.ok(&format!("train ab.vw {flags} -f whole.thw -t ab.vw"));
        for threads in [0, 3] {
            work.ok(&format!("train a.vw {flags} -f part.thw --threads {threads}"));
            work.ok("train b.vw -i part.thw -f resumed.thw -q --cache");
            assert!(work.read("whole.thw") == work.read("resumed.thw"), "{flags}, {threads} threads");
        }
        let weights = work.ok("inspect whole.thw --weights").stdout;
        assert!(weights.contains("w^good\t") && weights.contains("w^bad\t"), "{flags}: {weights}");
        let features: serde_json::Value =
            serde_json::from_str(&work.ok("inspect whole.thw --json").stdout).unwrap();
        assert!(features["features"].as_u64().unwrap() <= 500, "{flags}: {}", features["features"]);
        let report = work.ok("eval -i whole.thw ab.vw --json").stdout;
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert_eq!(report["mistakes"].as_u64(), Some(0), "{flags}: {report}");
    }
    let report = work.ok("train ab.vw --max-features 500").stdout;
    assert!(report.contains("evicted") && report.contains("of 4"), "{report}");
    for refused in [
        "train ab.vw -a arow:covariance=full --max-features 5 -q",
        "train ab.vw --hash-bits 5 --max-features 5 -q",
        "train ab.vw --shuffle --max-features 5 -q",
        "train b.vw -i part.thw --max-features 5 -q",
    ] {
        assert_eq!(work.run(refused).code, 2, "{refused}");
    }
}

#[test]
fn screens_of_named_data() {
    let work = Workplace::new();
    work.write(
        "mails.csv",
        "id,label,subject,links\n1,spam,\"Win, win, WIN cash\",3\n2,ham,see you tomorrow,\n3,spam,cash now,2.5\n4,ham,\"lunch \
         tomorrow?\",0\n5,ham,too,many,fields\n",
    );
    work.write("unlabelled.jsonl", "{\"id\":\"a\",\"subject\":\"cash cash\",\"links\":1}\n{\"id\":\"b\"}\n");
    let train = work.screen("train mails.csv --text subject --id-col id -a perceptron -f m.thw -p -");
    let inspect = work.screen("inspect m.thw --top 5");
    let predict = work.screen("predict -i m.thw unlabelled.jsonl");
    let missing = work.screen("train mails.csv --label-col class -q");
    let unknown = work.screen_with("train - -q", "one two three\n");
    let convert = work.screen("convert mails.csv mails.jsonl --text subject --id-col id");
    let select = work.screen("select mails.csv --text subject --id-col id -a perceptron --features 3 -q");
    assert_screen!("named", [train, inspect, predict, missing, unknown, convert, select].join("\n"));
}

#[test]
fn data_is_shuffled_alike_in_any_memory_and_into_any_format() {
    let work = Workplace::new();
    let rows: String = (0..3_000).map(|i| format!("{},{},w{}\n", i / 1_500, i + 1, i % 50)).collect();
    work.write("a.csv", format!("label,n,word\n{rows}"));
    work.ok("convert a.csv large.vw --shuffle --seed 1 -q");
    let lines = |name: &str| {
        String::from_utf8(work.read(name)).unwrap().lines().map(String::from).collect::<Vec<_>>()
    };
    for memory in ["1M", "64K", "4K"] {
        work.ok(&format!("convert a.csv small.vw --shuffle --seed 1 -q --max-memory {memory}"));
        assert_eq!(lines("small.vw"), lines("large.vw"), "{memory}");
    }
    work.ok("convert a.csv other.vw --shuffle -q");
    assert_ne!(lines("other.vw"), lines("large.vw"));
    work.ok("convert a.csv plain.vw -q");
    let (mut plain, mut mixed) = (lines("plain.vw"), lines("large.vw"));
    assert_ne!(plain, mixed);
    plain.sort();
    mixed.sort();
    assert_eq!(plain, mixed);
    // The labels were sorted, and are not any more.
    assert!(work.ok("train plain.vw -q").stderr.contains("labels come in long runs"));
    assert_eq!(work.ok("train large.vw -q").stderr, "");
    // Every format, and back: the same examples in the same order.
    for format in ["csv", "tsv", "jsonl", "parquet", "arrow"] {
        work.ok(&format!("convert a.csv b.{format} --shuffle --seed 1 -q --max-memory 64K"));
        work.ok(&format!("convert b.{format} back.vw -q"));
        let sorted = |line: &String| {
            let mut words: Vec<&str> = line.split(' ').filter(|word| !word.starts_with('|')).collect();
            words.sort_unstable();
            words.join(" ")
        };
        let [back, large] =
            [lines("back.vw"), lines("large.vw")].map(|all| all.iter().map(sorted).collect::<Vec<_>>());
        assert_eq!(back, large, "{format}");
    }
    // From standard input too, also into a table, which is otherwise read twice.
    let piped = work.run_with("convert - - --format csv --to csv --shuffle --seed 1 -q", work.read("a.csv"));
    assert_eq!(piped.stdout.lines().count(), 3_001, "{}", piped.stderr);
    assert_eq!(work.run("convert a.csv a.thwcache --shuffle").code, 2);
    assert_eq!(work.run("convert a.csv b.vw --seed 3").code, 2);
    let left = std::fs::read_dir(work.path("")).unwrap().filter_map(Result::ok);
    let left: Vec<_> =
        left.map(|entry| entry.file_name()).filter(|name| name.to_string_lossy().contains("tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
}
