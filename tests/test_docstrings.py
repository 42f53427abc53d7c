"""Every public name says what it does and shows it, by an example that is run as a doctest."""

import inspect

import pytest

import dof
from dof import pde, solving, zoo

PUBLIC = {f"{m.__name__}.{name}": (m, getattr(m, name)) for m in (dof, pde, solving, zoo) for name in m.__all__}
CLASSES = {name: thing for name, (_, thing) in PUBLIC.items() if inspect.isclass(thing)}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_an_example(name):
    """An operator has it in its class, a table in its module."""
    module, thing = PUBLIC[name]
    assert ">>>" in ((thing if callable(thing) else module).__doc__ or "")


@pytest.mark.parametrize("name", CLASSES)
def test_methods_and_properties_have_docstrings(name):
    assert not [member for member, doc in docstrings(CLASSES[name]).items() if not doc]


def docstrings(cls):
    """Of the public methods and properties that the class has from dof: their own, or that of what they override."""
    members = {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_")}
    return {name: inspect.getdoc(member) for name, member in members.items() if is_of_dof(member)}


def is_of_dof(member):
    function = member.fget if isinstance(member, property) else member
    return (inspect.isfunction(function) or inspect.ismethod(function)) and function.__module__.startswith("dof.")
