"""How slots go through operations that move or mix elements, against the operation itself on dense tangents.

Each direction is a mask over the elements that depend on it. An element of the result depends on the directions whose
masks, pushed through the operation, are not zero there.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from dof.directions.sparse_rows import EMPTY
from dof.jax_compat import bind
from dof.jaxpr.inlining import written_out
from dof.jaxpr.program import read
from dof.jaxpr.registry import RECORDS
from dof.triples.slot_tangents import SlotTangents
from dof.triples.slots import collapse, compressed
from dof.triples.triple import SlotTriple, depends_on_x, has_tangents, value_of

SHAPE, R = (2, 3, 4), 9
WEIGHTS = np.random.default_rng(0).uniform(1, 2, size=(4, 5))  # positive, so that no sum vanishes by accident

MOVING = {
    "reshape": lambda x: x.reshape(4, 6),
    "transpose": lambda x: jnp.transpose(x, (2, 0, 1)),
    "broadcast_in_dim": lambda x: lax.broadcast_in_dim(x, (2, 5, 3, 4), (0, 2, 3)),
    "squeeze": lambda x: lax.squeeze(x[:, :1], (1,)),
    "rev": lambda x: lax.rev(x, (0, 2)),
    "slice": lambda x: lax.slice(x, (0, 1, 0), (2, 3, 4), (1, 1, 2)),
    "split": lambda x: lax.split(x, (1, 3), axis=2),
    "unstack": lambda x: jnp.unstack(x, axis=1),
    "pad": lambda x: lax.pad(x, 0.0, ((1, 0, 0), (0, 2, 1), (-1, 0, 0))),
    "tile": lambda x: jnp.tile(x, (1, 2, 1)),
    "gather": lambda x: x[:, np.array([2, 0, 0]), np.array([1, 3, 3])],
    "gather with a fill value": lambda x: x.at[:, np.array([0, 7, 2])].get(mode="fill", fill_value=0.0),
    "dynamic_slice": lambda x: lax.dynamic_slice(x, (0, 1, 2), (2, 1, 2)),
}
MIXING = {
    "reduce_sum": lambda x: jnp.sum(x, axis=(0, 2)),
    "dot_general": lambda x: x @ WEIGHTS,
    "dot_general, constant on the left": lambda x: jnp.einsum("kj,abk->jab", WEIGHTS, x),
    "dot_general with a batch": lambda x: jnp.einsum("abk,akj->abj", x, np.stack([WEIGHTS, WEIGHTS + 1])),
}
JOINING = {
    "concatenate": lambda x, y: lax.concatenate([x, np.ones((2, 1, 4)), y], 1),
    "stack": lambda x, y: jnp.stack([x, y, np.ones(SHAPE)], axis=2),
}


def random_index(rng, varying=SHAPE, slots=2):
    """An index (slots, *SHAPE) of which each element has up to two directions."""
    index = rng.integers(EMPTY, R, size=(slots, *varying))
    index[1:][index[1:] == index[:-1]] = EMPTY
    return np.broadcast_to(index, (slots, *SHAPE))


def masks(index):
    """(R, *shape): which elements depend on each direction."""
    return np.stack([(index == k).any(axis=0) for k in range(R)]).astype(float)


def triple(index):
    return SlotTriple(np.zeros(index.shape[1:]), SlotTangents(np.zeros(index.shape), compressed(index)), None)


def indices_after(function, *indices):
    """The indices of the results of a function, taken equation by equation as the records say."""
    program = written_out(jax.make_jaxpr(function)(*(np.zeros(SHAPE) for _ in indices)), [True] * len(indices))
    env = {**program.constants, **dict(zip(program.inputs, map(triple, indices), strict=True))}
    for step in program.steps:
        operands = [read(env, atom) for atom in step.reads]
        if any(map(depends_on_x, operands)):
            shapes = [v.aval.shape for v in step.eqn.outvars]
            moved = zip(_moved(step.eqn, operands), shapes, strict=True)
            env.update(zip(step.writes, [triple(np.broadcast_to(i, (len(i), *s))) for i, s in moved], strict=True))
        else:
            env.update(zip(step.writes, bind(step.eqn.primitive, operands, step.eqn.params), strict=True))
    return [np.asarray(read(env, atom).tangents.slots.index) for atom in program.outputs]


def _moved(eqn, operands):
    flow = RECORDS[eqn.primitive].flow_for(operands)
    assert flow is not None
    mixed = [
        collapse(o.tangents.slots, flow.mixes(eqn.params, n)).index
        if has_tangents(o)
        else np.zeros((0, *[1] * np.ndim(o)), int)
        for n, o in enumerate(operands)
    ]
    return flow.moves(eqn.params, mixed, [np.shape(value_of(o)) for o in operands])


def assert_same_directions(function, *indices):
    expected = jax.tree.leaves(jax.jit(jax.vmap(function))(*map(masks, indices)))
    for found, pushed in zip(indices_after(function, *indices), expected, strict=True):
        full = np.broadcast_to(found, (len(found), *pushed.shape[1:]))
        np.testing.assert_array_equal(masks(full), pushed != 0)


@pytest.mark.parametrize("varying", [SHAPE, (2, 1, 4), (1, 3, 1)], ids=str)
@pytest.mark.parametrize("name", [*MOVING, *MIXING])
def test_slots_go_where_the_operation_takes_the_elements(name, varying):
    index = random_index(np.random.default_rng(2), varying)
    assert_same_directions({**MOVING, **MIXING}[name], index)


def test_a_cumulative_sum_counts_as_a_sum_along_its_whole_axis():
    index = random_index(np.random.default_rng(2))
    (found,) = indices_after(lambda x: lax.cumsum(x, axis=1), index)
    expected = np.broadcast_to(masks(index).any(axis=2, keepdims=True), (R, *SHAPE))
    np.testing.assert_array_equal(masks(np.broadcast_to(found, (len(found), *SHAPE))), expected)


@pytest.mark.parametrize("name", JOINING)
def test_operands_that_are_joined_keep_the_directions_of_each(name):
    rng = np.random.default_rng(1)
    function = JOINING[name]
    indices = random_index(rng), random_index(rng, (2, 3, 1), slots=1)
    expected = jax.jit(jax.vmap(lambda x, y: function(x, y) - function(0 * x, 0 * y)))(*map(masks, indices))
    (found,) = indices_after(function, *indices)
    np.testing.assert_array_equal(masks(np.broadcast_to(found, (len(found), *expected.shape[1:]))), expected != 0)


def test_indices_that_are_not_known_have_no_flow():
    record = RECORDS[lax.dynamic_slice_p]
    x = triple(random_index(np.random.default_rng(0)))
    assert record.flow_for([x, 0, 1, 2]) is not None
    found = []
    jax.eval_shape(lambda i: found.append(record.flow_for([x, 0, i, 2])), 1)
    assert found == [None]
