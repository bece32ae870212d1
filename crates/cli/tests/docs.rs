//! Documents that are made from the code say what the code says.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::{Workplace, repository};

#[test]
fn the_catalogue_of_learners_is_up_to_date() {
    let written = std::fs::read_to_string(repository("docs/learners.md")).unwrap_or_default();
    let made = Workplace::new().ok("learners --markdown").stdout;
    assert!(written == made, "docs/learners.md is not what the code says: run `make docs`");
}
