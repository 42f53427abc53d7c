"""The settings of training. A problem's recipe changes the defaults, and the user changes both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from types import NoneType
from typing import Any

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.pde.notation.residual import METHODS as RESIDUAL_METHODS
from dof.pde.problem import Problem
from dof.solving.networks import ACTIVATIONS

SECOND = ("auto", "gauss-newton", "stochastic-gauss-newton", "lbfgs")
"""Optimisers that can follow Adam; "auto" is one of the next two, by what a step takes."""
METHODS = tuple(RESIDUAL_METHODS)
"""How derivatives of equations are computed: "dof" or "hessian"."""

LEAST_POINTS = 1000
"""Points inside of the domain where the network is so small that its parameters ask for fewer."""
EQUATIONS_PER_PARAMETER = 1.25
"""Equations inside of the domain for each number that is trained, by default. With fewer than one, Gauss–Newton fits
all points exactly and is off between them. On Hamilton–Jacobi–Bellman in 20 dimensions, 1,793 parameters, 80 steps, the
error is 7.5 % with 0.67 of them, 2.3 % with 1.1, 3.0 % with 2.0, 2.6 % with 3.0; the time of a step grows with them."""

MOST_PRODUCTS = 3e10
"""Products in the matrix of one step up to which "auto" is Gauss–Newton with all points in each step. With the usual
number of points they are 1.25 P³, so many for P = 2,900 parameters; in a stochastic step they are 2e10 for P = 20,000.
At which number of parameters both are equally good is not measured."""
STEP_RESIDUALS = 1000
"""Residuals of the equation in a step of stochastic Gauss–Newton. Poisson's equation in 2-D with 19,761 parameters: 500
of them take 0.4 s for a step and bring the error to 1.8e-6 in 20 steps, after which all steps are refused;
1,000 take 1.2 to 1.7 s, and bring it to 2.8e-6 in 20 steps and 3.9e-7 in 30."""


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
    error_points: int = 4096
    tolerance: float = 0.0
    patience: int = 0

    def __post_init__(self) -> None:
        # `f.type` is text, as annotations are postponed in this file.
        for f in fields(self):
            _require_type(f.name, getattr(self, f.name), str(f.type))
        for name in ("width", "windows", "points", "edge_points", "report", "error_points"):
            value = getattr(self, name)
            _require(value is None or value > 0, name, value, "a positive number", f"{name}=100")
        for name in ("adam", "newton", "seed", "depth", "tolerance", "patience"):
            _require(getattr(self, name) >= 0, name, getattr(self, name), "zero or more", f"{name}=0")
        _require(self.adam + self.newton > 0, "newton", 0, "some steps of it or of `adam`", "newton=100")
        adaptive = self.adaptive
        _require(adaptive in (True, False, "auto"), "adaptive", adaptive, 'True, False or "auto"', "adaptive=True")
        _require(self.causal >= 0, "causal", self.causal, "zero or more", "causal=1.0")
        _require(self.rate > 0, "rate", self.rate, "a positive number", "rate=1e-3")
        _require(self.optimiser in SECOND, "optimiser", self.optimiser, f"one of {SECOND}", "optimiser='lbfgs'")
        known = tuple(ACTIVATIONS)
        _require(self.activation in known, "activation", self.activation, f"one of {known}", "activation='tanh'")
        _require(self.method in METHODS, "method", self.method, f"one of {METHODS}", "method='dof'")

    def changed(self, changes: Mapping[str, Any]) -> Settings:
        """The settings with other values for some of the names."""
        known = [f.name for f in fields(self)]
        for name in changes:
            if name not in known:
                near = get_close_matches(name, known, 1)
                hint = f"{near[0]}=…" if near else f"one of {', '.join(known)}"
                raise ArgumentError(describe(name, "is no setting", f"one of {known}", hint))
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
    def has_new_points_each_step(self) -> bool:
        """Whether no point is seen twice, so that no step can fit those of the step before to the last digit."""
        return self.resample and self.report == 1

    @property
    def steps(self) -> int:
        """Steps of both optimisers together."""
        return self.adam + self.newton

    def as_dict(self) -> dict[str, Any]:
        """All settings, by name."""
        return asdict(self)


def default_points(parameters: int, equations: int) -> int:
    """Points inside of the domain for so many parameters, with so many equations at each."""
    return max(LEAST_POINTS, math.ceil(EQUATIONS_PER_PARAMETER * parameters / equations))


def optimiser_for(name: str, parameters: int, residuals: int) -> str:
    """The optimiser of that name; for "auto" the one for so many parameters, and residuals at all points."""
    # Of Jᵀ J and J Jᵀ the smaller one is made.
    small, large = sorted([parameters, residuals])
    by_count = "gauss-newton" if small**2 * large <= MOST_PRODUCTS else "stochastic-gauss-newton"
    return by_count if name == "auto" else name


def settings_of(problem: Problem, changes: Mapping[str, Any]) -> Settings:
    """The defaults, changed by the problem's recipe, changed by the user."""
    return Settings().changed(problem.recipe).changed(changes)


def _require(holds: bool, name: str, value: Any, expected: str, fix: str) -> None:
    if not holds:
        raise ArgumentError(describe(name, f"is {value!r}", expected, fix))


def _require_type(name: str, value: Any, kind: str) -> None:
    """Refuse a value that is not of the type in its annotation; True and False are no numbers here."""
    types = {"str": str, "int": int, "int | None": (int, NoneType), "float": (int, float)}
    types |= {"bool": bool, "bool | str": (bool, str)}
    if not isinstance(value, types[kind]) or (isinstance(value, bool) and "bool" not in kind):
        raise ArgumentTypeError(describe(name, f"is {value!r}", f"of type {kind}", f"{name}={kind}(...)"))
