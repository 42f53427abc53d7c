"""States on disk. Each file is complete or not there under its name, and its name has the digest of its bytes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import load as from_bytes
from safetensors.numpy import save as to_bytes

from dof.solving.training import State

KEPT = 2


def save(state: State, folder: Path) -> Path:
    """Also when the machine stops in the middle of it, what was there before stays whole."""
    folder.mkdir(exist_ok=True)
    data = to_bytes({f"{k:04}": np.asarray(leaf) for k, leaf in enumerate(jax.tree.leaves(state))})
    path = folder / f"step-{state.step:08}-{_digest(data)}.safetensors"
    write_whole(path, data)
    for old in sorted(folder.glob("step-*.safetensors"))[:-KEPT]:
        old.unlink()
    return path


def latest(folder: Path, like: Callable[[int], State]) -> State | None:
    """The newest that is whole. `like(step)` has the structure of the state after so many steps."""
    for path in sorted(folder.glob("step-*.safetensors"), reverse=True):
        data = path.read_bytes()
        if path.stem.endswith(_digest(data)):
            return _read(from_bytes(data), like(int(path.stem.split("-")[1])))
    return None


def _read(arrays: dict[str, np.ndarray], like: State) -> State:
    state: State = jax.tree.unflatten(jax.tree.structure(like), [arrays[name] for name in sorted(arrays)])
    theta, optimiser, weights = jax.tree.map(jnp.asarray, (state.theta, state.optimiser, state.weights))
    return State(int(state.step), theta, optimiser, weights, float(state.first_loss))


def write_whole(path: Path, data: bytes) -> None:
    """Under another name first, and down to the disk before it gets its own."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def named_weights(training: Any, theta: Any) -> bytes:
    """The parameters of the network and the unknowns, by their paths."""
    params, unknowns = training.objective.unravel(theta)
    pairs = jax.tree_util.tree_leaves_with_path({"network": params, "unknowns": unknowns})
    return to_bytes({jax.tree_util.keystr(path, simple=True, separator="."): np.asarray(v) for path, v in pairs})
