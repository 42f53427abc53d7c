"""K and the new directions at a cut, against dense tangents."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof.cut.change_coordinates import change_coordinates
from dof.directions.sparse_rows import EMPTY
from dof.triples.slot_tangents import SlotTangents
from dof.triples.slots import compressed, uniform
from dof.triples.slots_to_stacks import in_frame
from dof.triples.triple import SlotTriple
from triples.dense_forms import FORMS, R, dense_form


def dense_triple(rng, *shape, frame=range(R), is_complex=False):
    """A value whose elements depend on all directions of a frame; and its tangents as real columns (R, elements)."""
    value, data = rng.normal(size=shape), rng.normal(size=(len(frame), *shape))
    if is_complex:
        value, data = value + 1j * rng.normal(size=shape), data + 1j * rng.normal(size=data.shape)
    flat = data.reshape(len(frame), -1)
    columns = np.zeros((R, flat.shape[1] * (2 if is_complex else 1)))
    columns[np.array(frame)] = np.concatenate([flat.real, flat.imag], axis=1) if is_complex else flat
    return SlotTriple(value, SlotTangents(data, uniform(np.array(frame), len(shape))), None), columns


def sparse_triple(rng):
    """A value whose elements depend on one direction each."""
    index, data = np.array([[3, 0, EMPTY]]), np.array([[0.5, -2.0, 0.0]])
    columns = np.zeros((R, 3))
    columns[3, 0], columns[0, 1] = 0.5, -2.0
    return SlotTriple(rng.normal(size=3), SlotTangents(data, compressed(index)), rng.normal(size=(2, 3))), columns


def groups(rng, name):
    """(shared, others), each a list of (triple, columns)."""
    return {
        "shared": ([dense_triple(rng, 2)], []),
        "others": ([], [dense_triple(rng, 2, 1), sparse_triple(rng)]),
        "both": ([dense_triple(rng, 3)], [dense_triple(rng, 1)]),
        "some directions": ([], [dense_triple(rng, 2, frame=(1, 4, 6))]),
        "complex": ([dense_triple(rng, 1)], [dense_triple(rng, 2, is_complex=True)]),
    }[name]


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("name", ["shared", "others", "both", "some directions", "complex"])
def test_the_new_form_is_the_gram_matrix_of_the_tangents(name, kind):
    rng = np.random.default_rng(5)
    form, (shared, others) = FORMS[kind](rng), groups(rng, name)
    columns = np.concatenate([c for _, c in (*shared, *others)], axis=1)

    @jax.jit
    def changed():
        new = change_coordinates(form, [t for t, _ in shared], [t for t, _ in others])
        assert new.form.only_couplings and new.form.directions == columns.shape[1]
        return new.form, new.directions

    new, directions = changed()
    expected = np.einsum("ckl,ki,lj->cij", dense_form(form), columns, columns)
    np.testing.assert_allclose(dense_form(new), expected, atol=1e-11)
    np.testing.assert_allclose(directions, columns, atol=0)


def test_each_element_goes_on_with_one_direction_along_itself():
    rng = np.random.default_rng(0)
    form, (real, _), (complex_, _) = FORMS["identity"](rng), dense_triple(rng, 2), dense_triple(rng, 1, is_complex=True)
    new = change_coordinates(form, [real], [complex_])
    along = [in_frame(triple, np.arange(4)).tangents for triple in new.triples]
    np.testing.assert_array_equal(along[0], np.eye(4)[:, :2])
    np.testing.assert_array_equal(along[1], np.array([0, 0, 1, 1j])[:, None])
    assert [t.value is old.value for t, old in zip(new.triples, (real, complex_), strict=True)] == [True, True]


def test_an_element_without_finite_derivatives_does_not_spoil_the_others():
    rng = np.random.default_rng(0)
    form, (triple, columns) = FORMS["identity"](rng), dense_triple(rng, 3)
    broken = SlotTriple(triple.value, SlotTangents(triple.tangents.data.copy(), triple.tangents.slots), None)
    broken.tangents.data[2, 1] = np.inf
    new = change_coordinates(form, [], [broken])
    kept = columns * np.array([1, 0, 1])
    np.testing.assert_allclose(dense_form(new.form)[0], kept.T @ kept, atol=1e-12)
    found = in_frame(new.triples[0], np.arange(3)).tangents
    assert jnp.isnan(found[1, 1]) and found[0, 0] == found[2, 2] == 1
