# The verbs of this repository. Each makes .venv first when it is missing or out of date (see .ci/setup).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup demo test check lab bench evals readme test-browser clean

BIN := .venv/bin
# Two workers; tests that start kernels share one of them (tests/conftest.py). `make test PYTEST_ARGS=-x` runs in one process.
PYTEST_ARGS ?= -n 2 --dist loadgroup

# No step reaches a model hub. One thread for each process: on shared cores, two that wait for each other are slower than one.
export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false
export OMP_NUM_THREADS ?= 1

help:
	@echo "make demo          the tour: real conversations captured and recalled in an executed notebook"
	@echo "make lab           JupyterLab on 127.0.0.1, at the tour"
	@echo "make test          ruff, mypy, pytest        make check         ruff and mypy alone"
	@echo "make bench         what recall and capture cost   make evals    the report sets, measured"
	@echo "make readme        the README's figures, from the committed results"
	@echo "make test-browser  the tests that drive a browser"
	@echo "make setup         .venv alone               make clean         remove what was made here, .venv stays"

setup:
	@.ci/setup

demo: setup
	@$(BIN)/wenlan-lab demo

check: setup
	@$(BIN)/ruff format --check --output-format concise . || { echo "ruff: format these with .venv/bin/ruff format ."; exit 1; }
	@$(BIN)/ruff check .
	@$(BIN)/mypy

test: check
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

# The whole repository is the root, so that build/ (the executed tour) can be opened beside notebooks/.
lab: setup
	@$(BIN)/jupyter lab --ip=127.0.0.1 $(if $(filter 0,$(shell id -u)),--allow-root) --ServerApp.root_dir="$(CURDIR)" \
		--LabApp.default_url="/lab/tree/$(firstword $(wildcard build/tour.ipynb notebooks/tour.ipynb) notebooks)"

bench: setup
	@$(BIN)/python evals/bench.py

evals: setup
	@$(BIN)/python evals/report_sets.py

readme: setup
	@$(BIN)/python evals/readme_tables.py

PLAYWRIGHT := playwright-core@1.65.1
CHROMIUM = $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)

test-browser: setup
	@if [ -z "$(CHROMIUM)" ]; then \
		echo "test-browser: installing chromium"; \
		apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium fonts-dejavu-core \
		|| { echo "test-browser: install chromium by hand, then try again"; exit 1; }; fi
	@[ -d build/browser/node_modules/playwright-core ] || npm install --silent --no-audit --no-fund --prefix build/browser $(PLAYWRIGHT)
	@NODE_PATH="$(CURDIR)/build/browser/node_modules" $(BIN)/python -m pytest -m browser

clean:
	@rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -path ./.venv -prune -o -name __pycache__ -type d -exec rm -rf {} +
