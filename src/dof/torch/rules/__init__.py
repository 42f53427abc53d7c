"""Rules by family. Importing this package registers them."""

from dof.torch.rules import (
    bilinear,
    complex_numbers,
    constant,
    distances,
    elementwise,
    functions,
    general,
    linear,
    linear_algebra,
    matrix_products,
    normalisation,
    random_numbers,
    recurrent,
    reductions,
    softmax_and_attention,
)

__all__ = [
    "bilinear",
    "complex_numbers",
    "constant",
    "distances",
    "elementwise",
    "functions",
    "general",
    "linear",
    "linear_algebra",
    "matrix_products",
    "normalisation",
    "random_numbers",
    "recurrent",
    "reductions",
    "softmax_and_attention",
]
