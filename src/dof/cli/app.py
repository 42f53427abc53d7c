"""`dof solve`, `dof problems`, `dof zoo`, `dof bench …`."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

import dof
from dof.cli.solve import problems, solve
from dof.cli.zoo import zoo

BENCH = "bench"


class Commands(TyperGroup):
    """The commands, of which `bench` is imported only when it is asked for: solving does not need the benchmark."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands, as `dof --help` shows them."""
        return [*super().list_commands(ctx), BENCH]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name; None if there is none."""
        if cmd_name != BENCH:
            return super().get_command(ctx, cmd_name)
        from dof.cli.bench import bench

        command = get_group(bench)
        command.name = BENCH
        return command


app = typer.Typer(
    cls=Commands,
    help="Exact differential operators of neural networks, by one forward propagation.",
    no_args_is_help=True,
    # With --debug the plain traceback is shown.
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _say_version(is_asked: bool | None) -> None:
    if is_asked:
        print(f"dof {dof.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool | None, typer.Option("--version", is_eager=True, callback=_say_version, help="Say which version this is.")
    ] = None,
) -> None:
    """What is common to all commands; their text is that of `app`."""


app.command()(solve)
app.command()(problems)
app.command()(zoo)
