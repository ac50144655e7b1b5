# Everything here works on a machine that has only Python 3.11 or later and make: the first target sets up .venv.
PYTHON ?= python3
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
CORPUS ?= ../shared/sqllogictest-corpus
SECONDS ?= 600
RUN := .venv/bin/python

.PHONY: help setup demo test lint model corpus corpus-sample crash interrupts fuzz fuzz-files soak ci clean docs clients

help:
	@echo "make demo           make and query a database file, run the bundled suites, watch the harness close a fault"
	@echo "make test           all tests"
	@echo "make lint           ruff, mypy, import contracts"
	@echo "make model          check the models of journal and log (about ten minutes), and replay them on the engine"
	@echo "make corpus         the whole public corpus against sqlite3, resumable; writes docs/corpus.md"
	@echo "make corpus-sample  about two percent of it, not written down"
	@echo "make crash          the crash matrix: 20,000 faults and 5,000 during recovery, resumable"
	@echo "make interrupts     an exception at every line of a split, a commit, a checkpoint"
	@echo "make soak           processes of minisql and sqlite3 on one file, a minute in each journal mode"
	@echo "make fuzz           statements from seeds against SQLite and other oracles, SECONDS=600; findings in .build/fuzz"
	@echo "make fuzz-files     100,000 damaged files against sqlite3, resumable"
	@echo "make docs           the documentation as a site in .build/docs"
	@echo "make clients        other projects' test suites on sqlite3 and on minisql; writes docs/clients.md"
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
	@$(RUN) -m tests.model --replay 3000 --mutations

corpus: .venv/.stamp
	@$(RUN) benchmarks/corpus.py --all --jobs $(JOBS) --ledger .build/corpus.jsonl --write docs $(CORPUS)

corpus-sample: .venv/.stamp
	@$(RUN) benchmarks/corpus.py --sample --jobs $(JOBS) $(CORPUS)

crash: .venv/.stamp
	@$(RUN) -m tests.crash.matrix --jobs $(JOBS)

interrupts: .venv/.stamp
	@$(RUN) -m tests.crash.interrupts

soak: .venv/.stamp
	@$(RUN) -m tests.soak.soak

fuzz: .venv/.stamp
	@$(RUN) -m tests.fuzz --seconds $(SECONDS) --jobs $(JOBS)

fuzz-files: .venv/.stamp
	@$(RUN) -m tests.damage.fuzz --jobs $(JOBS)

# Sphinx has an environment of its own, so that a change of the documentation's tools never touches the tests'.
docs: .build/docs-venv/.stamp
	@.build/docs-venv/bin/sphinx-build -q -W --keep-going -b html docs .build/docs
	@echo "see .build/docs/index.html"

.build/docs-venv/.stamp: pyproject.toml
	@test -x .build/docs-venv/bin/python || $(PYTHON) -m venv .build/docs-venv
	@.build/docs-venv/bin/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

clients: .venv/.stamp
	@$(RUN) -m tests.clients --write

ci:
	@.ci/run

clean:
	@rm -rf .build build dist
