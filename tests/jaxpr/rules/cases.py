"""Functions of one array, by family: name → (function, x). Each is compared with the oracle."""

import jax
import jax.numpy as jnp
import jax.scipy.linalg
import jax.scipy.sparse.linalg
import jax.scipy.special
from jax import lax

from oracle import normal, points

W = normal(4, 5, seed=8)
SPD = jnp.eye(3) * 3 + points(3, 3) * 0.1


def matrix(x):
    """A well-conditioned 3 × 3 matrix that depends on x of 4 numbers."""
    return SPD + jnp.outer(jnp.sin(x[:3]), x[1:4]) + jnp.diag(x[:3] * x[3])


def symmetric(x):
    m = matrix(x)
    return m + m.T + jnp.diag(jnp.arange(3.0))


ELEMENTWISE = {
    name: getattr(jnp, name)
    for name in """
        tanh sin cos tan exp exp2 expm1 log log1p log2 log10 sqrt cbrt square sinh cosh arcsinh arctanh arcsin
        arccos arctan abs sign floor reciprocal sinc i0 deg2rad positive negative conj real nan_to_num
    """.split()
} | {
    "rsqrt": lax.rsqrt,
    "logistic": lax.logistic,
    "arccosh": lambda x: jnp.arccosh(x + 2),
    "erf": lax.erf,
    "erfc": lax.erfc,
    "erf_inv": lax.erf_inv,
    "lgamma": lax.lgamma,
    "digamma": lax.digamma,
    "bessel_i0e": lax.bessel_i0e,
    "bessel_i1e": lax.bessel_i1e,
    "zeta": lambda x: jax.scipy.special.zeta(3.0, x + 1),
    "polygamma": lambda x: jax.scipy.special.polygamma(1, x),
    "igamma": lambda x: lax.igamma(jnp.full_like(x, 1.5), x),
    "igammac": lambda x: lax.igammac(jnp.full_like(x, 1.5), x),
    "betainc": lambda x: jax.scipy.special.betainc(1.5, 2.5, x),
    "entr": jax.scipy.special.entr,
    "xlogy": lambda x: jax.scipy.special.xlogy(x, x),
    "ndtri": jax.scipy.special.ndtri,
    "log_ndtr": jax.scipy.special.log_ndtr,
    "expit": jax.scipy.special.expit,
    "logit": jax.scipy.special.logit,
    "pow_constant": lambda x: x**2.5,
    "pow_base_constant": lambda x: 2.0**x,
    "pow_both": lambda x: x**x,
    "pow_zero": lambda x: x**0.0 + x**1.0 + x**2.0,
    "integer_pow": lambda x: x**3 + x**-2 + x**1 + x**0,
    "atan2": lambda x: jnp.arctan2(jnp.sin(x), x),
    "atan2_one": lambda x: jnp.arctan2(x, 0.3),
    "hypot": lambda x: jnp.hypot(x, x**2),
    "logaddexp": lambda x: jnp.logaddexp(x, jnp.sin(x)),
    "rem": lambda x: x % 0.35 + jnp.fmod(3 * x, x + 0.2),
    "max_min": lambda x: jnp.maximum(x, 0.5) * jnp.minimum(x**2, jnp.sin(x)),
    "clip": lambda x: jnp.clip(x, 0.3, 0.6) ** 2,
    "where": lambda x: jnp.where(x > 0.5, jnp.sin(x), x**3),
    "cast": lambda x: x.astype(complex).astype(complex).real * x,
    "stop_gradient": lambda x: lax.stop_gradient(x) * x**2,
    "integers": lambda x: jnp.argsort(x.ravel()).reshape(x.shape) * x + (x > 0.4) + jnp.round(x),
    "div": lambda x: x / (1 + x**2) + 1 / x + x / 3,
    "mul": lambda x: x * jnp.sin(x) * 3 * x,
    "complex": lambda x: jnp.exp(1j * x) * x,
    "complex_abs": lambda x: jnp.abs(jnp.exp(1j * x) + x) ** 3,
    "complex_parts": lambda x: jnp.real(jnp.exp(1j * x)) * jnp.imag((x + 2j * x) ** 2) + jnp.angle(x + 1j * x**2),
    "complex_division": lambda x: (1 + 1j * x) / (x - 2j) * jnp.conj(x + 1j * x**2),
}

ACTIVATIONS = {
    name: getattr(jax.nn, name)
    for name in """
        celu elu gelu hard_sigmoid hard_silu hard_swish hard_tanh leaky_relu log_sigmoid mish relu relu6 selu
        sigmoid silu soft_sign softplus sparse_plus sparse_sigmoid squareplus swish identity
    """.split()
    if hasattr(jax.nn, name)
} | {
    "gelu_exact": lambda x: jax.nn.gelu(x, approximate=False),
    "softmax": lambda x: jax.nn.softmax(x, axis=None),
    "log_softmax": lambda x: jax.nn.log_softmax(x, axis=None),
    "logsumexp": lambda x: jax.nn.logsumexp(x),
    "standardize": lambda x: jax.nn.standardize(x, axis=None),
}

INDEXING = {
    "reshape": lambda x: jnp.reshape(x, (4, 3)) ** 2,
    "transpose": lambda x: (x.T**2) @ x,
    "broadcast": lambda x: jnp.broadcast_to(x[0] ** 2, (2, 4)) * x[1],
    "slice": lambda x: x[1:, ::2] ** 3,
    "rev": lambda x: x[::-1] * x,
    "concatenate": lambda x: jnp.concatenate([x**2, jnp.ones((2, 4)), jnp.sin(x)]),
    "stack": lambda x: jnp.stack([x**2, jnp.ones((3, 4))]),
    "pad": lambda x: jnp.pad(x**2, ((1, 2), (0, 1)), constant_values=3.0),
    "pad_by_value": lambda x: lax.pad(x**2, x[0, 0] ** 3, ((1, 0, 1), (0, 1, 0))),
    "split": lambda x: [p**2 for p in jnp.split(x, 2, axis=1)],
    "tile_repeat": lambda x: jnp.tile(x**2, (2, 1)) * jnp.repeat(x, 2, axis=0),
    "roll": lambda x: jnp.roll(x, 1, axis=1) * x,
    "gather": lambda x: (x**2)[jnp.array([0, 2, 0]), jnp.array([1, 1, 3])],
    "gather_fill": lambda x: jnp.take(x**2, jnp.array([0, 7, 1]), axis=0, mode="fill", fill_value=2.0),
    "take_along": lambda x: jnp.take_along_axis(x**2, jnp.argsort(x, axis=1), axis=1),
    "dynamic_slice": lambda x: lax.dynamic_slice(x**2, (jnp.argmax(x[:, 0]), 0), (1, 3)),
    "dynamic_update_slice": lambda x: lax.dynamic_update_slice(x**2, jnp.sin(x[:1]), (jnp.argmax(x[:, 0]), 0)),
    "scatter_set": lambda x: (x**2).at[jnp.array([0, 2])].set(jnp.sin(x[:2])),
    "scatter_set_twice": lambda x: (x**2).at[jnp.array([1, 1])].set(jnp.sin(x[:2])),
    "scatter_set_constant": lambda x: jnp.zeros((3, 4)).at[1].set(x[0] ** 2).at[0].set(2.0),
    "scatter_add": lambda x: (x**2).at[jnp.array([0, 0])].add(jnp.sin(x[:2])),
    "scatter_sub": lambda x: (x**2).at[jnp.array([0, 1])].subtract(jnp.sin(x[:2])),
    "scatter_mul": lambda x: (x**2).at[jnp.array([0, 2])].multiply(jnp.sin(x[:2]), unique_indices=True),
    "scatter_max": lambda x: (x**2).at[jnp.array([0, 2])].max(jnp.sin(x[:2])),
    "scatter_min": lambda x: (x**2).at[jnp.array([0, 2])].min(jnp.sin(x[:2])),
    "segment_sum": lambda x: jax.ops.segment_sum(x**2, jnp.array([0, 1, 0]), 2),
    "select_many": lambda x: lax.select_n(jnp.argsort(x.ravel()).reshape(x.shape) % 3, x, x**2, jnp.sin(x)),
    "diag_tril": lambda x: jnp.tril(x**2) + jnp.diag(jnp.diag(x[:, :3]) ** 2, 0).sum(),
    "sort": lambda x: jnp.sort(x**2, axis=0) * jnp.arange(3.0)[:, None],
    "sort_with_payload": lambda x: lax.sort((jnp.sin(3 * x), x**2, jnp.arange(12).reshape(3, 4)), num_keys=1)[1],
    "argsort_use": lambda x: x.ravel()[jnp.argsort(jnp.sin(5 * x).ravel())] ** 2,
    "top_k": lambda x: lax.top_k(x**2, 2),
    "median_quantile": lambda x: jnp.median(x**2) * jnp.quantile(x, 0.3),
    "unique_free_where": lambda x: jnp.where(jnp.eye(3, 4, dtype=bool), x**2, 0.0),
    "meshgrid": lambda x: jnp.meshgrid(x[0] ** 2, x[:, 0]),
    "unstack": lambda x: [u**2 for u in jnp.unstack(x)],
}

REDUCTIONS = {
    "sum": lambda x: jnp.sum(x**2, axis=1),
    "mean_var": lambda x: jnp.mean(x) * jnp.var(x, axis=0) + jnp.std(x),
    "prod": lambda x: jnp.prod(x, axis=0) + jnp.prod(x),
    "prod_empty": lambda x: [jnp.prod(x[:0]) * x, jnp.prod(x[:, :0], axis=1)],
    "prod_zero": lambda x: jnp.prod(x - x[0, 0]) + jnp.prod(x.at[0, 1].set(0.0)),
    "max_min": lambda x: jnp.max(x**2, axis=1) * jnp.min(x),
    "max_ties": lambda x: jnp.max(jnp.stack([x, x]), axis=0) ** 2,
    "cumsum": lambda x: jnp.cumsum(x**2, axis=0),
    "cumsum_reverse": lambda x: lax.cumsum(x**2, axis=1, reverse=True),
    "cumprod": lambda x: jnp.cumprod(x, axis=1),
    "cumprod_reverse": lambda x: lax.cumprod(x, axis=0, reverse=True),
    "cummax": lambda x: lax.cummax(x**2, axis=1) * lax.cummin(jnp.sin(x), axis=0),
    "cumlogsumexp": lambda x: lax.cumlogsumexp(x, axis=0),
    "associative_scan": lambda x: lax.associative_scan(lambda a, b: a * b + jnp.sin(a), x),
    "reduce_custom": lambda x: lax.reduce(x, 1.0, lambda a, b: a * b, (0,)),
    "reduce_window": lambda x: lax.reduce_window(x**2, 0.0, lax.add, (2, 2), (1, 1), "VALID"),
    "avg_max_pool": lambda x: lax.reduce_window(x**2, -jnp.inf, lax.max, (2, 2), (1, 2), "SAME"),
    "min_pool": lambda x: lax.reduce_window(x**2, jnp.inf, lax.min, (2, 2), (1, 1), "VALID"),
    "norm": lambda x: jnp.linalg.norm(x) + jnp.linalg.norm(x, axis=0, ord=3).sum(),
    "argmax_index": lambda x: x.ravel()[jnp.argmax(x)] ** 2,
    "logsumexp_axis": lambda x: jax.nn.logsumexp(x, axis=1, b=jnp.arange(1.0, 5.0)),
    "fft": lambda x: jnp.fft.fft(x**2, axis=1),
    "rfft_irfft": lambda x: jnp.fft.irfft(jnp.abs(jnp.fft.rfft(x, axis=1)) ** 2, axis=1),
    "fft2_power": lambda x: jnp.abs(jnp.fft.fft2(x)) ** 2,
}

BILINEAR = {
    "matmul_constant": lambda x: jnp.tanh(x @ W),
    "constant_matmul": lambda x: jnp.tanh(W[:, :3] @ x),
    "matmul_both": lambda x: x @ x.T @ (x**2),
    "batched_matmul": lambda x: jnp.einsum("bij,bjk->bik", jnp.stack([x, x**2]), jnp.stack([x.T, jnp.sin(x.T)])),
    "einsum_three": lambda x: jnp.einsum("ij,kj,il->kl", x, jnp.sin(x), x**2),
    "einsum_trace": lambda x: jnp.einsum("ij,ij->", x, jnp.cos(x)),
    "outer": lambda x: jnp.outer(x[0], x[:, 0] ** 2),
    "cross": lambda x: jnp.cross(x[:, 0], x[:, 1]),
    "kron": lambda x: jnp.kron(x[:, :1], x[:1]),
    "vdot_complex": lambda x: jnp.vdot(x + 1j * x**2, jnp.exp(1j * x)),
    "conv_empty": lambda x: lax.conv(x[:0].reshape(0, 1, 4), jnp.sin(x)[:2, :1].reshape(1, 1, 2), (1,), "SAME"),
    "tensordot": lambda x: jnp.tensordot(x, jnp.sin(x), axes=((0,), (0,))),
    "conv_constant": lambda x: jnp.convolve(x[0], jnp.array([1.0, 2.0, 3.0])) ** 2,
    "conv_both": lambda x: jnp.convolve(x[0], x[:, 1]),
    "conv2d": lambda x: lax.conv(x[None, None] ** 2, jnp.asarray(W[None, None, :2, :2]), (1, 1), "SAME"),
    "conv2d_both": lambda x: lax.conv(x[None, None] ** 2, jnp.sin(x[None, None, :2, :2]), (1, 1), "VALID"),
    "conv_channels": lambda x: lax.conv_general_dilated(
        x.reshape(2, 2, 3), jnp.sin(x).reshape(3, 2, 2), (1,), [(1, 0)], lhs_dilation=(2,), rhs_dilation=(1,)
    ),
    "conv_groups": lambda x: lax.conv_general_dilated(
        x.reshape(1, 4, 3), jnp.sin(x)[:2].reshape(4, 1, 2), (1,), "SAME", feature_group_count=4
    ),
    "conv_nhwc": lambda x: lax.conv_general_dilated(
        x.reshape(1, 3, 2, 2), x.reshape(1, 1, 2, 6), (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
    ),
}

LINALG = {
    "solve": lambda x: jnp.linalg.solve(matrix(x), x[:3]),
    "solve_matrix": lambda x: jnp.linalg.solve(matrix(x), matrix(x**2)),
    "inv": lambda x: jnp.linalg.inv(matrix(x)),
    "det": lambda x: jnp.linalg.det(matrix(x)),
    "slogdet": lambda x: jnp.linalg.slogdet(matrix(x)),
    "cholesky": lambda x: jnp.linalg.cholesky(symmetric(x)),
    "cho_solve": lambda x: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(symmetric(x)), x[:3]),
    "qr": lambda x: jnp.linalg.qr(matrix(x)),
    "svd": lambda x: jnp.linalg.svd(matrix(x), compute_uv=False),
    "svd_full": lambda x: (lambda u, s, v: (u * s**2) @ v)(*jnp.linalg.svd(matrix(x))),
    "eigh": lambda x: jnp.linalg.eigh(symmetric(x))[0],
    "eigh_vectors": lambda x: (lambda w, v: (v * jnp.sin(w)) @ v.T)(*jnp.linalg.eigh(symmetric(x))),
    "expm": lambda x: jax.scipy.linalg.expm(matrix(x) / 4),
    "triangular_solve": lambda x: jax.scipy.linalg.solve_triangular(jnp.tril(matrix(x)), x[:3], lower=True),
    "triangular_solve_right": lambda x: lax.linalg.triangular_solve(
        jnp.tril(matrix(x)), matrix(x**2), left_side=False, lower=True, transpose_a=True
    ),
    "lu": lambda x: jax.scipy.linalg.lu(matrix(x)),
    "pinv": lambda x: jnp.linalg.pinv(matrix(x)),
    "lstsq": lambda x: jnp.linalg.lstsq(matrix(x), x[:3])[0],
    "cg": lambda x: jax.scipy.sparse.linalg.cg(lambda v: symmetric(x) @ v, x[:3], tol=1e-14)[0],
    "gmres": lambda x: jax.scipy.sparse.linalg.gmres(lambda v: matrix(x) @ v, x[:3], tol=1e-14)[0],
    "tridiagonal_solve": lambda x: lax.linalg.tridiagonal_solve(x * 0.1, x + 2, x * 0.2, x[:, None] ** 2),
    "matrix_power": lambda x: jnp.linalg.matrix_power(matrix(x), 5),
    "norm_nuclear": lambda x: jnp.linalg.norm(matrix(x), "nuc"),
    "multi_dot": lambda x: jnp.linalg.multi_dot([matrix(x), matrix(x**2), x[:3]]),
    "custom_linear_solve": lambda x: lax.custom_linear_solve(
        lambda v: matrix(x) @ v, x[:3], lambda _, b: jnp.linalg.solve(matrix(x), b)
    ),
}
