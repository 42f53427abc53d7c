"""Sums direction by direction against the same sums over dense tangents."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof.directions.sparse_rows import EMPTY
from dof.jaxpr.inlining import written_out
from dof.jaxpr.program import read
from dof.jaxpr.registry import RECORDS
from dof.sparsity.sums_by_direction import MOSTLY_EMPTY, by_direction, find_occurrences, join_axes, scatter_sum
from dof.triples.slot_tangents import SlotTangents
from dof.triples.slots import compressed
from dof.triples.triple import SlotTriple

SEEDS = range(6)


def random_index(rng, directions, slots, n):
    """Directions that occur about equally often: a random order of some of each, cut into slots."""
    pool = np.resize(rng.permutation(directions), slots * n)
    return pool.reshape(n, slots).T if rng.random() < 0.5 else pool.reshape(slots, n)


@pytest.mark.parametrize("seed", SEEDS)
def test_occurrences_are_all_places_of_each_direction(seed):
    rng = np.random.default_rng(seed)
    index = random_index(rng, directions=5, slots=2, n=10)
    index = np.where(rng.random(index.shape) < 0.2, EMPTY, index)
    found = find_occurrences(index)
    assert found is not None and found.n == 10
    for k, direction in enumerate(found.directions):
        places = zip(found.slot[k], found.position[k], found.is_there[k], strict=True)
        own = {(int(slot), int(position)) for slot, position, there in places if there}
        assert own == set(map(tuple, np.argwhere(index == direction).tolist()))
    assert found.directions.tolist() == sorted(set(index.ravel().tolist()) - {EMPTY})


def test_no_table_where_it_would_be_mostly_empty_or_there_is_nothing():
    many = 4 * MOSTLY_EMPTY
    assert find_occurrences(np.concatenate([np.zeros(many, int), np.arange(1, many)])[None]) is None
    assert find_occurrences(np.full((2, 3), EMPTY)) is None
    assert find_occurrences(np.arange(3)[None]) is not None


def test_coordinates_in_order_are_recognised():
    ordered = find_occurrences(np.arange(4)[None])
    shuffled = find_occurrences(np.array([[1, 0, 2, 3]]))
    assert ordered is not None and ordered.in_order
    assert shuffled is not None and not shuffled.in_order


@pytest.mark.parametrize("seed", SEEDS)
def test_tangents_by_direction_are_those_at_its_occurrences(seed):
    rng = np.random.default_rng(seed)
    index = np.broadcast_to(random_index(rng, 6, 2, 12).reshape(2, 3, 1, 4), (2, 3, 5, 4))
    tangents = SlotTangents(rng.normal(size=index.shape), compressed(index))
    axes = tangents.slots.varying_axes
    assert axes == (0, 2)
    found = find_occurrences(tangents.slots.index.reshape(2, -1))
    assert found is not None
    sums = np.asarray(by_direction(tangents, axes, found)).sum(axis=1)
    for k, direction in enumerate(found.directions):
        np.testing.assert_allclose(sums[k], (tangents.data * (index == direction)).sum(axis=(0, 1, 3)), atol=1e-12)


def test_axes_are_joined_in_the_order_that_is_asked_for():
    array = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(join_axes(array, [2, 0], 1), array.transpose(1, 2, 0).reshape(3, 8))


OTHER = np.random.default_rng(0).normal(size=(3, 4, 2, 6))
SUMS = {
    "reduce_sum": lambda x: jnp.sum(x, axis=(0, 2)),
    "reduce_sum over more than the slots": lambda x: jnp.sum(x),
    "dot_general": lambda x: jnp.einsum("abc,acjk->bjk", x, OTHER),
    "dot_general from the right": lambda x: jnp.einsum("acjk,abc->jkb", OTHER, x),
    "dot_general with a batch": lambda x: jnp.einsum("abc,acbk->bk", x, OTHER[:, :, [0, 1, 0, 1, 0]]),
}


@pytest.mark.parametrize("order", ["in order", "shuffled"])
@pytest.mark.parametrize("name", SUMS)
def test_a_sum_direction_by_direction_is_the_sum_over_all_elements(name, order):
    rng = np.random.default_rng(1)
    numbers = np.arange(12) if order == "in order" else random_index(rng, 6, 1, 12)
    index = np.broadcast_to(numbers.reshape(1, 3, 1, 4), (1, 3, 5, 4))
    tangents = SlotTangents(rng.normal(size=index.shape), compressed(index))
    found = _scatter_sum(SUMS[name], SlotTriple(np.zeros((3, 5, 4)), tangents, None))
    assert found is not None and found.slots.is_uniform
    for k, direction in enumerate(found.slots.index.ravel()):
        expected = SUMS[name]((tangents.data * (index == direction)).sum(axis=0))
        np.testing.assert_allclose(found.data[k], expected, atol=1e-12)


def test_slots_that_differ_along_other_axes_are_not_summed_this_way():
    index = np.broadcast_to(np.arange(5).reshape(1, 1, 5, 1), (1, 3, 5, 4))
    x = SlotTriple(np.zeros((3, 5, 4)), SlotTangents(np.ones(index.shape), compressed(index)), None)
    assert _scatter_sum(SUMS["reduce_sum"], x) is None


def _scatter_sum(function, x):
    """By the record of the equation that a function consists of."""
    program = written_out(jax.make_jaxpr(function)(x.value), [True])
    (step,) = program.steps
    record = RECORDS[step.eqn.primitive]
    operands = [read({**program.constants, program.inputs[0]: x}, atom) for atom in step.reads]
    return scatter_sum(record.scatter_sum, record.slot_flow, step.eqn.params, operands)
