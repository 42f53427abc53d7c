"""DeepXDE on one problem: Adam, then L-BFGS, as its example has it, within a limit of time."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import numpy as np

from dof.bench.solvers.stopwatch import Watch

# Before DeepXDE is imported, which reads it.
os.environ["DDE_BACKEND"] = "pytorch"
dde: Any = import_module("deepxde")
deepxde_problems = import_module("dof.bench.solvers.deepxde_problems")

ADAM_SHARE = 0.5
"""Of the limit, if L-BFGS follows: an example that takes longer than the limit still gets to L-BFGS, where most of its
accuracy comes from."""
LBFGS_CHUNK = 100
"""Steps of L-BFGS after which DeepXDE can be watched, instead of 1,000; its state is kept from one to the next."""


class _Watcher(dde.callbacks.Callback):
    """Measures errors during training, and ends it after some seconds."""

    def __init__(self, watch: Watch, predict: Any, until: float) -> None:
        super().__init__()
        self.watch, self.predict, self.until = watch, predict, until

    def on_epoch_end(self) -> None:
        """Called by DeepXDE after each step of Adam and each chunk of L-BFGS."""
        if self.watch.is_due:
            self.watch.look(self.predict)
        if self.watch.seconds > self.until:
            self.model.stop_training = True


def run(name: str, points: np.ndarray, field: int, watch: Watch) -> None:
    """Train the example of this name."""
    dde.config.set_random_seed(0)
    plan = getattr(deepxde_problems, name)()
    model = plan.model
    predict = lambda: model.predict(points)[:, field]  # noqa: E731
    share = ADAM_SHARE if plan.then_lbfgs else 1.0
    model.compile("adam", verbose=0, **plan.options)
    model.train(plan.adam, callbacks=[_Watcher(watch, predict, share * watch.limit)], verbose=0)
    if plan.then_lbfgs:
        dde.optimizers.config.LBFGS_options.update(iter_per_step=LBFGS_CHUNK, fun_per_step=5 * LBFGS_CHUNK // 4)
        model.stop_training = False
        model.compile("L-BFGS", verbose=0)
        model.train(callbacks=[_Watcher(watch, predict, watch.limit)], verbose=0)
    watch.look(predict)
