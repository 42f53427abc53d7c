"""Random quadratic forms, and what they stand for: a dense q of shape (channels, directions, directions)."""

import jax.numpy as jnp
import numpy as np

from dof.triples.couplings import Coupling
from dof.triples.quadratic_form import QuadraticForm

R = 7
"""Number of directions."""

GEOMETRIES = {
    "all directions": ((1, 7, 7), 0, None),
    "one block": ((1, 3, 3), 2, None),
    "blocks": ((2, 2, 2), 3, None),
    "numbers": ((5, 1, 1), 1, None),
    "beside the diagonal": ((1, 2, 3), 0, 3),
    "beside, the other way round": ((1, 2, 3), 5, 1),
    "blocks beside the diagonal": ((2, 1, 2), 1, 3),
}
"""(shape of the blocks, start, other); few, because each takes programs of its own."""


def random_coupling(rng, geometry, channel=0, convert=np.asarray):
    """A coupling with random entries."""
    shape, start, other = GEOMETRIES[geometry]
    blocks = rng.normal(size=shape)
    return Coupling(convert(blocks if other is not None else blocks + blocks.swapaxes(1, 2)), channel, start, other)


def dense_coupling(coupling, directions=R):
    """The matrix (r, r) of one coupling, with its mirror image if it has one."""
    _, p, q = coupling.blocks.shape
    dense = np.zeros((directions, directions))
    second = coupling.start if coupling.other is None else coupling.other
    for n, block in enumerate(np.asarray(coupling.blocks)):
        rows, columns = coupling.start + n * p, second + n * q
        dense[rows : rows + p, columns : columns + q] += block
    return dense if coupling.other is None else dense + dense.T


def dense_form(form):
    """q, (c, r, r)."""
    q = np.stack([np.diag(w) for w in np.asarray(form.weights)])
    for coupling in form.couplings:
        q[coupling.channel] += dense_coupling(coupling, form.directions)
    return q


def _identity(rng):
    return QuadraticForm(np.ones((1, R)))


def _known(rng):
    return QuadraticForm(rng.normal(size=(2, R)) * rng.integers(0, 2, size=(2, R)))


def _few_runs(rng):
    """One channel: a run with weight zero, one with weight one, one of a single direction."""
    return QuadraticForm(np.repeat([0.0, 1.0, rng.normal()], [2, R - 3, 1])[None])


def _many_runs(rng):
    return QuadraticForm(rng.normal(size=(1, R)))


def _at_run_time(rng):
    return QuadraticForm(jnp.asarray(rng.normal(size=(2, R))))


def _unit_weights_and_coupling(rng):
    return QuadraticForm(np.ones((1, R)), (random_coupling(rng, "blocks"),))


def _couplings_only(rng):
    names = ("one block", "beside the diagonal", "beside, the other way round")
    return QuadraticForm(np.zeros((2, R)), tuple(random_coupling(rng, name, n % 2) for n, name in enumerate(names)))


def _all_at_run_time(rng):
    names = ("all directions", "blocks beside the diagonal", "numbers")
    couplings = tuple(random_coupling(rng, name, n % 2, jnp.asarray) for n, name in enumerate(names))
    return QuadraticForm(jnp.asarray(rng.normal(size=(2, R))), couplings)


FORMS = {
    "identity": _identity,
    "known": _known,
    "few runs": _few_runs,
    "many runs": _many_runs,
    "at run time": _at_run_time,
    "unit weights and a coupling": _unit_weights_and_coupling,
    "couplings only": _couplings_only,
    "couplings at run time": _all_at_run_time,
}
