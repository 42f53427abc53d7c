"""Double precision, and annotations of types and shapes checked at every call."""

import os
import platform
from pathlib import Path

# Most programs of the tests run once: it matters more how fast they are compiled than how fast they are. Code that is
# hardly optimised rounds a product and a sum in one step here and in two there, where the machine can do both, and
# then a maximum is not equal to itself; so it gets instructions that do not.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + (
    " --xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false --xla_cpu_max_isa=AVX"
    if platform.machine() in ("x86_64", "AMD64")
    else " --xla_backend_optimization_level=1"
)

import jax
import numpy as np
from jaxtyping import install_import_hook

import dof.typing

jax.config.update("jax_enable_x64", True)

PACKAGE = Path(__file__).parent.parent / "src/dof"
# Left out: what the user calls, which has errors of its own and shows source lines; triples and tangents, of which
# loops and maps build some of axes and specs, or with other axes in front.
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
        "context",
        "linear_operator",
        "tangents",
        "triple",
        "box",
        "ball",
        "conditions",
        "own_residual",
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
dof.typing.Array = jax.Array | np.ndarray  # which dof itself does not name, so that it need not import JAX
install_import_hook(MODULES, "beartype.beartype")
