"""Several eigenpairs of a linear equation A u = λ B u, the lowest first.

Where they are is found without training, by a Rayleigh–Ritz method in the span of the last hidden layer of a network
with random weights: functions φ_j, with the hard conditions in them. From there a network is trained for each pair. It
starts with the weights that are the Ritz vector, so that it stays with its own pair; those of one eigenvalue start from
independent vectors.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jax.sharding import Mesh

from dof.errors import ArgumentError, describe, shown
from dof.extend import enable_x64
from dof.pde.conditions.measured_data import MeasuredData, data
from dof.pde.problem import Problem
from dof.solving.loss.collocation_points import unit_points
from dof.solving.networks import Network, mlp
from dof.solving.settings import settings_of
from dof.solving.solutions.solution import Solution
from dof.solving.solver import solve

STEEPNESS = 2.0
"""Standard deviation of the random weights, and half of the range of biases: on inputs in [−1, 1] tanh bends once or
twice across the domain."""
POINTS_PER_FUNCTION = 20
"""Points at which functions are compared, for each of them: a sum over that many points is near to the integral."""
LEAST_SINGULAR = 1e-9
"""Functions φ_j that differ by less, relative to the largest, are one: derivatives would be of rounding."""
LEAST_CONDITION = 1e-5
"""What violates a condition by less, relative to the most, is taken to obey it; training makes it exact."""
NEARLY_REAL = 1e-2
"""Imaginary parts, relative to the eigenvalue or to the fifth smallest one, that come from sums in place of integrals:
they make two real eigenvalues that are equal a complex pair."""
FIFTH = 4


def eigenpairs(problem: Problem, count: int = 1, *, mesh: Mesh | None = None, **settings: Any) -> tuple[Solution, ...]:
    """The lowest real eigenvalues of a linear equation, and functions that belong to them.

    Args:
        problem: With one unknown, the eigenvalue, in which as in u the equation is linear, and homogeneous conditions.
            It has no condition that fixes the factor of u: the largest value is made 1.
        count: How many pairs.
        mesh: As of `dof.solve`.
        **settings: As of `dof.solve`; the network is an MLP.

    Returns:
        A solution for each pair, whose `unknowns` has the eigenvalue, the lowest first.

    Raises:
        ArgumentError: If this is no linear eigenvalue problem, or fewer pairs are found.

    Examples:
        >>> from dof import pde, solving
        >>> string = pde.residual("x")(lambda u, x, *, k: u.xx + k * u)
        >>> fixed = [pde.dirichlet(0.0, hard=True)]
        >>> problem = pde.Problem(string, pde.Interval(0, 3.14159265), fixed, unknowns={"k": 1.0})
        >>> first, second = solving.eigenpairs(problem, 2, adam=0, newton=5, points=200, width=16)
        >>> print(f"{first.unknowns['k']:.3f} {second.unknowns['k']:.3f}")
        1.000 4.000
    """
    name = _require_eigenvalue_problem(problem)
    if not isinstance(count, (int, np.integer)) or isinstance(count, bool) or count < 1:
        raise ArgumentError(
            describe("count", f"is {shown(count)}", "a whole number from 1 on", "eigenpairs(problem, 3)")
        )
    chosen = settings_of(problem, settings)
    network = mlp(problem.feature_count, 1, chosen.width, max(chosen.depth, 1), chosen.activation)
    with enable_x64():
        values, vectors, weights = _ritz(problem, name, network, chosen.seed)
        if len(values) < count:
            found = f"is {count}, and {len(values)} were found in the span of {chosen.width} functions"
            raise ArgumentError(describe("count", found, "fewer, or more functions", f"width={4 * chosen.width}"))
        pairs = [(float(value), _with_last(weights, vector)) for value, vector in zip(values, vectors.T, strict=True)]
    found = [_trained(problem, name, *pair, network, {"mesh": mesh, **settings}) for pair in pairs[:count]]
    _warn_where_lost(name, values[: count + 1], found)
    return tuple(sorted(found, key=lambda solution: float(solution.unknowns[name])))


def _require_eigenvalue_problem(problem: Problem) -> str:
    names = list(problem.unknowns)
    is_data = any(isinstance(condition, MeasuredData) for condition in problem.conditions)
    if len(names) != 1 or np.ndim(problem.unknowns[names[0]]) or not problem.named_domain.is_single or is_data:
        found = f"has the unknowns {names}, the fields {problem.equation.fields}" + " and data" * is_data
        expected = "one number that is unknown, one field, no data"
        raise ArgumentError(describe("problem", found, expected, 'pde.Problem(..., unknowns={"energy": 1.0})'))
    return names[0]


def _ritz(problem: Problem, name: str, network: Network, seed: int) -> tuple[np.ndarray, np.ndarray, Any]:
    """Eigenvalues in their order, the weights of the last layer (functions, pairs), and all weights."""
    weights = _random_weights(network, seed)
    terms = problem.terms()
    width = weights[-1][0].shape[1]
    count = POINTS_PER_FUNCTION * (width + 1)

    def at(k: int, last: Any, value: float) -> Any:
        """The residuals of term k for one vector of the last layer, as one vector."""
        arrays = terms[k].points(unit_points(count, terms[k].uniforms, (seed, k)))
        net = lambda z: network.apply(_with_last(weights, last), z)[0]  # noqa: E731
        u = problem.trial(net)
        one = lambda *z: jnp.ravel(jnp.asarray(terms[k].residual(u, {name: value}, "dof", *z)))  # noqa: E731
        return jax.vmap(one)(*arrays).reshape(-1)

    points = terms[0].points(unit_points(count, terms[0].uniforms, (seed, 0)))[0]
    own = lambda last: jax.vmap(problem.trial(lambda z: network.apply(_with_last(weights, last), z)[0]))(points)  # noqa: E731
    units = jnp.eye(width + 1)
    columns = lambda f: np.asarray(jax.jit(jax.vmap(f, out_axes=1))(units))  # noqa: E731
    phi, a = columns(own), columns(lambda last: at(0, last, 0.0))
    b = a - columns(lambda last: at(0, last, 1.0))
    _require_linear(own, lambda last, value: at(0, last, value), width + 1)
    conditions = [columns(lambda last, k=k: at(k, last, 0.0)) for k in range(1, len(terms))]
    kept = _allowed(phi, conditions)
    values, vectors = _pairs(phi @ kept, a @ kept, b @ kept)
    return values, kept @ vectors, weights


def _allowed(phi: np.ndarray, conditions: list[np.ndarray]) -> np.ndarray:
    """Combinations of the functions that are orthonormal on the points and obey the conditions, as columns."""
    _, sizes, right = np.linalg.svd(phi, full_matrices=False)
    kept = right[sizes > LEAST_SINGULAR * sizes[0]].T / sizes[sizes > LEAST_SINGULAR * sizes[0]]
    for condition in conditions:
        _, sizes, right = np.linalg.svd(condition @ kept)
        sizes = np.concatenate([sizes, np.zeros(len(right) - len(sizes))])
        kept = kept @ right[sizes <= LEAST_CONDITION * sizes[0]].T
    return kept


def _pairs(phi: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of φᵀ A c = λ φᵀ B c with real λ, in their order."""
    found: Any = scipy.linalg.eig(phi.T @ a, phi.T @ b)
    values, vectors = found
    # B may be singular: its infinite eigenvalues are none.
    values, vectors = values[np.isfinite(values)], vectors[:, np.isfinite(values)]
    sizes = np.abs(values)
    near = NEARLY_REAL * np.maximum(sizes, np.sort(sizes)[: FIFTH + 1].max(initial=0.0))
    # Of two that are conjugate, one gives the real part of the vector and one the imaginary part.
    parts = np.where(values.imag < 0, vectors.imag, vectors.real)
    order = np.argsort(values.real)
    order = order[np.abs(values.imag)[order] <= near[order]]
    return values.real[order], parts[:, order]


def _warn_where_lost(name: str, ritz: np.ndarray, found: Sequence[Solution]) -> None:
    """Warn of a pair whose eigenvalue went further in training than half of the way to a neighbour."""
    for k, solution in enumerate(found):
        gaps = np.abs(np.delete(ritz, k) - ritz[k])
        # Equal eigenvalues have no gap between them: the next one that differs counts.
        gap = min((gap for gap in gaps if gap > NEARLY_REAL * abs(ritz[k])), default=np.inf)
        value = float(solution.unknowns[name])
        if abs(value - ritz[k]) > gap / 2:
            sentence = f"`{name}` of pair {k + 1} went from {ritz[k]:.4g} to {value:.4g} in training, past a neighbour."
            warnings.warn(f"{sentence}\n  Fix: a larger width=, more points= or newton=", UserWarning, stacklevel=3)


def _require_linear(own: Any, residual: Any, size: int) -> None:
    """Refuse an equation that is not linear in u and in the unknown, and conditions that are not homogeneous."""
    one, other = np.random.default_rng(0).normal(size=(2, size))
    at = lambda last, value: np.asarray(jax.jit(residual)(jnp.asarray(last), value))  # noqa: E731
    total = at(one + other, 0.5) - at(one, 0.5) - at(other, 0.5)
    in_value = at(one, 2.0) - 2 * at(one, 1.0) + at(one, 0.0)
    scale = np.abs(at(one, 0.5)).max()
    if max(np.abs(total).max(), np.abs(in_value).max(), np.abs(own(jnp.zeros(size))).max()) > 1e-6 * scale:
        found, fix = "is not linear in u and in the unknown, or u = 0 is none of its functions", "pde.dirichlet(0.0)"
        raise ArgumentError(describe("problem", found, "A u = λ B u with conditions that are zero", fix))


def _random_weights(network: Network, seed: int) -> Any:
    """Weights and biases that make functions of all kinds; the biases of `mlp` are zero, whose functions are odd."""
    key = jax.random.key(seed)
    layers = network.init(key)
    biases = [jax.random.uniform(jax.random.fold_in(key, k), b.shape, minval=-1) for k, (_, b) in enumerate(layers)]
    return [(STEEPNESS * w, STEEPNESS * own) for (w, _), own in zip(layers, biases, strict=True)]


def _with_last(weights: Any, last: Any) -> Any:
    """The weights with those of the last layer from a vector: the bias comes last."""
    return [*weights[:-1], (jnp.asarray(last)[None, :-1], jnp.asarray(last)[-1:])]


def _trained(problem: Problem, name: str, value: float, weights: Any, network: Network, settings: dict) -> Solution:
    """Train from a Ritz pair, with its largest value made 1."""
    with enable_x64():
        u = problem.trial(lambda z: network.apply(weights, z)[0])
        points = problem.domain.inside(unit_points(1024, problem.domain.uniforms, (0, 0)))
        found = np.asarray(jax.jit(jax.vmap(u))(points))
        top = int(np.argmax(np.abs(found)))
        scaled = _with_last(weights, jnp.concatenate([*weights[-1][0], weights[-1][1]]) / found[top])
    fixed = replace(
        problem, conditions=[*problem.conditions, data(points[top : top + 1], [1.0])], unknowns={name: value}
    )
    solution = solve(fixed, Network(lambda key: scaled, network.apply), **settings)
    assert isinstance(solution, Solution)
    return solution
