"""Training that starts from a solution: its weights, and what it found of the unknowns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jax

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.pde.problem import Problem
from dof.solving.networks import Network
from dof.solving.settings import Settings
from dof.solving.solutions.solution import Solution

SIZE = ("width", "depth", "activation")
"""Settings of a network by name."""


def with_weights(network: Network, start: Solution) -> Network:
    """The network with the weights of a solution; refuses those of another shape."""
    params = start.params
    own, wanted = (_shapes(tree) for tree in (params, jax.eval_shape(network.init, jax.random.key(0))))
    if own != wanted:
        found = f"has weights of shapes {own[0][:4]}, where the network has {wanted[0][:4]}"
        raise ArgumentError(
            describe("start", found, "a solution by the same network", "dof.solve(problem, start=solution)")
        )
    return Network(lambda key: params, network.apply)


def with_size_of(start: Any, problem: Problem, chosen: Settings, given: Mapping[str, Any], network: Any) -> Settings:
    """The settings, where no network is given with those of the start's, whose network is taken.

    Args:
        start: A solution.
        problem: What is to be solved.
        chosen: Its settings.
        given: Those of them that the user gave.
        network: What the user gave as the network.
    """
    _require_fitting(start, problem)
    if network is not None or chosen.network != "auto":
        return chosen
    own, made_by_size = start.training.settings, bool(start.training.objective.network.name)
    for name in SIZE:
        if name in given and made_by_size and given[name] != getattr(own, name):
            found = f"is {shown(given[name])}, and `start` has a network with {name}={getattr(own, name)!r}"
            fix = f"leave `{name}` out; without start= for a new network"
            raise ArgumentError(describe(name, found, "the network of `start`, whose weights are taken", fix))
    # Saved with the solution, so that `dof.load` makes the same network.
    return replace(chosen, network=own.network, **{name: getattr(own, name) for name in SIZE})


def _require_fitting(start: Any, problem: Problem) -> None:
    """Refuse what training cannot start from."""
    if not isinstance(start, Solution):
        windows = getattr(start, "windows", None)
        fix = "start=solution.windows[0], that of the first window" if windows else "start=dof.load(path, problem)"
        raise ArgumentTypeError(describe("start", f"is {shown(start)}", "a solution, of one window of time", fix))
    sizes = [(made.feature_count, made.equation.fields.count) for made in (start.problem, problem)]
    if sizes[0] != sizes[1]:
        said = [f"{features} features and {numbers} components" for features, numbers in sizes]
        found, fix = f"has a network of {said[0]}", "dof.solve(problem), without start="
        raise ArgumentError(describe("start", found, f"{said[1]}, as the problem has", fix))


def with_unknowns(problem: Problem, start: Solution) -> Problem:
    """The problem, whose unknowns start from what a solution found of the same names."""
    found = {name: value for name, value in start.unknowns.items() if name in problem.unknowns}
    return replace(problem, unknowns={**problem.unknowns, **found}) if found else problem


def _shapes(tree: Any) -> tuple[list[Any], Any]:
    leaves, structure = jax.tree.flatten(tree)
    return [leaf.shape for leaf in leaves], structure
