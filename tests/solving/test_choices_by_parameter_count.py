"""What is chosen by the number of parameters."""

import numpy as np

from dof.solving.settings import Settings
from dof.solving.solver import training_of
from problems import WAVY


def test_points_are_chosen_by_the_number_of_parameters():
    parameters = 4 * 250 + 251
    assert training_of(WAVY, None, {"width": 250, "depth": 1}).settings.points == int(np.ceil(1.25 * parameters))
    assert Settings(optimiser="lbfgs").chosen_for(parameters, 1).points == 1000
    assert Settings(points=7).chosen_for(parameters, 1).points == 7
    assert Settings().chosen_for(parameters, 3).points == 1000
