"""What explain says of each step: tangents without an axis of points, and as few directions as the rank."""

import torch
from small_network import network

import dof.torch as dof


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
