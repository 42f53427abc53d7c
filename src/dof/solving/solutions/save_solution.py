"""Solutions in files of safetensors: arrays by name, and what is needed to make the same network as text; no code."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import save as to_bytes

from dof.extend import enable_x64
from dof.pde.problem import Problem
from dof.solving.training import Training

FORMAT = "dof solution 4"
"""In 1 there were no windows of time, in 2 no values, in 3 no residuals; no release wrote them."""
PROBES = 8
"""Points at which values and residuals are in the file, so that another problem with the same weights is noticed."""


def named_arrays(training: Training, theta: Any) -> dict[str, np.ndarray]:
    """The parameters of the network and the unknowns by their paths in the pytree."""
    params, unknowns = training.objective.unravel(theta)
    pairs = jax.tree_util.tree_leaves_with_path({"network": params, "unknowns": unknowns})
    return {path_name(path): np.asarray(leaf) for path, leaf in pairs}


def path_name(path: Any) -> str:
    """The name of an array in the file, by its path in the pytree."""
    return jax.tree_util.keystr(path, simple=True, separator=".")


def save(solution: Any, path: Any) -> None:
    """Write a solution to a file: weights, settings and reports. The file is there whole or not at all.

    Args:
        solution: Of `dof.solve`; of one in windows of time, what each window has is in the file.
        path: Of the file.
    """
    parts, path = getattr(solution, "windows", (solution,)), Path(path)
    about = {
        "format": FORMAT,
        "equation": equation_name(solution.problem),
        "settings": json.dumps([part.training.settings.as_dict() for part in parts]),
        "reports": json.dumps([[asdict(report) for report in part.history] for part in parts]),
        "values": json.dumps(values_at_probes(solution)),
        "residuals": json.dumps([residuals_at_probes(part.training, part.theta) for part in parts]),
    }
    arrays = [named_arrays(part.training, part.theta) for part in parts]
    named = {f"{k}.{name}": array for k, part in enumerate(arrays) for name, array in part.items()}
    _write_whole(path, to_bytes(named, metadata=about))


def values_at_probes(solution: Any) -> list[list[float]]:
    """The real and imaginary parts of u at some points of the domain."""
    domain = solution.problem.domain
    points = domain.inside(np.random.default_rng(0).random((PROBES, domain.uniforms)))
    values = np.asarray(solution(points)).ravel()
    return [np.real(values).tolist(), np.imag(values).tolist()]


def residuals_at_probes(training: Training, theta: Any) -> dict[str, float]:
    """The root mean square of each term's residual at some of its points, by the name of the term."""
    objective, rng = training.objective, np.random.default_rng(0)
    batch = [
        tuple(array[:PROBES] for array in term.points(rng.random((PROBES, term.uniforms)))) for term in objective.terms
    ]

    def sizes(theta: Any) -> list[Any]:
        at = lambda k, arrays: jax.vmap(lambda *z: objective.residual(k, theta, z))(*arrays)  # noqa: E731
        return [jnp.sqrt(jnp.mean(at(k, arrays) ** 2)) for k, arrays in enumerate(batch)]

    with enable_x64():
        return {term.name: float(size) for term, size in zip(objective.terms, jax.jit(sizes)(theta), strict=True)}


def _write_whole(path: Path, data: bytes) -> None:
    aside = path.with_name(path.name + ".part")
    try:
        aside.write_bytes(data)
        os.replace(aside, path)
    except OSError as error:
        with suppress(OSError):  # on a full disk the part takes space; in a folder that is not there, there is none
            aside.unlink()
        said = f"{error.strerror or error}: {path.name} cannot be written into {str(path.parent)!r}"
        raise OSError(error.errno, f"{said}.\n  Fix: a folder that is there, with free space") from error


def equation_name(problem: Problem) -> str:
    """What the file says of the equation: its name, coordinates and fields."""
    equation = problem.equation
    return f"{equation.name} of {equation.coordinates} for {equation.fields}"
