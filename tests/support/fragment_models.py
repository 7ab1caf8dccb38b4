"""The rules for fragments beside the finite model: all layouts of a group of two threads, random families and maps.

What a rule accepts must be right whatever the layout is: the threads that execute the instruction may access what it accesses, and
the contents afterwards are those that it computes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any
from unittest.mock import patch

from optigpu.kernel import Rejected, State, thread_conditions
from optigpu.kernel import instructions as kc
from optigpu.kernel.fragment_layouts import thread_of, threads_of_row
from optigpu.kernel.fragment_rules import Found, row_cells, tile_cells
from optigpu.kernel.loop_contract import Exclusive, LoopContract
from optigpu.kernel.state import changed
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, LENT, READ, Cells, Owner, Terms
from optigpu.logic.terms import FALSE, INT, ONE, REAL, TRUE, ZERO, Term
from tests.support.model import Cell, Misbehaved, Permissions, must_allow, permissions
from tests.support.model_runs import B0, B1, NINE, TWO, Counting, function, m, mapping
from tests.support.open_kernel import entered_loop
from tests.support.terms import evaluate

THREADS = 2  # of the groups that have fragments together here
ROWS, COLS = 2, 2
PAIR = k.fun_sort((INT, INT), REAL)
NUMBERS = {name: k.var(name, PAIR) for name in ("C", "L", "R")}
ROW_NUMBERS = k.var("V", k.fun_sort((INT,), REAL))


@dataclass(frozen=True)
class Layout:
    """The threads of each row, and the thread that has each element."""

    rows: tuple[range, ...]
    elements: tuple[tuple[int, ...], ...]

    def thread_of(self, i: int, j: int) -> int:
        return self.elements[i % ROWS][j % COLS]

    def row(self, i: int) -> range:
        return self.rows[i % ROWS]

    def functions(self) -> dict[str, Any]:
        """The values of the unknown functions of fragment_layouts.py."""
        return {
            f"fragThread{THREADS}#0": self.thread_of,
            f"fragRow{THREADS}#0": lambda i: self.row(i).start,
            f"fragRowSize{THREADS}#0": lambda i: len(self.row(i)),
        }


def layouts() -> Iterator[Layout]:
    """All layouts: rows are intervals of the group, and elements belong to threads of their rows."""
    intervals = [range(a, b) for a in range(THREADS) for b in range(a + 1, THREADS + 1)]
    a_row = [(threads, own) for threads in intervals for own in product(threads, repeat=COLS)]
    for chosen in product(a_row, repeat=ROWS):
        yield Layout(tuple(row for row, _ in chosen), tuple(own for _, own in chosen))


LAYOUTS = tuple(layouts())


def groups_of_two() -> Any:
    """Groups that have fragments together are of two threads."""
    return patch.object(thread_conditions, "GROUPS", (THREADS,))


def environment(layout: Layout, depth: int) -> dict[str, Any]:
    return {
        **layout.functions(),
        "n": 0, "m": depth, "nowhere#0": -1,
        "C": lambda i, j: 100 + 10 * i + j, "L": lambda i, j: 2 + 3 * i + 7 * j, "R": lambda i, j: 5 - 4 * i + 11 * j,
        "V": lambda i: 50 + i,
    }  # fmt: skip


# States ----------------------------------------------------------------------------------------------------------------------


def array(base: str, space: str, *sizes: int) -> kc.Allocate:
    return kc.Allocate(base, REAL, tuple(map(k.num, sizes)), space, False, False, 4)


def begun(*code: kc.Instruction, block: int = THREADS) -> tuple[Counting, State]:
    """A block of two threads; 0 <= m <= 2, an array a without cells."""
    start = (kc.LaunchKernel(ONE, k.num(block), k.num(1024)), kc.Phase("threads"))
    facts = (k.eq(k.var("n", INT), ZERO), k.le(ZERO, m), k.le(m, TWO))
    kernel = Counting(function((*start, *code), facts, (), (), "GMem"))
    state = kernel.phase(kernel.launch(kernel.begin("f", ())))
    for i in code:
        if isinstance(i, kc.Allocate):
            state = kernel.allocate(state)
    return kernel, state


def family_of(state: State, base: str) -> int:
    (number,) = [n for n, r in state.held.items() if r.cells.base == base]
    return number


def with_family(state: State, base: str, **changes: Any) -> State:
    number = family_of(state, base)
    return changed(state, held={**state.held, number: replace(state.held[number], **changes)})


def filled(r: Random, state: State, base: str, value: Term) -> State:
    """The array with contents, at random not all of them, and with an owner that is at random another one."""
    right = TRUE, FULL, state.held[family_of(state, base)].owner
    others = [thread_of(THREADS, B0, B1), threads_of_row(THREADS, B1)] if value.level > 1 else []
    owners = [Owner(ZERO, ONE), Owner(ZERO, ZERO), Owner(B0, ONE), thread_of(THREADS, B0, B0), *others]
    wrong = r.choice([FALSE, k.lt(B0, ONE), k.lt(ZERO, B0)]), r.choice([READ, LENT]), r.choice(owners)
    init, share, owner = (b if r.random() < 0.06 else a for a, b in zip(right, wrong))
    return with_family(state, base, init=init, share=share, owner=owner, value=value)


def numbers(name: str) -> Term:
    return k.app(NUMBERS[name], B1, B0)


def found(r: Random, state: State, need: Cells, written: bool = False) -> Found:
    number = family_of(state, need.base)
    have = state.held[number].cells
    forward = mapping(r, have, need, state)
    return Found(number, forward, mapping(r, need, have, state) if written else ())


# What threads may do ---------------------------------------------------------------------------------------------------------


def use(p: Permissions, cell: Cell, threads: set[int]) -> Any:
    """All these threads read a cell."""
    content = {**p.lent, **p.full}.get(cell)
    if content is None:
        raise Misbehaved(f"outside, or not written: {cell}")
    if not threads <= p.owners[cell]:
        raise Misbehaved(f"{cell} belongs to {p.owners[cell]}, and not to {threads}")
    return content


def change(p: Permissions, cell: Cell, threads: set[int], value: Any) -> None:
    use(p, cell, threads)
    if cell not in p.full:
        raise Misbehaved(f"only to be read: {cell}")
    if any(c == cell and threads != {t} for c, t in p.readers):
        raise Misbehaved(f"another thread may be reading {cell}")
    p.full[cell] = value


def multiplied(p: Permissions, i: kc.MultiplyTiles, spaces: dict[str, str], layout: Layout, depth: int) -> None:
    """What `mma` does: thread (i, j) of the layout gets the sum of element (i, j); shared operands are read by all threads."""

    def operand(view: kc.TileView, row: int, col: int, across: bool) -> Any:
        at = (col, row) if across else (row, col)
        cell = (view.base, (view.row.data + at[0], view.col.data + at[1]))
        if spaces[view.base] == kc.FRAGMENT:
            return use(p, cell, {layout.thread_of(row, col)})
        value = use(p, cell, set(range(THREADS)))
        p.readers |= {(cell, t) for t in range(THREADS)}
        return value

    for row, col in product(range(ROWS), range(COLS)):
        cell, own = (i.target.base, (i.target.row.data + row, i.target.col.data + col)), {layout.thread_of(row, col)}
        total = use(p, cell, own)
        for n in range(depth):
            total += operand(i.left, row, n, i.left_across) * operand(i.right, n, col, i.right_across)
        change(p, cell, own, total)  # some elements are written before the factors have been read for others


def reduced(p: Permissions, i: kc.ReduceRows, layout: Layout) -> None:
    """What `frag_row_sum` and the like do: all threads of a row change their copies of its element of the vector."""
    combine: dict[str, Callable[[Any, Any], Any]] = {"sum": lambda a, b: a + b, "max": max, "min": min}
    for row in range(ROWS):
        cell = (i.target.base, (i.target.shift.data + row,))
        total = use(p, cell, set(layout.row(row)))
        for col in range(COLS):
            at = (i.source.base, (i.source.row.data + row, i.source.col.data + col))
            total = combine[i.operator](total, use(p, at, {layout.thread_of(row, col)}))
        change(p, cell, set(layout.row(row)), total)


# Rules beside them -----------------------------------------------------------------------------------------------------------


def view(r: Random, base: str) -> kc.TileView:
    """A tile that begins at the first element, or further on."""
    row, col = (k.num(r.choice([0] * 12 + [1])) for _ in range(2))
    return kc.TileView(base, (), row, col)


def multiplying(r: Random, change_rule: Callable[[Counting], None] = lambda kernel: None) -> Counter[str]:
    """A product of tiles in shared memory and fragments, some of them transposed, some of them wrong."""
    with groups_of_two():
        spaces = {
            "c": r.choice(["Frag"] * 20 + ["SMem"]),
            "l": r.choice(["SMem", "Frag"]),
            "r": r.choice(["SMem", "SMem", "Frag"]),
        }
        sizes = {"c": (2, 2), "l": r.choice([(2, 2), (2, 2), (3, 3), (2, 1)]), "r": r.choice([(2, 2), (2, 2), (3, 3)])}
        depth = r.choice([m, m, ZERO, ONE, TWO, TWO])
        left = view(r, r.choice(["l"] * 9 + ["c"]))
        i = kc.MultiplyTiles(
            view(r, "c") if r.random() < 0.1 else kc.TileView("c", (), ZERO, ZERO), left, view(r, "r"),
            k.num(ROWS), k.num(COLS), depth, r.random() < 0.3, r.random() < 0.3,
        )  # fmt: skip
        kernel, state = begun(*(array(b, spaces[b], *sizes[b]) for b in "clr"), i)
        change_rule(kernel)
        for base in "clr":
            state = filled(r, state, base, numbers(base.upper()))
        total = tile_cells(state.tile(i.target), i.rows, i.cols)
        left_need = tile_cells(state.tile(i.left), i.rows, depth, i.left_across)
        right_need = tile_cells(state.tile(i.right), depth, i.cols, i.right_across)
        places = found(r, state, total, True), found(r, state, left_need), found(r, state, right_need)
        try:
            after = kernel.multiply_tiles(state, *places)
        except Rejected:
            return kernel.accepted
        for number in range(3) if depth is m else (depth.data,):
            for layout in LAYOUTS:
                env = environment(layout, number)
                p = permissions(state, env)
                if spaces["c"] != kc.FRAGMENT:
                    raise Misbehaved("the sums are in no fragment")
                multiplied(p, i, spaces, layout, number)
                must_allow(permissions(after, env), p)
        return kernel.accepted


def reducing(r: Random, change_rule: Callable[[Counting], None] = lambda kernel: None) -> Counter[str]:
    """A reduction of rows, of which some vectors and fragments are not those of the layout."""
    with groups_of_two():
        spaces = {"v": r.choice(["Frag"] * 6 + ["SMem"]), "c": r.choice(["Frag"] * 6 + ["SMem"])}
        operator = r.choice(kc.ROW_OPERATORS)
        to = kc.ArrayView("v", (), k.num(r.choice([0] * 20 + [1])))
        i = kc.ReduceRows(operator, to, view(r, "c"), k.num(ROWS), k.num(COLS))
        size = r.choice([2, 2, 2, 3])
        kernel, state = begun(array("v", spaces["v"], size), array("c", spaces["c"], size, 2), i)
        change_rule(kernel)
        state = filled(r, filled(r, state, "v", k.app(ROW_NUMBERS, B0)), "c", numbers("C"))
        vector = row_cells("v", (to.shift,), i.rows)
        source = tile_cells(i.source, i.rows, i.cols)
        try:
            after = kernel.reduce_rows(state, found(r, state, vector, True), found(r, state, source))
        except Rejected:
            return kernel.accepted
        for layout in LAYOUTS:
            env = environment(layout, 0)
            p = permissions(state, env)
            if set(spaces.values()) != {kc.FRAGMENT}:
                raise Misbehaved("a vector or matrix is in no fragment")
            reduced(p, i, layout)
            must_allow(permissions(after, env), p)
        return kernel.accepted


# Loops over fragments --------------------------------------------------------------------------------------------------------

Places = tuple[Terms, Terms]  # the element of iteration (i, j), under its binders, and the iteration of an element
OTHER_ROW, OTHER_COL = k.sub(ONE, B1), k.sub(ONE, B0)
PLACES: tuple[Places, ...] = (
    ((B1, B0), (B1, B0)),
    ((B0, B1), (B0, B1)),
    ((OTHER_ROW, B0), (OTHER_ROW, B0)),
    ((B1, OTHER_COL), (B1, OTHER_COL)),
    ((B1, ZERO), (B1, ZERO)),
    ((k.fmod(k.add(B1, B0), TWO), B0), (k.fmod(k.add(B1, B0), TWO), B0)),
)
ROW_PLACES: tuple[Places, ...] = (((B0,), (B0,)), ((k.sub(ONE, B0),), (k.sub(ONE, B0),)), ((ZERO,), (ZERO,)))


def frag_loop(name: str, *body: kc.Instruction) -> kc.CountedLoop:
    return kc.CountedLoop(k.var(name, INT), ZERO, "<", TWO, "+", ONE, body, kc.FRAG)


def nest(what: str, index: Terms) -> kc.CountedLoop:
    """Every element is written or read, or (`row`) every element of the vector is written."""
    at = (k.var("i", INT),) if what == "row" else (k.var("i", INT), k.var("j", INT))
    place = kc.CellAddress("v" if what == "row" else "c", k.instantiate_all(index, at))
    access = kc.LoadCell(k.var("x", REAL), place) if what == "read" else kc.StoreCell(place, NINE)
    return frag_loop("i", access) if what == "row" else frag_loop("i", frag_loop("j", access))


def new_family(after: State, before: State) -> int:
    (number,) = [n for n in after.held if n not in before.held]
    return number


def by_rules(r: Random, kernel: Counting, state: State, what: str, place: Places) -> State:
    """The next nest of loops, by the rules for its loops and its access."""
    index, back = place
    wholes = r.random() < 0.2, r.random() < 0.8
    if what == "read":
        body = kernel.enter_loop(state, LoopContract())
        inner = kernel.enter_loop(body, LoopContract())
        at = k.instantiate_all(index, (entered_loop(body).v, entered_loop(inner).v))
        end = kernel.load(inner, family_of(state, "c"), at)
        return kernel.leave_loop(kernel.leave_loop(end, (), ()), (), ())
    base, ranges = ("v", ((ZERO, TWO),)) if what == "row" else ("c", ((ZERO, TWO), (ZERO, TWO)))
    cells = Cells(base, ranges, TRUE, index)
    taken = Exclusive(family_of(state, base), cells, index, back, TRUE, NINE, wholes[what == "row"])
    body = kernel.enter_loop(state, LoopContract((taken,)))
    number = new_family(body, state)
    if what == "row":
        return kernel.leave_loop(kernel.store(body, number, ()), ((),), ())
    own = Exclusive(number, cells.under((entered_loop(body).v,)), (B0,), (B0,), TRUE, NINE, wholes[1])
    inner = kernel.enter_loop(body, LoopContract((own,)))
    end = kernel.store(inner, new_family(inner, body), ())
    return kernel.leave_loop(kernel.leave_loop(end, ((),), ()), ((),), ())


def by_threads(p: Permissions, what: str, index: Terms, layout: Layout) -> None:
    """The same nest by the threads that the layout says."""
    owners: dict[Cell, set[int]] = {("v", (i,)): set(layout.row(i)) for i in range(ROWS)}
    owners |= {("c", (i, j)): {layout.thread_of(i, j)} for i in range(ROWS) for j in range(COLS)}
    for i in range(ROWS):
        for j in range(1 if what == "row" else COLS):
            at: tuple[int, ...] = (i,) if what == "row" else (i, j)
            cell: Cell = ("v" if what == "row" else "c", tuple(evaluate(t, {}, at) for t in index))
            threads = set(layout.row(i)) if what == "row" else {layout.thread_of(i, j)}
            if owners[cell] != threads:
                raise Misbehaved(f"{threads} access {cell}, which {owners[cell]} have")
            if what == "read" and p.full[cell] is None:
                raise Misbehaved(f"not written: {cell}")
            p.full[cell] = p.full[cell] if what == "read" else 9


def looping(r: Random) -> Counter[str]:
    """Loops over rows and elements, in which threads access elements, some of them those of others."""
    with groups_of_two():
        order = [r.choice(["write", "write", "read", "row"]) for _ in range(r.randint(1, 3))]
        right = [(what, (ROW_PLACES if what == "row" else PLACES)[0]) for what in order]
        nests = [
            (what, place if r.random() < 0.8 else r.choice(ROW_PLACES if what == "row" else PLACES))
            for what, place in right
        ]
        declared = (array("c", "Frag", ROWS, COLS), array("v", "Frag", ROWS))
        kernel, state = begun(*declared, *(nest(what, place[0]) for what, place in nests))
        before = [permissions(state, environment(layout, 0)) for layout in LAYOUTS]
        try:
            for what, place in nests:
                state = by_rules(r, kernel, state, what, place)
                for layout, p in zip(LAYOUTS, before):
                    by_threads(p, what, place[0], layout)
                    must_allow(permissions(state, environment(layout, 0)), p)
        except Rejected:
            pass
        return kernel.accepted
