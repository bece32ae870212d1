.PHONY: demo demo-urls build-demo test python spark wheel browser lint bench bench-defaults peers bench-python fuzz fuzz-commands docs picture book measure measure-spark

DEMO := target/demo/made
DATA ?= ../shared/data

# Builds the program and runs the main job on the bundled SMS spam collection: one pass, progress, test, inspection. It is built without Parquet and
# Arrow, and with little optimization: the bundled data is small.
demo: build-demo
	@mkdir -p $(DEMO)
	target/demo/thalweg train data/smsspam.train.tsv.zst --text text --ngrams 1..2 \
		-f $(DEMO)/spam.thw -t data/smsspam.test.tsv.zst
	@echo
	target/demo/thalweg inspect $(DEMO)/spam.thw --top 10
	@echo
	target/demo/thalweg predict -i $(DEMO)/spam.thw data/smsspam.test.tsv.zst -p $(DEMO)/predictions.tsv
	head -n 3 $(DEMO)/predictions.tsv

# From raw web addresses to named features, on the phishing addresses, which may not be bundled: DATA is the folder that has them.
demo-urls: build-demo
	@mkdir -p $(DEMO)
	target/demo/thalweg train $(DATA)/pdd_urls.tsv.zst --no-header --label-col 1 --url 2 --shuffle -f $(DEMO)/urls.thw
	@echo
	target/demo/thalweg inspect $(DEMO)/urls.thw --top 10

build-demo:
	@test -x target/demo/thalweg || echo "Building thalweg for the first time, which takes 2 to 3 minutes on two cores."
	cargo build --profile demo --no-default-features -p thalweg-cli

# Everything that must hold, in f32 and in f64, and without Parquet and Arrow. The wrapper compiles only the crates of this workspace again, and keeps what it made apart.
test: lint browser
	THALWEG_REAL=f32 cargo test --workspace
	$(MAKE) python
	$(MAKE) spark
	cargo test -p thalweg-data --no-default-features --lib
	cargo test -p thalweg-cli --no-default-features --test without_columns
	THALWEG_REAL=f64 RUSTC_WORKSPACE_WRAPPER=$(CURDIR)/laws/rustc-f64 cargo test --workspace --exclude thalweg-python

# The Python package, in a virtual environment of its own. It is built as the other tests are, and compared with the program that they have built.
PYTHON_TESTS := maturin numpy scipy scikit-learn pytest pandas polars pyarrow duckdb river vowpalwabbit mypy matplotlib tqdm pyyaml
VENV := $(CURDIR)/target/python
python:
	@test -x $(VENV)/bin/python || python3 -m venv $(VENV)
	@$(VENV)/bin/python -c "import maturin, sklearn, pytest, pandas, polars, pyarrow, duckdb, river, vowpalwabbit, mypy, matplotlib, tqdm, yaml" 2>/dev/null \
		|| $(VENV)/bin/python -m pip install --quiet $(PYTHON_TESTS)
	@test -x target/debug/thalweg || cargo build --quiet -p thalweg-cli
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --quiet
	$(VENV)/bin/python -m pytest --quiet crates/python/tests

# thalweg.spark on a small cluster of this machine, in a virtual environment of its own: PySpark wants an older pandas than the other tests. Without Java
# or PySpark its tests say that they were skipped.
SPARK_TESTS := maturin pytest mypy 'pyspark>=4.1,<5' 'pandas>=2.2,<3' pyarrow numpy scipy scikit-learn
SPARK := $(CURDIR)/target/spark
spark:
	@command -v java >/dev/null || { apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless >/dev/null; } 2>/dev/null \
		|| echo "Java 17 cannot be installed: thalweg.spark is NOT tested"
	@test -x $(SPARK)/bin/python || python3 -m venv $(SPARK)
	@$(SPARK)/bin/python -c "import maturin, mypy, pytest, pyspark, pandas, pyarrow, sklearn" 2>/dev/null \
		|| $(SPARK)/bin/python -m pip install --quiet $(SPARK_TESTS) \
		|| { $(SPARK)/bin/python -m pip install --quiet maturin pytest && echo "PySpark cannot be installed: thalweg.spark is NOT tested"; }
	VIRTUAL_ENV=$(SPARK) $(SPARK)/bin/maturin develop --quiet
	$(SPARK)/bin/python -m pytest --quiet -rs crates/python/tests_spark || [ $$? -eq 5 ]  # 5: nothing can be tested

# A wheel for Linux that works with every Python from 3.10 on and every glibc from 2.28 on, in target/wheels. Zig links against an old glibc.
wheel:
	@test -x $(VENV)/bin/python || python3 -m venv $(VENV)
	@$(VENV)/bin/python -c "import maturin, ziglang, auditwheel" 2>/dev/null || $(VENV)/bin/python -m pip install --quiet maturin ziglang auditwheel
	@rm -rf target/wheels
	@# maturin asks python3 for Zig, so that of the virtual environment must come first.
	PATH="$(VENV)/bin:$$PATH" $(VENV)/bin/maturin build --release --locked --strip --zig --compatibility manylinux_2_28
	$(VENV)/bin/python -m auditwheel show target/wheels/*.whl
	@ls -l target/wheels/*.whl

# The page of a report is tested in a real browser. Without one, its tests say that they were ignored.
BROWSERS := chromium chromium-browser google-chrome
browser:
	@for name in $(BROWSERS); do command -v $$name >/dev/null && exit 0; done; \
		{ apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } 2>/dev/null \
		|| echo "Chromium cannot be installed: the page of reports is NOT tested in a browser"

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
	@command -v cargo-deny >/dev/null || cargo install cargo-deny --locked --quiet \
		|| echo "cargo-deny cannot be installed: licences, sources and advisories of dependencies are NOT checked"
	@if command -v cargo-deny >/dev/null; then cargo deny --log-level error check bans licenses sources; fi
	@# Known vulnerabilities need a database, which somebody with a network has fetched: cargo deny fetch
	@if [ -d "$${CARGO_HOME:-$$HOME/.cargo}/advisory-dbs" ]; then cargo deny --log-level error check --disable-fetch advisories; fi

# Speed, as ratios measured in one run; DATA as for measure. The comparison with the peers makes its data in
# target/bench/data (kept, so remove it when `thalweg generate` has changed) and writes docs/benchmarks.md. What names cost is in
# docs/benchmarks-names.md, where FW (fwumious_wabbit) and SOL (sol_train) may name programs that somebody has built.
EXAMPLES ?= 360000
ROUNDS ?= 5
bench: peers bench-defaults
	cargo run --release --quiet -p thalweg-benches --bin bench-learners
	cargo run --release --quiet -p thalweg-benches --bin bench-instructions
	cargo run --release --quiet -p thalweg-benches --bin bench-formats
	cargo run --release --quiet -p thalweg-benches --bin bench-library
	cargo run --release --quiet -p thalweg-benches --bin bench-sweep
	cargo run --release --quiet -p thalweg-benches --bin bench-metrics
	@command -v liblinear-train >/dev/null || apt-get install -y -qq liblinear-tools || true
	PYTHON=target/bench/bin/python cargo run --release --quiet -p thalweg-benches --bin bench-batches -- $(DATA)
	cargo build --release --quiet -p thalweg-cli
	PYTHON=target/bench/bin/python cargo run --release --quiet -p thalweg-benches --bin bench-peers -- \
		target/release/thalweg target/bench/data docs/benchmarks.md $(EXAMPLES) $(ROUNDS)
	PYTHON=target/bench/bin/python FW=$(FW) SOL=$(SOL) cargo run --release --quiet -p thalweg-benches --bin bench-names -- \
		target/release/thalweg target/bench/names docs/benchmarks-names.md

peers:
	@test -x target/bench/bin/python || python3 -m venv target/bench
	@target/bench/bin/python -c "import numpy, river, sklearn, vowpalwabbit" 2>/dev/null \
		|| target/bench/bin/pip install --quiet numpy river scikit-learn vowpalwabbit

# The Python package against scikit-learn, river and vowpalwabbit's package. Writes docs/python-benchmarks.md.
bench-python: peers wheel
	target/bench/bin/pip install --quiet --force-reinstall --no-deps target/wheels/*.whl
	target/bench/bin/python benches/python.py $(DATA) docs/python-benchmarks.md

# What models are worth that nobody tuned: Thalweg, Vowpal Wabbit and scikit-learn without flags. Writes docs/defaults.md.
bench-defaults: peers
	cargo build --release --quiet -p thalweg-cli
	target/bench/bin/python benches/defaults.py target/release/thalweg $(DATA) target/bench/defaults docs/defaults.md

# Looks for inputs that do what none may do, SECONDS for every target of fuzz/src/lib.rs (or for those in TARGETS), led by what code
# they reach. It needs a C++ compiler and no nightly Rust. What is found is kept in target/fuzz/found. Readers may take 64 MiB for what a
# file says of its own size, so the limit of memory is many times what they need.
SECONDS ?= 20
TARGETS ?= $(notdir $(wildcard fuzz/corpus/*))
TRIPLE := $(shell rustc -vV | sed -n 's/host: //p')
COVERAGE := -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
	-Cdebug-assertions -Coverflow-checks
fuzz:
	RUSTFLAGS="$(COVERAGE)" cargo build --profile trial --target $(TRIPLE) --target-dir target/fuzz \
		--package thalweg-fuzz --bin fuzz --features libfuzzer
	@for target in $(TARGETS); do \
		echo "== $$target"; mkdir -p target/fuzz/corpus/$$target target/fuzz/found; \
		THALWEG_FUZZ=$$target target/fuzz/$(TRIPLE)/trial/fuzz -max_total_time=$(SECONDS) -timeout=10 -max_len=4096 -rss_limit_mb=2048 \
			-print_final_stats=1 -verbosity=0 -artifact_prefix=target/fuzz/found/$$target- \
			target/fuzz/corpus/$$target fuzz/corpus/$$target || exit 1; \
	done

# Whole commands with damaged files, for SECONDS: none may crash, hang, grow, or touch a file that it was not told to write.
fuzz-commands:
	cargo build --profile trial --quiet -p thalweg-cli -p thalweg-fuzz
	target/trial/hostile-commands target/trial/thalweg $(SECONDS)

# Documents that are made from the code.
docs:
	cargo run --quiet -p thalweg-cli -- learners --markdown > docs/learners.md

# The picture of README.md. Vowpal Wabbit's points are measured anew only if python3 has its package.
picture:
	cargo build --release --quiet -p thalweg-cli
	python3 docs/pictures/sparsity.py

# docs/ as a book, in docs/book. The tests check its links and commands; mdBook only makes pages of it.
book:
	@command -v mdbook >/dev/null || { echo "mdbook is not installed: cargo install mdbook --locked"; exit 1; }
	mdbook build docs

# The tables of docs/guide; DATA is a folder with the data sets that they name.
measure:
	cargo run --release --quiet -p thalweg-benches --bin measure-learners -- $(DATA)
	cargo run --release --quiet -p thalweg-benches --bin measure-covariances -- $(DATA)
	cargo run --release --quiet -p thalweg-benches --bin measure-shards -- $(DATA)

# What Spark costs, for docs/guide/spark.md, in the environment of `make spark`.
measure-spark:
	VIRTUAL_ENV=$(SPARK) $(SPARK)/bin/maturin develop --quiet --release
	$(SPARK)/bin/python benches/spark.py
