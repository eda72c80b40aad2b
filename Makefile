# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0

PYTHON ?= $(shell command -v python3.11 || echo python3)
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
TESTERS := $(VENV)/.testers
CHECKERS := $(VENV)/.checkers
UV := $(BIN)/uv
INSTALL := $(BIN)/python tools/install.py -c constraints.txt
SKIPPED := .cache/skipped_tests.txt
SANDBOX := $(CURDIR)/.cache/demo
EXAMPLES ?= 5000
# a fresh machine updates itself: wait for its locks (the option does not cover update)
APT := apt-get -qq -o DPkg::Lock::Timeout=300
# misspellings, and words that we do not use, each with what to write instead
WORDS := -D - -D tools/refused_words.txt
TEST_PROGRAMS := chromium chromium-driver libmagic1
APT_UPDATE := timeout 300 sh -c 'until $(APT) update; do sleep 5; done'

# Python starts hundreds of times here: modules that are compiled each time cost
# more than the tests
unexport PYTHONDONTWRITEBYTECODE

PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# garak writes below these at import; nothing here must touch the user's own
ISOLATED := XDG_DATA_HOME=$(SANDBOX)/data XDG_CONFIG_HOME=$(SANDBOX)/config \
            XDG_CACHE_HOME=$(SANDBOX)/cache HF_HUB_OFFLINE=1

# garak_tbsa is imported when Python starts, and has to be the copy that mutmut changes
MUTANTS := PYTHONPATH=$(CURDIR)/mutants $(BIN)/mutmut

SUMMARY := data/detectors-eval/detector_metrics_summary.json
EVALUATE = $(ISOLATED) SOURCE_DATE_EPOCH=1795219200 $(BIN)/garak-tbsa detectors evaluate

.PHONY: help demo test test-host check format docs bench fuzz data dist release \
        release-notes constraints \
        test-programs clean

help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: $(INSTALLED) ## scan an embedded offline target with garak and show its TBSA
	$(ISOLATED) $(BIN)/python -m garak --target_type function.Single \
	  --target_name garak_tbsa.demo_target#respond --generations 1 --seed 1 \
	  --spec probes.ansiescape,probes.dan.Ablation_Dan_11_0,probes.web_injection,probes.goodside,probes.latentinjection.LatentWhois \
	  --report_prefix demo
	$(BIN)/garak-tbsa score $(SANDBOX)/data/garak/garak_runs/demo.report.jsonl

test: $(TESTERS) ## run the tests, and measure which branches they run
	@mkdir -p .cache/coverage
	$(PYTEST) -m "not surroundings" --cov --skipped-into=$(SKIPPED)

.PHONY: test-skipped
test-skipped: $(TESTERS) ## run what the last `make test` skipped for want of a program
	@test -f $(SKIPPED) || { echo "run make test first" >&2; exit 2; }
	if test -s $(SKIPPED); then TEST_PROGRAMS=required $(PYTEST) @$(SKIPPED); fi

.PHONY: test-surroundings
test-surroundings: $(TESTERS) ## run what `make test` leaves out: clusters, browser, installations
	TEST_PROGRAMS=required $(PYTEST) -m surroundings

test-host: $(TESTERS) ## run tests on the oldest garak; HOST=0.15.1 runs more on that one
	$(BIN)/python -m tests.older_garak $(HOST)

.PHONY: test-garak
test-garak: $(TESTERS) ## run garak's own tests of what we touch: make test-garak GARAK=checkout
	$(BIN)/python -m tests.garak_own $(GARAK)

check: $(CHECKERS) ## ruff, mypy, spelling, the shipped data and its summary, the docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell $(WORDS) . .github
	$(BIN)/python -m tools.licences
	$(BIN)/zizmor --offline --quiet --persona pedantic .github action.yml
	$(ISOLATED) $(BIN)/python -m tools.labelled_data check
	$(ISOLATED) $(BIN)/python -m tools.labelled_data tables --check
	$(ISOLATED) $(BIN)/python -m tools.real_model --check
	$(ISOLATED) GARAK_TBSA=0 $(BIN)/python -m tests.docs.garak_defects --check
	$(EVALUATE) --output .cache/summary.json
	cmp .cache/summary.json $(SUMMARY)
	$(BIN)/python -m tools.reference_pages --check
	$(ISOLATED) $(BIN)/python -m tools.probes_page --check
	$(MAKE) docs

mutate: $(CHECKERS) ## change the code, see if tests notice: MUTATE="garak_tbsa.tbsa.rules.*"
	mkdir -p mutants && cp -rp garak_tbsa mutants
	$(MUTANTS) run --max-children 2 $(MUTATE)
	$(MUTANTS) results

format: $(CHECKERS) ## let ruff format and repair
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(CHECKERS) ## build the documentation into docs/_build/html
	$(BIN)/python -m tools.reference_pages
	$(ISOLATED) $(BIN)/python -m tools.probes_page
	$(BIN)/sphinx-build -W -q -b html docs docs/_build/html

bench: $(TESTERS) ## measure against garak; tables go to benchmarks/results
	$(BIN)/python -m benchmarks

fuzz: $(TESTERS) ## attack every reader with new inputs: make fuzz EXAMPLES=20000
	FUZZ_EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest tests/fuzz -n 2 --timeout=0

data: $(TESTERS) ## remake detector_metrics_summary.json and its pages from the labelled data
	$(EVALUATE) --output $(SUMMARY)
	$(ISOLATED) $(BIN)/python -m tools.labelled_data tables
	$(ISOLATED) $(BIN)/python -m tools.labelled_data page
	$(ISOLATED) $(BIN)/python -m tools.real_model

dist: $(TESTERS) ## build sdist and wheel of the last commit into dist, twice, and check them
	$(BIN)/python -m tools.distribution --output dist

release: $(CHECKERS) ## commit, build and tag: make release VERSION=X.Y.Z [DRY=--dry-run]
	@test -n "$(VERSION)" || { echo "say which: make release VERSION=X.Y.Z" >&2; exit 2; }
	$(BIN)/python -m tools.release $(DRY) $(VERSION)

release-notes: ## print what the changelog says of a version: make release-notes VERSION=X.Y.Z
	@$(PYTHON) -m tools.release --notes $(VERSION)

constraints: ## resolve constraints.txt again (needs uv)
	$(PYTHON) tools/make_constraints.py

test-programs: ## install the browser and library that tests use, by apt-get
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null \
	  && PATH=$$PATH:/sbin:/usr/sbin ldconfig -p | grep -q libmagic \
	  || { $(APT_UPDATE) && $(APT) install -y $(TEST_PROGRAMS); }

clean: ## remove everything that make has made
	rm -rf $(VENV) .cache dist docs/_build mutants

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(UV): $(VENV)/bin/python
	$(BIN)/python -m pip install -q -c constraints.txt uv

$(INSTALLED): $(UV) pyproject.toml constraints.txt garak_tbsa_register.pth \
              garak_tbsa/version.py
	$(INSTALL) -e .
	@touch $@

$(TESTERS): $(INSTALLED)
	$(INSTALL) -e '.[test,ray,dask]'
	@touch $@

$(CHECKERS): $(TESTERS)
	$(INSTALL) -e '.[test,ray,dask,check]'
	@touch $@
