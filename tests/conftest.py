"""Double precision, and annotations of types and shapes checked at every call."""

from pathlib import Path

import jax
from jaxtyping import install_import_hook

jax.config.update("jax_enable_x64", True)

PACKAGE = Path(__file__).parent.parent / "src/dof"
# Triple is left out: loops and maps build triples of axes and specs, and with other axes in front.
MODULES = [
    ".".join(("dof", *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in PACKAGE.rglob("*.py")
    if path.stem not in ("triple", "__init__")
]
install_import_hook(MODULES, "beartype.beartype")
