"""Where arrays live: `gpu.convert_to_global_mem`, `gpu.convert_to_shared_mem` and `gpu.convert_to_register_mem`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from optigpu.script.editing import StatementPath, edit_body
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Alloc, Array, Call, Expr, Index, Var
from optigpu.syntax.program import Body, CallStmt, Decl, Program, Store
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Pointer, Space
from optigpu.syntax.walk import rewrite, rewrite_body
from optigpu.transform.tools.array_declarations import array_declaration_at, dims_of, elem_of, is_free_of
from optigpu.transform.tools.changed_permissions import element_permissions
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import cell, lit, plus, value_of


@dataclass(frozen=True, slots=True)
class pad:
    """Unused cells at the end of the last dimensions of a shared array, to avoid bank conflicts: `pad(1)`, `pad(0, 1)`."""

    by: tuple[int, ...]

    def __init__(self, *by: int) -> None:
        object.__setattr__(self, "by", by)


@transformation
def convert_to_global_mem(session: Session, target: TargetLike) -> Handle:
    """Allocate an array in the GPU's global memory.

    Before:
        float* const t = MALLOC1(float, n);
        free(t);
    Step: s.gpu.convert_to_global_mem("t")
    After:
        float* const t = __gmem_malloc1<float>(n);
        gmem_free(t);

    Needs: an allocation of the host. Fails: OG348 when the host accesses it.
    """
    path = session.find(target, "decl")
    decl = array_declaration_at(session, path)
    if not isinstance(decl.init, Alloc):
        raise refuse(f"`{decl.name}` is not allocated with MALLOC", decl)
    session.update(to_global_memory(session.program, path, decl, decl.init))
    return session.handle(path)


@transformation
def convert_to_shared_mem(session: Session, target: TargetLike, *, pad: pad | None = None) -> Handle:
    """Put an array that is declared at block level into shared memory.

    Before:
        float t[32];
        t[0] = 0.0f;
    Step: s.gpu.convert_to_shared_mem("t")
    After:
        __shared__ float t[32];
        t[0] = 0.0f;

    Needs: a local array with constant sizes. Fails: OG346 when it is not at block level.
    """
    path = session.find(target, "decl")
    session.put(path, shared_declaration(array_declaration_at(session, path), pad))
    return session.handle(path)


@transformation
def convert_to_register_mem(session: Session, target: TargetLike, dims: int) -> Handle:
    """Put an array that is declared at block level into registers: its first `dims` dimensions number the threads.

    Before:
        float t[4][8][2];
        t[0][1][0] = 0.0f;
    Step: s.gpu.convert_to_register_mem("t", 2)
    After:
        float* const t = __treg_malloc1<float>(2);
        t[DMINDEX2(4, 8, 0, 1)][0] = 0.0f;

    Needs: each thread accesses only its own part. Fails: OG344 when a thread accesses the part of another.
    """
    path = session.find(target, "decl")
    decl = array_declaration_at(session, path)
    i, after = path.index, session.around(path)[path.index + 1 :]
    new = in_registers(decl, after, dims)
    session.edit_body(path, lambda b: (*b[:i], *new))
    return session.handle(path)


def to_global_memory(program: Program, path: StatementPath, decl: Decl, allocation: Alloc) -> Program:
    """Allocate and free an array of the host in global memory."""
    i = path.index
    new = replace(decl, init=replace(allocation, space=Space.GMEM))
    gmem_free = CallStmt(Call("gmem_free", (Var(decl.name),)))

    def change(body: Body) -> Body:
        rest = tuple(replace(gmem_free, id=s.id) if is_free_of(s, decl.name) else s for s in body[i + 1 :])
        return (*body[:i], new, *rest)

    return edit_body(program, path, change)


def shared_declaration(decl: Decl, padding: pad | None) -> Decl:
    dims = list(dims_of(decl))
    if any(value_of(d) is None for d in dims):
        raise refuse(f"the sizes of `{decl.name}` are not numbers", decl)
    by = () if padding is None else padding.by
    for k, extra in enumerate(reversed(by)):
        dims[-1 - k] = plus(dims[-1 - k], lit(extra))
    return Decl(decl.name, Array(elem_of(decl), tuple(dims), Space.SMEM), id=decl.id)


def as_one_cell(decl: Decl, rest: Body) -> Body:
    """A scalar as an array of one cell, which the threads of a block can share; `rest` is what follows its declaration."""
    first = cell(decl.name, [lit(0)])
    start: Body = () if decl.init is None else (Store(first, decl.init),)
    array = replace(decl, type=Array(elem_of(decl), (lit(1),)), init=None, const=False)
    return (array, *start, *substitute_body(rest, {decl.name: first}))


def in_registers(decl: Decl, rest: Body, dims: int) -> Body:
    """An array whose first `dims` dimensions number the threads, in registers; `rest` is what follows its declaration."""
    sizes = dims_of(decl)
    if not 0 < dims <= len(sizes):
        raise refuse(f"`{decl.name}` has {len(sizes)} dimensions", decl, code="OG604")
    allocation = Alloc(elem_of(decl), sizes[dims:], Space.TREG)
    new = Decl(decl.name, Pointer(elem_of(decl)), allocation, const=True, id=decl.id)

    def access(x: Expr) -> Expr:
        if isinstance(x, Index) and x.base == Var(decl.name):
            if len(x.indices) < dims or (isinstance(x.indices[0], Call) and x.indices[0].func.startswith("DMINDEX")):
                return x
            thread = Call(f"DMINDEX{dims}", (*sizes[:dims], *x.indices[:dims]))
            return replace(x, indices=(thread, *x.indices[dims:]))
        return x

    kept = tuple(s for s in rest if not is_free_of(s, decl.name))
    return (new, *rewrite_body(kept, lambda e: rewrite(element_permissions(e, decl.name), access)))
