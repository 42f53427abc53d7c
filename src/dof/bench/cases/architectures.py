"""The networks that are measured, as functions φ(weights, x) of one point x."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Rng = np.random.Generator


@dataclass(frozen=True)
class Architecture:
    """A network without its weights.

    Attributes:
        inputs: the number of coordinates of x.
        draw: random weights in float64.
        phi: φ(weights, x), a number or several, for x of shape (inputs,).
        laplacian: Δφ(weights, x) by hand, where nested differentiation along each input would take too long.
        in_torch: φ on PyTorch tensors, where the network is written in it.
    """

    inputs: int
    draw: Callable[[Rng], Any]
    phi: Callable[[Any, Any], Any]
    laplacian: Callable[[Any, Any], Any] | None = None
    in_torch: Callable[[Any, Any], Any] | None = None


def dense_layers(rng: Rng, sizes: Sequence[int], *front: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Weights (*front, i, o) and biases (*front, o) of fully connected layers between the given sizes."""
    shapes = [((*front, i, o), (*front, o)) for i, o in pairwise(sizes)]
    return [(rng.normal(size=w) / np.sqrt(w[-2]), rng.normal(size=b)) for w, b in shapes]


def run_layers(layers: Any, x: Any) -> Any:
    """Fully connected layers with tanh between them, on the last axis of x."""
    *hidden, (w, b) = layers
    for weight, bias in hidden:
        x = jnp.tanh(x @ weight + bias)
    return x @ w + b


def run_layers_in_torch(layers: Any, x: Any) -> Any:
    """`run_layers` on PyTorch tensors."""
    *hidden, (w, b) = layers
    for weight, bias in hidden:
        x = (x @ weight + bias).tanh()
    return x @ w + b


def mlp(inputs: int, hidden: int, layers: int, outputs: int = 1) -> Architecture:
    """A multilayer perceptron; `layers` counts the matrix products, as the DOF paper does."""
    sizes, kept = [inputs, *[hidden] * (layers - 1), outputs], 0 if outputs == 1 else slice(None)
    return Architecture(
        inputs,
        lambda rng: dense_layers(rng, sizes),
        lambda w, x: run_layers(w, x)[kept],
        in_torch=lambda w, x: run_layers_in_torch(w, x)[kept],
    )


def sparse_mlp(blocks: int, inputs: int, hidden: int, layers: int, outputs: int) -> Architecture:
    """Σ_o Π_b net_b(x_b)_o: the inputs are divided into blocks, and each block has a network of its own."""
    sizes = [inputs, *[hidden] * (layers - 1), outputs]

    def phi(weights: Any, x: Any) -> Any:
        of_blocks = jax.vmap(run_layers)(weights, x.reshape(blocks, inputs))
        return jnp.sum(jnp.prod(of_blocks, axis=0))

    def in_torch(weights: Any, x: Any) -> Any:
        # An axis of one row per block: biases (blocks, units) must broadcast along it and not along the blocks.
        of_blocks = run_layers_in_torch([(w, b[:, None]) for w, b in weights], x.reshape(blocks, 1, inputs))
        return of_blocks.prod(dim=0).sum()

    return Architecture(blocks * inputs, lambda rng: dense_layers(rng, sizes, blocks), phi, in_torch=in_torch)


def deep_mlp(inputs: int, hidden: int, layers: int) -> Architecture:
    """Equal layers with residual connections, run by `jax.lax.scan`."""

    def draw(rng: Rng) -> Any:
        ((w, b),) = dense_layers(rng, [hidden, hidden], layers)
        return {"in": rng.normal(size=(inputs, hidden)) / np.sqrt(inputs), "layers": (w, b)}

    def phi(weights: Any, x: Any) -> Any:
        step = lambda h, layer: (h + jnp.tanh(h @ layer[0] + layer[1]), None)  # noqa: E731
        return jnp.mean(jax.lax.scan(step, x @ weights["in"], weights["layers"])[0])

    return Architecture(inputs, draw, phi)


def transformer(tokens: int, width: int) -> Architecture:
    """One transformer block (attention and a feed-forward network) whose input is a sequence of tokens."""
    shapes = {
        **dict.fromkeys(("query", "key", "value", "mix"), (width, width)),
        "up": (width, 4 * width),
        "down": (4 * width, width),
        "out": (width,),
    }

    def draw(rng: Rng) -> Any:
        return {name: rng.normal(size=shape) / np.sqrt(shape[0]) for name, shape in shapes.items()}

    def phi(w: Any, x: Any) -> Any:
        h = x.reshape(tokens, width)
        query, key, value = (_layer_norm(h) @ w[name] for name in ("query", "key", "value"))
        h = h + jax.nn.softmax(query @ key.T / width**0.5, axis=-1) @ value @ w["mix"]
        h = h + jax.nn.gelu(_layer_norm(h) @ w["up"]) @ w["down"]
        return jnp.mean(h @ w["out"])

    return Architecture(tokens * width, draw, phi)


def _layer_norm(h: Any) -> Any:
    centred = h - jnp.mean(h, axis=-1, keepdims=True)
    return centred / jnp.sqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + 1e-6)


def wave_function(particles: int, hidden: int, layers: int) -> Architecture:
    """The logarithm of |det| of orbitals, each a network of one particle in 3-D, plus a Jastrow factor of distances."""
    sizes = [3, *[hidden] * (layers - 1), particles]

    def phi(weights: Any, x: Any) -> Any:
        r = x.reshape(particles, 3)
        # exp(−√(1 + r²)) decays as exp(−r) does, and is smooth at the origin.
        orbitals = run_layers(weights, r) * jnp.exp(-jnp.sqrt(1 + jnp.sum(r**2, axis=1)))[:, None]
        i, j = np.triu_indices(particles, 1)
        distances = jnp.sqrt(1e-2 + jnp.sum((r[i] - r[j]) ** 2, axis=1))  # smooth where two particles meet
        return jnp.linalg.slogdet(orbitals)[1] + 0.5 * jnp.sum(distances / (1 + distances))

    return Architecture(3 * particles, lambda rng: dense_layers(rng, sizes), phi)


def many_inputs(inputs: int, hidden: int = 128) -> Architecture:
    """(1 − |x|²) u(x), which is zero on the unit sphere, with an MLP of four layers for u."""
    sizes = [inputs, hidden, hidden, hidden, 1]

    def draw(rng: Rng) -> Any:
        (w, b), *rest = dense_layers(rng, sizes)
        # Not divided by √inputs: otherwise Δu would be far smaller than the term −2 N u, and no error in it would show.
        return [(w * np.sqrt(inputs), b), *rest]

    def laplacian(weights: Any, x: Any) -> Any:
        """With u(x) = g(z), z = Wᵀ x + b: Δu = tr(Wᵀ W ∇²g), which needs the Hessian in z only."""
        (w, b), *rest = weights
        g, z = lambda z: run_layers(rest, jnp.tanh(z))[0], x @ w + b
        of_u = jnp.sum((w.T @ w) * jax.hessian(g)(z))
        return (1 - x @ x) * of_u - 4 * x @ (w @ jax.grad(g)(z)) - 2 * inputs * g(z)

    phi = lambda w, x: (1 - x @ x) * run_layers(w, x)[0]  # noqa: E731
    return Architecture(inputs, draw, phi, laplacian)
