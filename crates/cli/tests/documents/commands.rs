//! Runs the commands of a document, in its order, in a folder that has the bundled data.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::Document;
use super::markdown::Block;
use crate::common::repository;

/// Numbers are those of single precision. In double precision commands are run, and their outputs are not compared.
const COMPARES: bool = cfg!(not(thalweg_real = "f64"));

/// Runs everything. Gives what is wrong, and the text of the document with the outputs as they are.
pub fn run(document: &Document) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    copy_data(&folder.path().join("data"));
    let mut lines: Vec<String> = document.text.lines().map(str::to_string).collect();
    let mut faults = String::new();
    let mut replacements = Vec::new();
    for block in document.markdown().blocks {
        let place = format!("{}:{}", document.name(), block.line);
        match (block.language(), block.ignored()) {
            ("sh" | "console", Some("")) => writeln!(faults, "{place}: say why it is ignored").unwrap(),
            ("sh", None) => run_script(&block, folder.path(), &place, &mut faults),
            ("console", None) => {
                let made = run_session(&block, folder.path(), &place, &mut faults);
                replacements.push((block.line, block.lines.len(), made));
            }
            _ => {}
        }
    }
    // From the end, so that the lines of the others stay where they are.
    for (line, count, made) in replacements.into_iter().rev() {
        lines.splice(line..line + count, made);
    }
    (faults, lines.join("\n") + "\n")
}

/// A copy, so that a command cannot change what is bundled.
fn copy_data(to: &Path) {
    fs::create_dir(to).unwrap();
    for file in fs::read_dir(repository("data")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// A block of commands that must succeed.
fn run_script(block: &Block, folder: &Path, place: &str, faults: &mut String) {
    let (code, output) = shell(&block.lines.join("\n"), folder);
    if code != 0 {
        writeln!(faults, "{place}: exit code {code}\n{output}").unwrap();
    }
}

/// Commands behind `$ ` and what they print. Gives the lines as they should be.
fn run_session(block: &Block, folder: &Path, place: &str, faults: &mut String) -> Vec<String> {
    let mut made = Vec::new();
    let mut lines = block.lines.iter().copied().peekable();
    while let Some(first) = lines.next() {
        let Some(mut command) = first.strip_prefix("$ ").map(str::to_string) else {
            writeln!(faults, "{place}: \"{first}\" is not the output of a command").unwrap();
            return made;
        };
        made.push(first.to_string());
        // A command goes on behind `> `, as shells show it, or after a backslash.
        while let Some(next) = lines.next_if(|next| command.ends_with('\\') || next.starts_with("> ")) {
            made.push(next.to_string());
            command = format!("{command}\n{}", next.strip_prefix("> ").unwrap_or(next));
        }
        let mut expected = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
            expected.push(line);
        }
        let (code, output) = shell(&command, folder);
        let output: Vec<&str> = output.lines().collect();
        // An error is shown on purpose.
        let fails = output.last().is_some_and(|line| line.starts_with("thalweg: "));
        if code != 0 && !fails {
            writeln!(faults, "{place}: exit code {code} of {command}\n{}", output.join("\n")).unwrap();
        }
        if !COMPARES || matches(&expected, &output) {
            made.extend(expected.into_iter().map(str::to_string));
        } else {
            writeln!(faults, "{place}: {command} prints\n{}", output.join("\n")).unwrap();
            made.extend(renewed(&expected, &output).into_iter().map(str::to_string));
        }
    }
    made
}

fn shell(script: &str, folder: &Path) -> (i32, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_thalweg")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let script = format!("exec 2>&1\n{script}");
    let command =
        Command::new("sh").args(["-e", "-c", &script]).current_dir(folder).env("PATH", path).output();
    let output = command.unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Is this what was printed? `...` stands for any number of lines. Times and sizes are not compared.
fn matches(expected: &[&str], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..])),
        Some((line, rest)) => {
            let first = printed.first().is_some_and(|first| masked(first) == masked(line));
            first && matches(rest, &printed[1..])
        }
    }
}

/// What was printed, without the lines that were left out before, if the others are still there.
fn renewed<'a>(expected: &[&'a str], printed: &[&'a str]) -> Vec<&'a str> {
    let mut rest = printed;
    let mut renewed = Vec::new();
    for line in expected {
        if *line == "..." {
            renewed.push(*line);
            continue;
        }
        let Some(at) = rest.iter().position(|other| key(other) == key(line)) else { return printed.to_vec() };
        renewed.push(rest[at]);
        rest = &rest[at + 1..];
    }
    if expected.contains(&"...") { renewed } else { printed.to_vec() }
}

/// What a line is about: the number of examples in a table of progress, else what stands before its values.
fn key(line: &str) -> &str {
    if line.starts_with(|c: char| c.is_ascii_digit()) {
        return line.split_whitespace().nth(2).unwrap_or(line);
    }
    line.trim_start().split("  ").next().unwrap_or(line)
}

/// A line without what differs from run to run, or from version to version.
fn masked(line: &str) -> String {
    let begins = ["seconds", "memory", "model ", "written"].into_iter().find(|word| line.starts_with(word));
    if let Some(word) = begins {
        return word.to_string();
    }
    let mut line = line.trim_end().to_string();
    for key in ["\"seconds\":", "\"memory\":", "\"bytes\":", "\"program\":"] {
        let mut from = 0;
        while let Some(at) = line[from..].find(key).map(|at| from + at + key.len()) {
            let ends = if line[at..].starts_with('{') { &['}'][..] } else { &[',', '}'][..] };
            let end = line[at..].find(ends).map_or(line.len(), |end| at + end);
            line.replace_range(at..end, "");
            from = at;
        }
    }
    match line.strip_suffix(" seconds").and_then(|line| line.rsplit_once(' ')) {
        Some((before, _)) => before.to_string(),
        None => line,
    }
}
