"""An error that JAX raises while it traces names the user's function, file and argument, not dof's."""

from functools import partial

import jax
import jax.numpy as jnp
import pytest

import dof

X = jnp.ones(3)


def of_x(x):
    return x[0] if x[0] > 0 else x[1]


def of_params_and_x(params, x):
    return of_x(x)


def of_x_and_t(x, t=0.0):
    return t if t > 0 else x[0]


def of_tree(params, x):
    return of_x(x["second"])


class Network:
    def __call__(self, x):
        return of_x(x)


CASES = {
    "function": (lambda: dof.laplacian(of_x)(X), "of_x", "x"),
    "second_argument": (lambda: dof.laplacian(of_params_and_x, argnums=1)(1.0, X), "of_params_and_x", "x"),
    "optional_argument": (lambda: dof.laplacian(of_x_and_t, argnums=1)(X, 1.0), "of_x_and_t", "t"),
    "both_arguments": (lambda: dof.laplacian(of_x_and_t, argnums=(0, 1))(X, 1.0), "of_x_and_t", "t"),
    "tree": (lambda: dof.laplacian(of_tree, argnums=1)(1.0, {"first": X, "second": X}), "of_tree", "x['second']"),
    "partial": (lambda: dof.laplacian(partial(of_params_and_x, 1.0))(X), "of_params_and_x", "x"),
    "object": (lambda: dof.laplacian(Network())(X), "__call__", "x"),
    "jitted": (lambda: dof.laplacian(jax.jit(partial(of_params_and_x, 1.0)))(X), "of_params_and_x", "x"),
    "nested": (lambda: dof.laplacian(dof.laplacian(of_x))(X), "of_x", "x"),
    "groups": (lambda: dof.laplacian(of_params_and_x, argnums=1, directions=1)(1.0, X), "of_params_and_x", "x"),
    "batched": (lambda: dof.batched(of_x)(X[None]), "of_x", "point[0]"),
    "value_and_grad": (lambda: dof.value_and_grad(of_params_and_x)(1.0, X[None]), "of_params_and_x", "point[0]"),
}


@pytest.mark.parametrize("case", CASES)
def test_function_file_and_argument(case):
    run, function, argument = CASES[case]
    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        run()
    message = str(caught.value)
    assert f"function {function} at {__file__}" in message
    assert f"the argument {argument}." in message
