"""All methods by name, and how each runs over the points of a case: at once, or in blocks."""

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
from dof.bench.cases.case import AnyOperator, Case, Kind, Task, task_of, vectorised_task
from dof.bench.cases.pde_operators import PdeOperator
from dof.bench.methods import pde_at_a_point as pde
from dof.bench.methods.any_order_at_a_point import by_jet, nested_dof, nested_jvp
from dof.bench.methods.at_a_point import (
    PointMethod,
    along_all,
    by_estimate,
    by_folx,
    by_hessian,
    hessian_vector_product,
    jvp_of_jvp,
    one_by_one,
    operator_of,
    second_of_jet,
)

Build = Callable[[Case, AnyOperator, Any], Task]
"""(case, operator, option) ↦ task."""

POINTS_IN_A_BLOCK = 32
"""Where a method other than dof runs in blocks: the tangents of 32 points of the paper's MLP fit a cache of 2 MB."""


@dataclass(frozen=True)
class Method:
    """A way to compute the task of a case.

    Attributes:
        name: what tables print.
        build: makes the task.
        counted: makes the same without loops, since the compiler cannot count the flops of a loop.
        options: what `build` is tried with; the fastest counts.
        package: what must be installed for it.
        kinds: what it can do.
        exact: False for an estimate, whose deviation is shown but not judged.
    """

    name: str
    build: Build
    counted: Build | None = None
    options: Callable[[Case], tuple[Any, ...]] = lambda case: (None,)
    package: str | None = None
    kinds: tuple[Kind, ...] = ("two",)
    exact: bool = True

    def can_do(self, case: Case) -> bool:
        """Whether the method is for operators of the kind that the case has, and for its network."""
        return case.kind in self.kinds and (self.package != "torch" or bool(case.network.in_torch))

    @property
    def is_installed(self) -> bool:
        """Whether the package that the method needs is there."""
        return self.package is None or find_spec(self.package) is not None


def residual_at_a_point(case: Case, operator: AnyOperator, method: PointMethod) -> Callable[[Any, Any], Any]:
    """(weights, x) ↦ residual of the case at x."""

    def residual(weights: Any, x: Any) -> Any:
        phi = partial(case.network.phi, weights)
        return case.residual(phi(x), method(operator, phi)(x))

    return residual


def at_once(method: PointMethod) -> Build:
    """All points at once by `jax.vmap`."""
    return lambda case, operator, _: vectorised_task(case, residual_at_a_point(case, operator, method))


def _or_of_a_pde(method: PointMethod, derivatives: pde.Derivatives) -> PointMethod:
    """The method, and for the residual of a PDE what people write with it."""
    of_a_pde = pde.residual_from(derivatives)
    return lambda operator, phi: (of_a_pde if isinstance(operator, PdeOperator) else method)(operator, phi)


def in_blocks(method: PointMethod) -> Build:
    """Block by block, as one would by hand: `jax.lax.map` with a batch size, recomputed for the gradient."""

    def build(case: Case, operator: AnyOperator, _: Any) -> Task:
        residual = residual_at_a_point(case, operator, method)

        def forward(weights: Any, x: Any) -> Any:
            # Without `checkpoint` the gradient would keep the intermediate values of all blocks.
            return lax.map(jax.checkpoint(partial(residual, weights)), x, batch_size=POINTS_IN_A_BLOCK)

        return task_of(case, forward)

    return build


def _dof_at_a_point(case: Case, operator: AnyOperator, **options: Any) -> Callable[[Any, Any], Any]:
    if isinstance(operator, PdeOperator):
        return _dof_of_a_pde(case, operator)
    applied = operator_of(operator)

    def residual(weights: Any, x: Any) -> Any:
        return case.residual(*applied.with_value(partial(case.network.phi, weights), **options)(x))

    return residual


def _dof_of_a_pde(case: Case, operator: PdeOperator) -> Callable[[Any, Any], Any]:
    def residual(weights: Any, x: Any) -> Any:
        return jnp.stack(jax.tree.leaves(operator.equation(partial(case.network.phi, weights))(x)))

    return residual


def _dof(case: Case, operator: AnyOperator, _: Any) -> Task:
    """In blocks whose size dof chooses."""
    residual = _dof_at_a_point(case, operator)
    if case.task == "forward":
        return dof.batched(residual, in_axes=(None, 0))
    return dof.value_and_grad(lambda weights, x: jnp.mean(residual(weights, x) ** 2))


def _dof_at_once(case: Case, operator: AnyOperator, _: Any) -> Task:
    return vectorised_task(case, _dof_at_a_point(case, operator))


def _dof_dense(case: Case, operator: AnyOperator, _: Any) -> Task:
    """Without sparsity and without cuts, which shows what these cost and gain."""
    return vectorised_task(case, _dof_at_a_point(case, operator, structure="dense", cut=None))


def _folx(case: Case, operator: AnyOperator, threshold: Any) -> Task:
    return at_once(_or_of_a_pde(by_folx(threshold), pde.folx_and_jvp))(case, operator, None)


def _torch(case: Case, operator: Any, _: Any) -> Task:
    # Imported when it is asked for: PyTorch need not be installed.
    from dof.bench.methods.torch_hessian import build

    return build(case, operator)


ANY: tuple[Kind, ...] = ("two", "higher", "pde")
METHODS = {
    method.name: method
    for method in (
        Method("hessian", at_once(_or_of_a_pde(by_hessian, pde.hessian)), kinds=("two", "pde")),
        Method("hessian, blocks", in_blocks(by_hessian), counted=at_once(by_hessian)),
        Method("hvp, loop", at_once(one_by_one(hessian_vector_product))),
        Method("hvp, vmap", at_once(along_all(hessian_vector_product))),
        Method("jvp of jvp", at_once(_or_of_a_pde(along_all(jvp_of_jvp), pde.jvp_of_jvp)), kinds=("two", "pde")),
        Method("jvp of grad", at_once(pde.residual_from(pde.jvp_of_grad)), kinds=("pde",)),
        Method("jet", at_once(along_all(second_of_jet))),
        Method("folx", _folx, options=lambda case: case.thresholds, package="folx", kinds=("two", "pde")),
        Method("torch", _torch, package="torch"),
        Method("estimate", at_once(by_estimate), exact=False),
        Method("nested jvp", at_once(nested_jvp), kinds=("higher",)),
        Method("nested dof", at_once(nested_dof), kinds=("higher",)),
        Method("jet, all orders", at_once(by_jet), kinds=("higher",)),
        Method("dof, dense", _dof_dense),
        Method("dof, at once", _dof_at_once, kinds=ANY),
        Method("dof", _dof, counted=_dof_at_once, kinds=ANY),
    )
}
