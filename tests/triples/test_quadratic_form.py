"""Quadratic forms against an explicit dense q of shape (channels, directions, directions)."""

import jax
import numpy as np
import pytest

from dof.directions.sparse_rows import EMPTY
from dof.triples.quadratic_form import QuadraticForm
from dof.triples.slot_form import SlotForm
from triples.dense_forms import FORMS, R, dense_form

SEEDS = range(3)
every_form = pytest.mark.parametrize("kind", FORMS)
every_seed = pytest.mark.parametrize("seed", SEEDS)


def stacks(rng, *shapes, is_complex=False):
    parts = [rng.normal(size=(R, *shape)) for shape in shapes]
    return [part + 1j * rng.normal(size=part.shape) for part in parts] if is_complex else parts


@every_form
@every_seed
@pytest.mark.parametrize("is_complex", [False, True])
def test_contract_is_the_sum_over_pairs_of_directions(kind, seed, is_complex):
    rng = np.random.default_rng(seed)
    form = FORMS[kind](rng)
    q = dense_form(form)
    pairs = [stacks(rng, *shapes, is_complex=is_complex) for shapes in (((2, 3), (2, 3)), ((2, 1), (1, 3)))]
    contracted = jax.jit(lambda pairs: [form.contract(g, h) for g, h in pairs])(pairs)
    for (g, h), found in zip(pairs, contracted, strict=True):
        np.testing.assert_allclose(found, np.einsum("ckl,k...,l...->c...", q, g, h), atol=1e-11)


def test_signs_take_no_matrix_product():
    form = QuadraticForm(np.array([[-1.0, 1.0, 1.0]]))
    program = jax.make_jaxpr(lambda g: form.contract(g, g))(np.ones((3, 4, 8)))
    assert "dot_general" not in str(program)


@every_form
@every_seed
def test_weigh_sums_over_one_of_the_two(kind, seed):
    rng = np.random.default_rng(seed)
    form = FORMS[kind](rng)
    (h,) = stacks(rng, (2, 3))
    np.testing.assert_allclose(form.weigh(h), np.einsum("ckl,l...->ck...", dense_form(form), h), atol=1e-12)


@every_form
@every_seed
def test_pair_is_the_form_between_all_columns(kind, seed):
    rng = np.random.default_rng(seed)
    form = FORMS[kind](rng)
    g, h = stacks(rng, (4,), (3,))
    np.testing.assert_allclose(form.pair(g, h), np.einsum("ckl,ki,lj->cij", dense_form(form), g, h), atol=1e-12)


@every_form
@every_seed
def test_weighted_sum_is_the_diagonal_part_alone(kind, seed):
    rng = np.random.default_rng(seed)
    form = FORMS[kind](rng)
    (products,) = stacks(rng, (2, 3))
    expected = np.einsum("ck,k...->c...", np.asarray(form.weights), products)
    np.testing.assert_allclose(form.weighted_sum(products), expected, atol=1e-12)


@every_form
@pytest.mark.parametrize("frame", [[4], [0, 3, 5], [1, 2, 3, 4, 5, 6], range(R)], ids=len)
def test_within_a_frame_it_is_the_submatrix_of_q(kind, frame):
    form = FORMS[kind](np.random.default_rng(0))
    frame, pairs = np.array(frame), frozenset({(0, 1)})
    inside = form.within(frame, pairs)
    assert (inside.channels, inside.directions) == (form.channels, len(frame))
    np.testing.assert_allclose(dense_form(inside), dense_form(form)[:, frame][:, :, frame], atol=1e-14)
    assert not inside.meets(0, 1) and inside.meets(0, 2)


def test_what_is_known_of_a_form():
    rng = np.random.default_rng(0)
    facts = {
        kind: (form.is_known, form.is_plain_sum, form.only_couplings)
        for kind, form in ((kind, make(rng)) for kind, make in FORMS.items())
    }
    assert facts == {
        "identity": (True, True, False),
        "known": (True, False, False),
        "few runs": (True, False, False),
        "many runs": (True, False, False),
        "at run time": (False, False, False),
        "unit weights and a coupling": (False, False, False),
        "couplings only": (False, False, True),
        "couplings at run time": (False, False, False),
    }
    assert not QuadraticForm(np.ones((2, 3))).is_plain_sum  # two channels are two sums


def random_slots(rng, slots, *shape):
    """An index (slots, *shape): each element has some directions, each once, in any slot."""
    index = np.full((slots, *shape), EMPTY)
    for element in np.ndindex(shape):
        own = rng.permutation(np.r_[np.arange(R), np.full(slots, EMPTY)])[:slots]
        index[(slice(None), *element)] = own
    return index


def scattered(index, data, shape):
    """Slots as a dense stack (R, *shape)."""
    full_index, full = np.broadcast_to(index, (len(index), *shape)), np.zeros((R + 1, *shape))
    for slot in range(len(index)):
        np.put_along_axis(full, full_index[slot][None], data[slot][None], axis=0)
    return full[:-1]  # what is in empty slots went to the last row


@pytest.fixture(params=SEEDS)
def slots(request):
    """(generator, index, stacks g and h that are zero in empty slots)."""
    rng = np.random.default_rng(request.param)
    shape, slots = (2, 3), 3
    index = random_slots(rng, slots, *(shape if request.param % 2 else (2, 1)))
    there = np.broadcast_to(index != EMPTY, (slots, *shape))
    g, h = (np.where(there, rng.normal(size=(slots, *shape)), 0) for _ in range(2))
    return rng, index, g, h


@every_form
def test_contract_in_slots_is_the_same_sum(kind, slots):
    rng, index, g, h = slots
    form = FORMS[kind](rng)
    in_slots = SlotForm(form, index)
    assert (in_slots.channels, in_slots.directions) == (form.channels, len(index))
    full = (scattered(index, part, (2, 3)) for part in (g, h))
    expected = np.einsum("ckl,k...,l...->c...", dense_form(form), *full)
    np.testing.assert_allclose(in_slots.contract(g, h), expected, atol=1e-12)


@every_form
def test_weigh_in_slots_is_the_same_sum_wherever_there_is_a_slot(kind, slots):
    rng, index, _, h = slots
    form = FORMS[kind](rng)
    expected = np.einsum("ckl,l...->ck...", dense_form(form), scattered(index, h, (2, 3)))
    full_index = np.broadcast_to(index, h.shape)
    found = np.where(full_index != EMPTY, SlotForm(form, index).weigh(h), 0)
    for channel in range(form.channels):
        own = np.take_along_axis(expected[channel], np.maximum(full_index, 0), axis=0)
        np.testing.assert_allclose(found[channel], np.where(full_index != EMPTY, own, 0), atol=1e-12)


@every_form
def test_weighted_sum_in_slots_is_the_diagonal_part(kind, slots):
    rng, index, g, _ = slots
    form = FORMS[kind](rng)
    expected = np.einsum("ck,k...->c...", np.asarray(form.weights), scattered(index, g, (2, 3)))
    np.testing.assert_allclose(SlotForm(form, index).weighted_sum(g), expected, atol=1e-12)


def test_weights_that_all_elements_have_alike_need_no_array_of_weights():
    index = np.array([[0, 1, EMPTY], [2, EMPTY, 3]])
    alike = SlotForm(QuadraticForm(np.array([[5.0, 5.0, 7.0, 7.0]])), index)
    np.testing.assert_array_equal(alike._weights_of_slots(), [[5.0, 7.0]])
    assert SlotForm(QuadraticForm(np.arange(4.0)[None]), index)._weights_of_slots() is None
