"""MkDocs calls these; `<!-- made: … -->` and `<!-- example: … -->` mark what is made when the site is built."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parents[2]))

from docs.making import typeset


def command_line() -> str:
    """The options of the command `dof`, as Typer describes them."""
    command = [sys.executable, "-m", "typer", "dof.cli.app", "utils", "docs", "--name", "dof"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return text.split("\n", 1)[1]


def example(name: str) -> str:
    """The code of an example, as a block of Python without its docstring, which the page says in its own words."""
    text = (Path(__file__).parents[2] / "examples" / f"{name}.py").read_text()
    return f"```python\n{text.split(DOCSTRING_END, 1)[1].strip()}\n```"


DOCSTRING_END = '"""\n'
MADE = {"command line": command_line}


def on_config(config: Any) -> Any:
    """Code blocks of the language `math` are formulas. Not in mkdocs.yml, which is read before this folder is found."""
    config.mdx_configs.setdefault("pymdownx.superfences", {})["custom_fences"] = [typeset.fence()]
    return config


def on_files(files: Any, config: Any) -> Any:
    """The font of formulas is part of the site."""
    files.append(File.generated(config, "assets/mathematics.ttf", abs_src_path=str(typeset.FONT)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    markdown = re.sub(r"<!-- example: (.+?) -->", lambda found: example(found[1]), markdown)
    return re.sub(r"<!-- made: (.+?) -->", lambda found: MADE[found[1]](), markdown)
