"""Residuals as on paper, against nested differentiation written out by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.directions.matrix_forms import dense
from dof.operators.coordinates import Coordinates
from dof.pde.planning.evaluate import plan_of


def normal(*shape, seed=0):
    """The same numbers for a shape in every test, whatever ran before."""
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape))


W1, W2, W3 = normal(12, 3), normal(12, 12, seed=1), normal(3, 12, seed=2)


def net3(z):
    """Three fields of up to three coordinates."""
    return W3 @ jnp.tanh(W2 @ jnp.tanh(W1[:, : z.size] @ z) + 0.3)


def net(z):
    return net3(z)[0]


class By:
    """Derivatives of a function at a point, by nested differentiation: By(f, z)(0, 1) is ∂²f/∂z_0∂z_1."""

    def __init__(self, f, z):
        self.value, self.gradient, self.hessian = f(z), jax.jacfwd(f)(z), jax.hessian(f)(z)

    def __call__(self, *places):
        array = self.gradient if len(places) == 1 else self.hessian
        for place in places:
            array = array[..., place] if len(places) == 1 else array
        return array if len(places) == 1 else array[..., places[0], places[1]]


@pde.residual("x t")
def klein_gordon(u, x, t):
    return u.tt - u.xx + u**3 - jnp.sin(x) * t


@pde.residual("x t")
def burgers(u, x, t, *, nu=0.1):
    return u.t + u * u.x - nu * u.xx


@pde.residual("x y")
def monge_ampere(u, x, y):
    return u.xx * u.yy - u.xy**2 - x


@pde.residual("x y")
def along_the_diagonal(u, x, y):
    return u.xx + 2 * u.xy + u.yy


@pde.residual("x y")
def mixed_alone(u, x, y):
    return jnp.exp(u) * u.xy


@pde.residual("x t")
def variable(u, x, t):
    return u.t - (1 + x**2) * u.xx - 2 * x * u.x


@pde.residual("x t")
def stepped(u, x, t):
    return u.t + jnp.where(u.xx > 0, 2.0, 3.0) + jnp.floor(u.xx) - jnp.abs(u.x)


@pde.residual("x t")
def frozen(u, x, t):
    return u.t - jax.lax.stop_gradient(u) * u.xx


@pde.residual("x t")
def twice(u, x, t):
    half = 0.5 * u.xx
    return u.t - half, half * u


@pde.residual("r theta")
def polar(u, r, theta):
    return u.d("r", "r") + u.r / r + u.d("theta", "theta") / r**2 + u.rtheta


@pde.residual("x y")
def anisotropic(u, x, y):
    return (1 + x**2) * u.xx + 2 * jnp.sin(x * y) * u.xy + jnp.exp(y) * u.yy - u**2 * u.x


@pde.residual("x y t")
def anisotropic_in_time(u, x, y, t):
    return u.t - (1 + x**2) * u.xx - x * t * u.xy - (2 + jnp.cos(y)) * u.yy + y * u.x


@pde.residual("x y t")
def rank_one_and_more(u, x, y, t):
    return u.xx + 2 * u.xy + u.yy - u * u.t, u.t - x * u.xx


@pde.residual("x y t")
def two_equations(u, x, y, t):
    return u.t - x * u.xx + u**2, y**2 * u.t - jnp.where(x > 0, u.yy, 0.0) * t - u.x


@pde.residual("x t")
def greatest(u, x, t):
    return jnp.zeros(2).at[0].max(u.xx) + u.t


@pde.residual("x t")
def singular(u, x, t):
    return u.t - u.xx / x


CASES = {
    "klein_gordon": (klein_gordon, lambda d, x, t: d(1, 1) - d(0, 0) + d.value**3 - jnp.sin(x) * t, (2, 1)),
    "burgers": (burgers, lambda d, x, t: d(1) + d.value * d(0) - 0.1 * d(0, 0), (1, 1)),
    "monge_ampere": (monge_ampere, lambda d, x, y: d(0, 0) * d(1, 1) - d(0, 1) ** 2 - x, (3, 3)),
    "along_the_diagonal": (along_the_diagonal, lambda d, x, y: d(0, 0) + 2 * d(0, 1) + d(1, 1), (1, 1)),
    "mixed_alone": (mixed_alone, lambda d, x, y: jnp.exp(d.value) * d(0, 1), (2, 1)),
    "variable": (variable, lambda d, x, t: d(1) - (1 + x**2) * d(0, 0) - 2 * x * d(0), (1, 1)),
    "stepped": (
        stepped,
        lambda d, x, t: d(1) + jnp.where(d(0, 0) > 0, 2.0, 3.0) + jnp.floor(d(0, 0)) - jnp.abs(d(0)),
        (1, 2),
    ),
    "frozen": (frozen, lambda d, x, t: d(1) - d.value * d(0, 0), (1, 2)),
    "polar": (polar, lambda d, r, theta: d(0, 0) + d(0) / r + d(1, 1) / r**2 + d(0, 1), (2, 1)),
    "anisotropic": (
        anisotropic,
        lambda d, x, y: (1 + x**2) * d(0, 0) + 2 * jnp.sin(x * y) * d(0, 1) + jnp.exp(y) * d(1, 1) - d.value**2 * d(0),
        (2, 1),
    ),
    "anisotropic_in_time": (
        anisotropic_in_time,
        lambda d, x, y, t: d(2) - (1 + x**2) * d(0, 0) - x * t * d(0, 1) - (2 + jnp.cos(y)) * d(1, 1) + y * d(0),
        (3, 1),
    ),
    "rank_one_and_more": (
        rank_one_and_more,
        lambda d, x, y, t: (d(0, 0) + 2 * d(0, 1) + d(1, 1) - d.value * d(2), d(2) - x * d(0, 0)),
        (2, 3),
    ),
    "two_equations": (
        two_equations,
        lambda d, x, y, t: (
            d(2) - x * d(0, 0) + d.value**2,
            y**2 * d(2) - jnp.where(x > 0, d(1, 1), 0.0) * t - d(0),
        ),
        (2, 2),
    ),
    "greatest": (greatest, lambda d, x, t: jnp.stack([jnp.maximum(d(0, 0), 0), 0.0]) + d(1), (1, 2)),
    "singular": (singular, lambda d, x, t: d(1) - d(0, 0) / x, (1, 1)),
}


@pytest.mark.parametrize("name", CASES)
def test_residuals_are_those_of_nested_differentiation(name):
    problem, expected, _ = CASES[name]
    points = normal(7, problem.coordinates.count)
    both = lambda z: (problem(net)(z), problem.by_hessian(net)(z))  # noqa: E731
    by_hand = jax.vmap(lambda z: expected(By(net, z), *z))
    of_all, of_first, by_hand = jax.jit(lambda z: (both(z), both(z[0]), by_hand(z)))(points)
    assert_close(of_all, (by_hand, by_hand))
    first = jax.tree.map(lambda leaf: np.asarray(leaf)[0], by_hand)
    assert_close(of_first, (first, first))


def assert_close(found, expected, rtol=1e-9):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-9), found, expected)


@pytest.mark.parametrize("name", CASES)
def test_plans_take_no_more_than_they_need(name):
    problem, _, (directions, channels) = CASES[name]
    assert (problem.plan.directions, problem.plan.channels) == (directions, channels)
    assert f"cost of {1 + directions + channels} forward passes" in str(problem.plan)


def test_the_gradient_of_a_complex_network():
    @pde.residual("x y")
    def sum_of_slopes(u, x, y):
        return u.x + jnp.sum(pde.grad(u))

    wave = lambda z: jnp.exp(1j * (z[0] + 2 * z[1]))  # noqa: E731
    z = np.array([0.3, 0.4])
    np.testing.assert_allclose(sum_of_slopes(wave)(z), 4j * wave(z), rtol=1e-12)
    np.testing.assert_allclose(sum_of_slopes.by_hessian(wave)(z), 4j * wave(z), rtol=1e-12)


def test_the_plan_of_a_problem_does_not_know_its_unknowns():
    """With a = 1 known, the operator has rank one; in training, a is traced."""

    @pde.residual("x y")
    def mixed(u, x, y, *, a):
        return u.xx + 2 * a * u.xy + u.yy

    box = pde.Box([0, 0], [1, 1])
    known = mixed.plan_with({"a": 1.0})
    problem = pde.Problem(mixed, box, [pde.dirichlet(0.0)], unknowns={"a": 1.0})
    assert (known.directions, problem.plan.directions) == (1, 2)


def test_several_equations():
    points = normal(4, 2)
    by_hand = lambda d: (d(1) - d(0, 0) / 2, d(0, 0) / 2 * d.value)  # noqa: E731
    both = jax.jit(lambda points: (twice(net)(points), jax.vmap(lambda z: by_hand(By(net, z)))(points)))
    assert_close(*both(points))


@pde.residual("x y t", fields="u[2] p")
def navier_stokes(u, p, x, y, t, *, nu):
    return pde.dt(u) + pde.advect(u, u) + pde.grad(p) - nu * pde.laplacian(u), pde.div(u)


def taylor_green(z, nu=0.1):
    x, y, t = z
    decay = jnp.exp(-2 * nu * t)
    u = jnp.cos(x) * jnp.sin(y) * decay, -jnp.sin(x) * jnp.cos(y) * decay
    return jnp.stack([*u, -(jnp.cos(2 * x) + jnp.cos(2 * y)) / 4 * decay**2])


def test_navier_stokes_of_taylor_green_is_zero():
    points = normal(5, 3)
    (momentum, divergence), (other, _) = jax.jit(
        lambda points: [navier_stokes(taylor_green, nu=nu)(points) for nu in (0.1, 0.2)]
    )(points)
    assert momentum.shape == (5, 2) and divergence.shape == (5,)
    assert np.abs(momentum).max() < 1e-12 and np.abs(divergence).max() < 1e-12
    assert np.abs(other).max() > 1e-2


def test_navier_stokes_of_a_network():
    points = normal(3, 3)

    def by_hand(z):
        d = By(net3, z)
        u, gradient = d.value[:2], d.gradient[:2, :2]
        momentum = d(2)[:2] + gradient @ u + d.gradient[2, :2] - 0.3 * (d(0, 0) + d(1, 1))[:2]
        return momentum, jnp.trace(gradient)

    assert_close(*jax.jit(lambda points: (navier_stokes(net3, nu=0.3)(points), jax.vmap(by_hand)(points)))(points))
    assert navier_stokes.plan.directions == 2 and navier_stokes.plan.columns == 4


@pde.residual("x y", fields="u[2]")
def components(u, x, y):
    return u[0].xx + u[1].xy, u[0] * u[1].y - u.x[1]


def test_components():
    z = jnp.array([0.3, -0.7])
    two = lambda z: net3(z)[:2]  # noqa: E731
    by_hand = lambda d: (d(0, 0)[0] + d(0, 1)[1], d.value[0] * d(1)[1] - d(0)[1])  # noqa: E731
    assert_close(*jax.jit(lambda z: (components(two)(z), by_hand(By(two, z))))(z))


@pde.residual("x[6] t")
def high_dimensional(u, x, t):
    return u.t - u.laplacian + x @ u.x


def wide(z):
    return jnp.sin(jnp.sum(z**2) + z[0] * z[-1])


def test_many_coordinates():
    points = normal(4, 7)

    def by_hand(z):
        d = By(wide, z)
        return d(6) - jnp.trace(d.hessian[:6, :6]) + z[:6] @ d.gradient[:6]

    assert_close(*jax.jit(lambda points: (high_dimensional(wide)(points), jax.vmap(by_hand)(points)))(points))
    assert high_dimensional.plan.directions == 6 and high_dimensional.plan.columns == 8


def test_ten_thousand_coordinates_are_planned_at_once():
    @pde.residual("x[10000] t")
    def heat(u, x, t):
        return u.t - u.laplacian

    z = normal(10001) / 100
    f = lambda z: jnp.exp(z[-1]) * jnp.sum(jnp.sin(z[:-1]))  # noqa: E731
    np.testing.assert_allclose(heat(f)(z), 2 * f(z), rtol=1e-6)


def test_operators_of_the_user():
    L = dof.Operator(a=jnp.array([[1.0, 0.2], [0.2, 2.0]]), b=lambda z: -z, c=3.0)

    @pde.residual("x y")
    def stationary(u, x, y):
        return u.apply(L) - u**2 + u.x

    z = jnp.array([0.3, -0.7])
    expected = jax.jit(lambda z: L(net)(z) - net(z) ** 2 + jax.grad(net)(z)[0])(z)
    np.testing.assert_allclose(stationary(net)(z), expected, rtol=1e-9)


SIGMA = normal(2, 7) * np.array([1.0] * 6 + [0.0])
DIFFUSION = dof.Operator(a=lambda z: dof.Factored(SIGMA * (1 + z[0] ** 2)), b=lambda z: -z, c=lambda z: z[1])
ALONG_SIGMA = dof.Operator(a=SIGMA.T @ SIGMA)


@pde.residual("x[6] t")
def diffusion(u, x, t):
    return u.t - jnp.exp(t) * u.apply(DIFFUSION) + u**2


@pde.residual("x[6] t")
def scaled_diffusion(u, x, t):
    return u.t - jnp.exp(t) * u.apply(ALONG_SIGMA) + u**2


def with_operator(L):
    """u_t − eᵗ L u + u², by nested differentiation"""

    def by_hand(z):
        d, e = By(wide, z), L.at(z, Coordinates.of(z))
        first = 0 if e.b is None else e.b @ d.gradient
        zeroth = 0 if e.c is None else e.c
        a = sum(map(dense, e.a))
        return d(6) - jnp.exp(z[6]) * (jnp.sum(a * d.hessian) + first + zeroth * d.value) + d.value**2

    return by_hand


@pytest.mark.parametrize(("problem", "L"), [(diffusion, DIFFUSION), (scaled_diffusion, ALONG_SIGMA)])
def test_operators_of_the_user_merge_with_their_rank(problem, L):
    points = normal(4, 7)
    expected = jax.jit(jax.vmap(with_operator(L)))(points)
    both = jax.jit(lambda points: (problem(wide)(points), problem.by_hessian(wide)(points)))
    assert_close(both(points), (expected, expected))
    assert (problem.plan.directions, problem.plan.channels) == (2, 1)


@pytest.mark.parametrize(
    ("problem", "f", "parameters"),
    [
        (navier_stokes, net3, {"nu": 0.3}),
        (components, lambda z: net3(z)[:2], {}),
        (high_dimensional, wide, {}),
        (twice, net, {}),
    ],
)
def test_the_whole_hessian_gives_the_same(problem, f, parameters):
    points = normal(3, problem.coordinates.count)
    both = jax.jit(lambda points: [at(f, **parameters)(points) for at in (problem, problem.by_hessian)])
    assert_close(*both(points))


def test_first_derivatives_alone_take_no_hessian():
    @pde.residual("x t")
    def transport(u, x, t):
        return u.t + x * u.x

    once = jax.custom_vjp(net)  # has no forward derivative, which a Hessian would take
    once.defvjp(lambda z: (net(z), z), lambda z, g: (g * jax.grad(net)(z),))
    z = jnp.array([0.3, -0.7])
    assert_close(transport.by_hessian(once)(z), transport(net)(z))


@pde.residual("x y t")
def inverse(u, x, y, t, *, nu, w):
    a = jnp.tanh(w @ jnp.stack([x, y]))
    return u.t + u * u.x - nu * (u.xx + a[0] * u.xy + (1 + a[1]) * u.yy)


def test_traced_parameters_and_coefficient_networks():
    points = normal(5, 3)
    w = normal(2, 2)

    def by_hand(nu, w, scale, z):
        d, a = By(lambda z: scale * net(z), z), jnp.tanh(w @ z[:2])
        return d(2) + d.value * d(0) - nu * (d(0, 0) + a[0] * d(0, 1) + (1 + a[1]) * d(1, 1))

    def loss(nu, w, scale, points):
        return jnp.mean(inverse(lambda z: scale * net(z), nu=nu, w=w)(points) ** 2)

    def loss_by_hand(nu, w, scale, points):
        return jnp.mean(jax.vmap(lambda z: by_hand(nu, w, scale, z))(points) ** 2)

    arguments = (0.3, w, 1.2, points)
    found, expected = (jax.jit(jax.value_and_grad(f, argnums=(0, 1, 2, 3))) for f in (jax.jit(loss), loss_by_hand))
    assert_close(found(*arguments), expected(*arguments))

    @jax.jit
    def for_each(nus):
        each = jax.vmap(lambda nu: inverse(net, nu=nu, w=w)(points))(nus)
        return each, jax.vmap(lambda nu: jax.vmap(lambda z: by_hand(nu, w, 1.0, z))(points))(nus)

    assert_close(*for_each(np.linspace(0.1, 0.5, 3)))


def test_traced_parameters_merge_as_known_ones_do():
    widths = []

    def of_nu(nu):
        _, planned = plan_of(burgers, jax.ShapeDtypeStruct((), float), jnp.ones(2), {"nu": nu})
        widths.append(planned.plan.columns)
        return nu

    jax.jit(of_nu)(0.1), of_nu(0.1)
    assert widths == [3, 3]


def test_coefficients_that_are_no_numbers_are_seen():
    assert jnp.isnan(burgers(net, nu=jnp.nan)(jnp.ones(2)))
    assert not jnp.isfinite(singular(net)(jnp.zeros(2)))


def test_single_precision_stays_single():
    single = lambda z: net(z.astype(jnp.float32)).astype(jnp.float32)  # noqa: E731
    points = normal(4, 2).astype(jnp.float32)
    found, in_double = jax.jit(lambda p: (anisotropic(single)(p), anisotropic(net)(p.astype(float))))(points)
    assert found.dtype == jnp.float32
    assert_close(found, in_double, rtol=1e-4)


def test_derivatives_in_parameters():
    z = jnp.array([0.3, -0.7])
    loss = lambda nu, w: burgers(lambda z: w * net(z), nu=nu)(z) ** 2  # noqa: E731
    by_hand = lambda nu, w: (w * By(net, z)(1) + w**2 * net(z) * By(net, z)(0) - nu * w * By(net, z)(0, 0)) ** 2  # noqa: E731
    found, expected = (jax.jit(jax.grad(f, argnums=(0, 1)))(0.2, 1.3) for f in (loss, by_hand))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_in_a_training_step():
    points = normal(6, 2)
    point_loss = lambda w, z: klein_gordon(lambda z: w * net(z))(z) ** 2  # noqa: E731
    step = jax.jit(dof.value_and_grad(point_loss, chunk=4))
    whole = lambda w: jnp.mean(klein_gordon(lambda z: w * net(z))(points) ** 2)  # noqa: E731
    np.testing.assert_allclose(step(1.5, points), jax.jit(jax.value_and_grad(whole))(1.5), rtol=1e-9)


def decorate(text, function, **options):
    return pde.residual(text, **options)(function)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (lambda: decorate("x t", lambda u, x, t: u.y)(net)(jnp.ones(2)), "coordinates are x t"),
        (lambda: decorate("x[2] t", lambda u, x, t: u.d("x", "x", "t"))(net)(jnp.ones(3)), "order 3 in x"),
        (lambda: decorate("x t", lambda u, x, t: u.d("y"))(net)(jnp.ones(2)), "coordinates of x t"),
        (lambda: decorate("x[3]", lambda u, x: u.xx)(net)(jnp.ones(3)), "u.laplacian"),
        (lambda: decorate("x t", lambda u, x, t: u[0])(net)(jnp.ones(2)), "single number"),
        (lambda: decorate("x t", lambda u, t, x: u), "expected (u, x, t)"),
        (lambda: decorate("x x", lambda u, x: u), "names that differ"),
        (lambda: decorate("x-y", lambda u, x: u), "`coordinates`"),
        (lambda: klein_gordon(net3)(jnp.ones(2)), "`net` returns shape (3,)"),
        (
            lambda: decorate("x t", lambda u, x, t: u.apply(dof.Operator(a=2.0)))(net)(jnp.ones(2)),
            "`apply` is an operator made inside",
        ),
        (lambda: klein_gordon.at_point(net, jnp.ones(2), {}, "fd"), "`method` is 'fd'"),
        (lambda: klein_gordon(net)(jnp.ones(3)), "`points` has shape (3,)"),
        (lambda: decorate("x y t", lambda u, x, y, t: pde.div(u), fields="u[3]")(net3)(jnp.ones(3)), "components"),
    ],
)
def test_mistakes_are_told(run, said):
    with pytest.raises((dof.errors.DofError, AttributeError)) as error:
        run()
    assert said in str(error.value)


def test_the_users_function_runs_twice_for_the_first_trace_and_once_for_later_ones():
    runs = []

    @pde.residual("x t")
    def heat(u, x, t, *, k=0.3):
        runs.append(k)
        return u.t - k * u.xx + u**2

    net = lambda z: jnp.sin(z[0]) * jnp.exp(-z[1])  # noqa: E731
    first = heat(net)(jnp.ones(2))
    assert len(runs) == 2
    again = heat(net)(jnp.ones(2))
    assert len(runs) == 3
    assert first == again


def test_a_residual_that_reads_something_else_later_is_traced_anew():
    order = [2]

    @pde.residual("x t")
    def changing(u, x, t):
        return u.x if order[0] == 1 else u.xx

    net = lambda z: jnp.sin(2 * z[0]) + z[1]  # noqa: E731
    point = jnp.array([0.3, 0.1])
    assert_close(changing(net)(point), -4 * jnp.sin(0.6))
    order[0] = 1
    assert_close(changing(net)(point), 2 * jnp.cos(0.6))


def test_a_cached_plan_does_not_keep_what_was_traced():
    @pde.residual("x y")
    def mixed(u, x, y, *, k):
        return k * u.xy + u.xx

    net = lambda z: z[0] ** 2 * z[1]  # noqa: E731
    of_k = jax.jit(lambda k: mixed(net, k=k)(jnp.array([1.0, 2.0])))
    for k in (1.0, -2.0):
        assert_close(of_k(k), k * 2.0 + 4.0)
        assert_close(mixed(net, k=k)(jnp.array([1.0, 2.0])), k * 2.0 + 4.0)
    with jax.checking_leaks():
        assert_close(jax.jit(lambda k: mixed(net, k=k)(jnp.array([1.0, 2.0])))(3.0), 10.0)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda u, x: None, "`residual` returns None; expected a residual"),
        (lambda u, x: (u.xx, None), "`residual` returns None; expected a residual for each equation"),
        (lambda u, x: "u.xx", "`residual` returns 'u.xx'; expected a residual for each equation"),
        (lambda u, x: u.xx == -1, "returns whether something holds; expected a number"),
        (lambda u, x: (), r"returns \(\); expected a residual"),
        (lambda u, x: u(x), r"`u\(x\)`.* calls a field, which stands for its value"),
    ],
)
def test_a_residual_that_is_none_and_a_field_that_is_called_are_told(function, said):
    with pytest.raises(ValueError if "returns" in said else TypeError, match=said):
        pde.residual("x")(function)(lambda z: z[0] ** 2)([0.5])
