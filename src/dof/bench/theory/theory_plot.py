"""Plot of how flops and memory grow, against the theorems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from dof.bench.results.plots import OURS, save_figure
from dof.bench.theory.theorem_counts import Sweep

HESSIAN = "#c06040"


def plot_theory(sweeps: list[Sweep], path: Path) -> None:
    """Flops and memory of each sweep on logarithmic axes: dots by the compiler, dashed lines by the theorems."""
    figure, axes = plt.subplots(2, len(sweeps), figsize=(3.4 * len(sweeps), 6.4), layout="constrained", squeeze=False)
    for (top, bottom), sweep in zip(axes.T, sweeps, strict=True):
        hessian = [it.theory_flops for it in sweep.counts]
        half = [it.theory_flops * it.dof_bound for it in sweep.counts]
        _lines(top, sweep, "flops", {"theorem 1": hessian, "": half})
        memory = [it.hessian_bytes * it.theory_memory for it in sweep.counts]
        _lines(bottom, sweep, "bytes", {"theorem 2": memory})
        bottom.set_xlabel(sweep.title, fontsize=8)
    axes[0, 0].set_ylabel("flops", fontsize=9)
    axes[1, 0].set_ylabel("bytes of temporary memory", fontsize=9)
    save_figure(figure, path)


def _lines(axis: Any, sweep: Sweep, what: str, theory: dict[str, list[float]]) -> None:
    at = [count.at for count in sweep.counts]
    for method, colour in (("hessian", HESSIAN), ("dof", OURS)):
        name = f"{method}_{what}"
        label = f"{method}, exponent {sweep.exponent(name):.2f}"
        axis.plot(at, [getattr(count, name) for count in sweep.counts], "o-", color=colour, label=label, markersize=3)
    for label, values in theory.items():
        axis.plot(at, values, "--", color="black", linewidth=0.9, label=label)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.tick_params(which="both", labelsize=7)
    axis.legend(fontsize=6.5, frameon=False)
    axis.spines[["top", "right"]].set_visible(False)
