"""Solving from Python: accuracy, networks of all kinds, both methods alike, what is refused."""

import subprocess
import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import dof
from dof import pde
from dof.solving.solver import intervals, training_of
from problems import LINE, bent

SMALL = {"width": 12, "depth": 1, "points": 60, "edge_points": 20, "report": 5, "error_points": 64}


def test_soft_conditions_balance_themselves_and_the_solution_is_found():
    solution = dof.solve(LINE, **SMALL, adam=20, newton=40)
    assert solution.error < 1e-4
    weights = training_of(LINE, None, SMALL | {"adam": 5, "newton": 0})
    state, _ = next(intervals(weights, weights.start()))
    assert state.weights[0] == 1 and (state.weights[1:] != 1).all()
    x = np.linspace(0, np.pi, 7)[:, None]
    np.testing.assert_allclose(solution(x), np.sin(x[:, 0]), atol=1e-3)
    assert solution(x[3]).shape == () and "error" in repr(solution)


def test_both_methods_take_the_same_steps():
    found = {m: dof.solve("heat", **SMALL, adam=5, newton=5, method=m) for m in ("dof", "hessian")}
    np.testing.assert_allclose(found["dof"].theta, found["hessian"].theta, rtol=1e-6)


@pytest.mark.parametrize("name", ["fourier", "separable"])
def test_networks_by_name(name):
    assert dof.solve("heat", name, **SMALL | {"width": 6}, adam=10, newton=20).error < 5e-2


WEIGHTS = jnp.asarray(np.random.default_rng(0).normal(size=(16, 2)))


class Nnx(nnx.Module):
    def __init__(self, rngs):
        self.first, self.last = nnx.Linear(2, 16, rngs=rngs), nnx.Linear(16, 1, rngs=rngs)

    def __call__(self, z):
        return self.last(jnp.tanh(self.first(z)))


@pytest.mark.parametrize(
    "network",
    [
        eqx.nn.MLP(2, "scalar", 16, 1, activation=jnp.tanh, key=jax.random.key(0)),
        Nnx(nnx.Rngs(0)),
        ({"w": WEIGHTS, "b": WEIGHTS[:, 0], "v": WEIGHTS[:, 1]}, lambda p, z: p["v"] @ jnp.tanh(p["w"] @ z + p["b"])),
    ],
    ids=["equinox", "flax nnx", "pair"],
)
def test_networks_of_others(network):
    solution = dof.solve("heat", network, **SMALL, adam=20, newton=30)
    assert solution.error < 1e-2 < solution.history[0].error


def test_lbfgs_after_adam():
    history = dof.solve("heat", **SMALL, adam=10, newton=20, optimiser="lbfgs").history
    assert history[-1].loss < history[1].loss / 5 and history[-1].phase == "lbfgs"


def test_unknowns_are_found_with_the_solution():
    data = np.linspace(0, np.pi, 20)[:, None]
    problem = pde.Problem(
        bent,
        pde.Interval(0, np.pi),
        [pde.data(data, 2 * np.sin(data[:, 0]))],
        unknowns={"k": 1.0},
        truth={"k": 2.0},
    )
    solution = dof.solve(problem, **SMALL, adam=20, newton=30)
    assert solution.error is None
    np.testing.assert_allclose(solution.unknowns["k"], 2.0, rtol=1e-4)


def test_what_is_given_is_computed_once_and_reaches_the_equation():
    @pde.residual("x")
    def sourced(u, x, *, f):
        return u.xx + f

    problem = pde.Problem(sourced, pde.Interval(0, np.pi), [pde.dirichlet(hard=True)], jnp.sin, given={"f": jnp.sin})
    assert dof.solve(problem, **SMALL, adam=10, newton=20).error < 1e-4


def test_losses_are_told_for_each_term():
    ends = [pde.dirichlet(1.0), pde.dirichlet(1.0), pde.data([[0.5]], [1.0])]
    (report,) = dof.solve(pde.Problem(bent, pde.Interval(0, 1), ends), **SMALL, adam=1, newton=0).history
    assert list(report.losses) == ["equation", "dirichlet", "dirichlet 2", "data"]


def test_submodules_are_there_without_an_import_of_their_own():
    code = "import dof; assert {'pde', 'solve', 'solving', 'zoo'} <= set(dir(dof)); dof.pde, dof.solving, dof.zoo"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_its_packages_a_submodule_says_what_to_install():
    code = "import sys; sys.modules['optax'] = None; import dof; dof.pde; dof.solving"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: `dof.solving` needs optax" in done.stderr and 'pip install "dof[solve]"' in done.stderr


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: dof.solve("heet"), "dof solve heat"),
        (lambda: dof.solve(3), "`problem`"),
        (lambda: dof.solve("heat", "mpl"), "`network`"),
        (lambda: dof.solve("heat", lambda z: z), "`network`"),
        (lambda: dof.solve("heat", eqx.nn.MLP(3, 1, 4, 1, key=jax.random.key(0))), "`network`"),
        (lambda: dof.solve("heat", widht=3), "width="),
        (lambda: dof.solve("heat", width=0), "`width`"),
        (lambda: dof.solve("heat", width="3"), "`width`"),
        (lambda: dof.solve("heat", adam=0, newton=0), "`newton`"),
        (lambda: dof.solve("heat", method="hesse"), "`method`"),
        (lambda: dof.solve(pde.Problem(bent, pde.Interval(0, 1), reference=lambda x: x[None])), "`reference`"),
        (lambda: dof.solve(pde.Problem(bent, pde.Interval(0, 1), reference=lambda x: None)), "`reference`"),
    ],
)
def test_mistakes_are_named(call, said):
    with pytest.raises((ValueError, TypeError), match=said):
        call()


@pytest.fixture
def single_precision():
    """In the whole process, as it is by default; other tests have double precision."""
    jax.config.update("jax_enable_x64", False)
    yield
    jax.config.update("jax_enable_x64", True)


def test_training_is_in_double_precision_and_single_precision_outside_stays(single_precision):
    solution = dof.solve("heat", **SMALL, adam=5, newton=0)
    assert solution.theta.dtype == solution([0.5, 0.5]).dtype == jnp.float64
    assert jnp.ones(1).dtype == jnp.float32 and not jax.config.jax_enable_x64


FEW = {"newton": 0, "points": 20, "width": 4, "depth": 1, "error_points": 64}


def test_a_callback_ends_training_and_keeps_what_was_found():
    seen = []
    solution = dof.solve("heat", **FEW, adam=9, report=3, on_report=lambda r: seen.append(r) or len(seen) == 2)
    assert [report.step for report in solution.history] == [3, 6] and solution([0.5, 0.0]).shape == ()


@pytest.mark.parametrize("yes", [np.True_, jnp.array(True)])
def test_only_what_says_true_ends_training(yes):
    answers = iter([np.False_, [True], 1, yes])
    solution = dof.solve("heat", **FEW, adam=10, report=2, on_report=lambda report: next(answers))
    assert solution.history[-1].step == 8
