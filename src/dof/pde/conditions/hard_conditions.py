"""Functions that obey the hard conditions by construction, whatever the network in them is.

    u = E + tanh(3 (t − t₀) / T)ᵏ · d · net,      E = g + (u₀ − g|t₀) + (t − t₀) (v₀ − ∂g/∂t|t₀)

with d zero on the boundary, where u = g is asked, k = 1 if the initial value u₀ is, and k = 2 if the velocity v₀ is as
well. At t₀ u is u₀, and on the boundary it is g, since u₀ = g there. A periodic coordinate reaches the network as its
cosine and sine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.conditions.conditions import Condition
from dof.pde.conditions.loss_terms import Net
from dof.pde.conditions.places import Setting

Conditions = Sequence[Any]
RISE = 3.0
"""How fast the network takes over. A plain power of t − t₀ would ask it for large values where u moves fast."""
Map = Callable[[Any], Any]


def trial(conditions: Conditions, setting: Setting, features: Map | None = None, ansatz: Any = None) -> Map:
    """From a network, a function of the features of a point, to the unknown functions, of the point itself."""
    hard = [condition for condition in conditions if condition.hard]
    own = {field: _by_kind(hard, field) for field in setting.fields.names}
    features = features or features_of(hard, setting)

    def of(net: Net) -> Net:
        def u(z: Any) -> Any:
            raw = net(features(z))
            value = raw if ansatz is None else ansatz(raw, *setting.split(z))
            parts = [_held(own[field], setting, field, z, setting.of_field(field, value)) for field in own]
            return parts[0] if setting.is_single else jnp.concatenate([jnp.atleast_1d(part) for part in parts])

        return u

    return of


def _by_kind(hard: Sequence[Condition], field: str) -> dict[str, Condition]:
    """Those that are made of values: a periodic coordinate is made by features."""
    own = [condition for condition in hard if condition.kind != "periodic" and condition.field in (None, field)]
    found = {condition.kind: condition for condition in own}
    if len(found) < len(own):
        said, fix = f"is asked for of {', '.join(condition.name for condition in own)}", "hard=False for one of them"
        raise ArgumentError(describe("hard", said, "each kind once for each field", fix))
    if "initial velocity" in found and "initial" not in found:
        fix = "pde.initial(u0, hard=True), pde.initial_velocity(v0, hard=True)"
        raise ArgumentError(describe("hard", "is asked for of a velocity alone", "of the initial value too", fix))
    return found


def require_possible(conditions: Conditions, setting: Setting, features: Map | None) -> None:
    """What is hard: one of each kind for a field, and features and a boundary by which it can be made to hold."""
    hard = [condition for condition in conditions if condition.hard]
    for field in setting.fields.names:
        _by_kind(hard, field)
    for condition in hard:
        again = f'pde.periodic("{condition.on}"'
        if condition.kind == "periodic" and features:
            found = f"are given beside `{condition.name}`, which is hard and makes its own"
            raise ArgumentError(describe("features", found, "one of both", f"{again}), which is a term"))
        if condition.kind == "periodic" and condition.field and len(setting.fields.names) > 1:
            found, expected = f"is asked for of `{condition.name}`", "all fields, which share their features"
            raise ArgumentError(describe("hard", found, expected, f"{again}, hard=True)"))
        if condition.kind == "dirichlet":
            jax.eval_shape(setting.domain.distance, np.zeros(setting.domain.size))  # some domains have none


def _held(own: dict[str, Condition], setting: Setting, field: str, z: Any, raw: Any) -> Any:
    """E + factor · net"""

    def given(kind: str, z: Any) -> Any:
        value = jnp.asarray(setting.given(own[kind].value, z))
        return setting.of_field(field, value) if value.ndim and own[kind].field is None else value

    def g(z: Any) -> Any:
        value = given("dirichlet", z) if "dirichlet" in own else 0.0
        return jnp.asarray(value, raw.dtype) + jnp.zeros_like(raw)

    factor = setting.domain.distance(z) if "dirichlet" in own else 1.0
    if "initial" not in own:
        return g(z) + factor * raw if "dirichlet" in own else raw
    low, high = (bound[setting.time] for bound in setting.domain.bounds)
    first, since = z.at[setting.time].set(low), z[setting.time] - low
    along = jnp.zeros_like(z).at[setting.time].set(1.0)
    edge, edge_velocity = jax.jvp(g, (first,), (along,))
    base = g(z) + given("initial", first) - edge
    factor = factor * jnp.tanh(RISE * since / (high - low))
    if "initial velocity" in own:
        base = base + since * (given("initial velocity", first) - edge_velocity)
        factor = factor * jnp.tanh(RISE * since / (high - low))
    return base + factor * raw


def features_of(hard: Sequence[Condition], setting: Setting) -> Callable[[Any], Any]:
    """Coordinates scaled to [−1, 1]; of a periodic one its cosine and sine."""
    low, high = setting.domain.bounds
    periodic = {setting.axis(c.on) for c in hard if c.kind == "periodic"}
    plain = np.array([i for i in range(setting.coordinates.count) if i not in periodic], int)
    turning = np.array(sorted(periodic), int)

    def features(z: Any) -> Any:
        scaled = 2 * (z - low) / (high - low) - 1
        angles = jnp.pi * scaled[turning]
        return jnp.concatenate([scaled[plain], jnp.cos(angles), jnp.sin(angles)]) if len(turning) else scaled

    return features
