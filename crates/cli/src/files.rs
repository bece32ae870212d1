//! The files of a run: nothing is written over what is read, and nothing is written twice.

use std::path::{Path, PathBuf};

use thalweg_data::{Access, FileId, Input, OutputFile, cache, is_stdout};

use crate::usage;

/// What a run reads and writes.
#[derive(Default)]
pub(crate) struct Files {
    known: Vec<Known>,
    access: Access,
    /// What standard output is taken for.
    stdout: Option<&'static str>,
}

struct Known {
    id: FileId,
    /// What it is to the run: `data`, `the model`.
    what: &'static str,
    role: Role,
}

/// What a run does with a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Read,
    /// Read at the beginning, and may be replaced at the end.
    Resumed,
    Written,
}

impl Files {
    /// The same, with something to read. All that is read comes before all that is written.
    pub(crate) fn reading(mut self, what: &'static str, inputs: &[Input]) -> Self {
        for input in inputs {
            let id = match input {
                Input::File(path) => {
                    self.access = self.access.and_like(path);
                    FileId::of(path)
                }
                Input::Stdin => stdin_id(),
                Input::Bytes(..) | Input::Reader(_) => None,
            };
            self.add(id, what, Role::Read);
        }
        self
    }

    /// A run that reads a model.
    pub(crate) fn of_model(path: &Path) -> Self {
        Self::default().reading("the model", &[Input::File(path.into())])
    }

    /// The same with a model that may be replaced by what it becomes.
    pub(crate) fn resuming(mut self, path: Option<&PathBuf>) -> Self {
        if let Some(path) = path {
            self.access = self.access.and_like(path);
            self.add(FileId::of(path), "the model to resume", Role::Resumed);
        }
        self
    }

    /// The same with a model to write.
    pub(crate) fn writing_model(self, path: Option<&PathBuf>) -> anyhow::Result<Self> {
        self.writing_over("the model", path, Role::Resumed)
    }

    /// The same with something to write. `what` is its name in messages.
    pub(crate) fn writing(self, what: &'static str, path: Option<&PathBuf>) -> anyhow::Result<Self> {
        self.writing_over(what, path, Role::Written)
    }

    /// The same with the caches of the data.
    pub(crate) fn caching(mut self, inputs: &[Input]) -> anyhow::Result<Self> {
        for input in inputs {
            if let Input::File(path) = input {
                let cache = cache::path_of(path);
                self.check(&cache, FileId::of(&cache).as_ref(), "a cache", Role::Written)?;
                self.add(FileId::of(&cache), "a cache", Role::Written);
            }
        }
        Ok(self)
    }

    fn writing_over(
        mut self,
        what: &'static str,
        path: Option<&PathBuf>,
        over: Role,
    ) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(self) };
        let id = if is_stdout(path) {
            if let Some(other) = self.stdout.replace(what) {
                return Err(usage(format!("{other} and {what} cannot both go to standard output")));
            }
            stdout_id()
        } else {
            FileId::of(path)
        };
        self.check(path, id.as_ref(), what, over)?;
        self.add(id, what, Role::Written);
        Ok(self)
    }

    fn check(&self, path: &Path, id: Option<&FileId>, what: &str, over: Role) -> anyhow::Result<()> {
        let same = self
            .known
            .iter()
            .find(|known| Some(&known.id) == id && !(over == Role::Resumed && known.role == over));
        let Some(known) = same else { return Ok(()) };
        let (path, other) = (path.display(), &known.what);
        Err(usage(if known.role == Role::Written {
            format!("{path} cannot be both {other} and {what}")
        } else {
            format!("{path} is {other}; {what} would overwrite it")
        }))
    }

    fn add(&mut self, id: Option<FileId>, what: &'static str, role: Role) {
        self.known.extend(id.map(|id| Known { id, what, role }));
    }

    /// Begins a file that was named here.
    pub(crate) fn create(&self, path: &Path) -> anyhow::Result<OutputFile> {
        Ok(OutputFile::create(path, self.access)?)
    }

    /// Does standard output belong to what is written, so that reports go elsewhere?
    pub(crate) fn takes_stdout(&self) -> bool {
        self.stdout.is_some()
    }
}

#[cfg(unix)]
fn stdin_id() -> Option<FileId> {
    FileId::of_open(&std::io::stdin())
}

#[cfg(unix)]
fn stdout_id() -> Option<FileId> {
    FileId::of_open(&std::io::stdout())
}

#[cfg(not(unix))]
fn stdin_id() -> Option<FileId> {
    None
}

#[cfg(not(unix))]
fn stdout_id() -> Option<FileId> {
    None
}
