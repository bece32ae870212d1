//! Peers that are slower by an order of magnitude: once each, two of them on the head of the data and scaled.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use crate::Setting;
use crate::child::{self, Usage};
use crate::sets::{Set, text};

const SCIKIT: &str = "
import sys, numpy
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier
x, y = load_svmlight_file(sys.argv[1], dtype=numpy.float32)
x.indices, x.indptr = x.indices.astype(numpy.int32), x.indptr.astype(numpy.int32)
SGDClassifier(loss='hinge', alpha=1e-6, max_iter=1, tol=None).fit(x, y)
";

const RIVER: &str = "
import sys
from river import linear_model, optim
model = linear_model.LogisticRegression(optimizer=optim.FTRLProximal())
for line in open(sys.argv[1]):
    label, *features = line.split()
    x = {name: float(value) for name, value in (feature.split(':') for feature in features)}
    model.learn_one(x, label == '1')
";

/// A peer, and what it used for all of the data.
pub(crate) struct Slow {
    pub(crate) name: String,
    pub(crate) usage: Usage,
    /// Its time was measured on so many examples and scaled.
    pub(crate) scaled_from: Option<u64>,
}

/// Runs those that are there.
pub(crate) fn measure(setting: &Setting, set: &Set) -> Vec<Slow> {
    let mut all = Vec::new();
    let liblinear = Path::new("liblinear-train");
    // Without arguments it explains itself and fails, so it is looked for by its name.
    if child::succeeds(Path::new("which"), &["liblinear-train"]) {
        eprintln!("{}: liblinear -s 1", set.name);
        let arguments = ["-q", "-s", "1", &text(&set.train), &set.beside("liblinear")];
        let usage = child::run(liblinear, &child::words(&arguments));
        all.push(Slow { name: "liblinear -s 1, model saved".into(), usage, scaled_from: None });
    } else {
        eprintln!("{}: liblinear is left out, since liblinear-train is not on the path", set.name);
    }
    let Some(python) = &setting.python else { return all };
    for (name, module, script, most) in
        [("scikit-learn SGD, hinge", "sklearn", SCIKIT, 90_000), ("river FTRL", "river", RIVER, 5_000)]
    {
        if !child::succeeds(python, &["-c", &format!("import {module}")]) {
            eprintln!("{}: {name} is left out, since PYTHON has no {module}", set.name);
            continue;
        }
        eprintln!("{}: {name}", set.name);
        let examples = most.min(setting.examples);
        let head = head(set, examples);
        let all_of_it = child::run(python, &child::words(&["-c", script, &head]));
        // The start: imports and an empty file's worth of work.
        let start = child::run(python, &child::words(&["-c", &format!("import {module}")]));
        let factor = setting.examples as f64 / examples as f64;
        let scale = |whole: f64, start: f64| (whole - start) * factor;
        let usage = Usage {
            wall: scale(all_of_it.wall, start.wall),
            cpu: scale(all_of_it.cpu, start.cpu),
            peak: all_of_it.peak,
        };
        all.push(Slow { name: name.into(), usage, scaled_from: Some(examples) });
    }
    all
}

/// The first examples in a file of their own.
fn head(set: &Set, examples: u64) -> String {
    let file = set.beside("head");
    let mut output = BufWriter::new(File::create(&file).unwrap());
    for line in BufReader::new(File::open(&set.train).unwrap()).lines().take(examples as usize) {
        writeln!(output, "{}", line.unwrap()).unwrap();
    }
    output.flush().unwrap();
    file
}
