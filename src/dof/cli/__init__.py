"""The command `dof`, which needs packages that are not installed with the library alone."""

import sys


def main() -> None:
    """Run the command, or say what to install for it."""
    try:
        from dof.cli.app import app
    except ModuleNotFoundError as error:
        print(f'The command `dof` needs {error.name}. Install it with:  pip install "dof[cli]"', file=sys.stderr)
        sys.exit(2)
    # Importing takes seconds; once a command runs, it has its own word for an interrupt.
    except KeyboardInterrupt:
        sys.exit(130)
    app()
