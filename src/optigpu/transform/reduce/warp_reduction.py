"""`reduce.warp`: a sum by warp shuffles."""

from __future__ import annotations

from optigpu.kernel.thread_conditions import WARP
from optigpu.light_dataclass import dataclass
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Array, Binary, Expr, Index, Var
from optigpu.syntax.program import Body, Decl, For, If, LoopRange, Stmt, Store
from optigpu.transform.gpu.warp_shuffles import source_lane
from optigpu.transform.step_results import WarpReduction, handles_from
from optigpu.transform.tools.changed_annotations import without_steps
from optigpu.transform.tools.counted_loops import is_plain
from optigpu.transform.tools.declared_types import array_of
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import cell, less, lit, times, up_to, value_of, zero_of


@transformation
def warp(
    session: Session,
    target: TargetLike,
    *,
    warp: str = "w",
    lane: str = "l",
    distance: str = "d",
    other: str = "other",
    sums: str = "sums",
    total: str = "total",
) -> WarpReduction:
    """Sum a local array by shuffles: each warp sums its 32 elements as a binary tree, reading the other half from a copy; then the
    sums of the warps are added up.

    Before:
        float t[64];
        for (int i = 0; i < 64; i++) {
          t[i] = b[0];
        }
        float x = 0.0f;
        for (int i = 0; i < 64; i++) {
          x += t[i];
        }
        a[0] = x;
    Step: s.reduce.warp(For("i").last)
    After:
        float t[64];
        for (int i = 0; i < 64; i++) {
          t[i] = b[0];
        }
        float x = 0.0f;
        float other[64];
        float sums[2];
        for (int w = 0; w < 2; w++) {
          for (int d = 16; d > 0; d >>= 1) {
            for (int l = 0; l < 32; l++) {
              other[w * 32 + l] = t[w * 32 + (l + d < 32 ? l + d : l)];
            }
            for (int l = 0; l < 32; l++) {
              if (l < d) {
                t[w * 32 + l] += other[w * 32 + l];
              }
            }
          }
          for (int l = 0; l < 32; l++) {
            if (l == 0) {
              sums[w] = t[w * 32 + l];
            }
          }
        }
        float total = 0.0f;
        for (int j = 0; j < 2; j++) {
          total += sums[j];
        }
        x += total;
        a[0] = x;

    Needs: a loop over all elements of an array whose size is a multiple of 32. `gpu.launch` with both arrays in registers makes the
    copy a shuffle. Fails: when the array is used afterwards.
    Returns: `other` and `sums`, the declarations; `warps`, the loop; `combine`, the loop over the sums; `total`, the last update.
    As a target, the loop over the warps.
    """
    path = session.find(target, "for")
    loop = without_steps(session, session.at(path))
    into, array, size = _array_sum(loop)
    if size is None or size % WARP or size < WARP:
        raise refuse("the number of elements is not a multiple of 32", loop)
    elem = array_of(session, path, array).elem
    names = [session.fresh(name, path) for name in (warp, lane, distance, other, sums)]
    x, j = session.fresh(total, path), session.fresh("j", path)
    warps = WarpSums(array, *names)
    new = (
        Decl(warps.other, Array(elem, (lit(size),))),
        Decl(warps.sums, Array(elem, (lit(size // WARP),))),
        up_to(warps.warp, lit(size // WARP), warps.body()),
        Decl(x, elem, zero_of(elem)),
        up_to(j, lit(size // WARP), (Store(Var(x), cell(warps.sums, [Var(j)]), "+"),)),
        Store(into, Var(x), "+"),
    )
    session.put(path, *new)
    copy, of_warps, loop_of_warps, _, combining, update = handles_from(session, path, len(new))
    return WarpReduction(session, loop_of_warps.id, copy, of_warps, combining, update)


@dataclass(frozen=True, slots=True)
class WarpSums:
    """The sums of 32 elements of `array` each, in `sums`; the other fields are names of loop indices and of the copy."""

    array: str
    warp: str
    lane: str
    distance: str
    other: str
    sums: str

    def body(self) -> Body:
        """What one warp does."""
        lane, distance = Var(self.lane), Var(self.distance)
        own_element = self._element(self.array, lane)
        halves = (
            self._lanes(Store(self._element(self.other, lane), self._element(self.array, source_lane(lane, distance)))),
            self._lanes(If(less(lane, distance), (Store(own_element, self._element(self.other, lane), "+"),))),
        )
        tree = For(self.distance, LoopRange(lit(WARP // 2), ">", lit(0), ">>", lit(1)), halves)
        keep = Store(cell(self.sums, [Var(self.warp)]), own_element)
        return tree, self._lanes(If(Binary("==", lane, lit(0)), (keep,)))

    def _element(self, name: str, lane: Expr) -> Index:
        return cell(name, [Binary("+", times(Var(self.warp), lit(WARP)), lane)])

    def _lanes(self, *body: Stmt) -> For:
        return up_to(self.lane, lit(WARP), body)


def _array_sum(s: Stmt) -> tuple[Var | Index, str, int | None]:
    """For a loop that adds up an array: where the sum goes, the array, and the number of elements if it is constant."""
    match s:
        case For(i, _, (Store(into, Index(Var(array), (Var(j),)), "+"),)) if i == j and is_plain(s):
            return into, array, value_of(s.range.bound)
        case _:
            raise refuse("this is not a loop that adds up an array", s, "for (i = 0; i < 256; i++) sum += s[i];")
