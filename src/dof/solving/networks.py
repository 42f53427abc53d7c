"""Networks to solve with: an MLP, Fourier features before one, a separable one; and any callable that is a pytree."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown

Weights = list[tuple[Any, Any]]
"""The matrix and the bias of each layer."""

BIAS_SPREAD = 1.0
"""Of the first layer, whose inputs are in [−1, 1]: its units then bend at different places, and fewer directions of θ
hardly move u. With biases zero all units are odd about the middle of the domain: of the 1,185 singular values of the
Jacobian of `poisson`, 300 are above 1e-10 of the largest. Error after 80 Gauss–Newton steps with biases in [−b, b]
and weights times s, (b, s) = (0, 1), (1, 1), (2, 2): poisson 1.8e-7, 1.5e-8, 1.9e-8; klein-gordon-3d 4.6e-6, 2.4e-6,
2.0e-6."""

FREQUENCY = 2.0
"""Spread of the first frequencies of "fourier": about one wave across the domain, which is scaled to [−1, 1]."""


class Network(NamedTuple):
    """A network to train.

    Attributes:
        init: `init(key)` makes parameters, a pytree of arrays.
        apply: `apply(params, features)` is the network at one point.
        name: That of `NETWORKS` which it was made by, of whose values nothing is known beforehand; "" for others.

    Examples:
        >>> import dof, jax, jax.numpy as jnp
        >>> from dof.solving import Network
        >>> waves = Network(lambda key: jax.random.normal(key, (16, 3)), lambda w, z: w[:, 2] @ jnp.sin(w[:, :2] @ z))
        >>> solution = dof.solve("poisson", waves, adam=2, newton=0)
        >>> solution.params.shape
        (16, 3)
    """

    init: Callable[[Any], Any]
    apply: Callable[[Any, Any], Any]
    name: str = ""


ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "tanh": jnp.tanh,
    "sin": jnp.sin,
    "gelu": jax.nn.gelu,
    "silu": jax.nn.silu,
    "softplus": jax.nn.softplus,
}
"""Functions between the layers, by name; all are smooth, as equations of order two and more need them."""


def mlp(inputs: int, outputs: int, width: int, depth: int, activation: str = "tanh") -> Network:
    """An MLP: `depth` layers of `width` units with an activation, and a linear one at the end."""
    sizes = [inputs, *[width] * depth, outputs]
    return Network(lambda key: _layers(key, sizes), partial(_mlp, ACTIVATIONS[activation]))


def fourier(inputs: int, outputs: int, width: int, depth: int, activation: str = "tanh") -> Network:
    """An MLP of sin(B z) and cos(B z), with trained B (width, inputs), which starts with N(0, FREQUENCY²)."""
    inner = mlp(2 * width, outputs, width, depth, activation)

    def init(key: Any) -> Any:
        first, second = jax.random.split(key)
        return {"frequencies": FREQUENCY * jax.random.normal(first, (width, inputs)), "layers": inner.init(second)}

    def apply(params: Any, z: Any) -> Any:
        angles = params["frequencies"] @ z
        return inner.apply(params["layers"], jnp.concatenate([jnp.cos(angles), jnp.sin(angles)]))

    return Network(init, apply)


def separable(inputs: int, outputs: int, width: int, depth: int, activation: str = "tanh") -> Network:
    """Σ_k Π_i f_ik(z_i), k = 1 … width: one MLP for each input i, and a sum of products of their outputs."""
    # One scalar input each; `width` is both the size of the layers and the number of products in the sum.
    sizes = [1, *[width] * depth, width * outputs]

    def init(key: Any) -> Any:
        return jax.vmap(lambda key: _layers(key, sizes))(jax.random.split(key, inputs))

    def apply(params: Any, z: Any) -> Any:
        factors = jax.vmap(partial(_mlp, ACTIVATIONS[activation]))(params, z[:, None])
        return jnp.sum(jnp.prod(factors, axis=0).reshape(outputs, width), axis=1)

    return Network(init, apply)


def _layers(key: Any, sizes: list[int]) -> Weights:
    """Random weights of variance 1 / inputs, so that each layer keeps the size of its values.

    Biases of the first layer are uniform in [−BIAS_SPREAD, BIAS_SPREAD], others zero.
    """
    keys = jax.random.split(key, len(sizes) - 1)
    pairs = zip(keys, sizes, sizes[1:], strict=False)
    layers = [(jax.random.normal(key, (b, a)) / np.sqrt(a), jnp.zeros(b)) for key, a, b in pairs]
    matrix, zeros = layers[0]
    spread = jax.random.uniform(jax.random.fold_in(key, 0), zeros.shape, minval=-BIAS_SPREAD, maxval=BIAS_SPREAD)
    return [(matrix, spread), *layers[1:]]


def _mlp(activation: Callable[[Any], Any], layers: Weights, z: Any) -> Any:
    """The value of an MLP: layers with an activation, and a linear one at the end."""
    for matrix, bias in layers[:-1]:
        z = activation(matrix @ z + bias)
    matrix, bias = layers[-1]
    return matrix @ z + bias


NETWORKS: dict[str, Callable[..., Network]] = {"mlp": mlp, "fourier": fourier, "separable": separable}


def network_of(given: Any, inputs: int, outputs: int, width: int, depth: int, activation: str = "tanh") -> Network:
    """The network that the user means.

    Args:
        given: A name in `NETWORKS`, a `Network`, a pair (params, apply), or a callable pytree, as a module of Equinox
            or of Flax NNX is.
        inputs: How many features it gets; this and the following for networks by name only.
        outputs: How many components all fields have.
        width: Units in each layer.
        depth: Hidden layers.
        activation: Between them, a name in `ACTIVATIONS`.
    """
    if isinstance(given, str):
        if given not in NETWORKS:
            raise ArgumentError(describe("network", f"is {shown(given)}", f"one of {list(NETWORKS)}", 'network="mlp"'))
        return NETWORKS[given](inputs, outputs, width, depth, activation)._replace(name=given)
    if isinstance(given, Network):
        return given
    if isinstance(given, tuple) and len(given) == 2 and callable(given[1]):
        params, apply = given
        _require_trainable(params)
        # The key is not used: the user's network comes with its weights, so that `seed` changes the points only.
        return Network(lambda key: jax.tree.map(_in_double, params), apply)
    if callable(given) and any(map(is_weight, jax.tree.leaves(given))):
        return _of_module(given)
    fix = 'network="mlp", an Equinox or Flax NNX module, or (params, apply)'
    raise ArgumentTypeError(describe("network", f"is {shown(given)}", "a name, a module or a pair", fix))


def _of_module(module: Any) -> Network:
    """A network whose parameters are the floating-point arrays of a module; all else of it stays as it is."""
    leaves, tree = jax.tree.flatten(module)
    # Leaves of an Equinox module are activation functions too, which no optimiser can move.
    places = [k for k, leaf in enumerate(leaves) if is_weight(leaf)]

    def apply(params: Any, z: Any) -> Any:
        filled = list(leaves)
        for place, leaf in zip(places, params, strict=True):
            filled[place] = leaf
        return jax.tree.unflatten(tree, filled)(z)

    return Network(lambda key: [_in_double(leaves[place]) for place in places], apply)


def _require_trainable(params: Any) -> None:
    """Refuse weights that are whole or complex numbers: steps would leave the first where they are."""
    for path, leaf in jax.tree_util.tree_leaves_with_path(params):
        kind = jnp.result_type(leaf)
        if jnp.issubdtype(kind, jnp.integer) or jnp.issubdtype(kind, jnp.complexfloating):
            found = f"has the weights params{jax.tree_util.keystr(path)} of type {kind}"
            fix = "jnp.asarray(weights, float); numbers that are not trained belong into `apply`"
            raise ArgumentTypeError(describe("network", found, "real numbers that can be moved, of type float", fix))


def _in_double(leaf: Any) -> Any:
    """A weight in float64, in which training is done, whatever the network was made in."""
    return jnp.asarray(leaf, float) if is_weight(leaf) else leaf


def is_weight(leaf: Any) -> bool:
    """Whether a leaf of a pytree is an array of floating-point numbers."""
    return hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jnp.floating)
