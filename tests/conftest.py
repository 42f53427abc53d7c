"""How all tests run: in double precision, compiled fast, with annotations of types and shapes checked at every call."""

import gc
import os
import platform
from pathlib import Path

# Most programs of the tests run once, so that they are compiled without optimisation, and in one piece: splitting a
# program for several threads costs more than it saves here. Code without optimisation rounds a product and a sum in one
# step here and in two there if the machine has fused instructions, and then a maximum is not equal to itself: AVX, the
# last instruction set without them, avoids that. Processes that tests start inherit these flags.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + (
    " --xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false --xla_cpu_max_isa=AVX"
    " --xla_cpu_parallel_codegen_split_count=1"
    if platform.machine() in ("x86_64", "AMD64")
    else " --xla_backend_optimization_level=1"
)

import jax
import jaxtyping
import numpy as np
from beartype import BeartypeConf, beartype
from jax.extend import source_info_util

import dof.typing

jax.config.update("jax_enable_x64", True)

# Tracing makes many objects that live until the program is compiled: with Python's threshold of 700 a tenth of the time
# of tests is spent looking for cycles among them.
gc.set_threshold(200_000, 20, 20)

# Programs of their own, which `--doctest-modules` would run while it collects.
collect_ignore = ["batching/run_on_devices.py", "solving/run_on_devices.py", "use_the_wheel.py"]

PACKAGE = Path(__file__).parent.parent / "src/dof"
# Left out: what the user calls, which has errors of its own and shows source lines; triples, tangents and jets, of
# which loops and maps build some of axes and specs, or with other axes in front.
LEFT_OUT = (
    *(
        "__init__",
        "apply",
        "arguments",
        "batched",
        "explain",
        "function_primitive",
        "options",
        "register_rule",
        "value_and_grad",
    ),
    *(
        "rule_context",
        "linear_operator",
        "slot_tangents",
        "jet",
        "triple",
        "box",
        "time_and_parameters",
        "ball",
        "function_of_points",
        "conditions",
        "user_residual",
        "measured_data",
        "problem",
        "settings",
        "solver",
    ),
)
MODULES = [
    ".".join(("dof", *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in PACKAGE.rglob("*.py")
    if path.stem not in LEFT_OUT
]


def checked(*, typechecker, jaxtyped=jaxtyping.jaxtyped):
    """The decorator that the import hook puts on everything.

    jaxtyping compares shapes, at 20 µs for a call, which is a third of the time of all tests. Functions without shapes
    in their annotations are left to beartype alone, at 1 µs. Inner functions are left as they are: to decorate one
    takes 1 ms each time that it is made, a twentieth of the time of all tests.
    """
    without_shapes = beartype(conf=BeartypeConf(is_pep484_tower=True))

    def decorate(given):
        if "<locals>" in given.__qualname__:
            return given
        has_shapes = any("Array, " in str(hint) for hint in given.__annotations__.values())
        if has_shapes or isinstance(given, type):
            return jaxtyped(given, typechecker=typechecker)
        return without_shapes(given)

    return decorate


dof.typing.Array = jax.Array | np.ndarray  # which dof itself does not name, so that it need not import JAX
jaxtyping.jaxtyped = checked
jaxtyping.install_import_hook(MODULES, "beartype.beartype")
# Its wrappers are no lines of the user's, which `dof.explain` and errors show.
source_info_util.register_exclusion(os.path.dirname(jaxtyping.__file__))
