//! The line of a prediction, for tables and for programs.

use std::io::Write;

use thalweg::Labels;
use thalweg_core::{Class, Outcomes};

use crate::escape::{json_text, push_field};

/// What the lines of predictions look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Score, tab, predicted label; then, each after a tab: the probability and the standard deviation of the score, if there are such, and the id. With
    /// many classes, `label:score` of each class, separated by blanks, stands for the score. `?` stands for what there is not.
    Text,
    /// An object: `predicted`, `score` (or `scores` by label), likewise `probability` and `deviation`, `abstained`, `id`.
    Json,
}

/// What is said of an example.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prediction<'a> {
    pub(crate) scores: &'a [f64],
    /// One for each score.
    pub(crate) probabilities: Option<&'a [f64]>,
    /// One for each score.
    pub(crate) variances: Option<&'a [f64]>,
    /// The predicted label; nothing if it is too doubtful to be told.
    pub(crate) label: Option<&'a str>,
    pub(crate) id: &'a [u8],
}

impl Form {
    /// The names of the classes, as they stand before their scores; none if there are two classes with one score for both.
    pub(crate) fn names_of(self, labels: &Labels, outcomes: &Outcomes) -> Vec<Vec<u8>> {
        let classes = (0..outcomes.len()).map(|i| outcomes.scores_of(i).len()).max().unwrap_or(0);
        if classes < 2 && labels.names().len() == 2 {
            return Vec::new();
        }
        let name = |class: usize| {
            let name = labels.name(class as Class);
            match self {
                Form::Json => json_text(name).into_bytes(),
                Form::Text => {
                    let mut field = Vec::new();
                    push_field(name.as_bytes(), &mut field);
                    // Blanks separate the pairs. A colon needs nothing: the last one of a pair is the one before the score.
                    String::from_utf8_lossy(&field).replace(' ', "\\x20").into_bytes()
                }
            }
        };
        (0..classes).map(name).collect()
    }

    /// The line of an example.
    pub(crate) fn push_prediction(self, prediction: &Prediction, names: &[Vec<u8>], lines: &mut Vec<u8>) {
        let Prediction { scores, probabilities, variances, label, id } = *prediction;
        let deviations: Option<Vec<f64>> = variances.map(|all| all.iter().map(|v| v.sqrt()).collect());
        let numbers =
            [("score", Some(scores)), ("probability", probabilities), ("deviation", deviations.as_deref())];
        match self {
            Form::Text => {
                Self::push_numbers(scores, names, b" ", lines);
                lines.push(b'\t');
                push_field(label.unwrap_or("?").as_bytes(), lines);
                for of_scores in numbers[1..].iter().filter_map(|(_, of_scores)| *of_scores) {
                    lines.push(b'\t');
                    Self::push_numbers(of_scores, names, b" ", lines);
                }
                if !id.is_empty() {
                    lines.push(b'\t');
                    push_field(id, lines);
                }
            }
            Form::Json => {
                lines.extend_from_slice(b"{\"predicted\":");
                lines.extend_from_slice(label.map_or_else(|| "null".into(), json_text).as_bytes());
                for (key, of_scores) in numbers {
                    let Some(of_scores) = of_scores else { continue };
                    Self::push_json_numbers(key, of_scores, names, lines);
                }
                if label.is_none() {
                    lines.extend_from_slice(b",\"abstained\":true");
                }
                push_json_id(id, lines);
            }
        }
        lines.push(b'\n');
    }

    /// A number under its key, or one for each class under the key's plural.
    fn push_json_numbers(key: &str, numbers: &[f64], names: &[Vec<u8>], lines: &mut Vec<u8>) {
        let plural = key.strip_suffix('y').map_or_else(|| format!("{key}s"), |stem| format!("{stem}ies"));
        let begin = if names.is_empty() { format!(",\"{key}\":") } else { format!(",\"{plural}\":{{") };
        lines.extend_from_slice(begin.as_bytes());
        Self::push_numbers(numbers, names, b",", lines);
        lines.extend_from_slice(if names.is_empty() { b"" } else { b"}" });
    }

    fn push_numbers(scores: &[f64], names: &[Vec<u8>], between: &[u8], lines: &mut Vec<u8>) {
        for (class, score) in scores.iter().enumerate() {
            if class > 0 {
                lines.extend_from_slice(between);
            }
            if let Some(name) = names.get(class) {
                lines.extend_from_slice(name);
                lines.push(b':');
            }
            write_score(*score, lines);
        }
    }

    /// The line of a record that could not be used, or whose score is not finite.
    pub(crate) fn push_skipped(self, id: &[u8], lines: &mut Vec<u8>) {
        match self {
            Form::Text => {
                lines.extend_from_slice(b"?\t?");
                if !id.is_empty() {
                    lines.push(b'\t');
                    push_field(id, lines);
                }
            }
            Form::Json => {
                lines.extend_from_slice(b"{\"predicted\":null");
                push_json_id(id, lines);
            }
        }
        lines.push(b'\n');
    }
}

/// The end of an object, with the id if there is one.
fn push_json_id(id: &[u8], lines: &mut Vec<u8>) {
    if !id.is_empty() {
        lines.extend_from_slice(b",\"id\":");
        lines.extend_from_slice(json_text(&String::from_utf8_lossy(id)).as_bytes());
    }
    lines.push(b'}');
}

/// Writes the shortest decimal that reads back as the same number, as `{:?}` does, but in less time. Very large and very small ones look as they do there.
fn write_score(score: f64, out: &mut Vec<u8>) {
    if (1e-4..1e16).contains(&score.abs()) {
        out.extend_from_slice(zmij::Buffer::new().format_finite(score).as_bytes());
    } else {
        write!(out, "{score:?}").expect("memory takes everything");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_scores_say_whose_they_are_whatever_labels_are_called() {
        let names = ["a b", "x:y", "tab\there", "back\\slash"].map(String::from);
        let labels = Labels::of_many(&names);
        let mut outcomes = Outcomes::default();
        outcomes.push_scores(&[1.5, -2.0, 0.0, 1e300]);
        let line = |form: Form| {
            let (shown, mut lines) = (form.names_of(&labels, &outcomes), Vec::new());
            let prediction = Prediction {
                scores: outcomes.scores_of(0),
                probabilities: None,
                variances: None,
                label: Some(&names[3]),
                id: b"no 1",
            };
            form.push_prediction(&prediction, &shown, &mut lines);
            String::from_utf8(lines).unwrap()
        };
        let text = line(Form::Text);
        assert_eq!(text, "a\\x20b:1.5 x:y:-2.0 tab\\there:0.0 back\\\\slash:1e300\tback\\\\slash\tno 1\n");
        let pairs = text.split('\t').next().unwrap().split(' ').map(|pair| pair.rsplit_once(':').unwrap());
        let scores: Vec<f64> = pairs.map(|(_, score)| score.parse().unwrap()).collect();
        assert_eq!(scores, [1.5, -2.0, 0.0, 1e300]);
        let json: serde_json::Value = serde_json::from_str(&line(Form::Json)).unwrap();
        assert_eq!((&json["predicted"], &json["id"]), (&names[3].clone().into(), &"no 1".into()));
        assert_eq!(names.map(|name| json["scores"][&name].as_f64().unwrap()), [1.5, -2.0, 0.0, 1e300]);
    }

    #[test]
    fn probabilities_and_deviations_stand_between_label_and_id() {
        let prediction = Prediction {
            scores: &[-1.5],
            probabilities: Some(&[0.25]),
            variances: Some(&[4.0]),
            label: None,
            id: b"x",
        };
        let line = |form: Form| {
            let mut lines = Vec::new();
            form.push_prediction(&prediction, &[], &mut lines);
            String::from_utf8(lines).unwrap()
        };
        assert_eq!(line(Form::Text), "-1.5\t?\t0.25\t2.0\tx\n");
        let json =
            r#"{"predicted":null,"score":-1.5,"probability":0.25,"deviation":2.0,"abstained":true,"id":"x"}"#;
        assert_eq!(line(Form::Json), format!("{json}\n"));
    }

    #[test]
    fn scores_are_short_and_read_back_the_same() {
        let mut random = 88_172_645_463_325_252_u64;
        let mut any = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            f64::from_bits(random)
        };
        let edges = [0.0, -0.0, 1e-4, 9.999e-5, -1e-4, 1.0, -3.0, 0.1, 1e15, 9.999e15, 1e16, -1e16, 5e-324];
        let usual = (0..20_000).map(|i| f64::from(i * 7919 % 20_011 - 10_000) / 3.0f64.powi(i % 30));
        for score in edges.into_iter().chain(usual).chain((0..20_000).map(|_| any())) {
            let mut text = Vec::new();
            write_score(score, &mut text);
            let text = String::from_utf8(text).unwrap();
            let read: f64 = text.parse().unwrap();
            assert!(read.to_bits() == score.to_bits() || score.is_nan(), "{text} is not {score:?}");
            // Of two that are as short and as close, either may be taken.
            assert_eq!(text.len(), format!("{score:?}").len(), "{text} for {score:?}");
        }
    }
}
