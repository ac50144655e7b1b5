# Everything here works on a machine that has only Python 3.11 or later and make: the first target sets up .venv.
PYTHON ?= python3
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
CORPUS ?= ../shared/sqllogictest-corpus
RUN := .venv/bin/python

.PHONY: help setup demo test lint model corpus corpus-sample crash fuzz-files ci clean

help:
	@echo "make demo           make and query a database file, run the bundled suites, watch the harness close a fault"
	@echo "make test           all tests"
	@echo "make lint           ruff, mypy, import contracts"
	@echo "make model          check the models of journal and log (about ten minutes), and replay them on the engine"
	@echo "make corpus         the whole public corpus against sqlite3, resumable; writes docs/corpus.md"
	@echo "make corpus-sample  about two percent of it, not written down"
	@echo "make crash          the crash matrix: 20,000 faults and 5,000 during recovery, resumable"
	@echo "make fuzz-files     100,000 damaged files against sqlite3, resumable"
	@echo "make ci             what continuous integration runs"

setup: .venv/.stamp

.venv/.stamp: pyproject.toml
	@echo "setting up .venv (once)"
	@test -x $(RUN) || $(PYTHON) -m venv .venv
	@$(RUN) -m pip install --quiet --disable-pip-version-check -e '.[tools,test]'
	@touch $@

demo: .venv/.stamp
	@$(RUN) -m minisql.shell.demo
	@$(RUN) -m sqllogictest run --engine minisql --jobs $(JOBS) --max-failures 5 tests/slt
	@$(RUN) -m agent_harness demo

test: .venv/.stamp
	@$(RUN) -m pytest -n 2 --dist worksteal tests

lint: .venv/.stamp
	@.venv/bin/ruff check .
	@.venv/bin/mypy --strict
	@.venv/bin/lint-imports

model: .venv/.stamp
	@$(RUN) -m tests.model --replay 3000
	@$(RUN) -m tests.model --mutations

corpus: .venv/.stamp
	@$(RUN) benchmarks/corpus.py --all --jobs $(JOBS) --ledger .build/corpus.jsonl --write docs $(CORPUS)

corpus-sample: .venv/.stamp
	@$(RUN) benchmarks/corpus.py --sample --jobs $(JOBS) $(CORPUS)

crash: .venv/.stamp
	@$(RUN) -m tests.crash.matrix --jobs $(JOBS)

fuzz-files: .venv/.stamp
	@$(RUN) -m tests.damage.fuzz --jobs $(JOBS)

ci:
	@.ci/run

clean:
	@rm -rf .build build dist
