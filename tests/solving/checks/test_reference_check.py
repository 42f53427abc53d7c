"""References that do not solve the problem are told."""

import re
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof import pde
from dof.solving.checks.reference_check import on_reference
from dof.solving.solver import training_of
from problems import FEW, with_reference


def from_a_table(x):
    """The solution by NumPy, which has no derivatives in JAX."""
    return jax.pure_callback(
        lambda x: np.sin(x), jax.ShapeDtypeStruct(jnp.shape(x), float), x, vmap_method="sequential"
    )


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (with_reference(jnp.sin), None),
        (with_reference(from_a_table), None),
        (with_reference(lambda x: 1.01 * jnp.sin(x)), None),
        (with_reference(lambda x: jnp.sin(2 * x)), r"a residual of \d+ % of the terms of `equation`:"),
        (with_reference(lambda x: 1.0 + jnp.sin(x)), r"a residual of \d+ % of the terms of `dirichlet`:"),
        (with_reference(lambda x: 2.0 + x * x), r"of the terms of `equation` and \d+ % of the terms of `dirichlet`:"),
    ],
)
def test_a_reference_that_does_not_solve_the_problem_is_told(problem, said):
    found = [text for text in training_of(problem, None, FEW | {"points": 100}).advice if "The reference" in text]
    assert found == [] if said is None else re.search(said, found[0])


def is_told_of_reference(training):
    return any("The reference" in text for text in training.advice)


def test_noise_of_measured_data_does_not_speak_against_a_reference():
    z = np.linspace(0, np.pi, 30)[:, None]
    noisy = pde.data(z, np.sin(z[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=30))
    problem = with_reference(jnp.sin)
    problem = replace(problem, conditions=[*problem.conditions, noisy])
    assert not is_told_of_reference(training_of(problem, None, FEW | {"points": 100}))


def test_a_reference_need_not_fulfil_the_gradient_of_the_equation():
    """Its residual is 0.5 % of the equation's terms, the derivative of that 20 %."""
    problem = with_reference(lambda x: jnp.sin(x) + 0.005 * jnp.sin(40 * x) / 1600)
    assert not is_told_of_reference(training_of(problem, None, FEW | {"points": 100, "residual_gradient": 1.0}))


def test_what_a_reference_raises_is_not_lost():
    def broken(x):
        raise KeyError("table")

    training = training_of(with_reference(jnp.sin), None, FEW | {"points": 100})
    training.objective.problem = replace(training.problem, reference=broken)
    with pytest.raises(KeyError, match="table"):
        on_reference(training.objective)


@pytest.mark.parametrize(("value", "is_warned"), [(2.0, False), (3.0, True)])
def test_a_reference_is_looked_at_with_the_true_unknowns(value, is_warned):
    equation = pde.residual("x")(lambda u, x, *, k: u.xx + k * jnp.sin(x))
    whole = {"conditions": [pde.dirichlet(0.0)], "unknowns": {"k": 1.0}, "reference": lambda x: 2 * jnp.sin(x)}
    known = pde.Problem(equation, pde.Interval(0, jnp.pi), truth={"k": value}, **whole)
    unknown = pde.Problem(equation, pde.Interval(0, jnp.pi), **whole)
    assert is_told_of_reference(training_of(known, None, FEW)) is is_warned
    assert not is_told_of_reference(training_of(unknown, None, FEW))
