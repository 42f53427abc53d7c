"""Array annotations.

jaxtyping gives arrays a shape in their annotation where it is installed; without it the annotations are `Any`. Nothing
here imports a framework, because the NumPy-only parts of dof are shared by all of them.

Axis names used throughout: `r` directions, `c` channels, `k` slots, `n` coordinates of the flattened x, `*s` the shape
of a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jax
    import numpy as np
    from jaxtyping import Float, Inexact, Shaped

    Array = jax.Array | np.ndarray
else:
    Array = Any
    try:
        from jaxtyping import Float, Inexact, Shaped
    except ImportError:

        class Shaped:
            """Stands in for jaxtyping's annotations."""

            def __class_getitem__(cls, item: Any) -> Any:
                """Accept any annotation."""
                return Any

        Float = Inexact = Shaped

__all__ = ["Array", "Float", "Inexact", "Shaped"]
