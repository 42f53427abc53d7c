"""Whether f is a function of each row of x: a probe with one row, once for each f. It is a probe, not a proof."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from dof.errors import ArgumentError, DofError, describe
from dof.torch import torch_compat
from dof.torch.function_parts import parts_of
from dof.torch.triple import Triple, is_smooth

_probed: dict[Any, list[Any]] = {}
"""By dimensions of x and identity of f, what that is made of: it is forgotten with the first of these objects."""
MOST_PROBED = 10_000
"""Functions that are made again for each call are forgotten now and then, so that their keys do not pile up."""

NOISE = 1e3
"""Results of fewer roundings of numbers of size one are zero up to rounding (the Laplacian of ‖rms_norm(x)‖²)."""


def require_function_of_rows(f: Callable[[Any], Any], x: Tensor, propagated: Callable[[Tensor], Any]) -> None:
    """Refuse an f that mixes rows or draws random numbers; later calls with the same f are not looked at again.

    Args:
        f: the function.
        x: the points (…, N).
        propagated: propagates given points. One row is propagated with gradients on, since some of what is refused
            (`torch.no_grad` within f) is seen only then.
    """
    points = x.shape[:-1]
    if isinstance(x, Triple):
        return
    held = parts_of(f)
    _require_no_backward_hooks(held)
    # While a graph is traced nothing can be compared; `compiled` calls the function once before.
    if not len(points) or max(points) < 2 or torch_compat.is_traced():
        return
    key = (x.dim(), *((id(part), _mode(part)) for part in held))
    if key in _probed:
        return
    numbers = torch.get_rng_state()
    with torch.inference_mode(False), torch.enable_grad():  # tensors of inference mode have no gradients
        one = _of_last_row(x.detach(), propagated)
    among = _run_plainly(f, x)
    _require_state(numbers)
    alone = list(_tensors(one.each(lambda value, *_: value)))
    _compare(alone, [found.detach() for found in _tensors(among)], len(points))
    if len(_probed) >= MOST_PROBED:
        _probed.clear()
    _probed[key] = [_weakly(part, lambda _: _probed.pop(key, None)) for part in held]


def _run_plainly(f: Callable[..., Any], x: Any) -> Any:
    """f at all points: without graphs, which take memory, unless f differentiates by itself."""
    points = x.detach()
    try:
        with torch.no_grad():
            return f(points.clone())  # f may write into its points
    except RuntimeError:
        with torch.enable_grad():
            return f(points.clone())


def _require_no_backward_hooks(parts: list[Any]) -> None:
    """Refuse modules with backward hooks: gradients pass beside their results, and the hooks would not be called.

    Not seen are modules in what `parts_of` does not open: in lists, as attributes of objects that are no modules, and
    in global functions of another file that f calls.
    """
    if any(isinstance(part, torch.nn.Module) and torch_compat.has_backward_hooks(part) for part in parts):
        found, expected = "is or uses a module with backward hooks, which would not be called", "a module without them"
        fix = "weight.register_hook(…) for gradients of parameters, or remove the hook by its handle: handle.remove()"
        raise ArgumentError(describe("f", found, expected, fix))


@contextmanager
def without_random_numbers() -> Iterator[None]:
    """Refuse random numbers in what is done within it; for functions that draw some after they were probed.

    Two states are compared, which takes some microseconds. Not while a graph is traced, of which it would be a part.
    """
    numbers = None if torch_compat.operations_are_watched() else torch.get_rng_state()
    yield
    if numbers is not None:
        _require_state(numbers)


def _require_state(numbers: Tensor) -> None:
    """Refuse f if the state of random numbers is another than before."""
    if not torch.equal(numbers, torch.get_rng_state()):
        torch.set_rng_state(numbers)
        found, fix = "draws random numbers (dropout?), so that it is no function of x", "net.eval()"
        raise ArgumentError(describe("f", found, "a function of each row of x", fix))


def _of_last_row(x: Tensor, propagated: Callable[[Tensor], Any]) -> Any:
    """What is propagated for the last row alone, or among others than in x if f takes no other number of rows."""
    last = tuple(slice(-1, None) for _ in x.shape[:-1])
    try:
        return propagated(x[last].clone())
    except (RuntimeError, ValueError, AssertionError) as error:  # as a module of torch.export raises it
        if isinstance(error, DofError):
            raise
    others = x.flip(tuple(range(x.dim() - 1))) / 2
    others[last] = x[last]
    return propagated(others)


def _compare(alone: list[Tensor], among: list[Tensor], axes: int) -> None:
    for one, all_rows in zip(alone, among, strict=True):
        last_row = tuple(slice(-1, None) for _ in range(axes))
        one, last = one[last_row], all_rows[last_row]
        # Kernels round differently for one row and for many: half of the digits must agree.
        is_equal = _is_close(one, last, all_rows) if is_smooth(one) else torch.equal(one, last)
        if one.shape != last.shape or not is_equal:
            found = "gives another result for a row alone than for this row among others"
            fix = "net.eval() for BatchNorm and dropout; means over rows come after L"
            raise ArgumentError(describe("f", found, "a function of each row of x", fix))


def _is_close(one: Tensor, last: Tensor, all_rows: Tensor) -> bool:
    eps = torch.finfo(one.dtype).eps
    rough = eps**0.5
    sizes = all_rows.abs()
    scale = float(sizes[sizes.isfinite()].max()) if bool(sizes.isfinite().any()) else 0.0
    is_same = one.shape == last.shape
    return is_same and torch.allclose(one, last, 10 * rough, 10 * rough * scale + NOISE * eps, equal_nan=True)


def _mode(part: Any) -> Any:
    """Which modules of a network are in training."""
    is_module = isinstance(part, torch.nn.Module)
    return tuple(m.training for m in part.modules()) if is_module else getattr(part, "training", None)


def _weakly(part: Any, forget: Callable[[Any], Any]) -> Any:
    """A reference that does not keep an object alive, and calls `forget` when it is gone: others may get its id."""
    try:
        return weakref.ref(part, forget)
    except TypeError:  # numbers, strings and tuples are kept
        return part


def _tensors(output: Any) -> Iterator[Tensor]:
    if isinstance(output, torch.Tensor):
        yield output.value if isinstance(output, Triple) else output
    else:
        for entry in output.values() if isinstance(output, dict) else output:
            yield from _tensors(entry)
