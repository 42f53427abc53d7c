"""What is said of the way of a function: directions, columns, slots and rules, and why it was taken."""

import jax
import jax.numpy as jnp
import numpy as np

import dof
from functions_of_two import X, dx, dy, f
from oracle import assert_close, normal

N = 12
POINT = jnp.asarray(normal(N, seed=3))


def test_explanation_of_a_call_with_other_arguments():
    found = dof.explain(dof.laplacian, lambda x, n, g: jnp.sum(g(x[:n])), POINT, 3, jnp.sin)
    assert [e.primitive for e in found.equations] == ["slice", "sin", "reduce_sum"]


def test_explanation():
    found = dof.explain(dof.laplacian, lambda x: jnp.sum(jax.lax.sort(jnp.tanh(x)) ** 2), POINT)
    assert found.directions == N
    assert [e.primitive for e in found.equations] == ["tanh", "sort", "integer_pow", "reduce_sum"]
    assert [e.slots for e in found.equations] == [1, N, N, N]
    assert [e.primitive for e in found.lost] == ["sort"]
    assert "it is not known how directions go through `sort`" in str(found)
    assert "test_explain.py" in found.lost[0].source


def test_explain_says_what_the_columns_are():
    found = dof.explain(dy + dx**3, f, X)
    assert found.columns == ("1", "∂₀", "∂₀²", "∂₀³ + ∂₁")
    assert str(found).startswith("4 columns, 1, ∂₀, ∂₀², ∂₀³ + ∂₁: nesting carries 8 or more\n")
    assert {"sin", "exp"} <= {equation.primitive for equation in found.equations if equation.rule == "elementwise"}
    general = dof.explain(dx**3, lambda x: jnp.linalg.cholesky(jnp.diag(x) + 2), X).equations
    assert "general" in {equation.rule for equation in general}


def test_explain_names_the_general_rule_where_a_call_ends_there():
    @jax.custom_jvp
    def norm(x):
        return jnp.sqrt(jnp.sum(x**2))

    norm.defjvp(lambda x, t: (norm(*x), jnp.sum(x[0] * t[0]) / norm(*x)))
    rules = {e.primitive: e.rule for e in dof.explain(dx**3, lambda x: jnp.tanh(norm(x)), X).equations}
    assert rules["custom_jvp_call"] == "general" and rules["tanh"] == "elementwise"


def test_a_cut_makes_nesting_the_cheaper_way():
    """8 coordinates that become 2 values: nesting carries (2 + 2)² columns after the cut, the algebra 54."""
    shapes = [(8, 2), (2, 64), (64, 64)]
    w, v, m = (np.random.default_rng(n).normal(size=shape) / 4 for n, shape in enumerate(shapes))
    L, x = dof.laplacian**2, jnp.linspace(0.1, 0.9, 8)
    rest = lambda h: jnp.sum(jnp.tanh(jnp.tanh(h @ v) @ m))  # noqa: E731
    narrow = lambda x: rest(jnp.tanh(x @ w))  # noqa: E731
    assert dof.explain(L, narrow, x).why == "it carries 16 columns through most of the function, and the algebra 54"
    assert len(dof.explain(L, lambda x: jnp.sum(jnp.sin(jnp.outer(x, x))), x).columns) == 54
    found, expected = jax.jit(lambda x: (L(narrow)(x), dof.laplacian(dof.laplacian(narrow))(x)))(x)
    assert_close(found, expected, 1e-9)
