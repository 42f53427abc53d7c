"""Points of an interval of training: more, and where the residual is large."""

import jax.numpy as jnp
import numpy as np

from dof.jax_compat import enable_x64
from dof.solving.measuring.early_stopping import Progress
from dof.solving.solver import training_of
from problems import FEW, WAVY

SMALL = {"width": 12, "depth": 1, "points": 60, "edge_points": 20, "report": 5, "error_points": 64}


def test_there_are_more_points_once_the_two_have_parted_and_more_where_the_residual_is_large():
    parted = Progress(None, has_parted=True)
    found = {}
    for adaptive in (False, "auto", True):
        with enable_x64():
            training = training_of(WAVY, None, {**FEW, "points": 200, "adaptive": adaptive})
            state = training.start()
            sizes = {
                n: training.batch(state._replace(progress=p))
                for n, p in (("usual", state.progress), ("parted", parted))
            }
            found[adaptive] = {
                n: (len(batch[0][0]), float(np.mean(training.points.squares(0, state.theta, batch[0]))))
                for n, batch in sizes.items()
            }
    even = found[False]["usual"]
    assert found[False]["parted"] == found["auto"]["usual"] == even and even[0] == 200
    assert found["auto"]["parted"][0] == 400 and found["auto"]["parted"][1] > 1.2 * even[1]
    assert found[True]["usual"][0] == 200 and found[True]["usual"][1] > 1.2 * even[1]


def test_points_crowd_where_the_residual_is_large():
    training = training_of("helmholtz", None, SMALL | {"adam": 5, "newton": 5, "points": 400, "adaptive": True})
    state = training.start()
    (points, *_), *_ = training.batch(state)
    even = training_of("helmholtz", None, SMALL | {"adam": 5, "newton": 5, "points": 400, "adaptive": False})
    size = lambda z: float(jnp.mean(training.points.squares(0, state.theta, (z,))))  # noqa: E731
    assert size(points) > 1.3 * size(even.batch(state)[0][0])
