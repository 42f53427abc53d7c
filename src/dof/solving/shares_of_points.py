"""Points divided evenly among devices, and factors by which means over filled shares are means over the points."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from dof.pde.conditions.loss_term import LossTerm
from dof.solving.devices import Devices
from dof.solving.loss.collocation_points import Batch
from dof.solving.loss.objective import Objective


def filled(array: Any, devices: Devices, blocks: int = 1) -> Any:
    """An array over points with the last one of each block repeated, until each divides evenly among the devices.

    Of each block, one after the other, a device has its share; what does not make up a whole block is left out.
    """
    size, rest = len(array) // blocks, np.shape(array)[1:]
    parted = np.asarray(array)[: blocks * size].reshape(blocks, size, *rest)
    whole = np.pad(parted, ((0, 0), (0, -size % devices.count), *[(0, 0)] * len(rest)), mode="edge")
    share = whole.shape[1] // devices.count
    by_device = np.swapaxes(whole.reshape(blocks, devices.count, share, *rest), 0, 1)
    return by_device.reshape(devices.count * blocks * share, *rest)


def shares(batch: Batch, devices: Devices, blocks: int = 1) -> Batch:
    """A batch that divides evenly; with a mesh, each term has one array more, a factor of its residual.

    The factor is zero for points that are only there to fill up, and √(filled / points) for the others: the mean of
    squares over all of them is that over the points.

    Args:
        batch: The points of each term, the equation first.
        devices: Among which they are divided.
        blocks: Into how many blocks the points of the equation are divided before.
    """
    if devices.mesh is None:
        return batch
    return (_share(batch[0], devices, blocks), *(_share(arrays, devices, 1) for arrays in batch[1:]))


def _share(arrays: tuple[Any, ...], devices: Devices, blocks: int) -> tuple[Any, ...]:
    size = len(arrays[0]) // blocks
    full = size + -size % devices.count
    factor = np.tile(np.where(np.arange(full) < size, np.sqrt(full / size), 0.0), blocks)
    return (*(filled(array, devices, blocks) for array in arrays), filled(factor, devices, blocks))


def with_factors(objective: Objective, devices: Devices) -> Objective:
    """The objective whose terms have the arrays of `shares`."""
    if devices.mesh is None:
        return objective
    twin = copy(objective)
    twin.terms = tuple(map(_with_factor, objective.terms))
    return twin


def _with_factor(term: LossTerm) -> LossTerm:
    """The term whose residual, and its parts, are multiplied by the last of a point's arrays."""

    def residual(net: Any, parameters: Any, method: str, *arrays: Any) -> Any:
        found = term.residual(net, parameters, method, *arrays[:-1])
        return jax.tree.map(lambda leaf: leaf * arrays[-1], found)

    own = term.parts
    parts = None if own is None else lambda net, parameters, *arrays: own(net, parameters, *arrays[:-1]) * arrays[-1]
    points = lambda units: (*term.points(units), np.ones(len(units)))  # noqa: E731
    return replace(term, points=points, residual=residual, parts=parts)
