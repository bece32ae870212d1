//! SACOG and SSACOG: ACOG with a sketch of the covariance.

use crate::cost::CostUse;
use crate::dense::sketch::{DenseOja, Form, Knobs, Sketched, SparseOja};
use crate::learner::{Learner, Setup};
use crate::loss::CostSensitive;
use crate::merge::Merging;
use crate::params::Params;
use crate::rule::{Family, Fold, Values};

use crate::registry::{BuildError, Entry, Forgets, two_class, with_knobs};

const PAPER: &str =
    "Zhao, Zhang, Wu, Hoi, Tan, Huang, Adaptive cost-sensitive online classification (TKDE 2019)";

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
    values: Values::AsTheyAre,
    one_of_k: false,
    forgets: Forgets::Never(Family::Sketched.why_nothing_is_forgotten()),
    merging: Merging::NOT_SKETCHES,
    knobs: Knobs::knobs,
    build: |name, knobs, setup| build::<SparseOja>(CostSensitive::Margin, name, knobs, setup),
};

/// SACOG-I: ACOG-I with a sketch of the covariance.
pub(super) const SACOG1: Entry = Entry {
    name: "sacog1",
    when: "to compare with ssacog1, which gives the same result in less time",
    doc: "Sketched ACOG-I: of the covariance only m directions are kept, turned by Oja's rule (Algorithms 2 and 3).

```text
loss = max(0, c − y μ·x)             c is the cost of this error, 1 unless declared
x̂ = x / √γ                           every round:
Λ ← (1 − Γ) Λ + Γ diag(V x̂)²         Γ = min(1, rate / t^power), 1/t by default
V ← orthonormalised (V + Γ V x̂ x̂')
μ ← μ − η (g − S'HS g)               if loss > 0; g = −y x, S = √(tΛ) V, H = 1/(1 + tΛ)
```

O(m² d) per round, where d counts the features seen.

With `every=k`, k examples are let in at a time, each turns Λ and V, and V is orthonormalised after the last one. `precondition=diagonal` divides every feature's values by
√(0.1 + the sum of its squared gradients). Both are as in the Oja-Newton code of Luo et al. 2016, which the paper follows.",
    build: |name, knobs, setup| build::<DenseOja>(CostSensitive::Margin, name, knobs, setup),
    ..SKETCHED
};

/// SACOG-II: ACOG-II with a sketch of the covariance.
pub(super) const SACOG2: Entry = Entry {
    name: "sacog2",
    when: "to compare with ssacog2, which gives the same result in less time",
    doc: "Sketched ACOG-II: as SACOG-I, with the cost as the slope of the loss.

```text
loss = c max(0, 1 − y μ·x)           c is the cost of this error, 1 unless declared
μ ← μ − η (g − S'HS g)               if loss > 0; g = −c y x, sketch as in SACOG-I
```",
    costs: CostUse::Slope,
    build: |name, knobs, setup| build::<DenseOja>(CostSensitive::Slope, name, knobs, setup),
    ..SKETCHED
};

/// SSACOG-I: SACOG-I in the time of a sparse example.
pub(super) const SSACOG1: Entry = Entry {
    name: "ssacog1",
    when: "unbalanced streams of correlated features, too many for a full covariance: costs as margins",
    doc: "Sparse sketched ACOG-I: SACOG-I in the time of a sparse example (Algorithms 4 to 6).

```text
V = F Z        μ = w + Z'b           so that a round changes only the example's columns of Z
δ = Γ Z x̂                            every round: Z ← Z + δ x̂',  w ← w − x̂ (δ·b)
w ← w − η g,  b ← b + η F'(tΛH) F Z g        if loss > 0; Γ, loss and g as in SACOG-I
```

O(m² + m s) per round of s features, O(m³ + m s) if some of them are new.",
    ..SKETCHED
};

/// SSACOG-II: SACOG-II in the time of a sparse example.
pub(super) const SSACOG2: Entry = Entry {
    name: "ssacog2",
    when: "unbalanced streams of correlated features, too many for a full covariance: costs as slopes",
    doc: "Sparse sketched ACOG-II: as SSACOG-I, with the cost as the slope of the loss.

```text
loss = c max(0, 1 − y μ·x)           c is the cost of this error, 1 unless declared; g = −c y x
```",
    costs: CostUse::Slope,
    build: |name, knobs, setup| build::<SparseOja>(CostSensitive::Slope, name, knobs, setup),
    ..SKETCHED
};

fn build<F: Form>(
    loss: CostSensitive,
    name: &'static str,
    settings: &[(&str, &str)],
    setup: &Setup,
) -> Result<Box<dyn Learner>, BuildError> {
    let knobs: Knobs = with_knobs(name, settings)?;
    two_class(name, Box::new(Sketched::<F>::new(name, loss, knobs, setup.costs)), setup)
}
