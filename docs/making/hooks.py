"""MkDocs calls `on_page_markdown` for each page; `<!-- made: … -->` marks what is made when the site is built."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from docs.making import primitives


def command_line() -> str:
    """The options of the command `dof`, as Typer describes them."""
    command = [sys.executable, "-m", "typer", "dof.cli.app", "utils", "docs", "--name", "dof"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return text.split("\n", 1)[1]


MADE = {"primitives": primitives.table, "command line": command_line}


def on_page_markdown(markdown: str, **_: Any) -> str:
    return re.sub(r"<!-- made: (.+?) -->", lambda found: MADE[found[1]](), markdown)
