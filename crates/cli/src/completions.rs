//! `thalweg completions`: scripts that complete words in a shell.

use clap::builder::PossibleValuesParser;
use clap::{Args, Command};
use clap_complete::Shell;
use thalweg_core::learners::LEARNERS;

use crate::output;

#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, program: Command) -> anyhow::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut with_learners(program), "thalweg", &mut script);
        let mut script = String::from_utf8_lossy(&script).into_owned();
        if self.shell == Shell::Bash {
            script += &bash_knobs();
        }
        output::print(&script)
    }
}

/// The program as a script sees it: the names of learners are values to choose from. They are not all that may be said, as knobs may follow.
fn with_learners(program: Command) -> Command {
    let names = || PossibleValuesParser::new(LEARNERS.iter().map(|entry| entry.name));
    let with = |program: Command, verb: &str, flag: &str| {
        program.mut_subcommand(verb, |verb| verb.mut_arg(flag, |arg| arg.value_parser(names())))
    };
    [("train", "learner"), ("select", "learner"), ("learners", "name")]
        .into_iter()
        .fold(program, |program, (verb, flag)| with(program, verb, flag))
}

/// What completes the knobs behind `-a NAME:` in bash, before the rest is asked. Bash cuts words at `:` and `=`, so that what was typed is put together
/// from its pieces, and only the last piece is completed.
fn bash_knobs() -> String {
    let case = |entry: &thalweg_core::learners::Entry| {
        let knobs: Vec<String> = (entry.knobs)().iter().map(|knob| format!("{}=", knob.name)).collect();
        format!("        {}) knobs=\"{}\" ;;\n", entry.name, knobs.join(" "))
    };
    let cases: String = LEARNERS.iter().filter(|entry| !(entry.knobs)().is_empty()).map(case).collect();
    BASH_KNOBS.replace("        CASES\n", &cases)
}

const BASH_KNOBS: &str = r#"
_thalweg_with_knobs() {
    local i=$COMP_CWORD spec="" knobs="" given before
    while (( i > 1 )) && [[ ${COMP_WORDS[i]} != -* ]]; do
        spec="${COMP_WORDS[i]}$spec"
        (( i-- ))
    done
    if [[ ${COMP_WORDS[i]} != -a && ${COMP_WORDS[i]} != --learner ]] || [[ $spec != *:* ]]; then
        _thalweg "$@"
        return
    fi
    case "${spec%%:*}" in
        CASES
    esac
    given="${spec##*[:,]}"
    [[ $2 == : ]] && before="" || before="${2%"$given"}"
    COMPREPLY=( $(compgen -W "$knobs" -P "$before" -- "$given") )
    compopt -o nospace
}

if (( BASH_VERSINFO[0] > 4 || BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] >= 4 )); then
    complete -F _thalweg_with_knobs -o nosort -o bashdefault -o default thalweg
fi
"#;
