# Tasks, run with the environment that `make environment` makes, or another: `make test BIN=.`
BIN ?= .venv/bin

.PHONY: environment test system slow lint types docs bench ci

environment:
	python3 -m venv .venv && $(BIN)/pip install -e '.[test]'

test:
	$(BIN)/pytest

system:
	$(BIN)/pytest -m "system and not slow and not torch"

slow:
	$(BIN)/pytest -m slow

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(BIN)/mypy

docs:
	$(BIN)/sphinx-build --fail-on-warning --nitpicky --quiet --jobs auto docs site

bench:
	$(BIN)/python proof/benchmarks/peers

ci:
	.ci/run
