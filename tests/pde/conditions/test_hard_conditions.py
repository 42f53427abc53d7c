"""Hard conditions hold for any network."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conditions_on_a_box import BOX, NAMED, named_domain, residuals, system, uniform

from dof import pde
from dof.pde.conditions.hard_conditions import trial


def network(features):
    return jnp.sin(features @ jnp.arange(1.0, features.size + 1)) + 0.3


EDGE = lambda x, y, t: x * y + t  # noqa: E731
HARD = [
    pde.dirichlet(EDGE, hard=True),
    pde.initial(lambda x, y, t: x * y + 0.5 + x * (1 - x) * y * (2 - y), hard=True),
    pde.initial_velocity(lambda x, y, t: 1 + x * (1 - x) * y * (2 - y), hard=True),
]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_hard_conditions_hold_for_any_network(count):
    obeying = trial(HARD[:count], NAMED)(network)
    for condition in HARD[:count]:
        assert np.abs(residuals(condition, obeying)).max() < 1e-12, condition.name
    assert np.std(jax.jit(jax.vmap(obeying))(BOX.inside(uniform(50, 3)))) > 0.1


def test_a_hard_periodic_coordinate_is_periodic_with_all_derivatives():
    obeying = trial([pde.periodic("y", hard=True)], NAMED)(network)
    assert np.abs(residuals(pde.periodic("y"), obeying)).max() < 1e-12
    assert np.abs(residuals(pde.periodic("x"), obeying)).min() > 1e-6


def test_hard_conditions_of_one_field_leave_the_others():
    named = named_domain(system)
    hard = [pde.initial(lambda x, y, t: jnp.stack([x, y]), field="v", hard=True)]
    raw = lambda features: jnp.stack([network(features), network(2 * features), network(3 * features)])  # noqa: E731
    obeying = trial(hard, named)(raw)
    assert np.abs(residuals(hard[0], obeying, named)).max() < 1e-12
    free = trial([], named)(raw)
    z = BOX.inside(uniform(20, 3))
    found, expected = jax.jit(jax.vmap(lambda z: (obeying(z)[2], free(z)[2])))(z)
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("field", ["v", "p", None])
def test_values_of_all_fields_are_those_of_each(field):
    """Hard and soft, with a number, with one for each component, and with factors."""
    named = named_domain(system)
    values = jnp.arange(1.0, 4) if field is None else named.of_field(field, jnp.arange(1.0, 4))
    for value in (values, 2.0):
        obeying = trial([pde.initial(value, field=field, hard=True)], named)(lambda z: jnp.sin(z + 1))
        assert np.abs(residuals(pde.initial(value, field=field), obeying, named)).max() < 1e-12
    constant = lambda z: jnp.arange(1.0, 4)  # noqa: E731
    assert np.abs(residuals(pde.robin(values, 1.0, values**2, field=field), constant, named)).max() < 1e-12


def test_a_single_field_may_be_called_by_its_name():
    obeying = trial([pde.dirichlet(EDGE, field="u", hard=True)], NAMED)(network)
    assert np.abs(residuals(pde.dirichlet(EDGE), obeying)).max() < 1e-12
