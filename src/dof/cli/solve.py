"""`dof solve` and `dof problems`: their options."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import jax
import typer
from rich.console import Console

from dof.cli.mesh_of_devices import mesh_of
from dof.cli.plain_errors import told_plainly
from dof.cli.run_solve import RUNS, run_both_methods, run_training
from dof.errors import ArgumentError, describe
from dof.solving.networks import ACTIVATIONS, NETWORKS
from dof.solving.setting_checks import METHODS, SECOND
from dof.solving.settings import Settings
from dof.text_table import TextTable, print_tables
from dof.zoo import ZOO, problem_named, title_of


def _setting(name: str, text: str) -> Any:
    """The option of a setting, with its default in `--help`; a problem's recipe may have another."""
    usual = getattr(Settings(), name)
    shown = "by parameters" if usual is None else ("off", "on")[usual] if isinstance(usual, bool) else usual
    # In the text: Typer puts a default that is not the option's own into brackets, on a line of its own.
    return typer.Option(help=f"{text} \\[default: {shown}]", show_default=False)


def _or(names: Iterable[str]) -> str:
    """Names as in a sentence: a, b or c."""
    *others, last = names
    return f"{', '.join(others)} or {last}"


def problems() -> None:
    """The zoo: problems whose solution is known."""
    table = TextTable("dof solve NAME", ["name", "coordinates", "what it is"], text_columns=3)
    for name in ZOO:
        coordinates = problem_named(name).equation.coordinates
        table.rows.append([name, str(coordinates), title_of(name)])
    print_tables([table], Console())


def solve(
    problem: Annotated[
        str | None, typer.Argument(help="A name of `dof problems`, a file.py with a `problem`, or file.py:name.")
    ] = None,
    network: Annotated[str | None, _setting("network", f"{_or(NETWORKS)}; auto: the problem's own.")] = None,
    width: Annotated[int | None, _setting("width", "Units in each of its layers.")] = None,
    depth: Annotated[int | None, _setting("depth", "Hidden layers.")] = None,
    activation: Annotated[str | None, _setting("activation", f"{_or(ACTIVATIONS)}.")] = None,
    windows: Annotated[int | None, _setting("windows", "Windows of time, solved one after the other.")] = None,
    points: Annotated[int | None, _setting("points", "Points inside of the domain.")] = None,
    edge_points: Annotated[int | None, _setting("edge_points", "Points for each condition that is not hard.")] = None,
    adam: Annotated[int | None, _setting("adam", "Steps of Adam, first.")] = None,
    newton: Annotated[int | None, _setting("newton", "Steps of the second optimiser, after them.")] = None,
    optimiser: Annotated[str | None, _setting("optimiser", f"The second one: {' or '.join(SECOND)}.")] = None,
    rate: Annotated[float | None, _setting("rate", "Learning rate of Adam, at its start.")] = None,
    report: Annotated[int | None, _setting("report", "Steps between two reports.")] = None,
    seed: Annotated[int | None, _setting("seed", "Seed of weights and points.")] = None,
    method: Annotated[
        str | None,
        _setting("method", f"How derivatives are computed: {' or '.join(METHODS)}."),
    ] = None,
    resample: Annotated[bool | None, _setting("resample", "New points after each report.")] = None,
    chebyshev: Annotated[bool | None, _setting("chebyshev", "More points towards the ends of coordinates.")] = None,
    adaptive: Annotated[bool | None, _setting("adaptive", "More points where the residual is large.")] = None,
    balance: Annotated[bool | None, _setting("balance", "Weights of the terms that balance themselves.")] = None,
    causal: Annotated[float | None, _setting("causal", "How strictly earlier times come first; 0 for not.")] = None,
    residual_gradient: Annotated[
        float | None,
        _setting("residual_gradient", "Weight of the residual's gradient in the loss; 0 for none."),
    ] = None,
    error_points: Annotated[
        int | None,
        _setting("error_points", "Points for the error and the fresh residual."),
    ] = None,
    tolerance: Annotated[float | None, _setting("tolerance", "End at this residual on fresh points.")] = None,
    patience: Annotated[
        int | None,
        _setting("patience", "End after so many reports without a smaller one."),
    ] = None,
    devices: Annotated[
        int | None, typer.Option(help="Over so many devices; by default one, in several processes all.")
    ] = None,
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
        _require_no_race(race, problem, settings, devices)
        if race:
            run_both_methods(str(problem), settings, out, json_)
        else:
            run_training(str(problem), settings, out, resume_, json_, mesh_of(devices))


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


def _require_no_race(race: bool, problem: str | None, settings: dict[str, Any], devices: int | None) -> None:
    """Refuse a race with what it decides by itself, and with windows, which it does not divide time into."""
    given = {"--method": settings.get("method"), "--windows": settings.get("windows"), "--devices": devices}
    others = [option for option, value in given.items() if value]
    if race and others:
        found = f"comes with {' and '.join(others)}"
        raise ArgumentError(describe("race", found, "one of them", f"dof solve {problem} --race"))
