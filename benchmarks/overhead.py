"""What dof's search for structure costs where there is none: its defaults against structure="dense", cut=None.

The Laplacian of the paper's MLP and of a transformer block whose tokens all depend on all inputs; and the seconds of
tracing for the MLP with Jacobian sparsity, where structure is found.
"""

from functools import partial

import jax
import jax.numpy as jnp
import mlp
import numpy as np
import sparse_mlp
from measure import arguments, at_points, measure_methods, medians, trace_seconds
from rich.table import Table
from table import add_rows, comparison_table, show

import dof

INPUTS, TOKENS, WIDTH = 64, 8, 32
METHODS = {
    "dense": lambda phi: dof.laplacian(phi, structure="dense", cut=None),
    "defaults": dof.laplacian,
}


def transformer_weights(rng):
    shapes = {
        "embed": (INPUTS, TOKENS * WIDTH),
        **dict.fromkeys(("query", "key", "value", "mix"), (WIDTH, WIDTH)),
        "up": (WIDTH, 4 * WIDTH),
        "down": (4 * WIDTH, WIDTH),
        "out": (WIDTH,),
    }
    return {name: np.float32(rng.normal(size=shape) / np.sqrt(shape[0])) for name, shape in shapes.items()}


def transformer(w):
    def phi(x):
        tokens = (x @ w["embed"]).reshape(TOKENS, WIDTH)
        tokens = tokens + attention(w, normalized(tokens))
        tokens = tokens + jax.nn.gelu(normalized(tokens) @ w["up"]) @ w["down"]
        return jnp.mean(tokens @ w["out"])

    return phi


def attention(w, tokens):
    query, key, value = (tokens @ w[name] for name in ("query", "key", "value"))
    return jax.nn.softmax(query @ key.T / WIDTH**0.5, axis=-1) @ value @ w["mix"]


def normalized(tokens):
    centred = tokens - jnp.mean(tokens, axis=-1, keepdims=True)
    return centred / jnp.sqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + 1e-6)


def compared(options, rng, points):
    table = comparison_table(f"Laplacian, {options.points} points, float32", "network", "dense")
    for name, weights, network in (
        ("MLP", mlp.weights, mlp.network),
        ("transformer", transformer_weights, transformer),
    ):
        measured = measure_methods(METHODS, mlp.by_hessian(np.eye(INPUTS)), network, (weights(rng), points), options)
        add_rows(table, name, measured, "dense")
    return table


def traced(options, rng, points):
    args = sparse_mlp.weights(rng), points
    functions = {name: at_points(method, sparse_mlp.network) for name, method in METHODS.items()}
    samplers = {name: partial(trace_seconds, f, args) for name, f in functions.items()}
    medians(samplers, 1)  # what is only slow the first time is not what is measured
    table = Table("method", "trace ms", title="sparse MLP; in brackets the ratio to dense", title_justify="left")
    seconds = {name: float(found[0]) for name, found in medians(samplers, options.builds).items()}
    for name, found in seconds.items():
        table.add_row(name, f"{1e3 * found:.4g} ({found / seconds['dense']:.3f})")
    return table


def main():
    options = arguments(__doc__, points=64).parse_args()
    rng = np.random.default_rng(0)
    points = rng.normal(size=(options.points, INPUTS)).astype(np.float32)
    show(compared(options, rng, points))
    show(traced(options, rng, points))


if __name__ == "__main__":
    main()
