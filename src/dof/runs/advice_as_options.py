"""Settings as options of `dof solve`: `--edge-points 1000` for `edge_points=1000`."""

from __future__ import annotations

import re
from typing import Any

from dof.solving.settings import Settings

_SETTING = re.compile(rf"(?<![\w.\"'-])({'|'.join(Settings().as_dict())})=([^\s,;()]+)")
FIX = "  Fix: "


def option(name: str, value: Any) -> str:
    """A setting as an option."""
    dashed = name.replace("_", "-")
    return f"--{dashed if value else f'no-{dashed}'}" if isinstance(value, bool) else f"--{dashed} {value}"


def as_options(text: str) -> str:
    """Sentences in whose lines `Fix:` settings are options; arguments of calls stay as they are."""
    return "\n".join(_line_with_options(line) if line.startswith(FIX) else line for line in text.split("\n"))


def _line_with_options(line: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        before, (name, value) = line[: match.start()], match.groups()
        if before.count("(") > before.count(")"):
            return match[0]
        return option(name, {"True": True, "False": False}.get(value, value.strip("'\"")))

    return _SETTING.sub(replaced, line)
