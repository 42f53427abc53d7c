"""Conditions on parts of a boundary: predicates, names, several of them, by construction and as terms; parameters."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof import pde
from dof.extend import enable_x64

PLATE = pde.Box([-1, -1], [1, 1]) - pde.Ball([0, 0], 0.5).named("hole")
CORNER = pde.Polygon(
    [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], names=["bottom", "right", "dent", "dent", "top", "left"]
)
L_SHAPE = pde.Box([0, 0], [2, 2]) - pde.Box([1, 1], [2, 2]).named("dent")


@pde.residual("x y")
def plane(u, x, y):
    return u.laplacian


def points_of(domain, condition, n=2000):
    _, term = pde.Problem(plane, domain, [condition]).terms()
    return term.points(np.random.default_rng(0).random((n, term.uniforms)))


def test_a_predicate_of_other_coordinates_is_refused():
    with pytest.raises(ValueError, match=r"`on` has the arguments \(x\); expected \(x, y\)"):
        points_of(PLATE, pde.dirichlet(0.0, on=lambda x: x > 0))


def test_a_predicate_chooses_points_of_the_boundary_evenly():
    points, normals = points_of(pde.Ball([0, 0]), pde.neumann(on=lambda x, y: y > 0 and x > 0))
    np.testing.assert_allclose(points, normals, atol=1e-12)
    angles = np.arctan2(points[:, 1], points[:, 0])
    assert (points > 0).all() and angles.mean() == pytest.approx(np.pi / 4, abs=0.03)


def test_a_name_chooses_the_boundary_of_a_shape():
    points, normals = points_of(PLATE, pde.neumann(on="hole"))
    np.testing.assert_allclose(points, -0.5 * normals, atol=1e-12)
    points, _ = points_of(L_SHAPE, pde.neumann(on="dent"))
    assert (((points[:, 0] == 1) & (points[:, 1] > 1)) | ((points[:, 1] == 1) & (points[:, 0] > 1))).all()
    points, _ = points_of(CORNER, pde.dirichlet(on="dent"))
    assert (points >= 1).all()


def test_several_places_share_points_by_their_lengths():
    points, _ = points_of(PLATE, pde.robin(1.0, 1.0, on=["hole", "x=1", lambda x, y: y == 1]))
    is_hole = np.linalg.norm(points, axis=1) < 0.6
    assert ((points[:, 0] == 1) | (points[:, 1] == 1) | is_hole).all()
    assert is_hole.mean() == pytest.approx(np.pi / (np.pi + 4), abs=0.03)


def test_a_value_of_a_coordinate_is_an_edge_of_a_domain_that_is_no_box():
    points, normals = points_of(L_SHAPE, pde.neumann(on="x=2"))
    assert (points[:, 0] == 2).all() and (points[:, 1] <= 1).all() and (normals == [1, 0]).all()
    points, normals = points_of(CORNER, pde.neumann(on="y=1"))
    assert (points[:, 1] == 1).all() and (points[:, 0] >= 1).all() and (normals == [0, 1]).all()


def test_terms_are_named_after_their_places():
    def lid(x, y):
        return y == 1

    terms = pde.Problem(plane, PLATE, [pde.neumann(on=lid), pde.dirichlet(on=["hole", lambda x, y: x == 1])]).terms()
    assert [term.name for term in terms] == ["equation", "neumann at lid", "dirichlet at hole and predicate"]


HARD = {
    "face": (pde.Box([0, 0], [1, 2]), "x=0", lambda z: z[:, 0] == 0),
    "two faces": (pde.Box([0, 0], [1, 2]), ["x=0", "y=2"], lambda z: (z[:, 0] == 0) | (z[:, 1] == 2)),
    "hole": (PLATE, "hole", lambda z: np.linalg.norm(z, axis=1) < 0.6),
    "outside of a hole": (PLATE, lambda x, y: max(abs(x), abs(y)) == 1, lambda z: np.abs(z).max(axis=1) == 1),
    "dent": (L_SHAPE, "dent", lambda z: (z >= 1).all(axis=1)),
    "edges": (CORNER, ["left", "bottom"], lambda z: (z == 0).any(axis=1)),
    "dent of a polygon": (CORNER, "dent", lambda z: (z >= 1).all(axis=1)),
    "inner circle": (pde.Shell([0, 0], 1, 2), lambda x, y: np.hypot(x, y) < 1.5, lambda z: np.hypot(*z.T) < 1.5),
}


@pytest.mark.parametrize("name", HARD)
def test_a_hard_condition_holds_on_its_part_and_leaves_the_rest_free(name):
    domain, on, is_there = HARD[name]
    problem = pde.Problem(plane, domain, [pde.dirichlet(lambda x, y: x + 2 * y, on=on, hard=True)])
    rng = np.random.default_rng(0)
    edge, _ = domain.edge(rng.random((200, domain.edge_uniforms)))
    with enable_x64():
        u = problem.trial(lambda features: jnp.asarray(3.0))
        difference = np.asarray(jax.vmap(u)(edge)) - edge @ [1, 2]
    here = is_there(edge)
    assert 0 < here.sum() < 200
    assert np.abs(difference[here]).max() < 1e-12 and np.abs(difference[~here]).min() > 1e-9


def test_parameters_are_no_space_and_have_no_boundary():
    @pde.residual("x y k")
    def family(u, x, y, k):
        return k * u.laplacian + pde.grad(u).sum() + u.biharmonic

    @pde.residual("x y k")
    def flux(u, x, y, k, *, n):
        return pde.grad(u) @ n

    domain = pde.Box([0, 0], [1, 1]) * pde.Parameter(0.1, 2)
    problem = pde.Problem(family, domain, [pde.neumann(0.0), pde.on("boundary", flux), pde.dirichlet(on="k=2")])
    _, edge, own, _ = problem.terms()
    points, normals = edge.points(np.random.default_rng(0).random((500, edge.uniforms)))
    assert normals.shape == (500, 2) and np.isin(points[:, :2], [0, 1]).any(axis=1).all()
    assert 0.1 < points[:, 2].min() < 0.2 and len(np.unique(points[:, 2])) == 500
    net = lambda z: z[0] ** 4 * z[2] ** 5 + z[1] * z[2]  # noqa: E731
    x, k = 0.5, 1.5
    with enable_x64():
        z = jnp.array([x, 0.3, k])
        # k Δu + Σ ∇u + Δ²u in x and y only, with the derivatives written out.
        expected = k * 12 * x**2 * k**5 + 4 * x**3 * k**5 + k + 24 * k**5
        assert float(problem.equation(net)(z)) == pytest.approx(expected, rel=1e-12)
        assert float(own.residual(net, {}, "dof", z, jnp.array([0.0, 1.0]))) == pytest.approx(k, rel=1e-12)
    assert str(family.plan) != str(problem.plan)
