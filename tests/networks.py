"""Networks as people write them, small: name → (function of parameters and x, parameters, x)."""

import math
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np


def weights(*shape, seed=0):
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape) / np.sqrt(shape[-1]))


def mlp(params, x):
    for w, b in params[:-1]:
        x = jnp.tanh(w @ x + b)
    w, b = params[-1]
    return (w @ x + b)[0]


def mlp_params(sizes):
    return [(weights(o, i, seed=n), weights(o, seed=n + 50)) for n, (i, o) in enumerate(pairwise(sizes))]


def deep_by_scan(params, x):
    h, _ = jax.lax.scan(lambda h, wb: (jnp.tanh(wb[0] @ h + wb[1]) + h, None), params["in"] @ x, params["layers"])
    return jnp.sum(h**2)


def fourier_features(params, x):
    return mlp(params["mlp"], jnp.concatenate([jnp.sin(params["freq"] @ x), jnp.cos(params["freq"] @ x)]))


def layer_norm(x):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(jnp.mean((x - mean) ** 2, axis=-1, keepdims=True) + 1e-5)


def attention(q, k, v):
    """As `jax.nn.dot_product_attention`, which does its softmax in float32 whatever comes in."""
    scores = jax.nn.softmax(jnp.einsum("thf,shf->hts", q, k) / math.sqrt(q.shape[-1]), axis=-1)
    return jnp.einsum("hts,shf->thf", scores, v)


def transformer_block(params, x, attention=attention):
    """Tokens (4, 6): attention, layer norm and a gated feed-forward net, both residual."""
    h = layer_norm(x)
    q, k, v = (jnp.reshape(h @ params[name], (4, 2, 3)) for name in ("q", "k", "v"))
    x = x + attention(q, k, v).reshape(4, 6) @ params["o"]
    h = layer_norm(x)
    return jnp.sum((x + (jax.nn.gelu(h @ params["up"]) * jax.nn.silu(h @ params["gate"])) @ params["down"]) ** 2)


def wave_function(params, r):
    """Three particles in three dimensions: pair features, orbitals, a determinant and a Jastrow factor."""
    pairs = jnp.sqrt(jnp.sum((r[:, None] - r[None]) ** 2, axis=-1) + jnp.eye(3, dtype=r.dtype))
    h = jnp.concatenate([r, jnp.linalg.norm(r, axis=1, keepdims=True)], axis=1)
    for w in params["layers"]:
        mixed = jnp.concatenate([h, jnp.broadcast_to(h.mean(axis=0), h.shape)], axis=1)
        h = jnp.tanh(mixed @ w) + pairs.mean(axis=1, keepdims=True)
    orbitals = (h @ params["orbitals"]) * jnp.exp(-jnp.linalg.norm(r, axis=1))[:, None]
    _, log = jnp.linalg.slogdet(orbitals)
    return log + 0.5 * jnp.sum(jnp.triu(pairs / (1 + pairs), 1))


def conv_net(params, x):
    h = x[None, None]
    for w in params:
        h = jax.nn.silu(jax.lax.conv(h, w, (1, 1), "SAME"))
    return jnp.mean(jax.lax.reduce_window(h, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"))


def separable(params, x):
    features = [jnp.tanh(jnp.outer(x[i], params[i][0]) @ params[i][1])[0] for i in range(3)]
    return jnp.sum(features[0] * features[1] * features[2])


NETWORKS = {
    "mlp": (mlp, mlp_params([5, 8, 8, 1]), weights(5, seed=9)),
    "mlp_times_boundary": (
        lambda p, x: (1 - jnp.sum(x**2)) * mlp(p, x),
        mlp_params([5, 8, 8, 1]),
        weights(5, seed=9),
    ),
    "deep_by_scan": (
        deep_by_scan,
        {"in": weights(6, 4), "layers": (weights(5, 6, 6, seed=1), weights(5, 6, seed=2))},
        weights(4, seed=9),
    ),
    "fourier_features": (
        fourier_features,
        {"freq": weights(4, 3), "mlp": mlp_params([8, 6, 1])},
        weights(3, seed=9),
    ),
    "transformer_block": (
        transformer_block,
        {name: weights(6, 6, seed=n) for n, name in enumerate(("q", "k", "v", "o", "up", "gate", "down"))},
        weights(4, 6, seed=9),
    ),
    "wave_function": (
        wave_function,
        {"layers": [weights(8, 5), weights(10, 5, seed=1)], "orbitals": weights(5, 3, seed=2)},
        weights(3, 3, seed=9),
    ),
    "conv_net": (conv_net, [weights(2, 1, 3, 3), weights(1, 2, 3, 3, seed=1)], weights(4, 4, seed=9)),
    "separable": (separable, [(weights(4, seed=n), weights(4, 3, seed=n + 5)) for n in range(3)], weights(3, seed=9)),
}
