"""Points in blocks: `batched` and `backward`."""

import weakref

import pytest
import torch
from differences import assert_close
from small_network import gradients, network

import dof.torch as dof


@pytest.mark.parametrize("chunk", [1, 3, 100, "auto"])
def test_blocks_give_the_same_values_and_gradients(chunk):
    net, x = network(), torch.randn(10, 3)
    L = dof.Operator(a=[1.0, 2.0, 0.0], b=[0.0, 0.0, -1.0])
    whole = gradients(net, lambda: (L(net)(x) ** 2).mean().backward())
    blocks = gradients(net, lambda: (dof.batched(L(net), chunk)(x) ** 2).mean().backward())
    added = gradients(net, lambda: dof.backward(lambda x: L(net)(x) ** 2, x, chunk))
    for expected, one, two in zip(whole, blocks, added, strict=True):
        assert_close(one, expected, 1e-13)
        assert_close(two, expected, 1e-13)
    with torch.no_grad():
        assert_close(dof.batched(L(net), chunk)(x), L(net)(x), 1e-13)


def test_the_graph_of_a_block_is_gone_before_the_next_is_made():
    net, alive = network(), []

    def point_loss(x):
        assert [loss() for loss in alive] == [None] * len(alive)
        found = dof.laplacian(net)(x) ** 2
        alive.append(weakref.ref(found))
        return found

    dof.backward(point_loss, torch.randn(6, 3), 2)
    assert len(alive) == 3


def test_losses_that_are_no_tensor_are_refused():
    net = network()
    with pytest.raises(dof.ArgumentError, match="returns a tuple"):
        dof.backward(lambda x: (dof.laplacian(net)(x),), torch.randn(4, 3))


def test_auto_takes_smaller_blocks_where_a_row_takes_more(monkeypatch):
    from dof.torch.api import batched

    x, g = torch.randn(1000, 3), dof.laplacian(network())
    monkeypatch.setattr(batched, "MEMORY", 2**19)
    few = batched.rows_per_block(g, x, "auto")
    monkeypatch.setattr(batched, "MEMORY", 2**17)
    assert 1 <= batched.rows_per_block(g, x, "auto") * 3 < few < 1000


def test_what_a_row_takes_is_measured_once():
    rows = []

    def g(x):
        rows.append(len(x))
        return dof.laplacian(lambda x: (x**4).sum(-1))(x)

    run = dof.batched(g)
    run(torch.randn(9, 3)), run(torch.randn(7, 3)), run(torch.randn(9, 2))
    assert rows == [2, 2, 1, 9, 7, 2, 2, 1, 9]


def test_tuples_come_back_from_blocks():
    net, x = network(), torch.randn(7, 3)
    value, applied = dof.batched(dof.laplacian.with_value(net), 3)(x)
    assert_close(value, net(x), 1e-14)
    assert_close(applied, dof.laplacian(net)(x), 1e-14)


def test_a_loss_that_is_no_loss_per_row_is_refused():
    with pytest.raises(dof.ArgumentError, match="one loss for each"):
        dof.backward(lambda x: (x**2).mean(), torch.randn(4, 3))
