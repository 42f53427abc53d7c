"""The ways to compute the operator, run over the points of a case: at once, or in blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

import dof
from dof.bench.cases.case_table import Case, at_points
from dof.bench.cases.factored_operators import Coefficients
from dof.bench.methods.at_a_point import (
    Way,
    along_all,
    by_estimate,
    by_folx,
    by_hessian,
    jvp_of_jvp,
    one_by_one,
    operator_of,
    product_with_hessian,
    second_of_jet,
)

Task = Callable[[Any, Any], Any]
"""(weights, points) ↦ result"""
Build = Callable[[Case, Coefficients, Any], Task]

BLOCK = 32
"""Points in a block, where a method other than dof runs in blocks."""


def no_options(case: Case) -> tuple[Any, ...]:
    return (None,)


@dataclass(frozen=True)
class Method:
    """`build(case, coefficients, option)` gives the task.

    counted: the same without blocks, whose flops can be counted. options: the fastest of them is taken. package: what
    must be installed. exact: or else an estimate.
    """

    name: str
    build: Build
    counted: Build | None = None
    options: Callable[[Case], tuple[Any, ...]] = no_options
    package: str | None = None
    exact: bool = True

    @property
    def is_installed(self) -> bool:
        return self.package is None or find_spec(self.package) is not None


def of_point(case: Case, coefficients: Coefficients, way: Way) -> Callable[[Any, Any], Any]:
    """(weights, x) ↦ residual"""

    def residual(weights: Any, x: Any) -> Any:
        phi = partial(case.network.phi, weights)
        return case.residual(phi(x), way(coefficients, phi)(x))

    return residual


def at_once(way: Way) -> Build:
    return lambda case, coefficients, _: at_points(case, of_point(case, coefficients, way))


def in_blocks(way: Way) -> Build:
    """As one would by hand: `jax.lax.map` with a batch size; blocks are run again for the gradient."""

    def build(case: Case, coefficients: Coefficients, _: Any) -> Task:
        residual = of_point(case, coefficients, way)

        def forward(weights: Any, x: Any) -> Any:
            return lax.map(jax.checkpoint(partial(residual, weights)), x, batch_size=BLOCK)

        if case.task == "forward":
            return forward
        return jax.value_and_grad(lambda weights, x: jnp.mean(forward(weights, x) ** 2))

    return build


def _dof_of_point(case: Case, coefficients: Coefficients, **options: Any) -> Callable[[Any, Any], Any]:
    operator = operator_of(coefficients)

    def residual(weights: Any, x: Any) -> Any:
        return case.residual(*operator.with_value(partial(case.network.phi, weights), **options)(x))

    return residual


def _dof(case: Case, coefficients: Coefficients, _: Any) -> Task:
    residual = _dof_of_point(case, coefficients)
    if case.task == "forward":
        return dof.batched(residual, in_axes=(None, 0))
    return dof.value_and_grad(lambda weights, x: residual(weights, x) ** 2)


def _dof_at_once(case: Case, coefficients: Coefficients, _: Any) -> Task:
    return at_points(case, _dof_of_point(case, coefficients))


def _dof_dense(case: Case, coefficients: Coefficients, _: Any) -> Task:
    """Without the search for structure and for the narrowest cut: what these cost, and what they bring."""
    return at_points(case, _dof_of_point(case, coefficients, structure="dense", cut=None))


def _folx(case: Case, coefficients: Coefficients, threshold: Any) -> Task:
    return at_points(case, of_point(case, coefficients, by_folx(threshold)))


def _torch(case: Case, coefficients: Coefficients, _: Any) -> Task:
    from dof.bench.methods.torch_hessian import build

    return build(case, coefficients)


METHODS = {
    method.name: method
    for method in (
        Method("hessian", at_once(by_hessian)),
        Method("hessian, blocks", in_blocks(by_hessian), counted=at_once(by_hessian)),
        Method("hvp, loop", at_once(one_by_one(product_with_hessian))),
        Method("hvp, vmap", at_once(along_all(product_with_hessian))),
        Method("jvp of jvp", at_once(along_all(jvp_of_jvp))),
        Method("jet", at_once(along_all(second_of_jet))),
        Method("folx", _folx, options=lambda case: case.thresholds, package="folx"),
        Method("torch", _torch, package="torch"),
        Method("estimate", at_once(by_estimate), exact=False),
        Method("dof, dense", _dof_dense),
        Method("dof, at once", _dof_at_once),
        Method("dof", _dof, counted=_dof_at_once),
    )
}
