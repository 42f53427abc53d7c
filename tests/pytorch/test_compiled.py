"""One flat graph."""

import pytest
import torch
from differences import assert_close
from small_network import gradients, network

import dof.torch as dof


def test_an_operator_of_an_operator_is_compiled():
    net, x = network(), torch.randn(5, 3)
    g = lambda x: dof.laplacian(dof.laplacian(net))(x)  # noqa: E731
    assert_close(dof.compiled(g, x, backend="eager")(x), g(x), 1e-12)


def test_the_flat_graph_has_the_same_values_and_gradients():
    net, x = network(), torch.randn(10, 3)
    g = dof.compiled(dof.laplacian(net), x, backend="aot_eager")
    whole = gradients(net, lambda: (dof.laplacian(net)(x) ** 2).mean().backward())
    flat = gradients(net, lambda: (g(x) ** 2).mean().backward())
    for expected, found in zip(whole, flat, strict=True):
        assert_close(found, expected, 1e-13)
    y = torch.randn(10, 3)
    with torch.no_grad():
        for p in net.parameters():
            p += 0.1
    assert_close(g(y), dof.laplacian(net)(y), 1e-13)
    with pytest.raises(dof.ArgumentError, match="as in `compiled`"):
        g(y[:5])
