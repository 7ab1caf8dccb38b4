"""Two sums brought into one form: cut at each other's ends, shifted, reversed, flattened, split by residues."""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.logic import terms as k
from optigpu.logic.cells import Cells
from optigpu.logic.equality import Extend, Maximum, Partition, Reindex, Split, peel, split
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term, instantiate
from optigpu.search.equalities.sum_forms import SumForms
from optigpu.search.equalities.sum_terms import matching, nested_sums, nesting, one_sided
from optigpu.search.search_tools import SearchTools

MAX_UNROLL = 40
MAX_STRIDE = 8


class SumAlignment:
    def __init__(self, tools: SearchTools, forms: SumForms) -> None:
        self.tools, self.forms = tools, forms
        self.never_flat: set[tuple[Facts, Term, Term]] = set()  # pairs are met again in each round

    def common(self, facts: Facts, a: Term, b: Term) -> Split | None:
        """Sums of the same that end one after the other, or inside each other: cut off what they do not have in common."""
        only = one_sided(a, b)
        single = {m[0] for m in k.coefficients(k.sub(a, b)) if len(m) == 1} if a.sort.numeric else set()
        for t in (t for t in only if t.op == "sum"):
            last = k.sub(t.args[1], k.ONE)
            if instantiate(t.args[2], (last,)) in single and self.tools.proves(facts, k.le(t.args[0], last)):
                return Split(t, last)
        pairs = ((s, t) for i, s in enumerate(only) for t in only[i + 1 :] if s.op == t.op)
        cuts = (self.cut(facts, s, t) for s, t in pairs if s.args[-1] is t.args[-1])
        return next((c for c in cuts if c is not None), None)

    def align(self, facts: Facts, s: Term, t: Term) -> Split | Reindex | Extend | Partition | Maximum | None:
        swapped = self.swapped(facts, s, t)
        if swapped is not None:
            return swapped
        if s.args[-1] is t.args[-1]:
            cut = self.cut(facts, s, t)
            if cut is not None:
                return cut
        elif s.op == "sum":
            for old, like in ((t, s), (s, t)):
                moved = self.moved(facts, old, like)
                if moved is not None:
                    return moved
            for old, like in ((t, s), (s, t)):
                residues = self.by_residue(facts, old, like)
                if residues is not None:
                    return residues
        return None

    def flattened(self, facts: Facts, t: Term, like: Term) -> Reindex | None:
        """A nested sum whose index form takes each value of the other sum's index once: k in 0..K, t in 0..32: f(32*k + t)."""
        found = self._flattened(facts, t, like) if (facts, t, like) not in self.never_flat else None
        if found is None:
            self.never_flat.add((facts, t, like))
        return found

    def _flattened(self, facts: Facts, t: Term, like: Term) -> Reindex | None:
        one = peel(like, 1) if like.op == "sum" else None
        if one is None or t.op != "sum" or peel(like, 2) is not None:
            return None
        alone = peel(t, 2) is None  # then there is something to do only if it is a part of the other's range
        if alone and (one.where is k.TRUE or t.args[:2] == like.args[:2]):
            return None
        (i,) = self.tools.temporaries(1, "f")
        theirs = one.at((i,))[0]
        for depth in (1,) if alone else range(nested_sums(t), 1, -1):
            nested = peel(t, depth)
            if nested is None:
                continue
            xs = self.tools.temporaries(depth, "f")
            mine = nested.at(xs)[0]
            for form in matching(mine, theirs, i):
                if facts.simplify(k.substitute(theirs, {i: form})) is not facts.simplify(mine):
                    continue
                cells = Cells("", nested.ranges, nested.where, (k.abstract(form, xs),))
                low, high = one.ranges[0]
                back = self.tools.invert(cells, (i,), facts.assume(k.le(low, i), k.lt(i, high)))
                if back is None:
                    continue
                inside = facts.assume(k.le(low, i), k.lt(i, high))
                there = k.and_(nested.domain(back), k.eq(k.substitute(form, dict(zip(xs, back))), i))
                guard = inside.simplify(there)
                body = k.ite(guard, theirs, k.num(0, theirs.sort))
                new = k.big("sum", low, high, k.abstract(body, (i,)))
                if new.op != "sum":
                    continue
                step = Reindex(t, new, (k.abstract(form, xs),), tuple(k.abstract(u, (i,)) for u in back))
                if self.forms.holds(facts, step):
                    if alone:
                        self.forms.kept.add(facts.simplify(new))
                    return step
        return None

    def guarded(self, facts: Facts, s: Term, t: Term) -> Extend | Partition | None:
        """Two sums of the same over one range, s under a condition: t is the same sum, or s is a part of it."""
        mine, theirs = peel(s, 1), peel(t, 1)
        if mine is None or theirs is None or mine.where is k.TRUE or mine.ranges != theirs.ranges:
            return None
        (x,) = self.tools.temporaries(1, "g")
        low, high = mine.ranges[0]
        inside = facts.assume(k.le(low, x), k.lt(x, high))
        here, there = instantiate(mine.where, (x,)), instantiate(theirs.where, (x,))
        if mine.index != theirs.index or here in k.conjuncts(there):
            return None
        if not self.tools.proves(inside.assume(here), there):
            return None
        if self.tools.proves(inside.assume(there), here):
            return Extend(t, s.args[-1], ())
        return Partition(t, mine.where)

    def moved(self, facts: Facts, t: Term, like: Term) -> Reindex | None:
        """The sum t over another index, with which its body is that of `like`: a shift, or a reversal."""
        x, y = self.tools.temporaries(2, "s")
        mine, theirs = instantiate(t.args[-1], (y,)), instantiate(like.args[-1], (x,))
        for y_of_x in self.correspondences(mine, theirs, x, y):
            c = k.coefficients(y_of_x).get((x,), 0)
            if c not in (1, -1) or facts.simplify(k.substitute(mine, {y: y_of_x})) is not facts.simplify(theirs):
                continue
            low, high = t.args[-3], t.args[-2]
            rest = k.sub(y_of_x, k.scale(c, x))  # y = c * x + rest, so x = c * (y - rest)
            if c == 1:
                new_low, new_high = k.sub(low, rest), k.sub(high, rest)
            else:
                new_low, new_high = k.sub(rest, k.sub(high, k.ONE)), k.sub(k.add(rest, k.ONE), low)
            new = k.big("sum", new_low, new_high, like.args[-1])
            if new is t or peel(new, 1) is None:
                continue
            x_of_y = k.scale(c, k.sub(y, rest))
            return Reindex(t, new, (k.abstract(x_of_y, (y,)),), (k.abstract(y_of_x, (x,)),))
        return None

    def correspondences(self, mine: Term, theirs: Term, x: Term, y: Term) -> Iterator[Term]:
        """Candidates for y as a function of x, from arguments of functions that would have to be equal."""
        apps = [a for a in k.subterms(theirs) if a.op == "app" and x in a.free]
        for a in k.subterms(mine):
            if a.op != "app" or y not in a.free:
                continue
            for b in apps:
                if a.args[0] is b.args[0]:
                    for p, q in zip(a.args[1:], b.args[1:]):
                        c = k.coefficients(p).get((y,), 0) if p.sort is k.INT and p.level == q.level == 0 else 0
                        rest = k.sub(p, k.scale(c, y)) if c else None
                        if rest is not None and y not in rest.free and c in (1, -1):
                            yield k.scale(c, k.sub(q, rest))

    def by_residue(self, facts: Facts, t: Term, like: Term) -> Reindex | None:
        """A sum beside one over every c-th index: the sum over residues r of the sums over c*k + r."""
        x = self.tools.temporaries(1, "r")[0]
        strides = {
            int(c)
            for a in k.subterms(instantiate(like.args[-1], (x,)))
            if a.op == "app" and x in a.free
            for p in a.args[1:]
            if p.sort is k.INT and 1 < (c := abs(k.coefficients(p).get((x,), 0))) <= MAX_STRIDE
        }
        mine = {c for a in k.subterms(t.args[-1]) if a.op == "poly" for m, c in a.data if m == (k.bound(0, k.INT),)}
        for c in sorted(strides):
            if mine - {1}:
                continue
            low, high = t.args[-3], t.args[-2]
            r, q = self.tools.temporaries(2, "r")
            i = k.add(low, k.add(k.scale(c, q), r))
            count = k.fdiv(k.sub(k.add(k.sub(high, low), k.num(c - 1)), r), k.num(c))
            inner = k.big("sum", k.ZERO, count, k.abstract(instantiate(t.args[-1], (i,)), (q,)))
            new = k.big("sum", k.ZERO, k.num(c), k.abstract(inner, (r,)))
            if peel(new, 2) is None:
                continue
            y = self.tools.temporaries(1, "r")[0]
            at = k.sub(y, low)
            forward = (k.abstract(k.fmod(at, k.num(c)), (y,)), k.abstract(k.fdiv(at, k.num(c)), (y,)))
            return Reindex(t, new, forward, (k.abstract(i, (r, q)),))
        return None

    def cut(self, facts: Facts, s: Term, t: Term) -> Split | None:
        """Ranges over the same body: cut one at an end of the other."""
        for whole, part in ((s, t), (t, s)):
            low, high = whole.args[-3], whole.args[-2]
            for at in (part.args[-2], part.args[-3]):
                inside = k.and_(k.le(low, at), k.le(at, high))
                if at not in (low, high) and self.tools.proves(facts, inside) and split(whole, at) is not whole:
                    return Split(whole, at)
        return None

    def swapped(self, facts: Facts, s: Term, t: Term) -> Reindex | None:
        """The same two ranges in the other order."""
        mine, theirs = peel(s, 2), peel(t, 2)
        if mine is None or theirs is None:
            return None
        x, y = self.tools.temporaries(2, "s")
        if any(r.level for p in (*mine.ranges, *theirs.ranges) for r in p):
            return None
        if mine.ranges != (theirs.ranges[1], theirs.ranges[0]):
            return None
        if mine.at((x, y)) != theirs.at((y, x)):
            return None
        other = (k.bound(0, k.INT), k.bound(1, k.INT))
        return Reindex(s, t, other, other)

    def evened(self, facts: Facts, a: Term, b: Term) -> Split | None:
        """Ranges that differ by a few indices at an end: cut these off, whatever the bodies are."""
        only = one_sided(a, b)
        for s in only:
            for t in only:
                if s.op != t.op or s.args[-1] is t.args[-1]:
                    continue
                low, high = s.args[-3], s.args[-2]
                for same_end, at in ((low is t.args[-3], t.args[-2]), (high is t.args[-2], t.args[-3])):
                    near = k.is_num(k.sub(high, at)) or k.is_num(k.sub(at, low))
                    ordered = k.and_(k.le(low, at), k.le(at, high))
                    cut = same_end and near and at not in (low, high) and split(s, at) is not s
                    if cut and self.tools.proves(facts, ordered):
                        return Split(s, at)
        return None

    def shifted(self, a: Term, b: Term) -> Reindex | None:
        """Sums over ranges of one size, over the same range."""
        sums = [t for t in one_sided(a, b) if t.op == "sum"]
        for t in sums:
            for like in sums:
                by = k.sub(t.args[0], like.args[0])
                if (
                    k.sub(t.args[1], like.args[1]) is not by
                    or by is k.ZERO
                    or like.args[0].key > t.args[0].key
                    or t.args[2] is like.args[2]
                ):
                    continue
                (x,) = self.tools.temporaries(1, "s")
                new = k.big(
                    "sum", like.args[0], like.args[1], k.abstract(instantiate(t.args[2], (k.add(x, by),)), (x,))
                )
                if peel(new, 1) is not None:
                    there, back = k.abstract(k.sub(x, by), (x,)), k.abstract(k.add(x, by), (x,))
                    return Reindex(t, new, (there,), (back,))
        return None

    def unrolled(self, a: Term, b: Term) -> Split | None:
        """The first of a number of summands that is known, where nothing else helps."""
        for t in sorted(one_sided(a, b), key=lambda t: -nesting(t)):
            low, high = t.args[-3], t.args[-2]
            size = k.sub(high, low)
            if k.is_num(size) and 1 < size.data <= MAX_UNROLL and t.op != "fold_max":
                return Split(t, k.add(low, k.ONE))
        return None
