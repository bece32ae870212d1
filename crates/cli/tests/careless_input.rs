//! Data as careless people and programs leave it: what is lost is little, and said.
#![allow(clippy::unwrap_used)]

mod common;

use common::Workplace;

fn table(rows: usize, row: impl Fn(usize) -> Option<String>) -> String {
    let usual = |i: usize| format!("{},{},x{}\n", i % 2, i % 7, i % 3);
    let rows: String = (0..rows).map(|i| row(i).unwrap_or_else(|| usual(i))).collect();
    format!("label,a,b\n{rows}")
}

#[test]
fn a_stray_quote_costs_one_row() {
    let place = Workplace::new();
    place.write("a.csv", table(4_000, |i| (i == 9).then(|| "1,\"2,x\n".into())));
    for threads in [0, 1, 3] {
        let outcome = place.ok(&format!("train a.csv --json --threads {threads}"));
        assert!(outcome.stdout.contains("\"examples\":3999") && outcome.stdout.contains("\"bad_lines\":1"));
        let bad = r#"{"bad_line":{"column":3,"file":"a.csv","line":11,"message":"this quote must be closed"#;
        assert!(outcome.stderr.contains(bad), "{}", outcome.stderr);
        let outcome = place.ok(&format!("train a.csv --threads {threads} -q"));
        assert!(outcome.stderr.contains("a.csv:11:3: this quote must be closed"), "{}", outcome.stderr);
    }
    assert_eq!(place.run("train a.csv --strict").code, 1);
    assert_eq!(place.run("train a.csv --max-bad 0").code, 1);
}

#[test]
fn one_bad_label_does_not_cost_the_model() {
    let place = Workplace::new();
    place.write("a.csv", table(3_000, |i| (i == 2_999).then(|| "xx,1,x\n".into())));
    let outcome = place.ok("train a.csv -q -f m.thw --reject-file rejects");
    assert!(outcome.stderr.contains("a.csv:3001:1: a third label, \"xx\""), "{}", outcome.stderr);
    assert_eq!(place.read("rejects"), b"xx,1,x\n");
    place.ok("inspect m.thw");
    // A third class is an error as ever.
    place.write("b.csv", table(3_000, |i| Some(format!("{},1,x\n", i % 3))));
    let outcome = place.run("train b.csv -q -f m.thw");
    assert!(outcome.code == 1 && outcome.stderr.contains("thalweg: b.csv:4:1: a third label, \"2\""));
}

#[test]
fn labels_that_are_not_there_or_are_no_classes_are_errors() {
    let place = Workplace::new();
    place.write("a.csv", table(100, |_| None)).write("b.csv", table(5_000, |i| Some(format!("{i}.5,1,x\n"))));
    let outcome = place.run("train a.csv -q --positive 7 -f m.thw");
    let message = "thalweg: a.csv: no label is \"7\"; the labels are \"0\", \"1\"";
    assert!(outcome.stderr.starts_with(message), "{}", outcome.stderr);
    assert!(outcome.code == 1 && !place.path("m.thw").exists());
    let outcome = place.run("train b.csv -q --multiclass");
    assert!(
        outcome.code == 1 && outcome.stderr.contains("is one more than 4096 classes"),
        "{}",
        outcome.stderr
    );
    place.ok("describe b.csv");
    place.ok("train b.csv -q --multiclass --max-classes 5000 -a perceptron");
}

#[test]
fn tables_are_told_by_their_beginning() {
    let place = Workplace::new();
    let csv = table(50, |_| None);
    for text in [csv.clone(), csv.replace(',', "\t")] {
        place.write("a", &text);
        for outcome in [place.run_with("describe", &text), place.run("describe a")] {
            assert!(
                outcome.code == 0 && outcome.stdout.contains("examples           50"),
                "{}",
                outcome.stderr
            );
        }
    }
    place.write("mac.csv", csv.replace('\n', "\r"));
    let outcome = place.run("train mac.csv -q -f m.thw");
    assert!(
        outcome.code == 1 && outcome.stderr.contains("mac.csv:1:10: a carriage return"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn nothing_is_not_described() {
    let place = Workplace::new();
    place.write("a.svm", "").write("b.csv", "label,a\n");
    for name in ["a.svm", "b.csv"] {
        let outcome = place.run(&format!("describe {name}"));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""));
        assert_eq!(outcome.stderr, format!("thalweg: {name}: the data is empty\n"));
    }
}

#[test]
fn there_is_a_line_of_predictions_for_every_record() {
    let place = Workplace::new();
    let row = |i: usize| match i % 100 {
        7 => Some("1,\"2,x\n".to_string()),
        8 => Some("1,2\n".to_string()),
        50 => Some("\n,2,x\n".to_string()),
        51 if i % 300 == 51 => Some("maybe,2,x\n".to_string()),
        _ => None,
    };
    place.write("a.csv", table(3_000, row) + "1,2\n");
    place.ok("train a.csv -q -f m.thw -p during.txt --passes 2");
    let lines =
        |text: Vec<u8>| String::from_utf8(text).unwrap().lines().map(String::from).collect::<Vec<_>>();
    let during = lines(place.read("during.txt"));
    let unused = |i: usize| i == 3_000 || [7, 8, 50].contains(&(i % 100)) || i % 300 == 51;
    // In the second pass examples have been learned from: predictions are of the first.
    assert_eq!(during.len(), 3_001);
    assert!((0..3_001).all(|i| (during[i] == "?\t?") == unused(i)));
    place.ok("train a.csv -q -p once.txt");
    assert_eq!(lines(place.read("once.txt")), during);
    for threads in [0, 1, 4] {
        let outcome = place.ok(&format!("predict a.csv -i m.thw --threads {threads}"));
        let predicted: Vec<&str> = outcome.stdout.lines().collect();
        let unread = |i: usize| i == 3_000 || [7, 8].contains(&(i % 100));
        assert_eq!(predicted.len(), 3_001);
        assert!((0..3_001).all(|i| (predicted[i] == "?\t?") == unread(i)), "{threads} threads");
    }
}

#[test]
fn a_model_knows_how_its_tables_look() {
    let work = Workplace::new();
    let rows =
        |n: usize| (0..n).map(|i| format!("{},{},{}\n", i % 2, [-5, 5][i % 2], i % 3)).collect::<String>();
    work.write("headless.csv", rows(200)).write("with.csv", "label,a,b\n".to_string() + &rows(200));
    work.ok("train headless.csv --no-header --label-col 1 -q -a arow -f headless.thw");
    work.ok("train with.csv -q -a arow -f with.thw");
    let report: serde_json::Value =
        serde_json::from_str(&work.ok("eval -i headless.thw headless.csv --json").stdout).unwrap();
    assert_eq!((&report["examples"], &report["mistakes"]), (&200.into(), &0.into()), "{report}");
    // One row, whose look tells nothing, is taken for what the model expects.
    let outcome = work.run_with("predict -i headless.thw -", "1,5,2\n");
    assert!(outcome.code == 0 && outcome.stdout.ends_with("\t1\n"), "{}", outcome.stderr);
    let outcome = work.run_with("predict -i with.thw -", "a,b\n5,2\n");
    assert!(outcome.code == 0 && outcome.stdout.ends_with("\t1\n"), "{}", outcome.stderr);
    // What is certainly something else is read as that.
    let outcome = work.run_with("predict -i with.thw -", "{\"a\": 5}\n");
    assert!(outcome.code == 0 && outcome.stdout.ends_with("\t1\n"), "{}", outcome.stderr);
}

#[test]
fn a_table_that_lacks_what_a_model_needs_is_not_scored() {
    let work = Workplace::new();
    let rows: String =
        (0..40).map(|i| format!("{},{}\n", i % 2, ["good day", "free money"][i % 2])).collect();
    work.write("mails.csv", format!("label,subject\n{rows}"));
    work.ok("train mails.csv --text subject -q -f m.thw");
    work.write("other.csv", "title\nfree money\n")
        .write("other.jsonl", "{\"title\": \"free money\"}\n{\"subject\": \"free\"}\n");
    let outcome = work.run("predict -i m.thw other.csv");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""));
    assert!(outcome.stderr.contains("there is no column \"subject\" for the text"), "{}", outcome.stderr);
    // Features that were made of the text are as good.
    work.ok("convert mails.csv made.csv --text subject -q");
    work.ok("convert mails.csv made.parquet --text subject -q");
    let expected = work.ok("predict -i m.thw mails.csv").stdout;
    for made in ["made.csv", "made.parquet"] {
        assert_eq!(work.ok(&format!("predict -i m.thw {made}")).stdout, expected, "{made}");
    }
    for verb in ["predict", "explain"] {
        let outcome = work.run(&format!("{verb} -i m.thw other.jsonl"));
        let expected = "1 of 2 examples has no feature that the model knows";
        assert!(outcome.stderr.contains(expected), "{verb}: {}", outcome.stderr);
    }
}

#[test]
fn memory_has_a_limit_that_is_said() {
    let work = Workplace::new();
    work.write("a.vw", (0..20_000).map(|i| format!("{} |w x{i} y{}\n", i % 2, i % 7)).collect::<String>());
    let outcome = work.run("train a.vw -q -f m.thw --max-memory 1M");
    assert_eq!(outcome.code, 1);
    assert!(outcome.stderr.contains("more than the 1.0 MiB allowed (--max-memory)"), "{}", outcome.stderr);
    assert!(!work.path("m.thw").exists());
    let outcome = work.run("train a.vw -q --shuffle --max-memory 100K");
    assert!(outcome.stderr.contains("more than the 100 KiB of memory"), "{}", outcome.stderr);
    for args in ["train a.vw --threads 100000", "predict -i m.thw a.vw --threads 1000000000"] {
        assert_eq!(work.run(args).code, 2, "{args}");
    }
}
