"""`dof solve`, `dof problems`, `dof zoo`, `dof bench …`"""

import typer

from dof.cli.bench import bench
from dof.cli.solve import problems, solve
from dof.cli.zoo import zoo

app = typer.Typer(
    help="Exact second-order differential operators of neural networks, by one forward propagation.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(solve)
app.command()(problems)
app.command()(zoo)
app.add_typer(bench, name="bench")
