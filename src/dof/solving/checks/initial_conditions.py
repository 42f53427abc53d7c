"""Whether an equation in time has what it starts from, and no more."""

from __future__ import annotations

from typing import Any

from dof.pde.conditions.conditions import Condition
from dof.pde.notation.derivatives import Applied, Derivative, First, Gradient, Higher, Second
from dof.pde.notation.names import TIME
from dof.pde.problem import Problem


def on_missing_start(problem: Problem) -> str:
    """About an equation of one field of order one or two in time, without initial value or velocity."""
    time = problem.named_domain.axis(TIME)
    kinds = {condition.kind for condition in problem.conditions if isinstance(condition, Condition)}
    # Which field a derivative is of is not known, and an ansatz or features may have the start in them.
    if time is None or not kinds or len(problem.equation.fields.names) > 1 or problem.ansatz or problem.features:
        return ""
    if not all(_is_of_space(condition) for condition in problem.conditions):
        return ""
    order = _order_in_time(problem, time)
    missing = [kind for kind in ("initial", "initial velocity")[:order] if kind not in kinds]
    if not missing:
        return ""
    return (
        f"`{problem.name}` is of order {order} in t and has no condition `{missing[0]}`: which of its solutions is "
        f"found depends on the seed.\n  Fix: pde.{missing[0].replace(' ', '_')}(0.0) among the conditions"
    )


def on_needless_velocity(problem: Problem) -> str:
    """About an initial velocity for an equation of one field whose order in time is less than two."""
    time = problem.named_domain.axis(TIME)
    kinds = {condition.kind for condition in problem.conditions if isinstance(condition, Condition)}
    # In a system of first order the velocity of one field may stand for the start of another; an operator may have any
    # order.
    if time is None or "initial velocity" not in kinds or len(problem.equation.fields.names) > 1:
        return ""
    order = _order_in_time(problem, time)
    if order > 1 or any(isinstance(read, Applied) for read in problem.plan.reads):
        return ""
    return (
        f"`{problem.name}` is of order {order} in t and has a condition `initial velocity`: the equation gives the "
        "velocity itself, and no function has both where they differ.\n"
        "  Fix: without pde.initial_velocity; or an equation with u.tt"
    )


def _order_in_time(problem: Problem, time: int) -> int:
    return max((_order(read, time) for read in problem.plan.reads), default=0)


def _is_of_space(condition: Any) -> bool:
    """Whether a condition says nothing of the start but as an initial one: data and residuals of one's own may."""
    if not isinstance(condition, Condition) or condition.kind == "periodic":
        return isinstance(condition, Condition) and condition.on != TIME
    places = [condition.on] if isinstance(condition.on, str) else condition.on
    return isinstance(places, (list, tuple)) and not any(str(place).startswith(f"{TIME}=") for place in places)


def _order(read: Derivative, time: int) -> int:
    """The order of a derivative in time; two at most, and zero for operators of the user's, which are not looked at."""
    match read:
        case First(i):
            return int(i == time)
        case Gradient(places):
            return int(time in places)
        case Second(pairs):
            return max(pair.count(time) for pair in pairs)
        case Higher(monomial):
            return min(2, monomial.count(time))
    return 0
