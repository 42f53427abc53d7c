"""What would be lost or wrong is refused, with the operation, the user's line and a way out; or it is right."""

import pickle

import pytest
import torch
from differences import assert_close
from torch import nn

import dof.torch as dof


class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def without_gradients(x):
    with torch.no_grad():
        length = x.norm(dim=-1)
    return (x**2).sum(-1) * length


def in_inference_mode(x):
    with torch.inference_mode():
        return (x**2).sum(-1)


scripted = torch.jit.script(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).double())


def by_script(x):
    for _ in range(3):  # TorchScript looks at the first calls, and optimises later ones
        found = scripted(x)
    return found


def puts_data(x):
    h = x.sin()
    h.data = x.cos()
    return h.sum(-1)


REFUSED = {
    "a script": (by_script, "torch.jit"),
    "a function without derivatives": (lambda x: torch.special.airy_ai(x).sum(-1), "no derivatives in PyTorch"),
    "an argument out": (lambda x: torch.matmul(x, torch.eye(3), out=torch.empty(x.shape)).sum(-1), "`out`"),
    "data that is put": (puts_data, "data"),
    "linearize": (lambda x: torch.func.linearize(torch.sin, x)[1](torch.ones_like(x)).sum(-1), "traces a graph"),
    "the determinant of a singular matrix": (lambda x: torch.linalg.det(x[:, None] * x[..., None]), "singular"),
    "an autograd.Function": (lambda x: Squared.apply(x).sum(-1), "autograd.Function"),
    "no_grad inside": (without_gradients, "torch.no_grad"),
    "inference mode inside": (in_inference_mode, "inference"),
    "float": (lambda x: x.sum(-1) * float(x[0, 0]), "Python number"),
    "a copy by torch.tensor": (lambda x: (torch.tensor(x) ** 2).sum(-1), "torch.tensor"),
    "numbers in lists": (lambda x: torch.stack([torch.as_tensor([p[0], p[1]]).sum() for p in x]), "torch.as_tensor"),
    "data": (lambda x: (x.data**2).sum(-1), "x.detach"),
    "pickle": (lambda x: pickle.loads(pickle.dumps(x)).sum(-1), "pickle"),
    "bits": (lambda x: x.view(torch.float32).sum(-1), "bits"),
    "cond": (lambda x: torch.cond(x.sum() > 1e9, lambda y: y.sum(-1), lambda y: y.sin().sum(-1), (x,)), "functions"),
    "memory": (lambda x: torch.empty(0).set_(x.untyped_storage()).reshape(x.shape).sum(-1), "untyped_storage"),
    "dlpack": (lambda x: torch.from_dlpack(x).sum(-1), "dlpack|is_pinned"),
    "numpy": (lambda x: torch.as_tensor(x.numpy()).sum(-1), "numpy"),
    "means over rows": (lambda x: ((x - x.mean(0)) ** 2).sum(-1), "row"),
    "BatchNorm in training": (lambda x: nn.functional.batch_norm(x, None, None, training=True).sum(-1), "eval"),
    "dropout": (lambda x: nn.functional.dropout(x, 0.5).sum(-1), "random numbers"),
    "random numbers": (lambda x: (x**2).sum(-1) * torch.rand(x.shape[0]), "random numbers"),
    "dropout in attention": (
        lambda x: nn.functional.scaled_dot_product_attention(*[x[:, None, :, None]] * 3, dropout_p=0.5).sum(
            (-1, -2, -3)
        ),
        "dropout|random",
    ),
}


@pytest.mark.parametrize("with_gradients", [True, False])
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name, with_gradients):
    f, word = REFUSED[name]
    with torch.set_grad_enabled(with_gradients), pytest.raises(dof.DofError, match=word) as raised:
        dof.laplacian(f)(torch.randn(4, 3))
    assert "Fix:" in str(raised.value)


def test_the_error_names_the_line_of_the_user():
    with pytest.raises(dof.NotDifferentiableError, match=r"test_refusals\.py:\d+"):
        dof.laplacian(REFUSED["float"][0])(torch.randn(4, 3))


@pytest.mark.parametrize("transform", [torch.func.vmap, lambda g: torch.func.grad(lambda x: g(x).sum())])
def test_operators_inside_of_transformations_are_refused(transform):
    with pytest.raises(dof.ArgumentError, match=r"torch\.func"):
        transform(dof.laplacian(lambda x: x.tanh().sum(-1)))(torch.randn(4, 3))


def second(x):
    """The Laplacian of Σ tanh."""
    return (-2 * x.tanh() * (1 - x.tanh() ** 2)).sum(-1)


def test_a_net_that_was_probed_in_eval_is_probed_again_in_training():
    net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Tanh(), nn.Linear(4, 1)).eval()
    dof.laplacian(net)(torch.randn(4, 3))
    net.train()
    with pytest.raises(dof.ArgumentError, match="random"):
        dof.laplacian(net)(torch.randn(4, 3))


def test_a_submodule_in_training_is_probed_again():
    net = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.Dropout(0.5)), nn.Tanh(), nn.Linear(4, 1)).eval()
    dof.laplacian(net)(torch.randn(4, 3))
    net[1].train()
    with pytest.raises(dof.DofError, match="random"):
        dof.laplacian(net)(torch.randn(4, 3))


class Centred(nn.Module):
    def forward(self, x):
        return ((x - x.mean(0)) ** 2).sum(-1)


class SumOfSquares(nn.Module):
    def forward(self, x):
        return (x**2).sum(-1)


def test_a_network_in_the_place_of_one_that_is_gone_is_probed():
    """Python gives a new object the id of one that is gone."""
    for _ in range(20):
        kept = SumOfSquares()
        dof.laplacian(kept)(torch.randn(4, 3))
        del kept
        with pytest.raises(dof.ArgumentError, match="row"):
            dof.laplacian(Centred())(torch.randn(4, 3))


def test_random_numbers_behind_a_switch_are_refused():
    switch = [False]
    f = lambda x: nn.functional.dropout(x, 0.5, training=switch[0]).sum(-1)  # noqa: E731
    dof.laplacian(f)(torch.randn(4, 3))
    switch[0] = True
    with pytest.raises(dof.DofError, match="random"):
        dof.laplacian(f)(torch.randn(4, 3))


RIGHT = {
    "vmap over points": lambda x: torch.func.vmap(lambda p: p.tanh().sum())(x),
    "a branch on values": lambda x: x.tanh().sum(-1) if (x < 1e9).all() else x.sum(-1),
    "checkpoint": lambda x: torch.utils.checkpoint.checkpoint(lambda h: h.tanh().sum(-1), x, use_reentrant=False),
    "detach counts as a constant": lambda x: (x.tanh() + (x * x.detach() ** 3)).sum(-1),
    "detach under vmap": torch.func.vmap(lambda x: (x.tanh() + (x * x.detach() ** 3)).sum(-1)),
    "torch.compile": torch.compile(lambda x: x.tanh().sum(-1), backend="eager"),
    "an ensemble by vmap": lambda x: torch.func.vmap(lambda w: (x @ w).tanh(), out_dims=-1)(torch.eye(3)).sum(-1),
    "a cast to integers": lambda x: x.tanh().sum(-1) + x.long().to(x.dtype).sum(-1),
    "a reduced precision and back": lambda x: x.tanh().to(torch.float64).sum(-1),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right(name):
    x = torch.randn(4, 3)
    assert_close(dof.laplacian(RIGHT[name])(x), second(x), 1e-13)
