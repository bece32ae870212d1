use crate::cost::Costs;
use crate::dense::sketch::{DenseOja, Form, Knobs, Sketched, SparseOja};
use crate::learner::{Learner, Task};
use crate::loss::CostSensitive;
use crate::params::Params;
use crate::rule::{CostUse, Family, Fold};

use super::{BuildError, Entry, Registered, two_class, with_knobs};

const PAPER: &str = "Zhao, Zhang, Wu, Hoi, Tan, Huang, Adaptive cost-sensitive online classification (paper 003)";

/// SACOG-I: ACOG-I with a sketch of the covariance.
pub struct Sacog1;
/// SACOG-II: ACOG-II with a sketch of the covariance.
pub struct Sacog2;
/// SSACOG-I: SACOG-I in the time of a sparse example.
pub struct Ssacog1;
/// SSACOG-II: SACOG-II in the time of a sparse example.
pub struct Ssacog2;

/// What the four have in common.
const SKETCHED: Entry = Entry {
    name: "",
    family: Family::Sketched,
    paper: PAPER,
    when: "",
    doc: "",
    costs: CostUse::Margin,
    fold: Fold::Never,
    symmetric: true,
    numbered: true,
    one_of_k: false,
    knobs: Knobs::knobs,
    build: build::<SparseOja>,
};

impl Registered for Sacog1 {
    const ENTRY: Entry = Entry {
        name: "sacog1",
        when: "to compare with ssacog1, which says the same in less time",
        doc: "Sketched ACOG-I: of the covariance only m directions are kept, turned by Oja's rule (Algorithms 2 and 3).

```text
loss = max(0, c − y μ·x)             c is the cost of this error, 1 unless declared
x̂ = x / √γ                           every round:
Λ ← (1 − 1/t) Λ + (1/t) diag(V x̂)²
V ← orthonormalised (V + (1/t) V x̂ x̂')
μ ← μ − η (g − S'HS g)               if loss > 0; g = −y x, S = √(tΛ) V, H = 1/(1 + tΛ)
```

O(m² d) per round, where d counts the features seen.",
        build: build::<DenseOja>,
        ..SKETCHED
    };
}

impl Registered for Sacog2 {
    const ENTRY: Entry = Entry {
        name: "sacog2",
        when: "to compare with ssacog2, which says the same in less time",
        doc: "Sketched ACOG-II: as SACOG-I, with the cost as the slope of the loss.

```text
loss = c max(0, 1 − y μ·x)           c is the cost of this error, 1 unless declared
μ ← μ − η (g − S'HS g)               if loss > 0; g = −c y x, sketch as in SACOG-I
```",
        costs: CostUse::Slope,
        build: build::<DenseOja>,
        ..SKETCHED
    };
}

impl Registered for Ssacog1 {
    const ENTRY: Entry = Entry {
        name: "ssacog1",
        when: "unbalanced streams of correlated features, too many for a full covariance: costs as margins",
        doc: "Sparse sketched ACOG-I: SACOG-I in the time of a sparse example (Algorithms 4 to 6).

```text
V = F Z        μ = w + Z'b           so that a round changes only the example's columns of Z
δ = Z x̂ / t                          every round: Z ← Z + δ x̂',  w ← w − x̂ (δ·b)
w ← w − η g,  b ← b + η F'(tΛH) F Z g        if loss > 0; loss and g as in SACOG-I
```

O(m³ + m s) per round of s features.",
        ..SKETCHED
    };
}

impl Registered for Ssacog2 {
    const ENTRY: Entry = Entry {
        name: "ssacog2",
        when: "unbalanced streams of correlated features, too many for a full covariance: costs as slopes",
        doc: "Sparse sketched ACOG-II: as SSACOG-I, with the cost as the slope of the loss.

```text
loss = c max(0, 1 − y μ·x)           c is the cost of this error, 1 unless declared; g = −c y x
```",
        costs: CostUse::Slope,
        ..SKETCHED
    };
}

fn build<F: Form>(
    name: &'static str,
    settings: &[(&str, &str)],
    costs: Costs,
    task: Task,
) -> Result<Box<dyn Learner>, BuildError> {
    let knobs: Knobs = with_knobs(name, settings)?;
    let variant = if name.ends_with('1') { CostSensitive::Margin } else { CostSensitive::Slope };
    two_class(name, Box::new(Sketched::<F>::new(name, variant, knobs, costs)), task)
}
