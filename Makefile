# Everything a person or CI does with this project. `make help` lists it.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
REFERENCE := service/pages/static/reference/swagger-ui-bundle.js

.DEFAULT_GOAL := help
.PHONY: help setup demo up test verify check bench format examples manifest openapi accept audit clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*  ## /\1\t/p' Makefile | expand -t 10

setup: $(STAMP) $(REFERENCE)  ## make .venv/ with `ofc` and `ofc-server` in it, and the files of the API reference (from PyPI and npm; again it is quick)

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(STAMP)

$(REFERENCE): web/install.py web/package.json web/package-lock.json web/.npmrc | $(STAMP)
	$(BIN)/python web/install.py

demo: setup  ## start the service in a temporary folder, post every example over HTTP and check its settlement
	$(BIN)/python examples/demo.py

up: setup  ## run the service until Ctrl-C, on an embedded PostgreSQL
	$(BIN)/ofc-server up

test: setup  ## the suite, but for what takes long
	$(BIN)/pytest --numprocesses 3 --dist worksteal

verify: setup  ## the long runs: random rounds against the oracle, random requests against the contract, kills under load
	$(BIN)/pytest --numprocesses 2 --dist worksteal -m verify

check: setup  ## everything that must hold: format, lint, imports, types, dependencies, then the whole suite with coverage
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/python -m tests.contract.audit
	$(BIN)/pytest --numprocesses 3 --dist worksteal -m "not verify" --requests 200 --cov --cov-report=term:skip-covered --cov-fail-under=90

bench: setup  ## measure how fast hands are scored, recorded, imported, recomputed and verified, and their disk space
	$(BIN)/python benchmarks/score_hands.py
	$(BIN)/python -m benchmarks.score_bulk
	$(BIN)/python -m benchmarks.settle_bulk
	$(BIN)/python -m benchmarks.post_hands
	$(BIN)/python -m benchmarks.post_statements --bare
	$(BIN)/python -m benchmarks.import_rounds
	$(BIN)/python -m benchmarks.recompute
	$(BIN)/python -m benchmarks.read_statistics --hands 300000 --copies 9
	$(BIN)/python -m benchmarks.verify
	$(BIN)/python -m benchmarks.record_sizes

format: setup  ## put the code in its form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

examples: setup  ## play the story of the contract's examples to a service, and write them and openapi.yaml anew
	$(BIN)/python -m tests.support.story
	$(BIN)/ofc-server openapi --output openapi.yaml --overwrite

manifest: setup  ## write migrations/manifest.json anew: every object of the schema that the migrations build
	$(BIN)/python -m tests.support.schema_manifest

openapi: setup  ## write openapi.yaml anew from the code
	$(BIN)/ofc-server openapi --output openapi.yaml --overwrite

accept: setup  ## let clients rely on the contract as it is now: later changes are held against it
	$(BIN)/python -m tests.contract.accept

audit: setup  ## look the dependencies up in the lists of known vulnerabilities
	$(BIN)/python -m tests.contract.audit

clean:  ## remove what was made
	rm -rf .venv .coverage* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist *.egg-info web/node_modules service/pages/static/reference
