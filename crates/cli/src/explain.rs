//! `thalweg explain`: what each feature of an example adds to its score.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use thalweg::{Config, Explanation, Model, Predictor};
use thalweg_eval::counted;

use crate::args::DataArgs;
use crate::escape::visible;
use crate::files::Files;
use crate::watch::{Watch, refusal, unknown_examples};
use crate::{output, progress};

#[derive(Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    data: DataArgs,

    /// The model
    #[arg(short = 'i', long = "model", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    model: PathBuf,

    /// Features to show for each example [default: 10]
    ///
    /// Those that matter most come first. With --json the default is all of them.
    #[arg(long, value_name = "N")]
    top: Option<usize>,

    /// With many classes, explain the score of this one
    ///
    /// By default the predicted class is explained.
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    class: Option<String>,

    /// Use this threshold instead of the model's
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    threshold: Option<f64>,

    /// Print one JSON object per example
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let inputs = self.data.inputs()?;
        self.data.files(Files::of_model(&self.model), &inputs)?;
        let model = Arc::new(Model::load(&self.model)?);
        let config = Config { threshold: self.threshold, ..self.data.add_to(Config::default()) };
        let predictor = Predictor::new(model).configured(config)?;
        let mut watch = Watch::on(progress::messages_only(self.json));
        let mut number = 0u64;
        let show = |batch: Vec<Explanation>| self.show(batch, &mut number).map_err(refusal);
        let counts = predictor.explain(&inputs, self.class.as_deref(), &mut watch, show)?;
        unknown_examples(counts.unknown, counts.examples)
            .iter()
            .for_each(|warning| watch.screen.warn(warning));
        Ok(())
    }

    fn show(&self, batch: Vec<Explanation>, number: &mut u64) -> anyhow::Result<()> {
        let mut shown = String::new();
        for mut explanation in batch {
            *number += 1;
            if self.json {
                explanation.features.truncate(self.top.unwrap_or(usize::MAX));
                shown += &output::json_line(&explanation)?;
            } else {
                shown += &text(&explanation, *number, self.top.unwrap_or(10));
            }
        }
        output::print(&shown)
    }
}

/// An explanation for people.
fn text(explanation: &Explanation, number: u64, top: usize) -> String {
    let id = explanation.id.as_ref().map_or_else(String::new, |id| format!(" ({id})"));
    let label = explanation.label.as_ref().map_or_else(String::new, |label| format!(", labelled {label}"));
    let class = explanation.class.as_ref().map_or_else(String::new, |class| format!(" for {class}"));
    let probability =
        explanation.probability.map_or_else(String::new, |p| format!(", probability {}", shown(p)));
    let title = format!(
        "example {number}{id}: {}{label}, score{class} {}{probability}",
        explanation.predicted,
        shown(explanation.score)
    );
    let mut text = format!("{}\n", visible(&title));
    let unsure = explanation.features.iter().any(|feature| feature.variance.is_some());
    let heading = if unsure { "    variance" } else { "" };
    text += &format!("  {:>12} {:>12} {:>12}{heading}  feature\n", "contribution", "weight", "value");
    for feature in explanation.features.iter().take(top) {
        let variance = feature.variance.map_or_else(String::new, |v| format!("{:>12}", shown(v)));
        text += &format!(
            "  {:>12} {:>12} {:>12}{variance}  {}\n",
            shown(feature.contribution),
            shown(feature.weight),
            shown(feature.value),
            visible(&feature.feature)
        );
    }
    let rest = explanation.features.get(top..).unwrap_or_default();
    if !rest.is_empty() {
        let sum: f64 = rest.iter().map(|feature| feature.contribution).sum();
        let more = counted(rest.len() as u64, "more feature", "more features");
        text += &format!("  {:>12} {:>26} {more}\n", shown(sum), "");
    }
    let sum: f64 = explanation.features.iter().map(|feature| feature.contribution).sum();
    text + &format!("  {:>12} in all\n", shown(sum))
}

/// Five digits are enough to compare.
fn shown(number: f64) -> String {
    let magnitude = number.abs();
    if number == 0.0 {
        "0".into()
    } else if (1e-3..1e5).contains(&magnitude) {
        let decimals = (4 - magnitude.log10().floor() as i32).clamp(0, 7) as usize;
        let text = format!("{number:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
    } else {
        format!("{number:.4e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_digits_are_shown() {
        let all = [0.0, 1.0, -0.25, 1.0 / 3.0, 12345.6, 0.001_234_567, 1e-9, -123_456.7].map(shown);
        assert_eq!(all, ["0", "1", "-0.25", "0.33333", "12346", "0.0012346", "1.0000e-9", "-1.2346e5"]);
    }
}
