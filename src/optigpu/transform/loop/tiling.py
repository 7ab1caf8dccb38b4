"""Tiling: `loop.tile` cuts one loop into two nested ones."""

from __future__ import annotations

from optigpu.light_dataclass import dataclass, replace
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import BigOp, Binary, Call, Expr, Group, Range, RangeBinder, TypeOf, Var
from optigpu.syntax.program import Body, Clause, For, If, LoopRange, Mode
from optigpu.syntax.source import StatementId
from optigpu.syntax.substitution import substitute, substitute_body
from optigpu.syntax.types import INT, INT64
from optigpu.syntax.walk import map_clauses
from optigpu.transform.loop.loop_targets import index_name, loop_at
from optigpu.transform.step_results import TiledLoop
from optigpu.transform.tools.c_text import Size, as_expression
from optigpu.transform.tools.changed_permissions import PER_ITERATION
from optigpu.transform.tools.counted_loops import counted, is_plain
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import (
    ceil_div,
    div,
    exact_div,
    flattened_sums,
    less,
    lit,
    minimum,
    minus,
    plus,
    times,
    up_to,
    value_of,
)

TAILS = ("divides", "guard", "peel", "min")
SHARED = ("spreserves", "sreads", "srequires", "invariant")

Contract = tuple[Clause, ...]


@transformation
def tile(
    session: Session,
    target: TargetLike,
    size: Size,
    *,
    outer: str | None = None,
    tail: str = "divides",
    all: bool = False,
) -> TiledLoop:
    """Cut a loop into tiles of `size` iterations. `outer` names the loop over the tiles; the loop inside a tile keeps its name.

    `tail` says how to handle a count that the size may not divide: "divides" requires a proof that it does, "guard" tests each
    iteration, "min" shortens the last tile, "peel" runs the remaining iterations in a second loop (an epilogue). With `all`, every
    loop that fits the target is tiled, and the first one is returned.

    Before:
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }
    Step: s.loop.tile("i", 8, outer="bi", tail="guard")
    After:
        for (int bi = 0; bi < (n + 7) / 8; bi++) {
          for (int i = 0; i < 8; i++) {
            if (bi * 8 + i < n) {
              a[bi * 8 + i] = 0.0f;
            }
          }
        }

    Needs: a loop that counts by a constant; with "divides", a contract that implies the divisibility.
    Fails: OG311 when it is not proved that the size divides the count.
    Returns: `outer`, the loop over the tiles; `inner`; `tail`, the epilogue or None. As a target, the outer loop.
    """
    if all:
        loops = [session.handle(path) for path in session.find_all(target, "for")]
        first, *_ = [tile(session, loop, size, outer=outer, tail=tail) for loop in loops]
        return first
    if tail not in TAILS:
        raise refuse(f'tail="{tail}" is not known', help=f"one of {', '.join(TAILS)}", code="OG604")
    path, loop = loop_at(session, target)
    count, n = counted(loop).count, as_expression(size)
    if (number := value_of(n)) is not None and number < 1:
        raise refuse(f"a tile of {number} iterations: it has at least one", loop, code="OG604")
    tiles = Tiles(loop, index_name(session, outer or f"b{loop.index}", path, loop), n)
    body = tiles.iteration(tiles.index)
    rest: Body = ()
    match tail:
        case "divides":
            nest = tiles.nest(exact_div(count, n), n, body, tiles.contracts(n))
        case "guard":
            guard = less(tiles.index, count)
            nest = tiles.nest(ceil_div(count, n), n, (If(guard, body),), tiles.contracts(n, count, guard))
        case "min":
            extent = minimum(n, minus(count, tiles.start))
            nest = tiles.nest(ceil_div(count, n), extent, body, tiles.contracts(extent, count))
        case _:
            nest = tiles.nest(div(count, n), n, body, tiles.contracts(n))
            rest = (tiles.epilogue(count, times(div(count, n), n)),)
    session.put(path, nest, *rest)
    epilogue = session.handle(path.sibling(1)) if rest else None
    return TiledLoop(session, session.at(path).id, session.handle(path.child(0)), epilogue)


@dataclass(frozen=True, slots=True)
class Tiles:
    """A loop that is cut into tiles of `size` iterations; `outer` is the index of the tile."""

    loop: For
    outer: str
    size: Expr

    @property
    def start(self) -> Expr:
        """The number of the first iteration of a tile."""
        return times(Var(self.outer), self.size)

    @property
    def index(self) -> Expr:
        """The number of an iteration, from the index of its tile and its index in the tile."""
        return plus(self.start, Var(self.loop.index))

    def iteration(self, number: Expr) -> Body:
        """The loop's body in the iteration with this number."""
        return flattened_sums(substitute_body(self.loop.body, {self.loop.index: self.value(number)}))

    def value(self, number: Expr) -> Expr:
        """The loop's index in the iteration with this number."""
        return number if is_plain(self.loop) else counted(self.loop).value(number)

    def nest(self, tiles: Expr, extent: Expr, body: Body, contracts: tuple[Contract, Contract]) -> For:
        """The loop over `tiles` tiles, and in it the loop over the `extent` iterations of one; `contracts` are those of the two."""
        loop = self.loop
        few = loop.index_type == INT64 and (value_of(extent) or INT64.high) <= INT.high
        inner = replace(
            up_to(loop.index, extent, body, like=loop),
            contract=contracts[1],
            mode=Mode.SEQUENTIAL,
            hints=(),
            index_type=INT if few else loop.index_type,
        )
        width = INT64 if loop.index_type.bits == INT64.bits else INT  # `bi * 8` needs no fewer bits than `i` did
        range_ = LoopRange(lit(0), "<", tiles, "+", lit(1))
        return For(
            self.outer, range_, (inner,), loop.mode, contracts[0], loop.hints, width, id=StatementId(parent=loop.id)
        )

    def epilogue(self, count: Expr, start: Expr) -> For:
        """The iterations after the last whole tile."""
        loop = self.loop
        copy = replace(loop, contract=self.contract_at(Var(loop.index)), id=StatementId(parent=loop.id))
        return up_to(loop.index, count, self.iteration(Var(loop.index)), start, copy)

    def contract_at(self, number: Expr) -> Contract:
        """The loop's contract for the iteration with this number."""
        return map_clauses(self.loop.contract, lambda e: substitute(e, {self.loop.index: self.value(number)}))

    def contracts(
        self, extent: Expr, count: Expr | None = None, guard: Expr | None = None
    ) -> tuple[Contract, Contract]:
        """Contracts of the loop over tiles and of the loop over the `extent` iterations of a tile, from that of the whole loop.

        `count` is the number of iterations, if the last tile may be shorter than the others; `guard`, if it is as long, and tests
        which of them there are. Both are empty, which leaves them to the proof, if a clause cannot be carried over.
        """
        i = self.loop.index

        def at(number: Expr, e: Expr) -> Expr:
            return substitute(e, {i: self.value(number)})

        def permission(e: Expr) -> Expr:
            return at(self.index, e) if guard is None else Call("If", (guard, at(self.index, e)))

        def fact(e: Expr) -> Expr:
            return at(self.index, e) if guard is None else Binary("==>", guard, at(self.index, e))

        def reached(number: Expr) -> Expr:
            return number if count is None else minimum(number, count)

        in_tile = (RangeBinder(i, Range(lit(0), extent)),)
        of_tiles: list[Clause] = []
        of_tile: list[Clause] = []
        for c in self.loop.contract:
            if any(isinstance(x.body, TypeOf) for x in c.items):
                return (), ()
            if c.kind in SHARED:
                of_tiles += map_clauses((c,), lambda e: at(reached(self.start), e))
                of_tile += map_clauses((c,), lambda e: at(self.index if guard is None else reached(self.index), e))
            elif c.kind in PER_ITERATION:
                of_tiles += map_clauses((c,), lambda e: Group(i, Range(lit(0), extent), permission(e)))
                of_tile += map_clauses((c,), permission)
            else:
                of_tiles += map_clauses((c,), lambda e: BigOp("All", in_tile, fact(e)))
                of_tile += map_clauses((c,), fact)
        return tuple(of_tiles), tuple(of_tile)
