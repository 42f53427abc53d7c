"""Complex fields: Schrödinger, hard and soft conditions, derivatives, next to real fields with components."""

import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.extend import enable_x64
from dof.pde.notation.names import read_names


def plane_wave(x, t):
    return jnp.exp(1j * (jnp.pi * x - jnp.pi**2 * t))


@pde.residual("x t", fields="psi: complex")
def schroedinger(psi, x, t):
    return 1j * psi.t + psi.xx


DOMAIN = pde.Interval(0, 1) * pde.Time(0, 0.2)


def test_names_of_complex_fields_are_read_and_written():
    names = read_names("psi: complex v[2] w[2] :complex", "fields")
    assert str(names) == "psi: complex v[2] w[2]: complex" and names.count == 2 + 2 + 4
    assert names.each == ("Re psi", "Im psi", "v[0]", "v[1]", "Re w[0]", "Re w[1]", "Im w[0]", "Im w[1]")
    array = np.arange(8.0)
    assert names.part("psi", array) == 0 + 1j and names.part("v", array).tolist() == [2, 3]
    assert names.part("w", array).tolist() == [4 + 6j, 5 + 7j]
    with pytest.raises(dof.ArgumentError, match="`coordinates`"):
        read_names("x: complex", "coordinates")


def test_a_residual_of_a_complex_field_is_that_of_the_formula():
    net = lambda z: jnp.stack([plane_wave(*z).real, plane_wave(*z).imag])  # noqa: E731
    with enable_x64():
        assert abs(schroedinger(net)(np.array([0.3, 0.1]))) < 1e-12
        cubic = pde.residual("x t", fields="psi: complex")(lambda psi, x, t: abs(psi) ** 2 * psi + 1j * psi.x)
        # |ψ| = 1 and ψ_x = iπψ
        expected = (1 - np.pi) * plane_wave(0.3, 0.1)
        np.testing.assert_allclose(cubic(net)(np.array([0.3, 0.1])), expected, rtol=1e-12)


def test_a_complex_equation_is_solved_with_hard_and_soft_conditions():
    conditions = [pde.initial(plane_wave, hard=True), pde.dirichlet(plane_wave), pde.periodic("x", weight=1e-9)]
    problem = pde.Problem(schroedinger, DOMAIN, conditions[:2], reference=plane_wave)
    solution = dof.solve(
        problem, adam=0, newton=25, width=12, depth=1, points=150, edge_points=40, report=25, error_points=256
    )
    assert solution.error < 0.02
    points = np.array([[0.3, 0.1], [0.6, 0.2], [0.5, 0.0]])
    values = solution(points)
    assert values.shape == (3,) and np.abs(values - plane_wave(*points.T)).max() < 0.05
    np.testing.assert_allclose(values[2], plane_wave(0.5, 0.0), rtol=1e-12)
    np.testing.assert_allclose(solution.d("x")(points), 1j * np.pi * plane_wave(*points.T), atol=0.3)
    assert np.iscomplexobj(solution.residual(points)) and solution.real_values(points).shape == (3, 2)


def test_complex_and_real_fields_have_conditions_of_their_own():
    mixed = pde.residual("x t", fields="a[2] psi: complex")(lambda a, psi, x, t: (a.t, psi.t - a[0] * psi))
    hard = [
        pde.initial(lambda x, t: jnp.array([x, 2 * x]), field="a", hard=True),
        pde.initial(lambda x, t: x * 1j, field="psi", hard=True),
    ]
    soft = [pde.dirichlet(1j, on="x=0", field="psi"), pde.data([[0.5, 0.1]], [2j], field="psi"), pde.dirichlet(0.0)]
    problem = pde.Problem(mixed, DOMAIN, [*hard, *soft])
    with enable_x64():
        u = problem.trial(lambda features: jnp.arange(4.0))
        np.testing.assert_allclose(u(jnp.array([0.3, 0.0])), [0.3, 0.6, 0, 0.3], atol=1e-15)
        net = lambda z: jnp.array([1.0, 2.0, 3.0, 4.0])  # noqa: E731
        _, face, data, _ = problem.terms()
        z, n = jnp.array([0.0, 0.1]), jnp.zeros(1)
        np.testing.assert_allclose(face.residual(net, {}, "dof", z, n), [3, 3])
        np.testing.assert_allclose(data.residual(net, {}, "dof", z, jnp.asarray(2j)), [3, 2])
