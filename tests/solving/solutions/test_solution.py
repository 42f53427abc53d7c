"""What a solution does after training: it is evaluated and plotted."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.solving import Network
from dof.solving.solutions import slices
from dof.solving.solutions.slices import slice_of
from dof.solving.solutions.solution_plot import plot_solution

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

    def axes_counted(coordinates, axes=slices.space_axes):
        calls.append(coordinates)
        return axes(coordinates)

    monkeypatch.setattr(slices, "space_axes", axes_counted)
    monkeypatch.setattr(slices, "COARSE_GRID", 5)
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


def disk_in_time():
    cooling = pde.residual("x y t")(lambda u, x, y, t: u.t - u.laplacian)
    return pde.Problem(cooling, pde.Ball([0, 0]) * pde.Time(0, 2), reference=lambda x, y, t: x + t)


def plotted(problem, **fixed):
    return plot_solution(problem, lambda points: points[:, 0], lambda points: points[:, 0] ** 2, fixed)


def test_maps_are_shown_at_start_middle_and_end_with_one_scale_of_colours():
    figure = plotted(disk_in_time())
    titles = [axis.get_title() for axis in figure.axes if axis.get_title()]
    assert titles[:4] == ["u, t = 0", "u, t = 1", "u, t = 2", "u − reference, t = 0"] and len(titles) == 9
    assert figure.axes[0].get_aspect() == 1.0 and figure.get_suptitle() == ""
    limits = [axis.collections[0].get_clim() for axis in figure.axes[3:6]]
    assert limits == [(-2.0, 2.0)] * 3  # the error is largest at the end, where it is 2
    # A boundary that goes through the picture is a staircase of its points.
    assert len(slices.slices_of(disk_in_time())[0].grids[0]) == slices.FINE_GRID


def test_a_plot_at_given_values_of_coordinates():
    figure = plotted(disk_in_time(), t=0.5)
    assert figure.get_suptitle() == "t = 0.5" and figure.axes[1].get_title() == "reference u"
    (cut,) = slices.slices_of(disk_in_time(), x=0.5)
    assert cut.axes == (1, 2) and not cut.is_map and (cut.points[:, 0] == 0.5).all()
    assert plotted(disk_in_time(), x=0.5, t=1).axes[0].get_xlabel() == "y"
    (wide,) = slices.slices_of(problem_in(30), **{"x[7]": 0.25})
    said = slices.slice_text(problem_in(30), (wide,), {"x[7]": 0.25})
    assert said == "x[7] = 0.25, 27 other coordinates in the middle of the domain"


@pytest.mark.parametrize(
    ("fixed", "said"),
    [
        ({"z": 0.0}, "`plot` has no coordinate z"),
        ({"t": [0.0, 1.0]}, r"`t` has the shape \(2,\); expected one number"),
        ({"t": 3.0}, r"asks for t=3, where no point(.|\n)*plot\(t=1\)"),
        ({"x": 0.0, "y": 0.0, "t": 0.0}, "leaves no coordinate that varies"),
    ],
)
def test_values_that_a_plot_cannot_have_are_refused(fixed, said):
    with pytest.raises(dof.ArgumentError, match=said):
        plotted(disk_in_time(), **fixed)


def test_long_maps_fill_the_picture():
    beam = pde.residual("x y")(lambda u, x, y: u.laplacian)
    assert plotted(pde.Problem(beam, pde.Box([0, 0], [20, 1]))).axes[0].get_aspect() == "auto"
    assert plotted(pde.Problem(beam, pde.Box([0, 0], [2, 1]))).axes[0].get_aspect() == 1.0


@pde.residual("x t")
def heat(u, x, t, *, f):
    return u.t - u.xx - f


FEW = {"adam": 1, "newton": 0, "points": 4, "width": 4, "depth": 1, "error_points": 4}
HEAT = pde.Problem(
    heat,
    pde.Interval(0, 1) * pde.Time(0, 1),
    [pde.dirichlet(0.0, hard=True)],
    given={"f": lambda x, t: x + t},
)


@pytest.fixture(scope="module")
def solution():
    return dof.solve(HEAT, **FEW)


def test_a_solution_is_a_function_of_jax_at_any_precision(solution):
    point = np.array([0.3, 0.7])
    with dof.extend.enable_x64():
        u = solution.training.objective.u(solution.theta)
        slope, second = jax.jit(lambda z: (jax.grad(u)(z), jax.hessian(u)(z)))(point)
        np.testing.assert_allclose(jax.grad(solution)(point), slope, rtol=1e-12)
        residual = second[0, 0] * -1 + slope[1] - 1.0
    assert solution.d("x", "x")(point) == pytest.approx(float(second[0, 0]), rel=1e-10)
    assert solution.d("t")(np.stack([point] * 3)).tolist() == pytest.approx([float(slope[1])] * 3, rel=1e-10)
    assert solution.residual(point) == pytest.approx(float(residual), rel=1e-9)
    with dof.extend.enable_x64(False):
        single = jnp.asarray(point, jnp.float32)
        assert jax.grad(solution)(single).dtype == jax.jit(solution)(single).dtype == jnp.float32
        np.testing.assert_allclose(jax.grad(solution)(single), slope, rtol=1e-4)
        np.testing.assert_allclose(jax.vmap(solution)(single[None]), solution(point[None]), rtol=1e-4)
        assert solution(point).dtype == solution(0.3, 0.7).dtype == np.float64
    assert solution(0.3, 0.7) == solution(point)
    assert solution(np.linspace(0, 1, 5), 0.5).shape == (5,)
    with pytest.raises(dof.ArgumentError, match="3 arguments"):
        solution(0.1, 0.2, 0.3)


def test_points_among_the_names_of_a_derivative_are_refused(solution):
    with pytest.raises(dof.ArgumentTypeError, match=r"ndarray among the names(.|\n)*d\('x', 'x'\)\(points\)"):
        solution.d("x", "x", np.zeros((3, 2)))
    assert solution.plot(t=0.25).get_suptitle() == "t = 0.25"


def test_a_grid_has_the_values_and_nan_outside_of_the_domain():
    solution = dof.solve(problem_in(3), **FEW)
    axes, values = solution.grid(5, **{"x[2]": 0.25})
    assert list(axes) == ["x[0]", "x[1]"] and values.shape == (5, 5) and np.isnan(values[0, 0])
    assert values[3, 2] == pytest.approx(float(solution([axes["x[0]"][3], axes["x[1]"][2], 0.25])), rel=1e-12)
    with pytest.raises(dof.ArgumentError, match="`grid` leaves no coordinate that varies"):
        solution.grid(**{f"x[{i}]": 0.0 for i in range(3)})
    with pytest.raises(dof.ArgumentError, match="no coordinate z"):
        solution.grid(z=0.0)


def test_values_are_of_numpy_and_keep_their_digits_without_64_bit_numbers(solution):
    points = np.random.default_rng(0).random((3, 2))
    with dof.extend.enable_x64(False):
        values, slopes = solution(points), solution.d("x")(points)
        difference = values - np.full(3, 1 / 3)
    assert type(values) is type(slopes) is np.ndarray and difference.dtype == np.float64
    np.testing.assert_array_equal(difference, np.asarray(values) - 1 / 3)
    values[0] = 0.0  # their owner may change them


def test_coordinates_of_any_shape_are_broadcast(solution):
    x, t = np.meshgrid(np.linspace(0, 1, 3), np.linspace(0, 1, 4))
    values = solution(x, t)
    assert values.shape == (4, 3)
    np.testing.assert_array_equal(values, solution(np.stack([x, t], axis=-1)))
    np.testing.assert_array_equal(values.ravel(), solution(x.ravel(), t.ravel()))
    single = jnp.asarray(x), jnp.asarray(t)
    np.testing.assert_allclose(jax.jit(solution)(*single), values, rtol=1e-4, atol=1e-6)


def test_one_coordinate_is_given_by_its_values():
    line = pde.Problem(pde.residual("x")(lambda u, x: u.xx + 1), pde.Interval(0, 1), [pde.dirichlet(0.0, hard=True)])
    solution = dof.solve(line, **FEW)
    x = np.linspace(0, 1, 5)
    assert solution(x).shape == (5,) and solution(x[:, None]).shape == (5,) and solution(0.3).shape == ()
    np.testing.assert_array_equal(solution(x), solution(x[:, None]))
    assert solution(0.25) == solution([0.25]) and solution(x.reshape(5, 1, 1)).shape == (5, 1)


def test_derivatives_in_what_is_no_coordinate_are_refused_at_once(solution):
    with pytest.raises(dof.ArgumentError, match=r"Fix: solution\.d\('x'\)"):
        solution.d("y")


def test_points_of_lower_precision_beside_64_bit_numbers(solution):
    point = np.array([0.3, 0.7])
    exact = [solution.d("x")(point), solution.d("t")(point)]
    for is_double in (True, False, True):  # in turns: arrays that JAX kept in one precision are not used in the other
        with dof.extend.enable_x64(is_double):
            single, half = jnp.asarray(point, jnp.float32), jnp.asarray(point, jnp.float16)
            slope = jax.grad(solution)(single)
            assert slope.dtype == jnp.float32 and jax.jit(solution)(half).dtype == jnp.float16
            np.testing.assert_allclose(slope, exact, rtol=1e-4)


@pytest.mark.parametrize("is_double", [True, False])
def test_concrete_points_inside_of_a_compiled_function_keep_their_digits(solution, is_double):
    points, exact = np.random.default_rng(1).random((3, 2)), solution.d("x", "x")(np.ones(2))
    with dof.extend.enable_x64(is_double):
        sums = jax.jit(lambda a: a * jnp.asarray(solution(points) - solution(points[0])))(1.0)
        np.testing.assert_allclose(sums, solution(points) - solution(points[0]), rtol=1e-6)
        slope = jax.grad(lambda a: a * solution(jnp.ones(2)))(1.0)
        assert slope == pytest.approx(float(solution(np.ones(2))), rel=1e-6)
    assert solution.d("x", "x")(np.ones(2)) == exact


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda u: u(np.zeros(5), np.zeros(4)), r"coordinates of shapes \(5,\), \(4,\)"),
        (lambda u: jax.jit(u)(jnp.zeros(5), jnp.zeros(4)), r"coordinates of shapes \(5,\), \(4,\)"),
        (lambda u: u("a"), "`points` is given 'a'; expected real numbers"),
        (lambda u: u([[0.3, 0.5], [0.1]]), "expected real numbers"),
        (lambda u: u(np.array([0.3 + 1j, 0.5])), "complex numbers; expected real numbers"),
        (lambda u: u.d(1), "`solution.d` is given int among the names"),
        (lambda u: u.grid(5, t=[0.1, 0.2]), r"`t` has the shape \(2,\); expected one number"),
        (lambda u: u.grid(2.5), "`points` is 2.5; expected how many along each axis"),
        (lambda u: u.grid(0), "`points` is 0"),
    ],
)
def test_points_that_are_none_are_told_plainly(solution, call, said):
    with pytest.raises((dof.ArgumentError, dof.ArgumentTypeError), match=said):
        call(solution)


def test_arrays_of_numpy_in_a_problem_are_told_where_jax_has_no_64_bit_numbers():
    factors = np.array([1.0, 2.0])
    plane = pde.residual("x y")(lambda u, x, y: u.laplacian + factors @ jnp.array([x, y]))
    wall = pde.dirichlet(lambda x, y: factors @ jnp.array([x, y]), hard=True)
    solution = dof.solve(pde.Problem(plane, pde.Box([0, 0], [1, 1]), [wall]), **FEW)
    slope = [solution.d(name)([0.3, 0.7]) for name in "xy"]
    np.testing.assert_allclose(jax.grad(solution)(jnp.array([0.3, 0.7])), slope, rtol=1e-5)
    with dof.extend.enable_x64(False):
        point = jnp.array([0.3, 0.7])
        try:  # a JAX that keeps no NumPy array in the precision of its first use
            np.testing.assert_allclose(jax.grad(solution)(point), slope, rtol=1e-4)
        except dof.ArgumentError as error:
            assert "arrays of NumPy" in str(error) and "jax_enable_x64" in str(error)
