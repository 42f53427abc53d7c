"""What training loops put around networks: several processes, checkpoints, reparametrised weights, hooks."""

import pytest
import torch
import torch.multiprocessing
from differences import assert_close
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils.parametrizations import weight_norm
from torch.utils.checkpoint import checkpoint

import dof.torch as dof


def network():
    torch.manual_seed(0)
    double = {"dtype": torch.float64}  # also in processes that do not have it as the default
    return nn.Sequential(nn.Linear(3, 6, **double), nn.LayerNorm(6, **double), nn.Tanh(), nn.Linear(6, 1, **double))


class Residual(nn.Module):
    """Δu of a network, as a module that other modules wrap."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return dof.laplacian(self.net)(x)


def points():
    return torch.randn(8, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def gradients(net, loss):
    loss.backward()
    return [p.grad for p in net.parameters() if p.grad is not None]


def train_a_part(rank, store, found):
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    net, x = network(), points()[rank::2]
    # The last bias has no influence on Δu, which DDP is to be told.
    residual = DistributedDataParallel(Residual(net), find_unused_parameters=True)
    found[rank] = [g.tolist() for g in gradients(net, (residual(x) ** 2).mean())]
    try:
        dof.laplacian(DistributedDataParallel(net, find_unused_parameters=True))(x)
    except dof.DofError as error:
        found["refusal"] = str(error)
    torch.distributed.destroy_process_group()


def test_two_processes_have_the_gradients_of_one_with_all_points(tmp_path):
    net = network()
    expected = gradients(net, (dof.laplacian(net)(points()) ** 2).mean())
    with torch.multiprocessing.Manager() as manager:
        found = manager.dict()
        torch.multiprocessing.spawn(train_a_part, (tmp_path / "store", found), nprocs=2)
        for rank in range(2):
            assert len(found[rank]) >= len(expected)
            for one, other in zip(found[rank], expected, strict=False):  # DDP has a zero for the last bias
                assert_close(torch.tensor(one, dtype=torch.float64), other, 1e-13)
        # DDP around the network alone puts a function of its own behind it.
        assert "autograd.Function" in found["refusal"]


def test_checkpoints_inside_of_f_have_the_same_values_and_gradients():
    net, x = network(), points()
    whole = dof.laplacian(net)(x)
    expected = gradients(net, (whole**2).mean())
    net.zero_grad()
    found = dof.laplacian(lambda x: net[3](checkpoint(net[:3], x, use_reentrant=False)))(x)
    assert_close(found, whole, 1e-14)
    for one, other in zip(gradients(net, (found**2).mean()), expected, strict=True):
        assert_close(one, other, 1e-13)


def test_an_operator_inside_of_a_checkpoint_is_computed_again_for_its_gradients():
    net, x = network(), points()
    expected = gradients(net, (dof.laplacian(net)(x) ** 2).mean())
    net.zero_grad()
    runs = []
    net[2].register_forward_hook(lambda *_: runs.append(1))
    found = checkpoint(dof.laplacian(net), x, use_reentrant=False)
    forward = len(runs)
    for one, other in zip(gradients(net, (found**2).mean()), expected, strict=True):
        assert_close(one, other, 1e-13)
    assert len(runs) == forward + 1


def test_weight_norm():
    net, x = network(), points()
    expected = dof.laplacian(net)(x)
    gradient = torch.autograd.grad((expected**2).mean(), net[0].weight)[0]
    weight_norm(net[0])
    found = dof.laplacian(net)(x)
    assert_close(found, expected, 1e-13)
    v, g = net[0].parametrizations.weight.original1, net[0].parametrizations.weight.original0
    # ∂/∂g of w = g v / |v|, row by row.
    of_g = torch.autograd.grad((found**2).mean(), g)[0]
    assert_close(of_g[:, 0], (gradient * v / v.norm(dim=1, keepdim=True)).sum(1), 1e-12)


def test_hooks_see_triples_and_can_change_results():
    net, x = network(), points()
    seen = []
    net[2].register_forward_hook(lambda module, args, result: seen.append(type(result).__name__))
    net[2].register_forward_pre_hook(lambda module, args: (2 * args[0],))
    doubled = nn.Sequential(*net[:2], nn.Tanh(), net[3])
    expected = dof.laplacian(lambda x: doubled[3](torch.tanh(2 * doubled[:2](x))))(x)
    assert_close(dof.laplacian(net)(x), expected, 1e-14)
    assert "Triple" in seen
    called = []
    net[0].weight.register_hook(lambda gradient: called.append(gradient.shape))
    (dof.laplacian(net)(x) ** 2).mean().backward()
    assert called == [net[0].weight.shape]


@pytest.mark.parametrize("n", range(4))
@pytest.mark.parametrize("rows", [1, 5])
def test_backward_hooks_of_modules_are_refused(n, rows):
    net = network()
    dof.laplacian(net)(points()[:rows])
    handle = net[n].register_full_backward_hook(lambda module, inputs, outputs: None)
    for f in (net, lambda x: net(x).sin()):
        with pytest.raises(dof.DofError, match="backward hooks"):
            dof.laplacian(f)(points()[:rows])
    handle.remove()
    dof.laplacian(net)(points()[:rows])


def test_points_of_inference_mode():
    net = network()
    with torch.inference_mode():
        x = points()
        found = dof.laplacian(net)(x)
    assert_close(found.clone(), dof.laplacian(net)(x.clone()).detach(), 1e-14)
