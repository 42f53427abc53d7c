"""The paper's MLP (64 inputs, 7 hidden layers of 256, tanh): dof against the Hessian and folx, as ratios in one run.

Run it with `make bench`. Flops and memory are XLA's counts; times are medians of interleaved rounds.
"""

import argparse
import random
import statistics
import time
from itertools import pairwise

import folx
import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console
from rich.table import Table

import dof

SIZES = [64, *[256] * 7, 1]


def network(rng):
    layers = [(rng.normal(size=(i, o)) / np.sqrt(i), rng.normal(size=o)) for i, o in pairwise(SIZES)]
    layers = jax.tree.map(lambda v: jnp.asarray(v, jnp.float32), layers)

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


def methods(phi, a, is_laplacian):
    found = {
        "hessian": lambda x: jnp.sum(jnp.asarray(a, x.dtype) * jax.hessian(phi)(x)),
        "dof": dof.Operator(a=a)(phi),
    }
    if is_laplacian:
        found["folx"] = lambda x: folx.forward_laplacian(phi)(x).laplacian
    return found


def build(f, points):
    """(compiled, seconds of tracing, seconds of compilation)"""
    start = time.perf_counter()
    lowered = jax.jit(jax.vmap(f)).lower(points)
    traced = time.perf_counter()
    compiled = lowered.compile()
    return compiled, traced - start, time.perf_counter() - traced


def run_times(compiled, points, rounds):
    times = {name: [] for name in compiled}
    for _ in range(rounds):
        for name in random.sample(list(compiled), len(compiled)):
            start = time.perf_counter()
            compiled[name](points).block_until_ready()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def rows(name, functions, points, rounds):
    for f in functions.values():
        build(f, points)  # what is only slow the first time is not what is measured
    built = {method: build(f, points) for method, f in functions.items()}
    seconds = run_times({method: b[0] for method, b in built.items()}, points, rounds)
    for method, (compiled, tracing, compiling) in built.items():
        flops = compiled.cost_analysis()["flops"]
        memory = compiled.memory_analysis().temp_size_in_bytes
        entries = (flops / 1e9, memory / 1e6, 1e3 * seconds[method], 1e3 * tracing, 1e3 * compiling)
        reference = built["hessian"][0]
        ratios = (
            flops / reference.cost_analysis()["flops"],
            memory / reference.memory_analysis().temp_size_in_bytes,
            seconds[method] / seconds["hessian"],
            tracing / built["hessian"][1],
            compiling / built["hessian"][2],
        )
        yield name, method, *(f"{e:.4g} ({r:.3f})" for e, r in zip(entries, ratios, strict=True))
        name = ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    phi = network(rng)
    points = rng.normal(size=(options.points, 64)).astype(np.float32)
    table = Table(title=f"{options.points} points, float32; in brackets the ratio to the Hessian", title_justify="left")
    for column in ("operator", "method", "Gflop", "temporary MB", "run ms", "trace ms", "compile ms"):
        table.add_column(column)
    for name, a in matrices(rng).items():
        for row in rows(name, methods(phi, a, name == "laplacian"), points, options.rounds):
            table.add_row(*row)
        table.add_section()
    Console().print(table)


if __name__ == "__main__":
    main()
