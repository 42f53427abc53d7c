"""States of training on disk. The name of a file has the digest of its bytes, so that damage is recognised."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import load as from_bytes
from safetensors.numpy import save as to_bytes

from dof.runs.atomic_write import write_whole
from dof.solving.saved_solution import named_arrays
from dof.solving.training import TrainingState

KEPT_CHECKPOINTS = 2
"""Checkpoints in a folder: the newest, and the one before in case the newest is damaged."""


def save(state: TrainingState, folder: Path) -> Path:
    """Write a checkpoint and remove old ones; if the machine stops in the middle, what was there before stays whole."""
    folder.mkdir(exist_ok=True)
    # Numbered with four digits, since safetensors keeps no order: `_read` sorts the names.
    data = to_bytes({f"{k:04}": np.asarray(leaf) for k, leaf in enumerate(jax.tree.leaves(state))})
    path = folder / f"step-{state.step:08}-{_digest(data)}.safetensors"
    write_whole(path, data)
    # Eight digits of the step: the order of names is that of steps. Old ones go only after the new one is whole.
    for old in sorted(folder.glob("step-*.safetensors"))[:-KEPT_CHECKPOINTS]:
        old.unlink()
    return path


def latest(folder: Path, like: Callable[[int], TrainingState]) -> TrainingState | None:
    """The state in the newest checkpoint that is whole; None if there is none.

    Args:
        folder: Of the checkpoints.
        like: `like(step)` has the tree structure of the state after so many steps.
    """
    for path in sorted(folder.glob("step-*.safetensors"), reverse=True):
        data = path.read_bytes()
        if path.stem.endswith(_digest(data)):
            return _read(from_bytes(data), like(int(path.stem.split("-")[1])))
    return None


def _read(arrays: dict[str, np.ndarray], like: TrainingState) -> TrainingState:
    state: TrainingState = jax.tree.unflatten(jax.tree.structure(like), [arrays[name] for name in sorted(arrays)])
    # Step and first loss are numbers of Python in a state; safetensors has arrays only.
    theta, optimiser, weights = jax.tree.map(jnp.asarray, (state.theta, state.optimiser, state.weights))
    return TrainingState(int(state.step), theta, optimiser, weights, float(state.first_loss))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def named_weights(training: Any, theta: Any) -> bytes:
    """The parameters of the network and the unknowns as safetensors, by their paths in the pytree."""
    return to_bytes(named_arrays(training, theta))
