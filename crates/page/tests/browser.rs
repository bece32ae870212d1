//! Drives the page in a browser.

fn main() {}
