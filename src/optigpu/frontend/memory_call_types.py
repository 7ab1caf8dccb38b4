"""Types of the calls that free, move and change memory: `free`, `memcpy_…`, shuffles, vector loads and stores, atomics."""

from __future__ import annotations

from optigpu.frontend.expression_types import ExpressionTyper
from optigpu.frontend.implicit_conversions import describe_type
from optigpu.frontend.tile_call_types import reject_wrong_tiles
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import (
    MEMORY_CALLS,
    SHUFFLES,
    TILE_CALLS,
    TILE_COPY,
    VECTOR_BYTES,
    VECTOR_CALLS,
    WIDEST_VECTOR,
    is_vector,
)
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Array, Call, Expr, Index, is_bool, is_float
from optigpu.syntax.float_formats import is_stored_float
from optigpu.syntax.scopes import Scope
from optigpu.syntax.source import Loc
from optigpu.syntax.types import VOID, Scalar, Space


def typed_memory_call(values: ExpressionTyper, name: str, call: Call, scope: Scope) -> Call:
    """A call that frees, copies, shuffles or moves cells, with its arguments typed."""
    arrays, integers = MEMORY_CALLS[name]
    if name == TILE_COPY and len(call.args) > 1:  # an index for each dimension of the array
        source = values.array(call.args[1], scope, "this argument is").type
        integers = len(source.dims) if isinstance(source, Array) else integers
    values.arity(call, arrays + integers)
    typed = [values.array(a, scope, "this argument is") for a in call.args[:arrays]]
    typed += [values.integer(a, scope, "this argument is") for a in call.args[arrays:]]
    if name in TILE_CALLS:
        reject_wrong_tiles(name, typed[:arrays], call.loc)
    elif "free" in name:
        _reject_other_allocation(name, typed[0], integers, call.loc)
    elif arrays == 2:
        _reject_different_cells(name, typed[0], typed[1], call.loc)
    return replace(call, args=tuple(typed), type=VOID)


def reject_other_atomics(name: str, target: Expr, loc: Loc) -> None:
    """Atomic operations are on elements of arrays, of a type for which GPUs have them."""
    if not isinstance(target, Index) or not isinstance(target.type, Scalar):
        raise input_error("OG106", f"`{name}` changes an element of an array", loc, help=f"{name}(&a[i], …)")
    t = target.type
    if is_stored_float(t):
        message = f"`{name}` is not for `{t.name}`, which is converted to `float` to compute with it"
        raise input_error("OG102", message, loc, help="add to an array of floats, and convert the sums")
    if t.bits < 32 or is_bool(t) or (is_float(t) and name != "atomicAdd"):
        numbers = "numbers of 32 or 64 bits" if name == "atomicAdd" else "integers of 32 or 64 bits"
        raise input_error("OG102", f"`{name}` is for {numbers}, not for `{t.name}`", loc)


def _reject_other_allocation(name: str, array: Expr, sizes: int, loc: Loc) -> None:
    """Memory is freed by the function of its space, with as many sizes as it was allocated with."""
    assert isinstance(array.type, Array)
    want = {"free": Space.ANY, "gmem_free": Space.GMEM}.get(name, Space.SMEM)
    have = array.type.space
    if have is not want:
        fix = {Space.ANY: "free(p)", Space.GMEM: "gmem_free(p)", Space.SMEM: "__smem_free1(p, n)"}.get(have)
        raise input_error("OG114", f"`{name}` does not free memory of space {have.value}", loc, help=fix)
    rank = len(array.type.dims) - array.type.distributed
    if sizes and rank != sizes:
        message = f"`{name}` is for an array that was allocated with {sizes} of its sizes, not with {rank}"
        raise input_error("OG104", message, loc, help=f"__smem_free{rank}")


def _reject_different_cells(name: str, to: Expr, source: Expr, loc: Loc) -> None:
    """The two arrays between which cells are moved have the same elements, and the dimensions and spaces the call needs."""
    assert isinstance(to.type, Array) and isinstance(source.type, Array)
    if to.type.elem != source.type.elem:
        raise input_error("OG102", f"`{name}` moves {describe_type(source.type)} to {describe_type(to.type)}", loc)
    for arg in (to, source):
        assert isinstance(arg.type, Array)
        if name.startswith("memcpy") and len(arg.type.dims) != int(name[-1]):
            raise input_error(
                "OG106",
                f"`{name}` copies arrays of {name[-1]} dimensions, but this is {describe_type(arg.type)}",
                arg.loc,
            )
        if name in SHUFFLES and (arg.type.space is not Space.TREG or len(arg.type.dims) != 1):
            raise input_error(
                "OG114", f"`{name}` works on registers, one a thread", arg.loc, help="float* const x = __treg_malloc0<float>();"
            )  # fmt: skip
        if name in VECTOR_CALLS and len(arg.type.dims) != 1:
            raise input_error("OG106", f"`{name}` takes the address of its first cell", arg.loc, help="&a[i][4 * j]")
    if name in VECTOR_CALLS and not is_vector(width := VECTOR_CALLS[name][0], elem := to.type.elem):
        if width == WIDEST_VECTOR:
            message = f"`{name}` is for numbers of 16 bits, not for `{elem.name}`"
            raise input_error("OG105", message, loc, help=name.replace("8", "4"))
        message = f"`{name}` of `{elem.name}` is {width * elem.size} bytes: {VECTOR_BYTES} are the most"
        raise input_error("OG105", message, loc)
