"""Tangents keep, for each element, only the directions it depends on."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import block_diag

import dof
from dof.directions.sparse_rows import EMPTY
from dof.jaxpr.registry import RECORDS
from dof.triples.slots import Slots, collapse, compressed, merge, uniform
from oracle import assert_close, normal, reference, reference_at

BLOCKS, SIZE, WIDTH = 4, 3, 5
N = BLOCKS * SIZE
W1 = normal(BLOCKS, SIZE, WIDTH, seed=1)
W2 = normal(BLOCKS, WIDTH, WIDTH, seed=2) / 2
X = jnp.asarray(normal(N, seed=3))


def assert_same(L, f, a, x=X, tolerance=1e-10):
    """L f is that of the matrix a; both are one program."""
    assert_close(*jax.jit(lambda x: (L(f)(x), reference(a, 0 * x, 0.0, f)(x)))(x), tolerance)


def slots(f, L, x=X, **options):
    """The most directions that any value keeps for each of its elements."""
    return max(equation.slots for equation in dof.explain(L, f, x, cut=None, **options).equations)


def by_einsum(x):
    h = jnp.tanh(jnp.einsum("bi,bio->bo", x.reshape(BLOCKS, SIZE), W1))
    return jnp.tanh(jnp.einsum("bi,bio->bo", h, W2))


def by_vmap(x):
    return jax.vmap(lambda x, w, v: jnp.tanh(jnp.tanh(x @ w) @ v))(x.reshape(BLOCKS, SIZE), W1, W2)


def by_loop(x):
    return [jnp.tanh(jnp.tanh(x[SIZE * n : SIZE * (n + 1)] @ W1[n]) @ W2[n]) for n in range(BLOCKS)]


def shared_weights(x):
    return jax.nn.gelu(jnp.tanh(x.reshape(BLOCKS, SIZE) @ W1[0]) @ W2[0])


def by_scan(x):
    first = jnp.tanh(jnp.einsum("bi,bio->bo", x.reshape(BLOCKS, SIZE), W1))
    layers = jnp.stack([W2, W2**2, -W2])
    return jax.lax.scan(lambda h, w: (jnp.tanh(jnp.einsum("bi,bio->bo", h, w)), None), first, layers)[0]


def checkpointed(x):
    return jax.checkpoint(by_einsum)(x)


def by_cond(x):
    return jax.lax.cond(x[0] > 0, by_einsum, lambda x: by_einsum(2 * x), x)


NETWORKS = [by_einsum, by_vmap, by_loop, shared_weights, by_scan, checkpointed, by_cond]

full = normal(BLOCKS, SIZE, SIZE, seed=4)
thin = normal(BLOCKS, SIZE, 2, seed=5)
MATRICES = {
    "identity": (np.tile(np.eye(SIZE), (BLOCKS, 1, 1)), SIZE),
    "elliptic": (full @ full.swapaxes(1, 2), SIZE),
    "rank_two": (thin @ thin.swapaxes(1, 2), 2),
    "indefinite": (np.tile(np.diag([-1.0, 1, 1]), (BLOCKS, 1, 1)), SIZE),
}


def dense(blocks):
    return block_diag(*blocks)


CASES = [(network, "elliptic") for network in NETWORKS] + [(by_einsum, name) for name in MATRICES if name != "elliptic"]


@pytest.mark.parametrize("network, name", CASES, ids=[f"{network.__name__}-{name}" for network, name in CASES])
def test_blocks(network, name):
    """Given as blocks, as a plain array with that pattern, and known at run time only."""
    blocks, kept = MATRICES[name]
    product = lambda x: jnp.sum(jnp.prod(jnp.stack(list(network(x))), axis=0))  # noqa: E731
    of_matrix = lambda a: dof.Operator(a=a, b=np.ones(N), c=0.5)  # noqa: E731
    as_blocks, as_array = map(of_matrix, (dof.BlockDiagonal(blocks), dense(blocks)))
    assert slots(network, as_blocks) == slots(network, as_array) == kept

    @jax.jit
    def all_forms(blocks_at_run_time, x):
        forms = as_blocks, as_array, of_matrix(dof.BlockDiagonal(blocks_at_run_time))
        return [L(product)(x) for L in forms], reference(dense(blocks), np.ones(N), 0.5, product)(x)

    found, expected = all_forms(blocks, X)
    assert_close(found, [expected] * 3)


def test_under_vmap_and_grad():
    L, f = dof.Operator(a=dof.BlockDiagonal(full)), lambda x: jnp.sum(jnp.prod(by_einsum(x), axis=0))
    symmetric = dense((full + full.swapaxes(1, 2)) / 2)
    batch = jnp.stack([X, 2 * X])
    by_oracle = reference(symmetric, np.zeros(N), 0.0, f)
    mapped = jax.jit(lambda batch: [jax.vmap(jax.grad(g))(batch) for g in (L(f), by_oracle)])
    assert_close(*mapped(batch))
    twice = jax.jit(lambda x: (dof.laplacian(L(f))(x), reference(np.eye(N), np.zeros(N), 0.0, by_oracle)(x)))
    assert_close(*twice(X), 1e-9)


def test_pairs_of_particles():
    """A distance depends on the coordinates of two particles, and a sum of pair potentials has no dense tangents."""

    def distances(x):
        r = x.reshape(BLOCKS, SIZE)
        return jnp.sqrt(jnp.sum((r[:, None] - r[None]) ** 2, axis=-1) + 0.1)

    assert slots(distances, dof.laplacian) == 2 * SIZE
    potential = lambda x: jnp.sum(jnp.exp(-distances(x)))  # noqa: E731
    assert_same(dof.laplacian, potential, np.eye(N))


def test_separable():
    features = lambda x: jnp.tanh(x[:, None] * W1.reshape(N, WIDTH))  # noqa: E731
    assert slots(features, dof.laplacian) == 1
    f = lambda x: jnp.sum(jnp.prod(features(x), axis=0))  # noqa: E731
    assert_same(dof.laplacian, f, np.eye(N))


MOVES = {
    "reshape": (lambda x: x.reshape(3, 4)[None], 1),
    "transpose": (lambda x: x.reshape(3, 4).T, 1),
    "slice": (lambda x: x[2:9:3], 1),
    "reverse": (lambda x: x[::-1], 1),
    "concatenate": (lambda x: jnp.concatenate([x[:2], jnp.ones(3), x[5:]]), 1),
    "stack": (lambda x: jnp.stack([x[:3], x[6:9]]), 1),
    "split": (lambda x: jnp.split(x, 3)[1], 1),
    "broadcast": (lambda x: jnp.broadcast_to(x[:, None], (N, 2)), 1),
    "sum": (lambda x: jnp.sum(x.reshape(4, 3), axis=1), 3),
    "cumsum": (lambda x: jnp.cumsum(x.reshape(4, 3), axis=1), 3),
    "where": (lambda x: jnp.where(x > 0, jnp.sin(x), x**2), 1),
    "sub": (lambda x: x[:6] - x[6:], 2),
    "outer": (lambda x: x[:6, None] * x[6:], 2),
    "same": (lambda x: x * jnp.sin(x), 1),
    "take": (lambda x: x[np.array([3, -1, 0, 3])] ** 2, 1),
    "take_or_fill": (lambda x: jnp.take(x, np.array([3, 99, 0]), mode="fill", fill_value=2.0), 1),
    "pad": (lambda x: jnp.pad(x, (2, 1))[1:9], 1),
    "tile": (lambda x: jnp.tile(x[:3], 2), 1),
    "dynamic_slice": (lambda x: jax.lax.dynamic_slice(x, (2,), (4,)), 1),
    "inner": (lambda x: jnp.einsum("ij,ij->i", x.reshape(4, 3), jnp.sin(x).reshape(4, 3)), 3),
    "outer_product": (lambda x: jnp.einsum("bi,bj->bij", x.reshape(4, 3), jnp.sin(x).reshape(4, 3)), 2),
    "roll": (lambda x: jnp.roll(x, 1) * x, 2),
    "pairs": (lambda x: x[np.triu_indices(N, 1)[0]] - x[np.triu_indices(N, 1)[1]], 2),
    "sort": (jnp.sort, N),
    "softmax": (jax.nn.softmax, N),
}


@pytest.mark.parametrize("name", MOVES)
def test_moves(name):
    f, kept = MOVES[name]
    assert slots(f, dof.laplacian) == kept
    bent = lambda x: jnp.sin(f(x)) * f(x) ** 2  # noqa: E731
    assert_same(dof.laplacian, bent, np.eye(N))


@pytest.mark.parametrize(
    "rule", ["general", lambda walk, x, **_: walk.through(lambda v: [jnp.dot(v, jnp.ones(3)) ** 2], [x])]
)
def test_rules_of_users_get_all_directions(rule):
    """Also for a primitive of which it is known how directions go through."""
    record = RECORDS[jax.lax.reduce_sum_p]
    try:
        dof.register_rule(jax.lax.reduce_sum_p, rule, overwrite=True)
        found = dof.laplacian(lambda x: jnp.sum(jnp.sin(x.reshape(4, 3)), axis=1))(X)
    finally:
        RECORDS[jax.lax.reduce_sum_p] = record
    power = 1 if rule == "general" else 2
    f = lambda x: jnp.sum(jnp.sin(x.reshape(4, 3)), axis=1) ** power  # noqa: E731
    assert_close(found, reference(np.eye(N), 0 * X, 0.0, f)(X))


def test_products_of_values_with_other_directions_have_no_cross_term():
    """Nothing is summed over directions for the product of functions of either half."""

    def sums(start):
        f = lambda x: jnp.prod(x[:6]) * jnp.max(x[start:])  # noqa: E731
        assert_same(dof.laplacian, f, np.eye(N))
        last = lambda y: dof.laplacian(lambda x: jnp.max(x[:6]) * jnp.max(x[start:]))(y)  # noqa: E731
        return str(jax.make_jaxpr(last)(X)).count("reduce_sum")

    assert sums(6) == sums(5) - 1


def determinant(x):
    """Orbitals of each particle from its own position and from its distances to the others."""
    r = x.reshape(BLOCKS, SIZE)
    distances = jnp.sqrt(jnp.sum((r[:, None] - r[None]) ** 2, axis=-1) + 0.1)
    orbitals = jnp.tanh(r @ W1[0] @ W1[0].T @ W1[1][:, :BLOCKS]) * jnp.exp(-distances)
    return jnp.linalg.slogdet(orbitals)[1]


def attention(x):
    """Queries, keys and values of each token by itself; their products mix them."""
    tokens = x.reshape(BLOCKS, SIZE)
    q, k, v = (jnp.tanh(tokens @ w) for w in W1[:3])
    return jnp.sum(jax.nn.softmax(q @ k.T) @ v)


@pytest.mark.parametrize(("f", "primitive"), [(determinant, "dot_general"), (attention, "reduce_max")])
def test_structure_is_kept_until_something_mixes_all(f, primitive):
    """The product of the matrix with its inverse, in the rule of the determinant; softmax over the keys."""
    found = dof.explain(dof.laplacian, f, X)
    assert found.lost[0].primitive == primitive
    before = found.equations[: found.equations.index(found.lost[0])]
    assert all(e.slots <= 2 * SIZE for e in before if e.rule != "call")
    assert_same(dof.laplacian, f, np.eye(N), tolerance=1e-9)


@pytest.mark.parametrize("structure", ["dense", "sparse"])
def test_structure_can_be_chosen(structure):
    f = lambda x: jnp.sum(jnp.prod(by_einsum(x), axis=0)) + jnp.sum(x[:7] * x[5:])  # noqa: E731
    assert slots(by_einsum, dof.laplacian, structure=structure) == (N if structure == "dense" else SIZE)
    assert_same(partial(dof.laplacian, structure=structure), f, np.eye(N))


@pytest.mark.parametrize("f", [lambda x: x @ x, lambda x: jnp.exp(x @ x) * x[1] * x[2], lambda x: x @ W1[0]])
def test_coordinates_without_direction(f):
    """The last coordinates of A are zero: fewer directions than elements."""
    expected = reference_at(f, X[:3])
    for entries in ([1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 2.0, 0.0]):
        L = dof.Operator(a=np.array(entries))
        found, triple = jax.jit(lambda x, L=L: (L(f)(x), dof.propagate(f, L)(x)))(X[:3])
        assert_close(found, expected(np.diag(entries), 0, 0))
        assert len(triple.tangents) == np.count_nonzero(entries)


def test_products_are_summed_in_the_precision_asked_for():
    x = jnp.asarray([300.0, 200.0, 1.5, 7.0], jnp.float16)
    f = lambda x: jnp.dot(x, x, preferred_element_type=jnp.float32)  # noqa: E731
    assert_close(dof.laplacian.with_value(f)(x), (f(x), jnp.float32(8)))


def test_loop_whose_elements_come_to_depend_on_all():
    """Each turn adds a direction; after some turns elements get all that there are."""
    step = lambda h, _: (jnp.tanh(h + 0.1 * jnp.roll(h, 1)), None)  # noqa: E731
    f = lambda x: jax.lax.scan(step, x, None, length=9)[0]  # noqa: E731
    (scan,) = (e for e in dof.explain(dof.laplacian, f, X).equations if e.primitive == "scan")
    assert scan.slots == N
    assert_same(dof.laplacian, f, np.eye(N))


def test_many_slots():
    """Groups that each are the sum of two blocks of twelve coordinates."""
    x, w = jnp.asarray(normal(96, seed=6)), normal(12, 5, seed=7)
    f = lambda x: jnp.sum(jnp.tanh(jnp.tanh(x.reshape(4, 2, 12) @ w).sum(1)) ** 2)  # noqa: E731
    assert_same(dof.laplacian, f, np.eye(96), x)


def test_propagate_gives_the_directions_of_the_user():
    triple, slopes = jax.jit(lambda x: (dof.propagate(by_einsum, dof.laplacian)(x), jax.jacfwd(by_einsum)(x)))(X)
    assert_close(triple.tangents, np.moveaxis(slopes, -1, 0))


def test_slots():
    one = compressed(np.arange(6).reshape(1, 3, 2))
    assert collapse(one, (1,)).index[:, :, 0].tolist() == [[0, 2, 4], [1, 3, 5]]
    assert collapse(one, (0, 1)) == uniform(np.arange(6), 2)
    assert compressed(np.broadcast_to(one.index[:, :, :1], (1, 3, 2))).index.shape == (1, 3, 1)
    assert hash(one) == hash(Slots(one.index.copy()))
    two = merge([one, uniform(np.array([4]), 2)])
    assert two.index[:, 0, 0].tolist() == [0, 4]
    assert two.index[:, 2, 0].tolist() == [4, EMPTY]


few = settings(max_examples=10, deadline=None, derandomize=True)


@few
@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), st.integers(0, 2**31))
def test_random_blocks(sizes, seed):
    """Uneven blocks of any rank and sign, mixed step by step."""
    rng = np.random.default_rng(seed)
    blocks = [rng.normal(size=(s, s)) * rng.integers(0, 2, size=(s, s)) for s in sizes]
    n = sum(sizes)
    x, w = jnp.asarray(rng.normal(size=n)), rng.normal(size=(n, n)) * rng.integers(0, 2, size=(n, n))

    def f(x):
        h = jnp.sin(x) * x
        pairs = h[:, None] * jnp.cos(x)[None] + w
        return jnp.sum(jnp.tanh(pairs), axis=0) / (2 + jnp.cumsum(x**2)), jnp.prod(h[::2]), w @ h

    L = dof.Operator(a=dof.BlockDiagonal(blocks))
    symmetric = dense([(b + b.T) / 2 for b in blocks])
    assert_same(L, f, symmetric, x, tolerance=1e-9)
