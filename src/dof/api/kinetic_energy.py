"""`dof.local_kinetic_energy`: −½ Δψ / ψ of a wave function that is given by its logarithm."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Unpack

import jax
import jax.numpy as jnp
from jax import lax

from dof.api.apply import after_propagation
from dof.api.operator import laplacian
from dof.errors import ArgumentError, describe
from dof.function_arguments import require_argnums, require_callable, split_arguments
from dof.options import OptionKeywords, Options
from dof.pipeline.propagated import Propagated
from dof.promotion import own_promotion
from dof.triples.readout import value_as_array
from dof.triples.triple import depends_on_x


def local_kinetic_energy(
    log_psi: Callable[..., Any], argnums: int = 0, *, masses: Any = None, **options: Unpack[OptionKeywords]
) -> Callable[..., Any]:
    """The local kinetic energy of a wave function, from one propagation of its logarithm.

        −½ Σ_i (∂_i² ψ / ψ) / m_i = −½ Σ_i (∂_i² log ψ + (∂_i log ψ)²) / m_i

    A complex log ψ has a complex energy. For many walkers, `dof.batched(energy)` takes the place of `jax.vmap(energy)`.

    Args:
        log_psi: returns log ψ, real or complex, or a pair (sign, log |ψ|) with a sign of ±1 or a complex phase. For a
            real ψ, log |ψ| does as well as log ψ. A real angle θ is given as log |ψ| + i θ.
        argnums: the argument that has the coordinates x of the particles.
        masses: one for all; one for each particle, (n,), where x has shape (n, d) or (n d,); or in the shape of x. The
            default is 1, the mass of an electron.
        **options: as in `L(f)`.

    Returns:
        A function of the arguments of `log_psi`.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> hydrogen = lambda r: -jnp.linalg.norm(r)  # ψ = exp(−|r|), of energy −½
        >>> r = jnp.array([0.0, 0.0, 2.0])
        >>> print(f"{dof.local_kinetic_energy(hydrogen)(r) - 1 / jnp.linalg.norm(r):.4f}")
        -0.5000
    """
    require_callable(log_psi)
    require_argnums(argnums)
    how, logarithm = Options.of(options), _logarithm_of(log_psi)
    if masses is None:
        return _energy(logarithm, argnums, how)

    @wraps(log_psi)
    def energy(*args: Any, **kwargs: Any) -> Any:
        x, put_back = split_arguments(args, argnums)
        steps = _steps(masses, x)

        # The plain Laplacian in y at y = 0, of ψ(x + y / √m): masses may then be traced, and slots are kept.
        @wraps(log_psi)
        def shifted(y: Any) -> Any:
            return logarithm(*put_back(x + steps * y), **kwargs)

        return _energy(shifted, 0, how)(jnp.zeros_like(x))

    return energy


def _energy(logarithm: Callable[..., Any], argnums: int, options: Options) -> Callable[..., Any]:
    """−½ (Δ log ψ + |∇ log ψ|²) for each leaf; the square is not the modulus, so that a complex phase counts.

    With u = log ψ − k for a constant k, |∇u|² = Δ(u²/2) − u Δu. So Laplacians are all that is needed, which can be
    summed over groups of directions; tangents cannot. With the value of log ψ as k nothing cancels, because u is zero.
    """

    @wraps(logarithm)
    def log_and_squares(*args: Any, **kwargs: Any) -> Any:
        log, signs = logarithm(*args, **kwargs)
        return log, *jax.tree.map(lambda leaf: _less_constant(leaf) ** 2 / 2, (log, signs))

    return after_propagation(log_and_squares, (laplacian,), argnums, options, _read_energy)


def _read_energy(propagated: Propagated) -> Any:
    log, square, square_of_signs = propagated.each(lambda output: output)
    # ±1 is constant; the angle of a complex ψ is not, and without it the energy would be wrong.
    if any(map(depends_on_x, square_of_signs)):
        found, expected = "returns a first array that varies with x", "a pair (sign, log |ψ|) with a sign of ±1"
        fix = "log + 1j * angle in place of (angle, log), or log alone for a real ψ"
        raise ArgumentError(describe("log_psi", found, expected, fix))
    (reading,) = propagated.readings

    def of_leaf(log: Any, square: Any) -> Any:
        applied = reading.of(log)
        return -(applied + reading.of(square) - _less_constant(value_as_array(log)) * applied) / 2

    with own_promotion():
        return jax.tree.map(of_leaf, log, square, is_leaf=depends_on_x)


def _less_constant(log: Any) -> Any:
    """Zero, with all derivatives of `log`, in x and in parameters."""
    return log - lax.stop_gradient(log)


def _logarithm_of(log_psi: Callable[..., Any]) -> Callable[..., Any]:
    """The function that returns log ψ up to a constant, and real signs, from one that may return (sign, log |ψ|)."""

    @wraps(log_psi)
    def logarithm(*args: Any, **kwargs: Any) -> tuple[Any, tuple[Any, ...]]:
        found = log_psi(*args, **kwargs)
        if jax.tree.structure(found).num_leaves == 1:
            return found, ()
        sign, log = _pair(found)
        if not jnp.iscomplexobj(sign):
            return log, (sign,)
        # Of the branches of the logarithm any will do.
        with own_promotion():
            return log + jnp.log(sign), ()

    return logarithm


def _pair(found: Any) -> tuple[Any, Any]:
    leaves = jax.tree.leaves(found)
    # A dict would be read in the order of its keys, "log" before "sign".
    if not isinstance(found, (tuple, list)) or len(leaves) != 2:
        returned = f"returns {len(leaves)} arrays in a {type(found).__name__}"
        expected = "log ψ, or a pair (sign, log |ψ|)"
        fix = "dof.local_kinetic_energy(lambda x: network(x)[1])(x)"
        raise ArgumentError(describe("log_psi", returned, expected, fix))
    sign, log = leaves
    return sign, log


def _steps(masses: Any, x: Any) -> Any:
    """1 / √m, of a shape that broadcasts against x."""
    if not hasattr(x, "shape"):
        found, expected = f"are given for a pytree of {len(jax.tree.leaves(x))} arrays", "one array of coordinates"
        raise ArgumentError(describe("masses", found, expected, "dof.local_kinetic_energy(log_psi, masses=m)(x)"))
    if jnp.iscomplexobj(masses):
        raise ArgumentError(describe("masses", "are complex", "real numbers", "masses=masses.real"))
    inverse = 1 / jnp.sqrt(jnp.asarray(masses, x.real.dtype))
    if inverse.ndim == 0 or inverse.shape == x.shape:
        return inverse
    if inverse.ndim == 1 and x.ndim == 2 and len(inverse) == len(x):
        return inverse[:, None]
    if inverse.ndim == 1 and x.ndim == 1 and len(inverse) and x.size % len(inverse) == 0:
        return jnp.repeat(inverse, x.size // len(inverse))
    expected = f"a scalar, one for each particle, or the shape {x.shape} of x"
    fix = "masses=jnp.ones(n), with x of shape (n, d) or (n d,)"
    raise ArgumentError(describe("masses", f"have shape {inverse.shape}", expected, fix))
