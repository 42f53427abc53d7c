"""A fast soliton overtakes a slow one, and both come out as they went in: the equation of Korteweg and de Vries.

python examples/korteweg_de_vries.py      # a minute and a half on one core; draws korteweg_de_vries.png
"""

import sys

import jax
import matplotlib.pyplot as plt
import numpy as np

import dof

TIMES = (-1.0, -0.3, 0.0, 0.3, 1.0)


def draw(solution):
    """u over x at some times, with the exact solution as dots."""
    exact, x = jax.vmap(solution.training.problem.reference, (0, None)), np.linspace(-8, 8, 200)
    figure, axes = plt.subplots(1, len(TIMES), figsize=(12, 2.6), sharey=True, layout="constrained")
    for axis, t in zip(axes, TIMES, strict=True):
        axis.plot(x, solution(x, t))
        axis.plot(x[::8], exact(x[::8], t), "k.", markersize=4)
        axis.set_title(f"t = {t}", fontsize=9)
    figure.savefig("korteweg_de_vries.png", dpi=120)


def main(newton=400, width=20, points=2000):
    jax.config.update("jax_enable_x64", True)
    solution = dof.solve("korteweg-de-vries", adam=0, newton=newton, width=width, points=points)
    print(solution.training.problem.plan)
    print(solution)
    draw(solution)
    x = np.linspace(-8, 8, 400)
    for t in (-1.0, 1.0):
        u = solution(x, t)
        print(
            f"t = {t:4}: height {u.max():.4f}, mass ∫ u = {np.trapezoid(u, x):.4f}, ∫ u² = {np.trapezoid(u**2, x):.4f}"
        )
    assert solution.error < (1e-4 if newton >= 400 else 1)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
