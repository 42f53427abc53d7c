"""Memory that is used again: never while something refers to it."""

import pytest
import torch

from dof.torch import buffers
from dof.torch.buffers import as_rows, empty, empty_like, neighbours

LIKE = torch.zeros(1024, 128)


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setattr(buffers, "_kept", buffers._Kept())


def places(count):
    return [empty_like(LIKE).data_ptr() for _ in range(count)]


def test_memory_is_used_again_when_nothing_refers_to_it():
    assert len(set(places(3))) == 1


@pytest.mark.parametrize(
    "hold",
    [lambda x: x, lambda x: x[3:5], lambda x: x.numpy(), lambda x: x.untyped_storage(), lambda x: x.detach().T],
    ids=["tensor", "view", "numpy", "storage", "detached"],
)
def test_memory_that_something_refers_to_is_left_alone(hold):
    first = empty_like(LIKE)
    place, held = first.data_ptr(), hold(first)
    del first
    assert place not in places(2)
    del held
    assert place in [x.data_ptr() for x in [empty_like(LIKE), empty_like(LIKE)]]


def test_memory_that_another_process_may_see_is_not_used_again():
    place = empty_like(LIKE).share_memory_().data_ptr()
    assert place not in places(2)


def test_memory_of_a_graph_is_left_alone_until_its_backward_pass():
    x = empty_like(LIKE).fill_(2.0)
    place, w = x.data_ptr(), torch.ones((), requires_grad=True)
    y = (w * x).sum()
    del x
    assert place not in places(2)
    y.backward()
    assert w.grad == 2 * LIKE.numel()
    assert place in places(2)


def test_no_more_is_kept_than_allowed_and_other_shapes_make_room(monkeypatch):
    size = LIKE.numel() * LIKE.element_size()
    monkeypatch.setattr(buffers, "MOST", 2 * size)
    held = [empty_like(LIKE) for _ in range(3)]
    assert buffers._kept.bytes() == 2 * size
    del held
    other = empty_like(LIKE[:512])
    assert other.shape == (512, 128)
    assert buffers._kept.bytes() == size // 2


@pytest.mark.parametrize("x", [LIKE.T, LIKE[None].expand(3, -1, -1), LIKE.reshape(8, 128, 128).movedim(1, 0)])
def test_shape_and_order_in_memory_are_those_that_pytorch_gives(x):
    expected = torch.empty_like(x)
    found = empty_like(x)
    assert (found.shape, found.stride(), found.dtype) == (expected.shape, expected.stride(), expected.dtype)


@pytest.mark.parametrize("scale", [1, 512])  # memory from PyTorch, and memory that is kept
def test_neighbours_are_the_rows_of_one_matrix_and_no_views(scale):
    shapes = [(scale, 128), (3, scale, 128), (1, scale, 128)]
    parts = neighbours(LIKE, shapes)
    assert [part.shape for part in parts] == [torch.Size(shape) for shape in shapes]
    assert not any(part._is_view() for part in parts)
    for n, part in enumerate(parts):
        part.fill_(n)
    rows = as_rows(parts)
    assert rows is not None
    assert rows.shape == (5 * scale, 128)
    assert rows[::scale, 0].tolist() == [0, 1, 1, 1, 2]


def test_other_tensors_are_not_taken_for_neighbours():
    one, two, three = neighbours(LIKE, [(4, 8), (2, 4, 8), (8, 4)])
    assert as_rows([one, two]) is not None
    assert as_rows([two, one]) is None
    assert as_rows([one, two[:, 1:]]) is None
    assert as_rows([one, two, three]) is None
    assert as_rows([one, two.clone()]) is None
    assert as_rows([two.mT]) is None


@pytest.mark.parametrize("shape", [(), (0, 3), (300, 300), (2, 1, 70_000)])
def test_empty_tensors_are_contiguous(shape):
    assert empty(LIKE, shape).stride() == torch.empty(shape).stride()
