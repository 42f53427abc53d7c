"""Values of Neumann and Robin conditions that take the normal, as keyword `n`."""

from functools import partial

import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.pde.geometry.named_domain import takes_normal

flat = pde.residual("x y")(lambda u, x, y: u.laplacian)
ring = pde.Shell([0, 0], 0.5, 1.0)
saddle = lambda x, y: x**2 - y**2  # noqa: E731


def slope(x, y, *, n):
    return n @ jnp.array([2 * x, -2 * y])


def sum_with_weight(x, y, *, n):
    return slope(x, y, n=n) + (1 + n[0] ** 2) * saddle(x, y)


@pytest.mark.parametrize(
    "condition",
    [pde.neumann(slope), pde.robin(lambda x, y, *, n: 1 + n[0] ** 2, 1.0, sum_with_weight)],
    ids=["neumann", "robin"],
)
def test_what_fulfils_the_condition_has_residual_zero(condition):
    problem = pde.Problem(flat, ring, [condition])
    term = problem.terms()[1]
    points, normals = term.points(np.random.default_rng(0).random((50, term.uniforms)))
    residual = lambda u: [float(term.residual(u, {}, "dof", z, n)) for z, n in zip(points, normals, strict=True)]  # noqa: E731
    assert np.abs(residual(lambda z: saddle(*z))).max() < 1e-12
    assert np.abs(residual(lambda z: z[0])).max() > 0.1


def test_other_conditions_have_no_normal():
    with pytest.raises(dof.ArgumentError, match=r"`g` of `dirichlet` has the arguments \(x, y, \*, n\)"):
        pde.Problem(flat, ring, [pde.dirichlet(slope)])


def test_the_spheres_of_a_shell_have_names():
    for name, radius in (("inner", 0.5), ("outer", 1.0)):
        term = pde.Problem(flat, ring, [pde.dirichlet(0.0, on=name)]).terms()[1]
        points = term.points(np.random.default_rng(0).random((50, term.uniforms)))[0]
        assert np.allclose(np.linalg.norm(points, axis=1), radius)
    assert ring.named("rim").piece_names() == ("rim", "rim")


def test_a_component_of_a_coordinate_has_a_name():
    by_name = pde.residual("x[3]")(lambda u, x: u.d("x[0]", "x[0]", "x[0]") + u.d("x[2]"))
    u = lambda x: jnp.sin(2 * x[0]) * x[1] + x[2] ** 2  # noqa: E731
    x = jnp.array([0.3, 0.7, 0.2])
    assert jnp.allclose(by_name(u)(x), -8 * jnp.cos(0.6) * 0.7 + 0.4)


def test_a_keyword_n_that_has_a_value_is_no_normal():
    with_default = lambda x, *, n=3: n * x  # noqa: E731
    assert not takes_normal(with_default) and not takes_normal(partial(lambda x, n: n * x, n=2))
    assert takes_normal(lambda x, *, n: n @ n)
