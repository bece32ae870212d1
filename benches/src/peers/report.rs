//! The tables, and which targets are reached.

use std::path::Path;

use crate::Setting;
use crate::child::{Usage, output, words};
use crate::contenders::{Contender, Job};
use crate::quality::Quality;
use crate::sets::Set;
use crate::slow::Slow;

/// What was measured about one set.
type Of<'a, T> = (&'a Set, Vec<T>);

/// The whole report.
pub(crate) fn write(
    setting: &Setting,
    start_up: Usage,
    speed: &[Of<Contender>],
    quality: &[Of<Quality>],
    slow: &[Of<Slow>],
) -> String {
    let mut text = format!(
        "# Benchmarks\n\nMade by `make bench`; do not edit. {}, {}.\n\n{}\n\n\
         {} examples of made-up data (`thalweg generate`) and a ninth of that to test on. Medians of {} rounds in which \
         all take turns. CPU is user and system time of the process; Vowpal Wabbit's rows are without the start of \
         Python ({:.2} s wall, {:.2} s CPU, median). Models are not saved unless said. `CPU / vw` compares with Vowpal \
         Wabbit at the same job: learning from text, from its cache, predicting. Our learners \
         have the knobs that they come with.\n",
        date(),
        machine(),
        versions(setting),
        setting.examples,
        setting.rounds,
        start_up.wall,
        start_up.cpu,
    );
    for (set, contenders) in speed {
        let others = slow.iter().filter(|(other, _)| other.name == set.name).flat_map(|(_, slow)| slow);
        text += &speed_table(set, contenders, others);
    }
    for (set, models) in quality {
        text += &quality_table(set, models);
    }
    text += "\n## Targets\n\n";
    for (set, contenders) in speed {
        text += &speed_targets(set, contenders);
    }
    for (set, models) in quality {
        text += &quality_targets(set, models);
    }
    text
}

fn find(contenders: &[Contender], name: &str) -> Option<Usage> {
    contenders.iter().find(|contender| contender.name == name).map(Contender::usage)
}

/// Vowpal Wabbit at the same job.
fn rival(contenders: &[Contender], job: Job) -> Option<Usage> {
    match job {
        Job::Read | Job::Parse => None,
        Job::Train => find(contenders, "vw"),
        Job::MakeCache => find(contenders, "vw, making the cache"),
        Job::TrainFromCache => find(contenders, "vw, cache"),
        Job::Predict => find(contenders, "vw predict"),
    }
}

fn speed_table<'a>(set: &Set, contenders: &[Contender], slow: impl Iterator<Item = &'a Slow>) -> String {
    let megabytes = std::fs::metadata(&set.train).unwrap().len() as f64 / 1e6;
    let mut text = format!(
        "\n## Speed: {}, {megabytes:.0} MB of text\n\n\
         | run | wall s | CPU s | peak MB | text MB/s (wall) | CPU / parse only | CPU / vw |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        set.name
    );
    let parse = find(contenders, "parse only").unwrap().cpu;
    let mut row = |name: &str, usage: Usage, rival: Option<Usage>| {
        text += &format!(
            "| {name} | {:.2} | {:.2} | {:.0} | {:.0} | {:.2} | {} |\n",
            usage.wall,
            usage.cpu,
            usage.peak,
            megabytes / usage.wall,
            usage.cpu / parse,
            rival.map_or(String::new(), |rival| format!("{:.2}", usage.cpu / rival.cpu)),
        );
    };
    for contender in contenders {
        row(&contender.name, contender.usage(), rival(contenders, contender.job));
    }
    for slow in slow {
        let scaled = slow.scaled_from.map(|n| format!(", scaled from {n} examples, memory is theirs"));
        let name = format!("{} (once{})", slow.name, scaled.unwrap_or_default());
        row(&name, slow.usage, rival(contenders, Job::Train));
    }
    text
}

fn quality_table(set: &Set, models: &[Quality]) -> String {
    let mut text = format!(
        "\n## Test error: {}\n\n\
         | learner | error % | mean of sensitivity and specificity | non-zero weights |\n\
         | --- | ---: | ---: | ---: |\n",
        set.name
    );
    for model in models {
        text += &format!(
            "| {} | {:.2} | {:.4} | {} |\n",
            model.name,
            100.0 * model.error,
            model.balanced,
            model.nonzeros
        );
    }
    text
}

fn verdict(reached: bool) -> &'static str {
    if reached { "reached" } else { "NOT reached" }
}

/// A ratio that must not be more than this.
fn at_most(set: &Set, what: &str, ratio: f64, most: f64) -> String {
    format!("- {}: {what}: {ratio:.2}, at most {most:.2}: {}\n", set.name, verdict(ratio <= most))
}

fn speed_targets(set: &Set, contenders: &[Contender]) -> String {
    let cpu = |name: &str| find(contenders, name).map_or(f64::NAN, |usage| usage.cpu);
    // How much less than Vowpal Wabbit, from text and from a cache; how large the cache may be (that of LIBOL/SOL).
    let (text_share, cache_share, largest) =
        if set.name.starts_with("rcv") { (1.0 / 5.0, 1.0 / 7.0, 0.41) } else { (1.0 / 4.0, 1.0 / 5.0, 0.66) };
    let mut text = String::new();
    for learner in ["arow", "ssol"] {
        let ours = format!("thalweg {learner}");
        text += &at_most(set, &format!("{learner} / parse only"), cpu(&ours) / cpu("parse only"), 1.4);
        text += &at_most(set, &format!("{learner} / vw"), cpu(&ours) / cpu("vw"), text_share);
    }
    for learner in ["perceptron", "arow", "ssol"] {
        let stored = cpu(&format!("thalweg {learner}, cache")) / cpu("vw, cache");
        text += &at_most(set, &format!("{learner} / vw, both from their caches"), stored, cache_share);
    }
    if let Some(arow) = find(contenders, "thalweg arow") {
        text += &at_most(set, "arow, wall / CPU", arow.wall / arow.cpu, 0.7);
        text += &at_most(set, "arow, peak MB", arow.peak, 64.0 + 16.0 * set.features as f64 / 1e6);
    }
    if set.spread.is_some() {
        for learner in ["perceptron", "arow"] {
            let larger = cpu(&format!("thalweg {learner}, features up to 10^7"));
            let what = format!("{learner}, features up to 10^7 / up to 5 * 10^4");
            text += &at_most(set, &what, larger / cpu(&format!("thalweg {learner}")), 2.0);
        }
    }
    let making = cpu("thalweg arow, making the cache") / cpu("thalweg arow");
    text += &at_most(set, "arow, making the cache / without", making, 1.3);
    let size = |file: &Path| std::fs::metadata(file).map_or(f64::NAN, |found| found.len() as f64);
    text += &at_most(set, "cache / text, bytes", size(&set.cache()) / size(&set.train), largest);
    for learner in ["sgft", "fobos", "ada-fobos", "rda"] {
        for (source, from) in [("", "from text"), (", cache", "from the cache")] {
            let cpu = |learner: &str| cpu(&format!("thalweg {learner}{source}"));
            let what = format!("{learner} / perceptron, {from}");
            text += &at_most(set, &what, cpu(learner) / cpu("perceptron"), 1.5);
        }
    }
    text
}

/// On balanced sets one of ours must be at least as accurate as the best peer with at most its non-zero weights; on the
/// unbalanced one its mean of sensitivity and specificity must be higher.
fn quality_targets(set: &Set, models: &[Quality]) -> String {
    let ours = models.iter().filter(|model| model.ours);
    let peers = models.iter().filter(|model| !model.ours);
    if set.unbalanced {
        let best = |a: &&Quality, b: &&Quality| a.balanced.total_cmp(&b.balanced);
        let (Some(ours), Some(peer)) = (ours.max_by(best), peers.max_by(best)) else { return String::new() };
        return format!(
            "- {}: a higher mean of sensitivity and specificity than {} ({:.4}): {} ({}: {:.4})\n",
            set.name,
            peer.name,
            peer.balanced,
            verdict(ours.balanced > peer.balanced),
            ours.name,
            ours.balanced
        );
    }
    let best = |a: &&Quality, b: &&Quality| a.error.total_cmp(&b.error);
    let Some(peer) = peers.min_by(best) else { return String::new() };
    let (accurate, sparse) =
        (ours.clone().min_by(best), ours.filter(|m| m.nonzeros <= peer.nonzeros).min_by(best));
    let said = |model: Option<&Quality>| {
        model.map_or("none".into(), |m| format!("{}: {:.2} %, {}", m.name, 100.0 * m.error, m.nonzeros))
    };
    format!(
        "- {}: at most the error of the best peer, {} ({:.2} %, {} non-zero weights), with no more non-zero weights: {} \
         ({}; with any number {})\n",
        set.name,
        peer.name,
        100.0 * peer.error,
        peer.nonzeros,
        verdict(sparse.is_some_and(|model| model.error <= peer.error)),
        said(sparse),
        said(accurate)
    )
}

fn date() -> String {
    output(Path::new("date"), &words(&["+%Y-%m-%d"])).unwrap_or_default().trim().to_string()
}

/// Processor, cores, memory, and how busy they were.
fn machine() -> String {
    let field = |file: &str, name: &str| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_once(':').map_or("unknown".to_string(), |(_, value)| value.trim().to_string())
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let kilobytes = field("/proc/meminfo", "MemTotal").split(' ').next().and_then(|n| n.parse::<f64>().ok());
    let memory = kilobytes.map_or("memory unknown".into(), |n| format!("{:.0} GiB", n / f64::from(1 << 20)));
    // Above the number of cores, wall times are those of a crowded machine.
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').nth(2).unwrap_or("unknown");
    format!(
        "{}, {cores} cores, {memory}, load in the last 15 minutes of the run {load}",
        field("/proc/cpuinfo", "model name")
    )
}

fn versions(setting: &Setting) -> String {
    let mut all = Vec::from_iter(output(&setting.thalweg, &words(&["--version"])));
    if let Some(python) = &setting.python {
        let script = "from importlib.metadata import version as v\n\
                      for name in ['vowpalwabbit', 'scikit-learn', 'river']:\n\
                      \x20   try: print(name, v(name), end=', ')\n\
                      \x20   except Exception: pass\n";
        all.extend(
            output(python, &words(&["-c", script])).map(|text| text.trim_end_matches(", ").to_string()),
        );
    }
    let package = ["-W", "-f", "liblinear ${Version}", "liblinear-tools"];
    all.extend(output(Path::new("dpkg-query"), &words(&package)));
    all.iter().map(|version| version.trim()).collect::<Vec<_>>().join(", ")
}
