# `make run` tries Loopwright, `make test` checks it. Both make .venv first.

.DEFAULT_GOAL := help
.PHONY: help run test lint format bench bench-peers lock clean

VENV := .venv
PEERS := .venv-peers
READY := $(VENV)/.ready
PEERS_READY := $(PEERS)/.ready

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1	/p' Makefile

run: $(READY) ## tries the first gallery flow
	@$(VENV)/bin/python packaging/first_run.py

test: $(READY) ## style, types, imports and tests: what CI runs
	@sh packaging/check.sh

lint: $(READY) ## as test, without the tests
	@sh packaging/check.sh lint

format: $(READY) ## mends style and layout where that is possible
	@$(VENV)/bin/ruff check --fix --quiet . ; $(VENV)/bin/ruff format .

bench: $(READY) ## how fast the interpreter is
	@$(VENV)/bin/python -m tests.bench

bench-peers: $(READY) $(PEERS_READY) ## the same work on other libraries
	@$(VENV)/bin/python -m tests.bench.peers $(PEERS)/bin/python

lock: ## writes the lock files anew; LOCK="--upgrade" takes newer versions
	@sh packaging/lock.sh $(LOCK)

clean: ## removes everything that make made
	rm -rf $(VENV) $(PEERS) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# It notes where it was made: an environment does not survive a move of its folder.
ifneq ($(shell cat $(READY) 2>/dev/null),$(CURDIR))
.PHONY: $(READY)
endif
$(READY): pyproject.toml requirements.lock requirements-dev.lock packaging/set_up.sh
	@LOOPWRIGHT_PYTHON="$(LOOPWRIGHT_PYTHON)" sh packaging/set_up.sh
	@pwd -P > $@

$(PEERS_READY): tests/bench/peers.lock | $(READY)
	@echo "set-up: making $(PEERS)"
	@rm -rf $(PEERS) && $(VENV)/bin/python -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/bench/peers.lock
	@touch $@
