"""Networks to solve with: an MLP, Fourier features before one, a separable one; and any callable that is a pytree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe

Weights = list[tuple[Any, Any]]


class Network(NamedTuple):
    """init(key) makes parameters; apply(params, features) is the network at one point.

    >>> import dof, jax, jax.numpy as jnp
    >>> from dof.solving import Network
    >>> waves = Network(lambda key: jax.random.normal(key, (16, 3)), lambda w, z: w[:, 2] @ jnp.sin(w[:, :2] @ z))
    >>> solution = dof.solve("poisson", waves, adam=2, newton=0)
    >>> solution.params.shape
    (16, 3)
    """

    init: Callable[[Any], Any]
    apply: Callable[[Any, Any], Any]


def mlp(inputs: int, outputs: int, width: int, depth: int) -> Network:
    """tanh layers, and a linear one at the end."""
    sizes = [inputs, *[width] * depth, outputs]
    return Network(lambda key: _layers(key, sizes), _mlp)


def fourier(inputs: int, outputs: int, width: int, depth: int, spread: float = 2.0) -> Network:
    """An MLP of sin(B z) and cos(B z), with B of random frequencies to begin with."""
    inner = mlp(2 * width, outputs, width, depth)

    def init(key: Any) -> Any:
        first, second = jax.random.split(key)
        return {"frequencies": spread * jax.random.normal(first, (width, inputs)), "layers": inner.init(second)}

    def apply(params: Any, z: Any) -> Any:
        angles = params["frequencies"] @ z
        return inner.apply(params["layers"], jnp.concatenate([jnp.cos(angles), jnp.sin(angles)]))

    return Network(init, apply)


def separable(inputs: int, outputs: int, width: int, depth: int) -> Network:
    """Σ_k Π_i f_ik(z_i): one MLP for each input, whose products are added up."""
    sizes = [1, *[width] * depth, width * outputs]

    def init(key: Any) -> Any:
        return jax.vmap(lambda key: _layers(key, sizes))(jax.random.split(key, inputs))

    def apply(params: Any, z: Any) -> Any:
        factors = jax.vmap(_mlp)(params, z[:, None])
        return jnp.sum(jnp.prod(factors, axis=0).reshape(outputs, width), axis=1)

    return Network(init, apply)


def _layers(key: Any, sizes: list[int]) -> Weights:
    """Weights of variance 1 / inputs, biases zero."""
    keys = jax.random.split(key, len(sizes) - 1)
    pairs = zip(keys, sizes, sizes[1:], strict=False)
    return [(jax.random.normal(key, (b, a)) / np.sqrt(a), jnp.zeros(b)) for key, a, b in pairs]


def _mlp(layers: Weights, z: Any) -> Any:
    for matrix, bias in layers[:-1]:
        z = jnp.tanh(matrix @ z + bias)
    matrix, bias = layers[-1]
    return matrix @ z + bias


NETWORKS: dict[str, Callable[..., Network]] = {"mlp": mlp, "fourier": fourier, "separable": separable}


def network_of(given: Any, inputs: int, outputs: int, width: int, depth: int) -> Network:
    """By name, as (params, apply), or a callable pytree: a module of Equinox or of Flax NNX."""
    if isinstance(given, str):
        if given not in NETWORKS:
            raise ArgumentError(describe("network", f"is {given!r}", f"one of {list(NETWORKS)}", 'network="mlp"'))
        return NETWORKS[given](inputs, outputs, width, depth)
    if isinstance(given, Network):
        return given
    if isinstance(given, tuple) and len(given) == 2 and callable(given[1]):
        params, apply = given
        return Network(lambda key: jax.tree.map(_in_double, params), apply)
    if callable(given) and any(map(is_weight, jax.tree.leaves(given))):
        return _of_module(given)
    fix = 'network="mlp", an Equinox or Flax NNX module, or (params, apply)'
    raise ArgumentTypeError(describe("network", f"is {given!r}", "a name, a module or a pair", fix))


def _of_module(module: Any) -> Network:
    """Its floating-point arrays are the parameters; all else of it stays as it is."""
    leaves, tree = jax.tree.flatten(module)
    places = [k for k, leaf in enumerate(leaves) if is_weight(leaf)]

    def apply(params: Any, z: Any) -> Any:
        filled = list(leaves)
        for place, leaf in zip(places, params, strict=True):
            filled[place] = leaf
        return jax.tree.unflatten(tree, filled)(z)

    return Network(lambda key: [_in_double(leaves[place]) for place in places], apply)


def _in_double(leaf: Any) -> Any:
    """Training is in float64, whatever a network was made in."""
    return jnp.asarray(leaf, float) if is_weight(leaf) else leaf


def is_weight(leaf: Any) -> bool:
    return hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jnp.floating)
