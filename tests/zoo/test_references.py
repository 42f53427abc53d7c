"""Every solution in the zoo solves its equation and obeys its conditions, by nested differentiation."""

from functools import partial

import jax
import numpy as np
import pytest

import dof
from dof.solving.loss.collocation_points import sample
from dof.zoo import ZOO, problem_named, title_of

SMALL = [name for name in ZOO if name not in ("sine-gordon-1000", "sine-gordon-10000", "sine-gordon-100000")]
NUMERICAL = {"allen-cahn": 1e-3, "diffusion-tensor": 5e-3}
"""A solution that starts with a corner, data with noise; others are formulas, or computed to rounding."""


@pytest.mark.parametrize("name", SMALL)
def test_the_reference_solves_the_problem(name):
    problem = ZOO[name]()
    terms = problem.terms() + tuple(c.loss_term(problem.named_domain) for c in problem.conditions if c.hard)
    batch = sample(terms, [term.fixed or 64 for term in terms], 0, 0)
    truth = {key: np.asarray(value) for key, value in problem.truth.items()}

    @jax.jit
    def residuals(batch):
        at = [partial(term.residual, problem.exact, truth, "hessian") for term in terms]
        return [jax.vmap(of_point)(*arrays) for of_point, arrays in zip(at, batch, strict=True)]

    for term, found in zip(terms, residuals(batch), strict=True):
        worst = max(np.abs(leaf).max() for leaf in jax.tree.leaves(found))
        assert worst < NUMERICAL.get(name, 1e-5), (term.name, worst)


@pytest.mark.parametrize("name", ["heat", "burgers", "hydrogen", "sine-gordon-100"])
def test_another_function_does_not(name):
    problem = ZOO[name]()
    term = problem.terms()[0]
    (arrays,) = sample([term], [16], 1, 0)
    truth = {key: np.asarray(value) for key, value in problem.truth.items()}
    other = lambda z: problem.exact(z) * (1 + 0.1 * z[0])  # noqa: E731
    found = jax.jit(jax.vmap(lambda *z: term.residual(other, truth, "dof", *z)))(*arrays)
    assert max(np.abs(leaf).max() for leaf in jax.tree.leaves(found)) > 1e-3


def test_every_problem_says_what_it_is():
    assert all(title_of(name) for name in ZOO)


@pytest.mark.parametrize("ask", [problem_named, title_of])
def test_a_name_that_is_not_there_is_refused_with_one_that_is(ask):
    with pytest.raises(dof.ArgumentError, match="dof solve heat"):
        ask("haet")
