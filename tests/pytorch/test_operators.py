"""Every form of the coefficients, against the whole Hessian of a network without layers that PyTorch gets wrong."""

import numpy as np
import pytest
import torch
from differences import assert_close, slope_by_differences

import dof.torch as dof

WEIGHTS = torch.randn(3, 7, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
A = torch.randn(3, 3, generator=torch.Generator().manual_seed(4), dtype=torch.float64)
B = torch.randn(3, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
SIGNS = torch.tensor([1.0, -1.0], dtype=torch.float64)


def f(x):
    h = torch.tanh(x @ WEIGHTS.to(x))
    return torch.stack([h.sum(-1) * x[..., 0], (h**3).sum(-1)], -1)


def reference(x, a=None, b=None, c=None):
    """L f from the whole Hessian; coefficients as (…, 3, 3), (…, 3), (…)."""
    rows = x.reshape(-1, 3)
    hessian = torch.func.vmap(torch.func.jacfwd(torch.func.jacrev(f)))(rows).reshape(*x.shape[:-1], 2, 3, 3)
    slopes = torch.func.vmap(torch.func.jacrev(f))(rows).reshape(*x.shape[:-1], 2, 3)
    total = torch.zeros(*x.shape[:-1], 2)
    if a is not None:
        total = total + (hessian * torch.as_tensor(a)[..., None, :, :]).sum((-1, -2))
    if b is not None:
        total = total + (slopes * torch.as_tensor(b)[..., None, :]).sum(-1)
    return total if c is None else total + torch.as_tensor(c)[..., None] * f(x)


def outer(x):
    return x[..., :, None] * x[..., None, :] + 1


FORMS = {
    "a scalar": ({"a": 0.5}, lambda x: {"a": 0.5 * torch.eye(3)}),
    "a diagonal": ({"a": [1.0, -2.0, 0.0]}, lambda x: {"a": torch.diag(torch.tensor([1.0, -2.0, 0.0]))}),
    "a dense matrix and b and c": ({"a": A, "b": B, "c": 2.0}, lambda x: {"a": A, "b": B, "c": 2.0}),
    "a NumPy array": ({"a": A.numpy(), "b": np.array([1, 2, 3])}, lambda x: {"a": A, "b": torch.tensor([1.0, 2, 3])}),
    "Factored": ({"a": dof.Factored(A[:2], (1, -1))}, lambda x: {"a": A[:2].T @ torch.diag(SIGNS) @ A[:2]}),
    "blocks": (
        {"a": dof.BlockDiagonal([A[:2, :2], A[2:, 2:]])},
        lambda x: {"a": torch.block_diag(A[:2, :2], A[2:, 2:])},
    ),
    "first order": ({"b": B}, lambda x: {"b": B}),
    "order zero": ({"c": 3.0}, lambda x: {"c": 3.0}),
    "functions of x": (
        {"a": outer, "b": lambda x: -x, "c": lambda x: (x**2).sum(-1)},
        lambda x: {"a": outer(x), "b": -x, "c": (x**2).sum(-1)},
    ),
    "a diagonal of x": ({"a": lambda x: x**3}, lambda x: {"a": torch.diag_embed(x**3)}),
    "a scalar of x": ({"a": lambda x: x.sum(-1)}, lambda x: {"a": x.sum(-1)[..., None, None] * torch.eye(3)}),
    "Factored of x": (
        {"a": lambda x: dof.Factored(x[..., None, :] * A[:2], (1, -1))},
        lambda x: {
            "a": torch.einsum("...ki,k,...kj->...ij", *(x[..., None, :] * A[:2], SIGNS, x[..., None, :] * A[:2]))
        },
    ),
    "blocks of x": (
        {"a": lambda x: dof.BlockDiagonal([outer(x)[..., :2, :2], outer(x)[..., 2:, 2:]])},
        lambda x: {"a": outer(x) * torch.block_diag(torch.ones(2, 2), torch.ones(1, 1))},
    ),
    "complex": ({"a": A * (1 + 2j), "b": 1j * B}, lambda x: {"a": A * (1 + 2j), "b": 1j * B}),
}


@pytest.mark.parametrize("shape", [(5, 3), (2, 4, 3), (3,), (1, 3)], ids=str)
@pytest.mark.parametrize("name", FORMS)
def test_forms_of_coefficients(name, shape):
    given, dense = FORMS[name]
    x = torch.randn(shape)
    assert_close(dof.Operator(**given)(f)(x), reference(x, **dense(x)), 1e-12)


def test_sums_multiples_and_functions_times_operators():
    x = torch.randn(5, 3)
    L = 2 * dof.laplacian + (lambda x: x[..., 0]) * dof.Operator(a=A, b=B) - dof.Operator(c=1.0)
    a = 2 * torch.eye(3) + x[:, 0, None, None] * A
    assert_close(L(f)(x), reference(x, a, x[:, :1] * B, -1.0), 1e-12)


def test_numbers_are_multiples_of_the_function():
    x = torch.randn(5, 3)
    assert_close((dof.laplacian - 3)(f)(x), reference(x, torch.eye(3), c=-3.0), 1e-12)
    assert_close((torch.tensor(3.0) - dof.laplacian)(f)(x), reference(x, -torch.eye(3), c=3.0), 1e-12)


def test_functions_are_added_as_multiples_of_the_function_by_their_values():
    x, g = torch.randn(5, 3), lambda x: x[..., 0].sin()
    for L, a in ((dof.laplacian, torch.eye(3)), (dof.Operator(a=A), A)):
        assert_close((L + g)(f)(x), reference(x, a, c=g(x)), 1e-12)
        assert_close((g + L)(f)(x), reference(x, a, c=g(x)), 1e-12)
        assert_close((L - g)(f)(x), reference(x, a, c=-g(x)), 1e-12)
        assert_close((g - L)(f)(x), reference(x, -a, c=g(x)), 1e-12)


@pytest.mark.parametrize(("name", "found"), [("b", lambda x: x.mean(0)), ("c", lambda x: x.sum())])
def test_coefficients_that_mix_points_are_refused(name, found):
    x, constant = torch.randn(5, 3), torch.ones(3 if name == "b" else (), requires_grad=True)
    assert_close(dof.Operator(**{name: lambda x: constant})(f)(x), dof.Operator(**{name: constant})(f)(x), 1e-14)
    with pytest.raises(dof.ArgumentError, match=f"`{name}` is the same for all points, and depends on them"):
        dof.Operator(**{name: found})(f)(x)


OF_ONE_POINT = {
    "b": (
        lambda x: torch.stack([x[1], x[0], x[2]]),
        "fails for points in rows .IndexError: index 1.*\n.*x\\[..., 0\\]",
    ),
    "a": (lambda x: torch.outer(x, x), "fails for points in rows .RuntimeError: outer.*\n.*the outer product"),
    "c": (lambda x: x @ x, "fails for points in rows .RuntimeError"),
    "scale": (lambda x: x[2], "fails for points in rows .IndexError"),
}


@pytest.mark.parametrize("points", [5, 3])
@pytest.mark.parametrize("name", OF_ONE_POINT)
def test_coefficients_of_one_point_are_told_that_they_get_all_of_them(name, points):
    function, message = OF_ONE_POINT[name]
    L = function * dof.laplacian if name == "scale" else dof.Operator(**{name: function})
    with pytest.raises(dof.ArgumentError, match=f"`{name}` is a function of one point, which {message}"):
        L(f)(torch.randn(points, 3))


@pytest.mark.parametrize("given", [{"b": OF_ONE_POINT["b"][0]}, {"b": lambda x: x[[0, 0, 0]]}, {"c": lambda x: x[0]}])
def test_as_many_points_as_coordinates_do_not_hide_a_coefficient_of_one_point(given):
    x = torch.randn(3, 3)
    dof.laplacian(f)(x)  # f has been probed with a single row, and is not again
    with pytest.raises(dof.ArgumentError, match="is a function of one point, which"):
        dof.Operator(**given)(f)(x)


def test_shapes_of_coefficients_are_told_with_those_of_the_points():
    x = torch.randn(5, 3)
    with pytest.raises(dof.ArgumentError, match=r"`b` has shape \(1, 2\) for x of shape \(1, 3\)"):
        dof.Operator(b=lambda x: x[..., :2])(lambda x: f(x) + 1)(x)
    L = dof.Operator(c=lambda x: x.sum(-1).squeeze())
    assert_close(L(f)(x[:3]), reference(x[:3], c=x[:3].sum(-1)), 1e-12)
    with pytest.raises(ZeroDivisionError):  # errors of other causes stay as they are
        dof.Operator(b=lambda x: x / (1 // 0))(f)(x)


def test_jointly_and_with_value_and_propagate():
    x, L = torch.randn(5, 3), dof.Operator(a=A, b=B, c=2.0)
    one, two = dof.jointly(dof.laplacian, L)(f)(x)
    assert_close(one, reference(x, torch.eye(3)), 1e-12)
    assert_close(two, reference(x, A, B, 2.0), 1e-12)
    value, applied = L.with_value(f)(x)
    assert_close(value, f(x), 1e-15)
    assert_close(applied, two, 1e-13)
    triple = dof.propagate(f, dof.laplacian)(x)
    assert_close(triple.tangents.movedim(0, -1), torch.func.vmap(torch.func.jacrev(f))(x), 1e-12)
    assert_close(triple.applied, one, 1e-13)


LEARNED = {
    "a scalar": (lambda p: {"a": p}, ()),
    "a diagonal": (lambda p: {"a": p}, (3,)),
    "a matrix": (lambda p: {"a": p}, (3, 3)),
    "rows of Factored": (lambda p: {"a": dof.Factored(p)}, (2, 3)),
    "blocks": (lambda p: {"a": dof.BlockDiagonal(p)}, (3, 1, 1)),
    "b": (lambda p: {"b": p}, (3,)),
    "c": (lambda p: {"c": p}, ()),
    "a in a function of x": (lambda p: {"a": lambda x: p * x}, (3,)),
    "a scale": (lambda p: {"a": lambda x: p * x[..., 0]}, ()),
}


@pytest.mark.parametrize("name", LEARNED)
def test_gradients_in_learned_coefficients(name):
    coefficients, shape = LEARNED[name]
    x, p = torch.randn(4, 3), torch.nn.Parameter(torch.randn(shape))

    def loss(p):
        return (dof.Operator(**coefficients(p))(f)(x) ** 2).sum()

    (slope,) = torch.autograd.grad(loss(p), p)
    direction = torch.randn(shape)
    expected = slope_by_differences(lambda t: loss(torch.nn.Parameter(p.detach() + t * direction)))
    assert float((slope * direction).sum()) == pytest.approx(float(expected), rel=1e-8)


def test_one_operator_after_another_is_of_order_four():
    x = torch.randn(3, 3)
    fourth = f
    for _ in range(4):
        fourth = torch.func.jacrev(fourth)
    expected = torch.einsum("nkiijj->nk", torch.func.vmap(fourth)(x))
    assert_close((dof.laplacian @ dof.laplacian)(f)(x), expected, 1e-11)


def test_results_may_be_tuples_and_dicts():
    x = torch.randn(4, 3)
    found = dof.laplacian(lambda x: {"u": f(x), "more": (x.sum(-1) ** 2, x.new_ones(x.shape[:-1]))})(x)
    assert_close(found["u"], reference(x, torch.eye(3)), 1e-12)
    assert found["more"][0].tolist() == pytest.approx([6.0] * 4)
    assert found["more"][1].tolist() == [0.0] * 4


@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 1e-4), (torch.bfloat16, 0.3)])
def test_precision_of_x_is_kept(dtype, tolerance):
    x = torch.rand(4, 3)
    found = dof.Operator(a=A, b=lambda x: -x, c=2.0)(f)(x.to(dtype))
    assert found.dtype == dtype
    assert_close(found.double(), reference(x.to(dtype).double(), A, -x, 2.0), tolerance)


def test_holomorphic_functions_of_complex_points():
    x = torch.randn(4, 3, dtype=torch.complex128)
    found = dof.laplacian(lambda x: (x**3).sum(-1) + torch.exp(1j * x).prod(-1))(x)
    assert_close(found, (6 * x).sum(-1) - 3 * torch.exp(1j * x).prod(-1), 1e-12)


def test_complex_values_of_real_points():
    x = torch.randn(4, 3)

    def wave(x):
        return torch.exp(1j * x.sum(-1)) * (x**2).sum(-1)

    plane, square = torch.exp(1j * x.sum(-1)), (x**2).sum(-1)
    expected = plane * (6 + 4j * x.sum(-1) - 3 * square)
    assert_close(dof.laplacian(wave)(x), expected, 1e-12)
    assert_close(dof.laplacian(lambda x: wave(x).abs() ** 2)(x), 12 * square + 8 * square, 1e-12)


@pytest.mark.parametrize(
    "make, word",
    [
        (lambda x: dof.Operator(a=torch.ones(2))(f)(x), "has shape \\(2,\\)"),
        (lambda x: dof.Operator(a=float("nan")), "finite"),
        (lambda x: dof.Operator(b=torch.ones(3, 3)), "`b`"),
        (lambda x: dof.Operator(c=lambda x: x)(f)(x), "`c`"),
        (lambda x: dof.Operator(a=lambda x: torch.eye(3))(f)(x[:3]), "axes of points"),
        (lambda x: dof.Factored(torch.ones(2, 3), (1, 2)), "signs"),
        (lambda x: dof.BlockDiagonal([torch.ones(2, 3)]), "square"),
        (lambda x: dof.Operator(a=dof.Factored(lambda x: x)), "a=lambda x: dof.Factored"),
        (lambda x: dof.BlockDiagonal(lambda x: x), "a=lambda x: dof.BlockDiagonal"),
        (lambda x: dof.laplacian(3.0), "`f`"),
        (lambda x: dof.laplacian @ f * dof.laplacian, "`L @ k` has the function `f`.*\n.*dx @ \\(k \\* dx\\)"),
        (lambda x: dof.laplacian(f)(x.long()), "`x`"),
        (lambda x: dof.jointly(), "no operators"),
        (lambda x: dof.propagate(f, 3), "`L`"),
        (lambda x: dof.batched(f, chunk=0), "`chunk`"),
        (lambda x: dof.laplacian(lambda x: f(x).mean())(x), "one result for each point"),
    ],
)
def test_wrong_arguments_are_named(make, word):
    with pytest.raises(dof.DofError, match=word):
        make(torch.randn(5, 3))
