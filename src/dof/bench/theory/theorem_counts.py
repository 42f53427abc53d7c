"""The theorems of the DOF paper as counts by the compiler, for MLPs of which one size grows.

In a computation graph with edges E, nonzero second derivatives ∂²F/∂v_i∂v_l in pairs R and triples T, and N inputs, the
Hessian takes N (|R| + 2 |E|) + ½ |T| multiplications, and DOF at most half of it (Theorem 1). For L layers of one width
DOF keeps the tangents of two of them at a time and the Hessian all: 2 / L of the memory (Theorem 2). The activations
of an MLP are functions of one number each, so that |R| = |T| = number of hidden units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import jax
import numpy as np

from dof.bench.cases.architectures import mlp
from dof.bench.cases.case import Case
from dof.bench.cases.factored_operators import elliptic
from dof.bench.methods.method_table import METHODS
from dof.bench.timing.compiler_counts import flops, temporary_bytes


@dataclass(frozen=True)
class MlpSizes:
    """An MLP, the rank of A (None for full rank) and the number of points."""

    inputs: int = 64
    width: int = 256
    layers: int = 8
    rank: int | None = None
    points: int = 64

    @property
    def layer_sizes(self) -> list[int]:
        """Units of the input, of each hidden layer and of the output."""
        return [self.inputs, *[self.width] * (self.layers - 1), 1]

    @property
    def directions(self) -> int:
        """How many directions DOF propagates."""
        return self.inputs if self.rank is None else self.rank


@dataclass
class Count:
    """What the compiler counts for both methods at one value of the size that grows, and what the theorems say.

    Attributes:
        at: the size.
        theory_flops: flops of the Hessian by theorem 1.
        dof_bound: flops of DOF relative to the Hessian's, at most: half of directions / inputs.
        theory_memory: memory of DOF relative to the Hessian's: 2 / L of directions / inputs.
    """

    at: int
    hessian_flops: float
    dof_flops: float
    hessian_bytes: int
    dof_bytes: int
    theory_flops: float
    dof_bound: float
    theory_memory: float


@dataclass
class Sweep:
    """The counts while one size grows."""

    quantity: str
    title: str
    counts: list[Count] = field(default_factory=list)

    def exponent(self, figure: str) -> float:
        """How a figure of `Count` grows: the slope of its logarithm over the larger half of the sizes."""
        # The laws hold in the limit: where a size is small, terms of lower order count.
        kept = self.counts[len(self.counts) // 2 :]
        x, y = (np.log([getattr(count, name) for count in kept]) for name in ("at", figure))
        return round(float(np.polyfit(x, y, 1)[0]), 3) + 0.0  # adding 0 turns −0 into 0


SWEEPS: dict[str, tuple[str, tuple[int, ...]]] = {
    "inputs": ("number of inputs N", (8, 16, 32, 64, 128, 256)),
    "rank": ("rank of A, of 64 inputs", (4, 8, 16, 32, 64)),
    "layers": ("layers L", (2, 4, 8, 16, 32)),
    "width": ("width of the layers", (32, 64, 128, 256, 512)),
    "points": ("points", (16, 32, 64, 128, 256)),
}


def run_sweeps(on_progress: Callable[[str, str], None]) -> list[Sweep]:
    """Count all sweeps; `on_progress` is told the title and the size."""
    sweeps = []
    for quantity, (title, values) in SWEEPS.items():
        sweep = Sweep(quantity, title)
        for value in values:
            on_progress(title, str(value))
            sweep.counts.append(count(value, MlpSizes(**{quantity: value})))
        sweeps.append(sweep)
    return sweeps


def count(at: int, sizes: MlpSizes) -> Count:
    """Compile both methods at the given sizes, and count."""
    network = mlp(sizes.inputs, sizes.width, sizes.layers)
    draw = lambda rng: elliptic(rng, 1, sizes.inputs, sizes.directions)  # noqa: E731
    case = Case("theory", "theory", network, draw, sizes.points)
    hessian_flops, hessian_bytes = _counts(case, "hessian")
    # Not in blocks, whose loop the compiler would count once.
    dof_flops, dof_bytes = _counts(case, "dof, at once")
    theory = 2 * sizes.points * hessian_multiplications(sizes)  # a multiplication comes with an addition
    rank = sizes.directions / sizes.inputs
    bounds = (rank / 2, 2 / sizes.layers * rank)
    return Count(at, hessian_flops, dof_flops, hessian_bytes, dof_bytes, theory, *bounds)


def _counts(case: Case, method: str) -> tuple[float, int]:
    operator, weights, x = case.draw(0, case.points, np.float32)
    compiled = jax.jit(METHODS[method].build(case, operator, None)).lower(weights, x).compile()
    return flops(compiled), temporary_bytes(compiled)


def hessian_multiplications(sizes: MlpSizes) -> float:
    """N (|R| + 2 |E|) + ½ |T| for one point."""
    hidden = sum(sizes.layer_sizes[1:-1])
    # An activation is one edge for each hidden unit.
    edges = sum(i * o for i, o in pairwise(sizes.layer_sizes)) + hidden
    return sizes.inputs * (hidden + 2 * edges) + hidden / 2
