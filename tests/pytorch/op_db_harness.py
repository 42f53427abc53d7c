"""Every differentiable operation of PyTorch's own table of operations, against finite differences.

    python tests/pytorch/op_db_harness.py [names …]

For each sample the floating arguments are moved along three directions, a(z) = a + Σ c_i(z) v_i with z in R³, and the
Laplacian in z of Σ w · op(a(z)) is compared with central differences of order eight; its derivative along another
direction likewise. A sample is

- `right`: to 1e-9 as by the differences of one of several steps, or as by nested autograd where differences agree less
  closely (to 1e-5, because of rounding or of a kink nearby);
- `rough`: differences agree to 1e-5 only, and nested autograd does not to 1e-9 or fails; or they settle on no number,
  as at a kink or a jump, and nested autograd agrees to 1e-9 or fails;
- `refused`: an error of dof;
- `undefined`: there is no such derivative (differences grow without bound or jump), and dof gives NaN or an infinity;
- `skipped`: PyTorch itself does not take the moved arguments, or its result is not finite;
- `wrong` or `error`: anything else.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass

import torch
from torch.testing._internal.common_methods_invocations import op_db

import dof.torch as dof

SECOND = (-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560)
FIRST = (0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)
STEPS = (2e-2, 5e-3, 1e-3, 2e-4)
"""One after the other until a difference agrees: most functions vary over lengths of one, some have kinks nearby."""
NEAR = (2e-5, 2e-6)
"""Steps that stay clear of kinks, where rounding leaves few digits."""
DIRECTIONS = 2
TOLERANCE = 1e-9


ORDER = ["wrong", "error", "refused", "undefined", "rough", "right", "skipped", "no samples"]


@dataclass
class Outcome:
    name: str
    verdict: str
    detail: str = ""


def is_smooth(value):
    # Single precision among the arguments of some samples is too coarse to be moved by finite differences.
    return isinstance(value, torch.Tensor) and value.dtype in (torch.float64, torch.complex128)


def moved(tree, directions, z):
    """The tree with its floating tensors moved along directions, on curves: linear operations bend as well."""
    speed = 1 + z[0, -1]
    c = [speed * (z[0, i] + z[0, i - 1] ** 2 / 2) for i in range(z.shape[1])]
    return map_tree(lambda t, v: t + sum(c[i] * v[i] for i in range(len(v))), tree, directions)


def map_tree(function, tree, *others):
    if isinstance(tree, (list, tuple)):
        entries = [map_tree(function, t, *(o[n] for o in others)) for n, t in enumerate(tree)]
        return type(tree)(*entries) if hasattr(tree, "_fields") else type(tree)(entries)
    if isinstance(tree, dict):
        return {k: map_tree(function, t, *(o[k] for o in others)) for k, t in tree.items()}
    return function(tree, *others) if is_smooth(tree) else tree


def directions_like(tree, generator, count):
    def one(t):
        return [torch.randn(t.shape, dtype=t.dtype, generator=generator) * 0.3 for _ in range(count)]

    return map_tree(one, tree)


def leaves(tree):
    if isinstance(tree, (list, tuple)):
        return [leaf for entry in tree for leaf in leaves(entry)]
    return [tree] if is_smooth(tree) else []


def stencil(F, h, coefficients, odd):
    total = coefficients[0] * F(0.0) if coefficients[0] else 0.0
    for n, c in enumerate(coefficients[1:], 1):
        total = total + c * (F(n * h) - F(-n * h) if odd else F(n * h) + F(-n * h))
    return total / (h if odd else h * h)


def scalar_function(op, sample, directions):
    """z (1, k) ↦ one number for each output, weighted; as a function of one point."""
    weights = {}

    def f(z):
        args = moved([sample.input, *sample.args], directions[0], z)
        kwargs = moved(sample.kwargs, directions[1], z)
        found = op(args[0], *args[1:], **kwargs)
        if sample.output_process_fn_grad is not None:
            found = sample.output_process_fn_grad(found)
        total = 0.0
        for n, leaf in enumerate(leaves(found)):
            if n not in weights:
                generator = torch.Generator().manual_seed(n)
                weights[n] = torch.randn(leaf.shape, dtype=torch.float64, generator=generator)
            total = total + (weights[n] * (leaf.real + 2 * leaf.imag if leaf.is_complex() else leaf)).sum()
        return total.reshape(1) if isinstance(total, torch.Tensor) else z[:, 0] * 0

    return f


def differences(f, count, order, steps=STEPS):
    """The Laplacian, or the slope along the only direction, at zero: for each step, made when it is asked for."""
    for h in steps:
        total = 0.0
        for i in range(count):

            def along(t, i=i):
                z = torch.zeros(1, count, dtype=torch.float64)
                z[0, i] = t
                return value_or_nan(f, z)

            total = total + stencil(along, h, SECOND if order == 2 else FIRST, order == 1)
        yield float(total.reshape(-1)[0])


def value_or_nan(f, z):
    """NaN where PyTorch refuses moved arguments, as it does for targets that leave [0, 1]."""
    try:
        return f(z)
    except RuntimeError:
        return torch.full((1,), torch.nan, dtype=torch.float64)


def try_sample(op, sample, seed):
    generator = torch.Generator().manual_seed(seed)
    tree = [sample.input, *sample.args]
    directions = (
        directions_like(tree, generator, DIRECTIONS + 1),
        directions_like(sample.kwargs, generator, DIRECTIONS + 1),
    )
    f = scalar_function(op, sample, directions)
    # The last coordinate is a parameter: L differentiates in the others, and L f is differentiated in it.
    L = dof.Operator(a=[1.0] * DIRECTIONS + [0.0])
    try:
        with torch.no_grad():
            base = f(torch.zeros(1, DIRECTIONS + 1, dtype=torch.float64))
    except Exception as error:
        return "skipped", f"PyTorch: {str(error).splitlines()[0][:120]}"
    if not torch.isfinite(base).all():
        return "skipped", "not finite"
    z = torch.zeros(1, DIRECTIONS + 1, dtype=torch.float64, requires_grad=True)
    try:
        y = L(f)(z)
        (slope,) = torch.autograd.grad(y.sum(), z, allow_unused=True) if y.requires_grad else (None,)
    except dof.DofError as error:
        return "refused", str(error).splitlines()[0]
    except RuntimeError as error:  # as for singular vectors, if the phase counts that they are free to have
        if by_other_means(lambda: by_autograd(f)) is not None:
            raise
        return "skipped", f"PyTorch: {str(error).splitlines()[0][:120]}"
    got, got_slope = float(y.detach()), 0.0 if slope is None else float(slope[0, -1])

    def at_zero(z):
        return f(torch.cat([z, torch.zeros(1, 1, dtype=torch.float64)], 1))

    def of_parameter(p):
        shift = torch.zeros(1, DIRECTIONS + 1, dtype=torch.float64)
        shift[0, -1] = float(p[0, 0])
        return L(f)(shift)

    magnitude = max(abs(float(base)), abs(got), 1.0)
    with torch.no_grad():
        seconds = lambda *s: differences(at_zero, DIRECTIONS, 2, *s)  # noqa: E731
        of_value = verdict_of(got, seconds, magnitude, lambda: by_autograd(f))
        # Where there is no L f, its own differences along the parameter, taken beside this place, say nothing about it.
        if of_value[0] == "undefined":
            return of_value
        slopes = lambda *s: differences(of_parameter, 1, 1, *s)  # noqa: E731
        of_slope = verdict_of(got_slope, slopes, max(magnitude, abs(got_slope)), lambda: slope_by_autograd(f))
    return min(of_value, of_slope, key=lambda verdict: ORDER.index(verdict[0]))


def verdict_of(value, differences, scale, autograd):
    """(verdict, what was compared); `differences` makes numbers for the usual steps, or for others that are given."""
    found, expected = [], differences()
    is_near = lambda a, b, tolerance: abs(a - b) <= tolerance * scale  # noqa: E731
    for candidate in expected:
        found.append(candidate)
        if is_near(value, candidate, TOLERANCE):
            return "right", ""
    detail = f"{value:.12g} expected {found}"
    if not math.isfinite(value):
        return ("undefined" if is_unsettled(found) else "wrong"), detail
    other = by_other_means(autograd)
    near = list(differences(NEAR))
    detail = f"{detail} {near}, autograd {other}"
    if any(is_near(value, candidate, 1e-5) for candidate in found + near):
        return "right" if other is not None and is_near(value, other, TOLERANCE) else "rough", detail
    if is_unsettled(found) and (other is None or is_near(value, other, TOLERANCE)):
        is_jump = is_unsettled(found[-1:] + near)
        return "rough" if is_jump or any(is_near(value, n, 1e-3) for n in near) else "wrong", detail
    return "wrong", detail


def by_other_means(autograd):
    try:
        with torch.enable_grad():
            return autograd()
    except RuntimeError:
        return None


def is_unsettled(candidates):
    """Whether differences are not finite, or differ by more than a thousandth from one step to the next smaller one."""
    pairs = zip(candidates[1:], candidates[:-1], strict=True)
    return all(not abs(a - b) <= 1e-3 * max(abs(a), abs(b), 1e-3) for a, b in pairs)


def laplacian_by_autograd(f, z, create_graph=False):
    (slope,) = torch.autograd.grad(f(z).sum(), z, create_graph=True)
    total = torch.zeros(())
    for i in range(DIRECTIONS if slope.requires_grad else 0):
        options = {"retain_graph": True, "create_graph": create_graph, "materialize_grads": True}
        total = total + torch.autograd.grad(slope[0, i], z, **options)[0][0, i]
    return total


def by_autograd(f):
    """The Laplacian by nested `torch.autograd.grad`."""
    return float(laplacian_by_autograd(f, torch.zeros(1, DIRECTIONS + 1, dtype=torch.float64, requires_grad=True)))


def slope_by_autograd(f):
    """The derivative of the Laplacian in the last coordinate by nested `torch.autograd.grad`."""
    z = torch.zeros(1, DIRECTIONS + 1, dtype=torch.float64, requires_grad=True)
    total = laplacian_by_autograd(f, z, create_graph=True)
    return float(torch.autograd.grad(total, z, materialize_grads=True)[0][0, -1]) if total.requires_grad else 0.0


def run_op(info, dtype, most=6):
    outcomes = []
    try:
        samples = list(info.sample_inputs("cpu", dtype, requires_grad=False))
    except Exception as error:
        return [Outcome(info.full_name, "no samples", f"{type(error).__name__}: {error}")]
    step = max(1, len(samples) // most)
    for n, sample in enumerate(samples[::step][:most]):
        if sum(t.numel() for t in leaves([sample.input, list(sample.args)])) > 20000:
            continue
        try:
            verdict, detail = try_sample(info.op, sample, n)
        except Exception as error:
            verdict, detail = (
                "error",
                f"{type(error).__name__}: {str(error).splitlines()[0][:160] if str(error) else ''}",
            )
        outcomes.append(Outcome(info.full_name, verdict, detail))
    return outcomes


def main(names, dtype=torch.float64, most=6, verbose=True):
    warnings.filterwarnings("ignore")
    table = Counter()
    by_verdict = defaultdict(list)
    for info in op_db:
        if names and info.name not in names and info.full_name not in names:
            continue
        if not info.supports_autograd or dtype not in info.supported_dtypes("cpu"):
            continue
        start = time.process_time()
        torch.manual_seed(0)
        outcomes = run_op(info, dtype, most)
        verdicts = {o.verdict for o in outcomes}
        verdict = next((v for v in ORDER if v in verdicts), "no samples")
        table[verdict] += 1
        first = next((o for o in outcomes if o.verdict == verdict), None)
        by_verdict[verdict].append((info.full_name, first.detail if first else ""))
        if (verbose and verdict in ("wrong", "error", "refused", "undefined", "rough")) or names:
            print(
                f"{verdict:8s} {info.full_name:45s} {time.process_time() - start:5.1f}s",
                first.detail if first else "",
                flush=True,
            )
    print(dict(table), flush=True)
    return by_verdict


if __name__ == "__main__":
    arguments = sys.argv[1:]
    dtype = torch.complex128 if "complex" in arguments else torch.float64
    main({a for a in arguments if a != "complex"}, dtype)
