"""A selection of PyTorch's own table of operations; `python tests/pytorch/op_db_harness.py` runs all of it."""

import pytest
import torch

pytest.importorskip("expecttest", reason="PyTorch's table of operations needs expecttest")

from op_db_harness import op_db, run_op

NAMES = """
    add sub rsub mul div.no_rounding_mode pow exp log log1p expm1 sin cos tan sinh asinh atan
    atan2 sqrt rsqrt reciprocal square erf erfinv lgamma digamma
    logit sigmoid sinc hypot logaddexp xlogy lerp addcmul addcdiv where masked_fill clamp_min maximum
    sum mean prod var std norm logsumexp cumsum cumprod logcumsumexp amax max.reduction_with_dim sort topk
    cat stack reshape permute transpose unfold roll flip gather scatter index_select index_put index_add
    take_along_dim squeeze.multiple fft.ifft
    diagonal tril repeat expand narrow select_scatter nn.functional.pad.circular nn.functional.pad.reflect
    matmul bmm baddbmm addmm mv dot einsum kron cross nn.functional.linear nn.functional.bilinear tensordot
    softmax log_softmax nn.functional.layer_norm nn.functional.group_norm nn.functional.instance_norm
    nn.functional.rms_norm nn.functional.scaled_dot_product_attention nn.functional.normalize
    nn.functional.cosine_similarity nn.functional.huber_loss nn.functional.mse_loss nn.functional.softplus
    nn.functional.gelu nn.functional.silu nn.functional.mish nn.functional.elu nn.functional.glu
    nn.functional.conv1d nn.functional.conv2d nn.functional.conv_transpose2d nn.functional.avg_pool2d
    nn.functional.max_pool2d nn.functional.interpolate.bicubic nn.functional.embedding nn.functional.grid_sample
    linalg.det linalg.slogdet linalg.inv linalg.solve linalg.solve_triangular linalg.cholesky
    linalg.eigvalsh linalg.eigh linalg.multi_dot masked.logaddexp as_strided.partial_views
    linalg.qr linalg.svdvals linalg.lu_factor linalg.pinv linalg.matrix_norm linalg.vector_norm matrix_exp cdist
    nansum nextafter nn.functional.max_unpool2d
    fft.fft fft.rfft fft.irfft complex polar real angle trapezoid diff quantile special.i0e special.ndtri
""".split()
COMPLEX = """
    mul div.no_rounding_mode exp abs angle sgn matmul linalg.det linalg.slogdet linalg.solve fft.ifft prod sum pow var
    imag cov linalg.eig linalg.eigh linalg.svd narrow nn.functional.linear
""".split()
TABLE = {info.full_name: info for info in op_db}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_an_operation_is_right(name):
    require_right(name, torch.float64)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", COMPLEX)
def test_an_operation_on_complex_numbers_is_right(name):
    require_right(name, torch.complex128)


def require_right(name, dtype):
    outcomes = run_op(TABLE[name], dtype, most=1)
    assert any(o.verdict in ("right", "rough") for o in outcomes)
    assert [o for o in outcomes if o.verdict in ("wrong", "error", "refused")] == []
