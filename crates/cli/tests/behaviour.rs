//! What the program does, beyond what it prints.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::io::Read;
use std::process::{Command, Stdio};

use common::{Workplace, repository};
use thalweg_core::Task;
use thalweg_core::learners::LEARNERS;
use thalweg_laws::{Example, candidates, stream};

/// Examples as LIBSVM text.
fn libsvm(examples: Vec<Example>, label: impl Fn(u32) -> String) -> String {
    let line = |(features, class): Example| {
        let features: String = features.iter().map(|(i, x)| format!(" {i}:{x}")).collect();
        format!("{}{features}\n", label(class))
    };
    examples.into_iter().map(line).collect()
}

/// A made-up stream as LIBSVM text.
fn text(examples: usize, seed: u64) -> String {
    libsvm(stream(examples, seed), |class| (if class == 1 { "+1" } else { "-1" }).to_string())
}

#[test]
fn training_in_two_parts_gives_the_bytes_of_training_at_once() {
    let work = Workplace::new();
    for candidate in candidates() {
        let part = |examples, seed| libsvm(candidate.stream(examples, seed), |class| class.to_string());
        let (a, b) = (part(150, 1), part(100, 2));
        work.write("a.svm", &a).write("b.svm", &b).write("ab.svm", a.clone() + &b);
        let multiclass = match candidate.task {
            Task::Binary => "",
            Task::Hinge => "--multiclass hinge",
            Task::Ovr => "--multiclass ovr",
        };
        let flags = format!("-a {} -q --normalize l2 --bias {multiclass}", candidate.spec);
        work.ok(&format!("train ab.svm {flags} -f whole.thw"));
        work.ok(&format!("train a.svm b.svm {flags} -f files.thw"));
        work.ok(&format!("train a.svm {flags} -f part.thw"));
        work.ok("train b.svm -q -i part.thw -f resumed.thw");
        assert_eq!(work.read("whole.thw"), work.read("files.thw"), "{candidate}");
        assert_eq!(work.read("whole.thw"), work.read("resumed.thw"), "{candidate}");
    }
}

#[test]
fn a_batch_ends_with_the_data_and_goes_on_with_the_next() {
    let work = Workplace::new();
    let (a, b) = (text(120, 1), text(80, 2));
    work.write("a.svm", &a).write("b.svm", &b).write("ab.svm", a.clone() + &b);
    work.ok("train ab.svm -q -a bcw1:c=0.5 --batch 50 -f whole.thw");
    work.ok("train a.svm -q -a bcw1:c=0.5 --batch 50 -f part.thw -t b.svm");
    let inspect = work.ok("inspect part.thw").stdout;
    assert!(inspect.contains("20 examples for their batch to be full"), "{inspect}");
    work.ok("train b.svm -q -i part.thw --batch 50 -f resumed.thw");
    assert_eq!(work.read("whole.thw"), work.read("resumed.thw"));
    let refused = work.run("train b.svm -q -i part.thw --batch 60");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("bcw1:batch=50, but bcw1:batch=60 was given"), "{}", refused.stderr);
    let refused = work.run("train b.svm -q -a arow --batch 60");
    assert!(refused.stderr.contains("arow learns from one example at a time"), "{}", refused.stderr);
    let refused = work.run("train a.svm -q -a bcw1 --max-memory 1K");
    assert!(refused.stderr.contains("(--max-memory)"), "{}", refused.stderr);
    // Not how high features are numbered counts, but how many there are.
    let high: String = (0..200).map(|i| format!("{} {}:1\n", i % 2, 3_000_000_000u32 + i % 40)).collect();
    work.write("high.svm", high);
    work.ok("train high.svm -q -a bcw1 --max-memory 64K");
    let refused = work.run("train high.svm -q -a bcw1 --max-memory 16K");
    let expected = "bcw1 would need 25.0 KiB for 40 features, more than the 16.0 KiB allowed (--max-memory)";
    assert!(refused.stderr.contains(expected), "{}", refused.stderr);
}

#[test]
fn features_are_chosen_and_data_reduced_to_them() {
    let work = Workplace::new();
    work.write("a.svm", text(400, 6));
    for learner in ["sbcw1", "sbcw2:iterations=2", "fgm", "l1svm", "sofs", "ssol", "sbcw1 --batch 150"] {
        let flags = format!("--features 5 --learner {learner} -q");
        let shown = work.ok(&format!("select a.svm {flags} -o chosen.json --reduced r.svm.zst")).stdout;
        let chosen: Vec<&str> = shown.lines().skip(1).map(|line| line.split('\t').next().unwrap()).collect();
        assert_eq!(chosen.len(), 5, "{learner}: {shown}");
        let json: serde_json::Value = serde_json::from_slice(&work.read("chosen.json")).unwrap();
        let listed: Vec<&str> =
            json["features"].as_array().unwrap().iter().map(|f| f["feature"].as_str().unwrap()).collect();
        assert_eq!(listed, chosen, "{learner}");
        // Whoever learns from the reduced data sees these features, all examples and no others.
        let report = work.ok("train r.svm.zst -a perceptron -q --json -f r.thw").stdout;
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert_eq!((report["examples"].as_u64(), report["bad_lines"].as_u64()), (Some(400), Some(0)));
        let weights = work.ok("inspect r.thw --weights").stdout;
        let known = weights.lines().map(|line| line.split('\t').next().unwrap());
        assert!(known.into_iter().all(|feature| chosen.contains(&feature)), "{learner}: {weights}");
    }
    assert_eq!(work.run_with("select - --reduced r.svm", "1 1:1\n").code, 2);
    assert_eq!(work.run("select a.svm --features 0").code, 2);
}

#[test]
fn made_up_data_is_the_same_again_and_can_be_learned_from() {
    let work = Workplace::new();
    for shape in ["rcv1-like", "url-like", "webspam-like", "sparse-gaussian", "paper000"] {
        work.ok(&format!("generate {shape} --examples 300 --seed 7 -o a.svm"));
        work.ok(&format!("generate {shape} --examples 300 --seed 7 -o b.svm"));
        assert_eq!(work.read("a.svm"), work.read("b.svm"), "{shape}");
        work.ok(&format!("generate {shape} --examples 100 --skip 200 --seed 7 -o later.svm.zst"));
        let first = "train a.svm -a perceptron -q --json -t later.svm.zst";
        let report: serde_json::Value = serde_json::from_str(&work.ok(first).stdout).unwrap();
        assert_eq!((report["examples"].as_u64(), report["bad_lines"].as_u64()), (Some(300), Some(0)));
        assert_eq!(report["test"]["examples"].as_u64(), Some(100), "{shape}");
    }
    assert_eq!(work.run("generate rcv1-like --positives 5 -o c.svm").code, 2);
}

#[test]
fn shares_in_json_are_fractions_and_importance_counts() {
    let work = Workplace::new();
    let report = |args: &str| serde_json::from_str::<serde_json::Value>(&work.ok(args).stdout).unwrap();
    // The second and third are mistakes.
    work.write("two.vw", "1 3.5 |a x\n-1 0.25 |a y z\n1 0.25 |a z\n");
    let two = report("train two.vw -a perceptron -q --json");
    assert_eq!((&two["examples"], &two["updates"]), (&3.into(), &2.into()), "{two}");
    assert_eq!((&two["mistakes"], &two["error"]), (&0.5.into(), &0.125.into()), "{two}");
    // Each mistake moves the weights of two classes of three.
    work.write("three.svm", "a 1:1\nb 2:1\nc 2:1\n");
    let three = report("train three.svm --multiclass -a perceptron -q --json");
    let (nonzeros, features) = (three["nonzeros"].as_f64().unwrap(), three["features"].as_f64().unwrap());
    assert!(nonzeros > 0.0 && nonzeros < 3.0 * features, "{three}");
    assert_eq!(three["sparsity"].as_f64(), Some(1.0 - nonzeros / (3.0 * features)), "{three}");
}

#[test]
fn a_class_that_appears_late_gets_its_number_then() {
    let work = Workplace::new();
    work.write("a.svm", "b 1:1\na 2:1\n".repeat(20)).write("b.svm", "0 3:1\na 2:1\n".repeat(20));
    work.ok("train --multiclass a.svm -q -a pa1 -f m.thw");
    work.ok("train b.svm -q -i m.thw -f m.thw");
    assert!(work.run_with("predict -i m.thw -", "3:1\n").stdout.ends_with("\t0\n"));
    let weights = work.ok("inspect m.thw --weights").stdout;
    assert!(weights.contains("3\t0\t"), "{weights}");
}

#[test]
fn costs_and_balance_survive_a_resume() {
    let work = Workplace::new();
    let (a, b) = (text(300, 3), text(200, 4));
    work.write("a.svm", &a).write("b.svm", &b).write("ab.svm", a.clone() + &b);
    let flags = "-a ssol -q --cost-fn 5 --cost-fp 2 --balanced";
    work.ok(&format!("train ab.svm {flags} -f whole.thw"));
    work.ok(&format!("train a.svm {flags} -f part.thw"));
    work.ok("train b.svm -q -i part.thw -f resumed.thw");
    assert_eq!(work.read("whole.thw"), work.read("resumed.thw"));
}

#[test]
fn a_bad_line_never_changes_the_model() {
    let work = Workplace::new();
    let good = text(200, 5);
    let bad = ["1 1:x", "1 3:1 -2:4", "nan 1:1", "1 1:1e999", "-1 5:", "1 7:1 8:inf", "7:1"];
    let mixed: String =
        good.lines().enumerate().map(|(i, l)| format!("{l}\n{}\n", bad[i % bad.len()])).collect();
    work.write("good.svm", &good).write("mixed.svm", mixed);
    for entry in LEARNERS {
        work.ok(&format!("train good.svm -a {} -q -f good.thw", entry.name));
        work.ok(&format!("train mixed.svm -a {} -q -f mixed.thw", entry.name));
        assert_eq!(work.read("good.thw"), work.read("mixed.thw"), "{}", entry.name);
    }
}

#[test]
fn the_form_of_the_input_does_not_matter() {
    let work = Workplace::new();
    let lines = text(300, 6);
    let untidy: String = lines.lines().map(|l| format!(" {} # 1:1\r\n\n", l.replace(' ', "\t"))).collect();
    work.write("plain.svm", &lines).write("untidy.svm", untidy);
    work.write("data.gz", gzip(lines.as_bytes()))
        .write("data.zst", zstd::encode_all(lines.as_bytes(), 3).unwrap());
    work.ok("train plain.svm -q -f plain.thw");
    for name in ["untidy.svm", "data.gz", "data.zst"] {
        work.ok(&format!("train {name} -q -f other.thw"));
        assert_eq!(work.read("other.thw"), work.read("plain.thw"), "{name}");
    }
    for name in ["data.bz2", "data.xz"] {
        work.ok(&format!("convert plain.svm {name} --to libsvm -q"));
        work.ok(&format!("train {name} -q -f other.thw"));
        assert_eq!(work.read("other.thw"), work.read("plain.thw"), "{name}");
    }
    let (first, second) = lines.split_at(lines.find('\n').unwrap() + 1);
    work.write("part-1.svm", first).write("part-2.svm", second);
    work.ok("train part-*.svm -q -f other.thw");
    assert_eq!(work.read("other.thw"), work.read("plain.thw"), "a pattern");
    assert!(work.run("train none-*.svm -q").stderr.contains("no file matches none-*.svm"));
    assert_eq!(work.run_with("train - -q -f other.thw", &lines).code, 0);
    assert_eq!(work.read("other.thw"), work.read("plain.thw"), "standard input");
    assert_eq!(work.run_with("train -q -f other.thw", &lines).code, 0);
    assert_eq!(work.read("other.thw"), work.read("plain.thw"), "standard input by default");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    // Two members, as log rotation makes them.
    let mut out = Vec::new();
    for half in [&bytes[..bytes.len() / 2], &bytes[bytes.len() / 2..]] {
        let mut encoder = flate2::write::GzEncoder::new(&mut out, flate2::Compression::default());
        encoder.write_all(half).unwrap();
        encoder.finish().unwrap();
    }
    out
}

#[test]
fn a_cut_compressed_file_is_an_error_and_not_an_end() {
    let work = Workplace::new();
    let lines = text(2_000, 7);
    let packed = zstd::encode_all(lines.as_bytes(), 3).unwrap();
    work.write("cut.zst", &packed[..packed.len() / 2]);
    let packed = gzip(lines.as_bytes());
    work.write("cut.gz", &packed[..packed.len() - 20]);
    for name in ["cut.zst", "cut.gz"] {
        let outcome = work.run(&format!("train {name} -q -f cut.thw"));
        assert_eq!(outcome.code, 1, "{name}");
        assert!(outcome.stderr.starts_with(&format!("thalweg: {name}: ")), "{}", outcome.stderr);
        assert!(!work.path("cut.thw").exists());
    }
}

#[test]
fn labels_of_every_spelling_give_the_same_scores() {
    let work = Workplace::new();
    let lines = text(200, 8);
    work.write("signs.svm", &lines);
    work.ok("train signs.svm -q -a arow -p signs.tsv");
    let scores = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(|l| l.split('\t').next().unwrap().to_string()).collect::<Vec<_>>()
    };
    for (negative, positive) in [("0", "1"), ("1", "2"), ("ham", "spam"), ("-1.0", "1e0"), ("no", "yes")] {
        let relabelled: String = lines
            .lines()
            .map(|l| match l.strip_prefix("+1") {
                Some(rest) => format!("{positive}{rest}\n"),
                None => format!("{negative}{}\n", &l[2..]),
            })
            .collect();
        work.write("words.svm", relabelled);
        work.ok("train words.svm -q -a arow -p words.tsv");
        assert_eq!(scores(work.read("words.tsv")), scores(work.read("signs.tsv")), "{negative} {positive}");
    }
    work.ok("train signs.svm -q -a arow -p flipped.tsv --positive -1");
    let flipped: Vec<f64> =
        scores(work.read("flipped.tsv")).iter().map(|s| -s.parse::<f64>().unwrap()).collect();
    let straight: Vec<f64> =
        scores(work.read("signs.tsv")).iter().map(|s| s.parse::<f64>().unwrap()).collect();
    assert_eq!(flipped, straight);
}

#[test]
fn shuffling_depends_on_the_seed_alone() {
    let work = Workplace::new();
    work.write("a.svm", text(300, 9));
    let train = |flags: &str| {
        work.ok(&format!("train a.svm -q -a pa1 --passes 2 -f m.thw {flags}"));
        work.read("m.thw")
    };
    assert_eq!(train("--shuffle --seed 4"), train("--shuffle --seed 4"));
    assert_ne!(train("--shuffle --seed 4"), train("--shuffle --seed 5"));
    assert_ne!(train("--shuffle"), train(""));
}

#[test]
fn several_passes_over_standard_input_are_several_passes() {
    let work = Workplace::new();
    let lines = text(300, 10);
    work.write("a.svm", &lines);
    work.ok("train a.svm -q --passes 3 -f file.thw");
    assert_eq!(work.run_with("train - -q --passes 3 -f stdin.thw", &lines).code, 0);
    assert_eq!(work.read("file.thw"), work.read("stdin.thw"));
}

#[test]
fn predictions_read_back_as_the_same_numbers() {
    let work = Workplace::new();
    work.write("a.svm", text(300, 11));
    work.ok("train a.svm -q -a arow -f m.thw");
    let lines = work.ok("predict -i m.thw a.svm").stdout;
    for line in lines.lines() {
        let (score, label) = line.split_once('\t').unwrap();
        let value: f64 = score.parse().unwrap();
        assert_eq!(format!("{value:?}"), score);
        assert_eq!(label, if value >= 0.0 { "1" } else { "-1" });
    }
    assert_eq!(lines.lines().count(), 300);
}

#[test]
fn many_predictions_come_in_order_and_a_closed_pipe_is_not_an_error() {
    let work = Workplace::new();
    work.write("a.svm", text(50_000, 12));
    work.ok("train a.svm -q -f m.thw");
    // However many threads score, lines come in order.
    let [alone, together] =
        [0, 6].map(|threads| work.ok(&format!("predict -i m.thw a.svm --threads {threads}")).stdout);
    assert!(alone == together && alone.lines().count() == 50_000);
    let predict = "predict -i m.thw a.svm";
    for args in [predict, &format!("{predict} --threads 6"), "train a.svm -q -p-"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_thalweg"))
            .args(args.split(' '))
            .current_dir(work.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap(); // and close it
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert!(output.status.success());
    }
}

#[test]
fn the_bundled_data_can_be_learned() {
    let work = Workplace::new();
    let data = |name: &str| repository(&format!("data/{name}")).display().to_string();
    let report = work.ok(&format!(
        "train {} -a arow --normalize l2 -q --json -t {}",
        data("smsspam.train.svm.zst"),
        data("smsspam.test.svm.zst")
    ));
    let report: serde_json::Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(report["examples"], 4459);
    assert_eq!(report["test"]["examples"], 1115);
    assert!(report["test"]["error"].as_f64().unwrap() < 0.03, "{report}");
    assert!(report["test"]["balanced_accuracy"].as_f64().unwrap() > 0.9, "{report}");
}

/// A pipe with a name is as gone as standard input once it was read: later passes must not find nothing.
#[test]
#[cfg(unix)]
fn a_pipe_with_a_name_is_kept_for_later_passes() {
    let work = Workplace::new();
    let data = "1 |a b\n0 |a c\n1 |a b\n0 |a c\n";
    work.write("a.vw", data).ok("train a.vw -q -a perceptron --passes 3 -f whole.thw");
    let piped = "train /dev/stdin --format vw -q -a perceptron --passes 3 -f piped.thw";
    assert_eq!(work.run_with(piped, data).code, 0);
    assert_eq!(work.read("piped.thw"), work.read("whole.thw"));
    let tested = work.run_with("train a.vw -q --json -t /dev/stdin --format vw", data);
    assert!(tested.code == 0 && tested.stdout.contains("\"data\":[\"/dev/stdin\"]"), "{}", tested.stderr);
}

#[test]
fn an_example_of_which_nothing_is_known_is_negative_and_counts_as_that() {
    let work = Workplace::new();
    let rows = "spam,free money\nham,lunch at noon\nspam,money now\nham,noon\n".repeat(20);
    work.write("mails.csv", format!("label,words\n{rows}"));
    for learner in ["ssol", "arow", "pa1", "ada-rda", "dcd"] {
        work.ok(&format!("train mails.csv --text words -a {learner} -f m.thw -q"));
        let outcome =
            work.run_with("predict -i m.thw --format csv", "label,words\nham,\nham,\"nothing known\"\n");
        assert_eq!(outcome.stdout, "0.0\tham\n0.0\tham\n", "{learner}");
        let report = work.run_with("eval -i m.thw --format csv --json", "label,words\nspam,\nham,\n");
        assert!(report.stdout.contains(r#""missed":1,"false_alarms":0"#), "{}", report.stdout);
    }
}

/// Every line is an object, on both outputs.
#[track_caller]
fn objects(text: &str) -> Vec<serde_json::Value> {
    let object = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let all: Vec<serde_json::Value> = text.lines().map(object).collect();
    assert!(all.iter().all(serde_json::Value::is_object), "{text}");
    all
}

#[test]
fn every_verb_speaks_json_on_both_outputs() {
    let work = Workplace::new();
    work.write("a.svm", "red 1:1\ngreen 2:1\nx y\nblue 3:2\nred 1:2\n").write("new.svm", "1:1\n9:1\n? 1:x\n");
    work.ok("train a.svm --multiclass -a perceptron -f m.thw -p p.jsonl -q");
    assert_eq!(objects(&String::from_utf8(work.read("p.jsonl")).unwrap()).len(), 5);
    for command in [
        "train a.svm --multiclass --json",
        "train a.svm --multiclass -t a.svm --json -q",
        "predict -i m.thw new.svm --json",
        "eval -i m.thw a.svm --json",
        "explain -i m.thw new.svm --json",
        "inspect m.thw --json",
        "inspect m.thw --weights --json",
        "describe a.svm --json",
        "select a.svm --multiclass -a perceptron --json",
        "convert a.svm b.csv --json",
        "convert a.svm b.csv --json -q",
        "generate sparse-gaussian --examples 10 -o g.svm --json",
        "learners ssol --json",
    ] {
        let outcome = work.ok(command);
        let (results, remarks) = (objects(&outcome.stdout), objects(&outcome.stderr));
        assert!(!results.is_empty(), "{command}");
        let reads = command.contains(".svm") && !command.starts_with("generate");
        assert_eq!(
            remarks.iter().filter(|line| line.get("bad_line").is_some()).count() > 0,
            reads,
            "{command}"
        );
    }
    let predictions = objects(&work.ok("predict -i m.thw new.svm --json").stdout);
    assert_eq!(predictions.len(), 3);
    assert_eq!((&predictions[0]["predicted"], &predictions[2]["predicted"]), (&"red".into(), &().into()));
    assert!(predictions[0]["scores"]["red"].as_f64() > predictions[0]["scores"]["blue"].as_f64());
    let text = work.ok("predict -i m.thw new.svm").stdout;
    assert!(text.starts_with("blue:") && text.contains(" red:") && text.contains("\tred\n"), "{text}");
}

#[test]
fn sorted_labels_are_noticed_once_and_shuffled_ones_are_not() {
    let work = Workplace::new();
    let sorted: String = (0..4_000).map(|i| format!("{} {}:1\n", i / 2_000, i % 7 + 1)).collect();
    work.write("sorted.svm", &sorted);
    for flags in ["-q", "-q --passes 3", "-q --threads 0", "-q --cache", "-q --cache"] {
        let told = work.ok(&format!("train sorted.svm {flags}")).stderr;
        let expected =
            "warning: labels come in long runs: 2 in 4,000 examples, random order would have about 2,001.";
        assert!(told.starts_with(expected) && told.lines().count() == 1, "{flags}: {told}");
    }
    for flags in ["--shuffle", "-a dcd", "--shuffle --passes 2"] {
        assert_eq!(work.ok(&format!("train sorted.svm -q {flags}")).stderr, "", "{flags}");
    }
    let report = work.ok("train sorted.svm --json");
    assert!(
        report.stdout.contains(r#""long_runs":{"examples":4000,"runs":2,"expected":2001.0}"#),
        "{}",
        report.stdout
    );
    assert!(report.stderr.contains(r#"{"warning":"labels come in long runs"#), "{}", report.stderr);
    let described = work.ok("describe sorted.svm").stdout;
    assert!(described.contains("--shuffle                labels come in 2 runs"), "{described}");
    // Clear long before the end.
    work.write("long.svm", sorted + &"1 1:1\n".repeat(100_000));
    assert!(work.ok("train long.svm -q").stderr.contains("2 in 4,096 examples"));
}
