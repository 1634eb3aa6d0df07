# make demo | test | bench | bench-accuracy | figures | lint | clean
PYTHON ?= python3
BIN := .venv/bin
DATA ?= ../shared
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -e
READY := .venv/.ready
READY_TO_WORK := .venv/.ready-to-work

.PHONY: demo test bench bench-accuracy figures lint clean

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) .
	@touch $@

$(READY_TO_WORK): $(READY)
	$(INSTALL) '.[dev]'
	@touch $@

demo: $(READY)
	$(BIN)/referee demo $(ARGS)

test: $(READY_TO_WORK)
	$(BIN)/python -m pytest $(ARGS)

bench: $(READY_TO_WORK)
	$(BIN)/referee bench $(ARGS)

bench-accuracy: $(READY_TO_WORK)
	$(BIN)/python -m tests.bench.accuracy $(DATA) $(ARGS)

figures: $(READY)
	$(BIN)/python -m tests.bench.figures $(DATA) $(ARGS)

lint: $(READY_TO_WORK)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf .venv build *.egg-info
