"""−½ Δψ / ψ of real and complex wave functions, against ψ itself differentiated twice."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import dof
from oracle import assert_close, derivatives, normal, points

N = 6
X = points(N)
W = normal(3, 4) / 2


def log_modulus(x):
    return -jnp.sum(x**2) / 3 + jnp.sum(jnp.tanh(x.reshape(-1, 3) @ W))


def phase(x):
    return jnp.sin(x[0] * x[4]) + x[1]


def matrix(x):
    return jnp.eye(2) + jnp.tanh(x.reshape(2, 3) @ W[:, :2]) * jnp.exp(1j * x.reshape(2, 3)[:, :2])


def of_determinants(x):
    return jnp.linalg.det(matrix(x).real) - 3 * jnp.linalg.det(matrix(x).imag + jnp.eye(2))


def sign_and_log(psi):
    return jnp.sign(psi), jnp.log(jnp.abs(psi))


FORMS = {
    "log": (log_modulus, lambda x: jnp.exp(log_modulus(x))),
    "complex log": (lambda x: log_modulus(x) + 1j * phase(x), lambda x: jnp.exp(log_modulus(x) + 1j * phase(x))),
    "sign and log": (lambda x: (jnp.ones(()), log_modulus(x)), lambda x: jnp.exp(log_modulus(x))),
    "real slogdet": (lambda x: jnp.linalg.slogdet(matrix(x).real), lambda x: jnp.linalg.det(matrix(x).real)),
    "sum of determinants": (lambda x: sign_and_log(of_determinants(x)), lambda x: of_determinants(x)),
    "phase and log": (
        lambda x: (jnp.exp(1j * phase(x)), log_modulus(x)),
        lambda x: jnp.exp(log_modulus(x) + 1j * phase(x)),
    ),
    "complex slogdet": (lambda x: jnp.linalg.slogdet(matrix(x)), lambda x: jnp.linalg.det(matrix(x))),
}


def expected_energy(psi, x, masses=1.0):
    value, _, hessian = derivatives(psi, x)
    return -jnp.sum(jnp.diagonal(hessian) / jnp.broadcast_to(masses, (x.size,))) / (2 * value)


@pytest.mark.parametrize("form", FORMS)
def test_against_psi_itself(form):
    log_psi, psi = FORMS[form]
    found = jax.jit(dof.local_kinetic_energy(log_psi))(X)
    assert jnp.iscomplexobj(found) == jnp.iscomplexobj(psi(X))
    assert_close(found, jax.jit(lambda x: expected_energy(psi, x))(X))


@pytest.mark.parametrize("shape", [(), (2,), (2, 3), (6,)])
@pytest.mark.parametrize("traced", [False, True])
def test_masses(shape, traced):
    masses = 1 + np.random.default_rng(1).uniform(size=shape)
    x = X if shape in ((), (6,)) else X.reshape(2, 3)
    of_masses = lambda m: dof.local_kinetic_energy(lambda x: log_modulus(x.ravel()), masses=m)(x)  # noqa: E731
    found = jax.jit(of_masses)(masses) if traced else jax.jit(lambda: of_masses(masses))()
    each = np.repeat(masses, 3) if shape == (2,) else np.ravel(masses)
    assert_close(found, jax.jit(lambda x: expected_energy(lambda x: jnp.exp(log_modulus(x)), x, each))(X))


def test_masses_of_particles_in_a_flat_x():
    energy = dof.local_kinetic_energy(log_modulus, masses=np.array([1.0, 1836.0]))
    expected = lambda x: expected_energy(lambda x: jnp.exp(log_modulus(x)), x, np.repeat([1.0, 1836.0], 3))  # noqa: E731
    assert_close(*jax.jit(lambda x: (energy(x), expected(x)))(X))


def test_the_sign_of_a_determinant_is_constant_under_transformations():
    energy = dof.local_kinetic_energy(lambda x: jnp.linalg.slogdet(matrix(x).real))
    walkers = points(3, N)
    of_psi = jax.vmap(lambda x: expected_energy(lambda x: jnp.linalg.det(matrix(x).real), x))
    expected = jax.jit(of_psi)(walkers)
    mesh = jax.sharding.Mesh(jax.devices()[:1], ("walkers",))
    split = jax.P("walkers")
    each = [
        jax.vmap(energy),
        dof.batched(energy, chunk=2),
        jax.shard_map(jax.vmap(energy), mesh=mesh, in_specs=split, out_specs=split),
    ]
    for of_all in each:
        assert_close(jax.jit(of_all)(walkers), expected)


def test_parameters_come_first_in_most_codes():
    of_params = lambda params, x, scale=1.0: params["a"] * scale * log_modulus(x)  # noqa: E731
    energy = dof.local_kinetic_energy(of_params, argnums=1)
    found = jax.jit(lambda x: energy({"a": 1.5}, x, scale=2.0))(X)
    assert_close(found, jax.jit(lambda x: expected_energy(lambda x: jnp.exp(3.0 * log_modulus(x)), x))(X))


def test_gradients_in_parameters_and_in_blocks():
    energy = dof.local_kinetic_energy(lambda w, x: jnp.sum(jnp.tanh(x @ w)), argnums=1, masses=2.0)
    walkers = points(5, 3)

    def slope(energies):
        return jax.jit(jax.grad(lambda w: jnp.var(energies(w, walkers))))(W)

    def by_hessian(w, walkers):
        return jax.vmap(lambda x: expected_energy(lambda x: jnp.exp(jnp.sum(jnp.tanh(x @ w))), x, 2.0))(walkers)

    assert_close(slope(dof.batched(energy, in_axes=(None, 0), chunk=2)), slope(by_hessian), 1e-9)


@pytest.mark.parametrize("masses", [None, 2.0])
@pytest.mark.parametrize("form", ["log", "complex log"])
def test_directions_in_groups(form, masses):
    """Groups add up what is applied and keep no tangents."""
    log_psi, psi = FORMS[form]
    energy = dof.local_kinetic_energy(log_psi, masses=masses, directions=4)
    of_psi = lambda x: expected_energy(psi, x, masses or 1.0)  # noqa: E731
    assert_close(jax.jit(energy)(X), jax.jit(of_psi)(X))
    assert_close(jax.jit(jax.jacfwd(energy))(X), jax.jit(jax.jacfwd(of_psi))(X), 1e-8)


def test_strict_promotion():
    x = X.astype(np.float32)
    log_psi = lambda x: (lax.complex(jnp.cos(x[0] * x[4]), jnp.sin(x[0] * x[4])), jnp.sum(jnp.tanh(x)))  # noqa: E731
    energy = dof.local_kinetic_energy(log_psi, masses=np.ones(2))
    with jax.numpy_dtype_promotion("strict"):
        found = jax.jit(lambda x: energy(x))(x)
    assert found.dtype == np.complex64
    assert_close(found, jax.jit(lambda x: energy(x))(x))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: dof.local_kinetic_energy(log_modulus, masses=np.ones(4))(X), "`masses` have shape (4,)"),
        (lambda: dof.local_kinetic_energy(lambda x: (x[0], x[1], x[2]))(X), "`log_psi` returns 3 arrays"),
        (lambda: dof.local_kinetic_energy(lambda x: {"sign": 1.0, "log": x[0]})(X), "2 arrays in a dict"),
        (lambda: dof.local_kinetic_energy(log_modulus, masses=np.ones(0))(X), "`masses` have shape (0,)"),
        (lambda: dof.local_kinetic_energy(log_modulus, masses=1j)(X), "`masses` are complex"),
        (lambda: dof.local_kinetic_energy(lambda x: (phase(x), log_modulus(x)))(X), "a first array that varies with x"),
        (
            lambda: dof.local_kinetic_energy(lambda x: (x[0], log_modulus(x)), directions=2)(X),
            "a first array that varies with x",
        ),
        (lambda: dof.local_kinetic_energy(lambda x: x["a"][0], masses=1.0)({"a": X, "b": X}), "a pytree of 2 arrays"),
    ],
)
def test_errors(wrong, message):
    with pytest.raises(dof.ArgumentError, match="(?s)" + message.replace("(", r"\(").replace(")", r"\)")):
        jax.eval_shape(wrong)
