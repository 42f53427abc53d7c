"""What was done to apply an operator, equation by equation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from dof.api.apply import require_operators
from dof.function_arguments import Argnums, require_argnums, require_callable
from dof.jaxpr.trace_log import CutEntry, Equation, Log
from dof.options import CutChoice, Options, Structure
from dof.pipeline.any_order import NESTED
from dof.pipeline.function_of_x import Call
from dof.pipeline.propagate import propagate_operators
from dof.pipeline.propagated import Propagated
from dof.symbols.text import columns_text


@dataclass(frozen=True)
class Explanation:
    """What `dof.explain` found; `print` shows it as a table.

    Attributes:
        directions: how many there are at the start: the rank of A, if A is known.
        steps: equations and cuts, in the order in which they were taken.
        columns: for an operator of an order above two, what is carried for each value, up to factors. Slots and
            directions then count the columns besides the value itself. ("by nesting",) if its factors are applied one
            after the other, and there are no steps.
        why: for such an operator, why the columns of its symbol were taken, or nesting.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> found = dof.explain(dof.laplacian, lambda x: jnp.sum(jnp.sin(x)), jnp.ones(3))
        >>> [(equation.primitive, equation.rule, equation.slots) for equation in found.equations]
        [('sin', 'elementwise', 1), ('reduce_sum', 'linear', 3)]
        >>> [equation.lost for equation in found.lost]
        ['it sums over elements of all directions']
    """

    directions: int
    steps: tuple[Equation | CutEntry, ...]
    columns: tuple[str, ...] = ()
    why: str = ""

    @property
    def equations(self) -> tuple[Equation, ...]:
        """The steps that are equations; those that do not depend on x are left out."""
        return tuple(step for step in self.steps if isinstance(step, Equation))

    @property
    def cuts(self) -> tuple[CutEntry, ...]:
        """The steps that are cuts, at which the elements of some values became the coordinates."""
        return tuple(step for step in self.steps if isinstance(step, CutEntry))

    @property
    def lost(self) -> tuple[Equation, ...]:
        """Equations at which structure ends: elements of the result have all directions of the operands."""
        return tuple(equation for equation in self.equations if equation.lost)

    @property
    def slots(self) -> int:
        """Directions kept for each element of the last result."""
        outer = [equation for equation in self.equations if not equation.depth]
        return outer[-1].slots if outer else 0

    def __str__(self) -> str:
        return "\n".join([*self._summary(), "", *_table([_row(step) for step in self.steps])])

    def _summary(self) -> list[str]:
        lines = [self._carried()]
        lines += [f"cut: {cut.before} → {cut.after} directions, at {', '.join(cut.values)}" for cut in self.cuts]
        return lines + [f"structure ends at `{e.primitive}` ({e.source}): {e.lost}" for e in self.lost]

    def _carried(self) -> str:
        if self.columns == NESTED:
            return f"by nesting, each factor of the operator applied to what the next one gives: {self.why}"
        if self.columns:
            return f"{columns_text(self.columns)}: {self.why}"
        return f"{self.directions} directions"


def explain(
    L: Any,
    f: Callable[..., Any],
    *args: Any,
    argnums: Argnums = 0,
    structure: Structure = "auto",
    cut: CutChoice = "auto",
    **kwargs: Any,
) -> Explanation:
    """What L(f, argnums)(*args, **kwargs) does, without doing it.

    For each equation: its rule, how many directions its result keeps, roughly what that costs, and why structure ends
    where it does; and the cuts.

    Args:
        L: an operator, or several by `dof.jointly`.
        f: the function.
        *args: its positional arguments.
        argnums: the argument or arguments that derivatives are with respect to.
        structure: as in `L(f)`.
        cut: as in `L(f)`.
        **kwargs: keyword arguments of f.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> net = lambda x: jnp.sum(jnp.tanh(jnp.tanh(x @ jnp.ones((1000, 8))) @ jnp.ones((8, 64))))
        >>> found = dof.explain(dof.laplacian, net, jnp.ones(1000))
        >>> found.directions, found.cuts[0].after
        (1000, 8)
    """
    require_operators(L, "dof.explain(L, f, x)")
    require_callable(f)
    require_argnums(argnums)
    log: Log = []

    # Only arrays become abstract: other arguments, as flags and names, may decide what f does in Python.
    arrays, rebuild = Call(f, args, kwargs, argnums).split()

    def propagate(arrays: Any) -> Any:
        propagated.append(propagate_operators(rebuild(arrays), L._operators(), Options(structure, cut), log=log))
        return ()

    propagated: list[Propagated] = []
    # Nothing is computed: shapes are all that slots, cuts and costs depend on.
    jax.eval_shape(propagate, arrays)
    (done,) = propagated
    return Explanation(done.directions, tuple(log), done.columns, done.why)


COLUMNS = ("equation", "rule", "result", "slots", "operations", "")


def _row(step: Equation | CutEntry) -> tuple[str, ...]:
    if isinstance(step, CutEntry):
        return ("── cut", "", ", ".join(step.values), f"{step.before} → {step.after}", "", "")
    name, shape = "  " * step.depth + step.primitive, str(list(step.shape))
    return name, step.rule, shape, f"{step.slots}/{step.directions}", f"{step.operations:.2g}", step.lost


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(COLUMNS, *rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in (COLUMNS, *rows)]
