# Every target makes what it needs. Works with GNU make 3.81 (macOS) and later; Windows: see the lines in README.md.

PYTHON ?= python3
VENV := .venv
BENCH_VENV := .bench-venv
PIP := -m pip --disable-pip-version-check --no-input -q
SIZE ?= full

.DEFAULT_GOAL := help
.PHONY: help report test check lab bench lock clean FORCE

# Another Python asked for by name (make PYTHON=python3.12 test): an environment made with a different one is made anew.
ifneq ($(filter command% environment%,$(origin PYTHON)),)
VERSION := import sys; print(sys.version, sys.platform)
ifneq ($(shell $(PYTHON) -c '$(VERSION)' 2>/dev/null),$(shell $(VENV)/bin/python -c '$(VERSION)' 2>/dev/null))
OTHER_PYTHON := FORCE
endif
endif

help: ## Say what each target does.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

report: $(VENV)/.installed ## Write a report on each of the sample histories into reports/.
	@echo "Writing a report on each of the sample histories into reports/ (a minute or two)"
	@$(VENV)/bin/ratinglab report --workers 2 --out reports/

test: $(VENV)/.installed ## Run the whole test suite: tests, examples in docstrings, notebooks.
	@echo "Testing the package, its docstrings and the notebooks"
	@$(VENV)/bin/python -m pytest -n 2 --nbmake tests ratinglab $(wildcard notebooks)

check: $(VENV)/.installed ## Check style, formatting and types: ruff and mypy.
	@echo "Checking style, formatting and types"
	@$(VENV)/bin/ruff check -q .
	@$(VENV)/bin/ruff format -q --check .
	@$(VENV)/bin/mypy

lab: $(VENV)/.installed ## Open JupyterLab on the notebooks.
	@echo "Opening JupyterLab on notebooks/ (end it with Ctrl-C)"
	@$(VENV)/bin/jupyter lab --notebook-dir=notebooks

bench: $(VENV)/.installed $(BENCH_VENV)/.installed ## Time ratinglab beside riix and elote; make bench SIZE=small for a quick trial.
	@echo "Timing ratinglab and its peers on a made-up history ($(SIZE))"
	@$(VENV)/bin/python tests/benchmarks/run.py --peers $(BENCH_VENV)/bin/python --size $(SIZE)

lock: ## Choose the newest versions that fit and write both lock files anew; needs uv.
	@command -v uv >/dev/null || { echo "make lock needs uv: python3 -m pip install uv"; exit 1; }
	@echo "Writing requirements.lock and tests/benchmarks/requirements-peers.lock"
	@$(call compile,pyproject.toml --all-extras,requirements.lock)
	@$(call compile,tests/benchmarks/requirements-peers.in,tests/benchmarks/requirements-peers.lock)

# --universal: one file for Linux, macOS and Windows. fewest: one version of a package for every Python, so that numbers
# do not depend on it. No addresses: where packages come from is the reader's own setting.
define compile
{ printf '%s\n' '# Exact versions with hashes, for Python 3.11 and later on Linux, macOS and Windows.' \
  '# Written by `make lock`; change the lists in $(firstword $(1)) and run it again.' > $(2).part && \
  uv pip compile $(1) -q --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
  --no-header --no-annotate --no-emit-index-url --no-emit-find-links >> $(2).part && mv $(2).part $(2); } || \
  { rm -f $(2).part; exit 1; }
endef

clean: ## Remove the environments, caches and written reports (reports/decisions/ stays).
	@echo "Removing environments, caches and written reports"
	@rm -rf $(VENV) $(BENCH_VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@find reports -mindepth 1 -maxdepth 1 ! -name README.md ! -name decisions -exec rm -rf {} +

# An environment is made in two steps, each with a file that says it was completed: the locked packages, made from
# nothing (whatever a broken-off run or another Python left), and the project itself, which is quick.
$(VENV)/.locked: requirements.lock $(OTHER_PYTHON)
	@$(call environment,$(VENV),requirements.lock)

$(VENV)/.installed: $(VENV)/.locked pyproject.toml
	@$(VENV)/bin/python $(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(BENCH_VENV)/.installed: tests/benchmarks/requirements-peers.lock
	@$(call environment,$(BENCH_VENV),tests/benchmarks/requirements-peers.lock)
	@touch $@

define environment
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
  { echo "ratinglab needs Python 3.11 or later and $(PYTHON) is not: name another, for instance make PYTHON=python3.12 $(firstword $(MAKECMDGOALS))"; exit 1; }
echo "Making $(1) from $(2) (a minute or so)"
rm -rf $(1) && $(PYTHON) -m venv $(1) && \
  $(1)/bin/python $(PIP) install --require-hashes -r $(2) && touch $(1)/.locked
endef
