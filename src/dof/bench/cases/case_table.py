"""All cases, by name."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from dof.bench.cases import pde_operators
from dof.bench.cases.architectures import (
    Architecture,
    Rng,
    deep_mlp,
    many_inputs,
    mlp,
    sparse_mlp,
    transformer,
    wave_function,
)
from dof.bench.cases.case import Case, plus_cube
from dof.bench.cases.factored_operators import FactoredOperator, diagonal, elliptic, general, laplacian
from dof.bench.cases.polynomial_operators import PolynomialOperator, biharmonic, kdv, kuramoto_sivashinsky
from dof.bench.cases.wave_functions import backflow, ferminet, lapnet, periodic, psiformer

DrawOperator = Callable[[Rng], FactoredOperator]

PAPER_OPERATORS = ("elliptic", "low-rank", "general")


def _paper_operator(name: str, blocks: int, size: int) -> DrawOperator:
    if name == "general":
        return lambda _: general(blocks, size)
    return lambda rng: elliptic(rng, blocks, size, size if name == "elliptic" else size // 2)


def _paper_cases() -> list[Case]:
    """The networks, operators and sizes of both tables of the DOF paper; training steps are added."""
    dense, sparse = mlp(64, 256, 8), sparse_mlp(16, 4, 256, 8, 8)
    cases = []
    for name in PAPER_OPERATORS:
        whole, blocks = _paper_operator(name, 1, 64), _paper_operator(name, 16, 4)
        cases += [
            Case(f"mlp-{name}", f"MLP, {name}", dense, whole, 1024),
            Case(f"sparse-{name}", f"sparse MLP, {name}", sparse, blocks, 64, thresholds=(0, 6, 16, 64)),
            Case(f"step-{name}", f"training step, MLP, {name}", dense, whole, 512, task="step"),
        ]
    return cases


def _laplacian_of(network: Architecture) -> DrawOperator:
    return lambda _: laplacian(network.inputs)


def _architecture_cases() -> list[Case]:
    tokens, wave, deep = transformer(8, 16), wave_function(8, 64, 4), deep_mlp(32, 128, 32)
    return [
        Case("transformer", "transformer block, Laplacian", tokens, _laplacian_of(tokens), 128),
        Case("wave-function", "8 particles, determinant, Laplacian", wave, _laplacian_of(wave), 512, thresholds=(0, 6)),
        Case("deep-scan", "MLP of 32 layers by scan, Laplacian", deep, _laplacian_of(deep), 512),
    ]


def _many_inputs_case(exponent: int) -> Case:
    """10^exponent inputs, at points of length about 1."""
    network = many_inputs(10**exponent)
    title, scale = f"{network.inputs:,} inputs, Laplacian", float(np.sqrt(1 / network.inputs))
    extra = ("estimate",)
    return Case(f"inputs-{exponent}", title, network, _laplacian_of(network), 64, scale=scale, extra_methods=extra)


def _small_cases() -> list[Case]:
    """Operators on small networks of 2 and 4 inputs, of which the last is time."""
    # d=d binds the value now; without it all lambdas would see the last d.
    heat = {d: (lambda _, d=d: diagonal([-1.0] * d + [0.0], [0.0] * d + [1.0])) for d in (1, 3)}
    wave = {d: (lambda _, d=d: diagonal([-1.0] * d + [1.0])) for d in (1, 3)}
    cubed: dict[str, Any] = {"points": 4096, "fewest": 4096, "residual": plus_cube}
    small = {d: mlp(d + 1, 32, 4) for d in (1, 3)}
    cases = []
    for d in (1, 3):
        cases += [
            Case(f"heat-{d}d", f"heat residual, {d}-D", small[d], heat[d], 4096, fewest=4096),
            Case(f"klein-gordon-{d}d", f"Klein–Gordon residual, {d}-D", small[d], wave[d], **cubed),
        ]
    step = Case("heat-3d-step", "training step, heat, 3-D", small[3], heat[3], 4096, task="step", fewest=4096)
    return [*cases, step]


PINN_SIZES = ((4, 64, 4096), (4, 64, 16384), (5, 256, 4096))
"""Hidden layers, units in each, and points: what PINNs are trained with. Never fewer points."""


def _pinn_cases() -> list[Case]:
    """Training steps of PINNs, by the whole residual of a PDE."""
    titles = {"heat": "heat, 2-D", "klein_gordon": "Klein–Gordon, 3-D", "navier_stokes": "Navier–Stokes, 2-D"}
    cases = []
    for layers, units, points in PINN_SIZES:
        for name in ("heat", "klein_gordon", "navier_stokes", "burgers"):
            operator = getattr(pde_operators, name)()
            network = mlp(operator.space + 1, units, layers + 1, operator.fields)
            title = f"{titles.get(name, 'Burgers, 1-D')}, {layers} × {units}"
            draw = lambda _, operator=operator: operator  # noqa: E731
            key = f"pinn-{name.replace('_', '-')}-{layers}x{units}-{points}"
            sizes: dict[str, Any] = {"points": points, "fewest": points}
            cases.append(Case(key, title, network, draw, task="step", kind="pde", **sizes))
    return cases


def _higher_order_cases() -> list[Case]:
    """Operators of an order above two of MLPs with four hidden layers of 64 or 128: forward, and training steps."""
    operators: dict[str, tuple[str, PolynomialOperator]] = {
        "kdv": ("Korteweg–de Vries, linear part", kdv()),
        "ks": ("Kuramoto–Sivashinsky, linear part", kuramoto_sivashinsky()),
        "biharmonic-2d": ("biharmonic, 2-D", biharmonic(2)),
        "biharmonic-3d": ("biharmonic, 3-D", biharmonic(3)),
    }
    # Fourth derivatives of nested differentiation in float32 are off by up to 1e-3 themselves.
    limits: dict[str, Any] = {"points": 8192, "kind": "higher", "tolerance": 0.01}
    cases = []
    for (name, (title, operator)), units in product(operators.items(), (64, 128)):
        key, title = f"{name}-4x{units}", f"{title}, 4 × {units}"
        network, draw = mlp(operator.inputs, units, 5), (lambda _, operator=operator: operator)
        cases += [
            Case(key, title, network, draw, **limits),
            Case(f"{key}-step", f"training step, {title}", network, draw, task="step", **limits),
        ]
    return cases


WAVES = {"ferminet": ferminet, "psiformer": psiformer, "lapnet": lapnet, "backflow": backflow, "periodic": periodic}
ELECTRONS = {8: 512, 16: 256, 32: 64}
"""Numbers of electrons, and how many walkers are measured with each, never fewer. Codes sample 256 to 4,096; with 8, a
LapNet of 16 electrons came out 1.9 times as slow against folx as with 32."""


def _wave_cases() -> list[Case]:
    cases = []
    for name, network_of in WAVES.items():
        for electrons, walkers in ELECTRONS.items():
            title, network = f"{name}, {electrons} electrons, Laplacian", network_of(electrons)
            # Near a node of ψ the orbitals are nearly dependent: rounding in float32 gives up to 1e-2 by every method.
            limits: dict[str, Any] = {"thresholds": (0, 6, 0.6), "tolerance": 0.05, "fewest": walkers, "candidates": 8}
            cases.append(Case(f"{name}-{electrons}", title, network, _laplacian_of(network), walkers, **limits))
    return cases


_WITHOUT_WAVES = [
    *_paper_cases(),
    *_architecture_cases(),
    *map(_many_inputs_case, (2, 3, 4, 5)),
    *_small_cases(),
    *_higher_order_cases(),
]
PEER_CASES = tuple(case.name for case in _WITHOUT_WAVES)
_PINNS = _pinn_cases()
PINN_CASES = tuple(case.name for case in _PINNS)
_WITH_WAVES = _wave_cases()
WAVE_CASES = tuple(case.name for case in _WITH_WAVES)
CASES: dict[str, Case] = {case.name: case for case in (*_WITHOUT_WAVES, *_PINNS, *_WITH_WAVES)}
