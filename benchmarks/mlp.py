"""The paper's MLP (64 inputs, 7 hidden layers of 256, tanh): dof against the Hessian and folx, as ratios in one run.

Run it with `make bench`. Flops and memory are XLA's counts; times are medians of interleaved rounds.
"""

from itertools import pairwise

import folx
import jax
import jax.numpy as jnp
import numpy as np
from measure import arguments, measure_methods
from table import add_rows, comparison_table, show

import dof

SIZES = [64, *[256] * 7, 1]


def weights(rng):
    layers = [(rng.normal(size=(i, o)) / np.sqrt(i), rng.normal(size=o)) for i, o in pairwise(SIZES)]
    return jax.tree.map(np.float32, layers)


def network(layers):
    def phi(x):
        for w, b in layers[:-1]:
            x = jnp.tanh(x @ w + b)
        w, b = layers[-1]
        return (x @ w + b)[0]

    return phi


def matrices(rng):
    factor = rng.normal(size=(64, 64))
    return {
        "elliptic": factor @ factor.T,
        "rank 32": factor[:, :32] @ factor[:, :32].T,
        "indefinite": np.diag([-1.0] + [1.0] * 63),
        "laplacian": np.eye(64),
    }


def by_hessian(a):
    return lambda phi: lambda x: jnp.sum(jnp.asarray(a, x.dtype) * jax.hessian(phi)(x))


def by_folx(phi):
    return lambda x: folx.forward_laplacian(phi)(x).laplacian


def methods(a, is_laplacian):
    """What makes L φ out of φ."""
    return {"hessian": by_hessian(a), "dof": dof.Operator(a=a)} | ({"folx": by_folx} if is_laplacian else {})


def main():
    options = arguments(__doc__, points=256).parse_args()
    rng = np.random.default_rng(0)
    args = weights(rng), rng.normal(size=(options.points, 64)).astype(np.float32)
    table = comparison_table(f"{options.points} points, float32", "operator", "the Hessian")
    for name, a in matrices(rng).items():
        measured = measure_methods(methods(a, name == "laplacian"), by_hessian(a), network, args, options)
        add_rows(table, name, measured, "hessian")
    show(table)


if __name__ == "__main__":
    main()
