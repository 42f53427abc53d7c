"""Decompositions of matrices that depend on x, and places in memory: against finite differences, or refused."""

import pytest
import torch
from differences import assert_close, laplacian_by_differences, slope_by_differences

import dof.torch as dof

W = torch.tensor([[1.0, 0.3, -0.2], [0.1, 2.0, 0.4], [0.5, -0.3, 4.0]], dtype=torch.float64)


def matrices(x, scale=1.0):
    return W + scale * torch.sin(x)[..., :, None] * x[..., None, :] / 4


def phases(x):
    return matrices(x) * torch.exp(1j * x[..., :, None]) + 0.3j


WEIGHTS = torch.tensor([0.7, -1.1, 0.4], dtype=torch.float64)
INVARIANT = {
    "eigenvalues": lambda m: torch.linalg.eigvalsh(m) @ WEIGHTS,
    "eigenvectors": lambda m: (torch.linalg.eigh(m)[1].abs() ** 2 @ WEIGHTS) @ WEIGHTS,
    "eigenvalues of any matrix": lambda m: (torch.linalg.eigvals(m) ** 3).sum(-1).real,
    "singular values": lambda m: torch.linalg.svdvals(m) @ WEIGHTS,
    "singular vectors": lambda m: (torch.linalg.svd(m)[0].abs() ** 2 @ WEIGHTS) @ WEIGHTS,
    "singular vectors of two columns": lambda m: (
        torch.linalg.svd(m[..., :2], full_matrices=False)[0].abs() ** 2 @ WEIGHTS[:2] @ WEIGHTS
    ),
}
"""Functions that do not depend on the signs or phases of vectors."""


@pytest.mark.parametrize("of", [matrices, phases], ids=["real", "complex"])
@pytest.mark.parametrize("name", INVARIANT)
def test_decompositions(name, of):
    x = torch.tensor([[0.3, -0.5, 0.8], [0.2, 0.6, -0.4]])
    f = lambda x: INVARIANT[name](of(x))  # noqa: E731
    found = dof.laplacian(f)(x)
    assert_close(found, laplacian_by_differences(f, x), 1e-8)
    x.requires_grad_()
    direction = torch.tensor([0.4, 0.3, -0.7])
    (slope,) = torch.autograd.grad(dof.laplacian(f)(x).sum(), x)
    along = slope_by_differences(lambda t: dof.laplacian(f)(x.detach() + t * direction).sum(), step=1e-2)
    assert_close((slope * direction).sum(), along, 1e-7)


@pytest.mark.parametrize("values", [torch.linalg.eigvalsh, torch.linalg.svdvals])
@pytest.mark.parametrize("split", [False, True])
def test_equal_eigenvalues_have_no_derivatives(values, split):
    """Also where the rounding of the decomposition splits them."""
    f = lambda x: values(torch.diag_embed(x) + split * x.prod(-1)[:, None, None])[:, 1]  # noqa: E731
    assert not torch.isfinite(dof.laplacian(f)(torch.ones(2, 3))).any()


def test_elements_by_their_place_in_memory():
    x = torch.randn(4, 3)
    f = lambda x: torch.as_strided(x @ W, (3, x.shape[0]), (1, 3), 0).pow(3).sum(0)  # noqa: E731
    assert_close(dof.laplacian(f)(x), dof.laplacian(lambda x: (x @ W).pow(3).sum(-1))(x), 1e-13)
    with pytest.raises(dof.NotDifferentiableError, match="outside of the tensor"):
        dof.laplacian(lambda x: (x**3)[:, 1:].as_strided((x.shape[0], 3), (3, 1), 0).sum(-1))(x)


def test_sparse_matrices_are_refused_with_the_line_of_the_user():
    sparse = W.to_sparse()
    with pytest.raises(dof.NotDifferentiableError, match=r"sparse.* at .*test_linear_algebra\.py:\d+"):
        dof.laplacian(lambda x: torch.sparse.mm(sparse, (x**3).mT).sum(0))(torch.randn(4, 3))


def test_errors_of_the_user_stay_those_of_pytorch():
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        dof.laplacian(lambda x: (x @ torch.ones(5, 5)).sum(-1))(torch.randn(4, 3))


NESTED = {
    "atanh": lambda h: torch.atanh(h / 4),
    "asinh": torch.asinh,
    "erfc": torch.erfc,
    "lgamma": lambda h: torch.lgamma(h + 3),
    "atan2": lambda h: torch.atan2(h, h**2 + 1),
    "softsign": torch.nn.functional.softsign,
    "mish": torch.nn.functional.mish,
    "selu": torch.nn.functional.selu,
    "power": lambda h: (h**2 + 1) ** (h / 3),
}


@pytest.mark.parametrize("name", NESTED)
def test_one_operator_after_another(name):
    x = torch.tensor([[0.3, -0.5, 0.8], [0.5, 0.6, 0.4]])  # away from the kink of selu
    f = lambda x: NESTED[name](x + x.flip(-1) / 2).sum(-1)  # noqa: E731
    inner = dof.laplacian(f)
    found = (dof.laplacian @ dof.laplacian)(f)(x)
    assert_close(found, laplacian_by_differences(inner, x, step=2e-2), 1e-6)


def by_normal_equations(A, B):
    """What `lstsq` returns, but the rank."""
    square = A.mH @ A
    X = torch.linalg.solve(square, A.mH @ B)
    return X, (A @ X - B).abs().square().sum(-2), torch.linalg.eigvalsh(square).flip(-1).sqrt()


@pytest.mark.parametrize("of", [matrices, phases], ids=["real", "complex"])
@pytest.mark.parametrize("part", [0, 1, 2], ids=["solution", "residuals", "singular values"])
def test_least_squares_have_the_derivatives_of_the_normal_equations(part, of):
    def through(solve):
        def f(x):
            A = torch.cat([of(x), of(x * x)[..., :1, :]], -2)
            return (solve(A, A[..., :2] ** 2 + 1)[part].abs() ** 2).flatten(1) @ weights[:count]

        return f

    x = torch.tensor([[0.3, -0.5, 0.8], [0.2, 0.6, -0.4]], dtype=torch.float64, requires_grad=True)
    count, weights = (6, 2, 3)[part], torch.linspace(0.5, 1.5, 6, dtype=torch.float64)
    lstsq = lambda A, B: (lambda found: (found[0], found[1], found[3]))(torch.linalg.lstsq(A, B, driver="gelsd"))  # noqa: E731
    found, expected = (dof.laplacian(through(solve))(x) for solve in (lstsq, by_normal_equations))
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)
    slopes = [torch.autograd.grad(y.sum(), x)[0] for y in (found, expected)]
    torch.testing.assert_close(*slopes, rtol=1e-8, atol=1e-8)
