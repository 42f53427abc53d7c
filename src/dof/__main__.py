"""`python -m dof` is the command `dof`."""

from dof.cli import main

if __name__ == "__main__":
    main()
