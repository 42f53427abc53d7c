"""What a solution does after training: it is evaluated and plotted."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.solving import Network, solution_plot
from dof.solving.solution_plot import plot_solution, slice_of

MANY = 100_000


def counted(calls):
    """A network that notes every time it is traced."""

    def apply(w, z):
        calls.append(z.shape)
        return w @ jnp.tanh(w * z[0])

    return Network(lambda key: jax.random.normal(key, (4,)), apply)


def test_a_solution_is_compiled_once_for_each_shape_of_points():
    calls = []
    solution = dof.solve("poisson", counted(calls), adam=1, newton=0, points=4, error_points=4)
    calls.clear()
    one = solution([0.5, 0.5])
    traces = len(calls)
    assert traces > 0
    many = [solution(np.full((3, 2), value)) for value in (0.5, 0.6)]
    after = len(calls)
    assert traces < after
    assert solution([0.5, 0.5]) == one and solution(np.full((3, 2), 0.5)).tolist() == many[0].tolist()
    assert many[0].shape == (3,) and many[0].tolist() != many[1].tolist()
    assert len(calls) == after


def test_points_of_another_shape_are_refused():
    solution = dof.solve("poisson", counted([]), adam=1, newton=0, points=4, error_points=4)
    with pytest.raises(dof.ArgumentError, match="`points` has shape"):
        solution([0.5])


def problem_in(dimension):
    equation = pde.residual(f"x[{dimension}]")(lambda u, x: u.laplacian)
    return pde.Problem(equation, pde.Ball([0] * dimension), reference=lambda x: x[0] + x @ x)


def test_a_plot_in_very_many_dimensions_looks_for_what_it_shows_once(monkeypatch):
    """Work for each of 100,000 coordinates that goes through all of them would take hours."""
    calls = []

    def axes_counted(coordinates, axes=solution_plot.space_axes):
        calls.append(coordinates)
        return axes(coordinates)

    monkeypatch.setattr(solution_plot, "space_axes", axes_counted)
    monkeypatch.setattr(solution_plot, "COARSE_GRID", 5)
    figure = plot_solution(problem_in(MANY), lambda points: points[:, 0], lambda points: points[:, 0] ** 2)
    assert len(calls) == 1
    assert figure.get_suptitle() == "99998 other coordinates in the middle of the domain"
    assert [axis.get_xlabel() for axis in figure.axes[:3]] == ["x[0]"] * 3


def test_a_plot_shows_a_slice_through_the_middle():
    cut = slice_of(problem_in(3))
    assert cut.axes == (0, 1) and len(cut.points) == len(cut.grids[0]) * len(cut.grids[1])
    assert not cut.points[:, 2].any() and cut.points[1, 0] > cut.points[0, 0] == -1
    np.testing.assert_array_equal(cut.inside, np.linalg.norm(cut.points, axis=1) <= 1 + 1e-12)
    figure = plot_solution(problem_in(3), lambda points: points[:, 0], lambda points: points[:, 0] ** 2)
    assert figure.get_suptitle() == "x[2] = 0" and figure.axes[2].get_title() == "difference"
    assert figure.axes[3].get_title() == "|residual| of the equation"
    largest = np.nanmax(figure.axes[3].collections[0].get_array())
    assert largest == pytest.approx(1.0)  # of x², which is 1 at the ends of the ball


def test_space_and_time_are_shown_where_space_has_one_coordinate():
    line = pde.residual("t x")(lambda u, t, x: u.t - u.xx)
    cut = slice_of(pde.Problem(line, pde.Time(0, 2) * pde.Interval(-1, 1)))
    assert cut.axes == (1, 0) and cut.grids[0][0] == -1 and cut.grids[1][-1] == 2
