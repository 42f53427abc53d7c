"""Distances between rows, written out as norms of differences; cosine similarity."""

from __future__ import annotations

from typing import Any

import torch

from dof.torch.registry import FUNCTIONS, written_out


@written_out("_cdist_forward.default")
def cdist(x: Any, y: Any, p: float, mode: Any) -> Any:
    """‖x_i − y_j‖ of all pairs of rows."""
    return torch.linalg.vector_norm(x[..., :, None, :] - y[..., None, :, :], p, -1)


@written_out("_euclidean_dist.default")
def euclidean(x: Any, y: Any) -> Any:
    """√Σ (x_i − y_j)² of all pairs of rows."""
    return cdist(x, y, 2.0, None)


@written_out("_pdist_forward.default")
def pdist(x: Any, p: float = 2.0) -> Any:
    """‖x_i − x_j‖ for i < j."""
    i, j = torch.triu_indices(len(x), len(x), 1, device=x.device)
    return torch.linalg.vector_norm(x[i] - x[j], p, -1)


def cosine_similarity(x: Any, y: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """`torch.nn.functional.cosine_similarity`, which PyTorch writes out under no_grad."""
    x, y = torch.broadcast_tensors(x, y)
    lengths = [torch.linalg.vector_norm(v, dim=dim).clamp_min(eps) for v in (x, y)]
    return (x * y).sum(dim) / (lengths[0] * lengths[1])


FUNCTIONS[torch.nn.functional.cosine_similarity] = cosine_similarity
