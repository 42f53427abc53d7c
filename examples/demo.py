"""An elliptic, a low-rank and an indefinite operator of a small network: dof beside the Hessian.

Run it with `make demo`.
"""

import statistics
import time
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console
from rich.table import Table

import dof

INPUTS, HIDDEN, POINTS, ROUNDS = 64, [128] * 4, 256, 9


def network(sizes, rng):
    weights = [rng.normal(size=(i, o)).astype(np.float32) / np.sqrt(i) for i, o in pairwise(sizes)]

    def phi(x):
        for w in weights[:-1]:
            x = jnp.tanh(x @ w)
        return (x @ weights[-1])[0]

    return phi


def matrices(n, rng):
    factor = rng.normal(size=(n, n)) / np.sqrt(n)
    return {
        "elliptic, rank 64": factor @ factor.T,
        "low rank, rank 16": factor[:, :16] @ factor[:, :16].T,
        "indefinite (wave)": np.diag([-1.0] + [1.0] * (n - 1)),
    }


def by_hessian(phi, a):
    return lambda x: jnp.sum(jnp.asarray(a, x.dtype) * jax.hessian(phi)(x))


def measure(functions, points):
    """Compiled ahead and run in turn, so that both meet the same machine."""
    compiled = {name: jax.jit(jax.vmap(f)).lower(points).compile() for name, f in functions.items()}
    times = {name: [] for name in functions}
    for _ in range(ROUNDS):
        for name, run in compiled.items():
            start = time.perf_counter()
            run(points).block_until_ready()
            times[name].append(time.perf_counter() - start)
    return {
        name: {
            "values": np.asarray(run(points)),
            "Mflop": run.cost_analysis()["flops"] / 1e6,
            "MB": run.memory_analysis().temp_size_in_bytes / 1e6,
            "ms": 1e3 * statistics.median(times[name]),
        }
        for name, run in compiled.items()
    }


def truth(phi, a, points):
    with jax.enable_x64(True):
        return np.asarray(jax.vmap(by_hessian(phi, a))(points.astype(np.float64)))


def rows(name, phi, a, points):
    found = measure({"Hessian": by_hessian(phi, a), "dof": dof.Operator(a=a)(phi)}, points)
    exact = truth(phi, a, points)
    for method, got in found.items():
        error = np.abs(got["values"] - exact).max() / np.abs(exact).max()
        yield (
            name,
            method,
            f"{got['values'][0]:+.6f}",
            f"{error:.1e}",
            *(f"{got[k]:.1f}" for k in ("Mflop", "MB", "ms")),
        )
        name = ""
    saved = (found["Hessian"][k] / found["dof"][k] for k in ("Mflop", "MB", "ms"))
    yield "", "[bold]dof is better by", "", "", *(f"[bold]{ratio:.1f}×" for ratio in saved)


def main():
    rng = np.random.default_rng(0)
    phi = network([INPUTS, *HIDDEN, 1], rng)
    points = rng.normal(size=(POINTS, INPUTS)).astype(np.float32)
    title = (
        f"Σ a_ij ∂²φ/∂x_i∂x_j of a network {INPUTS} → {' → '.join(map(str, HIDDEN))} → 1 at {POINTS} points, float32"
    )
    table = Table(title=title, title_justify="left")
    for column in ("operator", "method", "value at point 0", "error", "Mflop", "MB", "ms"):
        table.add_column(column, justify="left" if column in ("operator", "method") else "right")
    for name, a in matrices(INPUTS, rng).items():
        for row in rows(name, phi, a, points):
            table.add_row(*row)
        table.add_section()
    console = Console()
    console.print(table)
    console.print(
        "error: largest over all points, relative, against the Hessian in float64; Mflop and MB: XLA's counts."
    )


if __name__ == "__main__":
    main()
