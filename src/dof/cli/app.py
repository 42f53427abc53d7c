"""`dof solve`, `dof problems`, `dof zoo`, `dof bench …`."""

from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

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
app.command()(solve)
app.command()(problems)
app.command()(zoo)
