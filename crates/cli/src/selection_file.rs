//! Chosen features as text and JSON, to read and to read back.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow, ensure};
use serde::Serialize;
use serde_json::{Value, json};
use thalweg::{ChosenFeature, FeatureCurve, Selection};
use thalweg_data::Reading;

use crate::escape::{field, unescaped};
use crate::output;

/// The first line of a file whose features are not simply numbers, before the JSON that says how data is read.
const NOTE: &str = "# ";

/// One line per feature: feature, score, weight, and class where there are many.
pub(crate) fn as_text(selection: &Selection) -> String {
    let line = |choice: &ChosenFeature| {
        let class = choice.class.as_ref().map_or_else(String::new, |class| format!("\t{}", field(class)));
        format!("{}\t{:?}\t{:?}{class}\n", field(&choice.feature), choice.score, choice.weight)
    };
    let lines = selection.features.iter().map(line);
    std::iter::once("feature\tscore\tweight\n".to_string()).chain(lines).collect()
}

pub(crate) fn as_json(selection: &Selection, curve: Option<&FeatureCurve>) -> anyhow::Result<String> {
    #[derive(Serialize)]
    struct Whole<'a> {
        #[serde(flatten)]
        selection: &'a Selection,
        #[serde(skip_serializing_if = "Option::is_none")]
        curve: Option<&'a FeatureCurve>,
    }
    output::json_line(&Whole { selection, curve })
}

/// What is written to a file, which is enough to reduce other data.
pub(crate) fn for_file(selection: &Selection, path: &Path) -> anyhow::Result<String> {
    if is_json(path) {
        return as_json(selection, None);
    }
    let note = if selection.is_plain() {
        String::new()
    } else {
        format!("{NOTE}{}", output::json_line(&json!({ "reading": selection.reading }))?)
    };
    Ok(note + &as_text(selection))
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "json")
}

/// Reads what [`for_file`] wrote.
pub(crate) fn read(path: &Path) -> anyhow::Result<Selection> {
    let name = || path.display().to_string();
    let text = fs::read_to_string(path).with_context(name)?;
    let selection =
        if is_json(path) { serde_json::from_str(&text).map_err(Into::into) } else { of_text(&text) };
    let selection: Selection =
        selection.with_context(|| format!("{}: not a file of chosen features", name()))?;
    ensure!(!selection.features.is_empty(), "{}: there are no features in it", name());
    Ok(selection)
}

fn of_text(text: &str) -> anyhow::Result<Selection> {
    let (note, table) = match text.strip_prefix(NOTE) {
        Some(noted) => noted.split_once('\n').unwrap_or((noted, "")),
        None => ("{}", text),
    };
    let Value::Object(note) = serde_json::from_str(note).context("line 1")? else {
        return Err(anyhow!("line 1: a note must be an object of JSON"));
    };
    let reading = note.get("reading").cloned().map_or_else(|| Ok(Reading::default()), serde_json::from_value);
    let mut lines = table.lines();
    let is_header = lines.next().is_some_and(|line| line.split('\t').next() == Some("feature"));
    ensure!(is_header, "the columns must be feature, score and weight, with these names above them");
    let features = lines.map(feature).collect::<anyhow::Result<_>>()?;
    Ok(Selection::new(String::new(), reading.context("line 1")?, features)?)
}

/// The feature of a line. Lists of names alone will do.
fn feature(line: &str) -> anyhow::Result<ChosenFeature> {
    let plain = |field: &str| {
        let bytes = unescaped(field.as_bytes()).and_then(|bytes| String::from_utf8(bytes).ok());
        bytes.ok_or_else(|| anyhow!("{field}: not a name as it is escaped in files"))
    };
    let mut fields = line.split('\t');
    let name = plain(fields.next().unwrap_or_default())?;
    let mut number = || {
        let text = fields.next().unwrap_or("0");
        text.parse().map_err(|_| anyhow!("{name}: must be followed by two numbers, got {text}"))
    };
    let (score, weight) = (number()?, number()?);
    let class = fields.next().map(plain).transpose()?;
    Ok(ChosenFeature { feature: name, score, weight, class, number: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(feature: &str) -> ChosenFeature {
        ChosenFeature {
            feature: feature.into(),
            score: 2.5,
            weight: -0.125,
            class: Some("a\tb".into()),
            number: 0,
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let texts = [vec!["7", "4000000000"], vec!["subject=free", "a\tb", "line\nend", "\\", "#x", "é"]];
        for names in texts {
            let features = names.into_iter().map(chosen).collect();
            let selection =
                Selection::new("arow".into(), serde_json::from_value(json!({})).unwrap(), features).unwrap();
            for file in ["x.tsv", "x.json"] {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join(file);
                fs::write(&path, for_file(&selection, &path).unwrap()).unwrap();
                let back = read(&path).unwrap();
                assert_eq!(
                    (&back.features, &back.reading),
                    (&selection.features, &selection.reading),
                    "{file}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_selection_is_refused() {
        for (text, why) in [
            ("7\t1\t1\n", "the columns must be"),
            ("feature\tscore\tweight\n7\tx\t1\n", "7: must be followed by two numbers, got x"),
            ("feature\n\\y\n", "not a name as it is escaped"),
            ("# {\"reading\":{\"naming\":\"numbers\"}}\nfeature\nx\n", "x must be the number of a feature"),
            ("# {\"reading\":{\"nam\":1}}\nfeature\n7\n", "unknown field `nam`"),
            ("# 7\n", "must be an object"),
        ] {
            let refusal = format!("{:#}", of_text(text).unwrap_err());
            assert!(refusal.contains(why), "{text:?}: {refusal}");
        }
        assert_eq!(of_text("feature\n3\n5\n").unwrap().features[1].number, 5);
    }
}
