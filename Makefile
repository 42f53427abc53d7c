PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-trainings test-torch test-jax-range test-codes test-wheel bench docs lint format clean

demo: $(VENV)/cli.stamp
	$(BIN)/dof bench quick

# Two processes. A test goes to the other one only when that has nothing left: tests of a file, which share what they
# compile and train, stay together, and both end at the same time (by default one was without work for 79 of 466 s).
TWO := -n 2 --dist worksteal

# Tests that train have a target of their own, since they take minutes: the programs in examples/, the pages of the
# documentation, runs in folders and the command line, training on several devices and in several processes, and of
# fields, eigenvalues and windows of time.
TRAINING_TESTS := tests/documentation/test_examples.py tests/documentation/test_gallery.py \
	tests/documentation/test_pages.py tests/runs tests/cli tests/solving/test_training_on_devices.py tests/solving/test_complex_fields.py \
	tests/solving/test_networks_by_field.py tests/solving/test_eigenvalue_problems.py tests/solving/test_time_windows.py

test: $(VENV)/test.stamp lint
	$(BIN)/python -m pytest $(TWO) $(addprefix --ignore=,$(TRAINING_TESTS))

test-trainings: $(VENV)/test.stamp
	$(BIN)/python -m pytest $(TWO) $(TRAINING_TESTS)

# The oldest JAX that the metadata allows, and the newest that there is, each with a short selection of the tests.
OLDEST_JAX := 0.7.0
JAX_RANGE_TESTS := tests/test_jax_contracts.py tests/jaxpr/rules/test_families.py tests/jaxpr/rules/test_determinant.py \
	tests/sparsity tests/cut/test_change_coordinates.py tests/cut/test_cut.py tests/batching/test_batching.py tests/jets \
	tests/api/test_explain.py

test-jax-range: .venv-oldest-jax/stamp .venv-newest-jax/stamp
	.venv-oldest-jax/bin/python -c "import jax; assert jax.__version__ == '$(OLDEST_JAX)', jax.__version__"
	.venv-oldest-jax/bin/python -m pytest $(TWO) $(JAX_RANGE_TESTS)
	.venv-newest-jax/bin/python -m pytest $(TWO) $(JAX_RANGE_TESTS)

.venv-oldest-jax/stamp .venv-newest-jax/stamp: .venv-%-jax/stamp: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --upgrade pip
	$(@D)/bin/python -m pip install --quiet $(if $(filter oldest,$*),jax==$(OLDEST_JAX) jaxlib==$(OLDEST_JAX),--upgrade jax)
	$(@D)/bin/python -m pip install --quiet --editable ".[core-test]"
	touch $@

# Wave-function codes, in the versions that docs/how-to/wave-function-codes.md speaks of.
CODES := deepqmc==1.2.0 netket==3.23.0 jax==0.10.2 jaxlib==0.10.2

# In processes of their own: NetKet sets a mesh for all that runs beside it, which DeepQMC's `pmap` refuses.
test-codes: .venv-codes/stamp
	.venv-codes/bin/python -m pytest $(TWO) tests/codes/test_deepqmc.py
	.venv-codes/bin/python -m pytest tests/codes/test_netket.py

.venv-codes/stamp: pyproject.toml Makefile
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --upgrade pip
	$(@D)/bin/python -m pip install --quiet $(CODES) --editable ".[core-test]"
	touch $@

# dof.torch, without the conftest of the other tests, which sets JAX up. Its types are checked where PyTorch is installed.
TORCH := torch==2.13.0
TORCH_VENV := .venv-torch

test-torch: $(TORCH_VENV)/stamp
	$(TORCH_VENV)/bin/python -m pytest --override-ini=addopts= --confcutdir=tests/pytorch --doctest-modules -q tests/pytorch src/dof/torch
	$(TORCH_VENV)/bin/pyright --pythonpath $(TORCH_VENV)/bin/python src/dof/torch src/dof/bench/torch_races

$(TORCH_VENV)/stamp: pyproject.toml Makefile
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --upgrade pip
	$(@D)/bin/python -m pip install --quiet $(TORCH) expecttest "pytest>=8" "pyright>=1.1.390" "rich>=13" --editable "."
	touch $@

# The wheel in an empty environment, from an empty folder: import, one Laplacian, the command, the types.
test-wheel:
	rm -rf .venv-wheel
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet --upgrade pip
	.venv-wheel/bin/python -m pip wheel --quiet --no-deps --wheel-dir .venv-wheel/wheel .
	.venv-wheel/bin/python -m pip install --quiet "$$(ls .venv-wheel/wheel/dof-*.whl)[cli]"
	mkdir .venv-wheel/empty
	cd .venv-wheel/empty && ../bin/python -I ../../tests/use_the_wheel.py ../wheel && ../bin/dof --help > help.txt && grep -q solve help.txt

bench: $(VENV)/peers.stamp
	$(BIN)/dof bench paper
	$(BIN)/dof bench theory
	$(BIN)/dof bench pinn
	$(BIN)/dof bench waves
	$(BIN)/dof bench peers
	$(BIN)/dof bench questions

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
	rm -rf $(VENV) .venv-oldest-jax .venv-newest-jax .venv-codes $(TORCH_VENV) .venv-wheel .pytest_cache .ruff_cache .hypothesis site
