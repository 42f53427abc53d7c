"""What is likely to go wrong with a training, said before it begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.pde.conditions.conditions import Condition
from dof.pde.conditions.measured_data import MeasuredData
from dof.pde.notation.derivatives import First, Gradient
from dof.pde.problem import Problem
from dof.pde.problem_checks import MOST_COORDINATES
from dof.solving.checks.contradicting_conditions import on_contradictions
from dof.solving.checks.free_constant import on_free_constant
from dof.solving.checks.initial_conditions import on_missing_start, on_needless_velocity
from dof.solving.checks.missing_names import on_missing_names
from dof.solving.checks.open_boundary import on_open_boundary
from dof.solving.checks.overlapping_conditions import on_overlaps
from dof.solving.checks.reference_check import on_reference
from dof.solving.choices_by_parameter_count import default_points
from dof.solving.loss.objective import Objective
from dof.solving.settings import Settings

ROUNDING = 1e-9
"""Share of its distance from the middle of the domain by which a point on the boundary may be outside, and of its size
by which a function may differ from the reference and still be the same."""
PROBES = 8
"""Points at which functions are looked at: second derivatives of a network that has some vanish at none of them."""


def advice_on(
    objective: Objective, fitted: Objective, counts: Sequence[int], settings: Settings, is_window: bool
) -> tuple[str, ...]:
    """Sentences for the user; none if nothing is to be said.

    Args:
        objective: The terms and the parameters.
        fitted: The same, perhaps with the gradient of the residual, as the steps have it.
        counts: How many points each term has.
        settings: Of the training.
        is_window: Whether the problem is a window of time of another, to which the reference belongs: its start is what
            the network of the window before ended with.
    """
    problem = objective.problem
    found = [
        _on_few_equations(fitted, counts, settings),
        _on_missing_conditions(problem),
        _on_missing_equations(objective),
        on_missing_start(problem) or _of_few(on_free_constant, objective),
        on_needless_velocity(problem),
        _of_few(on_open_boundary, objective),
        on_contradictions(problem) or _of_few(on_overlaps, objective),
        _of_few(on_missing_names, objective),
        *map(partial(_on_data, problem), problem.conditions),
        on_given_solution(problem),
        _on_piecewise_linear(objective),
        _of_few(_on_zero_solution, objective),
        "" if is_window else _of_few(on_reference, objective),
    ]
    return tuple(filter(None, found))


def _of_few(check: Callable[[Objective], str], objective: Objective) -> str:
    """What a check says that traces residuals, where the problem has not too many coordinates for it."""
    return check(objective) if objective.problem.domain.size <= MOST_COORDINATES else ""


def _on_few_equations(objective: Objective, counts: Sequence[int], settings: Settings) -> str:
    parameters, each = objective.start.size, [objective.components(k) for k in range(len(counts))]
    equations = sum(n * components for n, components in zip(counts, each, strict=True))
    if equations >= parameters or not settings.can_fit_points or settings.has_new_points_each_step:
        return ""
    return (
        f"{equations:,} residuals for {parameters:,} parameters: the network can be right at all points and wrong "
        f"between them.\n  Fix: points={default_points(parameters, each[0])}, or a smaller `width`"
    )


def _on_missing_conditions(problem: Problem) -> str:
    # An ansatz or features of one's own may have the conditions in them.
    if problem.conditions or problem.ansatz or problem.features:
        return ""
    return (
        f"`{problem.name}` has no conditions: which of its solutions is found depends on the seed.\n"
        "  Fix: pde.Problem(equation, domain, [pde.dirichlet(0.0)])"
    )


def _on_missing_equations(objective: Objective) -> str:
    """About equations that are fewer than the fields, where no condition of another kind may stand for one."""
    problem, equations = objective.problem, objective.components(0)
    fields = int(np.prod(problem.named_domain.field_shape))
    if equations >= fields or not all(isinstance(condition, Condition) for condition in problem.conditions):
        return ""
    return (
        f"`{problem.name}` has {equations} equation{'s' * (equations > 1)} for {fields} fields: infinitely many "
        f"functions solve it.\n  Fix: return one residual for each field, as (first, second)"
    )


def _on_data(problem: Problem, condition: Any) -> str:
    if not isinstance(condition, MeasuredData):
        return ""
    points = np.asarray(condition.z, float)
    low, high = problem.domain.bounds
    middle = (low + high) / 2
    # Points on the boundary may be outside by rounding.
    outside = ~problem.domain.contains(middle + (points - middle) * (1 - ROUNDING))
    if not outside.any():
        return ""
    return (
        f"{outside.sum()} of {len(points)} points of `data` are outside of the domain, the first at "
        f"{points[outside][0].tolist()}: the equation does not hold there.\n  Fix: a larger domain, or fewer data"
    )


def on_given_solution(problem: Problem) -> str:
    """About hard conditions whose functions are the reference inside of the domain too."""
    if problem.reference is None or not any(c.hard and callable(getattr(c, "value", None)) for c in problem.conditions):
        return ""
    points = problem.domain.inside(np.random.default_rng(0).random((PROBES, problem.domain.uniforms)))
    zero = problem.trial(lambda features: jnp.zeros(problem.named_domain.field_shape))
    given, exact = (np.asarray(jax.jit(jax.vmap(f))(points)) for f in (zero, problem.exact))
    if np.linalg.norm(given - exact) > ROUNDING * np.linalg.norm(exact):
        return ""
    return (
        "The hard conditions are the reference inside of the domain too: nothing is left to be found, and the error "
        "says nothing.\n  Fix: a function with the same values on the boundary, or hard=False"
    )


def _on_zero_solution(objective: Objective) -> str:
    """About problems that u = 0 solves, as eigenvalue problems do: loss and residual then vanish with u."""
    problem = objective.problem
    if not problem.conditions or not _starts_from_zero(problem):
        return ""
    rng = np.random.default_rng(0)
    for k, term in enumerate(objective.terms):
        arrays = term.points(rng.random((PROBES, term.uniforms)))
        at = lambda *z, k=k: objective.residual_of_zero(k, objective.start, z)  # noqa: E731
        # What is nan at u = 0 is not solved by it either.
        if not np.all(np.asarray(jax.jit(jax.vmap(at))(*arrays)) == 0):
            return ""
    return (
        f"u = 0 solves `{problem.name}` and all its conditions: training may end there, where relative residuals say "
        "nothing.\n  Fix: dof.solving.eigenpairs(problem) for eigenvalues, or a source or a value that is not zero"
    )


def _starts_from_zero(problem: Problem) -> bool:
    """Whether u is zero where the network is: hard conditions and the ansatz have no other value."""
    points = problem.domain.inside(np.random.default_rng(0).random((PROBES, problem.domain.uniforms)))
    zero = problem.trial(lambda features: jnp.zeros(problem.named_domain.field_shape))
    return not np.any(np.asarray(jax.jit(jax.vmap(zero))(points)))


def _on_piecewise_linear(objective: Objective) -> str:
    """About networks, as of relu, whose second derivatives are zero, for equations that have some."""
    problem = objective.problem
    if all(isinstance(read, (First, Gradient)) for read in problem.plan.reads):
        return ""
    params, _ = objective.unravel(objective.start)
    rng = np.random.default_rng(0)
    features, along = rng.uniform(-1, 1, (PROBES, problem.feature_count)), rng.normal(size=problem.feature_count)

    def slope_and_second(z: Any) -> Any:
        slope = lambda z: jax.jvp(partial(objective.network.apply, params), (z,), (along,))[1]  # noqa: E731
        return jax.jvp(slope, (z,), (along,))

    slopes, second = jax.jit(jax.vmap(slope_and_second))(features)
    # A network that is linear everywhere has no hidden layer: that is no activation chosen by mistake.
    if np.any(second) or np.allclose(slopes, slopes[0]):
        return ""
    return (
        "The second derivatives of the network are zero, as those of relu are, and the equation has some.\n"
        "  Fix: a smooth activation, as jnp.tanh"
    )
