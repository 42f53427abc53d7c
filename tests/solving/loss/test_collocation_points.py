"""Points of the terms: how many, the same for the same seed, more where the residual is large."""

import numpy as np

from dof import pde
from dof.solving.loss.collocation_points import (
    MOST_SOBOL_DIMENSIONS,
    counts_of,
    crowded,
    points_for_error,
    sample,
    unit_points,
)

FLAT = pde.residual("x y")(lambda u, x, y: u.laplacian)
SQUARE = pde.Problem(FLAT, pde.Box([0, 0], [1, 1]), [pde.dirichlet(0.0), pde.data([[0.5, 0.5]] * 3, [0.0] * 3)])


def test_measured_points_keep_their_number():
    assert counts_of(SQUARE.terms(), 10, 20) == (10, 20, 3)


def test_points_are_the_same_for_the_same_seed_and_round_only():
    terms, counts = SQUARE.terms(), (8, 4, 3)
    first, again, other = (sample(terms, counts, 1, round_) for round_ in (2, 2, 3))
    assert [len(arrays[0]) for arrays in first] == [8, 4, 3]
    for k, is_drawn in enumerate((True, True, False)):
        np.testing.assert_array_equal(first[k][0], again[k][0])
        assert np.array_equal(first[k][0], other[k][0]) != is_drawn


def test_only_the_points_of_the_equation_are_drawn_towards_the_ends():
    terms, counts = SQUARE.terms(), (256, 4, 3)
    even, towards = (sample(terms, counts, 1, 0, change) for change in (np.asarray, SQUARE.domain.towards_ends))
    np.testing.assert_allclose(towards[0][0], (1 - np.cos(np.pi * even[0][0])) / 2)
    np.testing.assert_array_equal(towards[1][0], even[1][0])


def test_sobol_points_fill_the_cube_more_evenly_than_random_ones():
    """Of 64 points each of 64 equal parts of a side has one."""
    points = unit_points(64, 5, (0, 0, 0))
    assert all(len(np.unique(np.floor(64 * column))) == 64 for column in points.T)
    assert unit_points(3, MOST_SOBOL_DIMENSIONS + 1, (0,)).shape == (3, MOST_SOBOL_DIMENSIONS + 1)
    assert unit_points(3, 0, (0,)).shape == (3, 0)


def test_points_are_chosen_by_half_even_and_half_residual_probabilities():
    """A point with all of the residual among 1,000 has probability ½ + ½ / 1000 of being the only one chosen."""
    points = np.arange(1000.0)
    residuals = np.where(points == 7, 1.0, 0.0)
    hits = sum(crowded((points,), residuals, 1, (seed,))[0][0] == 7 for seed in range(400))
    assert 160 < hits < 240
    chosen = crowded((points, 2 * points), residuals, 50, (0,))
    assert len(np.unique(chosen[0])) == 50 and (chosen[1] == 2 * chosen[0]).all()


def test_where_all_residuals_are_zero_points_are_chosen_evenly():
    chosen = crowded((np.arange(100.0),), np.zeros(100), 100, (0,))[0]
    np.testing.assert_array_equal(np.sort(chosen), np.arange(100.0))


def test_the_error_is_measured_at_points_of_its_own():
    points = points_for_error(SQUARE.domain, 16, seed=0)
    steps = np.concatenate([sample(SQUARE.terms(), (16, 1, 3), 0, round_)[0][0] for round_ in range(20)])
    assert points.shape == (16, 2) and not (points[:, None] == steps).all(axis=-1).any()


def test_residuals_that_are_not_finite_are_left_to_the_training():
    residuals = np.ones(100)
    residuals[:3] = np.nan, np.inf, -np.inf
    chosen = crowded((np.arange(100.0),), residuals, 100, (0,))[0]
    assert sorted(chosen) == list(range(100))
