"""Points in blocks and directions in groups: the same numbers in less memory."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from oracle import assert_close, reference

RNG = np.random.default_rng(11)
N = 5
WEIGHTS = {"in": jnp.asarray(RNG.normal(size=(N, 8))), "out": jnp.asarray(RNG.normal(size=8))}
A, B = RNG.normal(size=(N, N)), RNG.normal(size=N)


def net(weights, x):
    return jnp.tanh(x @ weights["in"]) @ weights["out"]


L = dof.Operator(a=A, b=B, c=0.5)
G = L(net, argnums=1)
POINTS = jnp.asarray(RNG.normal(size=(23, N)))
CHUNKS = [1, 4, 23, 100, "auto", None]


@pytest.mark.parametrize("chunk", CHUNKS)
def test_batched_is_vmap(chunk):
    """Also its derivatives, in what the points share and in the points."""
    total = lambda apply, w, x: jnp.sum(jnp.sin(apply(w, x)))  # noqa: E731
    found, expected = (
        jax.jit(jax.value_and_grad(lambda w, x, apply=apply: total(apply, w, x), argnums=(0, 1)))(WEIGHTS, POINTS)
        for apply in (dof.batched(G, (None, 0), chunk), jax.vmap(G, (None, 0)))
    )
    assert_close(found, expected)


@pytest.mark.parametrize("size", [0, 1, 7, 8])
def test_any_number_of_points(size):
    points = POINTS[:size]
    both = jax.jit(lambda *args: (dof.batched(G, (None, 0), chunk=4)(*args), jax.vmap(G, (None, 0))(*args)))
    assert_close(*both(WEIGHTS, points))


def test_results_without_elements():
    got = dof.batched(dof.laplacian(jnp.tanh), chunk=2)(jnp.ones((5, 0)))
    assert got.shape == (5, 0)


def test_any_tree_and_axes():
    def g(tree, y, *, scale):
        return {"sum": tree["x"] + y[0], "both": (tree["s"] * y, scale)}

    args = {"x": POINTS[:6], "s": jnp.arange(6.0)}, jnp.ones((3, 6))
    axes = ({"x": 0, "s": 0}, 1)
    found = dof.batched(g, axes, chunk=4)(*args, scale=jnp.arange(6.0))
    assert_close(found, jax.vmap(g, axes)(*args, scale=jnp.arange(6.0)))
    alone = dof.batched(lambda w, x: x * w, in_axes=(None, -1), chunk=2)(2.0, POINTS)
    assert_close(alone, jax.vmap(lambda w, x: x * w, (None, -1))(2.0, POINTS))


def test_arguments_may_hold_none_where_a_tree_has_nothing():
    """As a network without biases does."""
    shared, mapped, points = {"w": 2.0, "bias": None}, {"y": jnp.arange(6.0), "z": None}, POINTS[:6]
    g = lambda p, x, q, *, aux: p["w"] * jnp.sum(x) * q["y"]  # noqa: E731
    for axes in ((None, 0, 0), ({"w": None, "bias": None}, 0, {"y": 0, "z": None})):
        found = dof.batched(g, axes, chunk=4)(shared, points, mapped, aux=None)
        assert_close(found, 2 * points.sum(axis=1) * mapped["y"])
    value, gradient = dof.value_and_grad(g, in_axes=0, chunk=4)(shared, points, mapped, aux=None)
    assert_close(value, jnp.mean(found))
    assert gradient["bias"] is None


@pytest.mark.parametrize("chunk", CHUNKS)
def test_gradient_of_the_mean(chunk):
    def point_loss(w, x, y):
        u = G(w, x)
        return (u - y) ** 2, {"u": u}

    targets, weights = jnp.arange(23.0), jnp.asarray(RNG.uniform(size=23)).at[3].set(0)

    def mean(w, how):
        losses, aux = jax.vmap(point_loss, (None, 0, 0))(w, POINTS, targets)
        return jnp.sum(how * losses) / jnp.sum(how), aux

    step = jax.jit(dof.value_and_grad(point_loss, has_aux=True, chunk=chunk))
    for given, how in ((None, jnp.ones(23)), (weights, weights)):
        assert_close(
            step(WEIGHTS, POINTS, targets, weights=given), jax.jit(jax.value_and_grad(mean, has_aux=True))(WEIGHTS, how)
        )


def test_gradient_in_several_arguments():
    loss = lambda w, x, s: (s * G(w, x)) ** 2  # noqa: E731
    found = jax.jit(dof.value_and_grad(loss, argnums=(2, 0), chunk=5))(WEIGHTS, POINTS, 2.0)
    mean = lambda s, w: jnp.mean(jax.vmap(lambda x: loss(w, x, s))(POINTS))  # noqa: E731
    assert_close(found, jax.jit(jax.value_and_grad(mean, argnums=(0, 1)))(2.0, WEIGHTS))


def test_a_point_without_weight_does_not_count():
    mean, weights = dof.value_and_grad(lambda a, x: a / x, chunk=2), jnp.array([1.0, 0, 1])
    assert_close(mean(1.0, jnp.array([1.0, 0.0, 2.0]), weights=weights)[0], 0.75)
    assert_close(mean(1.0, jnp.array([1.0, 5.0, 2.0]), weights=weights), (0.75, 0.75))


OPERATORS = {
    "dense": (lambda a: L, A, 0.5),
    "diagonal": (lambda a: dof.Operator(np.diag(A), B), np.diag(np.diag(A)), 0.0),
    "at_run_time": (lambda a: dof.Operator(a, B), A, 0.0),
}


def two_results(w, x):
    return net(w, x) * jnp.sum(x**2), jnp.sin(x[:2])


def with_gradient(apply):
    """The results of a function of weights, and the gradient of the first."""
    first = jax.grad(lambda w: jnp.sum(apply(w)[0]))
    return jax.jit(lambda w: (apply(w), first(w)))(WEIGHTS)


@cache
def by_oracle(name):
    _, a, c = OPERATORS[name]
    return with_gradient(lambda w: reference(a, B, c, lambda x: two_results(w, x))(POINTS[0]))


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("directions", [1, 2, 100])
def test_directions_in_groups(name, directions):
    operator, (expected, expected_slope) = OPERATORS[name][0], by_oracle(name)
    by_groups = lambda a, w: operator(a)(two_results, argnums=1, directions=directions)(w, POINTS[0])  # noqa: E731
    assert_close(jax.jit(by_groups)(A, WEIGHTS), expected)
    slope = jax.jit(jax.grad(lambda w: jnp.sum(by_groups(A, w)[0])))(WEIGHTS)
    assert_close(slope, expected_slope, 1e-9)


def temporary(function, *args):
    return jax.jit(function).lower(*args).compile().memory_analysis().temp_size_in_bytes


def test_memory_does_not_grow_with_the_batch():
    """1,000 and 100,000 points differ by what comes out, and by copies of what goes in."""
    loss, blocks = (lambda w, x: G(w, x) ** 2), dof.batched(G, (None, 0), 50)
    backwards = jax.grad(lambda w, x: jnp.mean(blocks(w, x) ** 2))
    for apply in (blocks, backwards, dof.value_and_grad(loss, chunk=50)):
        few, many = (temporary(apply, WEIGHTS, jnp.zeros((n, N))) for n in (1_000, 100_000))
        assert many - few <= 100_000 * 8 * (N + 3)


def test_groups_take_less_memory():
    x, w = jnp.ones(256), jnp.ones((256, 256))
    f = lambda w, x: jnp.sum(jnp.tanh(jnp.tanh(jnp.tanh(x @ w) @ w) @ w))  # noqa: E731
    whole, groups = (temporary(dof.laplacian(f, argnums=1, directions=d), w, x) for d in (None, 8))
    assert groups < whole / 8


def _mean_by_vmap(w, points):
    return jnp.mean(jax.vmap(lambda x: L(net, argnums=1)(w, x))(points) ** 2)


def _mean_by_blocks(w, points):
    return jnp.mean(dof.batched(L(net, argnums=1), in_axes=(None, 0))(w, points) ** 2)


@pytest.mark.parametrize(
    "loss", [_mean_by_vmap, _mean_by_blocks, lambda w, points: jnp.sum(points[:, 0] * w["out"][0])]
)
@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_loss_of_the_whole_batch_is_told_that_it_gets_one_point(loss, is_compiled):
    apply = dof.value_and_grad(loss)
    message = rf"`point_loss` is a loss of the whole batch.*\({N},\).*mean over the {len(POINTS)} points.\n  Fix: "
    with pytest.raises(dof.ArgumentError, match=message) as caught:
        (jax.jit(apply) if is_compiled else apply)(WEIGHTS, POINTS)
    assert caught.value.__cause__ is not None


def test_other_errors_of_a_loss_stay_as_they_are():
    def loss(w, x):
        raise ValueError("of the user")

    with pytest.raises(ValueError, match="of the user") as caught:
        dof.value_and_grad(loss)(WEIGHTS, POINTS)
    assert any(f"`point_loss` gets one point here, of shape ({N},)" in note for note in caught.value.__notes__)


def test_arguments_of_different_sizes_are_told_by_their_shapes():
    with pytest.raises(dof.ArgumentError, match=r"4 points to an array of shape \(2, 4\) and 5 .* shape \(5, 2\)"):
        dof.batched(jnp.matmul, in_axes=(1, 0))(jnp.ones((2, 4)), jnp.ones((5, 2)))


BAD = {
    "chunk_zero": (lambda: dof.batched(G, chunk=0), "chunk"),
    "chunk_negative": (lambda: dof.value_and_grad(G, chunk=-3), "chunk"),
    "chunk_float": (lambda: dof.batched(G, chunk=2.5), "chunk"),
    "chunk_word": (lambda: dof.batched(G, chunk="all"), "chunk"),
    "axes_that_do_not_fit": (lambda: dof.batched(G, (None, 0, 0))(WEIGHTS, POINTS), "in_axes"),
    "axis_that_is_not_there": (lambda: dof.batched(G, (None, 2))(WEIGHTS, POINTS), "in_axes"),
    "axis_float": (lambda: dof.batched(G, (None, 0.5))(WEIGHTS, POINTS), "in_axes"),
    "no_batch": (lambda: dof.batched(G, None)(WEIGHTS, POINTS[0]), "in_axes"),
    "sizes": (lambda: dof.batched(jnp.add)(jnp.ones(3), jnp.ones(4)), "in_axes"),
    "mesh_alone": (lambda: dof.batched(G, mesh=jax.make_mesh((1,), ("points",))), "mesh"),
    "mesh_axis": (lambda: dof.batched(G, mesh=jax.make_mesh((1,), ("points",)), axis="x"), "axis"),
    "weights": (lambda: dof.value_and_grad(G)(WEIGHTS, POINTS, weights=jnp.ones(3)), "weights"),
    "loss": (lambda: dof.value_and_grad(lambda w, x: x)(WEIGHTS, POINTS), "point_loss"),
    "directions": (lambda: L(net, directions=0), "directions"),
    "structure": (lambda: L(net, structure="some"), "structure"),
    "cut": (lambda: L(net, cut="none"), "cut"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    call, argument = BAD[name]
    with pytest.raises(dof.DofError, match=rf"`{argument}` .*\n  Fix: "):
        call()


def test_shared_arguments_may_have_leaves_that_are_no_arrays():
    model = {"in": jnp.arange(12.0).reshape(4, 3) / 10, "activation": jnp.tanh, "name": "net"}
    of_model = dof.laplacian(lambda model, x: jnp.sum(model["activation"](model["in"] @ x)), argnums=1)
    x = jnp.linspace(-1, 1, 15).reshape(5, 3)
    found = dof.batched(of_model, in_axes=(None, 0), chunk=2)(model, x)
    np.testing.assert_allclose(found, jax.vmap(of_model, (None, 0))(model, x), rtol=1e-5)
