.PHONY: demo test lint bench docs measure

DEMO := target/demo

# Builds the program and runs the main job on the bundled SMS spam collection: one pass, progress, test, inspection.
demo:
	cargo build --release --quiet
	@mkdir -p $(DEMO)
	target/release/thalweg train data/smsspam.train.svm.zst -a ssol:schedule=constant,lambda=1 --normalize l2 \
		-f $(DEMO)/spam.thw -t data/smsspam.test.svm.zst
	@echo
	target/release/thalweg inspect $(DEMO)/spam.thw --top 10
	@echo
	target/release/thalweg predict -i $(DEMO)/spam.thw data/smsspam.test.svm.zst -p $(DEMO)/predictions.tsv
	head -n 3 $(DEMO)/predictions.tsv

# Everything that must hold, in f32 and in f64.
test: lint
	cargo test --workspace
	cargo test --workspace --features f64

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

# Speed, as ratios measured in one run.
bench:
	cargo run --release --quiet -p thalweg-benches --bin bench-learners

# Documents that are made from the code.
docs:
	cargo run --quiet -p thalweg -- learners --markdown > docs/learners.md

# The tables of docs/guide/which-learner.md; DATA is a folder with the data sets that it names.
DATA ?= ../shared/data
measure:
	cargo run --release --quiet -p thalweg-benches --bin measure-learners -- $(DATA)
