"""Whether u and its slope are both given on a part of the boundary; an equation of order two takes one of them."""

from __future__ import annotations

from itertools import combinations

from dof.pde.conditions.conditions import Condition
from dof.pde.planning.plan_any_order import is_higher
from dof.solving.checks.contradicting_conditions import LEAST_SHARED, shared_points
from dof.solving.loss.objective import Objective

KINDS = ("dirichlet", "neumann", "robin")


def on_overlaps(objective: Objective) -> str:
    """About two conditions of different kinds on one part; a condition without `on` holds on all of the boundary.

    Equations of higher order and systems, as those of plates, take both, and so do those in which a number or data
    are to be fitted.
    """
    problem = objective.problem
    if len(problem.equation.fields.each) > 1 or problem.unknowns:
        return ""
    if not all(isinstance(condition, Condition) for condition in problem.conditions):
        return ""
    for one, other in combinations([c for c in problem.conditions if c.kind in KINDS], 2):
        if one.kind != other.kind and len(shared_points(one.on, other.on, problem.named_domain)) >= LEAST_SHARED:
            # Planned last, since that takes longest.
            if any(map(is_higher, problem.plan.reads)):
                return ""
            return (
                f"`{one.name}` and `{other.name}` hold on the same part of the boundary, where `{problem.name}` takes "
                "one of them: without on= a condition is for all of it.\n"
                '  Fix: on="x=0" and on="x=1"; disk.named("outer") - hole.named("hole") for on="outer" and on="hole"'
            )
    return ""
