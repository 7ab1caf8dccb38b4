"""Transformations of loops."""

from __future__ import annotations

from dataclasses import replace

from optigpu.script.editing import StatementPath, edit_body
from optigpu.script.handles import Handle
from optigpu.script.session import names_apart_from_indices, names_in
from optigpu.script.targets import Target, TargetLike, ambiguous
from optigpu.script.transformation import TransformGroup, transformation
from optigpu.syntax.exprs import Cast, Expr, Var
from optigpu.syntax.free_names import body_free_vars, bound_after, free_vars
from optigpu.syntax.program import Block, Body, Decl, For, If, LoopRange, Mode, Stmt
from optigpu.syntax.source import StatementId
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import INT, INT64
from optigpu.syntax.walk import rewrite_body, statements, stmt_exprs
from optigpu.transform import hoisting
from optigpu.transform.guards import conjunction, tests_for_all, without_guards
from optigpu.transform.loop_nests import (
    counted,
    dims_of,
    hinted,
    is_plain,
    refuse,
    stored_names,
    substituted_contract,
    tiled_contracts,
)
from optigpu.transform.simplified import (
    Size,
    ceil_div,
    div,
    exact_div,
    expression,
    flattened,
    folded,
    less,
    lit,
    minimum,
    minus,
    mod,
    plus,
    times,
    up_to,
    value_of,
    without_ids,
)
from optigpu.transform.types_at import declared

TAILS = ("divides", "guard", "peel", "min")


class LoopTransforms(TransformGroup):
    name = "loop"

    def _loop(self, aim: TargetLike) -> tuple[StatementPath, For]:
        place = self.session.find(aim, "for")
        s = self.session.at(place)
        if not isinstance(s, For):
            raise refuse("this is not a loop", s)
        return place, s

    def _places(self, aim: TargetLike) -> list[StatementPath]:
        """A bare name means all loops with this index; a target says itself whether it means several."""
        return self.session.find_all(aim, "for") if isinstance(aim, str) else self.session.find_those(aim, "for")

    @transformation
    def tile(
        self, target: TargetLike, size: Size, *, outer: str | None = None, tail: str = "divides", all: bool = False
    ) -> Handle:
        """Cut a loop into tiles of `size` iterations. The outer loop is `outer`; the inner one keeps the name.

        `tail` says what happens when the size does not divide the count: "divides" proves that it does, "guard" tests each
        iteration, "min" shortens the last tile, "peel" leaves the rest to a second loop.

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

        Needs: a loop that counts by a constant; with "divides", a contract from which the divisibility follows.
        Fails: OG311 when it is not known that the size divides the count.
        """
        if all:
            handles = [
                self.tile(self.session.handle(p), size, outer=outer, tail=tail)
                for p in self.session.find_all(target, "for")
            ]
            return handles[0]
        if tail not in TAILS:
            raise refuse(f'tail="{tail}" is not known', help=f"one of {', '.join(TAILS)}", code="OG604")
        place, loop = self._loop(target)
        c, n = counted(loop), expression(size)
        o = self._name(outer or f"b{loop.index}", place, loop)
        inner_index = plus(times(Var(o), n), Var(loop.index))

        def body(value: Expr) -> Body:
            plain = is_plain(loop)
            return flattened(substitute_body(loop.body, {loop.index: value if plain else c.value(value)}))

        outer_contract, inner_contract = tiled_contracts(loop, o, n) if is_plain(loop) else ((), ())
        inside, bound, count = body(inner_index), n, exact_div(c.count, n)
        rest: Body = ()
        if tail == "guard":
            inside, count = (If(less(inner_index, c.count), inside),), ceil_div(c.count, n)
            outer_contract = inner_contract = ()
        elif tail == "min":
            bound, count = minimum(n, minus(c.count, times(Var(o), n))), ceil_div(c.count, n)
            outer_contract = inner_contract = ()
        elif tail == "peel":
            count = div(c.count, n)
            rest = (
                up_to(
                    loop.index,
                    c.count,
                    body(Var(loop.index)),
                    times(count, n),
                    replace(loop, id=StatementId(parent=loop.id)),
                ),
            )
        inner = replace(
            up_to(loop.index, bound, inside, like=loop), contract=inner_contract, mode=Mode.SEQUENTIAL, hints=()
        )
        width = (
            INT64 if loop.index_type.bits == INT64.bits else INT
        )  # `bi * 8` is computed in no fewer bits than `i` was
        new = For(o, LoopRange(lit(0), "<", count, "+", lit(1)), (inner,), loop.mode, outer_contract, loop.hints, width)
        self.session.put(place, new, *rest)
        return self.session.handle(place)

    @transformation
    def reorder(self, *order: str, at: TargetLike | None = None) -> Handle:
        """Put nested loops in another order. Statements between them get loops of their own, through arrays where needed.

        Before:
            for (int i = 0; i < 4; i++) {
              for (int j = 0; j < n; j++) {
                a[j] = b[j] + 4.0f;
              }
            }
        Step: s.loop.reorder("j", "i")
        After:
            for (int j = 0; j < n; j++) {
              for (int i = 0; i < 4; i++) {
                a[j] = b[j] + 4.0f;
              }
            }

        Needs: the loops named form one nest; where several do, `at` is a statement inside the one that is meant.
        Fails: when the iterations depend on each other in a way that the order matters to.
        """
        innermost = self._nest(order, at)
        statement_id = self.session.at(innermost).id
        for position, index in enumerate(order):  # bring each loop up to its position
            while True:
                nest = self._nest_of(self.session.find(Handle(self.session, statement_id)), order)
                names = [self._index(p) for p in nest]
                at_now = names.index(index)
                if at_now <= position:
                    break
                self._swap_nested(nest[at_now - 1], nest[at_now])
        return self.session.handle(self._nest_of(self.session.find(Handle(self.session, statement_id)), order)[0])

    def _nest_of(self, here: StatementPath, order: tuple[str, ...]) -> list[StatementPath]:
        """The loops with these indices around and inside a loop, outermost first."""
        nest = [p for p in [*here.ancestors(), here] if self._index(p) in order]
        while True:
            loop = self.session.at(nest[-1])
            assert isinstance(loop, For)
            inside = self._next_loop(nest[-1], loop.body, order)
            if inside is None:
                return nest
            nest.append(inside)

    def _next_loop(self, around: StatementPath, body: Body, order: tuple[str, ...]) -> StatementPath | None:
        """The next loop of the nest inside a body, through guards."""
        for k, s in enumerate(body):
            if isinstance(s, For) and s.index in order:
                return around.child(k)
            if isinstance(s, If) and (found := self._next_loop(around.child(k), s.then, order)) is not None:
                return found
        return None

    def _index(self, place: StatementPath) -> str | None:
        s = self.session.at(place)
        return s.index if isinstance(s, For) else None

    def _nest(self, order: tuple[str, ...], at: TargetLike | None) -> StatementPath:
        """The innermost loop of the nest that has all these indices."""
        if len(order) < 2:
            raise refuse("name at least two loops", code="OG604")
        found: list[StatementPath] = []
        for index in dict.fromkeys(order):
            for p in self.session.find_all(index, "for"):
                around = [self._index(x) for x in [*p.ancestors(), p]]
                if {*order} <= {*around}:
                    found.append(p)
        if at is not None:
            inside = self.session.find(at)
            found = [p for p in found if inside == p or inside.inside(p)]
        deepest = [p for p in found if not any(q.inside(p) for q in found)]
        if not deepest:
            raise refuse(f"no nest of loops has all of {', '.join(order)}", code="OG601")
        if len(deepest) > 1:
            candidates = [(p, self.session.at(p)) for p in deepest]
            message = f"{len(deepest)} nests have the loops {', '.join(order)}"
            raise ambiguous("OG602", message, candidates, "say which: at=Write(…)")
        return deepest[0]

    @transformation
    def swap(self, target: TargetLike) -> Handle:
        """Exchange a loop with the one inside it.

        Before:
            for (int i = 0; i < 4; i++) {
              for (int j = 0; j < n; j++) {
                a[j] = b[j] + 4.0f;
              }
            }
        Step: s.loop.swap("i")
        After:
            for (int j = 0; j < n; j++) {
              for (int i = 0; i < 4; i++) {
                a[j] = b[j] + 4.0f;
              }
            }

        Needs: exactly one loop directly inside; other statements beside it get loops of their own.
        Fails: when the order matters, or when the inner bounds depend on the outer index.
        """
        place, loop = self._loop(target)
        inner = [k for k, x in enumerate(loop.body) if isinstance(x, For)]
        if len(inner) != 1:
            raise refuse(f"`{loop.index}` has {len(inner)} loops directly inside: nothing to swap with", loop)
        return self.session.handle(self._swap_nested(place, place.child(inner[0])))

    def _swap_nested(self, outer: StatementPath, inner: StatementPath) -> StatementPath:
        """Swap two loops of which the second is directly in the body of the first; returns where the new outer one is."""
        statement_id = self.session.at(inner).id
        while inner.parent != outer:
            self._sink_guard(inner)
            inner = self.session.find(Handle(self.session, statement_id))
        if len(self.session.around(inner)) > 1:
            self._isolate(inner)
            inner = self.session.find(Handle(self.session, statement_id))
            outer = inner.parent
        a, b = self.session.at(outer), self.session.at(inner)
        assert isinstance(a, For) and isinstance(b, For)
        bounds = free_vars(b.range.start) | free_vars(b.range.bound)
        if a.index in bounds:
            raise refuse(f"the bounds of the loop over `{b.index}` depend on `{a.index}`", b)
        new = replace(b, body=(replace(a, body=b.body, contract=()),), contract=())
        self.session.put(outer, new)
        return outer

    def _sink_guard(self, inner: StatementPath) -> None:
        """`if (c) for …` as `for … if (c)`."""
        loop, guard = self.session.at(inner), self.session.at(inner.parent)
        assert isinstance(loop, For)
        if not isinstance(guard, If) or guard.other or len(guard.then) != 1 or loop.index in free_vars(guard.test):
            raise refuse("there is something other than loops between the two", guard, "move it out first")
        self.session.put(inner.parent, replace(loop, body=(replace(guard, then=loop.body),), contract=()))

    def _isolate(self, inner: StatementPath) -> None:
        """Make a loop the only statement of the loop around it, by fission on both sides."""
        statement_id = self.session.at(inner).id
        if inner.index > 0:
            self._fission_at(inner)
            inner = self.session.find(Handle(self.session, statement_id))
        if inner.index + 1 < len(self.session.around(inner)):
            self._fission_at(inner.sibling(1))

    @transformation
    def fission(
        self,
        target: TargetLike | None = None,
        *,
        before: TargetLike | None = None,
        after: TargetLike | None = None,
        levels: int = 1,
    ) -> Handle:
        """Split a loop in two at a point of its body. Variables used on both sides become arrays.

        Before:
            for (int i = 0; i < n; i++) {
              a[i] = 0.0f;
              b[i] = 1.0f;
            }
        Step: s.loop.fission(before=Write("b"))
        After:
            for (int i = 0; i < n; i++) {
              a[i] = 0.0f;
            }
            for (int i = 0; i < n; i++) {
              b[i] = 1.0f;
            }

        Needs: a point in the body of a loop, or in a condition there, which both parts have then; `levels` splits that many loops
        around it.
        Fails: when the second part of an iteration must run before the first part of the next one.
        """
        if levels < 1:
            raise refuse("at least one loop must be split", code="OG604")
        point = self._point(target, before, after)
        for _ in range(levels):
            point = self._fission_at(point)
        return self.session.handle(point)

    def _point(self, target: TargetLike | None, before: TargetLike | None, after: TargetLike | None) -> StatementPath:
        if before is not None:
            return self.session.find(before)
        if after is not None:
            return self.session.find(after).sibling(1)
        if isinstance(target, Target) and target.side is not None:
            return self.session.find(target).sibling(0 if target.side == "before" else 1)
        raise refuse("say where: before=… or after=…", code="OG604")

    def _fission_at(self, point: StatementPath) -> StatementPath:
        """Split the loop around a point; returns the place of the second loop."""
        if len(point.path) < 2:
            raise refuse("this point is not inside a loop", code="OG603")
        place = point.parent
        loop = self.session.at(place)
        k = point.index
        if isinstance(loop, If) and not loop.other and 0 < k < len(loop.then):
            parts = replace(loop, then=loop.then[:k]), replace(loop, then=loop.then[k:], id=StatementId(parent=loop.id))
            self.session.put(place, *parts)
            return self._fission_at(place.sibling(1))
        if not isinstance(loop, For):
            raise refuse("this point is not directly in the body of a loop", loop, "fission the inner statement first")
        if k == 0 or k == len(loop.body):
            raise refuse("there is nothing to split off", loop)
        crossing = self._crossing(loop, k)
        if crossing is not None:  # a variable of the first part is used in the second: give each iteration its own
            statement_id = loop.id
            removed = crossing.init is None or not hoisting.keeps_store(crossing)
            frees = sum(hoisting.is_free_of(s, crossing.name) for s in loop.body[:k])
            hoisting.hoist(self.session, place.child(loop.body.index(crossing)), 1)
            place = self.session.find(Handle(self.session, statement_id))
            return self._fission_at(place.child(k - int(removed) - frees))
        first = replace(loop, body=loop.body[:k], contract=())
        second = replace(loop, body=loop.body[k:], contract=(), id=StatementId(parent=loop.id))
        if not any(isinstance(s, For) for s in first.body) and any(isinstance(s, For) for s in second.body):
            # the handle of the loop goes on with the part that has the nest
            first, second = replace(first, id=second.id), replace(second, id=first.id)
        self.session.put(place, first, second)
        return place.sibling(1)

    def _crossing(self, loop: For, k: int) -> Decl | None:
        used = body_free_vars(loop.body[k:])
        for s in loop.body[:k]:
            if bound_after(s) & used:
                if not isinstance(s, Decl):
                    raise refuse("a fact of the first part is used in the second", s)
                return s
        return None

    @transformation
    def fusion(self, target: TargetLike, other: TargetLike | None = None) -> Handle:
        """Merge a loop with the one right after it (or with `other`, which must be right after it).

        Before:
            for (int i = 0; i < n; i++) {
              a[i] = 0.0f;
            }
            for (int k = 0; k < n; k++) {
              b[k] = a[k];
            }
        Step: s.loop.fusion("i")
        After:
            for (int i = 0; i < n; i++) {
              a[i] = 0.0f;
              b[i] = a[i];
            }

        Needs: two neighbouring loops with the same number of iterations.
        Fails: when an iteration of the second needs a later iteration of the first.
        """
        place, loop = self._loop(target)
        next_ = place.sibling(1) if other is None else self.session.find(other, "for")
        if next_ != place.sibling(1) or next_.index >= len(self.session.around(place)):
            raise refuse("the two loops are not next to each other", loop, "s.instr.move brings them together")
        second = self.session.at(next_)
        if not isinstance(second, For):
            raise refuse("what follows is not a loop", second)
        if loop.range == second.range:
            value: Expr = Var(loop.index)
        else:
            mine, theirs = counted(loop), counted(second)
            if mine.count != theirs.count:
                raise refuse("the two loops are not written with the same number of iterations", second)
            if not is_plain(loop):
                raise refuse("shift the first loop to start at 0", loop, "s.loop.shift_range")
            value = theirs.value(Var(loop.index))
        new = replace(loop, body=(*loop.body, *substitute_body(second.body, {second.index: value})), contract=())
        i = place.index
        self.session.update(edit_body(self.session.program, place, lambda b: (*b[:i], new, *b[i + 2 :])))
        return self.session.handle(place)

    @transformation
    def unroll(self, target: TargetLike, factor: int | None = None) -> None:
        """Write out all iterations of a loop, or `factor` of them at a time.

        Before:
            for (int i = 0; i < 2; i++) {
              a[i] = 0.0f;
            }
        Step: s.loop.unroll("i")
        After:
            a[0] = 0.0f;
            a[1] = 0.0f;

        Needs: without `factor`, a number of iterations that is written as a number; with it, one that it divides.
        Fails: OG311 when it is not known that the factor divides the count.
        """
        place, loop = self._loop(target)
        if factor is not None:
            inner = self.session.handle(self.session.find(self.tile(self.session.handle(place), factor)).child(0))
            return self.unroll(inner)
        c = counted(loop)
        count = value_of(c.count)
        if count is None:
            raise refuse(
                f"the number of iterations of `{loop.index}` is not a number", loop, "give a factor, or tile first"
            )
        if count > 1024:
            raise refuse(f"{count} iterations are too many to write out", loop, "tile first")
        copies: list[Stmt] = []
        declares = any(isinstance(s, Decl) for s in loop.body)
        for k in range(count):
            body = substitute_body(loop.body, {loop.index: c.value(lit(k))})
            copies += [Block(body)] if declares and count > 1 else body
        self.session.put(place, *copies)
        return None

    @transformation
    def unroll_hint(self, target: TargetLike, factor: int | None = None) -> None:
        """Ask the compiler to unroll: `#pragma unroll`.

        Before:
            for (int i = 0; i < 4; i++) {
              a[i] = 0.0f;
            }
        Step: s.loop.unroll_hint("i", 4)
        After:
            #pragma unroll 4
            for (int i = 0; i < 4; i++) {
              a[i] = 0.0f;
            }

        Needs: a loop. Fails: never; it changes nothing that can be observed.
        """
        if factor is not None and factor < 1:
            raise refuse("a loop is unrolled at least once", code="OG604")
        hint = "unroll" if factor is None else f"unroll {factor}"
        for place in self._places(target):
            place, loop = self._loop(place)
            self.session.put(place, hinted(loop, "unroll", hint))

    @transformation
    def fast_path(self, target: TargetLike, *, when: Size | None = None) -> Handle:
        """Run a loop without its guards where all of them hold. One test before it decides: each guard in the iteration that leaves
        least of it, the first or the last one of the loop and of the loops inside it, and `when`.

        Before:
            for (int b = 0; b < (n + 3) / 4; b++) {
              for (int v = 0; v < 4; v++) {
                if (b * 4 + v < n) {
                  a[b * 4 + v] = 0.0f;
                }
              }
            }
        Step: s.loop.fast_path("v")
        After:
            for (int b = 0; b < (n + 3) / 4; b++) {
              if (b * 4 + 3 < n) {
                for (int v = 0; v < 4; v++) {
                  a[b * 4 + v] = 0.0f;
                }
              } else {
                for (int v = 0; v < 4; v++) {
                  if (b * 4 + v < n) {
                    a[b * 4 + v] = 0.0f;
                  }
                }
              }
            }

        Needs: conditions inside the loop, on indices and what is known before it. One with an else is a guard if it bounds an
        index, as where borders are set apart. Returns the fast loop.
        Fails: when the guard of some iteration does not follow from those of the first and the last.
        """
        place, loop = self._loop(target)
        tests = tests_for_all(loop)
        tests += [] if when is None else [expression(when)]
        if not tests:
            raise refuse("there are no guards in this loop", loop)
        inside = {n for s in statements((loop,)) for n in bound_after(s)}
        for test in tests:
            if hidden := inside & free_vars(test):
                raise refuse(f"a guard depends on `{min(hidden)}`, which is declared inside the loop", loop)
        fast = replace(loop, body=without_guards(loop.body, (loop,)), contract=())
        slow = without_ids(replace(loop, contract=()))
        self.session.put(place, If(conjunction(tests), (fast,), (slow,)))
        return self.session.handle(place.child(0))

    @transformation
    def prefetch(self, target: TargetLike, *, before: TargetLike | None = None) -> Handle:
        """Fill a local array one iteration ahead, so that loads and work overlap: for the first iteration before the loop, in each
        iteration for the next one, at its end or at the point `before`. The last iteration fills it for itself again.

        Before:
            for (int i = 0; i < 4; i++) {
              float t[8];
              for (int j = 0; j < 8; j++) {
                t[j] = m[i][j];
              }
              for (int j = 0; j < 8; j++) {
                m2[i][j] = t[j];
              }
            }
        Step: s.loop.prefetch("t")
        After:
            float t[8];
            for (int j = 0; j < 8; j++) {
              t[j] = m[0][j];
            }
            for (int i = 0; i < 4; i++) {
              for (int j = 0; j < 8; j++) {
                m2[i][j] = t[j];
              }
              for (int j = 0; j < 8; j++) {
                t[j] = m[min(i + 1, 3)][j];
              }
            }

        Needs: an array declared in a loop from 0 that counts up by one, filled by the next statement alone.
        Fails: when the loop may have no iteration, what is loaded is written meanwhile, or the array is used after the point.
        """
        place = self.session.find(target, "decl")
        decl = self.session.at(place)
        if not isinstance(decl, Decl) or not dims_of(decl) or len(place.path) < 2:
            raise refuse("this is not the declaration of an array in a loop", decl)
        around, loop = place.parent, self.session.at(place.parent)
        if not isinstance(loop, For) or not is_plain(loop):
            raise refuse("the array is not declared in a loop from 0 that counts up by one", decl, "s.loop.shift_range")
        k = place.index
        fill, rest = loop.body[k + 1 : k + 2], loop.body[k + 2 :]
        if decl.name not in stored_names(fill) or decl.name in stored_names(rest):
            raise refuse(f"`{decl.name}` is not filled by the next statement alone", decl)
        point = around.child(len(loop.body)) if before is None else self.session.find(before)
        if point.parent != around or point.index < k + 2:
            raise refuse("`before` is not in the body of the loop, after the array is filled", loop)
        i, count = loop.index, loop.range.bound
        first = rewrite_body(substitute_body(fill, {i: lit(0)}), folded)
        following = substitute_body(fill, {i: minimum(plus(Var(i), lit(1)), minus(count, lit(1)))})
        ahead = tuple(without_ids(s) for s in following)
        body = (*loop.body[:k], *loop.body[k + 2 : point.index], *ahead, *loop.body[point.index :])
        self.session.put(around, decl, *first, replace(loop, body=body, contract=()))
        return self.session.handle(around.sibling(1 + len(first)))

    @transformation
    def once(self, target: TargetLike, *, index: str, until: TargetLike | None = None) -> Handle:
        """Put a statement, or all up to `until`, into a loop of one iteration: what a kernel of one block is made of.

        Before:
            float x = b[0];
            a[0] = x;
        Step: s.loop.once("x", index="i", until=Write("a"))
        After:
            for (int i = 0; i < 1; i++) {
              float x = b[0];
              a[0] = x;
            }

        Needs: statements of one body. Fails: OG605 when what they declare is used after them.
        """
        place = self.session.find(target, "decl")
        last = place if until is None else self.session.find(until)
        if place.sibling(last.index - place.index) != last or last.index < place.index:
            raise refuse("`until` is not in the same body after it", self.session.at(place))
        i, j = place.index, last.index + 1
        name = self.session.fresh(index, place)
        self.session.update(
            edit_body(self.session.program, place, lambda b: (*b[:i], up_to(name, lit(1), b[i:j]), *b[j:]))
        )
        return self.session.handle(place)

    @transformation
    def split_range(self, target: TargetLike, at: Size) -> Handle:
        """Cut a loop in two at an index: the iterations before `at`, then those from `at` on.

        Before:
            for (int i = 0; i < n; i++) {
              a[i] = 0.0f;
            }
        Step: s.loop.split_range("i", "n / 2")
        After:
            for (int i = 0; i < n / 2; i++) {
              a[i] = 0.0f;
            }
            for (int i = n / 2; i < n; i++) {
              a[i] = 0.0f;
            }

        Needs: a loop counting up by one. Fails: when `at` is not shown to be within the range.
        """
        place, loop = self._loop(target)
        cut = expression(at)
        if (loop.range.relation, loop.range.op) != ("<", "+") or value_of(loop.range.amount) != 1:
            raise refuse("only a loop that counts up by one can be cut", loop)
        first = replace(loop, range=replace(loop.range, bound=cut))
        second = replace(loop, range=replace(loop.range, start=cut), id=StatementId(parent=loop.id))
        self.session.put(place, first, second)
        return self.session.handle(place.sibling(1))

    @transformation
    def shift_range(self, target: TargetLike, by: Size | None = None, *, index: str | None = None) -> Handle:
        """Let a loop start elsewhere: the index becomes larger by `by`, or starts at 0 and counts up by one if none is given.

        Before:
            for (int i = 1; i <= 4; i++) {
              a[i] = 0.0f;
            }
        Step: s.loop.shift_range("i")
        After:
            for (int i = 0; i < 4; i++) {
              a[1 + i] = 0.0f;
            }

        Needs: a loop that counts by a constant. Fails: never for loops it applies to.
        """
        place, loop = self._loop(target)
        name = loop.index if index is None else self.session.fresh(index, place)
        if by is None:
            c = counted(loop)
            value, range_ = c.value(Var(name)), LoopRange(lit(0), "<", c.count, "+", lit(1))
        else:
            b = expression(by)
            value = minus(Var(name), b)
            range_ = replace(loop.range, start=plus(loop.range.start, b), bound=plus(loop.range.bound, b))
        body = substitute_body(loop.body, {loop.index: value})
        contract = substituted_contract(loop, loop.index, value)
        self.session.put(place, replace(loop, index=name, range=range_, body=body, contract=contract))
        return self.session.handle(place)

    @transformation
    def collapse(self, target: TargetLike, *, index: str | None = None) -> Handle:
        """Make one loop of two nested ones.

        Before:
            for (int i = 0; i < 2; i++) {
              for (int j = 0; j < 8; j++) {
                a[i * 8 + j] = 0.0f;
              }
            }
        Step: s.loop.collapse("i", index="t")
        After:
            for (int t = 0; t < 16; t++) {
              a[t / 8 * 8 + t % 8] = 0.0f;
            }

        Needs: a loop that holds exactly one other, whose bounds do not depend on it.
        Fails: when an inner size may be zero or negative.
        """
        place, loop = self._loop(target)
        if len(loop.body) != 1 or not isinstance(loop.body[0], For):
            raise refuse("there must be exactly one loop inside", loop, "s.loop.fission separates them")
        inner = loop.body[0]
        a, b = counted(loop), counted(inner)
        if loop.index in free_vars(b.count):
            raise refuse(f"the bounds of the loop over `{inner.index}` depend on `{loop.index}`", inner)
        t = self.session.fresh(index or f"{loop.index}{inner.index}", place)
        sub = {loop.index: a.value(div(Var(t), b.count)), inner.index: b.value(mod(Var(t), b.count))}
        body = substitute_body(inner.body, sub)
        count, width = times(a.count, b.count), loop.index_type
        if value_of(count) is None:  # the product of two numbers has the bits of both
            count, width = times(Cast(INT64, a.count), b.count), INT64
        self.session.put(place, replace(up_to(t, count, body, like=loop), contract=(), index_type=width))
        return self.session.handle(place)

    @transformation
    def hoist(self, target: TargetLike, levels: int = 1) -> Handle:
        """Move the declaration of a variable or an array out of a loop: each iteration gets its own element.

        Before:
            for (int i = 0; i < 4; i++) {
              float x = b[i];
              a[i] = x;
            }
        Step: s.loop.hoist("x")
        After:
            float x[4];
            for (int i = 0; i < 4; i++) {
              x[i] = b[i];
              a[i] = x[i];
            }

        Needs: a declaration in the body of a loop, or in a condition there; `levels` passes that many loops.
        Fails: when an allocation cannot be shown to have a size that is not negative.
        """
        place = self.session.find(target, "decl")
        return self.session.handle(hoisting.hoist(self.session, place, levels))

    @transformation
    def hoist_expr(
        self,
        target: TargetLike,
        name: str,
        *,
        read: str | None = None,
        before: TargetLike,
        indep: list[str] | None = None,
    ) -> Handle:
        """Compute an array read ahead of time, into a new array, before a loop: packing.

        Before:
            for (int i = 0; i < 4; i++) {
              for (int j = 0; j < 8; j++) {
                m[i][j] = b[2 * j];
              }
            }
        Step: s.loop.hoist_expr(Write("m"), "pb", read="b", before="i", indep=["i"])
        After:
            float pb[8];
            for (int j = 0; j < 8; j++) {
              pb[j] = b[2 * j];
            }
            for (int i = 0; i < 4; i++) {
              for (int j = 0; j < 8; j++) {
                m[i][j] = pb[j];
              }
            }

        Needs: `read` is an array that the target reads in one place; it does not depend on the loops in `indep`.
        Fails: when the array is written in between.
        """
        place = self.session.find(target, "read")
        dest = self.session.find(before, "for")
        return self.session.handle(hoisting.hoist_read(self.session, place, read, name, dest, indep or [], None))

    @transformation
    def move_out(self, target: TargetLike, levels: int = 1) -> Handle:
        """Move a statement that does the same in every iteration out of the loop, before it. Allocations are moved with their free.

        Before:
            for (int i = 0; i < 4; i++) {
              float t[8];
              t[0] = b[i];
              a[i] = t[0];
            }
        Step: s.loop.move_out("t")
        After:
            float t[8];
            for (int i = 0; i < 4; i++) {
              t[0] = b[i];
              a[i] = t[0];
            }

        Needs: a statement that does not mention the index. Fails: when what it does differs between iterations.
        """
        place = self.session.find(target, "any")
        for _ in range(levels):
            place = self._move_out_once(place)
        return self.session.handle(place)

    def _move_out_once(self, place: StatementPath) -> StatementPath:
        if len(place.path) < 2 or not isinstance(loop := self.session.at(place.parent), For):
            raise refuse("this is not directly in the body of a loop", self.session.at(place))
        s = self.session.at(place)
        if any(loop.index in free_vars(e) for e in stmt_exprs(s)) or loop.index in body_free_vars((s,)):
            raise refuse(f"this depends on `{loop.index}`", s)
        frees: tuple[Stmt, ...] = ()
        body = tuple(x for x in loop.body if x is not s)
        if isinstance(s, Decl):
            frees = tuple(x for x in body if hoisting.is_free_of(x, s.name))
            body = tuple(x for x in body if x not in frees)
        self.session.put(place.parent, s, replace(loop, body=body, contract=()), *frees)
        return place.parent

    @transformation
    def parallel(self, target: TargetLike) -> Handle:
        """Run the iterations of a loop in parallel (`#pragma omp parallel for`).

        Before:
            for (int i = 0; i < n; i++) {
              a[i] = 0.0f;
            }
        Step: s.loop.parallel("i")
        After:
            #pragma omp parallel for
            for (int i = 0; i < n; i++) {
              a[i] = 0.0f;
            }

        Needs: a loop. Fails: OG324 when iterations share what they write.
        """
        place, loop = self._loop(target)
        self.session.put(place, replace(loop, mode=Mode.PARALLEL))
        return self.session.handle(place)

    @transformation
    def simd(self, target: TargetLike) -> None:
        """Ask the compiler to vectorise a loop (`#pragma omp simd`).

        Before:
            for (int i = 0; i < n; i++) {
              a[i] = 0.0f;
            }
        Step: s.loop.simd("i")
        After:
            #pragma omp simd
            for (int i = 0; i < n; i++) {
              a[i] = 0.0f;
            }

        Needs: a loop whose iterations are independent: it is checked as if it were parallel.
        Fails: OG324 when iterations share what they write.
        """
        for place in self._places(target):
            place, loop = self._loop(place)
            self.session.put(place, hinted(loop, "simd", "simd"))

    @transformation
    def rename(self, target: TargetLike, index: str) -> Handle:
        """Give a loop's index another name.

        Before:
            for (int i = 0; i < n; i++) {
              a[i] = 0.0f;
            }
        Step: s.loop.rename("i", "row")
        After:
            for (int row = 0; row < n; row++) {
              a[row] = 0.0f;
            }

        Needs: a loop. Fails: never; a name that means something there gets a number.
        """
        place, loop = self._loop(target)
        name = self._name(index, place, loop)
        body = substitute_body(loop.body, {loop.index: Var(name)})
        contract = substituted_contract(loop, loop.index, Var(name))
        self.session.put(place, replace(loop, index=name, body=body, contract=contract))
        return self.session.handle(place)

    def _name(self, name: str, place: StatementPath, loop: For) -> str:
        """For an index: the name itself if it has no other meaning in the loop or around it, else one with a number."""
        taken = names_in((loop,)) | names_apart_from_indices(self.session.function_of(place))
        return self.session.fresh(name, place) if name in taken or declared(self.session, place, name) else name
