"""Neural wave functions, log |ψ| or the complex log ψ of n electrons in 3-D, of the kinds that are in use.

Half of the electrons have spin up. x has shape (3 n,). Distances are smooth where two electrons meet, so that every
method can differentiate them twice.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.bench.cases.architectures import Architecture, Rng, dense_layers, run_layers

NUCLEI = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 3.0]])
DETERMINANTS = 4
SOFTENING = 1e-4
"""Added to squared distances."""


def _distance(difference: Any) -> Any:
    """The length of vectors on the last axis, which is kept."""
    return jnp.sqrt(SOFTENING + jnp.sum(difference**2, axis=-1, keepdims=True))


def _with_distance(difference: Any) -> Any:
    return jnp.concatenate([difference, _distance(difference)], axis=-1)


def _to_nuclei(weights: Any, r: Any) -> Any:
    """(n, 4 · nuclei): differences and distances of the electrons to the nuclei."""
    return _with_distance(r[:, None] - weights["nuclei"]).reshape(len(r), -1)


def _dense(layer: Any, h: Any) -> Any:
    return h @ layer[0] + layer[1]


def _residual(old: Any, new: Any) -> Any:
    return old + new if old.shape == new.shape else new


def _log_sum_of_determinants(orbitals: Any) -> Any:
    """log |Σ_k det M_k| for orbitals (n, determinants · n)."""
    n = len(orbitals)
    sign, log = jnp.linalg.slogdet(jnp.moveaxis(orbitals.reshape(n, -1, n), 1, 0))
    largest = jax.lax.stop_gradient(jnp.max(log.real))
    total = jnp.sum(sign * jnp.exp(log - largest))
    if jnp.iscomplexobj(total):
        return jnp.log(total) + largest
    return jnp.log(jnp.abs(total)) + largest


def _envelopes(weights: Any, r: Any) -> Any:
    """Σ_I π_I exp(−σ_I |r − R_I|) of each orbital: (n, orbitals)."""
    distance = _distance(r[:, None] - weights["nuclei"])
    return jnp.sum(weights["pi"] * jnp.exp(-(weights["sigma"] ** 2) * distance), axis=1)


def _draw_molecule(rng: Rng, orbitals: int) -> dict[str, np.ndarray]:
    """The nuclei, among the weights because forces are derivatives in them, and the envelopes around them."""
    envelopes = {name: 1 + 0.1 * rng.normal(size=(len(NUCLEI), orbitals)) for name in ("pi", "sigma")}
    return {"nuclei": NUCLEI, **envelopes}


def ferminet(electrons: int, width: int = 128, pair_width: int = 32, layers: int = 2) -> Architecture:
    """FermiNet: a stream of electrons and one of pairs; means over each spin go from one to the other."""
    half, orbitals = electrons // 2, electrons * DETERMINANTS

    def draw(rng: Rng) -> Any:
        one, two, found = 4 * len(NUCLEI), 4, []
        for _ in range(layers):
            found.append([*dense_layers(rng, [3 * one + 2 * two, width]), *dense_layers(rng, [two, pair_width])])
            one, two = width, pair_width
        (last,) = dense_layers(rng, [one, orbitals])
        return {"layers": found, "orbitals": last, **_draw_molecule(rng, orbitals)}

    def phi(weights: Any, x: Any) -> Any:
        r = x.reshape(electrons, 3)
        one, two = _to_nuclei(weights, r), _with_distance(r[:, None] - r[None])
        for of_one, of_two in weights["layers"]:
            means = [jnp.mean(part, axis=0) for part in (one[:half], one[half:])]
            pairs = [jnp.mean(part, axis=1) for part in (two[:, :half], two[:, half:])]
            every = [jnp.broadcast_to(mean, (electrons, mean.size)) for mean in means]
            mixed = jnp.concatenate([one, *every, *pairs], axis=-1)
            one = _residual(one, jnp.tanh(_dense(of_one, mixed)))
            two = _residual(two, jnp.tanh(_dense(of_two, two)))
        return _log_sum_of_determinants(_dense(weights["orbitals"], one) * _envelopes(weights, r))

    return Architecture(3 * electrons, draw, phi)


def _attention(weights: Any, asking: Any, answering: Any, heads: int) -> Any:
    """Multi-head attention whose queries and keys come from `asking`, and whose values come from `answering`."""
    n, width = asking.shape
    split = lambda h: h.reshape(n, heads, width // heads)  # noqa: E731
    query, key = (split(asking @ weights[name]) for name in ("query", "key"))
    logits = jnp.einsum("ihd,jhd->hij", query, key) / (width // heads) ** 0.5
    mixed = jnp.einsum("hij,jhd->ihd", jax.nn.softmax(logits, axis=-1), split(answering @ weights["value"]))
    return mixed.reshape(n, width) @ weights["mix"]


def _draw_attention(rng: Rng, width: int) -> Any:
    projections = {name: rng.normal(size=(width, width)) / np.sqrt(width) for name in ("query", "key", "value", "mix")}
    return {**projections, "feed": dense_layers(rng, [width, width])[0], "own": dense_layers(rng, [width, width])[0]}


def _jastrow(weights: Any, r: Any) -> Any:
    """Σ_i<j −β / (1 + α r_ij)."""
    i, j = np.triu_indices(len(r), 1)
    return jnp.sum(-weights["beta"] / (1 + weights["alpha"] ** 2 * _distance(r[i] - r[j])))


def psiformer(
    electrons: int, width: int = 128, layers: int = 2, heads: int = 4, own_queries: bool = False
) -> Architecture:
    """Psiformer: self-attention between electrons.

    With `own_queries`, as in LapNet, queries and keys come from a second stream, in which electrons do not meet: their
    derivatives are sparse in every layer.
    """
    orbitals = electrons * DETERMINANTS

    def draw(rng: Rng) -> Any:
        first, last = dense_layers(rng, [4 * len(NUCLEI), width]), dense_layers(rng, [width, orbitals])
        found = {"first": first[0], "orbitals": last[0], **_draw_molecule(rng, orbitals)}
        found["spin"] = rng.normal(size=width)
        return {**found, "layers": [_draw_attention(rng, width) for _ in range(layers)], "alpha": 1.0, "beta": 0.25}

    def phi(weights: Any, x: Any) -> Any:
        r = x.reshape(electrons, 3)
        spin = np.where(np.arange(electrons) < electrons // 2, 1.0, -1.0)[:, None].astype(r.dtype)
        # Added, not concatenated: folx gives up sparsity where a constant is concatenated.
        h = own = _dense(weights["first"], _to_nuclei(weights, r)) + spin * weights["spin"]
        for layer in weights["layers"]:
            h = h + _attention(layer, own if own_queries else h, h, heads)
            h = h + jnp.tanh(_dense(layer["feed"], h))
            own = own + jnp.tanh(_dense(layer["own"], own)) if own_queries else own
        orbitals_of = _dense(weights["orbitals"], h) * _envelopes(weights, r)
        return _log_sum_of_determinants(orbitals_of) + _jastrow(weights, r)

    return Architecture(3 * electrons, draw, phi)


def lapnet(electrons: int) -> Architecture:
    """As `psiformer`, with queries and keys from a stream in which electrons do not meet."""
    return psiformer(electrons, own_queries=True)


def backflow(electrons: int, width: int = 64) -> Architecture:
    """Slater–Jastrow with backflow: orbitals at rᵢ + Σ_j η(rᵢⱼ) (rᵢ − rⱼ), one determinant of each spin."""
    half = electrons // 2

    def draw(rng: Rng) -> Any:
        orbitals = dense_layers(rng, [4 * len(NUCLEI), width, width, half])
        eta = dense_layers(rng, [1, 16, 16, 1])
        return {"orbitals": orbitals, "eta": eta, **_draw_molecule(rng, half), "alpha": 1.0, "beta": 0.25}

    def phi(weights: Any, x: Any) -> Any:
        r = x.reshape(electrons, 3)
        difference = r[:, None] - r[None]
        moved = r + jnp.sum(run_layers(weights["eta"], _distance(difference)) * difference, axis=1) / electrons
        matrix = run_layers(weights["orbitals"], _to_nuclei(weights, moved)) * _envelopes(weights, moved)
        logs = jnp.linalg.slogdet(matrix.reshape(2, half, half))[1]
        return jnp.sum(logs) + _jastrow(weights, r)

    return Architecture(3 * electrons, draw, phi)


def periodic(electrons: int, width: int = 64, layers: int = 2) -> Architecture:
    """A complex log ψ in a periodic box of side 1: a FermiNet of periodic features, times plane waves."""
    half, orbitals = electrons // 2, electrons * DETERMINANTS

    def draw(rng: Rng) -> Any:
        one, two, found = 6, 7, []
        for _ in range(layers):
            found.append([*dense_layers(rng, [3 * one + 2 * two, width]), *dense_layers(rng, [two, 16])])
            one, two = width, 16
        waves = rng.integers(-2, 3, size=(3, orbitals)).astype(float)
        return {
            "layers": found,
            "real": dense_layers(rng, [one, orbitals])[0],
            "imag": dense_layers(rng, [one, orbitals])[0],
            "waves": waves,
        }

    def phi(weights: Any, x: Any) -> Any:
        angle = 2 * np.pi * x.reshape(electrons, 3)
        difference = angle[:, None] - angle[None]
        one = jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], axis=-1)
        waves = jnp.concatenate([jnp.sin(difference), jnp.cos(difference)], axis=-1)
        two = jnp.concatenate([waves, _distance(jnp.sin(difference / 2))], axis=-1)
        for of_one, of_two in weights["layers"]:
            means = [jnp.broadcast_to(jnp.mean(p, axis=0), one.shape) for p in (one[:half], one[half:])]
            pairs = [jnp.mean(part, axis=1) for part in (two[:, :half], two[:, half:])]
            one = _residual(one, jnp.tanh(_dense(of_one, jnp.concatenate([one, *means, *pairs], axis=-1))))
            two = _residual(two, jnp.tanh(_dense(of_two, two)))
        matrix = jax.lax.complex(_dense(weights["real"], one), _dense(weights["imag"], one))
        return _log_sum_of_determinants(matrix * jnp.exp(1j * (angle @ weights["waves"])))

    return Architecture(3 * electrons, draw, phi)
