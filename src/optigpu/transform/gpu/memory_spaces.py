"""Where arrays live: `gpu.convert_to_global_mem`, `gpu.convert_to_shared_mem` and `gpu.convert_to_register_mem`."""

from __future__ import annotations

from optigpu.light_dataclass import dataclass, replace
from optigpu.script.editing import StatementPath, edit_body
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Alloc, Array, Binary, Call, Expr, Index, PointsTo, SizeOf, Var
from optigpu.syntax.program import Body, CallStmt, Decl, Program, Store, is_call
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Pointer, Space
from optigpu.syntax.walk import rewrite, rewrite_body, root_name, statements
from optigpu.transform.gpu.kernel_statements import is_in_setup, moved_into_setup
from optigpu.transform.gpu.memory_copy_loops import copy_of_loops
from optigpu.transform.tools.array_declarations import (
    array_declaration_at,
    dims_of,
    elem_of,
    freed_at_end,
    is_free_of,
)
from optigpu.transform.tools.changed_permissions import element_permissions
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import cell, lit, plus, product, value_of


@dataclass(frozen=True, slots=True)
class pad:
    """Unused cells at the end of the last dimensions of a shared array, to avoid bank conflicts: `pad(1)`, `pad(0, 1)`."""

    by: tuple[int, ...]

    def __init__(self, *by: int) -> None:
        object.__setattr__(self, "by", by)


@transformation
def convert_to_global_mem(session: Session, target: TargetLike) -> Handle:
    """Allocate an array in the GPU's global memory. Loops of the host in the same body that copy the whole array become calls of
    `memcpy_host_to_device` and `memcpy_device_to_host`.

    Before:
        float* const t = MALLOC1(float, n);
        for (int i = 0; i < n; i++) {
          t[i] = a[i];
        }
        free(t);
    Step: s.gpu.convert_to_global_mem("t")
    After:
        float* const t = __gmem_malloc1<float>(n);
        memcpy_host_to_device1(t, a, n);
        gmem_free(t);

    Needs: an array of the host. Fails: OG348 when the host accesses it.
    Returns: the declaration.
    """
    path = session.find(target, "decl")
    decl = array_declaration_at(session, path)
    session.update(to_global_memory(session.program, path, decl))
    for k in range(path.index + 1, len(session.around(path))):
        copy = copy_of_loops(session, path.sibling(k - path.index))
        if copy is not None and decl.name in copy.arrays:
            session.put(path.sibling(k - path.index), copy.memcpy(session))
    return session.handle(path)


@transformation
def convert_to_shared_mem(
    session: Session, target: TargetLike, *, chop_dims: int = 0, pad: pad | None = None
) -> Handle:
    """Put an array into shared memory. One that is declared at block level becomes a `__shared__` array. One that is allocated in
    the setup of a kernel has a copy for each block: its first `chop_dims` dimensions number the blocks, accessed by DMINDEX. One
    that is allocated before the block of a kernel, which alone uses it, moves to the setup of that kernel.

    Before:
        kernel_launch(n, 32, 8 * sizeof(float));
        float* const t = MALLOC2(float, n, 8);
        kernel_setup_end();
        thread for (int i = 0; i < n; i++) {
          t[i][0] = 0.0f;
        }
        kernel_teardown_begin();
        free(t);
        kernel_kill();
    Step: s.gpu.convert_to_shared_mem("t", chop_dims=1)
    After:
        kernel_launch(n, 32, 8 * sizeof(float));
        float* const t = __smem_malloc1<float>(8);
        kernel_setup_end();
        thread for (int i = 0; i < n; i++) {
          t[DMINDEX1(n, i)][0] = 0.0f;
        }
        kernel_teardown_begin();
        __smem_free1(t, 8);
        kernel_kill();

    Needs: a local array, whose sizes are numbers if it is declared at block level. The launch has to provide the bytes.
    Fails: OG346 when it is neither at block level nor in a setup; OG349 when the launch has too few bytes.
    Returns: the declaration.
    """
    path = session.find(target, "decl")
    decl = array_declaration_at(session, path)
    if chop_dims:
        path = moved_into_setup(session, path, decl)
    i, after = path.index, session.around(path)[path.index + 1 :]
    setup = is_in_setup(session, path)
    if setup and chop_dims < 1:
        message = (
            f"`{decl.name}` is allocated in the setup of a kernel, where shared memory has one copy for each block"
        )
        raise refuse(message, decl, "chop_dims=… says how many of its dimensions number the blocks", code="OG604")
    if not setup and chop_dims:
        message = f"`{decl.name}` is not allocated in the setup of a kernel or before one, so none of its dimensions number blocks"
        help = f's.loop.hoist_alloc("{decl.name}", dest=Call("kernel_setup_end")), or chop_dims=0'
        raise refuse(message, decl, help, code="OG604")
    new = in_setup(decl, after, chop_dims, pad) if setup else at_block_level(decl, after, pad)
    session.edit_body(path, lambda b: (*b[:i], *new))
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
    Returns: the declaration.
    """
    path = session.find(target, "decl")
    decl = array_declaration_at(session, path)
    i, after = path.index, session.around(path)[path.index + 1 :]
    new = in_registers(decl, after, dims)
    session.edit_body(path, lambda b: (*b[:i], *new))
    return session.handle(path)


def to_global_memory(program: Program, path: StatementPath, decl: Decl) -> Program:
    """Allocate and free an array of the host in global memory."""
    i = path.index
    allocation = Alloc(elem_of(decl), dims_of(decl), Space.GMEM)
    new = Decl(decl.name, Pointer(elem_of(decl)), allocation, const=True, id=decl.id)
    gmem_free = CallStmt(Call("gmem_free", (Var(decl.name),)))

    def change(body: Body) -> Body:
        following = _claimed_in(Space.GMEM, decl.name, body[i + 1 :])
        rest = tuple(replace(gmem_free, id=s.id) if is_free_of(s, decl.name) else s for s in following)
        if not isinstance(decl.init, Alloc):  # it was freed at the end of its scope
            rest = freed_at_end(rest, gmem_free)
        return (*body[:i], new, *rest)

    return edit_body(program, path, change)


def at_block_level(decl: Decl, rest: Body, padding: pad | None) -> Body:
    """An array that is declared at block level as a `__shared__` array; `rest` is what follows its declaration."""
    kept = tuple(s for s in rest if not is_free_of(s, decl.name))
    return (shared_declaration(decl, padding), *_claimed_in(Space.SMEM, decl.name, kept))


def shared_declaration(decl: Decl, padding: pad | None) -> Decl:
    if any(value_of(d) is None for d in dims_of(decl)):
        help = (
            f'allocate it in the setup of the kernel: s.loop.hoist_alloc("{decl.name}", dest=Call("kernel_setup_end"))'
        )
        raise refuse(f"the sizes of `{decl.name}` are not numbers", decl, help)
    return Decl(decl.name, Array(elem_of(decl), _padded(decl, dims_of(decl), padding), Space.SMEM), id=decl.id)


def shared_bytes(body: Body) -> Expr:
    """The size of the shared arrays that statements declare."""
    total: Expr = lit(0)
    for s in statements(body):
        if isinstance(s, Decl) and isinstance(s.type, Array) and s.type.space is Space.SMEM:
            total = plus(total, Binary("*", product(dims_of(s)), SizeOf(s.type.elem)))
    return total


def _padded(decl: Decl, dims: tuple[Expr, ...], padding: pad | None) -> tuple[Expr, ...]:
    """Sizes with the padding added to the last ones."""
    by = () if padding is None else padding.by
    if len(by) > len(dims):
        raise refuse(f"`{decl.name}` has {len(dims)} dimensions, the padding {len(by)}", decl, code="OG604")
    first = len(dims) - len(by)
    return (*dims[:first], *(plus(d, lit(extra)) for d, extra in zip(dims[first:], by)))


def as_one_cell(decl: Decl, rest: Body) -> Body:
    """A scalar as an array of one cell, which the threads of a block can share; `rest` is what follows its declaration."""
    first = cell(decl.name, [lit(0)])
    start: Body = () if decl.init is None else (Store(first, decl.init),)
    array = replace(decl, type=Array(elem_of(decl), (lit(1),)), init=None, const=False)
    return (array, *start, *substitute_body(rest, {decl.name: first}))


def in_setup(decl: Decl, rest: Body, dims: int, padding: pad | None) -> Body:
    """An array whose first `dims` dimensions number the blocks, in shared memory that the setup of a kernel allocates; `rest` is
    what follows its declaration. It is freed where it was freed before, or at the start of the teardown."""
    sizes = _padded(decl, _own_sizes(decl, dims), padding)
    if not sizes:
        raise refuse(
            f"all dimensions of `{decl.name}` would number blocks", decl, "chop fewer dimensions", code="OG604"
        )
    free = CallStmt(Call(f"__smem_free{len(sizes)}", (Var(decl.name), *sizes)))
    freed = tuple(replace(free, id=s.id) if is_free_of(s, decl.name) else s for s in rest)
    if freed == rest:
        end = next((k + 1 for k, s in enumerate(rest) if is_call(s, "kernel_teardown_begin")), len(rest))
        freed = (*rest[:end], free, *rest[end:])
    allocation = Alloc(elem_of(decl), sizes, Space.SMEM)
    new = Decl(decl.name, Pointer(elem_of(decl)), allocation, const=True, id=decl.id)
    return (new, *_claimed_in(Space.SMEM, decl.name, distributed(decl, freed, dims)))


def in_registers(decl: Decl, rest: Body, dims: int) -> Body:
    """An array whose first `dims` dimensions number the threads, in registers; `rest` is what follows its declaration."""
    allocation = Alloc(elem_of(decl), _own_sizes(decl, dims), Space.TREG)
    new = Decl(decl.name, Pointer(elem_of(decl)), allocation, const=True, id=decl.id)
    kept = tuple(s for s in rest if not is_free_of(s, decl.name))
    return (new, *_claimed_in(Space.TREG, decl.name, distributed(decl, kept, dims)))


def _claimed_in(space: Space, name: str, body: Body) -> Body:
    """Contracts and ghosts that state where the cells of an array are, with its new memory space: `~~>[SMem]` for `~~>[Any]`."""

    def claim(x: Expr) -> Expr:
        if isinstance(x, PointsTo) and x.space == Var(Space.ANY.value) and root_name(x.pointer) == name:
            return replace(x, space=Var(space.value))
        return x

    return rewrite_body(body, lambda e: rewrite(e, claim))


def _own_sizes(decl: Decl, dims: int) -> tuple[Expr, ...]:
    """The sizes of the part of one block or thread: all but the first `dims`."""
    sizes = dims_of(decl)
    if not 0 < dims <= len(sizes):
        raise refuse(f"`{decl.name}` has {len(sizes)} dimensions", decl, code="OG604")
    return sizes[dims:]


def distributed(decl: Decl, body: Body, dims: int) -> Body:
    """Accesses of an array whose first `dims` dimensions number blocks or threads: their indices become one DMINDEX."""
    sizes = dims_of(decl)[:dims]

    def access(x: Expr) -> Expr:
        if isinstance(x, Index) and x.base == Var(decl.name):
            if len(x.indices) < dims or (isinstance(x.indices[0], Call) and x.indices[0].func.startswith("DMINDEX")):
                return x
            part = Call(f"DMINDEX{dims}", (*sizes, *x.indices[:dims]))
            return replace(x, indices=(part, *x.indices[dims:]))
        return x

    return rewrite_body(body, lambda e: rewrite(element_permissions(e, decl.name), access))
