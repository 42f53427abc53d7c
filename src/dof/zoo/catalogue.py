"""The problems of the zoo by name."""

from collections.abc import Callable
from difflib import get_close_matches
from functools import partial

from dof.errors import ArgumentError, describe, shown
from dof.pde import Problem
from dof.zoo.beams_and_plates import beam, plate
from dof.zoo.finance import black_scholes
from dof.zoo.fluid_flow import navier_stokes
from dof.zoo.ground_states import harmonic_oscillator, hydrogen
from dof.zoo.heat_equations import heat, heat_2d, heat_10d
from dof.zoo.high_dimensional import sine_gordon
from dof.zoo.inverse_problems import diffusion_tensor
from dof.zoo.nonlinear_equations import allen_cahn, burgers
from dof.zoo.pattern_formation import cahn_hilliard, kuramoto_sivashinsky, swift_hohenberg
from dof.zoo.poisson_and_helmholtz import helmholtz, poisson, poisson_10d
from dof.zoo.solitons import korteweg_de_vries
from dof.zoo.transport_equations import advection_diffusion, anisotropic, fokker_planck
from dof.zoo.wave_equations import klein_gordon, klein_gordon_3d, wave

ZOO: dict[str, Callable[[], Problem]] = {
    "poisson": poisson,
    "poisson-10d": poisson_10d,
    "heat": heat,
    "heat-2d": heat_2d,
    "heat-10d": heat_10d,
    "klein-gordon": klein_gordon,
    "klein-gordon-3d": klein_gordon_3d,
    "wave": wave,
    "helmholtz": helmholtz,
    "advection-diffusion": advection_diffusion,
    "fokker-planck": fokker_planck,
    "black-scholes": black_scholes,
    "anisotropic": anisotropic,
    "burgers": burgers,
    "allen-cahn": allen_cahn,
    "sine-gordon-100": partial(sine_gordon, 100),
    "sine-gordon-1000": partial(sine_gordon, 1_000),
    "sine-gordon-10000": partial(sine_gordon, 10_000),
    "sine-gordon-100000": partial(sine_gordon, 100_000),
    "korteweg-de-vries": korteweg_de_vries,
    "kuramoto-sivashinsky": kuramoto_sivashinsky,
    "cahn-hilliard": cahn_hilliard,
    "swift-hohenberg": swift_hohenberg,
    "beam": beam,
    "plate": plate,
    "navier-stokes": navier_stokes,
    "harmonic-oscillator": harmonic_oscillator,
    "hydrogen": hydrogen,
    "diffusion-tensor": diffusion_tensor,
}
"""For each name the function that makes the problem."""


def problem_named(name: str) -> Problem:
    """The problem of the zoo with this name.

    Raises:
        ArgumentError: If there is none, with the nearest name that there is.

    Examples:
        >>> from dof.zoo import problem_named
        >>> print(problem_named("heat").plan)
        1 direction, 1 channel (2 derivatives merged): the cost of 3 forward passes
    """
    return _made_by(name)()


def title_of(name: str) -> str:
    """What the problem of this name is, in a line: the docstring of the function that makes it.

    Examples:
        >>> from dof.zoo import title_of
        >>> title_of("heat")
        'Heat with a source on an interval: u_t = u_xx + f'
    """
    make = _made_by(name)
    # A partial has the docstring of its class, not of the function that it calls.
    function = make.func if isinstance(make, partial) else make
    return (function.__doc__ or "").strip().removesuffix(".")


def _made_by(name: str) -> Callable[[], Problem]:
    """The function that makes the problem of this name."""
    if name in ZOO:
        return ZOO[name]
    near = get_close_matches(name, ZOO, 1)
    fix = f"dof solve {near[0]}" if near else "dof problems, which lists them"
    raise ArgumentError(describe("problem", f"is {shown(name)}", "a name of the zoo or a file.py", fix))
