"""Whether the reference solves the problem: an error against another function says nothing."""

from __future__ import annotations

from copy import copy
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import DofError
from dof.solving.devices import ONE_DEVICE
from dof.solving.loss.collocation_points import counts_of, fresh_points
from dof.solving.loss.objective import Objective
from dof.solving.measuring.fresh_residual import FreshResidual, fresh_residual
from dof.solving.measuring.quality import as_share

PROBES = 64
"""Points of each term at which the reference is looked at."""
MOST_RESIDUAL = 3e-2
"""The relative residual of a reference up to which nothing is said: one that is interpolated, or cut off from a series,
is none to the last digit."""


def on_reference(objective: Objective) -> str:
    """About a reference that does not fulfil the equation or the conditions; "" if it does, or if that is not known."""
    problem = objective.problem
    if problem.reference is None or set(problem.truth) != set(problem.unknowns):
        return ""
    found = zip(objective.terms, _residuals(objective), strict=True)
    # Measured data have noise, which no solution fits.
    wrong = {term.name: r for term, r in found if term.fixed is None and r > MOST_RESIDUAL}
    if not wrong:
        return ""
    said = " and ".join(f"{as_share(r)} of the terms of `{name}`" for name, r in wrong.items())
    return (
        f"The reference leaves a residual of {said}: the error will be that against a function which does not solve "
        "the problem.\n  Fix: the solution of this problem, as a smooth function; or no reference"
    )


def _residuals(objective: Objective) -> np.ndarray:
    """The relative residual of each term with the reference for u, (terms,); nan where it is not known."""
    problem, terms = objective.problem, objective.terms
    twin: Any = copy(objective)
    twin.u = lambda theta: problem.exact
    twin.unknowns = lambda theta: {name: jnp.asarray(value, float) for name, value in problem.truth.items()}
    batch = fresh_points(terms, counts_of(terms, PROBES, PROBES), 0)
    inside = [np.asarray(batch[0][0])[np.arange(len(arrays[0])) % PROBES] for arrays in batch]
    run = jax.jit(lambda theta: fresh_residual(twin, theta, batch, inside, ONE_DEVICE))
    try:
        fresh = FreshResidual(*map(np.asarray, run(objective.start)))
    # A reference may be any code that has values, as one that calls back to NumPy: without derivatives in JAX there is
    # nothing to be said of it. These are what JAX and dof raise then.
    except (TypeError, ValueError, NotImplementedError, DofError):
        return np.full(len(terms), np.nan)
    return fresh.relative(fresh.losses)
