"""Many inputs: the exact Laplacian of (1 − |x|²) u(x), u = N-128-128-128-1 with tanh, and its gradient in the weights.

dof against an estimator as in STDE (16 random coordinates per point, `jax.experimental.jet`), and against the Hessian
where N is small. The coordinates are drawn beforehand, so that drawing them costs the estimator nothing. The second
table is for the growth with N: figures that stay the same mean that dof's cost is linear in it.
"""

from functools import partial
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.jet import jet
from measure import Measured, arguments, in_double, measure
from rich.table import Table
from table import add_rows, comparison_table, show

import dof

HIDDEN, DRAWN, HESSIAN_UP_TO = 128, 16, 1_000


def weights(rng, n, unit_first):
    sizes = [n, HIDDEN, HIDDEN, HIDDEN, 1]
    layers = [(rng.normal(size=(i, o)) / np.sqrt(i), rng.normal(size=o)) for i, o in pairwise(sizes)]
    if unit_first:
        layers[0] = (layers[0][0] * np.sqrt(n), layers[0][1])
    return jax.tree.map(np.float32, layers)


def tail(layers, z):
    """u as a function of the first layer before its tanh."""
    for w, b in layers:
        z = jnp.tanh(z) @ w + b
    return z[0]


def phi(layers, x):
    (w, b), *rest = layers
    return (1 - x @ x) * tail(rest, x @ w + b)


def by_dof(layers, x, _):
    return dof.laplacian(phi, argnums=1)(layers, x)


def by_hessian(layers, x, _):
    return jnp.trace(jax.hessian(phi, argnums=1)(layers, x))


def by_estimate(layers, x, coordinates):
    def second_derivative(direction):
        return jet(partial(phi, layers), (x,), ((direction, jnp.zeros_like(x)),))[1][1]

    directions = jax.nn.one_hot(coordinates, x.size, dtype=x.dtype)
    return x.size / DRAWN * jnp.sum(jax.vmap(second_derivative)(directions))


def by_hand(layers, x, _):
    """The truth for any N: with u(x) = g(Wᵀ x + b), Δu = tr(Wᵀ W ∇²g), which has the size of the first layer only."""
    (w, b), *rest = layers
    g, z = partial(tail, rest), x @ w + b
    laplacian = jnp.sum((w.T @ w) * jax.hessian(g)(z))
    return (1 - x @ x) * laplacian - 4 * x @ (w @ jax.grad(g)(z)) - 2 * x.size * g(z)


def forward(method):
    return jax.vmap(method, in_axes=(None, 0, 0))


def gradient(method):
    return jax.grad(lambda *args: jnp.mean(forward(method)(*args) ** 2))


def methods(n):
    return {"dof": by_dof, "estimate": by_estimate} | ({"hessian": by_hessian} if n <= HESSIAN_UP_TO else {})


def arguments_for(n, options):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(options.points, n)) / np.sqrt(n)
    coordinates = rng.integers(n, size=(options.points, DRAWN))
    return weights(rng, n, options.unit_first), points.astype(np.float32), coordinates.astype(np.int32)


def measure_size(n, options):
    """{pass: {method: figures}}"""
    args = arguments_for(n, options)
    return {do.__name__: measure_pass(do, methods(n), args, options) for do in (forward, gradient)}


def measure_pass(do, ways, args, options):
    return measure({name: do(f) for name, f in ways.items()}, args, in_double(do(by_hand), args), options)


def growth_table(sizes):
    """`sizes` is {N: {pass: {method: figures}}}."""
    columns = ("N", "pass", "temporary / first weights", "run per input", "flops per input")
    table = Table(*columns, title="dof; per input: relative to the smallest N", title_justify="left")
    smallest = min(sizes)
    for n, passes in sizes.items():
        for do, measured in passes.items():
            table.add_row(f"{n:,}", do, *growth(n, measured["dof"], smallest, sizes[smallest][do]["dof"]))
    return table


def growth(n, it, smallest, first):
    memory = f"{it.memory / (4 * n * HIDDEN):.3g}" if isinstance(it, Measured) else "–"
    if not (isinstance(it, Measured) and isinstance(first, Measured)):
        return memory, "–", "–"
    return memory, *(f"{getattr(it, key) / getattr(first, key) * smallest / n:.3f}" for key in ("running", "flops"))


def main():
    parser = arguments(__doc__, points=100)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    help = "do not divide the first weights by √N: Δu then has the size of −2 N u, which outweighs it otherwise"
    parser.add_argument("--unit-first", action="store_true", help=help)
    options = parser.parse_args()
    sizes = {n: measure_size(n, options) for n in options.sizes}
    table = comparison_table(f"{options.points} points, float32", "N, pass", "dof")
    for n, passes in sizes.items():
        for do, measured in passes.items():
            add_rows(table, f"{n:,} {do}", measured, "dof", estimates=["estimate"])
    show(table)
    show(growth_table(sizes))


if __name__ == "__main__":
    main()
