"""States of training on disk. The name of a file has the digest of its bytes, so that damage is recognised."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as from_bytes
from safetensors.numpy import save as to_bytes

import dof
from dof.errors import ArgumentError, describe
from dof.runs.atomic_write import told_where, write_whole
from dof.solving.solutions.save_solution import named_arrays
from dof.solving.training import TrainingState

KEPT_CHECKPOINTS = 2
"""Checkpoints in a folder: the newest, and the one before in case the newest is damaged."""


def save(state: TrainingState, folder: Path) -> Path:
    """Write a checkpoint and remove old ones; if the machine stops in the middle, what was there before stays whole."""
    with told_where(folder):
        folder.mkdir(exist_ok=True)
    # Numbered with four digits, since safetensors keeps no order: `_read` sorts the names.
    data = to_bytes({f"{k:04}": np.asarray(leaf) for k, leaf in enumerate(jax.tree.leaves(state))})
    path = folder / f"step-{state.step:08}-{_digest(data)}.safetensors"
    write_whole(path, data)
    # Eight digits of the step: the order of names is that of steps. Those of later steps are damaged, or training would
    # have gone on from them. Others go only after the new one is whole.
    files = sorted(folder.glob("step-*.safetensors"))
    kept = [file for file in files if file.name <= path.name][-KEPT_CHECKPOINTS:]
    for file in files:
        if file not in kept:
            file.unlink()
    return path


def latest(folder: Path, like: Callable[[int], TrainingState], begun_by: str = "") -> TrainingState | None:
    """The state in the newest checkpoint that is whole; None if there is none.

    Args:
        folder: Of the checkpoints.
        like: `like(step)` has the tree structure of the state after so many steps.
        begun_by: The version of dof that the run was begun by, if it is known.

    Raises:
        ArgumentError: If a whole checkpoint has another state, as that of another network or release.
    """
    for path in sorted(folder.glob("step-*.safetensors"), reverse=True):
        data = path.read_bytes()
        if path.stem.endswith(_digest(data)):
            try:
                return _read(from_bytes(data), like(int(path.stem.split("-")[1])))
            except (SafetensorError, ValueError, TypeError) as error:
                raise ArgumentError(_no_state(path, error, begun_by)) from None
    return None


def _no_state(path: Path, error: Exception, begun_by: str) -> str:
    """The sentence about a checkpoint that cannot be read: by the version of dof, or else by what is in it."""
    if begun_by not in ("", dof.__version__):
        found = f"{str(path)!r} is of a run that dof {begun_by} began, and dof {dof.__version__} cannot read it"
        return describe("resume", found, f"dof {begun_by}", f"pip install dof=={begun_by}, or dof solve for a new run")
    found = f"{str(path)!r} is no state of this training: {error}"
    fix = f"config.toml as it was, or rm {quote(str(path))}"
    return describe("resume", found, "one that dof wrote", fix)


def _read(arrays: dict[str, np.ndarray], like: TrainingState) -> TrainingState:
    found, wanted = [arrays[name] for name in sorted(arrays)], [np.shape(leaf) for leaf in jax.tree.leaves(like)]
    if (shapes := [array.shape for array in found]) != wanted:
        raise ValueError(f"it has arrays of shapes {shapes}, where {wanted} are expected")
    for array, leaf in zip(found, jax.tree.leaves(like), strict=True):
        if hasattr(leaf, "dtype") and array.dtype != leaf.dtype:
            raise ValueError(f"it has an array of type {array.dtype}, where {leaf.dtype} is expected")
    state: TrainingState = jax.tree.unflatten(jax.tree.structure(like), found)
    # Some parts of a state are numbers of Python; safetensors has arrays only.
    of_type = lambda part, own: jnp.asarray(part) if hasattr(own, "shape") else type(own)(part)  # noqa: E731
    return jax.tree.map(of_type, state, like)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def named_weights(training: Any, theta: Any) -> bytes:
    """The parameters of the network and the unknowns as safetensors, by their paths in the pytree."""
    return to_bytes(named_arrays(training, theta))
