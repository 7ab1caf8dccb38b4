"""Accesses of neighbouring elements as vector accesses: which ones they are, and the loop without them.

Elements are loaded into registers before the loop, the loop works on registers, and what it wrote is stored after it. Whether that
is the same, inside the arrays and aligned is for the checker to say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from optigpu.syntax.builtins import VECTOR_CALLS
from optigpu.syntax.exprs import Addr, Array, Call, Expr, Index, Var
from optigpu.syntax.free_names import body_free_vars, bound_after, free_vars, fresh_name
from optigpu.syntax.program import Body, CallStmt, Decl, For, If, Stmt, Store
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import inner_bodies, rewrite, rewrite_body, statements, stmt_exprs, subexpressions
from optigpu.transform.loop_nests import counted, is_plain, refuse
from optigpu.transform.simplified import cell, folded, gather, lit, minus, value_of

WIDTHS = sorted({width for width, _ in VECTOR_CALLS.values()})

Key = tuple[str | Expr, ...]  # an array and where in it, written in one way


@dataclass
class Vector:
    """Neighbouring elements, from the one at `first` on. They are loaded if they are read first, stored if they are written."""

    array: str
    elem: Scalar
    first: tuple[Expr, ...]
    loaded: bool
    stored: bool = False
    registers: str = ""


@dataclass(frozen=True, slots=True)
class Accessed:
    at: Index
    written: bool
    under: Stmt | None  # the condition or loop around it, inside the loop that is looked at


def vectorized(loop: For, arrays: dict[str, Array], registers: set[str], taken: set[str]) -> Body:
    """The loop with its accesses to neighbouring elements of `arrays` as vector accesses. `registers` are arrays of the thread,
    `taken` names that new ones must not have."""
    width = _width(loop)
    vectors = _vectors(loop, arrays)
    if not vectors:
        raise refuse(f"neighbouring iterations of `{loop.index}` access no neighbouring elements of memory", loop)
    own = _copied_registers(loop, vectors, registers)
    if own is not None:
        return (_access(vectors[0], width, own),)
    copied = _only_copy(loop) is not None and len(vectors) == 2  # from memory to memory: nothing is left of the loop
    for v in vectors:
        new = fresh_name(f"{v.array}{width}", taken | {x.registers for x in vectors})
        v.registers = vectors[0].registers if copied and v is not vectors[0] else new
    elems = {v.registers: v.elem for v in vectors}
    decls = [Decl(name, Array(elem, (lit(width),))) for name, elem in elems.items()]
    loads = [_access(replace(v, stored=False), width, cell(v.registers, [lit(0)])) for v in vectors if v.loaded]
    stores = [_access(v, width, cell(v.registers, [lit(0)])) for v in vectors if v.stored]
    work: Body = () if copied else (replace(loop, body=_on_registers(loop, vectors), contract=()),)
    return (*decls, *loads, *work, *stores)


def _width(loop: For) -> int:
    count = value_of(counted(loop).count)
    if not is_plain(loop) or count not in WIDTHS:
        message = f"the loop over `{loop.index}` does not count from 0 to {' or '.join(map(str, WIDTHS))}"
        raise refuse(message, loop, f's.loop.tile("{loop.index}", {WIDTHS[-1]}, outer=…) before the launch')
    return count


def _vectors(loop: For, arrays: dict[str, Array]) -> list[Vector]:
    """What neighbouring iterations access at neighbouring elements, in the order in which one iteration does."""
    found: dict[Key, Vector] = {}
    inside = {n for s in statements(loop.body) for n in bound_after(s)}
    inside |= {s.index for s in statements(loop.body) if isinstance(s, For)}
    for access in _accesses(loop.body, None):
        assert isinstance(access.at.base, Var)
        name = access.at.base.name
        first = first_of(access.at.indices, loop.index)
        if name not in arrays or first is None:
            continue
        if access.under is not None:
            what = "a condition" if isinstance(access.under, If) else "a loop"
            help = f's.loop.fast_path("{loop.index}")' if isinstance(access.under, If) else "unroll it first"
            raise refuse(f"`{name}` is accessed inside {what}", access.under, help)
        if hidden := inside & set().union(*map(free_vars, first)):
            raise refuse(f"where `{name}` is accessed depends on `{min(hidden)}`, which is inside the loop", loop)
        v = found.setdefault(_key(name, first), Vector(name, arrays[name].elem, first, not access.written))
        v.stored = v.stored or access.written
    return list(found.values())


def _key(name: str, first: tuple[Expr, ...]) -> Key:
    return (name, *map(gather, first))


def first_of(indices: tuple[Expr, ...], index: str) -> tuple[Expr, ...] | None:
    """The first of the elements that a loop from 0 accesses, if it goes along a row one by one."""
    *rows, last = indices
    distance = gather(minus(last, Var(index)))
    if index in set().union(set(), *map(free_vars, rows)) or index in free_vars(distance):
        return None
    return (*rows, folded(substitute(last, {index: lit(0)})))


def _accesses(body: Body, under: Stmt | None) -> list[Accessed]:
    """Accesses of array elements in the order of execution."""
    out: list[Accessed] = []
    for s in body:
        target = s.target if isinstance(s, Store) else None
        exprs = [e for e in stmt_exprs(s) if e is not target]
        if isinstance(target, Index):
            exprs += target.indices
        out += [Accessed(x, False, under) for e in exprs for x in subexpressions(e) if _is_element(x)]  # type: ignore[arg-type]
        if isinstance(s, Store) and isinstance(target, Index):
            out += [Accessed(target, False, under)] if s.op is not None else []
            out.append(Accessed(target, True, under))
        for b in inner_bodies(s):
            out += _accesses(b, under or s)
    return out


def _is_element(e: Expr) -> bool:
    return isinstance(e, Index) and isinstance(e.base, Var) and isinstance(e.type, Scalar)


def _access(v: Vector, width: int, registers: Index) -> Stmt:
    memory, own = Addr(cell(v.array, v.first)), Addr(registers)
    return CallStmt(Call(f"vstore{width}", (memory, own)) if v.stored else Call(f"vload{width}", (own, memory)))


def _on_registers(loop: For, vectors: list[Vector]) -> Body:
    def one(e: Expr) -> Expr:
        if isinstance(e, Index) and isinstance(e.base, Var):
            first = first_of(e.indices, loop.index)
            for v in vectors:
                if first is not None and _key(v.array, v.first) == _key(e.base.name, first):
                    return cell(v.registers, [Var(loop.index)])
        return e

    return rewrite_body(loop.body, lambda e: rewrite(e, one))


def _only_copy(loop: For) -> tuple[Index, Index] | None:
    """The two sides of a loop that only copies elements."""
    match loop.body:
        case (Store(Index() as to, Index() as source, None),):
            return to, source
        case _:
            return None


def _copied_registers(loop: For, vectors: list[Vector], registers: set[str]) -> Index | None:
    """The neighbouring registers that a loop copies from or to memory: no others are needed in between."""
    sides = _only_copy(loop)
    if sides is None or len(vectors) != 1:
        return None
    own = sides[1] if vectors[0].stored else sides[0]
    first = first_of(own.indices, loop.index)
    if first is None or not isinstance(own.base, Var) or own.base.name not in registers:
        return None
    return cell(own.base.name, first)


def accessed_arrays(loop: For) -> list[str]:
    """Arrays from outside a loop whose elements it accesses."""
    outside = body_free_vars(loop.body)
    found = [a.at.base.name for a in _accesses(loop.body, None) if isinstance(a.at.base, Var)]
    return [n for n in dict.fromkeys(found) if n in outside]
