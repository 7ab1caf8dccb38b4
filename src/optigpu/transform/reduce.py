"""Transformations of reductions."""

from __future__ import annotations

from dataclasses import replace

from optigpu.syntax.exprs import Binary, Expr, Index, Var
from optigpu.syntax.program import Body, Decl, For, If, LoopRange, Store
from optigpu.syntax.walk import free_vars, substitute, substitute_body
from optigpu.transform.building import cell, gather, less, lit, minus, plus, up_to, value_of
from optigpu.transform.editing import edit_body
from optigpu.transform.loops import is_plain, refuse
from optigpu.transform.script import Family, transformation
from optigpu.transform.targets import Aim, Handle


class Reduce(Family):
    name = "reduce"

    @transformation
    def slide(self, target: Aim) -> Handle:
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
        place = self.script.find(target, "for")
        loop = self.script.at(place)
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
        self.script.update(edit_body(self.script.program, place, lambda b: (*b[:n], *first, sliding, *b[n + 1 :])))
        return self.script.handle(place.sibling(len(first)))

    @transformation
    def tree(self, target: Aim, *, index: str = "h") -> Handle:
        """Sum a local array by halves: each pass adds the second half of what is left to the first. The array is used up.

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
        place = self.script.find(target, "for")
        loop = self.script.at(place)
        match loop:
            case For(i, _, (Store(into, Index(Var(array), (Var(j),)), "+"),)) if i == j and is_plain(loop):
                size = value_of(loop.range.bound)
            case _:
                raise refuse("this is not a loop that adds up an array", loop, "for (i = 0; i < 256; i++) sum += s[i];")
        if size is None or size & (size - 1) or size < 1:
            raise refuse("the number of elements is not a power of two", loop)
        h = self.script.fresh(index, place)
        pair = If(less(Var(i), Var(h)), (Store(cell(array, [Var(i)]), cell(array, [plus(Var(i), Var(h))]), "+"),))
        level = replace(loop, body=(pair,), contract=())
        halves = For(h, LoopRange(lit(size // 2), ">", lit(0), ">>", lit(1)), (level,))
        self.script.put(place, halves, Store(into, cell(array, [lit(0)]), "+"))
        return self.script.handle(place)


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
