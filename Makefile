# Everything runs in .venv, made from Python 3.11 or later and the package index alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 0
MUTANTS_MINUTES ?= 10
MUTANTS_SEED ?= 0

# The core of the tests is about numbers, readers and tables, whatever library they come from. The
# rest is about the system, the project itself, or takes long.
OLDEST := .venv-oldest
NOT_CORE := $(addprefix --ignore=tests/,robustness levels reproduction ideal inputs/test_saved_tables.py \
	inputs/test_whole_columns_details.py \
	inputs/test_designs.py inputs/test_collections.py stats/test_groups_simulated.py \
	stats/test_repeats_simulated.py stats/test_collections_simulated.py stats/test_coverage_designs.py \
	stats/test_ppi_simulated.py scores/test_judges.py scores/test_bounds.py studies/test_judges.py \
	inputs/test_json.py inputs/test_documents.py scores/test_beyond.py studies/test_report.py \
	studies/test_report_designs.py outputs/figures/test_designs.py \
	outputs/figures/test_values.py outputs/figures/test_files.py outputs/figures/test_many_runs.py \
	outputs/test_page_in_browser.py outputs/test_paper.py \
	app/test_completion.py app/test_help.py app/test_workload.py app/test_terminal.py \
	app/test_usage.py common/test_parallel.py common/test_system.py scores/test_real_data.py \
	test_benchmarks.py test_contributing.py test_docs.py test_example_paper.py test_mutation.py test_project.py \
	test_recipes.py test_site.py)

.PHONY: help install demo test test-quick test-oldest lint fuzz mutants bench shape reproduce golden samples docs pictures site clean

help:
	@echo "make install      the program into $(VENV): $(BIN)/confint"
	@echo "make demo         real results on sample_runs/"
	@echo "make test         all tests but those that compute published figures at length"
	@echo "make test-quick   all but those that take more than three seconds each"
	@echo "make test-oldest  the core of them, with the oldest libraries that the package allows"
	@echo "make lint         ruff and mypy"
	@echo "make fuzz         random damage to real files, then random calls of every command, each for"
	@echo "                  FUZZ_SECONDS=$(FUZZ_SECONDS) from FUZZ_SEED=$(FUZZ_SEED)"
	@echo "make mutants      small changes to statistics and readers, which tests have to notice, for"
	@echo "                  MUTANTS_MINUTES=$(MUTANTS_MINUTES) (0: all of them) from MUTANTS_SEED=$(MUTANTS_SEED)"
	@echo "make bench        docs/benchmarks.md: speed beside peers, and how cost grows with the work"
	@echo "make shape        size of the code, imports, the way of the data, the start, beside their goals"
	@echo "make reproduce    the tests that take long; docs/reproduction.md: published figures beside ours;"
	@echo "                  docs/choosing.md: the"
	@echo "                  evidence; docs/levels.md: what holds for all pairs; docs/ideal.md: the"
	@echo "                  errors of the ideal bootstrap (need CONFINT_DATA)"
	@echo "make docs         what pages have from the help texts, and what their examples print"
	@echo "make pictures     docs/pictures/, from sample_runs/"
	@echo "make site         the pages as a web site in site/, with links checked"
	@echo "make golden       write the expected outputs of the tests anew; then read the diff"

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

test-quick: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not long"

# Their own libraries may have gone on: matplotlib 3.8 uses what pyparsing gives up.
test-oldest: $(OLDEST)/.installed
	$(OLDEST)/bin/python -m pytest -n auto --dist worksteal -m "not slow and not long" \
	    -W ignore::DeprecationWarning $(NOT_CORE)

$(OLDEST)/.installed: pyproject.toml tests/oldest.py
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python tests/oldest.py > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check \
	    --constraint $(OLDEST)/constraints.txt --editable '.[plot,dask,parquet,measures,test]'
	@touch $@

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy docs/make_pages.py docs/make_pictures.py docs/make_examples.py docs/make_notebook.py \
	    docs/make_site.py

fuzz: $(VENV)/.installed-dev
	$(BIN)/python -m tests.fuzzing.run --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)
	$(BIN)/python -m tests.fuzzing.command_lines --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

mutants: $(VENV)/.installed-dev
	$(BIN)/python -m tests.mutation.run --minutes $(MUTANTS_MINUTES) --seed $(MUTANTS_SEED)

bench: $(VENV)/.installed-dev $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.run

shape: $(VENV)/.installed-dev
	@$(BIN)/python -m benchmarks.shape

reproduce: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m long
	$(BIN)/python -m tests.reproduction.run
	$(BIN)/python -m tests.evidence.run
	$(BIN)/python -m tests.levels.run
	$(BIN)/python -m tests.ideal.run

golden: $(VENV)/.installed-dev
	$(BIN)/python -m pytest tests/golden/test_golden.py --write-golden

samples: $(VENV)/.installed-dev
	$(BIN)/python sample_runs/make_samples.py

docs: $(VENV)/.installed-dev
	$(BIN)/python -m docs.make_pages
	$(BIN)/python -m docs.make_examples
	$(BIN)/python -m docs.make_notebook
	$(BIN)/python -m tests.robustness.page

pictures: $(VENV)/.installed
	$(BIN)/python -m docs.make_pictures

site: $(VENV)/.installed-site
	$(BIN)/python -m docs.make_site

clean:
	rm -rf $(VENV) $(OLDEST) demo site .pytest_cache .mypy_cache .ruff_cache .hypothesis
