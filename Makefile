# Everything runs in .venv, made from Python 3.11 or later and the package index alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 0

.PHONY: help install demo test lint fuzz bench reproduce golden samples docs pictures clean

help:
	@echo "make install    the program into $(VENV): $(BIN)/confint"
	@echo "make demo       real results on sample_runs/"
	@echo "make test       all tests"
	@echo "make lint       ruff and mypy"
	@echo "make fuzz       random damage to real files, then random calls of every command, each for"
	@echo "                FUZZ_SECONDS=$(FUZZ_SECONDS) from FUZZ_SEED=$(FUZZ_SEED)"
	@echo "make bench      docs/benchmarks.md: speed beside peers, and how cost grows with the work"
	@echo "make reproduce  docs/reproduction.md: published figures beside ours (needs CONFINT_DATA)"
	@echo "make docs       what pages have from the help texts, and versions in their examples"
	@echo "make pictures   docs/pictures/, from sample_runs/"
	@echo "make golden     write the expected outputs of the tests anew; then read the diff"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[plot]'
	@touch $@

$(VENV)/.installed-%: pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@

install: $(VENV)/.installed

demo: install
	@sh sample_runs/demo.sh $(BIN)/confint

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy docs/make_pages.py docs/make_pictures.py

fuzz: $(VENV)/.installed-dev
	$(BIN)/python -m tests.fuzzing.run --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)
	$(BIN)/python -m tests.fuzzing.command_lines --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

bench: $(VENV)/.installed-dev $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.run

reproduce: $(VENV)/.installed-dev
	$(BIN)/python -m tests.reproduction.run

golden: $(VENV)/.installed-dev
	$(BIN)/python -m pytest tests/test_golden.py --write-golden

samples: $(VENV)/.installed-dev
	$(BIN)/python sample_runs/make_samples.py

docs: $(VENV)/.installed-dev
	$(BIN)/python -m docs.make_pages
	$(BIN)/python -m tests.robustness.page

pictures: $(VENV)/.installed
	$(BIN)/python -m docs.make_pictures

clean:
	rm -rf $(VENV) demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
