"""What is measured of a network in training: the residual on fresh points, and the error against a reference."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.pde.problem import Problem
from dof.solving.devices import Devices
from dof.solving.loss.collocation_points import Batch, counts_of, fresh_points, points_for_error
from dof.solving.loss.objective import Objective
from dof.solving.measuring.fresh_residual import FreshResidual, fresh_residual
from dof.solving.measuring.reference_values import require_numbers
from dof.solving.settings import Settings
from dof.solving.shares_of_points import filled, shares, with_factors

MOST_FRESH_POINTS = 1024
"""Fresh points of each term: a mean square over them is known to some percent, at the cost of about one step."""


class Evaluation:
    """A problem and its objective, with all that is compiled to measure a θ. No step is taken at its points."""

    def __init__(self, problem: Problem, objective: Objective, settings: Settings, devices: Devices) -> None:
        self.problem, self.objective, self.settings, self.devices = problem, objective, settings, devices

    def measured(self, theta: Any, losses: np.ndarray, weights: np.ndarray) -> dict[str, Any]:
        """What a `Report` says of θ.

        Args:
            theta: The parameters.
            losses: The mean square residual of each term on the fitted points, (terms,).
            weights: Of the terms, (terms,).
        """
        fresh = self.fresh(theta)
        relative = fresh.relative(fresh.losses)
        by_term = lambda values: dict(zip([t.name for t in self.objective.terms], values.tolist(), strict=True))  # noqa: E731
        return {
            "loss": float(losses @ weights),
            "losses": by_term(losses),
            "fresh_losses": by_term(fresh.losses),
            "residuals": by_term(relative),
            "residual": float(np.linalg.norm(relative)),
            "fitted": float(np.linalg.norm(fresh.relative(losses))),
            "error": self.error(theta),
            "unknowns": {name: np.asarray(v).tolist() for name, v in self.objective.unknowns(theta).items()},
        }

    def fresh(self, theta: Any) -> FreshResidual:
        """The residual of all terms on fresh points, the same for every θ; measured data have their own points only."""
        return FreshResidual(*map(np.asarray, self._fresh(*self.devices.placed(theta, self._points))))

    @cached_property
    def _points(self) -> tuple[Batch, tuple[Any, ...]]:
        """The points of each term, and for each as many inside of the domain."""
        n = min(self.settings.error_points, MOST_FRESH_POINTS)
        terms = self.objective.terms
        batch = fresh_points(terms, counts_of(terms, n, min(n, self.settings.edge_points)), self.settings.seed)
        inside = np.asarray(batch[0][0])
        beside = [inside[np.arange(len(arrays[0])) % len(inside)] for arrays in batch]
        return shares(batch, self.devices), tuple(filled(array, self.devices) for array in beside)

    @cached_property
    def _fresh(self) -> Any:
        devices, objective = self.devices, with_factors(self.objective, self.devices)
        return devices.program(lambda theta, points: fresh_residual(objective, theta, *points, devices=devices))

    def error(self, theta: Any) -> float | None:
        """|u − reference| / |reference| over points of the domain.

        None without a reference, and in a window of time where it is zero.
        """
        has_error = self.problem.reference is not None and np.any(self._exact[1])
        return float(self._error(theta)) if has_error else None

    def require_reference(self) -> None:
        """Refuse a reference without values, or zero everywhere."""
        if self.problem.reference is not None:
            points, exact = self._exact
            require_numbers(exact, points, self.problem)

    @cached_property
    def _exact(self) -> tuple[np.ndarray, Any]:
        """The points at which the error is measured, and the reference there."""
        points = points_for_error(self.problem.domain, self.settings.error_points, self.settings.seed)
        return points, jax.jit(jax.vmap(self.problem.exact))(points)

    @cached_property
    def _error(self) -> Any:
        points, exact = self._exact

        def error(theta: Any, points: Any, exact: Any) -> Any:
            return jnp.linalg.norm(jax.vmap(self.objective.u(theta))(points) - exact) / jnp.linalg.norm(exact)

        # As arguments: XLA would fold constants of 100,000 coordinates for minutes.
        return partial(jax.jit(error), points=points, exact=exact)
