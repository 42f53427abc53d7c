"""Training that starts from a solution: its weights, and what it found of the unknowns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.pde.problem import Problem
from dof.solving.networks import Network
from dof.solving.solutions.solution import Solution


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


def require_solution(start: Any) -> None:
    """Refuse what training cannot start from."""
    if not isinstance(start, Solution):
        raise ArgumentTypeError(describe("start", f"is {shown(start)}", "a solution", "start=dof.solve(problem)"))


def with_unknowns(problem: Problem, start: Solution) -> Problem:
    """The problem, whose unknowns start from what a solution found of the same names."""
    require_solution(start)
    found = {name: value for name, value in start.unknowns.items() if name in problem.unknowns}
    return replace(problem, unknowns={**problem.unknowns, **found}) if found else problem


def _shapes(tree: Any) -> tuple[list[Any], Any]:
    leaves, structure = jax.tree.flatten(tree)
    return [leaf.shape for leaf in leaves], structure
