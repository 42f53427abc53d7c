"""What is measured: an operator of a network at many points, or a training step with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np

from dof.bench.cases.architectures import Architecture, Rng
from dof.bench.cases.factored_operators import FactoredOperator
from dof.bench.cases.pde_operators import PdeOperator
from dof.bench.cases.polynomial_operators import PolynomialOperator

AnyOperator = FactoredOperator | PolynomialOperator | PdeOperator
Kind = Literal["two", "higher", "pde"]
"""What L is: an operator of order two, one of a higher order, or the residual of a PDE with all that it reads."""

Task = Callable[[Any, Any], Any]
"""(weights, points) ↦ result."""


def applied_alone(value: Any, applied: Any) -> Any:
    """The residual L φ."""
    return applied


def plus_cube(value: Any, applied: Any) -> Any:
    """The residual L φ + φ³."""
    return applied + value**3


@dataclass(frozen=True)
class Case:
    """`residual(φ, L φ)` at `points` points, or a training step: the gradient in the weights of its mean square.

    Attributes:
        name: what the command line selects by.
        title: what tables print.
        network: φ.
        operator: draws L, of the kind `kind`.
        points: how many points a run has, if the time suffices.
        fewest: with fewer points than this the case is left out; by default an eighth of `points`, and at least 16.
        task: "forward" for the residuals, "step" for loss and gradient.
        residual: of φ(x) and L φ(x).
        scale: standard deviation of the coordinates of the points.
        candidates: of so many points that are drawn, the one with the largest Re φ is taken. Walkers of a wave function
            are sampled from |ψ|², and not at its nodes, where log |ψ| has no derivatives and float32 no digits left.
        thresholds: the sparsity thresholds that folx is tried with; the fastest counts.
        extra_methods: methods that only this case is measured with.
        kind: of L, which says which methods there are for it.
        tolerance: the deviation that counts as an error. Rounding in float32 gives 1e-7 to 1e-5 for most networks, a
            wrong formula far more than 1e-3.
    """

    name: str
    title: str
    network: Architecture
    operator: Callable[[Rng], AnyOperator]
    points: int
    task: Literal["forward", "step"] = "forward"
    residual: Callable[[Any, Any], Any] = applied_alone
    scale: float = 1.0
    thresholds: tuple[int | float, ...] = (0,)
    extra_methods: tuple[str, ...] = ()
    kind: Kind = "two"
    tolerance: float = 1e-3
    fewest: int | None = None
    candidates: int = 1

    @property
    def fewest_points(self) -> int:
        """The smallest number of points that says something: with fewer, overheads are measured."""
        return self.fewest or min(self.points, max(16, self.points // 8))

    def draw(self, seed: int, points: int, dtype: Any) -> tuple[Any, Any, Any]:
        """(operator, weights, points), which depend on the seed only; the points have shape (points, inputs)."""
        rng = np.random.default_rng(seed)
        # Points come last, row by row: with fewer of them the operator, the weights and the first points stay the same.
        # The reference, which has fewer points than the methods, relies on it.
        operator, weights = self.operator(rng), self.network.draw(rng)
        x = self.scale * rng.normal(size=(points, self.candidates, self.network.inputs))
        weights, x = jax.tree.map(lambda array: np.asarray(array, dtype), (weights, x))
        return operator, weights, self._likeliest(weights, x) if self.candidates > 1 else x[:, 0]

    def _likeliest(self, weights: Any, x: Any) -> Any:
        """Of candidates (points, candidates, inputs) those with the largest Re φ, (points, inputs)."""
        phi = jax.vmap(jax.vmap(self.network.phi, (None, 0)), (None, 0))
        best = np.asarray(jnp.argmax(jax.jit(phi)(weights, x).real, axis=1))
        return np.take_along_axis(x, best[:, None, None], axis=1)[:, 0]


def vectorised_task(case: Case, residual: Callable[[Any, Any], Any]) -> Task:
    """The task of the case, all points at once, from the residual (weights, x) ↦ number of one point."""
    return task_of(case, jax.vmap(residual, in_axes=(None, 0)))


def task_of(case: Case, forward: Task) -> Task:
    """The task of the case from the function (weights, points) ↦ residuals."""
    if case.task == "forward":
        return forward
    return jax.value_and_grad(lambda weights, x: jnp.mean(forward(weights, x) ** 2))
