"""What is likely to go wrong with a training, said before it begins."""

from __future__ import annotations

from collections.abc import Sequence

from dof.solving.objective import Objective
from dof.solving.settings import Settings, default_points


def advice_on(objective: Objective, counts: Sequence[int], settings: Settings) -> tuple[str, ...]:
    """Sentences for the user; none if nothing is to be said.

    Args:
        objective: The terms and the parameters.
        counts: How many points each term has.
        settings: Of the training.
    """
    return tuple(filter(None, [_on_few_equations(objective, counts, settings)]))


def _on_few_equations(objective: Objective, counts: Sequence[int], settings: Settings) -> str:
    parameters, each = objective.start.size, [objective.components(k) for k in range(len(counts))]
    equations = sum(n * components for n, components in zip(counts, each, strict=True))
    if equations >= parameters or not settings.can_fit_points:
        return ""
    return (
        f"{equations:,} residuals for {parameters:,} parameters: the network can be right at all points and wrong "
        f"between them.\n  Fix: points={default_points(parameters, each[0])}, or a smaller `width`"
    )
