"""The truth that every result is compared with: nested differentiation in float64, in blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from dof.bench.cases.case_table import Case
from dof.bench.cases.factored_operators import Coefficients
from dof.bench.methods.at_a_point import by_hessian
from dof.bench.methods.method_table import of_point

BLOCK = 8
FORWARD_POINTS = 16
"""So many points are compared where each has a result of its own."""
TOLERANCE = 1e-3
"""In float32, relative to the largest entry."""


def points_compared(case: Case, points: int) -> int:
    return min(points, FORWARD_POINTS) if case.task == "forward" else points


def true_result(case: Case, coefficients: Coefficients, weights: Any, x: Any) -> Any:
    """To be called where float64 is enabled."""
    by_hand = case.network.laplacian
    residual = _by_hand(case, by_hand) if by_hand else of_point(case, coefficients, by_hessian)
    if case.task == "forward":
        return jax.jit(lambda w, x: lax.map(partial(residual, w), x, batch_size=BLOCK))(weights, x)
    return jax.jit(partial(_step, residual))(weights, x)


def _by_hand(case: Case, laplacian: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda weights, x: case.residual(case.network.phi(weights, x), laplacian(weights, x))


def _step(residual: Callable[[Any, Any], Any], weights: Any, x: Any) -> Any:
    of_point = jax.value_and_grad(lambda weights, x: residual(weights, x) ** 2)
    add = lambda sums, x: (jax.tree.map(jnp.add, sums, of_point(weights, x)), None)  # noqa: E731
    sums, _ = lax.scan(add, (jnp.zeros(()), jax.tree.map(jnp.zeros_like, weights)), x)
    return jax.tree.map(lambda part: part / len(x), sums)


def deviation(result: list[np.ndarray], truth: list[np.ndarray]) -> float:
    """The largest difference in any array, relative to the largest entry of that array."""

    def apart(found: np.ndarray, true: np.ndarray) -> float:
        found = np.asarray(found, np.float64)[: len(true)] if np.ndim(true) else np.asarray(found, np.float64)
        return float(np.max(np.abs(found - true)) / (np.max(np.abs(true)) or 1))

    return max(apart(*pair) for pair in zip(result, truth, strict=True))
