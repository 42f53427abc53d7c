"""The settings of training. A problem's recipe changes the defaults, and the user changes both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from typing import Any

from dof.errors import ArgumentError, describe
from dof.pde.problem import Problem
from dof.solving.choices_by_parameter_count import LEAST_POINTS, STEP_RESIDUALS, default_points, optimiser_for
from dof.solving.setting_checks import require_in_range, require_types

_OTHER_NAMES = {
    "activations": "activation",
    "batch_size": "points",
    "epochs": "adam=…, newton",
    "iterations": "adam=…, newton",
    "layers": "depth",
    "learning_rate": "rate",
    "lr": "rate",
    "num_boundary": "edge_points",
    "num_domain": "points",
    "optimizer": "optimiser",
    "steps": "adam=…, newton",
    "units": "width",
}
"""What settings are called elsewhere, and here."""


@dataclass(frozen=True)
class Settings:
    """What a network is trained with.

    Args:
        network: "mlp", "fourier" or "separable"; "auto" for the problem's own, or "mlp" if it has none.
        width: Units in each of its layers.
        depth: Hidden layers.
        activation: Between its layers: "tanh", "sin", "gelu", "silu" or "softplus".
        windows: Into how many windows of equal length time is divided. They are solved one after the other, each from
            the end of the one before, with all steps in each: for long times.
        points: Points inside of the domain; by default chosen by the number of parameters (`with_points`).
        edge_points: Points for each condition that is not hard.
        adam: Steps of Adam, first.
        newton: Steps of `optimiser`, after them.
        optimiser: "gauss-newton", with all points in each step; "stochastic-gauss-newton", with some of them, for
            networks of many parameters; "lbfgs". By default the first or the second, by what a step takes.
        rate: Learning rate of Adam, at its start.
        report: Steps between two reports; at each, points are drawn anew and the terms balanced.
        seed: Of weights and points.
        method: "dof", or "hessian" for full Hessians.
        resample: Whether points are drawn anew after each report.
        chebyshev: Whether more of them are drawn towards the ends of each coordinate, with the density of Chebyshev
            points: what is fitted to points of even density is off there, as polynomials are.
        adaptive: Whether more of them are drawn where the equation's residual is large. "auto" begins with
            it, and with twice as many points, once the residual on fresh points is three times that on fitted ones.
        balance: Whether the weights of the terms balance themselves.
        causal: How strictly earlier times come first: the equation at t has the weight exp(−causal · Σ mean |r|²) over
            all earlier slabs of time; 0 for no such weights.
        residual_gradient: Weight of the gradient of the equation's residual in its loss, 0 for none; with 1 it counts
            as much as the residual changes over the domain. For many dimensions: a point then has as many equations
            more as it has coordinates. The reported loss, and the residual at fitted points, have it in them.
        error_points: Points for the error against the reference, and at most so many fresh ones for the residual.
        tolerance: Training ends when the relative residual on fresh points is not larger.
        patience: Training ends after so many reports of the last optimiser without a smaller residual on fresh points;
            0 for never.

    Raises:
        ArgumentError: If a value is out of range.
        ArgumentTypeError: If a value is of another type.

    Examples:
        >>> from dof.solving import Settings
        >>> settings = Settings(adam=50, newton=0).changed({"width": 64})
        >>> settings.width, settings.steps
        (64, 50)
    """

    network: str = "auto"
    width: int = 32
    depth: int = 2
    activation: str = "tanh"
    windows: int = 1
    points: int | None = None
    edge_points: int = 200
    adam: int = 100
    newton: int = 300
    optimiser: str = "auto"
    rate: float = 5e-3
    report: int = 20
    seed: int = 0
    method: str = "dof"
    resample: bool = True
    chebyshev: bool = False
    adaptive: bool | str = "auto"
    balance: bool = True
    causal: float = 0.0
    residual_gradient: float = 0.0
    error_points: int = 4096
    tolerance: float = 0.0
    patience: int = 0

    def __post_init__(self) -> None:
        require_types(self)
        require_in_range(self)

    def changed(self, changes: Mapping[str, Any]) -> Settings:
        """The settings with other values for some of the names."""
        known = [f.name for f in fields(self)]
        for name in changes:
            if name not in known:
                near = [_OTHER_NAMES[name]] if name in _OTHER_NAMES else get_close_matches(name, known, 1)
                hint = f"{near[0]}=…" if near else "adam=…, newton=… and width=…, for steps and size"
                raise ArgumentError(describe(name, "is no setting", f"one of {', '.join(known)}", hint))
        return replace(self, **changes)

    def chosen_for(self, parameters: int, equations: int) -> Settings:
        """The settings with an optimiser and a number of points, where they have none.

        Args:
            parameters: How many numbers are trained.
            equations: How many equations hold at each point.
        """
        residuals = (self.points or default_points(parameters, equations)) * equations
        chosen = replace(self, optimiser=optimiser_for(self.optimiser, parameters, residuals))
        return chosen if chosen.points else replace(chosen, points=chosen._default_points(parameters, equations))

    def _default_points(self, parameters: int, equations: int) -> int:
        if self.newton > 0 and self.optimiser == "stochastic-gauss-newton" and self.resample:
            # As many blocks as an interval has steps, and one more, by which the last step is judged.
            return math.ceil((self.report + 1) * STEP_RESIDUALS / equations)
        return default_points(parameters, equations) if self.can_fit_points else LEAST_POINTS

    @property
    def can_fit_points(self) -> bool:
        """Whether points can be fitted exactly: Adam and L-BFGS do not come near it before there are new points."""
        return (self.newton > 0 and self.optimiser == "gauss-newton") or not self.resample

    @property
    def may_add_points(self) -> bool:
        """Whether there are more points once the residuals on fresh and on fitted ones part."""
        return self.adaptive == "auto" and self.resample and self.can_fit_points

    @property
    def has_new_points_each_step(self) -> bool:
        """Whether no point is seen twice, so that no step can fit those of the step before to the last digit."""
        return self.resample and self.report == 1

    @property
    def longest_interval(self) -> int:
        """The most steps between two reports: loops are as long, also where fewer are taken in them."""
        return min(self.report, self.steps)

    @property
    def steps(self) -> int:
        """Steps of both optimisers together."""
        return self.adam + self.newton

    def as_dict(self) -> dict[str, Any]:
        """All settings, by name."""
        return asdict(self)


def settings_of(problem: Problem, changes: Mapping[str, Any]) -> Settings:
    """The defaults, changed by the problem's recipe, changed by the user."""
    return Settings().changed(problem.recipe).changed(changes)
