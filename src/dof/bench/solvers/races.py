"""The problems that two solvers are compared on, with points and the reference at them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import jax
import numpy as np

from dof.bench.solvers import references
from dof.extend import enable_x64
from dof.zoo import problem_named

POINTS = 4096
"""At which both solvers are compared with the reference."""


@dataclass(frozen=True)
class SolverRace:
    """A problem of DeepXDE's examples.

    Attributes:
        name: of the functions in `dof_problems` and `deepxde_problems`.
        title: what tables and plots print.
        low: the lower corner of a box around the domain, time last.
        high: its upper corner.
        reference: points (n, coordinates) ↦ values (n,).
        inside: which points of the box are in the domain.
        field: which of the solution's fields is compared.
    """

    name: str
    title: str
    low: tuple[float, ...]
    high: tuple[float, ...]
    reference: Callable[[np.ndarray], np.ndarray]
    inside: Callable[[np.ndarray], np.ndarray] = lambda points: np.full(len(points), True)
    field: int = 0

    def points_and_values(self) -> tuple[np.ndarray, np.ndarray]:
        """Points of the domain, drawn with even density, and the reference at them."""
        drawn = np.random.default_rng(0).uniform(self.low, self.high, (2 * POINTS, len(self.low)))
        points = drawn[self.inside(drawn)][:POINTS]
        return points, self.reference(points)


def _burgers(points: np.ndarray) -> np.ndarray:
    """By Cole and Hopf, as the zoo has it."""
    exact = problem_named("burgers").reference
    assert exact is not None
    with enable_x64():
        return np.asarray(jax.jit(jax.vmap(exact))(points[:, 0], points[:, 1]))


def _diffusion(points: np.ndarray) -> np.ndarray:
    return np.sin(np.pi * points[:, 0]) * np.exp(-points[:, 1])


def _is_in_l(points: np.ndarray) -> np.ndarray:
    return np.any(points < 0, axis=1)


RACES = {
    race.name: race
    for race in (
        SolverRace("klein_gordon", "Klein–Gordon", (-1.0, 0.0), (1.0, 10.0), lambda z: z[:, 0] * np.cos(z[:, 1])),
        SolverRace("burgers", "Burgers", (-1.0, 0.0), (1.0, 0.99), _burgers),
        SolverRace(
            "diffusion", "diffusion", (-1.0, 0.0), (1.0, 1.0), lambda z: np.sin(np.pi * z[:, 0]) * np.exp(-z[:, 1])
        ),
        SolverRace("allen_cahn", "Allen–Cahn", (-1.0, 0.0), (1.0, 1.0), references.allen_cahn),
        SolverRace("helmholtz", "Helmholtz", (0.0, 0.0), (1.0, 1.0), lambda z: np.prod(np.sin(4 * np.pi * z), axis=1)),
        SolverRace("l_shape", "Poisson on an L", (-1.0, -1.0), (1.0, 1.0), references.l_shape, _is_in_l),
        SolverRace(
            "reaction_rate", "reaction rate k(x)", (0.0,), (1.0,), lambda z: references.reaction_rate(z[:, 0]), field=1
        ),
    )
}
