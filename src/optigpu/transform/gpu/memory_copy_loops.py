"""Loops that copy an array between host and device: `gpu.loop_to_memcpy` makes them one call, such as `memcpy_host_to_device`."""

from __future__ import annotations

from optigpu.light_dataclass import dataclass
from optigpu.script.editing import StatementPath
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.annotations import MAX_DIMENSIONS
from optigpu.syntax.builtins import MEMORY_CALLS
from optigpu.syntax.exprs import Array, Call, Expr, Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import CallStmt, For, Stmt, Store
from optigpu.syntax.types import Space
from optigpu.transform.tools.changed_annotations import code_of, without_steps
from optigpu.transform.tools.counted_loops import counted, is_plain
from optigpu.transform.tools.declared_types import declared
from optigpu.transform.tools.refusal import refuse

# The copy between two memory spaces, by the space of the source and that of the destination.
DIRECTIONS = {
    (Space.ANY, Space.GMEM): "memcpy_host_to_device",
    (Space.GMEM, Space.ANY): "memcpy_device_to_host",
    (Space.GMEM, Space.GMEM): "memcpy_device_to_device",
}


@transformation
def loop_to_memcpy(session: Session, target: TargetLike) -> Handle:
    """Make loops of the host that copy one array to another a single call, whose direction follows from where the arrays live.

    Before:
        float* const d = __gmem_malloc2<float>(n, 8);
        for (int i = 0; i < n; i++) {
          for (int j = 0; j < 8; j++) {
            d[i][j] = m[i][j];
          }
        }
        gmem_free(d);
    Step: s.gpu.loop_to_memcpy("i")
    After:
        float* const d = __gmem_malloc2<float>(n, 8);
        memcpy_host_to_device2(d, m, n, 8);
        gmem_free(d);

    Needs: loops from 0 by one around a single assignment, with the same indices on both sides, in the order of the loops; one of
    the arrays in global memory. Fails: when the sizes are not those of the arrays.
    Returns: the call.
    """
    path = session.find(target, "for")
    s = session.at(path)
    copy = copy_of_loops(session, path)
    if copy is None:
        raise refuse("this is not a nest of loops that copies one array to another, element by element", s)
    if copy.function is None:
        message = f"`{copy.arrays[0]}` and `{copy.arrays[1]}` are not in memory that memcpy copies between"
        raise refuse(message, s, "s.gpu.convert_to_global_mem puts one of them into global memory")
    session.put(path, copy.memcpy(session))
    return session.handle(path)


@dataclass(frozen=True, slots=True)
class ArrayCopy:
    """Loops that copy the array `arrays[1]` to `arrays[0]`, and the function that does the same, if there is one."""

    arrays: tuple[str, str]
    sizes: tuple[Expr, ...]
    function: str | None
    loops: Stmt

    def memcpy(self, session: Session) -> Stmt:
        """The call of that function, in the place of the loops and their proof steps; the loops themselves if there is none."""
        if self.function is None:
            return self.loops
        without_steps(session, self.loops)
        return CallStmt(Call(self.function, (*map(Var, self.arrays), *self.sizes)), id=self.loops.id)


def copy_of_loops(session: Session, path: StatementPath) -> ArrayCopy | None:
    """The copy that a nest of loops does; None for any other statement."""
    nest = s = session.at(path)
    sizes: list[Expr] = []
    indices: list[Expr] = []
    while isinstance(s, For) and is_plain(s) and len(code_of(s.body)) == 1 and len(sizes) < MAX_DIMENSIONS:
        sizes.append(counted(s).count)
        indices.append(Var(s.index))
        (s,) = code_of(s.body)
    match s:
        case Store(Index(Var(to), to_indices), Index(Var(source), source_indices), None):
            copied = to_indices == source_indices == tuple(indices)
        case _:
            return None
    if not copied or any(set(free_vars(size)) & {i.name for i in indices if isinstance(i, Var)} for size in sizes):
        return None
    from_type, to_type = declared(session, path, source), declared(session, path, to)
    if not isinstance(from_type, Array) or not isinstance(to_type, Array):
        return None
    function = DIRECTIONS.get((from_type.space, to_type.space), "") + str(len(sizes))
    return ArrayCopy((to, source), tuple(sizes), function if function in MEMORY_CALLS else None, nest)
