"""Transformations of reductions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from optigpu.kernel.thread_conditions import WARP
from optigpu.script.editing import edit_body
from optigpu.script.handles import Handle
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import TransformGroup, transformation
from optigpu.syntax.exprs import Array, Binary, Call, Expr, Index, Real, Var, is_float
from optigpu.syntax.free_names import body_free_vars, free_vars
from optigpu.syntax.program import Body, Decl, For, If, LoopRange, Stmt, Store
from optigpu.syntax.source import NO_ID
from optigpu.syntax.substitution import substitute, substitute_body
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import statements, stmt_exprs
from optigpu.transform.loop_nests import array_decl, is_plain, refuse
from optigpu.transform.shuffles import lane_below
from optigpu.transform.simplified import (
    Size,
    ceil_div,
    cell,
    exact_div,
    expression,
    flattened,
    gather,
    less,
    lit,
    minus,
    mod,
    plus,
    times,
    up_to,
    value_of,
)
from optigpu.transform.types_at import array_of, scalar_of

EXTREMES = ("fmaxf", "fminf", "fmax", "fmin", "max", "min")


class ReductionTransforms(TransformGroup):
    name = "reduce"

    @transformation
    def slide(self, target: TargetLike) -> Handle:
        """Compute sums over a sliding window from one another: add what comes in, subtract what goes out.

        Before:
            for (int i = 0; i < 8; i++) {
              float s = 0.0f;
              for (int k = i; k < i + 3; k++) {
                s += b[k];
              }
              a[i] = s;
            }
        Step: s.reduce.slide("i")
        After:
            float s = 0.0f;
            for (int k = 0; k < 3; k++) {
              s += b[k];
            }
            a[0] = s;
            for (int i = 1; i < 8; i++) {
              s += b[i + 2] - b[i - 1];
              a[i] = s;
            }

        Needs: a loop whose body sums over a window that moves with its index, and at least one iteration.
        Fails: when it is not known that the loop runs at all, or the window is not the same size throughout.
        """
        place = self.session.find(target, "for")
        loop = self.session.at(place)
        if not isinstance(loop, For) or (loop.range.relation, loop.range.op, loop.range.amount) != ("<", "+", lit(1)):
            raise refuse("this is not a loop that counts up by one", loop)
        decl, window, add, rest = _window_sum(loop)
        i, low, high = loop.index, window.range.start, window.range.bound
        start = loop.range.start

        def at(e: Expr, index: Expr) -> Expr:
            return substitute(e, {i: index})

        def value(index: Expr) -> Expr:
            return substitute(add.value, {window.index: index})

        before = minus(Var(i), lit(1))
        after = plus(Var(i), lit(1))
        if any(gather(minus(at(end, after), end)) != lit(1) for end in (low, high)):
            raise refuse(f"the window does not move by one with `{i}`", window)
        entering = _tidy(value(gather(minus(high, lit(1)))))
        leaving = _tidy(value(gather(at(low, before))))
        first: Body = (
            decl,
            replace(window, range=replace(window.range, start=gather(at(low, start)), bound=gather(at(high, start)))),
            *substitute_body(rest, {i: start}),
        )
        update = Store(Var(decl.name), Binary("-", entering, leaving), "+")
        sliding = up_to(i, loop.range.bound, (update, *rest), plus(start, lit(1)), replace(loop, contract=()))
        n = place.index
        self.session.update(edit_body(self.session.program, place, lambda b: (*b[:n], *first, sliding, *b[n + 1 :])))
        return self.session.handle(place.sibling(len(first)))

    @transformation
    def parts(self, target: TargetLike, *, var: str, parts: str, part: str = "part") -> Handle:
        """Let each iteration reduce by itself, into an array, and combine its elements afterwards.

        Before:
            float x = 0.0f;
            for (int i = 0; i < 8; i++) {
              for (int j = i; j < n; j += 8) {
                x += b[j];
              }
            }
            a[0] = x;
        Step: s.reduce.parts(For("i"), var="x", parts="t")
        After:
            float x = 0.0f;
            float t[8];
            for (int i = 0; i < 8; i++) {
              float part = 0.0f;
              for (int j = i; j < n; j += 8) {
                part += b[j];
              }
              t[i] = part;
            }
            for (int i = 0; i < 8; i++) {
              x += t[i];
            }
            a[0] = x;

        Needs: a loop from 0 that adds to `var`, or takes a maximum or minimum with it, and uses it for nothing else. Parts of a sum
        start with 0, those of a maximum with the variable. Fails: when there is another use of the variable in the loop.
        """
        place = self.session.find(target, "for")
        loop = self.session.at(place)
        if not isinstance(loop, For) or not is_plain(loop):
            raise refuse("this is not a loop that counts up from 0 by one", loop, "s.loop.shift_range")
        elem = scalar_of(self.session, place, var)
        combined = [s for s in statements(loop.body) if isinstance(s, Store) and s.target == Var(var)]
        others = [e for s in statements(loop.body) if s not in combined for e in stmt_exprs(s)]
        others += [_operand(s) for s in combined]
        if len(combined) != 1 or not _reduces(combined[0]) or any(var in free_vars(e) for e in others):
            raise refuse(f"`{var}` is not only added to here, or compared with", loop, "x += e; or x = fmaxf(x, e);")
        array, local = (self.session.fresh(name, place) for name in (parts, part))
        mine = cell(array, [Var(loop.index)])
        first = _zero(elem) if combined[0].op == "+" else Var(var)
        body = (Decl(local, elem, first), *substitute_body(loop.body, {var: Var(local)}), Store(mine, Var(local)))
        last = replace(loop, body=(_combining(combined[0], Var(var), mine),), contract=(), id=NO_ID)
        decl, free = array_decl(array, elem, (loop.range.bound,))
        self.session.put(place, decl, replace(loop, body=body, contract=()), last, *free)
        return self.session.handle(place.sibling(2))

    @transformation
    def tree(self, target: TargetLike, *, index: str = "h") -> Handle:
        """Sum a local array by halves: each pass adds the second half of what is left to the first. The array is used up. The same
        for maxima and minima.

        Before:
            float t[8];
            for (int i = 0; i < 8; i++) {
              t[i] = b[i];
            }
            float x = 0.0f;
            for (int i = 0; i < 8; i++) {
              x += t[i];
            }
            a[0] = x;
        Step: s.reduce.tree(For("i").last)
        After:
            float t[8];
            for (int i = 0; i < 8; i++) {
              t[i] = b[i];
            }
            float x = 0.0f;
            for (int h = 4; h > 0; h >>= 1) {
              for (int i = 0; i < 8; i++) {
                if (i < h) {
                  t[i] += t[i + h];
                }
              }
            }
            x += t[0];
            a[0] = x;

        Needs: a loop over all of an array whose size is a power of two. Fails: when the array is used afterwards.
        """
        place = self.session.find(target, "for")
        loop = self.session.at(place)
        match loop:
            case For(i, _, (Store(into) as combined,)) if is_plain(loop) and _reduces(combined):
                size, element = value_of(loop.range.bound), _operand(combined)
            case _:
                raise refuse("this is not a loop that adds up an array", loop, "for (i = 0; i < 256; i++) sum += s[i];")
        if not isinstance(element, Index) or element.indices != (Var(i),) or not isinstance(element.base, Var):
            raise refuse("this is not a loop over an array", loop, "for (i = 0; i < 256; i++) sum += s[i];")
        if size is None or size & (size - 1) or size < 1:
            raise refuse("the number of elements is not a power of two", loop)
        h = self.session.fresh(index, place)
        array = element.base.name
        mine, other = cell(array, [Var(i)]), cell(array, [plus(Var(i), Var(h))])
        pair = If(less(Var(i), Var(h)), (_combining(combined, mine, other),))
        level = replace(loop, body=(pair,), contract=())
        halves = For(h, LoopRange(lit(size // 2), ">", lit(0), ">>", lit(1)), (level,))
        self.session.put(place, halves, _combining(combined, into, cell(array, [lit(0)])))
        return self.session.handle(place)

    @transformation
    def warp(
        self,
        target: TargetLike,
        *,
        warp: str = "w",
        lane: str = "l",
        distance: str = "d",
        other: str = "other",
        sums: str = "sums",
        total: str = "total",
    ) -> Handle:
        """Sum a local array by shuffles: 32 by 32 elements by halves, each from a copy of its neighbours, then what the warps have.

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

        Needs: a loop over all of an array whose size is a multiple of 32. `gpu.launch` with both arrays in registers makes the copy
        a shuffle. Fails: when the array is used afterwards.
        """
        place = self.session.find(target, "for")
        loop = self.session.at(place)
        _, into, array, size = _summed(loop)
        if size is None or size % WARP or size < WARP:
            raise refuse("the number of elements is not a multiple of 32", loop)
        t = array_of(self.session, place, array).elem
        w, d, o, s, x, j = (self.session.fresh(name, place) for name in (warp, distance, other, sums, total, "j"))
        v = self.session.fresh(lane, place)
        first = times(Var(w), lit(WARP))

        def at(name: str, index: Expr) -> Index:
            return cell(name, [Binary("+", first, index)])

        def lanes(*body: Stmt) -> For:
            return up_to(v, lit(WARP), body)

        halves = (
            lanes(Store(at(o, Var(v)), at(array, lane_below(Var(v), Var(d))))),
            lanes(If(less(Var(v), Var(d)), (Store(at(array, Var(v)), at(o, Var(v)), "+"),))),
        )
        down = For(d, LoopRange(lit(WARP // 2), ">", lit(0), ">>", lit(1)), halves)
        keep = lanes(If(Binary("==", Var(v), lit(0)), (Store(cell(s, [Var(w)]), at(array, Var(v))),)))
        new = (
            Decl(o, Array(t, (lit(size),))),
            Decl(s, Array(t, (lit(size // WARP),))),
            up_to(w, lit(size // WARP), (down, keep)),
            Decl(x, t, _zero(t)),
            up_to(j, lit(size // WARP), (Store(Var(x), cell(s, [Var(j)]), "+"),)),
            Store(into, Var(x), "+"),
        )
        self.session.put(place, *new)
        return self.session.handle(place.sibling(2))

    @transformation
    def scan(
        self,
        target: TargetLike,
        size: Size,
        *,
        outer: str,
        sums: str,
        before: str,
        twice: bool = False,
        running: str | None = None,
    ) -> Handle:
        """Compute prefix sums in tiles of `size`: each tile by itself, then what is before each tile, then add that to the tile.
        With `twice`, tiles are only summed up at first, and added up again at last: more is read, and only the result written.
        `running` names a variable for what is before the tiles, a scan that can be cut into tiles in turn; else there is a sum for
        each.

        Before:
            float x = 0.0f;
            for (int i = 0; i < n; i++) {
              x += b[i];
              a[i] = x;
            }
        Step: s.reduce.scan("i", 8, outer="t", sums="sums", before="base")
        After:
            float* const sums = MALLOC1(float, (n + 7) / 8);
            float* const base = MALLOC1(float, (n + 7) / 8);
            for (int t = 0; t < (n + 7) / 8; t++) {
              float x = 0.0f;
              for (int i = 0; i < 8; i++) {
                if (t * 8 + i < n) {
                  x += b[t * 8 + i];
                  a[t * 8 + i] = x;
                }
              }
              sums[t] = x;
            }
            for (int t = 0; t < (n + 7) / 8; t++) {
              base[t] = 0.0f;
              for (int k = 0; k < t; k++) {
                base[t] += sums[k];
              }
            }
            for (int t = 0; t < (n + 7) / 8; t++) {
              for (int i = 0; i < 8; i++) {
                if (t * 8 + i < n) {
                  a[t * 8 + i] += base[t];
                }
              }
            }
            free(sums);
            free(base);

        Needs: a loop from 0 that adds to a variable declared before it with 0, and stores it; with `twice`, it may also store
        what it computes from it. Fails: when what is stored is read in the loop.
        """
        place = self.session.find(target, "for")
        loop = self.session.at(place)
        around = self.session.around(place)
        if not isinstance(loop, For) or not is_plain(loop):
            raise refuse("this is not a loop that counts up from 0 by one", loop, "s.loop.shift_range")
        total = _sum_before(around[: place.index], loop)
        if total is None or not isinstance(total.type, Scalar):
            raise refuse("there is no sum declared before the loop, and used in it first", loop, "float sum = 0.0f;")
        i, x, n = loop.index, total.name, expression(size)
        o, s, b, k = (self.session.fresh(name, place) for name in (outer, sums, before, "k"))
        index, bound = plus(times(Var(o), n), Var(i)), loop.range.bound
        exact = value_of(mod(bound, n)) == 0
        count = exact_div(bound, n) if exact else ceil_div(bound, n)

        def tile(body: Body) -> For:
            inside = flattened(substitute_body(body, {i: index}))
            return up_to(i, n, inside if exact else (If(less(index, bound), inside),))

        summed = tile(_without_stores(loop.body) if twice else loop.body)
        first = (total, summed, Store(cell(s, [Var(o)]), Var(x)))
        if running is None:
            add_up = up_to(k, Var(o), (Store(cell(b, [Var(o)]), cell(s, [Var(k)]), "+"),))
            middle: Body = (up_to(o, count, (Store(cell(b, [Var(o)]), _zero(total.type)), add_up)),)
        else:
            y = self.session.fresh(running, place)
            step = (Store(cell(b, [Var(o)]), Var(y)), Store(Var(y), cell(s, [Var(o)]), "+"))
            middle = (Decl(y, total.type, _zero(total.type)), up_to(o, count, step))
        if twice:
            third: Body = (replace(total, id=NO_ID), tile(_from(loop.body, x, cell(b, [Var(o)]))))
        else:
            third = (tile(_added(loop.body, x, cell(b, [Var(o)]))),)
        rest: Body = ()
        if x in body_free_vars(around[place.index + 1 :]):
            add = Store(Var(x), cell(s, [Var(k)]), "+")
            rest = (replace(total, id=NO_ID), up_to(k, count, (add,)))
        decl_s, free_s = array_decl(s, total.type, (count,))
        decl_b, free_b = array_decl(b, total.type, (count,))
        loops = (up_to(o, count, first), *middle, up_to(o, count, third))
        new = (decl_s, decl_b, *loops, *rest, *free_s, *free_b)
        p, d = place.index, around.index(total)
        self.session.update(
            edit_body(self.session.program, place, lambda w: (*w[:d], *w[d + 1 : p], *new, *w[p + 1 :]))
        )
        return self.session.handle(place.sibling(1))


def _summed(s: Stmt) -> tuple[str, Var | Index, str, int | None]:
    """The index of a loop that adds up an array, what it adds to, the array, and how many elements."""
    match s:
        case For(i, _, (Store(into, Index(Var(array), (Var(j),)), "+"),)) if i == j and is_plain(s):
            return i, into, array, value_of(s.range.bound)
        case _:
            raise refuse("this is not a loop that adds up an array", s, "for (i = 0; i < 256; i++) sum += s[i];")


def _reduces(s: Store) -> bool:
    """`x += e` or `x = fmaxf(x, e)`"""
    match s:
        case Store(x, Call(name, (old, _)), None):
            return name in EXTREMES and old == x
        case _:
            return s.op == "+"


def _operand(s: Store) -> Expr:
    """What a reduction adds, or compares with."""
    return s.value.args[1] if isinstance(s.value, Call) and s.op is None else s.value


def _combining(s: Store, into: Index | Var, value: Expr) -> Store:
    """The same reduction of something else."""
    if s.op is None and isinstance(s.value, Call):
        return Store(into, replace(s.value, args=(into, value)))
    return Store(into, value, s.op)


def _is_zero(e: Expr | None) -> bool:
    return e is not None and (value_of(e) == 0 or (isinstance(e, Real) and e.value == 0))


def _zero(t: Scalar) -> Expr:
    return Real(Fraction(0)) if is_float(t) else lit(0)


def _sum_before(before: Body, loop: For) -> Decl | None:
    """What the loop adds to, declared with 0 in the same body and not used in between."""
    added = {
        s.target.name
        for s in statements(loop.body)
        if isinstance(s, Store) and isinstance(s.target, Var) and s.op == "+"
    }
    for at, s in reversed(list(enumerate(before))):
        if isinstance(s, Decl) and s.name in added and _is_zero(s.init):
            return s if s.name not in body_free_vars(before[at + 1 :]) else None
    return None


def _without_stores(body: Body) -> Body:
    """A running sum of which nothing is stored."""
    out: list[Stmt] = []
    for s in body:
        match s:
            case Store(Index(), _, None):
                continue
            case If(_, then, ()):
                out.append(replace(s, then=_without_stores(then), id=NO_ID))
            case _:
                out.append(replace(s, id=NO_ID))
    return tuple(out)


def _from(body: Body, total: str, before: Expr) -> Body:
    """A running sum in whose stores what came before is added to it."""
    out: list[Stmt] = []
    for s in body:
        match s:
            case Store(Var(name), value, "+") if name == total and total not in free_vars(value):
                out.append(s)
            case Store(Index(), value, None) if total not in free_vars(s.target):
                out.append(replace(s, value=substitute(value, {total: plus(before, Var(total))})))
            case If(test, then, ()) if total not in free_vars(test):
                out.append(replace(s, then=_from(then, total, before)))
            case _:
                raise refuse(f"only `{total} += …` and stores may be in the loop", s)
    return tuple(out)


def _added(body: Body, total: str, before: Expr) -> Body:
    """What is stored of a running sum, increased by what came before."""
    out: list[Stmt] = []
    for s in body:
        match s:
            case Store(Var(name), value, "+") if name == total and total not in free_vars(value):
                continue
            case Store(_, Var(name), None) if name == total:
                out.append(replace(s, value=before, op="+", id=NO_ID))
            case If(_, then, other) if not other and total not in free_vars(s.test):
                out.append(replace(s, then=_added(then, total, before), id=NO_ID))
            case _:
                raise refuse(f"only `{total} += …` and stores of `{total}` may be in the loop", s)
    return tuple(out)


def _window_sum(loop: For) -> tuple[Decl, For, Store, Body]:
    """The declaration of the sum, the loop over the window, its body, and what follows."""
    match loop.body:
        case (Decl() as decl, For() as window, *rest) if len(window.body) == 1:
            add = window.body[0]
            r = window.range
            if (
                isinstance(add, Store)
                and add.op == "+"
                and add.target == Var(decl.name)
                and decl.init is not None
                and (r.relation, r.op, r.amount) == ("<", "+", lit(1))
                and loop.index not in free_vars(add.value) | free_vars(decl.init)
            ):
                return decl, window, add, tuple(rest)
        case _:
            pass
    raise refuse(
        "the body does not start with a sum over a window", loop, "float s = 0; for (k = i; k < i + w; k++) s += …"
    )


def _tidy(e: Expr) -> Expr:
    from optigpu.syntax.exprs import Index
    from optigpu.syntax.walk import rewrite

    return rewrite(e, lambda x: replace(x, indices=tuple(map(gather, x.indices))) if isinstance(x, Index) else x)
