"""Blocks of points: the paper's MLP forwards (1024 points) and in a training step (512), against the Hessian and folx.

A training step is the gradient, in all weights, of the mean squared L φ. folx does the operators by a shift of
coordinates, y ↦ φ(x + Lᵀ y), and two passes where signs differ. The last table has the share of the machine's own rate
of matrix products that dof reaches: XLA does not count the turns of a loop, so flops are those of all points at once.
"""

from functools import partial

import folx
import jax
import jax.numpy as jnp
import numpy as np
from measure import Measured, arguments, in_double, measure, medians, run_seconds
from mlp import by_hessian, matrices, network, weights
from rich.table import Table
from table import add_rows, comparison_table, show

import dof


def factors(a):
    """[(sign, rows)] with A = Σ sign · rowsᵀ rows."""
    values, vectors = np.linalg.eigh(a)
    parts = [(sign, sign * values > 1e-9 * np.abs(values).max()) for sign in (1, -1)]
    return [(sign, (vectors[:, kept] * np.sqrt(np.abs(values[kept]))).T) for sign, kept in parts if kept.any()]


def by_folx(a):
    def shifted(phi, x, rows):
        rows = jnp.asarray(rows, x.dtype)
        return folx.forward_laplacian(lambda y: phi(x + y @ rows))(jnp.zeros(len(rows), x.dtype)).laplacian

    return lambda phi: lambda x: sum(sign * shifted(phi, x, rows) for sign, rows in factors(a))


def of_point(method):
    return lambda layers, x: method(network(layers))(x)


def mean_square(method, layers, points):
    return jnp.mean(jax.vmap(partial(of_point(method), layers))(points) ** 2)


def forward(a):
    at_once = {"hessian": by_hessian(a), "folx": by_folx(a), "dof, at once": dof.Operator(a=a)}
    blocks = dof.batched(of_point(dof.Operator(a=a)), in_axes=(None, 0))
    return {n: jax.vmap(of_point(m), in_axes=(None, 0)) for n, m in at_once.items()} | {"dof": blocks}


def step(a):
    at_once = {"hessian": by_hessian(a), "folx": by_folx(a), "dof, at once": dof.Operator(a=a)}
    square = lambda layers, x: of_point(dof.Operator(a=a))(layers, x) ** 2  # noqa: E731
    blocks = {"dof": dof.value_and_grad(square)}
    return {n: jax.value_and_grad(partial(mean_square, m)) for n, m in at_once.items()} | blocks


def rate_of_products(options):
    """Operations per second of a product of the shapes that occur: 32 points with 64 tangents each, 256 units."""
    x, w = jnp.ones((32 * 64, 256), jnp.float32), jnp.ones((256, 256), jnp.float32)
    compiled = jax.jit(jnp.matmul).lower(x, w).compile()
    (seconds,) = medians({"product": partial(run_seconds, compiled, (x, w))}, 5 * options.rounds)["product"]
    return 2 * x.size * 256 / seconds


def share_table(results, rate):
    title = f"share of the rate of matrix products, {rate / 1e9:.0f} Gflop/s"
    table = Table("operator", "pass", "share", title=title, title_justify="left")
    for (name, do), measured in results.items():
        it, whole = measured["dof"], measured["dof, at once"]
        if isinstance(it, Measured) and isinstance(whole, Measured):
            table.add_row(name, do, f"{whole.flops / it.running / rate:.2f}")
    return table


def main():
    options = arguments(__doc__, points=1024).parse_args()
    rng = np.random.default_rng(0)
    layers, points = weights(rng), rng.normal(size=(options.points, 64)).astype(np.float32)
    results = {}
    for name, a in matrices(rng).items():
        for do, n in ((forward, options.points), (step, options.points // 2)):
            functions, args = do(a), (layers, points[:n])
            truth = in_double(functions["hessian"], args)
            results[name, do.__name__] = measure(functions, args, truth, options)
    table = comparison_table(
        f"{options.points} points forwards, half of them in a step; float32", "operator", "the Hessian"
    )
    for (name, do), measured in results.items():
        add_rows(table, f"{name} {do}", measured, "hessian")
    show(table)
    show(share_table(results, rate_of_products(options)))


if __name__ == "__main__":
    main()
