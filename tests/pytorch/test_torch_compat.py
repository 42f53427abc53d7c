"""The private names of PyTorch that dof uses behave as it relies on."""

import subprocess
import sys

import pytest
import torch
from torch import nn

from dof.torch import registry, torch_compat
from dof.torch.registry import FUNCTIONS, RECORDS


def test_transformations_are_seen():
    assert not torch_compat.functorch_is_active()
    seen = torch.func.vmap(lambda x: x * float(torch_compat.functorch_is_active()))(torch.ones(2))
    assert seen.tolist() == [1.0, 1.0]


def test_forward_mode_is_off_inside_of_an_autograd_function():
    seen = []

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            seen.append(torch_compat.forward_mode_is_enabled())
            return x.clone()

        @staticmethod
        def backward(ctx, gradient):
            return gradient

    Function.apply(torch.ones(2))
    with torch.no_grad():
        seen.append(torch_compat.forward_mode_is_enabled())
    assert seen == [False, True]


def test_composites_and_decompositions_are_found():
    aten = torch.ops.aten
    assert torch_compat.is_composite(aten.matmul.default) and not torch_compat.is_composite(aten.mm.default)
    assert torch_compat.decomposition_of(aten.huber_loss.default) is not None
    assert torch_compat.decomposition_of(aten.mm.default) is None


def test_operations_with_rules_have_the_arguments_that_rules_read():
    def arguments(func):
        return [a.name for a in func._schema.arguments]

    aten = torch.ops.aten
    assert arguments(aten.add.Tensor) == ["self", "other", "alpha"]
    assert arguments(aten.addmm.default) == ["self", "mat1", "mat2", "beta", "alpha"]
    assert arguments(aten.native_layer_norm.default) == ["input", "normalized_shape", "weight", "bias", "eps"]
    assert arguments(aten.native_group_norm.default)[:3] == ["input", "weight", "bias"]
    assert arguments(aten._linalg_solve_ex.default) == ["A", "B", "left", "check_errors"]
    assert arguments(aten.convolution.default)[:3] == ["input", "weight", "bias"]
    assert arguments(aten.sum.dim_IntList) == ["self", "dim", "keepdim", "dtype"]
    assert not any(func._schema.is_mutable for func in RECORDS)
    assert nn.functional.linear in FUNCTIONS and torch.lstm in FUNCTIONS


def test_jax_is_not_imported():
    program = (
        "import sys; sys.modules['jax'] = None; import torch, dof.torch as d; from dof.torch import pde; "
        "print(d.laplacian(lambda x: (x**2).sum(-1))(torch.ones(2, 3)).tolist())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "[6.0, 6.0]\n", done.stderr


def test_prims_are_computed_by_functions_of_pytorch():
    two, three = torch.tensor(2.0), torch.tensor(3.0)
    assert torch_compat.aten_of(torch.ops.prims.mul.default)(two, three) == 6


def test_uses_of_memory_are_counted():
    storage = torch.UntypedStorage(64)
    assert torch_compat.uses_of(storage) == 1
    held = torch.empty(0).set_(storage, 0, (4, 4))
    views = [held[1:], held.T]
    assert torch_compat.uses_of(storage) == 4
    del held, views
    assert torch_compat.uses_of(storage) == 1


def test_gradients_that_stand_for_many_are_seen():
    seen = []
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda gradient: seen.append(torch_compat.is_batched(gradient)))
    torch.autograd.grad(y, x, torch.eye(2), is_grads_batched=True, retain_graph=True)
    torch.autograd.grad(y.sum(), x)
    assert seen == [True, False]


def test_backward_hooks_are_found():
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    for register in (net[1].register_full_backward_hook, net[0].register_full_backward_pre_hook):
        assert not torch_compat.has_backward_hooks(net)
        handle = register(lambda *_: None)
        assert torch_compat.has_backward_hooks(net)
        handle.remove()


@pytest.mark.skipif(not torch.__version__.startswith("2.13."), reason="other releases may have dropped operations")
def test_no_name_of_an_operation_is_misspelt():
    assert registry.MISSING == []


def test_an_operation_that_this_pytorch_does_not_have_is_passed_over():
    before = len(registry.MISSING)
    assert list(registry.overloads("no_such_operation relu.no_such_overload")) == []
    found = registry.MISSING[before:]
    del registry.MISSING[before:]
    assert found == ["no_such_operation", "relu.no_such_overload"]
