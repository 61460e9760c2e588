# `make demo` and `make test` set up all that they need; a fresh machine needs Python 3.11 or newer, and no more.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Another environment's packages must not be seen, whatever is active.
unexport VIRTUAL_ENV PYTHONHOME PYTHONPATH

.PHONY: demo test check bench clean

demo: $(VENV)/.stamp-run
	@echo "== 2P1D on gb200-nv, on the repaired tables: admitted, and staged where every node sees it"
	@$(BIN)/python -m infx_policy explain examples/requests/2p1d.yaml
	@echo "== the same on tables that admit the framework and do not stage it: refused, with the row to add"
	@$(BIN)/python -m infx_policy explain examples/requests/2p1d.yaml --policy examples/gap; test $$? -eq 1

test: check
	@rm -f .coverage .coverage.*
	$(BIN)/python -m pytest -n 2 --dist loadfile --cov --cov-report= $(ARGS)
	$(BIN)/python -m coverage report

check: $(VENV)/.stamp-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.stamp-bench
	$(BIN)/python -m benchmarks.decide
	$(BIN)/python -m benchmarks.explain

clean:
	rm -rf $(VENV) .coverage .coverage.* .import_linter_cache .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist

# A stamp stands only where its installation came to its end.
$(VENV)/.stamp-run: pyproject.toml $(VENV)/.stamp-venv
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.stamp-test: pyproject.toml $(VENV)/.stamp-venv
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@ $(VENV)/.stamp-run

$(VENV)/.stamp-bench: pyproject.toml $(VENV)/.stamp-venv
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	@touch $@

# No order-only prerequisite: a venv that is made anew holds nothing yet, whatever stamps stood in the old one.
$(VENV)/.stamp-venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "ERROR: $(PYTHON) is missing or older than 3.11; run make with PYTHON=python3.11, or a newer one" >&2; exit 2; }
	@$(PYTHON) -m venv --clear $(VENV) || \
	  { rm -rf $(VENV); echo "ERROR: $(PYTHON) can't make a venv; install its venv package (Debian: python3-venv)" >&2; exit 2; }
	@touch $@
