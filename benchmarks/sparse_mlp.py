"""The paper's MLP with Jacobian sparsity: 16 networks of 4 inputs each, multiplied; dof against the Hessian and folx.

A has a 4x4 block for each network. folx knows the Laplacian only: other operators are Laplacians of y ↦ φ(x + S y) with
A = S Sᵀ, and an indefinite one is the difference of two. Of its thresholds of sparsity the best is shown.
"""

from itertools import pairwise

import folx
import jax
import jax.numpy as jnp
import numpy as np
from measure import Measured, arguments, measure_methods
from mlp import by_hessian
from scipy.linalg import block_diag
from table import add_rows, comparison_table, show

import dof

BLOCKS, INPUTS = 16, 4
SIZES = [INPUTS, *[256] * 7, 8]
THRESHOLDS = (0, 6, 16, 64)
IDENTITY = np.tile(np.eye(INPUTS), (BLOCKS, 1, 1))


def weights(rng):
    shapes = [((BLOCKS, i, o), (BLOCKS, o)) for i, o in pairwise(SIZES)]
    layers = [(rng.normal(size=w) / np.sqrt(w[1]), rng.normal(size=b)) for w, b in shapes]
    return jax.tree.map(np.float32, layers)


def network(layers):
    def phi(x):
        x = x.reshape(BLOCKS, INPUTS)
        for w, b in layers[:-1]:
            x = jnp.tanh(jnp.einsum("bi,bio->bo", x, w) + b)
        w, b = layers[-1]
        return jnp.sum(jnp.prod(jnp.einsum("bi,bio->bo", x, w) + b, axis=0))

    return phi


def operators(rng):
    """A = Σ ± s sᵀ in each block, as pairs of a sign and all s, of shape (blocks, inputs, directions)."""
    factors = rng.normal(size=(BLOCKS, INPUTS, INPUTS))
    return {
        "elliptic": [(1, factors)],
        "rank 2": [(1, factors[:, :, :2])],
        "indefinite": [(1, IDENTITY[:, :, 1:]), (-1, IDENTITY[:, :, :1])],
        "laplacian": [(1, IDENTITY)],
    }


def methods(parts):
    blocks = sum(sign * s @ np.swapaxes(s, 1, 2) for sign, s in parts)
    return {
        "hessian": by_hessian(block_diag(*blocks)),
        "dof": dof.Operator(a=dof.BlockDiagonal(blocks)),
        **{f"folx, threshold {threshold}": by_folx(parts, threshold) for threshold in THRESHOLDS},
    }


def by_folx(parts, threshold):
    def operator(phi):
        def laplacian(f, y):
            return folx.forward_laplacian(f, sparsity_threshold=threshold)(y).laplacian

        return lambda x: sum(sign * laplacian(*moved(phi, x, s)) for sign, s in parts)

    return operator


def moved(phi, x, s):
    """y ↦ φ(x + S y) and the point y = 0, block by block so that folx sees the sparsity; φ and x where S is 1."""
    if s is IDENTITY:
        return phi, x
    s = jnp.asarray(s, x.dtype)
    return lambda y: phi(x + jnp.einsum("bir,br->bi", s, y).ravel()), jnp.zeros((BLOCKS, s.shape[2]), x.dtype)


def with_best_folx(measured):
    """One threshold only: of those as fast as the fastest, up to noise, the one that is traced soonest."""
    tried = {name: it for name, it in measured.items() if name.startswith("folx")}
    working = {name: it for name, it in tried.items() if isinstance(it, Measured)}
    least = min((it.running for it in working.values()), default=0)
    fast = [name for name, it in working.items() if it.running <= 1.1 * least]
    best = min(fast, key=lambda name: working[name].tracing, default=next(iter(tried)))
    return {name: it for name, it in measured.items() if name == best or name not in tried}


def main():
    options = arguments(__doc__, points=64).parse_args()
    rng = np.random.default_rng(0)
    args = weights(rng), rng.normal(size=(options.points, BLOCKS * INPUTS)).astype(np.float32)
    table = comparison_table(f"{options.points} points, float32", "operator", "the Hessian")
    for name, parts in operators(rng).items():
        ways = methods(parts)
        measured = measure_methods(ways, ways["hessian"], network, args, options)
        add_rows(table, name, with_best_folx(measured), "hessian")
    show(table)


if __name__ == "__main__":
    main()
