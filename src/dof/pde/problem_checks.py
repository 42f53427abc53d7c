"""What a problem is made of is checked when it is made: `pde.Problem` calls these."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentTypeError, describe, shown
from dof.extend import enable_x64
from dof.pde.argument_checks import (
    output_shape,
    require_ansatz,
    require_arguments,
    require_domain,
    require_features,
    require_keywords,
    require_values,
)
from dof.pde.conditions.conditions import Condition
from dof.pde.conditions.hard_conditions import require_possible
from dof.pde.conditions.measured_data import MeasuredData
from dof.pde.conditions.user_residual import OwnResidual
from dof.pde.geometry.named_domain import NORMAL
from dof.pde.notation.residual import Residual
from dof.pde.planning.traced_residual import reads_of
from dof.pde.values_by_name import require_by_name, require_numbers_by_name

CONDITIONS = (Condition, OwnResidual, MeasuredData)
"""What the conditions of a problem may be."""
MOST_COORDINATES = 1000
"""Up to which the equation is run before training, with u = 0, u + 1 or the reference: in 100,000 it takes seconds."""


def require_equation_and_domain(equation: Any, domain: Any) -> None:
    """Refuse what is no residual, and what is no domain with its coordinates."""
    if not isinstance(equation, Residual):
        found = f"is {shown(equation)}"
        raise ArgumentTypeError(describe("equation", found, "a residual", '@pde.residual("x t") above its def'))
    require_domain(domain, equation.coordinates)


def require_parts(problem: Any) -> None:
    """Refuse what cannot be solved: names, functions and conditions that do not fit the equation and the domain."""
    equation = problem.equation
    require_numbers_by_name("unknowns", problem.unknowns)
    require_numbers_by_name("truth", problem.truth)
    require_by_name("given", problem.given, f"lambda {', '.join(equation.coordinates.names)}: ...")
    require_keywords(equation, set(problem.unknowns), set(problem.given), set(problem.truth))
    _require_functions(problem)
    _require_conditions(problem)
    _require_runs(problem)


def _require_functions(problem: Any) -> None:
    """Refuse functions with other arguments. Values of `reference` and `given` may take long and come later."""
    names = problem.equation.coordinates.names
    given = {f"given[{name!r}]": function for name, function in problem.given.items()}
    if isinstance(problem.reference, CONDITIONS):
        found, fix = f"is {_shown(problem.reference)}", "pde.Problem(equation, domain, [first, second])"
        raise ArgumentTypeError(describe("reference", found, "conditions in one list", fix))
    for name, function in {"reference": problem.reference, **given}.items():
        if function is not None:
            require_arguments(name, function, names)
    if problem.features is not None:
        require_features(problem.features, problem.named_domain)
    if problem.ansatz is not None:
        require_ansatz(problem.ansatz, problem.named_domain)


def _require_conditions(problem: Any) -> None:
    """Refuse conditions that the domain does not have; hard ones are made into a loss term too, to be checked."""
    are_many = isinstance(problem.conditions, Sequence)
    for condition in problem.conditions if are_many else [problem.conditions]:
        if not (are_many and isinstance(condition, CONDITIONS)):
            fix = '[pde.on("boundary", residual)]' if isinstance(condition, Residual) else "[pde.dirichlet(0.0)]"
            found = f"{'has' if are_many else 'is'} {_shown(condition)}"
            raise ArgumentTypeError(describe("conditions", found, "a list of conditions", fix))
        condition.loss_term(problem.named_domain)
        if isinstance(condition, OwnResidual):
            require_values(condition.residual, {*problem.unknowns, NORMAL})
    require_possible(problem.conditions, problem.named_domain, problem.features)


def _require_runs(problem: Any) -> None:
    """Run the equation's function once, as training does, so that mistakes in it are told here."""
    # Not with given functions, which may take long: they are computed when training starts.
    if problem.domain.size > MOST_COORDINATES or problem.given:
        return
    with enable_x64():
        value = jax.ShapeDtypeStruct(problem.named_domain.field_shape, jnp.result_type(float))
        point = np.zeros(problem.domain.size)

        def run(unknowns: Any) -> None:
            reads_of(problem.equation, value, point, unknowns)

        jax.eval_shape(run, dict(problem.unknowns))  # traced, as unknowns are in training


def require_traceable(problem: Any) -> None:
    """Refuse a reference and given functions that use a coordinate as a number, or have the wrong shape."""
    known = {} if problem.reference is None else {"reference": problem.exact}
    of = problem.named_domain.given
    known |= {f"given[{name!r}]": partial(of, function) for name, function in problem.given.items()}
    for name, function in known.items():
        output_shape(name, function, problem.named_domain)


def _shown(part: Any) -> str:
    return f"the condition `{part.name}`" if isinstance(part, CONDITIONS) else shown(part)
