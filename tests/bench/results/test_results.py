"""Statistics, files, tables and the comparison of runs, on figures that are known."""

from pathlib import Path

import numpy as np
import pytest

import dof
from dof.bench.cases.case_table import CASES
from dof.bench.results.compare_runs import compare_runs
from dof.bench.results.outcomes import CaseResult, Outcome, SuiteRun, load, merged, save
from dof.bench.results.paper_tables import PUBLISHED, paper_tables
from dof.bench.results.plots import plot_methods, plot_paper
from dof.bench.results.questions import plot_questions
from dof.bench.results.statistics import median, ratio_of_medians, relative_quartile_deviation
from dof.bench.results.tables import fastest_other, summary_table, table_of_case
from dof.bench.results.wave_tables import wave_table
from dof.bench.timing.rounds import _outcome
from dof.bench.timing.worker_process import Failure


def outcome(method, seconds, **figures):
    rng = np.random.default_rng(len(method))
    samples = [float(seconds * (1 + 0.01 * noise)) for noise in rng.uniform(-1, 1, size=9)]
    return Outcome(method, seconds=samples, deviation=1e-7, temporary=figures.pop("temporary", 10**6), **figures)


def run(dof_seconds=1.0, name="mlp-elliptic", points=64, **dof_figures):
    outcomes = [
        outcome("hessian", 2.0, temporary=8 * 10**6, flops=4e9),
        Outcome("jet", failure="out of memory: needs 40 GB"),
        outcome("folx", 1.5, option=6),
        outcome("dof", dof_seconds, **dof_figures),
    ]
    case = CaseResult(name, "MLP, elliptic", points, {it.method: it for it in outcomes})
    machine = {"processor": "a processor", "cores": 2, "memory_bytes": 2**34, "device": "cpu"}
    return SuiteRun("peers", 0, machine, {"dof": "0.1"}, [case], [1e11] * 9, {"torch": "torch"})


def test_ratios_have_intervals_that_contain_them():
    rng = np.random.default_rng(0)
    slow, fast = 3 + 0.1 * rng.normal(size=15), 1 + 0.03 * rng.normal(size=15)
    found = ratio_of_medians(list(slow), list(fast))
    assert found.low < found.value < found.high and found.low < 3 < found.high
    assert found.high - found.low < 0.4
    assert ratio_of_medians([2.0] * 7, [1.0] * 9, paired=False) == (2, 2, 2)
    assert median([1.0, 5.0, 2.0]) == 2 and relative_quartile_deviation([1.0, 1.0, 1.0]) == 0


def test_a_slow_moment_that_both_have_met_does_not_widen_the_interval():
    moments = np.array([1, 1.1, 3, 1.2, 5, 1, 2.0])
    found = ratio_of_medians(list(2 * moments), list(moments))
    assert found.low == found.high == 2


def test_what_is_saved_can_be_loaded(tmp_path):
    save(run(), tmp_path / "a.json")
    assert load(tmp_path / "a.json") == run()


@pytest.mark.parametrize("text", ["", "{}", '{"format": 99}', "[1]"])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(dof.errors.ArgumentError, match="`path`"):
        load(path)


def test_tables_say_what_was_found():
    (row,) = summary_table(run()).rows
    assert float(row[2]) == pytest.approx(1000, rel=0.01) and row[3] == "1"
    assert row[4].startswith("2.0") and row[5] == "8.0×" and row[6] == "folx"
    assert row[7].startswith("1.5") and row[8] == "1.0×"
    cells = {row[0]: row for row in table_of_case(run().cases[0], 1e11).rows}
    assert cells["jet"][1] == "out of memory: needs 40 GB"
    assert cells["hessian"][-1] == "0.02" and "folx, 6" in cells
    assert summary_table(run()).notes[-1] == "torch is not installed: pip install torch"
    assert "| method |" in table_of_case(run().cases[0], 1e11).in_markdown()


def test_a_case_without_a_hessian_is_shown():
    found = run()
    found.cases[0].outcomes["hessian"] = Outcome("hessian", failure="no result in 60 s")
    (row,) = summary_table(found).rows
    assert row[4] == "no result in 60 s" and fastest_other(found.cases[0]).method == "folx"
    found.cases[0].outcomes["dof"] = Outcome("dof", failure="wrong by 1e-1")
    assert summary_table(found).rows[0][2] == "wrong by 1e-1"


def test_the_papers_ratios_are_the_papers():
    """They are printed with one digit, from figures with more."""
    for it in PUBLISHED.values():
        assert it.memory == pytest.approx(it.hessian_mb / it.dof_mb, abs=0.1)
        assert it.time == pytest.approx(it.hessian_ms / it.dof_ms, abs=0.1)
    ours, theirs = paper_tables(run())[0].rows
    assert ours[1:4] == ["8.0", "1.0", "8.0×"] and theirs[-1] == "1.8×"


def test_compare_says_what_got_slower():
    table, worse = compare_runs(run(), run(dof_seconds=1.3))
    assert worse == ["MLP, elliptic, dof: slower"]
    assert [row[-1] for row in table.rows] == ["", "", "", "slower"]
    assert compare_runs(run(dof_seconds=1.3), run())[1] == []
    assert compare_runs(run(), run(dof_seconds=1.02))[1] == []
    assert compare_runs(run(), run(temporary=2 * 10**6))[1] == ["MLP, elliptic, dof: more memory"]


def test_compare_knows_the_speed_of_the_machine_and_the_number_of_points():
    slower_machine = run(dof_seconds=2.0)
    for it in slower_machine.cases[0].outcomes.values():
        it.seconds = [2 * s if it.method != "dof" else s for s in it.seconds]
    slower_machine.rates = [5e10] * 9
    assert compare_runs(run(), slower_machine)[1] == []
    more_points = run(dof_seconds=2.0, points=128)
    assert "MLP, elliptic, dof: slower" not in compare_runs(run(), more_points)[1]


def test_compare_says_what_fails_now():
    broken = run()
    broken.cases[0].outcomes["folx"] = Outcome("folx", failure="wrong by 1e-1")
    assert compare_runs(run(), broken)[1] == ["MLP, elliptic, folx: fails now"]


def test_results_that_are_wrong_are_not_timed():
    truth = [np.array([1.0, 2.0])]
    facts = dict.fromkeys(("tracing", "compiling", "temporary", "peak", "flops", "option"))
    right, wrong, undefined = ({**facts, "result": [np.array([1.0, x, 9.0])]} for x in (2.0, 2.1, np.nan))
    assert _outcome(CASES["mlp-elliptic"], "dof", right, truth).failure is None
    assert _outcome(CASES["mlp-elliptic"], "dof", wrong, truth).failure == "wrong by 5.0e-02"
    assert "wrong" in _outcome(CASES["mlp-elliptic"], "dof", undefined, truth).failure
    assert _outcome(CASES["mlp-elliptic"], "estimate", wrong, truth).failure is None
    assert _outcome(CASES["mlp-elliptic"], "dof", Failure("no result in 1 s"), truth).failure == "no result in 1 s"
    assert "reference" in _outcome(CASES["mlp-elliptic"], "dof", right, Failure("out of memory")).failure


def test_wave_functions_beside_folx():
    found = run(dof_seconds=0.5, temporary=10**5, tracing=0.2, compiling=0.3)
    folx, at_once = found.cases[0].outcomes["folx"], outcome("dof, at once", 1.0)
    folx.tracing, folx.compiling = 4.0, 1.0
    found.cases[0].outcomes["dof, at once"] = at_once
    row = wave_table(found).rows[0]
    assert row[:2] == ["MLP, elliptic", "64"] and row[2].startswith(("49", "50"))
    assert row[5].startswith(("2.9", "3.0")) and row[6].startswith("1.5") and row[7:] == ["10.0×", "10.0×"]
    del found.cases[0].outcomes["folx"]
    assert wave_table(found).rows[0][5:] == ["–"] * 4


def test_plots_are_drawn(tmp_path):
    for draw in (plot_methods, plot_paper):
        path = Path(tmp_path / f"{draw.__name__}.png")
        draw(run(), path)
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 10_000


def test_runs_of_several_suites_become_one_file():
    first, second = run(name="mlp-elliptic"), run(name="step-elliptic")
    second.left_out = ["heat, 4,096 points"]
    whole = merged([first, second])
    assert [it.case for it in whole.cases] == ["mlp-elliptic", "step-elliptic"]
    assert len(whole.rates) == 18 and whole.left_out == second.left_out
    assert any("heat, 4,096 points" in sentence for sentence in whole.gaps)


def test_a_comparison_names_both_commits():
    before, after = run(), run(dof_seconds=2.0)
    before.versions["commit"], after.versions["commit"] = "aaaa", "bbbb-dirty"
    table, worse = compare_runs(before, after)
    assert table.notes[:2] == ["before: dof 0.1, commit aaaa", "after: dof 0.1, commit bbbb-dirty"] and worse


def test_questions_are_answered_from_the_files_that_there_are(tmp_path):
    with pytest.raises(dof.errors.ArgumentError, match="folder with results"):
        plot_questions(tmp_path, tmp_path / "questions.png")
    save(run(name="pinn-heat-4x64-4096"), tmp_path / "pinn.json")
    save(run(name="inputs-3"), tmp_path / "peers.json")
    asked = ["a training step of a PINN", "the exact Laplacian of many inputs"]
    assert plot_questions(tmp_path, tmp_path / "questions.png") == asked
    assert (tmp_path / "questions.png").stat().st_size > 5_000
