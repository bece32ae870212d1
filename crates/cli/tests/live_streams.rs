//! Data that comes line by line: each line is answered before the next one comes.
#![allow(missing_docs, clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

mod common;
use common::Workplace;

/// Long enough for a machine that is busy, and short of forever.
const PATIENCE: Duration = Duration::from_secs(20);

/// The program while it runs, with a thread that reads its answers.
struct Live {
    program: Child,
    data: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl Live {
    /// Runs `thalweg ARGS`, and listens to so many lines before it hangs up.
    fn start(place: &Workplace, args: &str, lines: usize) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_thalweg"))
            .current_dir(place.path(""))
            .args(args.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (data, out) = (program.stdin.take().unwrap(), program.stdout.take().unwrap());
        let (sender, answers) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(out).lines().map_while(Result::ok).take(lines);
            lines.for_each(|line| drop(sender.send(line)));
        });
        Self { program, data: Some(data), answers }
    }

    fn send(&mut self, line: &str) {
        // A program that has ended takes no more.
        self.data
            .iter_mut()
            .for_each(|data| drop(data.write_all(line.as_bytes()).and_then(|()| data.flush())));
    }

    fn answer(&self) -> String {
        self.answers.recv_timeout(PATIENCE).expect("an answer comes before the next line")
    }

    /// Waits for the end, with the data still open.
    fn ends(&mut self) -> i32 {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Some(status) = self.program.try_wait().unwrap() {
                return status.code().unwrap();
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("the program did not end");
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

fn with_model() -> Workplace {
    let place = Workplace::new();
    place.write("a.vw", "1 |a b\n0 |a c\n1 |a b\n0 |a c\n");
    place.ok("train a.vw -a perceptron -q -f m.thw");
    place
}

#[test]
fn predictions_come_line_by_line() {
    let place = with_model();
    for threads in ["", "--threads 0", "--threads 1", "--threads 8"] {
        let mut live = Live::start(&place, &format!("predict -i m.thw - {threads}"), usize::MAX);
        let lines = [("1 |a b\n", &["1"][..]), ("0 |a c\n", &["0"]), ("1 heavy |a b\n0 |a c\n", &["?", "0"])];
        for (line, labels) in lines {
            live.send(line);
            for label in labels {
                assert!(live.answer().ends_with(&format!("\t{label}")), "{threads}: {line}");
            }
        }
    }
}

#[test]
fn rows_of_tables_and_items_of_arrays_are_answered_before_the_next_one() {
    let place = Workplace::new();
    place.write("a.csv", "label;a;b\n1;1;x\n0;-1;y\n1;1;x\n0;-1;y\n");
    place.write("headless.csv", "1;1;x\n0;-1;y\n1;1;x\n0;-1;y\n");
    place.ok("train a.csv -a arow -q -f a.thw");
    place.ok("train headless.csv --no-header --label-col 1 -a arow -q -f headless.thw");
    for (model, rows) in [
        ("a", ["a;b\n1;x\n", "-1;y\n", "1;x\n"]),
        ("a", ["[{\"a\":1,\"b\":\"x\"}", ",{\"a\":-1}", ",\n{\"a\":\n1}"]),
        ("a", ["{\"a\":1}\n", "{\"a\":-1}\n", "{\"a\":1}\n"]),
        ("headless", ["1;1;x, y\n", "0;-1;y\n", "1;1;x\n"]),
    ] {
        let mut live = Live::start(&place, &format!("predict -i {model}.thw -"), usize::MAX);
        for (row, label) in rows.into_iter().zip(["1", "0", "1"]) {
            live.send(row);
            assert!(live.answer().ends_with(&format!("\t{label}")), "{row}");
        }
    }
}

#[test]
fn predictions_while_learning_come_line_by_line() {
    let place = Workplace::new();
    for threads in ["", "--threads 8"] {
        let mut live = Live::start(&place, &format!("train - --format vw -q -p - {threads}"), usize::MAX);
        // Which label is which class is known with the second.
        live.send("1 |a b\n0 |a c\n");
        assert_eq!([live.answer(), live.answer()].len(), 2);
        for _ in 0..3 {
            live.send("0 |a c\n");
            assert!(live.answer().contains('\t'));
        }
    }
}

#[test]
fn explanations_come_line_by_line() {
    let place = with_model();
    let mut live = Live::start(&place, "explain --json -i m.thw -", usize::MAX);
    for line in ["1 |a b\n", "0 |a c\n"] {
        live.send(line);
        assert!(live.answer().contains("\"features\":["));
    }
}

#[test]
fn when_nobody_listens_any_more_predicting_ends_with_the_next_line() {
    let place = with_model();
    for threads in ["--threads 1", "--threads 2", "--threads 4", "--threads 8"] {
        let mut live = Live::start(&place, &format!("predict -i m.thw - {threads}"), 1);
        live.send("1 |a b\n");
        live.answer();
        // The thread that listened has hung up, or is about to.
        while live.answers.recv_timeout(Duration::from_millis(1)).is_ok() {}
        thread::sleep(Duration::from_millis(50));
        live.send("0 |a c\n");
        assert_eq!(live.ends(), 0, "{threads}");
    }
}

#[test]
fn learning_goes_on_when_nobody_listens_any_more() {
    let place = Workplace::new();
    let mut live = Live::start(&place, "train - --format vw -q -p - -f m.thw", 1);
    live.send("1 |a b\n0 |a c\n");
    live.answer();
    (0..20).for_each(|_| live.send("0 |a c\n"));
    live.data = None;
    assert_eq!(live.ends(), 0);
    assert!(place.ok("inspect m.thw --json").stdout.contains("\"examples\":22"));
}
