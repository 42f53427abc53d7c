"""A network of its own for each field: for an unknown coefficient beside the solution, with other settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.pde.problem import Problem
from dof.solving.networks import Network, network_of
from dof.solving.settings import Settings

OPTIONS = ("network", "width", "depth", "activation", "of")
FIX = 'network={"u": "mlp", "k": {"width": 8, "depth": 1, "of": "x"}}'


def network_by_field(given: Mapping[str, Any], problem: Problem, settings: Settings) -> Network:
    """One network that is made of a network for each field.

    Args:
        given: By the names of fields, a network as `network_of` takes it, or its options: network, width, depth,
            activation, and `of`, the coordinates that the field depends on. Fields that are not named have the network
            of `settings`.
        problem: Whose fields they are.
        settings: What is not given by the options.
    """
    fields = problem.equation.fields
    if others := sorted(set(given) - set(fields.names)):
        raise ArgumentError(describe("network", f"has {others}", f"names of fields, which are {fields}", FIX))
    parts = {name: _own(name, given.get(name, {}), problem, settings) for name in fields.names}

    def init(key: Any) -> Any:
        keys = jax.random.split(key, len(parts))
        return {name: parts[name][0].init(own) for name, own in zip(parts, keys, strict=True)}

    def apply(params: Any, features: Any) -> Any:
        own = lambda name: parts[name][0].apply(params[name], features[parts[name][1]])  # noqa: E731
        return jnp.concatenate([jnp.atleast_1d(own(name)) for name in parts])

    return Network(init, apply)


def _own(name: str, given: Any, problem: Problem, settings: Settings) -> tuple[Network, Any]:
    """The network of one field, and which features it gets."""
    options = given if isinstance(given, Mapping) else {"network": given}
    if others := sorted(set(options) - set(OPTIONS)):
        raise ArgumentError(describe(f"network[{name!r}]", f"has {others}", f"some of {OPTIONS}", FIX))
    chosen = settings.changed({key: options[key] for key in ("width", "depth", "activation") if key in options})
    features = _features(name, options["of"], problem) if "of" in options else slice(None)
    inputs = len(features) if isinstance(features, np.ndarray) else problem.feature_count
    fields = problem.equation.fields
    outputs = int(np.diff(fields.starts)[fields.names.index(name)])
    kind = options.get("network", "mlp" if settings.network == "auto" else settings.network)
    return network_of(kind, inputs, outputs, chosen.width, chosen.depth, chosen.activation), features


def _features(name: str, of: Any, problem: Problem) -> np.ndarray:
    """The indices of the features that are these coordinates."""
    coordinates = problem.equation.coordinates
    words = of.split() if isinstance(of, str) else []
    if not words or not set(words) <= set(coordinates.names):
        raise ArgumentTypeError(describe(f"network[{name!r}]", f"is of {shown(of)}", f"some of {coordinates}", FIX))
    if problem.feature_count != coordinates.count or problem.features is not None:
        found = "chooses coordinates, but the network is given other features"
        raise ArgumentError(
            describe(f"network[{name!r}]", found, "coordinates as features", "no `features`, no hard periodic")
        )
    return np.array([axis for word in words for axis in coordinates.axes(word)], np.int32)
