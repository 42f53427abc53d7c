"""Functions that obey the hard conditions by construction, whatever the network in them is.

    u = E + tanh(3 (t − t₀) / T)ᵏ · d · net,      E = g + (u₀ − g|t₀) + (t − t₀) (v₀ − ∂g/∂t|t₀)

with d zero on the boundary, or on the part of it where u = g is asked, k = 1 if the initial value u₀ is, and k = 2 if
the velocity v₀ is as well. At t₀ u is u₀, and on the boundary it is g, since u₀ = g there. A periodic coordinate
reaches the network as its cosine and sine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.conditions.conditions import Condition
from dof.pde.conditions.loss_term import Net
from dof.pde.conditions.places import hard_domain
from dof.pde.geometry.named_domain import NamedDomain

Conditions = Sequence[Any]
RISE = 3.0
"""How fast the network takes over after t₀: tanh is 0.995 at the end of time. A plain power of t − t₀ would ask the
network for large values where u moves fast."""
Map = Callable[[Any], Any]


def trial(conditions: Conditions, named: NamedDomain, features: Map | None = None, ansatz: Any = None) -> Map:
    """From a network, a function of features, to unknown functions of the point that obey the hard conditions.

    Args:
        conditions: All conditions of a problem; those that are not hard are left out.
        named: The domain and the names of its coordinates.
        features: What the network is given of a point; by default the coordinates scaled to [−1, 1].
        ansatz: A function of the network's value and of the coordinates, in place of the value itself.
    """
    hard = [condition for condition in conditions if condition.hard]
    own = {field: _by_kind(hard, field) for field in named.fields.names}
    features = features or features_of(hard, named)
    distances = {field: _distance(own[field], named) for field in own}

    def of(net: Net) -> Net:
        def u(z: Any) -> Any:
            # The ansatz is applied first: what holds by construction must hold for what it makes.
            raw = net(features(z))
            value = raw if ansatz is None else ansatz(raw, *named.split(z))
            held = lambda field: _held(own[field], named, field, z, named.of_field(field, value), distances[field])  # noqa: E731
            parts = [held(field) for field in own]
            if named.is_single:
                return parts[0]
            return named.numbers_of(jnp.concatenate([jnp.atleast_1d(part) for part in parts]))

        return u

    return of


def _distance(own: dict[str, Condition], named: NamedDomain) -> Map:
    """The function d of a field, which is zero where its hard Dirichlet condition holds; 1 if there is none."""
    return hard_domain(own["dirichlet"].on, named).distance if "dirichlet" in own else lambda z: 1.0


def _by_kind(hard: Sequence[Condition], field: str) -> dict[str, Condition]:
    """The hard conditions on a field by their kind, without periodic ones, which the features see to."""
    own = [condition for condition in hard if condition.kind != "periodic" and condition.field in (None, field)]
    found = {condition.kind: condition for condition in own}
    if len(found) < len(own):
        said, fix = f"is asked for of {', '.join(condition.name for condition in own)}", "hard=False for one of them"
        raise ArgumentError(describe("hard", said, "each kind once for each field", fix))
    if "initial velocity" in found and "initial" not in found:
        fix = "pde.initial(u0, hard=True), pde.initial_velocity(v0, hard=True)"
        raise ArgumentError(describe("hard", "is asked for of a velocity alone", "of the initial value too", fix))
    return found


def require_possible(conditions: Conditions, named: NamedDomain, features: Map | None) -> None:
    """Refuse hard conditions that cannot all hold by construction, or that the domain has no smooth distance for."""
    hard = [condition for condition in conditions if condition.hard]
    for field in named.fields.names:
        _by_kind(hard, field)
    for condition in hard:
        again = f'pde.periodic("{condition.on}"'
        if condition.kind == "periodic" and features:
            found = f"are given beside `{condition.name}`, which is hard and makes its own"
            raise ArgumentError(describe("features", found, "one of both", f"{again}), which is a term"))
        if condition.kind == "periodic" and condition.field and len(named.fields.names) > 1:
            found, expected = f"is asked for of `{condition.name}`", "all fields, which share their features"
            raise ArgumentError(describe("hard", found, expected, f"{again}, hard=True)"))
        if condition.kind == "dirichlet":
            jax.eval_shape(hard_domain(condition.on, named).distance, np.zeros(named.domain.size))  # some have none


def _held(own: dict[str, Condition], named: NamedDomain, field: str, z: Any, raw: Any, distance: Map) -> Any:
    """E + factor · net for one field, where `raw` is the network's value (see the head of this file)."""

    def given(kind: str, z: Any) -> Any:
        value = jnp.asarray(named.given(own[kind].value, z))
        # A condition on all fields has a component of g for each; that of a condition on one field is its own already.
        return named.part_of_values(field, value) if own[kind].field is None else value

    def g(z: Any) -> Any:
        value = given("dirichlet", z) if "dirichlet" in own else 0.0
        # A number becomes an array of the field's shape and type, since a jvp of g is taken below.
        return jnp.asarray(value, raw.dtype) + jnp.zeros_like(raw)

    # Time has no boundary: this distance does not vanish at the start, where the tanh does.
    factor = distance(z)
    if "initial" not in own:
        return g(z) + factor * raw if "dirichlet" in own else raw
    low, high = (bound[named.time] for bound in named.domain.bounds)
    first, since = z.at[named.time].set(jnp.asarray(low, z.dtype)), z[named.time] - low
    along = jnp.zeros_like(z).at[named.time].set(1.0)
    edge, edge_velocity = jax.jvp(g, (first,), (along,))
    base = g(z) + given("initial", first) - edge
    factor = factor * jnp.tanh(RISE * since / (high - low))
    if "initial velocity" in own:
        # The factor of the network needs a double zero at the start, or the network would change the velocity.
        base = base + since * (given("initial velocity", first) - edge_velocity)
        factor = factor * jnp.tanh(RISE * since / (high - low))
    return base + factor * raw


def features_of(hard: Sequence[Condition], named: NamedDomain) -> Callable[[Any], Any]:
    """The function from a point to the coordinates scaled to [−1, 1]; for a periodic one its cosine and sine."""
    low, high = named.domain.bounds
    periodic = {named.coordinates.axis_of[c.on] for c in hard if c.kind == "periodic"}
    # int32: with 32-bit numbers JAX refuses indices of 64 bits.
    plain = np.array([i for i in range(named.coordinates.count) if i not in periodic], np.int32)
    turning = np.array(sorted(periodic), np.int32)

    def features(z: Any) -> Any:
        scaled = 2 * (z - low) / (high - low) - 1
        angles = jnp.pi * scaled[turning]
        # One whole turn: both are equal at the ends with all derivatives, and only both together tell every x apart.
        return jnp.concatenate([scaled[plain], jnp.cos(angles), jnp.sin(angles)]) if len(turning) else scaled

    return features
