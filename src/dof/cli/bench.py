"""The commands of `dof bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import dof
from dof.bench.results.compare_runs import compare_runs
from dof.bench.results.outcomes import load, merged, save
from dof.bench.results.questions import plot_questions
from dof.bench.results.write_results import write_run
from dof.bench.solvers.races import RACES
from dof.bench.solvers.run_races import run_races as run_races_of_solvers
from dof.bench.solvers.solver_process import Timing
from dof.bench.solvers.solver_results import load_or_begin
from dof.bench.solvers.write_solvers import write_solvers
from dof.bench.theory.theorem_counts import SWEEPS, run_sweeps
from dof.bench.theory.write_theory import write_theory
from dof.bench.timing.rounds import Limits
from dof.bench.timing.suites import SUITES, Suite, run_suite
from dof.cli.bench_progress import shown
from dof.cli.option_values import folder, matching, seconds
from dof.cli.plain_errors import told_plainly
from dof.errors import DofError
from dof.text_table import print_tables

bench = typer.Typer(help="Measure dof against every other method, on this machine.", no_args_is_help=True)

Budget = Annotated[str, typer.Option(help="Time for all of it, as 90s, 2m or 1h; cases that do not fit are left out.")]
Rounds = Annotated[int, typer.Option(min=7, help="Runs of every method.")]
Seed = Annotated[int, typer.Option(min=0, help="Of weights, points and coefficients.")]
Out = Annotated[Path, typer.Option(help="Folder for the results.")]
Cases = Annotated[str, typer.Option(help="Only cases with such a name, as 'mlp-*' or 'heat-3d'.")]

FOLDER = Path("dof-bench")


@bench.command()
def quick(budget: Budget = "45s", rounds: Rounds = 7, seed: Seed = 0, out: Out = FOLDER, cases: Cases = "*") -> None:
    """The headlines, in less than a minute."""
    _run(SUITES["quick"], budget, rounds, seed, out, cases)


@bench.command()
def paper(budget: Budget = "5m", rounds: Rounds = 7, seed: Seed = 0, out: Out = FOLDER, cases: Cases = "*") -> None:
    """Both tables of the DOF paper, with its own figures beside those of this machine."""
    _run(SUITES["paper"], budget, rounds, seed, out, cases)


@bench.command()
def peers(budget: Budget = "30m", rounds: Rounds = 7, seed: Seed = 0, out: Out = FOLDER, cases: Cases = "*") -> None:
    """Every other method, on networks of many kinds."""
    _run(SUITES["peers"], budget, rounds, seed, out, cases)


@bench.command()
def pinn(budget: Budget = "10m", rounds: Rounds = 7, seed: Seed = 0, out: Out = FOLDER, cases: Cases = "*") -> None:
    """Training steps of PINNs, with as many points as they are trained with."""
    _run(SUITES["pinn"], budget, rounds, seed, out, cases)


@bench.command()
def waves(budget: Budget = "15m", rounds: Rounds = 7, seed: Seed = 0, out: Out = FOLDER, cases: Cases = "*") -> None:
    """Neural wave functions of 8, 16 and 32 electrons, against folx."""
    _run(SUITES["waves"], budget, rounds, seed, out, cases)


@bench.command(name="torch")
def in_torch(rounds: Rounds = 7, out: Out = FOLDER, cases: Cases = "*") -> None:
    """dof.torch beside the Hessian and nested autograd of PyTorch, by turns, each in a process of its own."""
    with told_plainly():
        try:
            from dof.bench.torch_races import run_races as in_turns
        except ModuleNotFoundError as error:
            raise DofError(f'`dof bench torch` needs {error.name}.\n  Fix: pip install "dof[torch]"') from None
        table = in_turns.run_races(matching(in_turns.RACES, cases), rounds)
        print_tables([table], Console())
        (folder(out) / "torch.md").write_text(table.in_markdown())


@bench.command()
def solvers(
    limit: Annotated[str, typer.Option(help="Training time of each solver on a problem, as 90s or 5m.")] = "5m",
    by_processor: Annotated[bool, typer.Option("--processor-time", help="For a machine with other work.")] = False,
    out: Out = FOLDER,
    cases: Cases = "*",
) -> None:
    """DeepXDE on examples of its own, beside dof.solve: error against time. Results of other problems are kept."""
    chosen = matching(RACES, cases, "problem")
    timing = Timing(seconds(limit), by_processor)
    with told_plainly():
        out = folder(out)
        with shown(len(chosen)) as on_progress:
            run_races_of_solvers(chosen, timing, out, on_progress)
        write_solvers(load_or_begin(out), out, Console())


@bench.command()
def theory(out: Out = FOLDER) -> None:
    """The theorems of the paper: how flops and memory grow, as XLA counts them."""
    with told_plainly():
        out = folder(out)
        with shown(len(SWEEPS)) as on_progress:
            sweeps = run_sweeps(on_progress)
        write_theory(sweeps, out, Console())


@bench.command()
def questions(out: Out = FOLDER) -> None:
    """One picture for what users ask, from the results of `pinn`, `waves` and `peers` in the folder."""
    with told_plainly():
        answered = plot_questions(out, out / "questions.png")
    Console().print(f"written: {out / 'questions.png'} ({'; '.join(answered)})", highlight=False, soft_wrap=True)


@bench.command()
def keep(out: Out = FOLDER) -> None:
    """All results of the folder as one file for this version, releases/VERSION.json, to compare later ones with."""
    with told_plainly():
        found = [load(path) for name in SUITES if (path := out / f"{name}.json").exists()]
        if not found:
            raise DofError(f"{str(out)!r} has no results.\n  Fix: dof bench pinn --out {out}")
        path = folder(out / "releases") / f"{dof.__version__}.json"
        save(merged(found), path)
    Console().print(f"written: {path}", highlight=False, soft_wrap=True)


@bench.command()
def compare(
    before: Annotated[Path, typer.Argument(help="Results of a run, or of a release, as JSON.")],
    after: Annotated[Path, typer.Argument(help="Results of a later run, as of another commit.")],
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 if anything got worse.")] = False,
) -> None:
    """What got slower, what got faster, what takes more memory."""
    with told_plainly():
        table, worse = compare_runs(load(before), load(after))
    console = Console()
    print_tables([table], console)
    for line in worse or ["nothing got worse"]:
        console.print(line, highlight=False)
    raise typer.Exit(1 if strict and worse else 0)


def _run(suite: Suite, budget: str, rounds: int, seed: int, out: Path, pattern: str) -> None:
    """Measure the cases of a suite whose names match the pattern, and write what was found to the folder `out`."""
    chosen = matching(suite.cases, pattern)
    time_left = seconds(budget)
    with told_plainly():
        out = folder(out)
        with shown(len(chosen)) as on_progress:
            picked = Suite(suite.name, chosen, suite.methods)
            run = run_suite(picked, time_left, seed, Limits(rounds=rounds), on_progress)
        write_run(run, out, Console())
