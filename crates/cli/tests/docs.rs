//! What the documents say is what the program does: made documents are up to date, links lead somewhere, commands run, and nothing is left out.
#![cfg(unix)] // commands are run by a shell
#![allow(missing_docs, clippy::unwrap_used)]

mod common;
mod documents;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use common::{Workplace, repository};
use documents::{Document, all, commands, manual};
use serde_json::Value;

#[test]
fn the_catalogue_of_learners_is_up_to_date() {
    let written = fs::read_to_string(repository("docs/learners.md")).unwrap_or_default();
    let made = Workplace::new().ok("learners --markdown").stdout;
    assert!(written == made, "docs/learners.md is not what the code says: run `make docs`");
}

/// `UPDATE_DOCS=1 cargo test -p thalweg-cli --test docs` writes the outputs as they are now.
#[test]
fn commands_do_what_documents_say() {
    let mut faults = String::new();
    let documents = ["README.md", "crates/cli/README.md"].into_iter().map(Document::read).chain(manual());
    for document in documents {
        let (wrong, text) = commands::run(&document);
        faults += &wrong;
        if std::env::var_os("UPDATE_DOCS").is_some() && text != document.text {
            fs::write(repository(&document.name()), text).unwrap();
        }
    }
    assert!(
        faults.is_empty(),
        "{faults}UPDATE_DOCS=1 cargo test -p thalweg-cli --test docs writes outputs anew"
    );
}

#[test]
fn no_command_stands_where_it_is_not_run() {
    for document in manual().into_iter().chain([Document::read("README.md")]) {
        for block in document.markdown().blocks {
            let run = matches!(block.language(), "sh" | "console");
            let command =
                block.lines.iter().any(|line| line.trim_start_matches("$ ").starts_with("thalweg "));
            assert!(run || !command, "{}:{}: commands are sh or console", document.name(), block.line);
        }
    }
}

#[test]
fn links_lead_somewhere() {
    let documents = all();
    let anchors = |path: &Path| {
        let found = documents.iter().find(|document| document.path == path)?;
        Some(found.markdown().anchors())
    };
    let mut faults = Vec::new();
    for document in &documents {
        for link in document.markdown().links() {
            if link.target.contains("://") || link.target.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = link.target.split_once('#').unwrap_or((link.target, ""));
            let here = document.path.parent().unwrap();
            let target = if path.is_empty() { document.path.clone() } else { plain(&here.join(path)) };
            let fault = if !repository(target.to_str().unwrap()).exists() {
                "leads nowhere"
            } else if !anchor.is_empty()
                && !anchors(&target).unwrap_or_default().contains(&anchor.to_string())
            {
                "has no such heading"
            } else if document.path.starts_with("docs") && !target.starts_with("docs") {
                "leads out of docs, and would be broken in the book"
            } else if document.path.starts_with("docs")
                && path.ends_with("README.md")
                && !is_summary(document)
            {
                "would be broken in the book, where README.md is index.html"
            } else {
                continue;
            };
            faults.push(format!("{}:{}: {} {fault}", document.name(), link.line, link.target));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn is_summary(document: &Document) -> bool {
    document.path.ends_with("SUMMARY.md")
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[test]
fn the_book_has_every_document() {
    let summary = Document::read("docs/SUMMARY.md");
    let listed: BTreeSet<PathBuf> =
        summary.markdown().links().iter().map(|link| Path::new("docs").join(link.target)).collect();
    let there: BTreeSet<PathBuf> = manual().into_iter().map(|document| document.path).collect();
    let missing: Vec<_> =
        there.iter().filter(|path| !path.ends_with("SUMMARY.md") && !listed.contains(*path)).collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not list {missing:?}");
}

#[test]
fn the_manual_has_every_flag_and_no_other() {
    let document = Document::read("docs/manual.md");
    let code = document.markdown();
    let code: BTreeSet<&str> = code
        .inline_code()
        .into_iter()
        .flat_map(|code| code.split([' ', ',']))
        .filter(|word| word.starts_with("--"))
        .collect();
    let program = Workplace::new();
    let help = program.ok("--help").stdout;
    let verbs =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let verbs: Vec<&str> =
        verbs.filter_map(|line| line.split_whitespace().next()).filter(|verb| *verb != "help").collect();
    assert!(verbs.contains(&"train") && verbs.len() > 10, "{help}");
    // Another name of a flag, which the help does not show.
    let mut flags = BTreeSet::from(["--version".to_string(), "--weight-col".to_string()]);
    for verb in verbs {
        assert!(document.text.contains(&format!("thalweg {verb}")), "docs/manual.md lacks `thalweg {verb}`");
        for line in program.ok(&format!("{verb} --help")).stdout.lines() {
            let line = line.trim_start();
            let line = if line.starts_with('-') && !line.starts_with("--") {
                line.get(4..).unwrap_or("")
            } else {
                line
            };
            let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(line.len());
            if line.starts_with("--") && end > 2 {
                flags.insert(line[..end].to_string());
            }
        }
    }
    let missing: Vec<_> = flags.iter().filter(|flag| !code.contains(flag.as_str())).collect();
    assert!(missing.is_empty(), "docs/manual.md lacks {missing:?}");
    let unknown: Vec<_> = code.iter().filter(|flag| !flags.contains(**flag)).collect();
    assert!(unknown.is_empty(), "docs/manual.md has flags that the program does not: {unknown:?}");
}

#[test]
fn every_json_field_is_described() {
    let document = Document::read("docs/output.md");
    let described = document.markdown();
    let described: BTreeSet<&str> = described.inline_code().into_iter().collect();
    let program = Workplace::new();
    program.write("two.svm", "1 1:1 2:2\n-1 1:1 3:1\n1 2:1\n-1 3:2\n");
    program.write("three.csv", "id,label,words\n1,a,red\n2,b,green\n3,c,blue\n4,a,red\n");
    let mut fields = BTreeSet::new();
    for command in [
        "train two.svm -f two.thw --json -t two.svm --cost-fn 2",
        "train three.csv --id-col id -f three.thw --json --multiclass --hash-bits 10 -t three.csv",
        "train three.csv --id-col id --json --multiclass --max-features 2",
        "train two.svm -a arow -f arow.thw --json",
        "eval -i two.thw two.svm --json",
        "explain -i arow.thw two.svm --json",
        "explain -i three.thw three.csv --json",
        "describe two.svm --json",
        "select two.svm --json --features 2",
        "select three.csv --id-col id --multiclass -a arow --json --features 2",
        "predict -i two.thw two.svm --json",
        "predict -i three.thw three.csv --json",
        "convert two.svm two.jsonl --json",
        "generate rcv1-like --examples 3 -o made.svm --json",
        "learners --json",
    ] {
        let outcome = program.ok(command);
        for line in
            outcome.stdout.lines().chain(outcome.stderr.lines()).filter(|line| line.starts_with(['{', '[']))
        {
            collect(&serde_json::from_str(line).unwrap(), &mut fields);
        }
    }
    let missing: Vec<_> = fields.iter().filter(|field| !described.contains(field.as_str())).collect();
    assert!(missing.is_empty(), "docs/output.md lacks {missing:?}");
}

fn collect(value: &Value, fields: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(field, value)| {
            fields.insert(field.clone());
            // The names in there are labels.
            if field != "scores" {
                collect(value, fields);
            }
        }),
        Value::Array(items) => items.iter().for_each(|item| collect(item, fields)),
        _ => {}
    }
}

/// The last column of the tables has whole commands, or flags of `train`.
#[test]
fn equivalents_of_other_tools_are_accepted() {
    let program = Workplace::new();
    program.write(
        "train.vw",
        "a |text x y |user 1\nb |text y z |user 2\na |text x |user 1\nb |text z |user 2\n",
    );
    program
        .write("train.csv", "label,text,weight,user,item\na,x y,1,7,p\nb,y z,2,8,q\na,x,1,7,p\nb,z,1,8,q\n");
    program.write("more.vw", program.read("train.vw")).write("test.vw", program.read("train.vw"));
    let document = Document::read("docs/coming-from.md");
    let (mut commands, mut flags) = (0, 0);
    for row in document.text.lines().filter(|line| line.starts_with("| ")) {
        let ours = row.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default();
        for code in ours.split('`').skip(1).step_by(2) {
            if code.starts_with("thalweg ") && code.contains(' ') && code.split(' ').count() > 2 {
                program.ok(code.trim_start_matches("thalweg "));
                commands += 1;
            } else if code.starts_with('-') && !code.starts_with("-f") {
                program.ok(&format!("train train.csv -q {code}"));
                flags += 1;
            }
        }
    }
    assert!(commands > 5 && flags > 30, "{commands} commands and {flags} flags were found");
}

/// The library's own page is tested by rustdoc; the front page shows the same code.
#[test]
fn the_code_of_the_front_page_is_that_of_the_library() {
    let (front, library) = (Document::read("README.md"), Document::read("crates/thalweg/README.md"));
    let shown = |document: &Document| -> Vec<String> {
        let blocks = document.markdown().blocks.into_iter().filter(|block| block.language() == "rust");
        let visible = |block: documents::markdown::Block| {
            block.lines.into_iter().filter(|line| !line.starts_with("# ")).collect::<Vec<_>>().join("\n")
        };
        blocks.map(visible).collect()
    };
    assert!(!shown(&front).is_empty() && shown(&front).iter().all(|code| shown(&library).contains(code)));
}
