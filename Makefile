PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test bench lint format clean

demo: $(VENV)/demo.stamp
	$(BIN)/python examples/demo.py

test: $(VENV)/test.stamp lint
	$(BIN)/python -m pytest -n 2

bench: $(VENV)/bench.stamp
	for name in mlp sparse_mlp many_inputs training overhead; do $(BIN)/python benchmarks/$$name.py || exit 1; done

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/%.stamp: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	touch $@

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
