"""Processes that are measured, that fail, and that are ended."""

import os

import pytest

from dof.bench.cases.case_table import CASES
from dof.bench.timing import worker
from dof.bench.timing.rounds import Limits, MatmulRate, run_case
from dof.bench.timing.suites import SUITES, Fitting, Suite, methods_for, run_suite
from dof.bench.timing.worker import Job
from dof.bench.timing.worker_process import Failure, WorkerProcess

MEMORY = 8 * 2**30


def job(method="dof", case="heat-1d", points=64, memory=MEMORY):
    return Job(case, method, points, 0, memory)


def test_methods_take_turns_and_are_checked():
    matmul, said = MatmulRate(), []
    try:
        found = run_case(CASES["heat-1d"], ["hessian", "dof"], 64, 0, Limits(rounds=7), matmul, said.append)
    finally:
        matmul.stop()
    assert len(matmul.rates) == 7 and min(matmul.rates) > 1e8
    for outcome in found.outcomes.values():
        assert outcome.failure is None and len(outcome.seconds) == 7 and min(outcome.seconds) > 0
        assert outcome.deviation < 1e-5 and outcome.temporary > 0 and outcome.tracing > 0 and outcome.compiling > 0
    assert found.outcomes["dof"].flops < found.outcomes["hessian"].flops
    assert said[0] == "reference" and said[-1] == "round 7 of 7"


def test_what_does_not_fit_the_memory_is_a_result():
    too_large = WorkerProcess(job("hvp, vmap", "inputs-5", points=1))
    assert "out of memory" in too_large.ask("build", seconds=120.0).reason
    needs_more = WorkerProcess(job("hessian", "mlp-general", points=512, memory=2**28))
    assert "out of memory" in needs_more.ask("build", seconds=120.0).reason


def test_what_takes_too_long_is_a_result():
    assert WorkerProcess(job()).ask("build", seconds=0.01) == Failure("no result in 0 s")


def _die(connection, job):
    connection.recv()
    os._exit(3)


def test_a_process_that_ends_is_a_result(monkeypatch):
    monkeypatch.setattr("dof.bench.timing.worker_process.serve", _die)
    assert WorkerProcess(job()).ask("build", seconds=60.0) == Failure("the process ended with exit code 3")


def test_errors_are_told_in_one_line():
    def fail():
        raise ValueError("first line\nsecond line")

    assert worker._attempt(fail) == (False, "ValueError: first line")
    assert worker._attempt(lambda: exit(1)) == (False, "SystemExit: 1")


class FixedMatmulRate(MatmulRate):
    def __init__(self, flops):
        self.flops, self.rates = flops, [1e11]

    def flops_of_a_point(self, case):
        return self.flops


@pytest.mark.parametrize(
    ("flops", "seconds", "points"), [(1e6, 60.0, 1024), (5e8, 60.0, 256), (5e8, 600.0, 1024), (1e13, 60.0, 128)]
)
def test_points_adapt_to_the_time(flops, seconds, points):
    assert Fitting(CASES["mlp-elliptic"], 3, FixedMatmulRate(flops), Limits()).points(seconds) == points


def test_a_pinn_has_never_fewer_points_than_it_is_trained_with():
    case = CASES["pinn-heat-4x64-16384"]
    assert Fitting(case, 6, FixedMatmulRate(1e13), Limits()).points(1.0) == case.points == 16384


def test_cases_that_do_not_fit_the_time_are_left_out_and_named():
    suite = Suite("peers", ("heat-1d", "pinn-heat-4x64-4096"), ("dof",))
    found = run_suite(suite, 1.0, 0, Limits(), lambda case, step: None)
    assert [it.case for it in found.cases] == ["heat-1d"] and found.cases[0].points == 4096
    assert found.left_out == ["heat, 2-D, 4 × 64, 4,096 points"] and found.left_out[0] in found.gaps[-1]


def test_estimates_run_only_where_they_are_asked_for():
    peers = SUITES["peers"]
    assert "estimate" in methods_for(peers, CASES["inputs-3"])
    assert "estimate" not in methods_for(peers, CASES["mlp-elliptic"])
    assert methods_for(SUITES["paper"], CASES["mlp-elliptic"]) == ["hessian", "dof"]


def test_methods_are_chosen_by_the_order_of_the_operator():
    higher = ["nested jvp", "nested dof", "jet, all orders", "dof, at once", "dof"]
    assert methods_for(SUITES["peers"], CASES["biharmonic-3d-4x64-step"]) == higher
    assert not {"nested jvp", "jet, all orders"} & set(methods_for(SUITES["peers"], CASES["heat-1d"]))
