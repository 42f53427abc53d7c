"""What is not public in JAX, or differs between its releases; tests/test_jax_contracts.py pins what rules read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence, Set
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import jax
import jax.extend.core as jex
import numpy as np
from jax import experimental, lax
from jax.core import Tracer, eval_jaxpr
from jax.core import eval_context as eval_context
from jax.extend import source_info_util
from jax.extend.core import primitives as extend_primitives
from jax.interpreters import ad

# Source lines that JAX reports are those of the user, not ours.
source_info_util.register_exclusion(os.path.dirname(__file__))

Primitive = jex.Primitive
Literal = jex.Literal
JaxprEqn = jex.JaxprEqn
Closed = Any
"""A jaxpr with its constants: `ClosedJaxpr` up to JAX 0.11, plain `Jaxpr` (which took over its constants) after."""


try:  # the one primitive without a public name
    from jax._src.shard_map import shard_map_p
except ImportError:
    shard_map_p = None


_FORMER_NAMES = {"new_ref": "mutable_array"}
"""New name → the name in JAX 0.7.0, for primitives that were renamed since."""


def find_primitive(name: str) -> Primitive | None:
    """The primitive of JAX with this name (or its former name), or None where this JAX has no such primitive."""
    found = _find_primitive(name)
    return _find_primitive(_FORMER_NAMES[name]) if found is None and name in _FORMER_NAMES else found


def _find_primitive(name: str) -> Primitive | None:
    attribute = name.replace("-", "_") + "_p"
    for namespace in (lax, extend_primitives, lax.linalg):
        # The attribute alone does not say: `remat_p`, for one, is the primitive `remat2`.
        if isinstance(found := getattr(namespace, attribute, None), Primitive) and found.name == name:
            return found
    known = (shard_map_p, *ad.primitive_jvps, *vars(extend_primitives).values(), *vars(lax).values())
    return next((p for p in known if isinstance(p, Primitive) and p.name == name), None)


def is_traced(value: Any) -> bool:
    """Whether a value is a tracer of JAX, whose numbers are known at run time only."""
    return isinstance(value, Tracer)


def trace_of(value: Any) -> Any:
    """The trace that a tracer belongs to: one object for all values of one run of a traced function."""
    return value._trace


def is_distributed(value: Any) -> bool:
    """Whether axes of an array are distributed over the axes of a mesh, as its type says (JAX's explicit sharding)."""
    spec = getattr(getattr(jax.typeof(value), "sharding", None), "spec", ())
    return any(axis is not None for axis in spec)


def concrete(value: Any) -> np.ndarray | None:
    """`value` as a NumPy array if it is known now, in float64 or complex128, else None."""
    # Of an array over several processes this one has a part only.
    if is_traced(value) or not getattr(value, "is_fully_addressable", True):
        return None
    array = np.asarray(value)
    return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)


def shape_of(variable: Any) -> tuple[int, ...]:
    """The shape of a variable of a program."""
    return variable.aval.shape


def is_reference(aval: Any) -> bool:
    """Whether a variable is a mutable reference, not an array."""
    return hasattr(aval, "inner_aval")


def parts(jaxpr: Closed) -> tuple[Any, Sequence[Any]]:
    """(the jaxpr without its constants, the constants)."""
    return getattr(jaxpr, "jaxpr", jaxpr), getattr(jaxpr, "consts", ())


def program_of(params: dict[str, Any]) -> Closed:
    """The inner program of a call; the parameter's name differs between primitives and releases."""
    return next(params[name] for name in ("call_jaxpr", "jaxpr", "call") if name in params)


def inner_programs(params: dict[str, Any]) -> list[Closed]:
    """All programs among the parameters of an equation."""
    entries = [e for value in params.values() for e in (value if isinstance(value, (tuple, list)) else (value,))]
    return [entry for entry in entries if hasattr(parts(entry)[0], "eqns")]


def map_programs(change: Callable[[Closed], Closed], params: dict[str, Any]) -> dict[str, Any]:
    """The parameters of an equation with every program among them changed."""

    def changed(value: Any) -> Any:
        if isinstance(value, (tuple, list)) and inner_programs({"": value}):
            entries = map(changed, value)
            # A named tuple takes its fields one by one, as the programs of `custom_linear_solve`.
            return type(value)(*entries) if hasattr(value, "_fields") else type(value)(entries)
        return change(value) if hasattr(parts(value)[0], "eqns") else value

    return {name: changed(value) for name, value in params.items()}


def with_equations(jaxpr: Closed, eqns: list[JaxprEqn]) -> Closed:
    """The same program with other equations for the same variables."""
    program, _ = parts(jaxpr)
    changed = program.replace(eqns=eqns)
    return changed if program is jaxpr else jaxpr.replace(jaxpr=changed)


def custom_jvp_in(jaxpr: Closed) -> Callable[..., list[Any]] | None:
    """The first function with a derivative of its own in a program, in calls too."""
    for eqn in parts(jaxpr)[0].eqns:
        if eqn.primitive.name == "custom_jvp_call":
            return lambda *operands, eqn=eqn: bind(eqn.primitive, operands, eqn.params)
        for inner in inner_programs(eqn.params):
            if found := custom_jvp_in(inner):
                return found
    return None


def linear_solve_operands(params: dict[str, Any], operands: Sequence[Any]) -> tuple[Closed, Any, Any, Any] | None:
    """The operands of a `custom_linear_solve`, which come without names.

    Returns:
        (program (operands of the matrix, x) ↦ A x, operands of the matrix, operands of the solvers, right-hand side);
        None if the solver returns more than x.
    """
    lengths, programs = params["const_lengths"], params["jaxprs"]
    matrix, rest = operands[: lengths.matvec], operands[lengths.matvec : sum(lengths)]
    b = operands[sum(lengths) :]
    has_more = len(parts(programs.solve)[0].outvars) != len(b)
    return None if has_more else (programs.matvec, matrix, rest, b)


def as_function(jaxpr: Closed) -> Callable[..., list[Any]]:
    """A program as a function of arrays that returns a list of arrays."""
    return jex.jaxpr_as_fun(jaxpr)


def hoist_constants(jaxpr: Closed) -> tuple[Closed, list[Any]]:
    """The same program with its constants as arguments in front, and the constants."""
    program, consts = parts(jaxpr)

    def with_constants(*arguments: Any) -> list[Any]:
        return eval_jaxpr(program, arguments[: len(consts)], *arguments[len(consts) :])

    return jax.make_jaxpr(with_constants)(*consts, *jaxpr.in_avals), list(consts)


def bind(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> list[Any]:
    """Evaluate a primitive on plain arrays; the results are a list, also if there is one only."""
    prepared = primitive.get_bind_params(params)
    # Up to JAX 0.8, inner programs come back apart from the parameters, as functions that go before the operands.
    functions, params = prepared if isinstance(prepared, tuple) else ((), prepared)
    out = primitive.bind(*functions, *operands, **params)
    return list(out) if primitive.multiple_results else [out]


@contextmanager
def equation_context(eqn: JaxprEqn):
    """Names, source lines and settings (mesh, metadata) of the equation, for what is staged out in its place."""
    with ExitStack() as stack:
        names = source_info_util.current_name_stack() + eqn.source_info.name_stack
        stack.enter_context(source_info_util.user_context(eqn.source_info.traceback, name_stack=names))
        stack.enter_context(eqn.ctx.manager)
        yield


def source_line(eqn: JaxprEqn) -> str:
    """The line of the user's file that an equation was traced from; empty if there is none."""
    return source_info_util.summarize(eqn.source_info)


def scan_counts(params: dict[str, Any]) -> tuple[int, int]:
    """(number of constants, number of carries) of a scan."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    consts, carry, _ = params["ft_in"].unpack()  # JAX 0.11 replaced the counts by trees of the arguments
    return len(consts), len(carry)


def vary_like(part: Any, value: Any) -> Any:
    """Stacked derivatives, marked as varying over the devices that the value varies over inside shard_map."""
    # A sum varies over the devices of both its terms.
    return part + jax.numpy.zeros_like(value) if _is_inside_shard_map() else part


def typed_like(shape: tuple[int, ...], value: Any) -> jax.ShapeDtypeStruct:
    """A shape, with the dtype of a value and the devices that it varies over inside shard_map."""
    if not _is_inside_shard_map():
        return jax.ShapeDtypeStruct(shape, value.dtype)
    # A sum varies over the devices of both its terms.
    return jax.eval_shape(lambda v: jax.numpy.zeros(shape, v.dtype) + v.sum(), value)


def vary_as(array: Any, type_: Any) -> Any:
    """The same array, marked as varying over the devices that the type names and it does not vary over yet."""
    missing = _device_axes(type_) - _device_axes(jax.typeof(array)) if _is_inside_shard_map() else None
    return _vary(array, tuple(sorted(missing))) if missing else array


def _is_inside_shard_map() -> bool:
    return bool(jax.sharding.get_abstract_mesh().manual_axes)


def _device_axes(type_: Any) -> Set[str]:
    """The axes of the mesh along which values differ from device to device; up to JAX 0.9 the type itself has them."""
    own = getattr(type_, "vma", None) or getattr(getattr(type_, "manual_axis_type", None), "varying", None)
    return own or frozenset()


def place(tree: Any, mesh: Any, spec: Any) -> Any:
    """Distribute arrays over a mesh with explicit axes; on other meshes the compiler does it by itself."""
    if jax.sharding.AxisType.Explicit not in mesh.axis_types:
        return tree
    return jax.tree.map(lambda leaf: jax.sharding.reshard(leaf, jax.sharding.NamedSharding(mesh, spec)), tree)


def varying_over(tree: Any, axis: str) -> Any:
    """Mark arrays as different on each device of a mesh axis, so that JAX does not sum their gradients by itself."""
    return jax.tree.map(lambda leaf: _vary(leaf, axis), tree)


def _vary(leaf: Any, axis: str | tuple[str, ...]) -> Any:
    """`lax.pcast`, which up to JAX 0.8.1 is called `lax.pvary`."""
    return lax.pcast(leaf, axis, to="varying") if hasattr(lax, "pcast") else vars(lax)["pvary"](leaf, axis)


def axes_of_shard_map(params: dict[str, Any]) -> Set[str]:
    """The mesh axes that a `shard_map` equation maps over; the parameter has another name up to JAX 0.9."""
    return params["newly_manual_axes"] if "newly_manual_axes" in params else params["manual_axes"]


def enable_x64(on: bool = True) -> AbstractContextManager[None]:
    """A context in which float64 exists, or does not; up to JAX 0.7 it is among the experimental functions."""
    return vars(jax if hasattr(jax, "enable_x64") else experimental)["enable_x64"](on)


def hide_constant(array: Any) -> Any:
    """The same array, of which XLA does not know that it is constant, where that makes a difference to results.

    Up to JAX 0.8.0, XLA's CPU compiler mixes up rows and columns when it folds an elementwise function of a transposed
    constant times constant ones, summed over an axis of size one; so the tangents of the first layer of a network whose
    weights are constants came out wrong under `jit`.
    """
    return lax.optimization_barrier(array) if jax.__version_info__ < (0, 8, 1) else array
