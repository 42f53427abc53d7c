"""Points in blocks, one flat graph, check and explain."""

import weakref

import pytest
import torch
from differences import assert_close
from torch import nn

import dof.torch as dof


def network():
    return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))


def gradients(net, run):
    net.zero_grad()
    run()
    return [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in net.parameters()]


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


def test_an_operator_of_an_operator_is_compiled():
    net, x = network(), torch.randn(5, 3)
    g = lambda x: dof.laplacian(dof.laplacian(net))(x)  # noqa: E731
    assert_close(dof.compiled(g, x, backend="eager")(x), g(x), 1e-12)


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


def test_check_sees_what_autograd_gets_wrong():
    net = nn.Sequential(nn.Linear(3, 8), nn.LayerNorm(8), nn.Tanh(), nn.Linear(8, 1))
    found = dof.check(dof.Operator(a=torch.ones(3, 3) + torch.eye(3), b=lambda x: -x, c=1.0), net, torch.randn(4, 3))
    assert found.error < 1e-8
    assert "finite differences" in str(found)
    single = dof.check(dof.laplacian, net.float(), torch.randn(4, 3, dtype=torch.float32))
    assert 1e-9 < single.error < 1e-4


@pytest.mark.parametrize("size", [0.0, 1.0, 1e4])
@pytest.mark.parametrize(
    "a",
    [
        lambda x: 1 + x**2,
        lambda x: torch.diag_embed(1 + x**2),
        lambda x: torch.eye(3) + x[..., :, None] * x[..., None, :],
    ],
    ids=["diagonal", "diagonal matrix", "full"],
)
def test_check_compares_operators_that_differ_from_point_to_point(a, size):
    net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
    found = dof.check(dof.Operator(a=lambda x: size * a(x), b=lambda x: size * x), net, torch.randn(4, 3))
    assert found.error < 1e-8 and found.autograd_error < 1e-8


def test_check_compares_products_of_operators_that_differ_from_point_to_point():
    L, net = dof.Operator(a=lambda x: 1 + x**2), nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    for product in (dof.laplacian @ L, L @ dof.laplacian):
        found = dof.check(product, net, torch.randn(3, 1))
        assert found.error < 1e-5 and found.autograd_error < 1e-5


def test_check_says_why_nested_autograd_fails():
    """For cdist, whose second derivatives PyTorch does not have."""
    found = dof.check(
        dof.laplacian, lambda x: torch.cdist(x[:, None], torch.ones(1, 2, 3)).sum((1, 2)), torch.randn(4, 3)
    )
    assert found.error < 1e-8 and found.autograd_error is None
    assert "(nested autograd fails: the derivative for '_cdist_backward' is not implemented)" in str(found)


def test_check_says_how_a_function_of_modules_in_float32_is_checked():
    lstm = nn.LSTM(1, 4, batch_first=True, dtype=torch.float32)

    def f(x):
        return lstm(x[..., None])[0][:, -1]

    x = torch.randn(4, 3)
    with pytest.raises(dof.ArgumentError, match=r"`x` has dtype torch.float32.*\n.*net\.double\(\) for each module"):
        dof.check(dof.laplacian, f, x.float())
    lstm.double()
    assert dof.check(dof.laplacian, f, x).error < 1e-8


def test_check_sees_an_error(monkeypatch):
    from dof.torch.api import check

    monkeypatch.setattr(check, "_by_differences", lambda L, f, x: f(x) + 1)
    assert dof.check(dof.laplacian, lambda x: x.sum(-1), torch.randn(4, 3)).error > 0.1


def test_tangents_that_are_the_same_for_all_points_stay_unbatched():
    steps = dof.explain(dof.laplacian, network(), torch.randn(50, 3)).steps
    assert steps[0].operation == "linear" and steps[0].tangents == (3, 1, 8)
    assert steps[1].operation == "tanh" and steps[1].tangents == (3, 50, 8)


def test_slices_and_reshapes_keep_tangents_unbatched():
    def f(z):
        return torch.cat([z[:, 1:], z[:, :1]], -1).reshape(-1, 1, 3).transpose(1, 2).unsqueeze(0).sum((0, 3)).sum(-1)

    steps = dof.explain(dof.laplacian, f, torch.randn(50, 3)).steps
    assert all(step.tangents[1:].count(50) == 0 for step in steps), [step.tangents for step in steps]
    assert "cat" in str(dof.explain(dof.laplacian, f, torch.randn(50, 3)))


def test_directions_are_as_many_as_the_rank():
    a = torch.ones(4, 4)
    assert dof.explain(dof.Operator(a=a), lambda x: x.sin().sum(-1), torch.randn(5, 4)).directions == 1


def test_squeezing_an_axis_of_points_leaves_their_tangents():
    x = torch.randn(5, 3)
    found = dof.laplacian(lambda x: (x.squeeze(0).reshape(-1, 3) ** 3).sum(-1))(x)
    assert_close(found, 6 * x.sum(-1), 1e-13)


def test_memory_formats_are_of_values():
    x = torch.randn(5, 16)
    f = lambda x: (x.reshape(-1, 1, 4, 4).to(memory_format=torch.channels_last) ** 3).flatten(1).sum(-1)  # noqa: E731
    assert_close(dof.laplacian(f)(x), 6 * x.sum(-1), 1e-13)
