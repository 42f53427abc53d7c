"""Draws the layers of the package from its imports, and numbers the way of a value in the order of real calls.

python -m docs.making.layers writes docs/explanation/layers.svg.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/dof"
DRAWING = ROOT / "docs/explanation/layers.svg"

ROW, BOX, HEIGHT, LEFT, RIGHT = 66, 92, 30, 30, 1120
COLUMN, WIDTH, STEP = 1170, 1780, 38
"""Where the list of the way begins, where the drawing ends, and how far apart entries are."""
FOLDERS, ON_THE_WAY, BESIDE = "#e8d8b9", "#cfe5ea", "#f1f1ef"


def unit_of(path: Path) -> str:
    """What is drawn as one box: a module of the package, or a folder with all that is in it."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports() -> dict[str, set[str]]:
    """Which units each unit imports, anywhere in its files."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        unit = unit_of(path)
        if not unit.startswith("__"):
            found.setdefault(unit, set()).update(_imported(path) - {unit})
    return found


def _imported(path: Path) -> set[str]:
    units = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dof."):
            units.add(node.module.split(".")[1])
        elif isinstance(node, ast.ImportFrom) and node.module == "dof":
            units.update(*(_named(alias.name) for alias in node.names))
        elif isinstance(node, ast.Import) and any(alias.name == "dof" for alias in node.names):
            units |= _public()
    return units


def _named(name: str) -> set[str]:
    """`from dof import name`: a unit, or something that the package itself imports from its units."""
    return {name} if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists() else _public()


@cache
def _public() -> set[str]:
    """The units that `import dof` imports at once."""
    top = ast.parse((PACKAGE / "__init__.py").read_text()).body
    return {
        node.module.split(".")[1] for node in top if isinstance(node, ast.ImportFrom) and "." in (node.module or "")
    }


def levels(graph: dict[str, set[str]]) -> dict[str, int]:
    """How many units are below each, one under the other; imports in a circle are an error."""
    above: list[str] = []

    @cache
    def level(unit: str) -> int:
        if unit in above:
            raise ValueError(f"imports in a circle: {' → '.join([*above, unit])}")
        above.append(unit)
        found = 1 + max(map(level, graph[unit]), default=-1)
        above.pop()
        return found

    return {unit: level(unit) for unit in graph}


def without_detours(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The imports that do not follow from others: what is imported by something imported is not drawn again."""

    @cache
    def below(unit: str) -> frozenset[str]:
        return frozenset(graph[unit]).union(*map(below, graph[unit]))

    return {unit: {t for t in ts if not any(t in below(o) for o in ts)} for unit, ts in graph.items()}


def way_of_a_value() -> list[str]:
    """The units that compute L f(x), in the order in which they are first entered."""
    import jax.numpy as jnp
    import numpy as np

    import dof

    def compute() -> Any:
        L = dof.Operator(a=np.array([1.0, 1.0, -1.0]), b=lambda x: -x, c=2.0)
        return L(lambda x: jnp.sum(jnp.tanh(jnp.ones((8, 3)) @ x)))(jnp.ones(3))

    return _entered(compute)


def _entered(compute: Callable[[], Any]) -> list[str]:
    entered: dict[str, None] = {}

    def watch(frame: Any, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE):
            entered.setdefault(unit_of(path))

    sys.setprofile(watch)
    try:
        compute()
    finally:
        sys.setprofile(None)
    return list(entered)


def headline(unit: str) -> str:
    """The first sentence of a unit's docstring."""
    path = PACKAGE / unit / "__init__.py" if (PACKAGE / unit).is_dir() else PACKAGE / f"{unit}.py"
    return " ".join((ast.get_docstring(ast.parse(path.read_text())) or "").split("\n\n")[0].split())


def places(graph: dict[str, set[str]]) -> dict[str, tuple[float, float]]:
    """The centre of each box: a row for each level, and each box below what imports it where there is room."""
    rows: dict[int, list[str]] = {}
    for unit, level in levels(graph).items():
        rows.setdefault(level, []).append(unit)
    top, middle = max(rows), (LEFT + RIGHT) / 2
    at: dict[str, tuple[float, float]] = {}
    for level in sorted(rows, reverse=True):
        importers = {u: [at[o][0] for o in at if u in graph[o]] or [middle] for u in rows[level]}
        units = sorted(rows[level], key=lambda u: sum(importers[u]) / len(importers[u]))
        apart = min(150, (RIGHT - LEFT) / len(units))
        start = middle - (len(units) - 1) * apart / 2
        at |= {u: (start + n * apart, 40 + (top - level) * ROW) for n, u in enumerate(units)}
    return at


def draw(graph: dict[str, set[str]], way: list[str]) -> str:
    """The drawing as a text of SVG."""
    direct = without_detours(graph)
    at = places(direct)
    height = max(STEP * len(way) + 60, *(y + 40 for _, y in at.values()))
    lines = [_line(at[unit], at[target]) for unit in direct for target in sorted(direct[unit])]
    boxes = [_box(unit, *at[unit], way) for unit in at]
    listed = [_entry(n, unit) for n, unit in enumerate(way)]
    return "\n".join([_head(WIDTH, height), *lines, *boxes, *_captions(), *listed, "</svg>\n"])


def _head(width: float, height: float) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" font-size="12" '
        f'font-family="Helvetica, Arial, sans-serif"><rect width="100%" height="100%" fill="white"/>'
    )


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (u, v) = start, end
    y, v = y + HEIGHT / 2, v - HEIGHT / 2
    bend = (v - y) / 2
    return (
        f'<path d="M{x:g} {y:g} C{x:g} {y + bend:g} {u:g} {v - bend:g} {u:g} {v:g}" fill="none" '
        f'stroke="#888" stroke-opacity="0.45"/>'
    )


def _box(unit: str, x: float, y: float, way: list[str]) -> str:
    fill = ON_THE_WAY if unit in way else FOLDERS if (PACKAGE / unit).is_dir() else BESIDE
    number = _number(way.index(unit), x - BOX / 2 + 2, y - HEIGHT / 2) if unit in way else ""
    return (
        f"<g><title>{escape(headline(unit))}</title>"
        f'<rect x="{x - BOX / 2:g}" y="{y - HEIGHT / 2:g}" width="{BOX}" height="{HEIGHT}" rx="4" fill="{fill}" '
        f'stroke="#777"/><text x="{x:g}" y="{y + 4:g}" text-anchor="middle">{unit}</text>{number}</g>'
    )


def _number(n: int, x: float, y: float) -> str:
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="9" fill="#1f6f8b"/>'
        f'<text x="{x:g}" y="{y + 3.5:g}" text-anchor="middle" font-size="10" fill="white">{n + 1}</text>'
    )


def _captions() -> list[str]:
    return [
        f'<text x="{COLUMN}" y="30" font-size="15">The way of a value, in the order of calls</text>',
        f'<text x="{LEFT}" y="30" font-size="15">A line is an import: downwards only</text>',
    ]


def _entry(n: int, unit: str) -> str:
    y = 60 + STEP * n
    return (
        f'{_number(n, COLUMN + 9, y - 4)}<text x="{COLUMN + 26}" y="{y}" font-weight="bold">{unit}</text>'
        f'<text x="{COLUMN + 26}" y="{y + 14}" fill="#555" font-size="10">{escape(headline(unit))}</text>'
    )


if __name__ == "__main__":
    DRAWING.write_text(draw(imports(), way_of_a_value()))
