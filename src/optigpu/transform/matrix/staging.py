"""Staging: `matrix.stage` reads an array through a copy that is made before a loop."""

from __future__ import annotations

from optigpu.script.editing import StatementPath
from optigpu.script.session import Session
from optigpu.script.targets import Read, TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Expr
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import For, Stmt
from optigpu.syntax.walk import statements
from optigpu.transform.loop.packing import hoist_read, only_read, outside_value, staged_copy
from optigpu.transform.matrix.array_accesses import accesses_of, reads_directly
from optigpu.transform.matrix.halo_regions import halo_region, overlapping
from optigpu.transform.step_results import StagedCopy
from optigpu.transform.tools.array_declarations import array_decl
from optigpu.transform.tools.c_text import Size
from optigpu.transform.tools.counted_loops import is_plain
from optigpu.transform.tools.declared_types import array_of
from optigpu.transform.tools.refusal import refuse


@transformation
def stage(session: Session, array: str, *, at: TargetLike, name: str, outside: Size | None = None) -> StagedCopy:
    """Read an array through a copy that is made just before a loop, with one dimension for each dimension of the array that varies
    in the loop. Several reads at constant distances share one copy: a tile with its halo.

    Before:
        for (int j = 0; j < 4; j++) {
          for (int i = 0; i < 8; i++) {
            m[i][j] = m2[j][i];
          }
        }
    Step: s.matrix.stage("m2", at="j", name="tile")
    After:
        float tile[4][8];
        for (int j = 0; j < 4; j++) {
          for (int i = 0; i < 8; i++) {
            tile[j][i] = m2[j][i];
          }
        }
        for (int j = 0; j < 4; j++) {
          for (int i = 0; i < 8; i++) {
            m[i][j] = tile[j][i];
          }
        }

    Needs: one read of the array inside the loop, whose conditions are kept around the copy; or several reads, or one that reads
    elements several times, as a convolution does (`x[i * s + u]`): then loops from 0, and indices that are sums of multiples of
    theirs. The copy is the window of all of them. If they are under conditions, it leaves out cells outside the array. With
    `outside`, cells that are left out hold this value: after `outside=0`, s.loop.unguard can drop guards around sums of products.
    Fails: when the array is written between the copy and a read.
    Returns: `declaration`, of the copy; `loop`, the outermost loop that fills it; `loops`, all of them. As a target, the
    declaration.
    """
    dest = session.find(at, "for")
    loop = session.at(dest)
    value = None if outside is None else outside_value(outside, array_of(session, dest, array).elem)
    readers = [p for p in session.find_all(Read(array)) if p.inside(dest) and reads_directly(session.at(p), array)]
    several = len(readers) != 1 or len({x.indices for x in accesses_of(loop, array)}) != 1
    if several or (isinstance(loop, For) and overlapping(loop, array)):
        return _stage_region(session, array, dest, name, value)
    path = readers[0]
    read = only_read(session, path, array)
    indices = [s.index for s in map(session.at, path.ancestors()) if isinstance(s, For) and _contains(loop, s)]
    order = [i for e in read.indices for i in indices if i in free_vars(e)]
    unused = [i for i in indices if i not in order]
    return hoist_read(session, path, array, name, dest, unused, order, value)


def _contains(outer: Stmt, loop: For) -> bool:
    return any(x is loop for x in statements((outer,)))


def _stage_region(session: Session, array: str, dest: StatementPath, name: str, outside: Expr | None) -> StagedCopy:
    nest = session.at(dest)
    if not isinstance(nest, For):
        raise refuse("this is not a loop", nest)
    part = halo_region(nest, array, lambda index: session.fresh(index, dest))
    whole = array_of(session, dest, array)
    dims = [d for d in whole.dims if d is not None]
    if len(dims) != len(part.sides):
        raise refuse(f"the sizes of `{array}` are not known", nest)
    local = session.fresh(name, dest)
    decl, frees = array_decl(local, whole.elem, part.sizes)
    loops = [s for s in map(session.at, dest.ancestors()) if isinstance(s, For) and is_plain(s)]
    around = {s.index: s.range.bound for s in loops}
    session.put(dest, decl, part.copy(local, dims, around, outside), part.reading(nest, local), *frees)
    return staged_copy(session, dest)
