"""Check: dof against finite differences and nested autograd."""

import pytest
import torch
from torch import nn

import dof.torch as dof


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
