"""`dof solve` and `dof problems`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import jax
import typer
from rich.console import Console

from dof.cli.option_values import free_folder
from dof.cli.plain_errors import told_plainly
from dof.cli.training_progress import ProgressLine
from dof.errors import ArgumentError, describe
from dof.runs.hessian_race import race as run_race
from dof.runs.problem_source import load_problem
from dof.runs.report_files import write_race, write_report
from dof.runs.training_run import TrainingRun, begin, resume, train
from dof.solving.settings import METHODS, SECOND, Settings, settings_of
from dof.text_table import TextTable, print_tables
from dof.zoo import ZOO, problem_named, title_of

RUNS = Path("dof-runs")
"""Where runs are written if `--out` does not say."""


def problems() -> None:
    """The zoo: problems whose solution is known."""
    table = TextTable("dof solve NAME", ["name", "coordinates", "what it is"], text_columns=3)
    for name in ZOO:
        coordinates = problem_named(name).equation.coordinates
        table.rows.append([name, str(coordinates), title_of(name)])
    print_tables([table], Console())


def solve(
    problem: Annotated[
        str | None, typer.Argument(help="A name of `dof problems`, or a file.py with a `problem`.")
    ] = None,
    network: Annotated[str | None, typer.Option(help="mlp, fourier or separable.")] = None,
    width: Annotated[int | None, typer.Option(help="Units in each of its layers.")] = None,
    depth: Annotated[int | None, typer.Option(help="Hidden layers.")] = None,
    points: Annotated[int | None, typer.Option(help="Points inside of the domain.")] = None,
    edge_points: Annotated[int | None, typer.Option(help="Points for each condition that is not hard.")] = None,
    adam: Annotated[int | None, typer.Option(help="Steps of Adam, first.")] = None,
    newton: Annotated[int | None, typer.Option(help="Steps of the second optimiser, after them.")] = None,
    optimiser: Annotated[str | None, typer.Option(help=f"The second one: {' or '.join(SECOND)}.")] = None,
    rate: Annotated[float | None, typer.Option(help="Learning rate of Adam, at its start.")] = None,
    report: Annotated[int | None, typer.Option(help="Steps between two reports.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of weights and points.")] = None,
    method: Annotated[str | None, typer.Option(help=f"How derivatives are computed: {' or '.join(METHODS)}.")] = None,
    resample: Annotated[bool | None, typer.Option(help="New points after each report.")] = None,
    adaptive: Annotated[bool | None, typer.Option(help="More points where the residual is large.")] = None,
    balance: Annotated[bool | None, typer.Option(help="Weights of the terms that balance themselves.")] = None,
    causal: Annotated[float | None, typer.Option(help="How strictly earlier times come first; 0 for not.")] = None,
    error_points: Annotated[int | None, typer.Option(help="Points for the error against the reference.")] = None,
    out: Annotated[Path | None, typer.Option(help=f"Folder of the run; by default one in {RUNS}/.")] = None,
    resume_: Annotated[Path | None, typer.Option("--resume", help="Go on with the run in this folder.")] = None,
    race: Annotated[bool, typer.Option("--race", help="The same steps by dof and by Hessians, in turn.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Reports as JSON lines.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Errors with their traceback.")] = False,
) -> None:
    """Solve a PDE by training a network, and report on it. What is not given is as the problem's recipe has it."""
    # Options have the names of the settings, so that no list of them is needed. None is what was not given: the recipe
    # decides.
    names = Settings().as_dict()
    settings = {name: value for name, value in locals().items() if name in names and value is not None}
    with told_plainly(debug):
        # For the whole process, before the user's file is loaded: arrays that it makes are in float64 too.
        jax.config.update("jax_enable_x64", True)
        _require_consistent(problem, settings, out, resume_, race)
        if race:
            _race(str(problem), settings, out, json_)
        else:
            run = resume(resume_) if resume_ else begin(str(problem), settings, out or _folder_for(str(problem)))
            _solve(run, json_)


def _require_consistent(
    problem: str | None, settings: dict[str, Any], out: Path | None, resumed: Path | None, race: bool
) -> None:
    """Refuse options that exclude each other."""
    given = [f"--{name.replace('_', '-')}" for name in settings]
    if resumed is None and problem is None:
        raise ArgumentError(describe("problem", "is missing", "a name or a file.py", "dof solve heat"))
    if resumed is not None and (problem or given or out or race):
        also = [*([problem] if problem else []), *given, *(["--out"] if out else []), *(["--race"] if race else [])]
        found, fix = f"comes with {', '.join(also)}", f"dof solve --resume {resumed}"
        raise ArgumentError(describe("resume", found, "nothing else: a run goes on as it began", fix))
    if race and "method" in settings:
        raise ArgumentError(describe("race", "comes with --method", "one of them", f"dof solve {problem} --race"))


def _folder_for(problem: str) -> Path:
    return free_folder(RUNS / Path(problem).stem)


def _solve(run: TrainingRun, as_json: bool) -> None:
    """Train a run to its end, write its report, and say how it went."""
    with ProgressLine(run.source, run.training.settings, as_json) as line:
        try:
            run = train(run, line.report)
        except KeyboardInterrupt:
            line.stop(f"Interrupted. To go on: dof solve --resume {run.folder.path}")
            raise typer.Exit(130) from None
    write_report(run)
    if as_json:
        print(json.dumps({"summary": run.summary, "folder": str(run.folder.path)}))
        return
    _conclude(run)


def _conclude(run: TrainingRun) -> None:
    console = Console()
    solution = run.solution
    error = "" if solution.error is None else f"relative error {solution.error:.2g}, "
    last = run.reports[-1]
    console.print(
        f"{run.source}: {error}loss {last.loss:.2g}, {last.step} steps in {last.seconds:.1f} s", highlight=False
    )
    for name, value in last.unknowns.items():
        true = run.training.problem.truth.get(name)
        console.print(f"{name} = {value}" + ("" if true is None else f" (true: {true})"), highlight=False)
    console.print(f"written: {run.folder.path / 'report.html'}", highlight=False, soft_wrap=True)


def _race(problem: str, settings: dict[str, Any], out: Path | None, as_json: bool) -> None:
    """Train by both methods, and say which was faster."""
    path = out or _folder_for(f"{Path(problem).stem}-race")
    path.mkdir(parents=True, exist_ok=True)
    chosen = settings_of(load_problem(problem), settings)
    with ProgressLine(problem, chosen, as_json) as line:
        done = run_race(problem, settings, line.of_race)
    write_race(done, path)
    if as_json:
        print(json.dumps({"ratio": done.ratio, "folder": str(path)}))
        return
    each = ", ".join(f"{m} {r[-1].seconds:.2f} s" for m, r in done.reports.items())
    Console().print(f"{problem}: {chosen.steps} steps: {each}; dof is {done.ratio:.2f}× as fast", highlight=False)
    Console().print(f"written: {path / 'race.png'}", highlight=False, soft_wrap=True)
