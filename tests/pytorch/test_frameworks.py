"""Functions and arrays of JAX given to `dof.torch`: the message names the right import."""

import pytest
import torch

import dof.torch as dof
from dof.torch import pde

jax = pytest.importorskip("jax")
NET = torch.nn.Linear(3, 1)
POINTS = torch.ones(2, 3)


def of_jax(x):
    return jax.numpy.sin(x).sum(-1)


@pde.residual("x y t")
def heat(u, x, y, t):
    return u.t - u.laplacian


@pytest.mark.parametrize(
    "call",
    {
        "array": lambda: dof.laplacian(NET)(jax.numpy.ones((2, 3))),
        "function": lambda: dof.laplacian(of_jax)(POINTS),
        "jitted": lambda: dof.laplacian(jax.jit(of_jax))(POINTS),
        "coefficient": lambda: dof.Operator(b=lambda x: jax.numpy.sin(x))(NET)(POINTS),
        "blocks": lambda: dof.batched(dof.laplacian(NET))(jax.numpy.ones((2, 3))),
        "backward": lambda: dof.backward(dof.laplacian(NET), jax.numpy.ones((2, 3))),
        "compiled": lambda: dof.compiled(dof.laplacian(NET), jax.numpy.ones((2, 3))),
        "residual": lambda: heat(of_jax)(POINTS),
        "points": lambda: heat(NET)(jax.numpy.ones((2, 3))),
        "operator": lambda: dof.explain(__import__("dof").laplacian, NET, POINTS),
        "operators": lambda: dof.jointly(__import__("dof").laplacian),
    }.values(),
)
def test_jax_is_refused_with_the_right_import(call):
    with pytest.raises(dof.ArgumentTypeError, match="import dof for JAX"):
        call()


def test_other_errors_of_f_stay_as_they_are():
    def wrong(x):
        raise TypeError("of the user")

    with pytest.raises(TypeError, match="of the user"):
        dof.laplacian(wrong)(POINTS)


def test_arrays_of_numpy_are_refused():
    with pytest.raises(dof.ArgumentTypeError, match="as_tensor"):
        dof.laplacian(NET)(POINTS.numpy())
