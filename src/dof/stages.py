"""A walk in stages: up to a cut, with its elements as coordinates to the next one, and so on to the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from dof.cut import Cut, Situation, cuts
from dof.exchange import exchange
from dof.graph import graph_of
from dof.program import Name, Program, Step
from dof.tangents import Tangents, has_tangents, in_frame
from dof.rows import uniform
from dof.triple import Triple, triple_or_constant
from dof.walk import Walk


class Stage(NamedTuple):
    """Steps, and after them the values of the cut, with the number of elements of each whose tangents are needed."""

    steps: list[Step]
    cut: dict[Name, int]
