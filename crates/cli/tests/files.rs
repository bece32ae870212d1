//! What happens to files: none is lost, half-written, or written over by mistake.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

use common::Workplace;

/// Examples that can be told apart.
fn lines(examples: usize) -> String {
    (0..examples).map(|i| format!("{} {}:1 {}:0.5\n", i % 2, 1 + i % 2, 3 + i % 7)).collect()
}

/// A folder with data, test data and a model.
fn workplace() -> Workplace {
    let work = Workplace::new();
    work.write("d.svm", lines(300)).write("t.svm", lines(50));
    work.ok("train d.svm -q -a arow -f m.thw");
    work
}

fn spawn(work: &Workplace, args: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_thalweg"))
        .args(args.split_whitespace())
        .current_dir(work.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    assert!(
        Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap().success()
    );
}

fn temporary_files(work: &Workplace) -> usize {
    let names = fs::read_dir(work.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_str().unwrap().starts_with(".thalweg-")).count()
}

#[test]
fn no_output_is_written_over_an_input_or_another_output() {
    let work = workplace();
    fs::hard_link(work.path("d.svm"), work.path("hard.svm")).unwrap();
    std::os::unix::fs::symlink(work.path("m.thw"), work.path("soft.thw")).unwrap();
    work.write("c.svm.thwcache", "");
    let names = ["d.svm", "t.svm", "m.thw", "c.svm.thwcache"];
    let before = names.map(|name| work.read(name));
    for args in [
        "predict -i m.thw d.svm -p m.thw",
        "predict -i m.thw d.svm -p soft.thw",
        "predict -i m.thw d.svm -p d.svm",
        "predict -i m.thw d.svm --reject-file m.thw",
        "eval -i m.thw d.svm --reject-file m.thw",
        "explain -i m.thw d.svm --reject-file d.svm",
        "train d.svm -i m.thw -p m.thw",
        "train d.svm --reject-file m.thw -i m.thw",
        "train d.svm -t t.svm -f t.svm",
        "train d.svm -t t.svm -p t.svm",
        "train d.svm -p hard.svm",
        "train d.svm -f hard.svm",
        "train d.svm -f x -p x",
        "train d.svm -f x --reject-file ./x",
        "train d.svm -f - -p -",
        "train c.svm --cache -f c.svm.thwcache",
        "select d.svm --output d.svm",
        "select d.svm --output x --reduced x",
        "convert d.svm hard.svm",
        "convert d.svm ./d.svm",
    ] {
        let outcome = work.run(args);
        assert_eq!(outcome.code, 2, "{args}: {}", outcome.stderr);
        assert_eq!(names.map(|name| work.read(name)), before, "{args}");
        assert!(!work.path("x").exists(), "{args}");
    }
    let data = fs::File::open(work.path("d.svm")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_thalweg"))
        .args(["train", "-", "-q", "-p", "d.svm"])
        .current_dir(work.path(""))
        .stdin(data)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    // A model may be replaced by what it becomes, and devices take everything.
    work.ok("train d.svm -q -i m.thw -f soft.thw");
    work.ok("train d.svm -q -f /dev/null -p /dev/null --reject-file /dev/null");
}

#[test]
fn where_nothing_is_learned_the_old_model_stays() {
    let work = workplace();
    let before = work.read("m.thw");
    work.write("empty.svm", "")
        .write("comments.svm", "# nothing\n\n")
        .write("refused.svm", "1 1:3e38 2:3e38\n");
    for data in ["empty.svm", "comments.svm"] {
        let outcome = work.run(&format!("train {data} -q -f m.thw"));
        assert_eq!(outcome.code, 1, "{data}");
        assert!(outcome.stderr.contains("nothing was learned"), "{}", outcome.stderr);
        assert_eq!(work.read("m.thw"), before, "{data}");
    }
    // Resuming with nothing new is no mistake.
    work.ok("train empty.svm -q -i m.thw -f m.thw");
    assert_eq!(work.read("m.thw"), before);
}

#[test]
fn what_cannot_be_written_is_said_before_anything_is_read() {
    let work = workplace();
    fs::create_dir(work.path("folder")).unwrap();
    std::os::unix::fs::symlink(work.path("nothing"), work.path("dangling")).unwrap();
    for (path, why) in [
        ("nowhere/m.thw", "No such file or directory (os error 2)\n"),
        ("folder", "it is a directory"),
        ("dangling", "it is a link to a file that does not exist"),
        ("d.svm/m.thw", "Not a directory"),
    ] {
        for verb in [
            format!("train - -q -f {path}"),
            format!("train - -q -p {path}"),
            format!("predict -i m.thw - -p {path}"),
            format!("generate rcv1-like --examples 1000000000 -o {path}"),
            format!("convert - {path} --format libsvm --to libsvm"),
        ] {
            let outcome = work.run_with(&verb, "not data at all");
            assert_eq!(outcome.code, 1, "{verb}: {}", outcome.stderr);
            assert!(outcome.stderr.contains(why), "{verb}: {}", outcome.stderr);
        }
    }
}

#[test]
fn two_runs_at_once_do_not_lose_what_one_has_learned() {
    let work = workplace();
    let mut first = spawn(&work, "train - -q -i m.thw -f m.thw -p -");
    let mut data = first.stdin.take().unwrap();
    data.write_all(lines(20_000).as_bytes()).unwrap();
    // Its first prediction shows that it has its model.
    let mut line = String::new();
    let mut predictions = BufReader::new(first.stdout.take().unwrap());
    predictions.read_line(&mut line).unwrap();
    let second = work.run("train d.svm -q -i m.thw -f m.thw");
    assert_eq!(second.code, 1);
    assert!(second.stderr.contains("m.thw: another run is writing to it"), "{}", second.stderr);
    drop(data);
    std::thread::spawn(move || std::io::copy(&mut predictions, &mut std::io::sink()));
    assert!(first.wait().unwrap().success());
    work.ok("train d.svm -q -i m.thw -f m.thw");
    let inspect = work.ok("inspect m.thw").stdout;
    assert!(inspect.contains("20,600 ("), "{inspect}");
    // One that began before there was a model keeps what it has learned beside the other's.
    let mut late = spawn(&work, "train - -q -f new.thw -p -");
    late.stdin.as_mut().unwrap().write_all(lines(20_000).as_bytes()).unwrap();
    let mut predictions = BufReader::new(late.stdout.take().unwrap());
    predictions.read_line(&mut line).unwrap();
    std::thread::spawn(move || std::io::copy(&mut predictions, &mut std::io::sink()));
    work.ok("train d.svm -q -f new.thw");
    let before = work.read("new.thw");
    let output = late.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("another program has changed it"), "{stderr}");
    assert!(stderr.contains("what was learned before that is in new.thw.rescued"), "{stderr}");
    assert_eq!(work.read("new.thw"), before);
    work.ok("eval -i new.thw.rescued d.svm");
}

#[test]
fn a_signal_ends_the_data_and_not_what_was_learned() {
    for (name, code, flags) in [("INT", 130, ""), ("TERM", 143, "--threads 0")] {
        let work = workplace();
        let mut child = spawn(&work, &format!("train - -f new.thw --json {flags}"));
        child.stdin.as_mut().unwrap().write_all(lines(5_000).as_bytes()).unwrap();
        // Progress says that something was learned; then the stream is silent, but does not end.
        let mut progress = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(progress.next().unwrap().unwrap().contains("\"examples\":1"));
        std::thread::sleep(std::time::Duration::from_millis(200));
        signal(&child, name);
        std::thread::spawn(move || progress.for_each(drop));
        let stdin = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        assert_eq!(output.status.code(), Some(code));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["interrupted"], true);
        let learned = report["examples"].as_u64().unwrap();
        assert!(learned > 0);
        let inspect: serde_json::Value =
            serde_json::from_str(&work.ok("inspect new.thw --json").stdout).unwrap();
        assert_eq!(inspect["state"]["counts"]["examples"], learned);
        assert_eq!(temporary_files(&work), 0);
    }
}

#[test]
fn what_is_not_whole_has_no_name() {
    let work = workplace();
    for args in [
        "generate url-like --examples 100000000 -o big.svm",
        "convert - big.svm --format libsvm",
        "predict -i m.thw - -p big.svm",
        "train - -f big.svm",
    ] {
        let mut child = spawn(&work, args);
        child.stdin.as_mut().unwrap().write_all(lines(3_000).as_bytes()).unwrap();
        while temporary_files(&work) == 0 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        signal(&child, "KILL");
        child.wait().unwrap();
        assert!(!work.path("big.svm").exists(), "{args}");
        // The next run removes what the dead one left.
        assert_eq!(temporary_files(&work), 1, "{args}");
        work.ok("train d.svm -q -f other.thw");
        assert_eq!(temporary_files(&work), 0, "{args}");
    }
    // A file that fails in the middle leaves the old one.
    let cut = zstd::encode_all(lines(50_000).as_bytes(), 3).unwrap();
    work.write("cut.svm.zst", &cut[..cut.len() / 2]).write("old.vw", "old");
    for args in ["convert cut.svm.zst old.vw", "predict -i m.thw cut.svm.zst -p old.vw"] {
        assert_eq!(work.run(args).code, 1);
        assert_eq!(work.read("old.vw"), b"old", "{args}");
    }
    // What was learned from its beginning is kept beside the model.
    let before = work.read("m.thw");
    let outcome = work.run("train cut.svm.zst -q -i m.thw -f m.thw");
    assert_eq!(outcome.code, 1);
    assert!(outcome.stderr.contains("is in m.thw.rescued"), "{}", outcome.stderr);
    assert_eq!(work.read("m.thw"), before);
    work.ok("eval -i m.thw.rescued d.svm");
}

#[test]
fn a_dash_is_standard_output_everywhere() {
    let work = workplace();
    let converted = work.ok("convert d.svm - --to vw");
    assert_eq!(converted.stdout.lines().count(), 300);
    assert!(converted.stderr.contains("examples           300"), "{}", converted.stderr);
    assert_eq!(work.ok("generate sparse-gaussian --examples 7 -o -").stdout.lines().count(), 7);
    assert_eq!(work.ok("select d.svm --features 3 -o - -q").stdout.lines().count(), 4);
    assert_eq!(work.ok("select d.svm --features 3 --reduced - -q").stdout.lines().count(), 300);
    let model = Command::new(env!("CARGO_BIN_EXE_thalweg"))
        .args(["train", "d.svm", "-a", "arow", "-f", "-"])
        .current_dir(work.path(""))
        .output()
        .unwrap();
    assert!(model.stdout == work.read("m.thw"));
    assert!(!work.path("-").exists());
}

#[test]
fn what_is_made_of_private_data_is_private() {
    let work = workplace();
    let mode = |name: &str| fs::metadata(work.path(name)).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(work.path("d.svm"), PermissionsExt::from_mode(0o600)).unwrap();
    work.ok("train d.svm -q -f new.thw -p new.tsv");
    work.ok("convert d.svm new.vw -q");
    assert_eq!(["new.thw", "new.tsv", "new.vw"].map(mode), [0o600; 3]);
    // A file that is replaced stays as open as it was.
    fs::set_permissions(work.path("m.thw"), PermissionsExt::from_mode(0o640)).unwrap();
    work.ok("train d.svm -q -f m.thw");
    assert_eq!(mode("m.thw"), 0o640);
}

#[test]
fn a_full_standard_error_is_no_reason_to_die() {
    let work = workplace();
    for args in ["train d.svm -f new.thw", "train nowhere.svm", "inspect d.svm"] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let status = Command::new(env!("CARGO_BIN_EXE_thalweg"))
            .args(args.split(' '))
            .current_dir(work.path(""))
            .stdout(Stdio::null())
            .stderr(full)
            .status()
            .unwrap();
        assert!(status.code().is_some_and(|code| code < 2), "{args}: {status}");
    }
    assert!(work.path("new.thw").exists());
}

#[test]
fn text_from_data_cannot_forge_lines_or_command_a_terminal() {
    let work = Workplace::new();
    let rows = "label,id,\"na\x1bme\",b\n\"spam\n9\tham\",\"1\t2\n3\",x\u{9b}2J,1\n\"a\\b\",\x1b[31m,y,2\n"
        .to_string()
        + &"\"a\\b\",4,y,2\n\"spam\n9\tham\",5,x\u{9b}2J,1\n".repeat(10);
    work.write("d.csv", rows);
    work.ok("train d.csv --id-col id -q -f m.thw");
    let predictions = work.ok("predict -i m.thw d.csv").stdout;
    assert_eq!(predictions.lines().count(), 22, "{predictions}");
    assert!(predictions.lines().all(|line| line.matches('\t').count() == 2), "{predictions}");
    assert!(predictions.contains("\tspam\\n9\\tham\t1\\t2\\n3\n"), "{predictions}");
    for args in [
        "predict -i m.thw d.csv",
        "inspect m.thw",
        "inspect m.thw --weights",
        "inspect m.thw --json",
        "explain -i m.thw d.csv",
        "explain -i m.thw d.csv --json",
        "describe d.csv",
        "describe d.csv --json",
        "eval -i m.thw d.csv",
        "select d.csv --features 3",
        "train d.csv --id-col id",
        "train d.csv --id-col no\x1bwhere",
        "train no\x1bwhere.csv",
        "train d.csv -a no\x1bsuch",
    ] {
        let outcome = work.run(args);
        for text in [outcome.stdout, outcome.stderr] {
            let control = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
            assert_eq!(control, None, "{args}: {text}");
        }
    }
}

#[test]
fn a_named_pipe_is_read_to_its_end() {
    let work = workplace();
    assert!(Command::new("mkfifo").arg(work.path("pipe")).status().unwrap().success());
    let mut child = spawn(&work, "train pipe -q -a arow -f piped.thw");
    // One writer, who comes and goes: nobody else will.
    fs::write(work.path("pipe"), work.read("d.svm")).unwrap();
    for _ in 0..500 {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            assert!(work.read("piped.thw") == work.read("m.thw"));
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    panic!("it waits for a second writer");
}

#[test]
fn a_command_that_is_suggested_runs_nothing_else() {
    let work = Workplace::new();
    let rows: String = (0..60).map(|i| format!("{},word{i} of {} free money\n", i % 2, i * 7)).collect();
    work.write("a.csv", format!("label,x; $(touch owned) 'y\n{rows}"));
    let report: serde_json::Value = serde_json::from_str(&work.ok("describe a.csv --json").stdout).unwrap();
    let command = report["command"].as_str().unwrap();
    assert!(command.contains("--text 'x; $(touch owned) '\\''y'"), "{command}");
    let command = command.replace("thalweg train", &format!("{} train -q", env!("CARGO_BIN_EXE_thalweg")));
    let status = Command::new("sh").args(["-c", &command]).current_dir(work.path("")).status().unwrap();
    assert!(status.success() && work.path("model.thw").exists() && !work.path("owned").exists(), "{command}");
}

#[test]
fn a_model_whose_options_are_not_understood_is_not_used() {
    let work = workplace();
    work.ok("train d.svm -q -a arow --bias -f biased.thw");
    let bytes = work.read("biased.thw");
    let text = String::from_utf8_lossy(&bytes[..]).into_owned();
    assert!(text.contains("\"bias\":true"));
    for (from, to) in [("\"bias\":true", "\"bias\":7777"), ("\"bias\":true", "\"hint\":true")] {
        let at = bytes.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
        let mut changed = bytes.clone();
        changed[at..at + from.len()].copy_from_slice(to.as_bytes());
        let content = changed.len() - 4;
        let checksum = crc32fast::hash(&changed[..content]);
        changed[content..].copy_from_slice(&checksum.to_le_bytes());
        work.write("changed.thw", changed);
        let outcome = work.run("predict -i changed.thw t.svm");
        assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""), "{to}");
        assert!(outcome.stderr.contains("the model's options cannot be read"), "{}", outcome.stderr);
    }
}
