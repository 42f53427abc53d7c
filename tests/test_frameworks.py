"""Modules and tensors of PyTorch given to `dof`: the message names the right import. PyTorch itself is not needed."""

import jax.numpy as jnp
import pytest

import dof
from dof import pde


class Linear:
    __module__ = "torch.nn.modules.linear"

    def __call__(self, x):
        return x


class Tensor:
    __module__ = "torch"


def of_torch(x):
    raise TypeError(f"sin(): argument 'input' (position 1) must be Tensor, not {type(x).__name__}")


@pde.residual("x y")
def poisson(u, x, y):
    return u.laplacian


@pytest.mark.parametrize(
    "call",
    {
        "module": lambda: dof.laplacian(Linear()),
        "tensor": lambda: dof.laplacian(jnp.sum)(Tensor()),
        "function": lambda: dof.laplacian(of_torch)(jnp.ones(3)),
        "residual": lambda: poisson(Linear())(jnp.ones((4, 2))),
        "several": lambda: dof.jointly(Linear()),
    }.values(),
)
def test_pytorch_is_refused_with_the_right_import(call):
    with pytest.raises(dof.ArgumentTypeError, match=r"import dof\.torch as dof"):
        call()


def test_other_errors_of_f_stay_as_they_are():
    def wrong(x):
        raise TypeError("of the user")

    with pytest.raises(TypeError, match="of the user"):
        dof.laplacian(wrong)(jnp.ones(3))


@pytest.mark.parametrize("L", [dof.Operator(c=lambda x: x.sum(-1)), (lambda x: x[0]) * dof.laplacian])
def test_a_batch_without_vmap_is_told_so(L):
    with pytest.raises(dof.ArgumentError, match=r"jax\.vmap"):
        L(lambda x: jnp.sin(x).sum())(jnp.ones((4, 3)))
