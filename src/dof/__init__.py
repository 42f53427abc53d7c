"""Exact differential operators of neural networks, by one forward propagation.

The folders are the stages of the way from what the user writes to the result:

    operators    what the user says: L = Σ a_ij ∂_i ∂_j + Σ b_i ∂_i + c, and its coefficients at x
    directions   A = Lᵀ Q L: the directions along which tangents are taken (no JAX)
    symbols      operators of any order as polynomials in ∂, and the columns that they need (no JAX)
    triples      what is carried for every value: (value, tangents, applied)
    sparsity     tangents that keep only the directions an element depends on
    cut          where few values can take the place of many coordinates
    jaxpr        the interpreter of a traced JAX program, and a rule for each family of primitives
    jets         the same for operators of any order, on the columns of their symbols
    pipeline     the whole way: prepare, trace, propagate
    batching     many points in blocks, several devices, directions in groups
    api          the public calls

    torch        the same operators for PyTorch: `import dof.torch`, which imports no JAX

Above them: pde (residuals as on paper), compat (the calls of folx, DeepQMC and NetKet), zoo (problems), solving
(training), runs (folders and reports), bench (measurements), cli (the command `dof`). Everything public is imported
when it is first used, so that the parts that need NumPy and SciPy only can be used without JAX.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dof.api.apply import jointly, propagate
    from dof.api.check import check
    from dof.api.continue_propagation import continue_propagation
    from dof.api.estimate import estimate
    from dof.api.explain import Explanation, explain
    from dof.api.kinetic_energy import local_kinetic_energy
    from dof.api.operator import Operator, derivatives, laplacian
    from dof.api.register_rule import register_rule
    from dof.batching.batched import batched
    from dof.batching.value_and_grad import value_and_grad
    from dof.errors import ArgumentError, ArgumentTypeError, DofError, NotDifferentiableError
    from dof.operators.user_matrices import BlockDiagonal, Factored
    from dof.triples.triple import Triple

__version__ = "0.2.0"

_MODULE_OF = {
    "ArgumentError": "dof.errors",
    "ArgumentTypeError": "dof.errors",
    "BlockDiagonal": "dof.operators.user_matrices",
    "DofError": "dof.errors",
    "Explanation": "dof.api.explain",
    "Factored": "dof.operators.user_matrices",
    "NotDifferentiableError": "dof.errors",
    "Operator": "dof.api.operator",
    "Triple": "dof.triples.triple",
    "batched": "dof.batching.batched",
    "check": "dof.api.check",
    "continue_propagation": "dof.api.continue_propagation",
    "derivatives": "dof.api.operator",
    "estimate": "dof.api.estimate",
    "explain": "dof.api.explain",
    "jointly": "dof.api.apply",
    "laplacian": "dof.api.operator",
    "local_kinetic_energy": "dof.api.kinetic_energy",
    "propagate": "dof.api.apply",
    "register_rule": "dof.api.register_rule",
    "value_and_grad": "dof.batching.value_and_grad",
}
_NEEDS = {
    "errors": "numpy",
    "extend": "jax",
    "pde": "scipy",
    "zoo": "scipy",
    "solving": "optax",
    "solve": "optax",
    "load": "safetensors",
}
"""Modules and functions that are imported when they are first used, and a package that each needs."""
_FUNCTION_OF = {"solve": "dof.solving", "load": "dof.runs.load"}
"""Where the functions among them are."""


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        found = getattr(importlib.import_module(_MODULE_OF[name]), name)
    elif name in _NEEDS:
        found = _import_part(name)
    else:
        raise AttributeError(f"module 'dof' has no attribute {name!r}")
    # Python asks `__getattr__` only for names that the module does not have.
    globals()[name] = found
    return found


def _import_part(name: str) -> Any:
    try:
        module = importlib.import_module(_FUNCTION_OF.get(name, f"dof.{name}"))
    except ModuleNotFoundError as error:
        extra = "cli" if name == "load" else "solve"
        raise ImportError(f'`dof.{name}` needs {error.name}.\n  Fix: pip install "dof[{extra}]"') from None
    return getattr(module, name) if name in _FUNCTION_OF else module


def __dir__() -> list[str]:
    """Also names that are imported when first used, so that editors complete them."""
    # find_spec tells whether a package is installed without importing it.
    parts = (name for name, package in _NEEDS.items() if importlib.util.find_spec(package))
    return sorted({*globals(), *__all__, *parts})


__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "BlockDiagonal",
    "DofError",
    "Explanation",
    "Factored",
    "NotDifferentiableError",
    "Operator",
    "Triple",
    "batched",
    "check",
    "continue_propagation",
    "derivatives",
    "estimate",
    "explain",
    "jointly",
    "laplacian",
    "local_kinetic_energy",
    "propagate",
    "register_rule",
    "value_and_grad",
]
