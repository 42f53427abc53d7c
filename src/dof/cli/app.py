"""`dof bench …`"""

import typer

from dof.cli.bench import bench

app = typer.Typer(
    help="Exact second-order differential operators of neural networks, by one forward propagation.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(bench, name="bench")


@app.callback()
def _root() -> None:
    """So that `dof bench` stays a command of its own, also while it is the only one."""
