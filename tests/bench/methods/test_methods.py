"""Every way computes the same, for operators of every kind."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof.bench.cases import architectures as n
from dof.bench.cases import factored_operators as c
from dof.bench.cases import pde_operators as d
from dof.bench.cases import polynomial_operators as p
from dof.bench.cases import wave_functions as w
from dof.bench.cases.case import Case, plus_cube
from dof.bench.cases.case_table import CASES
from dof.bench.methods.method_table import METHODS
from dof.bench.methods.reference import deviation, reference_result

SMALL = {
    case.name: case
    for case in (
        Case("elliptic", "", n.mlp(4, 8, 3), lambda rng: c.elliptic(rng, 1, 4, 2), 5),
        Case("blocks", "", n.sparse_mlp(3, 2, 8, 3, 2), lambda _: c.general(3, 2), 3, thresholds=(0, 3)),
        Case("heat", "", n.mlp(3, 8, 3), lambda _: c.diagonal([-1.0, -2.0, 0.0], [0.0, 0.0, 1.0]), 4),
        Case("wave", "", n.mlp(3, 8, 3), lambda _: c.diagonal([-1.0, -1.0, 1.0]), 4, residual=plus_cube),
        Case("step", "", n.mlp(3, 8, 3), lambda _: c.general(1, 3), 5, task="step"),
        Case("particles", "", n.wave_function(3, 8, 3), lambda _: c.laplacian(9), 2),
        Case("tokens", "", n.transformer(3, 4), lambda _: c.laplacian(12), 2),
        Case("deep", "", n.deep_mlp(3, 8, 4), lambda _: c.laplacian(3), 2),
        Case("inputs", "", n.many_inputs(20, 8), lambda _: c.laplacian(20), 3),
        Case("KdV", "", n.mlp(2, 8, 3), lambda _: p.kdv(), 3, kind="higher"),
        Case("KS", "", n.mlp(2, 8, 3), lambda _: p.kuramoto_sivashinsky(), 3, task="step", kind="higher"),
        Case("biharmonic", "", n.mlp(3, 8, 3), lambda _: p.biharmonic(3), 3, kind="higher"),
        Case("heat pde", "", n.mlp(3, 8, 3), lambda _: d.heat(), 4, task="step", kind="pde"),
        Case("klein-gordon pde", "", n.mlp(4, 8, 3), lambda _: d.klein_gordon(), 4, task="step", kind="pde"),
        Case("burgers pde", "", n.mlp(2, 8, 3), lambda _: d.burgers(), 4, task="step", kind="pde"),
        Case("flow pde", "", n.mlp(3, 8, 3, 3), lambda _: d.navier_stokes(), 4, kind="pde", task="step"),
        Case("complex", "", w.periodic(4, 8), lambda _: c.laplacian(12), 2),
    )
}
PDES = [name for name, case in SMALL.items() if case.kind == "pde"]
EXACT = [name for name, method in METHODS.items() if method.exact and method.is_installed and method.package != "torch"]


def drawn(case, dtype=np.float64):
    coefficients, weights, x = case.draw(0, case.points, dtype)
    return coefficients, weights, x


def leaves(tree):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


@cache
def with_truth(name):
    """What is drawn for a case, and its truth."""
    case = SMALL[name]
    coefficients, weights, x = drawn(case)
    return coefficients, weights, x, leaves(reference_result(case, coefficients, weights, x))


def apart(case, name):
    """The deviation from the truth, for each option of the method."""
    coefficients, weights, x, truth = with_truth(case.name)
    for option in METHODS[name].options(case):
        yield deviation(leaves(jax.jit(METHODS[name].build(case, coefficients, option))(weights, x)), truth)


@pytest.mark.parametrize(
    ("case", "name"),
    [
        (case, name)
        for case in ("elliptic", "blocks", "heat", "wave", "step", "KdV", "KS", "biharmonic", *PDES)
        for name in EXACT
        if METHODS[name].can_do(SMALL[case])
    ],
)
def test_every_way_gives_the_truth(name, case):
    if (name, case) == ("jet", "blocks"):
        pytest.skip("jet has no rule for products of elements")
    assert max(apart(SMALL[case], name)) < 1e-9


@pytest.mark.parametrize("case", ["particles", "tokens", "deep", "inputs", "complex"])
def test_dof_gives_the_truth_for_every_network(case):
    assert max(apart(SMALL[case], "dof")) < 1e-9


@pytest.mark.parametrize("name", ["elliptic", "blocks", "heat", "wave", "step"])
def test_torch_gives_the_truth(name):
    torch = pytest.importorskip("torch")
    from dof.bench.methods.torch_hessian import as_arrays, as_tensors, build

    case = SMALL[name]
    coefficients, weights, x, truth = with_truth(name)
    torch.set_default_dtype(torch.float64)
    found = build(case, coefficients)(*as_tensors(case, weights, x))
    assert deviation(as_arrays(found), truth) < 1e-9


def test_the_truth_of_many_inputs_is_that_of_nested_differentiation():
    case = SMALL["inputs"]
    _, weights, x = drawn(case)
    of_point = lambda x: jnp.trace(jax.hessian(case.network.phi, argnums=1)(weights, x))  # noqa: E731
    by_hand = lambda x: case.network.laplacian(weights, x)  # noqa: E731
    found, expected = jax.jit(jax.vmap(lambda x: (by_hand(x), of_point(x))))(x)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_the_estimate_is_right_in_the_mean():
    """With as many coordinates as there are, each once, it is the Laplacian itself."""
    case = Case("estimate", "", n.many_inputs(16, 8), lambda _: c.laplacian(16), 3)
    coefficients, weights, x = drawn(case)
    found = jax.jit(METHODS["estimate"].build(case, coefficients, None))(weights, x)
    assert deviation(leaves(found), leaves(reference_result(case, coefficients, weights, x))) < 1e-9


def test_coefficients_are_those_of_the_paper():
    rng = np.random.default_rng(0)
    alpha = np.random.default_rng(0).normal(size=(1, 6, 6))[0]
    np.testing.assert_allclose(c.elliptic(rng, 1, 6, 6).matrix, alpha @ alpha.T)
    np.testing.assert_allclose(np.diag(c.general(2, 3).matrix), [-1, 1, 1, -1, 1, 1])
    low = CASES["sparse-low-rank"].draw(0, 1, np.float32)[0]
    assert low.matrix.shape == (64, 64) and np.linalg.matrix_rank(low.matrix) == 32
    assert np.linalg.matrix_rank(CASES["mlp-low-rank"].draw(0, 1, np.float32)[0].matrix) == 32
