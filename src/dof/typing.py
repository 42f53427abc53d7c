"""Array annotations. jaxtyping names the shapes where it is installed; dof itself needs jax and numpy only.

Axis names used throughout: `r` directions, `c` channels, `n` coordinates of the flattened x, `*s` the shape of a value.
"""

from typing import TYPE_CHECKING, Any

import jax
import numpy as np

if TYPE_CHECKING:
    from jaxtyping import Float, Inexact, Shaped
else:
    try:
        from jaxtyping import Float, Inexact, Shaped
    except ImportError:

        class Shaped:
            def __class_getitem__(cls, item: Any) -> Any:
                return Any

        Float = Inexact = Shaped

Array = jax.Array | np.ndarray
"""A value at run time: traced, on a device, or known when tracing."""

__all__ = ["Array", "Float", "Inexact", "Shaped"]
