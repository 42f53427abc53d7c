"""Operations that change shapes and memory formats of values."""

import torch
from differences import assert_close

import dof.torch as dof


def test_squeezing_an_axis_of_points_leaves_their_tangents():
    x = torch.randn(5, 3)
    found = dof.laplacian(lambda x: (x.squeeze(0).reshape(-1, 3) ** 3).sum(-1))(x)
    assert_close(found, 6 * x.sum(-1), 1e-13)


def test_memory_formats_are_of_values():
    x = torch.randn(5, 16)
    f = lambda x: (x.reshape(-1, 1, 4, 4).to(memory_format=torch.channels_last) ** 3).flatten(1).sum(-1)  # noqa: E731
    assert_close(dof.laplacian(f)(x), 6 * x.sum(-1), 1e-13)
