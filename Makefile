# make run: set up and run a sample of the main job; make run-all: all of it; make test: set up and run every test.
# They need nothing but Python 3.11 or later.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# A folder shared/data beside the checkout is used as if FORMGYM_DATA named it.
BESIDE := $(wildcard $(abspath $(CURDIR)/../shared/data))
ifneq ($(BESIDE),)
export FORMGYM_DATA ?= $(BESIDE)
endif
comma := ,
space := $(subst ,, )
# FUNSD joins the main job when a copy of it is there.
FUNSD := $(if $(FORMGYM_DATA),$(wildcard $(foreach d,/funsd /FUNSD /dataset /.,$(FORMGYM_DATA)$(d)/training_data $(FORMGYM_DATA)$(d)/testing_data)))
LOANS := $(addprefix formgym/,auto_loans_text auto_loans_doc_transfer auto_loans_gui)
SHEETS := $(addprefix formgym/,database scans) $(if $(FUNSD),formgym/funsd)
# Web forms unlike each other: options that depend, repeated rows, files, long texts on three pages, ticks.
WEB := bank_account,bug_report,insurance_claim,startup_funding,surgery_consent
DOCUMENTS := concert_poster,invoice,bakery_menu,conference_slides
listed = $(subst $(space),$(comma),$(strip $(1)))
FINDING := agent=rule_based flow=iterative "wrappers=[field_finder_fieldfinder,feedback]"
RUN := runs/$(shell date +%Y-%m-%d/%H-%M-%S)
# A line for each finished job, for bars of two processes would overwrite each other; one core for each.
SWEEP := TERM=dumb OMP_NUM_THREADS=1 $(BIN)/formgym sweep
SWEEPS := $(MAKE) --no-print-directory -j2 RUN=$(RUN) sweep-finding-loans sweep-finding-sheets sweep-paper sweep-web sweep-documents

.PHONY: run run-all sweep-paper sweep-web sweep-documents sweep-finding-loans sweep-finding-sheets test test-fast test-all test-python wheel release check assets bench bench-others docs fuzz fuzz-programs lock clean chromium

run: $(VENV)/run
	@echo "A sample of a few episodes an environment, about three minutes; all tasks: make run-all"
	@$(SWEEPS) EPISODES=6 PAPER_EPISODES=3 FINDING_EPISODES=3
	@$(BIN)/formgym report $(RUN)
	@echo "All tasks of every environment: make run-all"

# Every task of every environment; of the rule-based agent, which is slow, twenty episodes.
run-all: $(VENV)/run
	@$(SWEEPS) EPISODES=null FINDING_EPISODES=20
	@$(BIN)/formgym report --tables $(RUN)

sweep-paper:
	@$(SWEEP) env=$(call listed,$(LOANS) $(SHEETS)) agent=noop,random,oracle episodes=$(or $(PAPER_EPISODES),$(EPISODES)) run_dir=$(RUN)/paper_forms

sweep-web:
	@$(SWEEP) env=formfactory form=$(WEB) agent=noop,random,oracle episodes=$(EPISODES) run_dir=$(RUN)/web_forms

sweep-documents:
	@$(SWEEP) env=docedit document=$(DOCUMENTS) agent=noop,submit_source,random,oracle ++env.action_mode=program episodes=$(EPISODES) run_dir=$(RUN)/documents

# Reading pages takes longest, so it is two jobs.
sweep-finding-loans:
	@$(SWEEP) env=$(call listed,$(LOANS)) $(FINDING) episodes=$(FINDING_EPISODES) run_dir=$(RUN)/field_finder_loans

sweep-finding-sheets:
	@$(SWEEP) env=$(call listed,$(SHEETS)) $(FINDING) episodes=$(FINDING_EPISODES) run_dir=$(RUN)/field_finder_sheets

# Two processes, a core for each: more threads would only wait for each other.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2
test: $(VENV)/dev chromium
	$(PYTEST) --dist loadfile

# For work in progress: the house, the core and the wrappers, in a minute.
test-fast: $(VENV)/dev
	$(PYTEST) tests/test_house.py tests/envs/core tests/wrappers

# Every id in every battery, every web form in every theme against a real browser: hours.
test-all: $(VENV)/dev chromium
	FORMGYM_TEST_ALL=1 $(PYTEST) --dist loadfile

# What all ids, agents' programs and their SQL do, on each Python that is here, from a wheel in an environment of its own.
SMOKE := tests/test_battery.py tests/envs/documents/test_edit_programs.py tests/envs/paper_forms/test_database.py
PYTHONS ?= 3.11 3.12 3.13
test-python:
	@set -e; for version in $(PYTHONS); do \
	  here=$(VENV)/python$$version; \
	  python=$$(for found in python$$version $$HOME/.pyenv/versions/$$version.*/bin/python; do \
	    $$found -c "import venv" 2>/dev/null && echo $$found && break; done || true); \
	  test -n "$$python" || { echo "Python $$version is not here"; continue; }; \
	  echo "Python $$version"; $$python -m venv $$here; \
	  $$here/bin/pip install -q --disable-pip-version-check -c constraints.txt ".[fieldfinder,office,pdf,web]" pytest pytest-xdist hypothesis; \
	  $$here/bin/python -m pytest -q -n 2 -p no:cacheprovider $(SMOKE); \
	done

# The sdist and the wheel of the last commit, checked, installed in a clean environment and tried there, with their sizes.
wheel:
	PYTHON=$(PYTHON) tests/wheel.sh

release:
	@! grep -q -m1 '^## .*(unreleased)' CHANGELOG.md || { echo "Date the first section of CHANGELOG.md, and CITATION.cff"; exit 1; }
	@$(MAKE) --no-print-directory wheel

check: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	mkdir -p $(VENV)/src && ln -sfn $(CURDIR) $(VENV)/src/formgym
	cd $(VENV)/src && PYTHONPATH=. $(CURDIR)/$(BIN)/lint-imports --no-cache $(CURDIR)/pyproject.toml
	cd $(VENV)/src && $(CURDIR)/$(BIN)/mypy --config-file $(CURDIR)/pyproject.toml -p formgym

# Photographs every form again; needs Chromium.
assets: $(VENV)/dev chromium
	$(BIN)/python benchmarks/build_assets.py
	$(BIN)/python docs/data_sheet.py docs/data_sheet.md

bench: $(VENV)/run
	$(BIN)/python benchmarks/bench.py

# What `make bench` compares with, in a Python of its own; MiniWoB++ needs chromedriver too (apt-get install chromium-driver).
bench-others:
	$(PYTHON) -m venv build/others
	build/others/bin/pip install -q --disable-pip-version-check -r benchmarks/others.txt

# The docs site: every page, those of environments included, from what the checkout holds; links are checked.
docs: $(VENV)/docs
	@mkdir -p build
	@$(BIN)/python docs/build_site.py build
	@echo "Open $(CURDIR)/build/site/index.html"

# Random and hostile actions over all environments; what breaks joins the corpus, which the tests play again.
N ?= 100000
fuzz: $(VENV)/dev
	FORMGYM_FUZZ=$(N) $(BIN)/python -m pytest -q -n auto tests/test_fuzz.py -k nothing_breaks

# Mutants of edit programs: fails where one takes a second of the processor or raises something.
fuzz-programs: $(VENV)/dev
	$(BIN)/python tests/program_mutants.py $(N)

# Brings constraints.txt up to date with what is newest. The extra clip is left out, it takes another torch; what only a
# torch for GPUs needs is taken out again.
LOCKED := $(addprefix --extra ,dev docs export fieldfinder inspect llm mcp office pdf report sweep train vlm web)
lock: $(VENV)/dev
	$(BIN)/python -m pip install -q uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --no-header --no-annotate $(LOCKED) --upgrade -o constraints.txt pyproject.toml
	sed -i -E '/^(nvidia|cuda|triton)[-=]/d' constraints.txt

$(VENV)/bin/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || \
	{ echo "formgym needs Python 3.11 or later, and $(PYTHON) is $$($(PYTHON) --version 2>&1); name another: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/run: $(VENV)/bin/python pyproject.toml setup.cfg constraints.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e ".[fieldfinder,formfactory,report]"
	touch $@

$(VENV)/dev: $(VENV)/bin/python pyproject.toml setup.cfg constraints.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@ $(VENV)/run

$(VENV)/docs: $(VENV)/bin/python pyproject.toml setup.cfg constraints.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e ".[docs]"
	touch $@

# Tests that need a browser are skipped where none can be had.
chromium:
	@command -v chromium-headless-shell >/dev/null || test -n "$$FORMGYM_CHROMIUM" \
	|| { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq chromium-headless-shell xvfb libgl1 libegl1 >/dev/null 2>&1; } \
	|| echo "no Chromium: its tests will be skipped; see formgym doctor"

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
