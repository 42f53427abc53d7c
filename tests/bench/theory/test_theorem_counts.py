"""The theorems hold for what XLA compiles: half the flops, and 2 / L of the memory."""

import pytest

from dof.bench.theory.theorem_counts import Count, MlpSizes, Sweep, count, hessian_multiplications


@pytest.mark.parametrize("layers", [6, 12, 24])
def test_memory_is_that_of_two_layers(layers):
    found = count(layers, MlpSizes(inputs=32, width=64, layers=layers, points=16))
    assert found.dof_bytes <= 1.15 * found.theory_memory * found.hessian_bytes
    assert found.dof_flops <= 1.04 * found.dof_bound * found.hessian_flops


def test_flops_of_the_hessian_are_those_of_theorem_1():
    found = count(0, MlpSizes(inputs=64, width=256, layers=8, points=4))
    assert found.hessian_flops == pytest.approx(found.theory_flops, rel=0.03)
    assert found.dof_flops <= found.dof_bound * found.hessian_flops


def test_low_rank_takes_its_part():
    found = count(0, MlpSizes(inputs=32, width=64, layers=8, points=16, rank=8))
    assert found.dof_bound == 1 / 8 and found.dof_flops <= 1.3 * found.dof_bound * found.hessian_flops


def test_the_count_of_a_network_by_hand():
    """2 inputs, 3 hidden units, 1 output: 9 edges for weights, 3 for activations, and 3 second derivatives."""
    assert hessian_multiplications(MlpSizes(inputs=2, width=3, layers=2)) == 2 * (3 + 2 * 12) + 1.5


def test_exponents_are_slopes():
    """Of the larger half: what does not grow at first is no part of it."""
    counts = [Count(n, 1.0, max(5.0 * n**1.5, 1e3), 1, 1, 1.0, 0.5, 1.0) for n in (2, 4, 64, 128, 256)]
    sweep = Sweep("inputs", "inputs", counts)
    assert sweep.exponent("dof_flops") == pytest.approx(1.5) and sweep.exponent("hessian_flops") == pytest.approx(0)
