//! Figures know all learners.
#![allow(missing_docs)]

use thalweg::learners::LEARNERS;
use thalweg_figures::Look;

#[test]
fn every_learner_has_a_look_of_its_own() {
    for entry in LEARNERS {
        assert!(Look::is_listed(entry.name), "{}: add a line to crates/figures/src/look.rs", entry.name);
    }
}
