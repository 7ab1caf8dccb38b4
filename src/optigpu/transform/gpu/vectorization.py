"""`gpu.vectorize`: neighbouring elements of memory are accessed by one vector instruction.

Elements are loaded into registers before the loop, the loop works on registers, and what it wrote is stored after it. The checker
decides whether the result is the same, in bounds and aligned.
"""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import dataclass, replace
from optigpu.script.program_names import program_names
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.builtins import VECTOR_CALLS, is_vector
from optigpu.syntax.exprs import Addr, Array, Call, Expr, Index, Var
from optigpu.syntax.free_names import body_free_vars, bound_after, free_vars, fresh_name
from optigpu.syntax.program import Body, CallStmt, Decl, For, If, Mode, Stmt, Store
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import Scalar, Space
from optigpu.syntax.walk import code_exprs, inner_bodies, rewrite, rewrite_body, statements, subexpressions
from optigpu.transform.gpu.kernel_statements import plain_loop_at
from optigpu.transform.step_results import InsertedStatements, handles_from
from optigpu.transform.tools.counted_loops import counted, is_plain
from optigpu.transform.tools.declared_types import array_of
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import cell, collect_terms, folded, lit, minus, plus, value_of
from optigpu.transform.tools.unknown_names import no_such_name

VECTOR_WIDTHS = sorted({width for width, _ in VECTOR_CALLS.values()})
USUAL_WIDTH = 4  # of floats

VectorKey = tuple[str | Expr, ...]  # an array and the index of the first element, in a normal form


@transformation
def vectorize(session: Session, target: TargetLike, *, arrays: Sequence[str] | None = None) -> InsertedStatements:
    """Access neighbouring elements of global or shared memory by one instruction: a loop of 2, 4 or 8 iterations becomes vector
    loads into registers, the loop on registers, and vector stores. A vector has at most 16 bytes: eight numbers of 16 bits, or four
    floats; what is wider becomes several. A loop that only copies disappears. With `arrays`, only these are accessed by vectors.

    Before:
        float* const d_a = __gmem_malloc1<float>(128);
        float* const d_b = __gmem_malloc1<float>(128);
        thread for (int t = 0; t < 32; t++) {
          for (int v = 0; v < 4; v++) {
            d_b[4 * t + v] = 2.0f * d_a[4 * t + v];
          }
        }
    Step: s.gpu.vectorize("v")
    After:
        float* const d_a = __gmem_malloc1<float>(128);
        float* const d_b = __gmem_malloc1<float>(128);
        thread for (int t = 0; t < 32; t++) {
          float d_a4[4];
          float d_b4[4];
          vload4(&d_a4[0], &d_a[4 * t]);
          for (int v = 0; v < 4; v++) {
            d_b4[v] = 2.0f * d_a4[v];
          }
          vstore4(&d_b[4 * t], &d_b4[0]);
        }

    Needs: a loop in a kernel that counts from 0 to 2, 4 or 8, with no condition around the accesses (s.loop.fast_path removes
    guards).
    Fails: OG353 when it is not proved that the index of the first element is a multiple of the vector's length; other codes when an
    element is outside the array, or an iteration reads what an earlier one wrote.
    Returns: `statements`, those that take the place of the loop: loads, the loop if it is left, stores. As a target, the first one.
    """
    path = session.find(target, "for")
    loop = plain_loop_at(session, path)
    around = [session.at(p) for p in path.ancestors()]
    if not any(isinstance(s, For) and s.mode is Mode.THREAD for s in around):
        raise refuse("only threads of a kernel have vector accesses", loop, "s.gpu.launch comes first")
    wanted = _accessed_arrays(loop) if arrays is None else list(arrays)
    types = {name: array_of(session, path, name) for name in _accessed_arrays(loop)}
    for name in wanted:
        if name not in types:
            raise no_such_name(f"`{name}` is not accessed in this loop", name, types, loop)
    in_memory = {name: types[name] for name in wanted if types[name].space in (Space.GMEM, Space.SMEM)}
    in_registers = {name: t for name, t in types.items() if t.space not in (Space.GMEM, Space.SMEM)}
    taken = program_names(session.function_of(path))
    new = _vectorized(loop, in_memory, in_registers, taken)
    session.put(path, *new)
    return InsertedStatements(session, session.at(path).id, handles_from(session, path, len(new)))


@dataclass
class Vector:
    """Neighbouring elements from index `first` on. They are loaded if they are read first, and stored if they are written."""

    array: str
    elem: Scalar
    first: tuple[Expr, ...]
    loaded: bool
    stored: bool = False
    registers: str = ""


@dataclass(frozen=True, slots=True)
class ElementAccess:
    element: Index
    array: str
    written: bool
    under: Stmt | None  # the condition or loop around it, inside the loop that is vectorised


def _vectorized(loop: For, arrays: dict[str, Array], registers: dict[str, Array], taken: set[str]) -> Body:
    """The loop with vector accesses for its accesses to neighbouring elements of `arrays`. `registers` are arrays of the thread,
    `taken` are names that new arrays must not have."""
    width = _width(loop)
    vectors = _vectors(loop, arrays)
    if not vectors:
        message = f"neighbouring iterations of `{loop.index}` access no neighbouring elements of memory"
        raise refuse(
            message, loop, f"vector accesses are to elements such as a[… + {loop.index}], of the last dimension"
        )
    own = _copied_registers(loop, vectors, registers)
    if own is not None:
        return _accesses(vectors[0], width, own)
    elements = [v.elem for v in vectors]
    copied = (
        _only_copy(loop) is not None and len(vectors) == 2 and elements[0] == elements[1]
    )  # nothing is left of the loop
    for v in vectors:
        new = fresh_name(f"{v.array}{width}", taken | {x.registers for x in vectors})
        v.registers = vectors[0].registers if copied and v is not vectors[0] else new
    elems = {v.registers: v.elem for v in vectors}
    decls = [Decl(name, Array(elem, (lit(width),))) for name, elem in elems.items()]
    loads = [
        x for v in vectors if v.loaded for x in _accesses(replace(v, stored=False), width, cell(v.registers, [lit(0)]))
    ]
    stores = [x for v in vectors if v.stored for x in _accesses(v, width, cell(v.registers, [lit(0)]))]
    work: Body = () if copied else (replace(loop, body=_on_registers(loop, vectors), contract=()),)
    return (*decls, *loads, *work, *stores)


def _width(loop: For) -> int:
    count = value_of(counted(loop).count)
    if not is_plain(loop) or count not in VECTOR_WIDTHS:
        message = f"the loop over `{loop.index}` does not count from 0 to {' or '.join(map(str, VECTOR_WIDTHS))}"
        raise refuse(message, loop, f's.loop.tile("{loop.index}", {USUAL_WIDTH}, outer=…) before the launch')
    return count


def _vectors(loop: For, arrays: dict[str, Array]) -> list[Vector]:
    """The elements that neighbouring iterations access side by side, in the order in which one iteration accesses them."""
    vectors: dict[VectorKey, Vector] = {}
    inside = {n for s in statements(loop.body) for n in bound_after(s)}
    inside |= {s.index for s in statements(loop.body) if isinstance(s, For)}
    for access in _element_accesses(loop.body, None):
        name = access.array
        first = _first_element(access.element.indices, loop.index)
        if name not in arrays or first is None:
            continue
        if access.under is not None:
            what = "a condition" if isinstance(access.under, If) else "a loop"
            help = f's.loop.fast_path("{loop.index}")' if isinstance(access.under, If) else "unroll it first"
            raise refuse(f"`{name}` is accessed inside {what}", access.under, help)
        if hidden := inside & set().union(*map(free_vars, first)):
            raise refuse(f"where `{name}` is accessed depends on `{min(hidden)}`, which is inside the loop", loop)
        v = vectors.setdefault(_key(name, first), Vector(name, arrays[name].elem, first, not access.written))
        v.stored = v.stored or access.written
    return list(vectors.values())


def _key(name: str, first: tuple[Expr, ...]) -> VectorKey:
    return (name, *map(collect_terms, first))


def _first_element(indices: tuple[Expr, ...], index: str) -> tuple[Expr, ...] | None:
    """The indices of the first element that a loop from 0 accesses, if it moves along a row one by one; else None."""
    *rows, last = indices
    distance = collect_terms(minus(last, Var(index)))
    if index in set().union(set(), *map(free_vars, rows)) or index in free_vars(distance):
        return None
    return (*rows, folded(substitute(last, {index: lit(0)})))


def _element_accesses(body: Body, under: Stmt | None) -> list[ElementAccess]:
    """Accesses of array elements in the order of execution."""
    out: list[ElementAccess] = []
    for s in body:
        target = s.target if isinstance(s, Store) else None
        exprs = [e for e in code_exprs(s) if e is not target]
        if isinstance(target, Index):
            exprs += target.indices
        for x in (x for e in exprs for x in subexpressions(e)):
            if isinstance(x, Index) and isinstance(x.base, Var) and isinstance(x.type, Scalar):
                out.append(ElementAccess(x, x.base.name, False, under))
        if isinstance(s, Store) and isinstance(target, Index) and isinstance(target.base, Var):
            write = ElementAccess(target, target.base.name, True, under)
            out += [replace(write, written=False), write] if s.op is not None else [write]
        for b in inner_bodies(s):
            out += _element_accesses(b, under or s)
    return out


def _accesses(v: Vector, width: int, registers: Index) -> tuple[Stmt, ...]:
    """The vector loads or stores between memory and registers: one, or as many as the width of a vector needs."""
    most = max(n for n in VECTOR_WIDTHS if n <= width and (n == VECTOR_WIDTHS[0] or is_vector(n, v.elem)))
    out: list[Stmt] = []
    for start in range(0, width, most):
        memory, own = (Addr(_later(x, start)) for x in (cell(v.array, v.first), registers))
        call = Call(f"vstore{most}", (memory, own)) if v.stored else Call(f"vload{most}", (own, memory))
        out.append(CallStmt(call))
    return tuple(out)


def _later(e: Index, distance: int) -> Index:
    """The element of a row that comes so many after this one."""
    *rows, last = e.indices
    return e if distance == 0 else replace(e, indices=(*rows, folded(plus(last, lit(distance)))))


def _on_registers(loop: For, vectors: list[Vector]) -> Body:
    """The body of the loop with registers accessed instead of memory."""

    def access(e: Expr) -> Expr:
        if isinstance(e, Index) and isinstance(e.base, Var):
            first = _first_element(e.indices, loop.index)
            for v in vectors:
                if first is not None and _key(v.array, v.first) == _key(e.base.name, first):
                    return cell(v.registers, [Var(loop.index)])
        return e

    return rewrite_body(loop.body, lambda e: rewrite(e, access))


def _only_copy(loop: For) -> tuple[Index, Index] | None:
    """The destination and the source of a loop that only copies elements."""
    match loop.body:
        case (Store(Index() as to, Index() as source, None),):
            return to, source
        case _:
            return None


def _copied_registers(loop: For, vectors: list[Vector], registers: dict[str, Array]) -> Index | None:
    """The first of the neighbouring registers that a loop copies from or to memory: no others are needed in between."""
    sides = _only_copy(loop)
    if sides is None or len(vectors) != 1:
        return None
    own = sides[1] if vectors[0].stored else sides[0]
    first = _first_element(own.indices, loop.index)
    if first is None or not isinstance(own.base, Var) or own.base.name not in registers:
        return None
    if registers[own.base.name].elem != vectors[0].elem:
        return None  # numbers are converted
    return cell(own.base.name, first)


def _accessed_arrays(loop: For) -> list[str]:
    """Arrays declared outside a loop whose elements it accesses."""
    outside = body_free_vars(loop.body)
    return [n for n in dict.fromkeys(a.array for a in _element_accesses(loop.body, None)) if n in outside]
