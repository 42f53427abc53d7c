"""Walkers of wave functions are drawn where |ψ| is large, and the first ones do not depend on how many there are."""

import numpy as np

from dof.bench.cases.case_table import CASES


def test_walkers_are_the_likeliest_of_their_candidates():
    case = CASES["backflow-8"]
    _, weights, walkers = case.draw(0, 6, np.float32)
    _, _, fewer = case.draw(0, 2, np.float32)
    np.testing.assert_array_equal(walkers[:2], fewer)
    rng = np.random.default_rng(0)
    case.operator(rng), case.network.draw(rng)
    candidates = rng.normal(size=(6, case.candidates, case.network.inputs)).astype(np.float32)
    for walker, choices in zip(walkers, candidates, strict=True):
        best = max(choices, key=lambda x: float(case.network.phi(weights, x)))
        np.testing.assert_array_equal(walker, best)
