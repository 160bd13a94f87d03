# The habits of Portcullis. `make demo` and `make test` do all the set-up on a fresh machine.
CARGO ?= cargo
BIN := target/release/portcullis

.PHONY: help demo test guests templates nodes demo-nodes build lint bench bless walls fuzz ci

help:
	@echo "make demo    diagnose an embedded incident: no key, no network service"
	@echo "make test    build everything and pass the tests"
	@echo "make guests  build the guest components (chooses a toolchain and says which)"
	@echo "make templates  try the projects that portcullis node new writes in Rust"
	@echo "make nodes   make, build and test nodes in Python and JavaScript"
	@echo "make demo-nodes  one incident with three composers: default, Python, JavaScript"
	@echo "make build   build the program: $(BIN)"
	@echo "make lint    formatting, clippy, the walls between the rooms, licences"
	@echo "make bench   measure: ratios to a native floor of the same run"
	@echo "make fuzz    fuzz each target for FUZZ_SECONDS (60); the first build takes long"
	@echo "make bless   rewrite reviewed snapshots, docs/baseline.md and docs/failures.md"
	@echo "make ci      what .ci/run calls"

guests:
	@guests/build.sh

build: guests
	$(CARGO) build --release --locked

# One project for each role: made, tested, built, loaded, and run beside the defaults.
templates: build
	@guests/templates.sh

# The projects of `portcullis node new` in other languages, built with the commands of their READMEs.
nodes: build
	@guests/nodes.sh

demo-nodes: nodes
	@guests/demo-nodes.sh

demo: build
	$(BIN) run --incident incidents/checkout-latency --store memory

# One profile for everything: wasmtime is built once. nextest where it is there, cargo test elsewhere.
test: build
	cd guests && $(CARGO) test --locked --workspace --quiet
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
	  $(CARGO) nextest run --release --locked --workspace; \
	else \
	  $(CARGO) test --release --locked --workspace; \
	fi

lint: guests walls
	$(CARGO) fmt --check
	cd guests && $(CARGO) fmt --check
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings
	cd guests && $(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	@if $(CARGO) deny --version >/dev/null 2>&1; then \
	  $(CARGO) deny check bans licenses sources && \
	  $(CARGO) deny --config deny.toml --manifest-path guests/Cargo.toml check licenses sources; \
	else \
	  echo "cargo-deny is not installed: licences, sources and duplicate versions were not checked"; \
	fi

# The walls between the rooms, proved by command.
walls:
	@.ci/walls

bench: build
	$(CARGO) bench --locked -p portcullis --bench run

# Needs python3 and a C++ compiler; installs cargo-fuzz below target/tools.
fuzz: guests
	@fuzz/run

bless: build
	$(BIN) graph --format markdown > docs/baseline.md
	$(BIN) graph --failures > docs/failures.md
	UPDATE_EXPECT=1 BLESS=1 $(CARGO) test --release --locked --workspace

ci: lint demo demo-nodes templates test
