.DEFAULT_GOAL := help
.PHONY: help setup run test soak lint lint-python lint-sql bench bench-peers bench-queries docs fidelity lock clean

# The first of these that is new enough; name another one with `make PYTHON=…`.
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
JAVA = "$${JAVA_HOME:+$$JAVA_HOME/bin/}java"
BIN := .venv/bin
READY := .venv/ready

# Messages and feeds of your own in place of the sample.
MESSAGES ?=
FEEDS ?=
WAREHOUSE ?= ticdc_warehouse
# The part of the long tests that runs; CONTRIBUTING.md has them all.
PART ?= all
PROCESSES = $(if $(filter ci,$(PART)),auto --maxprocesses 4,$(if $(filter hostile,$(PART)),auto,0))

DBT = $(BIN)/dbt --quiet --no-send-anonymous-usage-stats
DOCS_PLACES = --profiles-dir tests/lint --target-path target/docs --log-path target/docs

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## makes .venv with everything, pinned (needs Python 3.11 and Java 17, or newer)

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "ticdc needs Python 3.11 or newer, and none was found; name one: make PYTHON=…" >&2; exit 1; }
	@java=$$($(JAVA) -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p'); test "$${java:-0}" -ge 17 || \
	{ echo "Spark needs Java 17 or newer, got: $${java:-none}; install it and set JAVA_HOME, or put it on the PATH" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --disable-pip-version-check --require-hashes --no-deps -r constraints.txt
	$(BIN)/pip install --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

run: setup ## makes tables of the sample of a shop in ./ticdc_warehouse; MESSAGES=… FEEDS=… of those
	$(BIN)/ticdc $(if $(MESSAGES)$(FEEDS),run $(MESSAGES:%=--messages %) $(FEEDS:%=--feeds %),demo) --warehouse $(WAREHOUSE)

test: setup ## runs all tests but the long ones
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadscope --no-loadscope-reorder --durations 25

soak: setup ## runs the long tests, hours of them; PART=corpus those of one part, PART=ci what `.ci/run` runs
	$(BIN)/python -m pytest --soak=$(PART) --numprocesses $(PROCESSES) --dist loadscope --no-loadscope-reorder --durations 0

lint: lint-python lint-sql ## checks style and types of Python and SQL

lint-python: setup ## of Python alone, in some seconds
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy udfs benchmarks

lint-sql: setup ## of SQL alone, in some minutes
	PYTHONPATH=tests/python $(BIN)/python tests/lint/lint_sql.py

bench: setup ## measures the package side by side with native Spark SQL; BENCH="decode avro" that alone
	PYTHONPATH=tests/python $(BIN)/python -m benchmarks $(BENCH)

bench-peers: setup ## measures it side by side with Flink SQL and Paimon, too, whose jars (300 MB) it fetches once
	PYTHONPATH=tests/python $(BIN)/python -m benchmarks peers

bench-queries: setup ## measures queries of tables, histories and changes side by side with plain Parquet tables
	PYTHONPATH=tests/python $(BIN)/python -m benchmarks queries

docs: setup ## writes dbt's documentation of the package to docs/site/index.html
	$(DBT) parse $(DOCS_PLACES) --vars "$$(cat tests/lint/docs.yml)"
	$(DBT) docs generate --no-compile --empty-catalog --static $(DOCS_PLACES) --vars "$$(cat tests/lint/docs.yml)"
	mkdir -p docs/site
	cp target/docs/static_index.html docs/site/index.html

fidelity: setup ## writes docs/fidelity.md, which values come through each protocol, docs/udfs.md and docs/switches.md
	PYTHONPATH=tests/python $(BIN)/python -m support.fidelity
	PYTHONPATH=tests/python $(BIN)/python -m support.udfs_page
	PYTHONPATH=tests/python $(BIN)/python -m support.switches_page

lock: ## pins the newest versions that pyproject.toml allows in constraints.txt (needs pip-tools)
	pip-compile --upgrade --generate-hashes --allow-unsafe --strip-extras --extra dev --build-deps-for editable \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --output-file constraints.txt pyproject.toml

clean: ## removes what the other targets made, but .venv
	rm -rf target logs dist docs/site $(WAREHOUSE) .hypothesis .mypy_cache .pytest_cache .ruff_cache
