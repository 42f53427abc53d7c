"""Names of coordinates and fields on a domain."""

import numpy as np
import pytest

import dof
from dof import pde
from dof.pde.geometry.named_domain import NamedDomain
from dof.pde.notation.names import Names, read_names, space_axes, subscripts

MANY = NamedDomain(
    read_names("x[100000] t", "coordinates"),
    read_names("u[2] p", "fields"),
    False,
    pde.Ball([0] * 100_000) * pde.Time(1, 2),
)


def test_every_component_has_a_name_and_an_axis():
    names = Names(("x", "theta", "t"), (2, None, None))
    assert names.each == ("x[0]", "x[1]", "theta", "t") and str(names) == "x[2] theta t"
    assert [names.axis_of[name] for name in names.each] == [0, 1, 2, 3]
    assert space_axes(names) == [0, 1, 2] and names.axes("x") == range(2)
    array = np.arange(8).reshape(2, 4)
    assert names.part("x", array).tolist() == [[0, 1], [4, 5]] and names.part("t", array).tolist() == [3, 7]


def test_subscripts_are_read_with_long_names_first():
    names = read_names("t theta x", "coordinates")
    assert subscripts("xtheta", names) == ("x", "theta") and subscripts("tx", names) == ("t", "x")
    assert subscripts("thet", names) is None


def test_single_coordinates_are_found_among_very_many():
    assert MANY.axis("x[99999]") == 99_999 and MANY.axis("t") == MANY.time == 100_000
    assert MANY.axis("x") is None and MANY.axis(3) is None and MANY.ends(MANY.time) == (1, 2)


def test_every_axis_is_looked_up_in_a_table():
    """A search among 100,000 names for each of them would take minutes."""
    each = MANY.coordinates.each
    assert [MANY.axis(name) for name in each] == list(range(len(each)))


def test_fields_are_parts_of_all_values():
    assert MANY.field_shape == (3,) and MANY.shape_of("u") == (2,) and MANY.shape_of("p") == ()
    assert MANY.of_field("p", np.arange(3.0)) == 2 and MANY.of_field(None, np.arange(3.0)).shape == (3,)


def test_no_time_is_refused():
    line = NamedDomain(read_names("x", "coordinates"), read_names("u", "fields"), True, pde.Interval(0, 1))
    with pytest.raises(dof.ArgumentError, match="a time t"):
        _ = line.time
