"""What a function is made of, and so which backward hooks are seen."""

from functools import partial

import pytest
import torch
from torch import nn

import dof.torch as dof
from dof.torch import pde
from dof.torch.function_parts import parts_of


class Squares(nn.Module):
    def forward(self, x):
        return (x**2).sum(-1, keepdim=True)


hooked = Squares()
hooked.register_full_backward_hook(lambda *_: None)
net = hooked  # the name of an attribute below


class Model:
    """No module, with a network as an attribute."""

    def __init__(self):
        self.net = Squares()


model = Model()


def helper(x):
    return hooked(x)


def recursive(x, depth=2):
    return recursive(x, depth - 1) if depth else hooked(x)


def within(f):
    return lambda x: f(x).sin()


USES = {
    "partial": partial(hooked),
    "keyword of a partial": partial(lambda x, f: f(x), f=hooked),
    "partial of a function": partial(lambda k, x: k * hooked(x), 2.0),
    "method": hooked.forward,
    "function in a function": within(within(lambda x: hooked(x))),
    "comprehension": lambda x: sum([hooked(x) for _ in range(2)]),
    "helper": lambda x: helper(x),
    "recursive": recursive,
    "default": lambda x, f=helper: f(x),
}


@pytest.mark.parametrize("f", USES.values(), ids=USES)
def test_backward_hooks_are_seen(f):
    x = torch.rand(3, 2)
    assert any(part is hooked for part in parts_of(f))
    with pytest.raises(dof.ArgumentError, match="backward hooks"):
        dof.laplacian(f)(x)
    with pytest.raises(dof.ArgumentError, match="backward hooks"):
        pde.residual("x y")(lambda u, x, y: u.x)(f)(x)


def test_an_attribute_is_no_global_variable():
    f = lambda x: model.net(x).sin()  # noqa: E731
    assert not any(part is net for part in parts_of(f))
    dof.laplacian(f)(torch.rand(3, 2))


def test_functions_made_anew_have_the_same_parts():
    make = lambda k: partial(lambda x, *, f: f(x), f=within(model.net))  # noqa: E731
    ids = [[id(part) for part in parts_of(make(k))] for k in range(2)]
    assert ids[0] == ids[1]
    one, other = (parts_of(partial(helper, **{name: model})) for name in "ab")
    assert one != other
