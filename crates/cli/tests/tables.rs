//! Tables as people have them: with other delimiters, decimal commas, encodings, missing values, dates.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::Workplace;

/// Rows of a table with a delimiter, in which the first number tells the label.
fn rows(delimiter: &str, count: usize, number: impl Fn(usize) -> String) -> String {
    let row = |i: usize| {
        let label = if i.is_multiple_of(2) { "no" } else { "yes" };
        [number(i), format!("\"x{delimiter}{}\"", i % 3), label.to_string()].join(delimiter) + "\n"
    };
    (0..count).map(row).collect()
}

fn number(i: usize) -> String {
    format!("{}.5", if i.is_multiple_of(2) { -1 } else { 1 })
}

/// The same model, whatever the table looks like.
fn weights(work: &Workplace, model: &str) -> String {
    work.ok(&format!("inspect {model} --weights")).stdout.replace([';', '|', ',', '\t'], "")
}

#[test]
fn delimiters_are_seen_in_the_first_lines_and_remembered() {
    let work = Workplace::new();
    let table = |delimiter: &str| format!("n{delimiter}c{delimiter}label\n{}", rows(delimiter, 300, number));
    for (delimiter, name) in [(",", "comma"), (";", "semicolon"), ("|", "bar")] {
        work.write(&format!("{name}.csv"), table(delimiter));
        work.ok(&format!("train {name}.csv -a arow -q -f {name}.thw"));
        assert_eq!(weights(&work, "comma.thw"), weights(&work, &format!("{name}.thw")), "{name}");
    }
    // From a pipe, with any number of threads, and by a flag.
    let semicolons = table(";");
    for args in ["", "--threads 0", "--format csv", "--delimiter ;", "--format tsv --delimiter ;"] {
        let outcome = work.run_with(&format!("train - -a arow -q -f stdin.thw {args}"), &semicolons);
        assert_eq!(outcome.code, 0, "{args} {}", outcome.stderr);
        assert_eq!(weights(&work, "comma.thw"), weights(&work, "stdin.thw"), "{args}");
    }
    work.write("odd.csv", table("^"));
    let outcome = work.run("train odd.csv -q");
    assert!(
        outcome.stderr.contains("are \"n^c^label\"; if there are more, --delimiter sets what separates them"),
        "{}",
        outcome.stderr
    );
    work.ok("train odd.csv --delimiter ^ -a arow -q -f odd.thw");
    // A model reads its own kind, and what is certainly of another.
    for model in ["comma.thw", "semicolon.thw", "odd.thw"] {
        for (data, delimiter) in [("a.csv", ","), ("b.csv", ";"), ("c.csv", "|"), ("d.csv", "\t")] {
            // What is between tabs is meant as it is.
            let text = table(delimiter);
            work.write(
                data,
                if delimiter == "\t" { text.replace("x\t", "x,").replace('"', "") } else { text },
            );
            let report = work.ok(&format!("eval -i {model} {data} --json")).stdout;
            assert!(
                report.contains("\"examples\":300,") && report.contains("\"error\":0.0"),
                "{model} {data} {report}"
            );
        }
    }
    work.ok("eval -i odd.thw odd.csv");
    // Several files need not agree.
    work.ok("train comma.csv semicolon.csv bar.csv -q --strict -f all.thw");
    for wrong in ["a", "\"", "ab", "é", "7"] {
        let outcome = work.run(&format!("train odd.csv --delimiter {wrong}"));
        assert_eq!(outcome.code, 2, "{wrong} {}", outcome.stderr);
    }
}

#[test]
fn a_model_and_its_cache_agree_on_the_delimiter() {
    let work = Workplace::new();
    work.write("a.csv", format!("n;c;label\n{}", rows(";", 300, number)));
    for model in ["without.thw", "writes.thw --cache", "reads.thw --cache"] {
        work.ok(&format!("train a.csv -q -f {model}"));
    }
    assert!(work.path("a.csv.thwcache").exists());
    assert_eq!(work.read("without.thw"), work.read("writes.thw"));
    assert_eq!(work.read("without.thw"), work.read("reads.thw"));
    // Without a header, the model knows what the first line alone does not tell.
    work.write("no-header.csv", rows(";", 300, number));
    work.ok("train no-header.csv --no-header --label-col 3 -q --strict -f m.thw");
    let outcome = work.run_with("predict -i m.thw -", "1.5;a, b, c\n");
    assert!(outcome.stderr.contains("expected 2 fields") || outcome.code == 0, "{}", outcome.stderr);
    let outcome = work.run_with("predict -i m.thw -", "1.5;a, b, c, d;yes\n");
    assert_eq!((outcome.code, outcome.stdout.lines().count()), (0, 1), "{}", outcome.stderr);
}

#[test]
fn decimal_commas() {
    let work = Workplace::new();
    let comma = |i: usize| number(i).replace('.', ",");
    work.write("points.csv", format!("n,c,label\n{}", rows(",", 100, number)));
    work.write("commas.csv", format!("n;c;label\n{}", rows(";", 100, comma)));
    work.ok("train points.csv -q -a arow -f points.thw");
    work.ok("train commas.csv -q -a arow --decimal-comma -f commas.thw");
    assert_eq!(weights(&work, "points.thw"), weights(&work, "commas.thw"));
    // A model remembers it, and another may be told.
    for args in ["-i commas.thw", "-i points.thw --decimal-comma"] {
        let report = work.ok(&format!("eval {args} commas.csv --json")).stdout;
        assert!(report.contains("\"error\":0.0"), "{args} {report}");
    }
    let outcome = work.run_with("train --format csv --decimal-comma --strict", "n;label\n0.5;1\n");
    assert!(
        outcome.stderr.contains("2:1: with --decimal-comma, a number must have a decimal comma, got \"0.5\""),
        "{}",
        outcome.stderr
    );
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn text_may_be_encoded_in_many_ways() {
    let work = Workplace::new();
    let rows: String =
        (0..9000).map(|i| format!("café {},{}\n", i % 7, if i % 7 < 3 { "é" } else { "b" })).collect();
    let text = format!("word,label\n{rows}");
    work.write("utf-8.csv", &text).write("marked.csv", format!("\u{feff}{text}"));
    work.write("utf-16.csv", utf16(&format!("\u{feff}{text}"))).write("bare.csv", utf16(&text));
    let big: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap()).collect();
    work.write("big.csv", big).write("latin.csv", &latin);
    work.ok("train utf-8.csv -q -f utf-8.thw");
    for name in ["marked", "utf-16", "bare", "big"] {
        for args in ["", "--threads 0", "--cache", "--cache --threads 3"] {
            work.ok(&format!("train {name}.csv -q --strict {args} -f other.thw"));
            assert!(work.read("utf-8.thw") == work.read("other.thw"), "{name} {args}");
        }
    }
    let piped = work.run_with("train -q --strict -f piped.thw", utf16(&text));
    assert_eq!(piped.code, 0, "{}", piped.stderr);
    assert!(work.read("utf-8.thw") == work.read("piped.thw"));
    // What is not UTF-8 is not guessed, but there is a hint.
    work.ok("train latin.csv -q --strict --encoding latin-1 -f latin.thw");
    assert_eq!(weights(&work, "utf-8.thw"), weights(&work, "latin.thw"));
    let hint = "warning: latin.csv:2: the text is not UTF-8; it looks like latin-1 (Windows-1252): use --encoding latin-1";
    let words: Vec<u8> = latin
        .split(|byte| *byte == b'\n')
        .flat_map(|line| {
            let line = line.strip_suffix(b"\xe9").unwrap_or(line);
            [line, if line.ends_with(b",") { b"e" } else { b"" }, b"\n"].concat()
        })
        .collect();
    work.write("latin.csv", words);
    assert!(work.run("train latin.csv").stderr.contains(hint));
    work.write("latin.csv", &latin);
    assert!(work.run("train latin.csv").stderr.contains("(--encoding latin-1 reads Windows-1252)"));
    // The model remembers it, and reads what says that it is something else.
    for data in ["latin.csv", "utf-16.csv", "utf-8.csv --encoding utf-8"] {
        let report = work.ok(&format!("eval -i latin.thw {data} --json")).stdout;
        assert!(report.contains("\"error\":0.0"), "{data} {report}");
    }
    assert_eq!(work.run("train latin.csv --encoding klingon").code, 2);
}

#[test]
fn a_mark_is_no_part_of_the_first_label() {
    let work = Workplace::new();
    for (name, text) in [
        ("a.svm", "1 3:1\n0 4:1\n1 3:1\n"),
        ("a.vw", "1 |w a\n0 |w b\n1 |w a\n"),
        ("a.jsonl", "{\"label\": 1, \"a\": 1}\n{\"label\": 0, \"b\": 1}\n"),
        ("a.tsv", "label\ta\n1\t1\n0\t2\n"),
    ] {
        work.write(name, format!("\u{feff}{text}"));
        work.ok(&format!("train {name} -q --strict -f m.thw"));
        assert!(work.ok("inspect m.thw").stdout.contains("0 (negative), 1 (positive)"), "{name}");
        let outcome = work.run_with("train - -q --strict -f piped.thw", format!("\u{feff}{text}"));
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    }
}

#[test]
fn missing_values_are_alike_in_all_formats() {
    let work = Workplace::new();
    for (name, text) in [
        ("a.csv", "label,a,b\n1,NaN,NA\n0,null,2\nNA,1,1\n1,3,\n"),
        ("a.tsv", "label\ta\tb\n1\tN/A\t\\N\n0\tNone\t2\n\t1\t1\n1\t3\tNULL\n"),
        (
            "a.jsonl",
            "{\"label\": 1, \"a\": NaN}\n{\"label\": 0, \"a\": null, \"b\": 2}\n{\"label\": \"nan\", \"a\": 1, \"b\": 1}\n{\"label\": 1, \"a\": 3, \"b\": \"NA\"}\n",
        ),
        ("a.vw", "1 | a:nan\n0 | a:NA b:2\nnan | a:1 b:1\n1 | a:3 b:nan\n"),
    ] {
        work.write(name, text);
        let described = work.ok(&format!("describe {name} --json")).stdout;
        assert!(
            described.contains("\"unlabelled\":1,") && described.contains("\"nonzeros\":4,"),
            "{name} {described}"
        );
        let trained = work.run(&format!("train {name} -q"));
        assert!(
            trained.stderr.contains(":4:1: the line has no label")
                || trained.stderr.contains(":3:1: the line has no label"),
            "{}",
            trained.stderr
        );
        assert!(work.ok(&format!("convert {name} -q b.svm --to libsvm --hash-bits 4")).code == 0);
    }
    work.write("a.svm", "1 1:nan\n0 2:2 1:NA\nnan 1:1 2:1\n1 1:3 2:nan\n");
    assert!(work.ok("describe a.svm --json").stdout.contains("\"nonzeros\":4,"));
}

#[test]
fn codes_are_features_as_they_are_spelled() {
    let work = Workplace::new();
    work.write("a.csv", "label,zip,country,n\n1,08001,NA,1\n0,8001,DE,2\n1,1.0,\"NA\",3\n0,1,,4\n");
    work.ok("train a.csv --category zip --category country -a arow --strict -q -f csv.thw");
    let names = work.ok("inspect csv.thw --weights").stdout;
    for name in ["zip=08001", "zip=8001", "zip=1.0", "zip=1", "country=NA", "country=DE"] {
        assert!(
            names.lines().any(|line| line.split_whitespace().any(|word| word == name)),
            "{name}\n{names}"
        );
    }
    work.write(
        "a.jsonl",
        "{\"label\":1,\"zip\":\"08001\",\"country\":\"NA\",\"n\":1}\n{\"label\":0,\"zip\":8001,\"country\":[\"DE\"],\"n\":2}\n\
         {\"label\":1,\"zip\":1.0,\"country\":\"NA\",\"n\":3}\n{\"label\":0,\"zip\":1,\"country\":null,\"n\":4}\n",
    );
    work.ok("train a.jsonl --category zip --category country -a arow --strict -q -f json.thw");
    assert_eq!(weights(&work, "csv.thw"), weights(&work, "json.thw"));
    // The model remembers it; without the column there is nothing to score.
    assert!(work.ok("eval -i csv.thw a.csv --json").stdout.contains("\"error\":0.0"));
    let outcome = work.run_with("predict -i csv.thw --format csv", "country,n\nDE,1\n");
    assert!(outcome.stderr.contains("there is no column \"zip\" for the categories"), "{}", outcome.stderr);
    assert_eq!(work.run("train a.csv -i csv.thw --category n").code, 2);
}

#[test]
fn dates_become_features() {
    let work = Workplace::new();
    work.write("a.csv", "label,when\n1,2024-02-29 13:05:00\n0,2024-03-02\n1,NA\n0,1709211900\n");
    work.ok("train a.csv --date when -a arow --strict -q -f m.thw");
    let names = work.ok("inspect m.thw --weights").stdout;
    for name in [
        "when.weekday=thu",
        "when.weekday=sat",
        "when.month=feb",
        "when.month=mar",
        "when.hour=13",
        "when.years",
    ] {
        assert!(names.contains(name), "{name}\n{names}");
    }
    let outcome = work.run_with("train --format csv --date when --strict", "label,when\n1,29.02.2024\n");
    assert!(outcome.stderr.contains("2:3: expected a date, such as 2024-02-29"), "{}", outcome.stderr);
    // What was made of dates can be kept and scored.
    work.ok("convert a.csv --date when -q made.jsonl");
    work.ok("convert a.csv --date when -q made.csv");
    let scores = work.ok("predict -i m.thw a.csv").stdout;
    assert_eq!(work.ok("predict -i m.thw made.csv").stdout, scores);
    assert_eq!(work.ok("predict -i m.thw made.jsonl").stdout, scores);
}

#[test]
fn an_index_of_rows_is_no_feature() {
    let work = Workplace::new();
    let rows = |index: bool| -> String {
        let row = |i: usize| {
            format!("{}{},{}\n", if index { format!("{i},") } else { String::new() }, i % 2, i % 2 * 3)
        };
        (0..3000).map(row).collect()
    };
    work.write("without.csv", format!("label,a\n{}", rows(false)));
    work.ok("train without.csv -q -f without.thw");
    for (name, header) in
        [("pandas", ",label,a"), ("again", "Unnamed: 0,label,a"), ("quoted", "\"\",label,a")]
    {
        work.write(&format!("{name}.csv"), format!("{header}\n{}", rows(true)));
        for threads in [0, 3] {
            let outcome = work.ok(&format!("train {name}.csv {name}.csv --threads {threads} -f {name}.thw"));
            assert_eq!(
                outcome.stderr.matches("counts the rows and is ignored; --category 1").count(),
                1,
                "{}",
                outcome.stderr
            );
        }
        work.ok(&format!("train {name}.csv -q -f {name}.thw"));
        assert_eq!(work.read("without.thw"), work.read(&format!("{name}.thw")), "{name}");
        assert!(!work.ok(&format!("eval -i {name}.thw without.csv")).stderr.contains("counts the rows"));
    }
    // Whoever names it has it.
    assert!(
        work.ok("predict -i without.thw pandas.csv").stdout.lines().all(|line| line.split('\t').count() == 2)
    );
    work.ok("train pandas.csv -q --id-col 1 -f ids.thw");
    let scores = work.ok("predict -i ids.thw pandas.csv");
    assert!(scores.stdout.lines().nth(7).unwrap().ends_with("\t7"), "{}", scores.stdout);
}

#[test]
fn a_table_without_a_header_is_noticed() {
    let work = Workplace::new();
    work.write("a.csv", "5.1,3.5,1\n4.9,3.0,0\n4.7,3.2,1\n");
    let advice = "the first line looks like an example, not like a header; if it is one, use --no-header";
    assert!(work.run("train a.csv").stderr.contains(advice));
    assert!(work.run("train a.csv --label-col 3").stderr.contains(&format!("warning: a.csv:1: {advice}")));
    assert!(!work.run("train a.csv --label-col 3 --no-header").stderr.contains("warning"));
    work.write("b.tsv", "ham\thello\nham\tthere\nspam\tmoney\n");
    assert!(work.run("train b.tsv --label-col 1").stderr.contains(advice));
    work.write("c.csv", "1,1,0\n1,0,1\n");
    let advice = "if the first line is an example, use --no-header";
    assert!(work.run("train c.csv --label-col 3").stderr.contains(advice));
}

#[test]
fn a_column_that_is_not_there_may_be_another() {
    let work = Workplace::new();
    work.write("a.csv", "label,message\n1,hello\n0,there\n");
    let said = |args: &str| work.run(&format!("train a.csv {args}")).stderr;
    assert!(said("--label-col lable").contains("there is no column \"lable\" for the label (did you mean \"label\"?); the columns are \"label\", \"message\""));
    assert!(said("--text Mesage").contains("(did you mean \"message\"?)"));
    assert!(said("--text body").contains("for the text; the columns are"));
    work.write("a.jsonl", "{\"label\": 1}\n");
    let outcome = work.run("train a.jsonl --label-col lable");
    assert!(
        outcome.stderr.contains("the line has no label: there is nothing in \"lable\""),
        "{}",
        outcome.stderr
    );
    let columns: Vec<String> = (0..100_000).map(|i| format!("c{i}")).collect();
    work.write("wide.csv", columns.join(",") + "\n" + &"1,".repeat(99_999) + "1\n");
    let outcome = work.run("train wide.csv");
    assert!(
        outcome.stderr.len() < 1000 && outcome.stderr.contains("\"c29\" and 99970 more"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn arrays_of_objects_are_read_like_json_lines() {
    let work = Workplace::new();
    let object = |i: usize| serde_json::json!({"label": i % 2, "n": i % 2 * 3, "in": {"w": format!("a}}{{\"{}", i % 7)}});
    let objects: Vec<serde_json::Value> = (0..20_000).map(object).collect();
    let lines: String = objects.iter().map(|object| format!("{object}\n")).collect();
    work.write("lines.jsonl", lines);
    work.write("compact.json", serde_json::to_string(&objects).unwrap());
    work.write("pretty.json", serde_json::to_string_pretty(&objects).unwrap());
    work.ok("train lines.jsonl -q --strict -f lines.thw");
    for name in ["compact.json", "pretty.json"] {
        for args in ["--threads 0", "--threads 3", "--cache", "--cache"] {
            work.ok(&format!("train {name} -q --strict {args} -f other.thw"));
            assert!(work.read("lines.thw") == work.read("other.thw"), "{name} {args}");
        }
        let piped = work.run_with("train - -q --strict -f piped.thw", work.read(name));
        assert_eq!(piped.code, 0, "{}", piped.stderr);
        assert!(work.read("lines.thw") == work.read("piped.thw"), "{name}");
    }
    // A broken item costs itself, and what is kept of it is a line.
    work.write("bad.json", "[\n {\"label\": 1, \"a\": 1},\n {\"label\": 0,\n  \"a\": \"x\n },\n {\"label\": 0, \"a\": 2}, 7\n]\n");
    let outcome = work.ok("train bad.json --reject-file bad.jsonl");
    assert!(
        outcome.stdout.contains("2 in 1 pass (2 bad lines skipped)"),
        "{} {}",
        outcome.stdout,
        outcome.stderr
    );
    assert_eq!(String::from_utf8(work.read("bad.jsonl")).unwrap().lines().count(), 2);
    work.write("numbers.json", "[1, 2, 3]");
    assert_eq!(work.run("train numbers.json").code, 1);
}

#[test]
fn columns_that_are_certainly_something_else_are_told_once() {
    let work = Workplace::new();
    let row = |i: usize| {
        let date = format!("2024-{:02}-{:02} 10:{:02}:00", i % 12 + 1, i % 28 + 1, i % 60);
        format!(
            "{};dear friend number {i};http://x.org/{i};{date};{},5;{}\n",
            i % 2,
            i % 9,
            ["red", "blue sky"][i % 2]
        )
    };
    let table = format!("label;my message;link;when;price;color\n{}", (0..2000).map(row).collect::<String>());
    work.write("a.csv", &table);
    let warnings = |outcome: &common::Outcome| {
        outcome
            .stderr
            .lines()
            .filter(|line| line.starts_with("warning"))
            .map(String::from)
            .collect::<Vec<_>>()
    };
    let expected = [
        "warning: column \"link\" looks like web addresses; add --url link",
        "warning: column \"my message\" looks like text; add --text \"my message\"",
        "warning: column \"price\" looks like numbers with a decimal comma; add --decimal-comma",
        "warning: column \"when\" looks like dates; add --date when",
    ];
    for args in [
        "train a.csv -f m.thw",
        "train a.csv --threads 0 --passes 2",
        "train a.csv --shuffle",
        "train a.csv --cache",
    ] {
        assert_eq!(warnings(&work.ok(args)), expected, "{args}");
    }
    // Not for a model that goes on, and not for data that is scored.
    for args in ["train a.csv -i m.thw", "eval -i m.thw a.csv"] {
        assert!(warnings(&work.ok(args)).is_empty(), "{args}");
    }
    work.ok("convert a.csv -q a.jsonl --ignore link --ignore when");
    assert!(
        warnings(&work.ok("train a.csv --url link --date when --decimal-comma"))
            .iter()
            .all(|line| line.contains("my message"))
    );
    let described = work.ok("describe a.csv").stdout;
    for flag in ["--date when", "--text 'my message'", "--url link", "--decimal-comma"] {
        assert!(described.contains(flag), "{flag} {described}");
    }
    assert!(!described.contains("--text when"));
    // A short table is looked at when it ends.
    let short: String = table.lines().take(40).map(|line| format!("{line}\n")).collect();
    let outcome = work.run_with("train --format csv", short);
    assert_eq!(warnings(&outcome).len(), 4, "{}", outcome.stderr);
}

#[test]
fn quoted_line_ends_are_part_of_their_field_however_many_threads_read() {
    let work = Workplace::new();
    let row =
        |i: usize| format!("{i},\"line one {}\nline \"\"two\"\", {}\r\n\nend\",{}\n", i % 7, i % 5, i % 2);
    work.write("a.csv", format!("id,note,label\n{}", (0..30_000).map(row).collect::<String>()));
    let mut models = Vec::new();
    for args in ["--threads 0", "--threads 1", "--threads 4", "--threads 4 --cache", "--threads 4 --cache"] {
        let report =
            work.ok(&format!("train a.csv --text note --id-col id --strict --json -f m.thw {args}")).stdout;
        assert!(report.contains("\"examples\":30000,"), "{args} {report}");
        models.push(work.read("m.thw"));
    }
    let piped = work.run_with("train - --text note --id-col id --strict -q -f m.thw", work.read("a.csv"));
    assert_eq!(piped.code, 0, "{}", piped.stderr);
    models.push(work.read("m.thw"));
    assert!(models.iter().all(|model| *model == models[0]));
    let scores = work.ok("predict -i m.thw a.csv --threads 4").stdout;
    assert!(scores.lines().enumerate().all(|(i, line)| line.ends_with(&format!("\t{i}"))));
}
