"""The networks that are measured: φ(weights, x) for one point x, with the weights drawn in float64."""

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
class Network:
    """`draw(rng)` gives weights for `phi(weights, x)` with x of shape (inputs,).

    laplacian: by hand, where differentiating along each input would take too long. in_torch: the same phi there.
    """

    inputs: int
    draw: Callable[[Rng], Any]
    phi: Callable[[Any, Any], Any]
    laplacian: Callable[[Any, Any], Any] | None = None
    in_torch: Callable[[Any, Any], Any] | None = None


def dense_layers(rng: Rng, sizes: Sequence[int], *front: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Weights and biases of fully connected layers; `front` is the shape of a stack of them."""
    shapes = [((*front, i, o), (*front, o)) for i, o in pairwise(sizes)]
    return [(rng.normal(size=w) / np.sqrt(w[-2]), rng.normal(size=b)) for w, b in shapes]


def run_layers(layers: Any, x: Any) -> Any:
    *hidden, (w, b) = layers
    for weight, bias in hidden:
        x = jnp.tanh(x @ weight + bias)
    return x @ w + b


def run_layers_in_torch(layers: Any, x: Any) -> Any:
    *hidden, (w, b) = layers
    for weight, bias in hidden:
        x = (x @ weight + bias).tanh()
    return x @ w + b


def mlp(inputs: int, hidden: int, layers: int) -> Network:
    """`layers` products with weights, as the paper counts; tanh between them."""
    sizes = [inputs, *[hidden] * (layers - 1), 1]
    return Network(
        inputs,
        lambda rng: dense_layers(rng, sizes),
        lambda w, x: run_layers(w, x)[0],
        in_torch=lambda w, x: run_layers_in_torch(w, x)[0],
    )


def sparse_mlp(blocks: int, inputs: int, hidden: int, layers: int, outputs: int) -> Network:
    """Σ_o Π_b of networks for each block of inputs, which have weights of their own."""
    sizes = [inputs, *[hidden] * (layers - 1), outputs]

    def phi(weights: Any, x: Any) -> Any:
        of_blocks = jax.vmap(run_layers)(weights, x.reshape(blocks, inputs))
        return jnp.sum(jnp.prod(of_blocks, axis=0))

    def in_torch(weights: Any, x: Any) -> Any:
        of_blocks = run_layers_in_torch([(w, b[:, None]) for w, b in weights], x.reshape(blocks, 1, inputs))
        return of_blocks.prod(dim=0).sum()

    return Network(blocks * inputs, lambda rng: dense_layers(rng, sizes, blocks), phi, in_torch=in_torch)


def deep_mlp(inputs: int, hidden: int, layers: int) -> Network:
    """Equal layers with residuals by `jax.lax.scan`."""

    def draw(rng: Rng) -> Any:
        ((w, b),) = dense_layers(rng, [hidden, hidden], layers)
        return {"in": rng.normal(size=(inputs, hidden)) / np.sqrt(inputs), "layers": (w, b)}

    def phi(weights: Any, x: Any) -> Any:
        step = lambda h, layer: (h + jnp.tanh(h @ layer[0] + layer[1]), None)  # noqa: E731
        return jnp.mean(jax.lax.scan(step, x @ weights["in"], weights["layers"])[0])

    return Network(inputs, draw, phi)


def transformer(tokens: int, width: int) -> Network:
    """One block, attention and feed-forward net, whose tokens are the inputs."""
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
        query, key, value = (_normalized(h) @ w[name] for name in ("query", "key", "value"))
        h = h + jax.nn.softmax(query @ key.T / width**0.5, axis=-1) @ value @ w["mix"]
        h = h + jax.nn.gelu(_normalized(h) @ w["up"]) @ w["down"]
        return jnp.mean(h @ w["out"])

    return Network(tokens * width, draw, phi)


def _normalized(h: Any) -> Any:
    centred = h - jnp.mean(h, axis=-1, keepdims=True)
    return centred / jnp.sqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + 1e-6)


def wave_function(particles: int, hidden: int, layers: int) -> Network:
    """log |det| of orbitals: a network for each particle in three dimensions, and a Jastrow factor of the distances."""
    sizes = [3, *[hidden] * (layers - 1), particles]

    def phi(weights: Any, x: Any) -> Any:
        r = x.reshape(particles, 3)
        orbitals = run_layers(weights, r) * jnp.exp(-jnp.sqrt(1 + jnp.sum(r**2, axis=1)))[:, None]
        i, j = np.triu_indices(particles, 1)
        distances = jnp.sqrt(1e-2 + jnp.sum((r[i] - r[j]) ** 2, axis=1))
        return jnp.linalg.slogdet(orbitals)[1] + 0.5 * jnp.sum(distances / (1 + distances))

    return Network(3 * particles, lambda rng: dense_layers(rng, sizes), phi)


def many_inputs(inputs: int, hidden: int = 128) -> Network:
    """(1 − |x|²) u(x), which is zero on the sphere, with four layers for u.

    The first weights are not divided by √inputs, or Δu would be nothing beside −2 N u.
    """
    sizes = [inputs, hidden, hidden, hidden, 1]

    def draw(rng: Rng) -> Any:
        (w, b), *rest = dense_layers(rng, sizes)
        return [(w * np.sqrt(inputs), b), *rest]

    def laplacian(weights: Any, x: Any) -> Any:
        """u(x) = g(z) with z = Wᵀ x + b, so Δu = tr(Wᵀ W ∇²g), which has the size of the first layer only."""
        (w, b), *rest = weights
        g, z = lambda z: run_layers(rest, jnp.tanh(z))[0], x @ w + b
        of_u = jnp.sum((w.T @ w) * jax.hessian(g)(z))
        return (1 - x @ x) * of_u - 4 * x @ (w @ jax.grad(g)(z)) - 2 * inputs * g(z)

    phi = lambda w, x: (1 - x @ x) * run_layers(w, x)[0]  # noqa: E731
    return Network(inputs, draw, phi, laplacian)
