//! `thalweg merge`: what several models have learned, as one model.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use thalweg::{Input, Model, Saved};
use thalweg_data::FileId;
use thalweg_eval::{bytes, grouped};

use crate::escape::visible;
use crate::files::Files;
use crate::{output, report, usage};

#[derive(Args)]
pub(crate) struct Merge {
    /// The models
    ///
    /// Their order makes no difference.
    #[arg(value_name = "MODEL", required = true, value_hint = clap::ValueHint::FilePath)]
    models: Vec<PathBuf>,

    /// Write the merged model to this file (- is standard output)
    #[arg(short = 'f', long = "model", value_name = "FILE", required = true, value_hint = clap::ValueHint::FilePath)]
    model: PathBuf,

    /// The model that all of them went on with
    ///
    /// What it knows is counted once. Without it, the models must have begun with nothing.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    base: Option<PathBuf>,

    /// Print no summary
    #[arg(short, long)]
    quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

/// What came of it.
#[derive(Serialize)]
struct Summary {
    models: usize,
    learner: String,
    /// All examples that the merged model knows of.
    examples: u64,
    nonzeros: u64,
    features: u64,
    model: Saved,
}

impl Merge {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let inputs: Vec<Input> = self.models.iter().cloned().map(Input::File).collect();
        let files = Files::default().reading("a model", &inputs).resuming(self.base.as_ref());
        let files = files.writing_model(Some(&self.model))?;
        self.check_twice()?;
        let models = self.models.iter().map(Model::load).collect::<thalweg::Result<Vec<_>>>()?;
        let base = self.base.as_ref().map(Model::load).transpose()?;
        let merged = Model::merge(base.as_ref(), &models.iter().collect::<Vec<_>>())
            .with_context(|| format!("{} cannot be merged", self.which()))?;
        let file = files.create(&self.model)?;
        let name = file.name().to_string();
        let bytes = merged.save_to(file)?;
        if self.quiet {
            return Ok(());
        }
        let header = merged.header();
        let summary = Summary {
            models: models.len(),
            learner: header.learner,
            examples: merged.learner().counts().examples,
            nonzeros: header.nonzeros,
            features: header.features,
            model: Saved { file: name, bytes },
        };
        if files.takes_stdout() {
            crate::progress::say_all(&text(&summary));
            return Ok(());
        }
        output::print(&if self.json { output::json_line(&summary)? } else { text(&summary) })
    }

    /// What one model knows would count twice.
    fn check_twice(&self) -> anyhow::Result<()> {
        let mut seen: Vec<(FileId, &PathBuf)> = Vec::new();
        for path in &self.models {
            let Some(id) = FileId::of(path) else { continue };
            if let Some((_, first)) = seen.iter().find(|(other, _)| *other == id) {
                let (path, first) = (path.display(), first.display());
                return Err(usage(if first.to_string() == path.to_string() {
                    format!(
                        "{path} is named twice, and what it knows would count twice; name every model once"
                    )
                } else {
                    format!(
                        "{path} is the same file as {first}, and what it knows would count twice; name every model once"
                    )
                }));
            }
            seen.push((id, path));
        }
        Ok(())
    }

    fn which(&self) -> String {
        let names: Vec<String> = self.models.iter().map(|path| path.display().to_string()).collect();
        match &names[..] {
            [first, .., last] if names.len() > 3 => format!("{first} ... {last}"),
            some => some.join(", "),
        }
    }
}

fn text(summary: &Summary) -> String {
    let Saved { file, bytes: size } = &summary.model;
    report::table(&[
        ("models", grouped(summary.models as u64)),
        ("learner", summary.learner.clone()),
        ("examples", grouped(summary.examples)),
        (
            "non-zero weights",
            format!("{} of {} features", grouped(summary.nonzeros), grouped(summary.features)),
        ),
        ("model", format!("{}, {}", visible(file), bytes(*size))),
    ])
}
