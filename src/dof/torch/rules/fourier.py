"""Fourier transforms of complex numbers (c2c), and between real and complex ones (r2c, c2r)."""

from __future__ import annotations

from dof.torch.registry import register
from dof.torch.rules.linear import by_vmap
from dof.torch.rules.sums_and_slices_along_axes import along_axes

register("linear", "_fft_c2c", along_axes)
register("linear", "_fft_r2c _fft_c2r", by_vmap)
