//! Runs the program as a user would.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

pub mod made_up;

/// A folder of its own for every test, in which the program runs.
pub struct Workplace {
    folder: tempfile::TempDir,
}

pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Workplace {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), text).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Runs `thalweg ARGS`, the arguments separated by blanks.
    pub fn run(&self, args: &str) -> Outcome {
        self.run_with(args, "")
    }

    pub fn run_with(&self, args: &str, stdin: impl AsRef<[u8]>) -> Outcome {
        let output = Command::new(env!("CARGO_BIN_EXE_thalweg"))
            .current_dir(self.folder.path())
            .args(args.split_whitespace())
            .write_stdin(stdin.as_ref().to_vec())
            .output()
            .unwrap();
        Outcome {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs, and insists on success.
    pub fn ok(&self, args: &str) -> Outcome {
        let outcome = self.run(args);
        assert_eq!(outcome.code, 0, "thalweg {args}\n{}", outcome.stderr);
        outcome
    }

    /// What a person sees on the terminal, for a snapshot.
    pub fn screen(&self, args: &str) -> String {
        self.screen_with(args, "")
    }

    pub fn screen_with(&self, args: &str, stdin: &str) -> String {
        let Outcome { code, stdout, stderr } = self.run_with(args, stdin);
        let part = |name: &str, text: &str| {
            if text.is_empty() { String::new() } else { format!("--- {name}\n{text}") }
        };
        format!(
            "$ thalweg {args}\n{}{}--- exit code {code}\n",
            part("stderr", &stderr),
            part("stdout", &stdout)
        )
    }
}

/// Compares with the stored screen; times, sizes and the precision of the build are not compared.
#[macro_export]
macro_rules! assert_screen {
    ($name:literal, $screen:expr) => {
        insta::with_settings!({
            omit_expression => true,
            prepend_module_to_snapshot => false,
            filters => vec![
                (r"\d+\.\d{3} \(waiting for data \d+\.\d{3}, learning \d+\.\d{3}\)", "[time]"),
                (r"(?m)^seconds( +)\d+\.\d{3}$", "seconds$1[time]"),
                (r#""seconds":\{[^}]*\}"#, r#""seconds":"[time]""#),
                (r#""seconds":[0-9.e-]+"#, r#""seconds":"[time]""#),
                (r"[0-9,.]+ (bytes?|[KMGT]iB), [0-9.]+ bytes per feature", "[size] bytes"),
                (r#""memory":\d+"#, r#""memory":"[size]""#),
                (r"[0-9,.]+ (bytes?|[KMGT]iB)\b", "[size] bytes"),
                (r"should be \d+:", "should be [size]:"),
                (r#""bytes":\d+"#, r#""bytes":"[size]""#),
                (r#""cells":\d+"#, r#""cells":"[size]""#),
                (r"f(32|64) numbers", "[real] numbers"),
                (r#""real":"f(32|64)""#, r#""real":"[real]""#),
                (r"thalweg \d+\.\d+\.\d+", "thalweg [version]"),
            ],
        }, { insta::assert_snapshot!($name, $screen) });
    };
}

/// A file of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
