"""What dof raises. Every message names the argument, what was found, what was expected, and a line that fixes it."""


class DofError(Exception):
    """Base of everything that dof raises on purpose."""


class ArgumentError(DofError, ValueError):
    """An argument has the wrong shape or value."""


class ArgumentTypeError(DofError, TypeError):
    """An argument has the wrong type."""


class NotDifferentiableError(DofError, TypeError):
    """The function applies a primitive that has no derivative to a value that depends on x."""


class NotEnoughMemoryError(DofError, MemoryError):
    """What was asked for does not fit into the memory that is free."""


class Diverged(DofError, ArithmeticError):
    """In training the loss is no longer a number, or has grown without bound."""


def describe(argument: str, found: str, expected: str, fix: str) -> str:
    """The one layout of all messages about arguments."""
    return f"`{argument}` {found}; expected {expected}.\n  Fix: {fix}"
