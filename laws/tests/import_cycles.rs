//! No two files of a crate need each other, directly or through others: each can be read and changed with only those before it in mind.
//!
//! Files are modules. A file needs another if it names something in it, by `use` or by a path that begins with `crate`, `super` or a
//! module of its own. The same is true of folders, where they are in the order in which data passes. Re-exports (`pub use`) need nothing by themselves; whoever uses one needs the file that it leads to. Tests do not count.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The crates whose files are checked, and those whose folders are.
const FILES: &[&str] =
    &["core", "data", "eval", "thalweg", "generate", "experiments", "figures", "page", "cli"];
const FOLDERS: &[&str] = &["data"];

#[test]
fn files_do_not_need_each_other() {
    for name in FILES {
        let cycles = cycles(&sources(name), usize::MAX);
        assert!(cycles.is_empty(), "crates/{name} has files that need each other:\n{}", cycles.join("\n"));
    }
}

#[test]
fn folders_do_not_need_each_other() {
    for name in FOLDERS {
        let cycles = cycles(&sources(name), 1);
        assert!(cycles.is_empty(), "crates/{name} has folders that need each other:\n{}", cycles.join("\n"));
    }
}

/// The files of a crate.
fn sources(name: &str) -> BTreeMap<Module, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates").join(name).join("src");
    let mut sources = BTreeMap::new();
    read_all(&folder, &[], &mut sources);
    assert!(!sources.is_empty(), "{} has files", folder.display());
    sources
}

/// A module by its path; the root of the crate has none.
type Module = Vec<String>;

fn read_all(folder: &Path, module: &[String], sources: &mut BTreeMap<Module, String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_stem().unwrap().to_str().unwrap().to_string();
        let inner = [module, std::slice::from_ref(&name)].concat();
        if entry.is_dir() {
            read_all(&entry, &inner, sources);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let is_folder = ["mod", "lib", "main"].contains(&&name[..]);
            let module = if is_folder { module.to_vec() } else { inner };
            sources.insert(module, std::fs::read_to_string(&entry).unwrap());
        }
    }
}

/// The shortest cycles among modules. Modules that lie deeper are taken for the one that they are in.
fn cycles(sources: &BTreeMap<Module, String>, depth: usize) -> Vec<String> {
    let mut files: BTreeMap<Module, Vec<Token>> =
        sources.iter().map(|(module, source)| (module.clone(), tokens(source))).collect();
    let mut tests = BTreeSet::new();
    for (module, tokens) in &mut files {
        remove_tests(module, tokens, &mut tests);
    }
    files.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
    let paths: BTreeMap<&Module, Paths> =
        files.iter().map(|(module, tokens)| (module, Paths::of(tokens))).collect();
    let outer = |module: &Module| module[..module.len().min(depth)].to_vec();
    let mut needs: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (module, of) in &paths {
        let found = of.used.iter().filter_map(|path| resolve(&paths, module, path, 0));
        let others = found.map(|other| outer(&other)).filter(|other| *other != outer(module));
        needs.entry(outer(module)).or_default().extend(others);
    }
    // The shortest tell most; what shares a module with one of them may be gone with it.
    let mut all: Vec<Vec<Module>> = needs.keys().filter_map(|module| cycle_through(&needs, module)).collect();
    all.sort_by_key(Vec::len);
    let mut reported: BTreeSet<Module> = BTreeSet::new();
    all.retain(|cycle| {
        let is_new = !cycle.iter().any(|module| reported.contains(module));
        reported.extend(cycle.iter().cloned());
        is_new
    });
    let show = |cycle: Vec<Module>| cycle.iter().map(|module| name(module)).collect::<Vec<_>>().join(" -> ");
    all.into_iter().map(|cycle| format!("  {}", show(cycle))).collect()
}

fn name(module: &[String]) -> String {
    if module.is_empty() { "the root".into() } else { module.join("::") }
}

/// A shortest way from a module back to itself.
fn cycle_through(needs: &BTreeMap<Module, BTreeSet<Module>>, module: &Module) -> Option<Vec<Module>> {
    let (mut seen, mut ways) = (BTreeSet::new(), vec![vec![module.clone()]]);
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for next in needs.get(way.last()?).into_iter().flatten() {
                let way = [&way[..], std::slice::from_ref(next)].concat();
                if next == module {
                    return Some(way);
                }
                if seen.insert(next.clone()) {
                    longer.push(way);
                }
            }
        }
        ways = longer;
    }
    None
}

/// A word, or any other character.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Sign(char),
}

/// The tokens of a source but for comments, texts and characters.
fn tokens(source: &str) -> Vec<Token> {
    let (mut rest, mut all) = (source, Vec::new());
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => text_length(rest),
            '\'' => character_length(rest),
            'r' if rest.starts_with("r\"") || rest.starts_with("r#\"") => raw_length(&rest[1..]) + 1,
            'b' if rest.starts_with("br\"") || rest.starts_with("br#\"") => raw_length(&rest[2..]) + 2,
            _ if first.is_alphanumeric() || first == '_' => {
                let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                all.push(Token::Word(word.clone()));
                word.len()
            }
            _ => {
                if !first.is_whitespace() {
                    all.push(Token::Sign(first));
                }
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    all
}

/// The length of a text in quotes, in which a backslash may stand before a quote.
fn text_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

/// The length of a character in quotes; of a lifetime, that of its mark.
fn character_length(text: &str) -> usize {
    let mut inner = text.char_indices().skip(1);
    let (first, second) = (inner.next().map(|(_, c)| c), inner.next());
    match (first, second) {
        (Some('\\'), Some((at, _))) => text[at + 1..].find('\'').map_or(1, |end| at + end + 2),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// The length of a raw text from its marks or quotes on.
fn raw_length(text: &str) -> usize {
    let marks = text.chars().take_while(|c| *c == '#').count();
    let end = format!("\"{}", "#".repeat(marks));
    text[marks + 1..].find(&end).map_or(text.len(), |at| marks + 1 + at + end.len())
}

fn is(token: Option<&Token>, sign: char) -> bool {
    token == Some(&Token::Sign(sign))
}

fn word(token: Option<&Token>) -> Option<&str> {
    match token {
        Some(Token::Word(word)) => Some(word),
        _ => None,
    }
}

/// Removes what is behind `#[cfg(test)]`, and lists modules that are.
fn remove_tests(module: &[String], tokens: &mut Vec<Token>, tests: &mut BTreeSet<Module>) {
    let mut at = 0;
    while at < tokens.len() {
        let ahead: Vec<&str> = (at..at + 10).filter_map(|i| word(tokens.get(i))).collect();
        let is_test = is(tokens.get(at), '#')
            && (ahead.starts_with(&["cfg", "test"]) || ahead.starts_with(&["cfg", "all", "test"]));
        if !is_test {
            at += 1;
            continue;
        }
        // Other attributes may follow.
        let mut end = at;
        while is(tokens.get(end), '#') {
            end = closed(tokens, end + 1);
        }
        if word(tokens.get(end)) == Some("mod") && is(tokens.get(end + 2), ';') {
            let name = word(tokens.get(end + 1)).unwrap().to_string();
            tests.insert([module, &[name]].concat());
        }
        while end < tokens.len() {
            match tokens[end] {
                Token::Sign('(' | '[') => end = closed(tokens, end),
                Token::Sign('{') => {
                    end = closed(tokens, end);
                    break;
                }
                Token::Sign(';' | ',') => {
                    end += 1;
                    break;
                }
                Token::Sign('}') => break,
                _ => end += 1,
            }
        }
        tokens.drain(at..end);
    }
}

/// Where the bracket that opens here has been closed.
fn closed(tokens: &[Token], start: usize) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(start) {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i + 1;
        }
    }
    tokens.len()
}

/// The paths that a file names.
#[derive(Default)]
struct Paths {
    used: Vec<Vec<String>>,
    /// What it hands on, under which name.
    handed_on: BTreeMap<String, Vec<String>>,
}

impl Paths {
    fn of(tokens: &[Token]) -> Self {
        let (mut found, mut at, mut is_public) = (Self::default(), 0, false);
        // Where modules within the file end.
        let mut inner: Vec<usize> = Vec::new();
        while at < tokens.len() {
            inner.retain(|end| at < *end);
            match word(tokens.get(at)) {
                Some("mod") if is(tokens.get(at + 2), '{') => {
                    inner.push(closed(tokens, at + 2));
                    at += 3;
                }
                Some("pub") => {
                    is_public = true;
                    at += 1;
                    if is(tokens.get(at), '(') {
                        at = closed(tokens, at);
                    }
                    continue;
                }
                Some("use") => {
                    let mut tree = Vec::new();
                    at = use_tree(tokens, at + 1, &[], &mut tree);
                    for (path, name) in tree {
                        let path = from_file(path, inner.len());
                        if is_public && inner.is_empty() {
                            found.handed_on.insert(name, path);
                        } else {
                            found.used.push(path);
                        }
                    }
                }
                // A path in the code.
                Some(_) if is(tokens.get(at + 1), ':') && is(tokens.get(at + 2), ':') => {
                    let mut path = Vec::new();
                    while let Some(segment) = word(tokens.get(at)) {
                        path.push(segment.to_string());
                        at += 1;
                        if !(is(tokens.get(at), ':') && is(tokens.get(at + 1), ':')) {
                            break;
                        }
                        at += 2;
                    }
                    found.used.push(from_file(path, inner.len()));
                }
                _ => at += 1,
            }
            is_public = false;
        }
        found
    }
}

/// A path as it would be outside of so many modules within the file.
fn from_file(mut path: Vec<String>, modules: usize) -> Vec<String> {
    let inner = path.iter().take(modules).take_while(|segment| *segment == "super").count();
    if inner > 0 {
        path.splice(..inner, ["self".to_string()]);
        if path.get(1).is_some_and(|segment| segment == "super") {
            path.remove(0);
        }
    }
    path
}

/// The paths of a `use`, with the names that they get. Where it ends.
fn use_tree(
    tokens: &[Token],
    start: usize,
    prefix: &[String],
    found: &mut Vec<(Vec<String>, String)>,
) -> usize {
    let (mut at, mut path) = (start, prefix.to_vec());
    loop {
        if is(tokens.get(at), '{') {
            at += 1;
            while at < tokens.len() && !is(tokens.get(at), '}') {
                at = use_tree(tokens, at, &path, found);
                at += usize::from(is(tokens.get(at), ','));
            }
            return at + 1;
        }
        if is(tokens.get(at), '*') {
            found.push((path, "*".into()));
            return at + 1;
        }
        let Some(segment) = word(tokens.get(at)) else { return at + 1 };
        path.push(segment.to_string());
        at += 1;
        if is(tokens.get(at), ':') && is(tokens.get(at + 1), ':') {
            at += 2;
            continue;
        }
        let mut name = segment.to_string();
        if word(tokens.get(at)) == Some("as") {
            name = word(tokens.get(at + 1)).unwrap_or("_").to_string();
            at += 2;
        }
        found.push((path, name));
        return at;
    }
}

/// The file that a path leads to from a module; nothing if it leads out of the crate.
fn resolve(paths: &BTreeMap<&Module, Paths>, from: &Module, path: &[String], steps: usize) -> Option<Module> {
    let (first, mut rest) = path.split_first()?;
    let mut module = match first.as_str() {
        "crate" => Vec::new(),
        "self" => from.clone(),
        "super" => from[..from.len().checked_sub(1)?].to_vec(),
        child => {
            let child = [&from[..], &[child.to_string()]].concat();
            paths.contains_key(&child).then_some(child)?
        }
    };
    while let Some((segment, others)) = rest.split_first() {
        let inner = [&module[..], std::slice::from_ref(segment)].concat();
        let handed_on = paths.get(&module).and_then(|of| of.handed_on.get(segment));
        match handed_on {
            _ if segment == "super" => drop(module.pop()),
            _ if segment == "self" => {}
            _ if paths.contains_key(&inner) => module = inner,
            Some(path) if steps < 10 => {
                let whole = [path, others].concat();
                return resolve(paths, &module, &whole, steps + 1);
            }
            _ => break,
        }
        rest = others;
    }
    Some(module)
}

/// The cycles of a crate with these files.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let module = |name: &str| name.split("::").filter(|part| !part.is_empty()).map(String::from).collect();
    cycles(&files.iter().map(|(name, source)| (module(name), (*source).to_string())).collect(), usize::MAX)
}

#[test]
fn cycles_are_found_however_they_are_written() {
    let a = ("a", "use crate::b::{self, X as Y};");
    for back in [
        "use crate::a::Z;",
        "fn f() { super::a::z() }",
        "pub(crate) struct X(crate::a::Z);",
        "mod c { use super::super::a::Z; }",
    ] {
        assert_eq!(found(&[("", "mod a; mod b;"), a, ("b", back)]), ["  a -> b -> a"], "{back}");
    }
    let through_root = [("", "pub use c::C;"), a, ("b", "use crate::C;"), ("c", "use crate::a::Z;")];
    assert_eq!(found(&through_root), ["  a -> b -> c -> a"]);
    let with_child = [("a", "mod b; use b::X; struct Y;"), ("a::b", "use super::Y;")];
    assert_eq!(found(&with_child), ["  a -> a::b -> a"]);
}

#[test]
fn what_is_no_use_does_not_count() {
    let a = ("a", "use crate::b::X;");
    for back in [
        "// crate::a::Z",
        "/// [`Z`](crate::a::Z)\nconst X: &str = \"crate::a::Z\";",
        "const X: &str = r#\"\"crate::a::Z\"#; const Y: char = '\"';",
        "#[cfg(test)]\nmod tests { use crate::a::Z; }",
        "#[cfg(test)]\nuse crate::a::Z;\nstruct X { #[cfg(test)] z: crate::a::Z, }",
        "#[cfg(all(test, unix))]\n#[allow(dead_code)]\nfn f(a: (u8, u8)) { crate::a::z() }",
        "use std::a::Z; use other::crate_a;",
        "mod c { use super::a; mod d { fn f() { super::super::a::z() } } } fn a() {}",
    ] {
        assert_eq!(found(&[a, ("b", back)]), [""; 0], "{back}");
    }
    let file_of_tests = [a, ("b", "#[cfg(test)] mod tests;"), ("b::tests", "use crate::a::Z; use super::*;")];
    assert_eq!(found(&file_of_tests), [""; 0]);
    let handed_on = [("a", "mod b; pub use b::X;"), ("a::b", "use super::c::Y;"), ("a::c", "")];
    assert_eq!(found(&handed_on), [""; 0]);
}
