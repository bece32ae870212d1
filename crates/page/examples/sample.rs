//! Writes a sample page: `cargo run -p thalweg-page --example sample -- two-classes page.html`.

use std::process::ExitCode;

use thalweg_page::html;

#[path = "../tests/sample_run/mod.rs"]
mod sample_run;

#[allow(clippy::print_stderr)]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (page, path) = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["two-classes", path] => (sample_run::two_classes(), *path),
        ["many-classes", path] => (sample_run::many_classes(20), *path),
        ["fifty-classes", path] => (sample_run::many_classes(50), *path),
        _ => {
            eprintln!("usage: sample two-classes|many-classes|fifty-classes PATH");
            return ExitCode::from(2);
        }
    };
    match std::fs::write(path, html(&page)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}
