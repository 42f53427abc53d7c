"""Problems with a known solution, by name: `dof problems` lists them, `dof solve NAME` solves one.

`ZOO` has for each name the function that makes the problem.

Examples:
    >>> from dof.zoo import ZOO
    >>> ZOO["klein-gordon"]().name
    'klein_gordon'
"""

from dof.zoo.catalogue import ZOO, problem_named, title_of

__all__ = ["ZOO", "problem_named", "title_of"]
