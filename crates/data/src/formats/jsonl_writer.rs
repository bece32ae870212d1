//! Examples to JSON lines: every feature is a number under its full name.

use super::json_string;
use super::roles::{Role, Roles};
use super::written::{RecordWriter, WrittenExample, write_number};
use crate::error::Unwritable;

const FORMAT: &str = "JSON lines";

/// Writes JSON lines.
pub(crate) struct JsonlWriter {
    roles: Roles,
}

impl JsonlWriter {
    /// Label, importance and id stand under the keys that the roles say.
    pub(crate) fn new(roles: Roles) -> Self {
        Self { roles }
    }
}

impl RecordWriter for JsonlWriter {
    fn write(&mut self, example: &WrittenExample, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        write(&self.roles, example, out)
    }
}

/// Appends an example as one line.
fn write(roles: &Roles, example: &WrittenExample, out: &mut Vec<u8>) -> Result<(), Unwritable> {
    let start = out.len();
    let mut importance = Vec::new();
    if example.importance != 1.0 {
        write_number(example.importance, &mut importance);
    }
    for (role, what, value) in [
        (Role::Label, "the label", example.label),
        (Role::Importance, "the importance", importance.as_slice()),
        (Role::Id, "the id", example.id),
    ] {
        if value.is_empty() {
            continue;
        }
        let Some(name) = roles.column(role) else {
            return Err(Unwritable::new(FORMAT, what, value, "it has no key"));
        };
        key(what, name, out)?;
        if role == Role::Importance {
            out.extend_from_slice(value);
        } else {
            text(what, value, out)?;
        }
        out.push(b',');
    }
    for &(name, value) in example.features {
        if roles.of(name) != Role::Feature {
            return Err(Unwritable::new(
                FORMAT,
                "the feature",
                name,
                "a key of that name has another meaning",
            ));
        }
        key("the feature", name, out)?;
        write_number(value, out);
        out.push(b',');
    }
    if out.len() > start {
        out.pop();
    }
    out.insert(start, b'{');
    out.extend_from_slice(b"}\n");
    Ok(())
}

fn key(what: &'static str, name: &[u8], out: &mut Vec<u8>) -> Result<(), Unwritable> {
    text(what, name, out)?;
    out.push(b':');
    Ok(())
}

fn text(what: &'static str, text: &[u8], out: &mut Vec<u8>) -> Result<(), Unwritable> {
    let Ok(text) = std::str::from_utf8(text) else {
        return Err(Unwritable::new(FORMAT, what, text, "it is not UTF-8"));
    };
    json_string::write(text, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::jsonl::Jsonl;
    use super::super::testing::{examples, heard};
    use super::*;

    fn all_roles() -> Roles {
        Roles::new().with(Role::Importance, "importance").with(Role::Id, "id")
    }

    #[test]
    fn a_line() {
        let mut out = Vec::new();
        let example = WrittenExample {
            label: b"spam",
            importance: 0.5,
            id: b"\"\n\x01",
            features: &[(b"a.b", 1.5), (b"c=d", 1.0)],
        };
        write(&all_roles(), &example, &mut out).unwrap();
        write(
            &all_roles(),
            &WrittenExample { label: b"", importance: 1.0, id: b"", features: &[] },
            &mut out,
        )
        .unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"label\":\"spam\",\"importance\":0.5,\"id\":\"\\\"\\n\\u0001\",\"a.b\":1.5,\"c=d\":1}\n{}\n"
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refusal = |importance, id, features| {
            let example = WrittenExample { label: b"1", importance, id, features };
            write(&Roles::new(), &example, &mut Vec::new()).unwrap_err().to_string()
        };
        assert_eq!(refusal(2.0, b"", &[]), "JSON lines cannot hold the importance \"2\": it has no key");
        assert_eq!(refusal(1.0, b"t", &[]), "JSON lines cannot hold the id \"t\": it has no key");
        assert_eq!(
            refusal(1.0, b"", &[(b"label", 1.0)]),
            "JSON lines cannot hold the feature \"label\": a key of that name has another meaning"
        );
        assert!(refusal(1.0, b"", &[(b"a\xff", 1.0)]).ends_with("it is not UTF-8"));
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(example in examples()) {
            let mut out = Vec::new();
            example.with(|example| write(&all_roles(), example, &mut out)).unwrap();
            let jsonl = Jsonl::new(all_roles());
            prop_assert_eq!(memchr::memchr(b'\n', &out), Some(out.len() - 1));
            let heard = heard(&jsonl, &out[..out.len() - 1]).unwrap().unwrap();
            example.assert_heard(&heard);
            prop_assert!(serde_json::from_slice::<serde_json::Value>(&out).is_ok());
        }
    }
}
