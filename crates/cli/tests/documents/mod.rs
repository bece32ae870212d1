//! The documents of the repository, as tests see them.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

pub mod commands;
pub mod markdown;

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::repository;
use markdown::Markdown;

/// A Markdown file, by its path within the repository.
pub struct Document {
    pub path: PathBuf,
    pub text: String,
}

impl Document {
    pub fn read(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let text = fs::read_to_string(repository(path.to_str().unwrap()));
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path, text }
    }

    pub fn markdown(&self) -> Markdown<'_> {
        Markdown::new(&self.text)
    }

    pub fn name(&self) -> String {
        self.path.display().to_string()
    }
}

/// The documents in `docs`, in the order of their paths.
pub fn manual() -> Vec<Document> {
    let mut found = Vec::new();
    collect(Path::new("docs"), &mut found);
    found.sort();
    found.into_iter().map(Document::read).collect()
}

/// The documents that users and contributors read.
pub fn all() -> Vec<Document> {
    let root = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
    let mut all: Vec<Document> = root.into_iter().chain(["data/README.md"]).map(Document::read).collect();
    for folder in fs::read_dir(repository("crates")).unwrap() {
        all.push(Document::read(Path::new("crates").join(folder.unwrap().file_name()).join("README.md")));
    }
    all.extend(manual());
    all
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(repository(folder.to_str().unwrap())).unwrap() {
        let path = folder.join(entry.unwrap().file_name());
        // What mdBook has built is not a document.
        if repository(path.to_str().unwrap()).is_dir() {
            if path != Path::new("docs/book") {
                collect(&path, found);
            }
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
}
