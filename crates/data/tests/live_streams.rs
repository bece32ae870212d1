//! Records that arrive one by one are handed out one by one, and a reader says when it would wait.
#![allow(missing_docs, clippy::unwrap_used)]

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use thalweg_core::Batch;
use thalweg_data::{Input, Labels, Settings, open};

/// Waits until something holds.
fn until(mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(10), "nothing happens");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_record_that_has_arrived_is_read_before_the_next_one_comes() {
    let (source, mut sink) = std::io::pipe().unwrap();
    let labels = Labels::of_two(&["0".into(), "1".into()], false);
    sink.write_all(b"1 2:1\n").unwrap();
    let settings = Settings { labels, threads: 2, ..Settings::default() };
    let mut reader = open(&[Input::reader("pipe.svm", source)], settings).unwrap();
    let mut batch = Batch::default();
    for i in 0..20 {
        assert!(reader.read(&mut batch).unwrap());
        assert_eq!((batch.len(), batch.labels()[0]), (1, Some(1 - i % 2)));
        assert!(reader.would_wait());
        writeln!(sink, "{} 2:1 3:{i}.5", i % 2).unwrap();
        until(|| !reader.would_wait());
    }
    drop(sink);
    assert!(reader.read(&mut batch).unwrap());
    until(|| !reader.would_wait());
    assert!(!reader.read(&mut batch).unwrap());
}

#[test]
fn files_are_never_waited_for_on_the_callers_own_thread() {
    let input = Input::bytes("a.svm", &b"1 2:1\n0 3:1\n"[..]);
    let mut reader = open(&[input], Settings::default()).unwrap();
    assert!(!reader.would_wait());
    assert!(reader.read(&mut Batch::default()).unwrap() && !reader.would_wait());
}

/// Gives one line, and fails if it is asked for more than its end.
struct OneLine(usize);

impl Read for OneLine {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0 += 1;
        match self.0 {
            1 => {
                buffer[..6].copy_from_slice(b"1 2:1\n");
                Ok(6)
            }
            _ => Err(std::io::Error::other("broken")),
        }
    }
}

#[test]
fn what_came_before_an_error_is_read_before_it() {
    let labels = Labels::of_two(&["0".into(), "1".into()], false);
    let mut reader =
        open(&[Input::reader("a.svm", OneLine(0))], Settings { labels, ..Settings::default() }).unwrap();
    let mut batch = Batch::default();
    assert!(reader.read(&mut batch).unwrap() && batch.len() == 1);
    assert_eq!(reader.read(&mut batch).unwrap_err().to_string(), "a.svm: broken");
}
