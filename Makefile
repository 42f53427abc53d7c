PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test bench docs lint format clean

demo: $(VENV)/cli.stamp
	$(BIN)/dof bench quick

test: $(VENV)/test.stamp lint
	$(BIN)/python -m pytest -n 2

bench: $(VENV)/peers.stamp
	$(BIN)/dof bench paper
	$(BIN)/dof bench theory
	$(BIN)/dof bench peers

docs: $(VENV)/docs.stamp
	$(BIN)/mkdocs build --strict

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

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
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis site
