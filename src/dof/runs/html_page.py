"""One page of HTML that stands alone: what was solved, how well, how, and what it looks like."""

from __future__ import annotations

import re
from base64 import b64encode
from html import escape
from string import Template
from typing import Any, NamedTuple

from dof.runs.advice_as_options import as_options

HARD = " (hard)"
"""After the name of a condition that holds by construction."""
PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>$name · dof</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 980px; margin: 2.5rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; margin: 0; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
p.sub { color: #666; margin: .2rem 0 1.6rem; } img { max-width: 100%; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.6rem, 1fr)); gap: .8rem; }
.card { background: #f3f6f7; border-radius: 8px; padding: .7rem 1rem; overflow-wrap: anywhere; }
.card b { display: block; font-size: 1.35rem; color: #1f6f8b; } .card span { color: #666; font-size: .85rem; }
table { border-collapse: collapse; font-size: .9rem; } td, th { padding: .2rem 1.2rem .2rem 0; text-align: left; }
td { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
code { background: #f3f6f7; padding: .1rem .35rem; border-radius: 4px; }
.quality { border-left: 6px solid; padding: .5rem .9rem; font-weight: 600; }
.grade0, .grade1 { border-color: #2e7d4f; background: #eaf5ee; } .grade2 { border-color: #d9a400; background: #fdf6de; }
.grade3, .grade4, .advice { border-color: #b3261e; background: #fbeae9; } .advice { padding: .5rem .9rem; }
.command { display: block; overflow-wrap: anywhere; padding: .5rem .7rem; }
.figure { overflow-x: auto; } .advice span { white-space: pre-wrap; }
.residuals { margin-top: 1rem; } summary { cursor: pointer; color: #666; }
pre { background: #f3f6f7; border-radius: 4px; padding: .7rem 1rem; overflow-x: auto; font-size: .85rem; }
@media (max-width: 600px) { body { margin: 1rem auto; } .figure img { max-width: none; width: 640px; } }
.columns { display: flex; flex-wrap: wrap; gap: 3rem; align-items: flex-start; }
</style></head><body>
<h1>$name</h1><p class="sub">$about</p>
<p class="quality grade$rank">$quality</p>$advice
<div class="cards">$cards</div>
<table class="residuals">
<tr><th>residual, relative to its terms</th><th>on fresh points</th><th>at fitted points</th></tr>
$residuals</table>
$figures
<h2>How</h2><p>$plan.</p>
<div class="columns"><table>$settings</table><table>$machine</table></div>
<h2>Again</h2><p><code class="command">$command</code></p>
<p>In Python: <code>dof.load($folder)</code></p>$code
</body></html>
""")


class Shown(NamedTuple):
    """What the page says beside the results.

    Attributes:
        name: Of the problem.
        title: What the problem is.
        command: What to type for the same run.
        folder: Of the run.
        code: The problem as Python, or its equation; "" where it is not known.
    """

    name: str
    title: str
    command: str
    folder: str
    code: str


def page(shown: Shown, summary: dict[str, Any], figures: dict[str, bytes]) -> str:
    """The page.

    Args:
        shown: What was solved.
        summary: Of the run, as in summary.json.
        figures: PNG files by their headings.
    """
    date = summary["date"].replace("T", " ").replace("+00:00", " UTC")
    about = [*([shown.title] if shown.title != shown.name else []), *summary["conditions"], date]
    return PAGE.substitute(
        name=escape(shown.name),
        about=escape(" · ".join(about)),
        rank=summary["grade"],
        quality=_with_code(summary["quality"]),
        advice="".join(map(_advice, summary["advice"])),
        cards="".join(
            f'<div class="card"><b>{escape(value)}</b><span>{escape(label)}</span></div>'
            for label, value in cards(summary)
        ),
        residuals="".join(_residual_rows(summary)),
        figures="".join(map(_figure, figures.items())),
        plan=escape(f"One propagation for all derivatives: {summary['plan']}"),
        settings=_rows(summary["settings"]),
        machine=_rows(_readable(summary["machine"]) | summary["versions"]),
        command=escape(shown.command),
        folder=escape(repr(shown.folder)),
        code=shown.code and f"<details><summary>The problem</summary><pre>{escape(shown.code)}</pre></details>",
    )


def cards(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Labels and values that stand at the top: error, unknowns, residuals, times, steps, parameters."""
    error = summary["error"]
    found = [] if error is None else [("relative error", f"{error:.2g}")]
    for name, value in summary["unknowns"].items():
        known = summary["truth"].get(name)
        label = f"{name} (true: {numbers(known)})" if known is not None else name
        found.append((label, numbers(value)))
    return [
        *found,
        ("residual on fresh points", f"{summary['residual']:.2g}"),
        ("on fitted points", f"{summary['fitted']:.2g}"),
        ("steps alone", f"{summary['seconds']:.1f} s"),
        ("with compilation", f"{summary['total_seconds']:.1f} s"),
        ("steps", f"{summary['steps']:,}"),
        *_kept_step(summary),
        ("parameters", f"{summary['parameters']:,}"),
    ]


def _kept_step(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """After which step the state was that the solution is; in windows of time each has its own."""
    return [("kept is the state of step", f"{summary['best_step']:,}")] if summary["settings"]["windows"] == 1 else []


def _residual_rows(summary: dict[str, Any]) -> list[str]:
    """A row for each term of the loss, then the conditions that hold by construction."""
    fitted = summary["fitted_residuals"]
    each = {name: (f"{fresh:.1e}", f"{fitted[name]:.1e}") for name, fresh in summary["residuals"].items()}
    each |= {name: ("points are given", each[name][1]) for name in summary["given_points"]}
    each |= {name: ("0", "by construction") for name in summary["conditions"] if name.endswith(HARD)}
    cells = lambda texts: "".join(f"<td>{escape(text)}</td>" for text in texts)  # noqa: E731
    return [f"<tr><th>{escape(name)}</th>{cells(texts)}</tr>" for name, texts in each.items()]


def _advice(sentence: str) -> str:
    """A sentence, and on a line of its own what mends it, as options of the command."""
    return f'<p class="advice"><span>{_with_code(as_options(sentence))}</span></p>'


def _readable(machine: dict[str, Any]) -> dict[str, Any]:
    """The facts of the machine, with memory in MB."""
    rest = {name: value for name, value in machine.items() if name != "memory_bytes"}
    return rest | {"memory": f"{machine['memory_bytes'] / 1e6:,.0f} MB"}


def numbers(value: Any) -> str:
    """A number, or a list of them, with few digits."""
    return ", ".join(f"{v:.5g}" for v in value) if isinstance(value, list) else f"{value:.6g}"


def _with_code(sentence: str) -> str:
    """A sentence whose words in backticks are code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(sentence))


def _figure(item: tuple[str, bytes]) -> str:
    heading, data = item
    source = f"data:image/png;base64,{b64encode(data).decode()}"
    return f'<h2>{escape(heading)}</h2><div class="figure"><img alt="{escape(heading)}" src="{source}"></div>\n'


def _rows(values: dict[str, Any]) -> str:
    return "".join(f"<tr><th>{escape(str(k))}</th><td>{escape(str(v))}</td></tr>" for k, v in values.items())
