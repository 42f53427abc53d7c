"""How much memory a point takes: forwards, for a gradient, and what all points share."""

from __future__ import annotations

from typing import Any

from dof.jax_compat import Closed, inner_programs, parts, program_of, scan_counts
from dof.jaxpr.dependence import varying_reads
from dof.jaxpr.program import as_program, last_uses
from dof.jaxpr.registry import record_of, size_of

FUSED_FAMILIES = ("indexing", "constant", "reduction", "piecewise linear")
"""Families of primitives that XLA fuses with what is around them, besides those that are elementwise."""


def live_bytes(jaxpr: Closed, varies: list[bool]) -> int:
    """The most bytes that are alive at once of the values of one point.

    Args:
        jaxpr: the program of one point.
        varies: which of its arguments differ from point to point; what is the same for all does not count.
    """
    program = as_program(jaxpr)
    depends = {v for v, flag in zip(program.inputs, varies, strict=True) if flag}
    last_use = last_uses(program.steps, program.output_names)
    alive, most = {v: _bytes(v) for v in depends}, 0
    for n, step in enumerate(program.steps):
        flags = varying_reads(step.reads, depends)
        if any(flags):
            depends.update(step.writes)
            alive.update((v, _bytes(v)) for v in step.writes)
            inside = max((_live_inside(p, flags) for p in inner_programs(step.eqn.params)), default=0)
            most = max(most, sum(alive.values()) + inside)
        # XLA frees a buffer after its last use; a result that is never read is freed at once.
        for v in [v for v in alive if last_use.get(v, n) <= n]:
            del alive[v]
    return most


def stored_bytes(jaxpr: Closed, varies: list[bool], trained: int) -> int:
    """Bytes that a gradient in the first `trained` arguments keeps of one point.

    XLA computes what elementwise steps, sums and changes of shape give anew in the backward pass. What it keeps are the
    operands and results of the steps between them, matrix products above all, that depend on the point and on these
    arguments. For networks of 64 to 256 neurons, operators of order two to four and 2 to 100 inputs, that is 0.8 to
    0.85 of the memory that it then takes.
    """
    learned = [n < trained for n in range(len(varies))]
    # A block takes as much as its values in the forward pass at any rate.
    return max(_stored(jaxpr, varies, learned), live_bytes(jaxpr, varies))


def _stored(jaxpr: Closed, varies: list[bool], learned: list[bool]) -> int:
    """Bytes of what is kept, of arguments that vary from point to point and arguments that depend on the parameters."""
    program = as_program(jaxpr)
    of_point, of_parameters = (
        {v for v, flag in zip(program.inputs, flags, strict=True) if flag} for flags in (varies, learned)
    )
    stored: dict[Any, int] = {}
    for n, step in enumerate(program.steps):
        own, from_learned = varying_reads(step.reads, of_point), varying_reads(step.reads, of_parameters)
        if any(own) and any(from_learned) and not _is_fused(step.eqn):
            stored.update((v, _bytes(v)) for v, flag in zip(step.reads, own, strict=True) if flag)
            stored.update((v, _bytes(v)) for v in step.writes)
            stored[n] = _stored_in_turns(step.eqn, own, from_learned)
        of_point.update(step.writes if any(own) else ())
        of_parameters.update(step.writes if any(from_learned) else ())
    return sum(stored.values())


def _stored_in_turns(eqn: Any, varies: list[bool], learned: list[bool]) -> int:
    """Bytes that all turns of a scan keep; zero for another equation."""
    if eqn.primitive.name != "scan":
        return 0
    consts, carried = scan_counts(eqn.params)
    carries = range(consts, consts + carried)
    # What a carry starts with may be a constant; after a turn it depends on everything.
    varies, learned = ([flag or n in carries for n, flag in enumerate(flags)] for flags in (varies, learned))
    return eqn.params["length"] * _stored(program_of(eqn.params), varies, learned)


def _is_fused(eqn: Any) -> bool:
    """Whether XLA fuses an equation with what is around it, so that its result need not be kept."""
    record = record_of(eqn.primitive)
    inner = inner_programs(eqn.params)
    if inner:
        return eqn.primitive.name not in ("scan", "while") and all(all(map(_is_fused, parts(p)[0].eqns)) for p in inner)
    return record is not None and (record.is_elementwise or record.family in FUSED_FAMILIES or bool(record.summed_axes))


def shared_bytes(jaxpr: Closed, varies: list[bool]) -> int:
    """Bytes of what is the same for all points: arguments and constants."""
    program, _ = parts(jaxpr)
    arguments = [v for v, flag in zip(program.invars, varies, strict=True) if not flag]
    return sum(map(_bytes, [*arguments, *program.constvars]))


def _live_inside(jaxpr: Closed, flags: list[bool]) -> int:
    """Live bytes of an inner program; all its arguments count if they do not match those of the equation."""
    count = len(parts(jaxpr)[0].invars)
    return live_bytes(jaxpr, flags if len(flags) == count else [True] * count)


def _bytes(variable: Any) -> int:
    return size_of(variable) * getattr(variable.aval.dtype, "itemsize", 0)
