"""What is measured: an operator of a network at many points, or a training step with it, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np

from dof.bench.cases import architectures as n
from dof.bench.cases import factored_operators as c
from dof.bench.cases.architectures import Network, Rng
from dof.bench.cases.factored_operators import Coefficients


def applied_alone(value: Any, applied: Any) -> Any:
    return applied


def with_cube(value: Any, applied: Any) -> Any:
    return applied + value**3


@dataclass(frozen=True)
class Case:
    """`residual(φ, L φ)` at `points` points, or the gradient in the weights of its mean square.

    thresholds: of sparsity, which folx wants to be told; the best of them is taken.
    """

    name: str
    title: str
    network: Network
    coefficients: Callable[[Rng], Coefficients]
    points: int
    task: Literal["forward", "step"] = "forward"
    residual: Callable[[Any, Any], Any] = applied_alone
    scale: float = 1.0
    thresholds: tuple[int, ...] = (0,)
    extra: tuple[str, ...] = field(default=())

    def draw(self, seed: int, points: int, dtype: Any) -> tuple[Coefficients, Any, Any]:
        """(coefficients, weights, points); the seed alone decides."""
        rng = np.random.default_rng(seed)
        coefficients, weights = self.coefficients(rng), self.network.draw(rng)
        x = self.scale * rng.normal(size=(points, self.network.inputs))
        return coefficients, *jax.tree.map(lambda array: np.asarray(array, dtype), (weights, x))


def at_points(case: Case, of_point: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The task for a function (weights, x) ↦ residual of one point, all points at once."""
    forward = jax.vmap(of_point, in_axes=(None, 0))
    if case.task == "forward":
        return forward
    return jax.value_and_grad(lambda weights, x: jnp.mean(forward(weights, x) ** 2))


PAPER_OPERATORS = ("elliptic", "low-rank", "general")


def _paper_operator(name: str, blocks: int, size: int) -> Callable[[Rng], Coefficients]:
    if name == "general":
        return lambda _: c.general(blocks, size)
    return lambda rng: c.elliptic(rng, blocks, size, size if name == "elliptic" else size // 2)


def _paper_cases() -> list[Case]:
    mlp, sparse = n.mlp(64, 256, 8), n.sparse_mlp(16, 4, 256, 8, 8)
    cases = []
    for name in PAPER_OPERATORS:
        dense, blocks = _paper_operator(name, 1, 64), _paper_operator(name, 16, 4)
        cases += [
            Case(f"mlp-{name}", f"MLP, {name}", mlp, dense, 1024),
            Case(f"sparse-{name}", f"sparse MLP, {name}", sparse, blocks, 64, thresholds=(0, 6, 16, 64)),
            Case(f"step-{name}", f"training step, MLP, {name}", mlp, dense, 512, task="step"),
        ]
    return cases


def _laplacian(network: Network) -> Callable[[Rng], Coefficients]:
    return lambda _: c.laplacian(network.inputs)


def _network_cases() -> list[Case]:
    transformer, wave, deep = n.transformer(8, 16), n.wave_function(8, 64, 4), n.deep_mlp(32, 128, 32)
    return [
        Case("transformer", "transformer block, Laplacian", transformer, _laplacian(transformer), 128),
        Case("wave-function", "8 particles, determinant, Laplacian", wave, _laplacian(wave), 512, thresholds=(0, 6)),
        Case("deep-scan", "MLP of 32 layers by scan, Laplacian", deep, _laplacian(deep), 512),
    ]


def _many_inputs_cases() -> list[Case]:
    cases = []
    for exponent in (2, 3, 4, 5):
        network = n.many_inputs(10**exponent)
        scale = float(np.sqrt(1 / network.inputs))
        title = f"{network.inputs:,} inputs, Laplacian"
        cases.append(
            Case(f"inputs-{exponent}", title, network, _laplacian(network), 64, scale=scale, extra=("estimate",))
        )
    return cases


def _small_cases() -> list[Case]:
    """Residuals of PDEs on networks of 2 to 4 inputs, the last of which is time: overheads rule."""
    heat = {d: (lambda _, d=d: c.diagonal([-1.0] * d + [0.0], [0.0] * d + [1.0])) for d in (1, 3)}
    wave = {d: (lambda _, d=d: c.diagonal([-1.0] * d + [1.0])) for d in (1, 3)}
    small = {d: n.mlp(d + 1, 32, 4) for d in (1, 3)}
    cases = []
    for d in (1, 3):
        cases += [
            Case(f"heat-{d}d", f"heat residual, {d}-D", small[d], heat[d], 4096),
            Case(f"klein-gordon-{d}d", f"Klein–Gordon residual, {d}-D", small[d], wave[d], 4096, residual=with_cube),
        ]
    heat_step = Case("heat-3d-step", "training step, heat, 3-D", small[3], heat[3], 4096, task="step")
    return [*cases, heat_step]


CASES: dict[str, Case] = {
    case.name: case for case in (*_paper_cases(), *_network_cases(), *_many_inputs_cases(), *_small_cases())
}
