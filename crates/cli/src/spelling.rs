//! How the command line spells the settings that the library names: `` `max_memory` `` is `--max-memory`.

use thalweg::Config;

/// The message with every setting spelled as the flag that sets it.
pub(crate) fn with_flags(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut parts = message.split('`').peekable();
    while let Some(part) = parts.next() {
        text.push_str(part);
        let Some(quoted) = parts.next() else { break };
        let closed = parts.peek().is_some();
        if let Some(flag) = flag(quoted).filter(|_| closed) {
            text.push_str(&flag);
        } else {
            // Other words between backticks are somebody else's.
            text.push('`');
            text.push_str(quoted);
            text.push_str(if closed { "`" } else { "" });
        }
    }
    text
}

/// The flag of a setting.
fn flag(setting: &str) -> Option<String> {
    let name = Config::FIELDS.iter().find(|field| **field == setting)?;
    Some(match *name {
        "learner" => "-a".into(),
        name => format!("--{}", name.replace('_', "-")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_spelled_as_flags_and_other_words_stay() {
        assert_eq!(
            with_flags("more than the 4 GiB allowed (`max_memory`)"),
            "more than the 4 GiB allowed (--max-memory)"
        );
        assert_eq!(
            with_flags("trained with `learner` arow, but no `bias`"),
            "trained with -a arow, but no --bias"
        );
        for same in
            ["plain", "", "`", "a ` b", "a label `x` here", "ends with `max_memory", "``", "`unknown`"]
        {
            assert_eq!(with_flags(same), same);
        }
    }
}
