"""One sum over the index of another: flattened, shifted, reversed, with ranges exchanged, split by residues, guarded alike."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, arguments
from optigpu.logic.equality import Partition, Reindex, peel
from optigpu.logic.facts import Facts
from optigpu.logic.monomials import linear_in
from optigpu.logic.terms import TRUE, Term, instantiate
from optigpu.search.equalities.sum_forms import SumForms
from optigpu.search.equalities.sum_terms import matching_indices, nested_sums, one_sided
from optigpu.search.fresh_names import scoped
from optigpu.search.search_tools import SearchTools

SMALL_STRIDE, MAX_STRIDE = 8, 256


class SumReindexing:
    """Steps that bring one sum into the form of another."""

    def __init__(self, tools: SearchTools, forms: SumForms) -> None:
        self.tools, self.forms = tools, forms
        self._never_flat: set[tuple[Facts, Term, Term]] = set()  # pairs are met again in each round
        self._never_moved: set[tuple[Facts, Term, Term]] = set()
        self.over_residues: set[Term] = set()  # sums over residues, of which each residue is needed by itself

    def restart(self) -> None:
        self._never_flat.clear()
        self._never_moved.clear()
        self.over_residues.clear()

    # A nested sum over the index of a plain one

    def flattened(self, facts: Facts, t: Term, like: Term) -> Reindex | None:
        """Re-index a nested sum by the index of a plain one: k in 0..K, t in 0..32 of f(32*k + t) by i = 32*k + t of f(i)."""
        step = self._flattened(facts, t, like) if (facts, t, like) not in self._never_flat else None
        if step is None:
            self._never_flat.add((facts, t, like))
        return step

    def _flattened(self, facts: Facts, t: Term, like: Term) -> Reindex | None:
        plain = peel(like, 1) if like.op == "sum" else None
        if plain is None or t.op != "sum" or peel(like, 2) is not None:
            return None
        alone = peel(t, 2) is None  # then there is something to do only if it is a part of the other's range
        if alone and (plain.where is k.TRUE or t.args[:2] == like.args[:2]):
            return None
        (i,) = self.tools.temporaries(1, "f")
        for depth in (1,) if alone else range(nested_sums(t), 1, -1):
            nested = peel(t, depth)
            if nested is None:
                continue
            step = self._flattened_from(facts, t, nested, plain, i)
            if step is not None:
                if alone:
                    self.forms.keep_guards([facts.simplify(step.new)])
                return step
        return None

    def _flattened_from(self, facts: Facts, t: Term, nested: Cells, plain: Cells, i: Term) -> Reindex | None:
        """Re-index the sum t, which is peeled to `nested`, by the index i of the sum that is peeled to `plain`."""
        body = plain.at((i,))[0]
        xs = self.tools.temporaries(nested.arity, "f")
        nested_body = nested.at(xs)[0]
        low, high = plain.ranges[0]
        where, common, look_at = instantiate(nested.where, xs), k.TRUE, (nested_body, body)
        if i not in body.free:  # a count: what is counted is in the guards
            common = instantiate(plain.where, (i,))
            look_at = where, common
        for form in matching_indices(*look_at, i):
            if facts.simplify(k.substitute(body, {i: form})) is not facts.simplify(nested_body):
                continue
            shared = k.conjuncts(k.substitute(common, {i: form}))
            if not set(shared) <= set(k.conjuncts(where)):
                continue
            rest = k.and_(*(c for c in k.conjuncts(where) if c not in shared))
            inside = facts.assume(k.le(low, i), k.lt(i, high))
            cells = Cells("", nested.ranges, k.abstract(rest, xs), (k.abstract(form, xs),))
            back = self.tools.invert(cells, (i,), inside)
            if back is None:
                continue
            guard = inside.simplify(k.and_(cells.domain(back), k.eq(k.substitute(form, dict(zip(xs, back))), i)))
            guarded = k.ite(k.and_(guard, common), body, k.num(0, body.sort))
            new = k.big("sum", low, high, k.abstract(guarded, (i,)))
            if new.op != "sum":
                continue
            step = Reindex(t, new, (k.abstract(form, xs),), tuple(k.abstract(u, (i,)) for u in back))
            if self.forms.holds(facts, step):
                return step
        return None

    # Two sums of the same

    def guarded(self, facts: Facts, s: Term, t: Term) -> Reindex | Partition | None:
        """Relate two sums of one body and range, s under a stronger guard: they are equal, or s is a part of t."""
        alike = self._guarded_alike(facts, s, t)
        part, whole = peel(s, 1), peel(t, 1)
        if alike is not None or part is None or whole is None or part.where is k.TRUE:
            return alike
        if part.ranges != whole.ranges or part.index != whole.index:
            return None
        (x,) = self.tools.temporaries(1, "g")
        guard, wider_guard = instantiate(part.where, (x,)), instantiate(whole.where, (x,))
        inside = facts.assume(part.domain((x,)))
        if guard in k.conjuncts(wider_guard) or not self.tools.proves(inside, wider_guard):
            return None
        return Partition(t, part.where)

    def _guarded_alike(self, facts: Facts, s: Term, t: Term) -> Reindex | None:
        """Relate two nested sums of one body and the same ranges, whose guards are equivalent."""
        depth = nested_sums(s)
        one, other = peel(s, depth), peel(t, depth)
        if one is None or other is None or depth != nested_sums(t) or TRUE in (one.where, other.where):
            return None
        if one.ranges != other.ranges or one.index != other.index:
            return None
        xs = self.tools.temporaries(depth, "g")
        for a, b in ((one, other), (other, one)):
            if not self.tools.proves(facts.assume(a.domain(xs)), instantiate(b.where, xs)):
                return None
        return Reindex(t, s, arguments(depth), arguments(depth))

    def moved(self, facts: Facts, t: Term, like: Term) -> Reindex | None:
        """Re-index t, a sum or a product, by a shift or a reversal, after which its body is that of `like`."""
        step = self._moved(facts, t, like) if (facts, t, like) not in self._never_moved else None
        if step is None:
            self._never_moved.add((facts, t, like))
        return step

    def _moved(self, facts: Facts, t: Term, like: Term) -> Reindex | None:
        x, y = self.tools.temporaries(2, "s")
        body, wanted = instantiate(t.args[-1], (y,)), instantiate(like.args[-1], (x,))
        for y_of_x in _correspondences(body, wanted, x, y):
            c = k.coefficients(y_of_x).get((x,), 0)
            if c not in (1, -1) or facts.simplify(k.substitute(body, {y: y_of_x})) is not facts.simplify(wanted):
                continue
            low, high = t.args[-3], t.args[-2]
            rest = k.sub(y_of_x, k.scale(c, x))  # y = c * x + rest, so x = c * (y - rest)
            if c == 1:
                new_low, new_high = k.sub(low, rest), k.sub(high, rest)
            else:
                new_low, new_high = k.sub(rest, k.sub(high, k.ONE)), k.sub(k.add(rest, k.ONE), low)
            new = k.big(t.op, new_low, new_high, like.args[-1])
            if new is t or peel(new, 1, t.op) is None:
                continue
            x_of_y = k.scale(c, k.sub(y, rest))
            return Reindex(t, new, (k.abstract(x_of_y, (y,)),), (k.abstract(y_of_x, (x,)),))
        return None

    def by_residue(self, t: Term, like: Term, most: int) -> Reindex | None:
        """Split a sum by residues, beside a sum over every c-th index: sum over r of the sums over c*k + r. c is at most `most`."""
        low, high, body = t.args[-3:]
        x = self.tools.temporaries(1, "r")[0]
        if _is_count(instantiate(body, (x,)), x):
            return None
        own, wider = _strides(instantiate(body, (x,)), x) or {k.ONE}, _strides(instantiate(like.args[-1], (x,)), x)
        if any(k.is_num(o) and o is not k.ONE for o in own):
            return None  # it has a stride itself
        for c in sorted({c for o in own for w in wider if 2 <= (c := _multiple(w, o)) <= most}):
            r, q = self.tools.temporaries(2, "r")
            i = k.add(low, k.add(k.scale(c, q), r))
            count = k.fdiv(k.sub(k.add(k.sub(high, low), k.num(c - 1)), r), k.num(c))
            inner = k.big("sum", k.ZERO, count, k.abstract(instantiate(body, (i,)), (q,)))
            new = k.big("sum", k.ZERO, k.num(c), k.abstract(inner, (r,)))
            if peel(new, 2) is None:
                continue
            self.over_residues.add(new)
            y = self.tools.temporaries(1, "r")[0]
            at = k.sub(y, low)
            forward = (k.abstract(k.fmod(at, k.num(c)), (y,)), k.abstract(k.fdiv(at, k.num(c)), (y,)))
            return Reindex(t, new, forward, (k.abstract(i, (r, q)),))
        return None

    @scoped
    def by_digits(self, facts: Facts, t: Term) -> Reindex | None:
        """Split a sum whose body has quotients of the index by numbers: f(i / 9, i / 3, i) over 0..9 * n, as a loop over nested
        loops has it, is f(a, 3 * a + b, 9 * a + 3 * b + c) over 3, 3 and n. The first digit comes last: it may be merged with sums
        inside."""
        if t.op != "sum" or t.args[0] is not k.ZERO:
            return None
        _, high, body = t.args
        (i,) = self.tools.temporaries(1, "d")
        quotients = (q for q in k.subterms_with(instantiate(body, (i,)), "fdiv") if q.args[0] is i)
        strides = sorted({int(q.args[1].data) for q in quotients if k.is_num(q.args[1])}, reverse=True)
        if not strides or any(a % b for a, b in pairwise(strides)) or strides[-1] < 2:
            return None
        count = facts.simplify(k.fdiv(high, k.num(strides[0])))
        if not self.tools.proves(facts, k.eq(k.scale(strides[0], count), high)):
            return None
        counts = [count, *(k.num(a // b) for a, b in zip(strides, (*strides[1:], 1)))]
        xs = self.tools.temporaries(len(counts), "e")
        index = k.add(*(k.scale(c, x) for c, x in zip((*strides, 1), xs)))
        digits = [k.fdiv(i, k.num(strides[0]))]
        digits += [k.fmod(k.fdiv(i, k.num(b)), k.num(a // b)) for a, b in zip(strides, (*strides[1:], 1))]
        inside = facts.assume(*(k.and_(k.le(k.ZERO, x), k.lt(x, n)) for x, n in zip(xs, counts)))
        new = inside.simplify(instantiate(body, (index,)))
        for x, n in zip((xs[0], *reversed(xs[1:])), (counts[0], *reversed(counts[1:]))):
            new = k.big("sum", k.ZERO, n, k.abstract(new, (x,)))
        forward = tuple(k.abstract(d, (i,)) for d in (*digits[1:], digits[0]))
        step = Reindex(t, new, forward, (k.abstract(index, (*xs[1:], xs[0])),))
        return step if peel(new, len(xs)) is not None and self.forms.holds(facts, step) else None

    def shifted(self, a: Term, b: Term) -> Reindex | None:
        """Shift a sum onto the range of another one of the same length."""
        sums = [t for t in one_sided(a, b) if t.op == "sum"]
        for t in sums:
            for like in sums:
                low, high, body = like.args
                by = k.sub(t.args[0], low)
                if k.sub(t.args[1], high) is not by or by is k.ZERO or low.key > t.args[0].key or t.args[2] is body:
                    continue
                (x,) = self.tools.temporaries(1, "s")
                new = k.big("sum", low, high, k.abstract(instantiate(t.args[2], (k.add(x, by),)), (x,)))
                if peel(new, 1) is not None:
                    forward, back = k.abstract(k.sub(x, by), (x,)), k.abstract(k.add(x, by), (x,))
                    return Reindex(t, new, (forward,), (back,))
        return None


def _multiple(w: Term, o: Term) -> int:
    """Return c > 0 if one stride is c times the other, or -c times; or else 0."""
    m, d = next(iter(k.coefficients(o).items()))
    c = abs(int(k.coefficients(w).get(m, 0))) // abs(int(d))
    return c if w in (k.scale(c, o), k.scale(-c, o)) else 0


def _correspondences(body: Term, wanted: Term, x: Term, y: Term) -> Iterator[Term]:
    """Yield candidates for y as a function of x, from equating arguments of the same function in both bodies."""
    apps = [a for a in k.subterms_with(wanted, "app") if x in a.free]
    for a in k.subterms(body):
        if a.op != "app" or y not in a.free:
            continue
        for b in apps:
            if a.args[0] is b.args[0]:
                for p, q in zip(a.args[1:], b.args[1:]):
                    c = k.coefficients(p).get((y,), 0) if p.sort is k.INT and p.level == q.level == 0 else 0
                    rest = k.sub(p, k.scale(c, y)) if c else None
                    if rest is not None and y not in rest.free and c in (1, -1):
                        yield k.scale(c, k.sub(q, rest))


def _is_count(body: Term, x: Term) -> bool:
    """Is the index only in the guards of a summand? What its residues count is no simpler."""
    while k.is_guarded(body):
        body = body.args[1]
    return x not in body.free


def _strides(body: Term, x: Term) -> set[Term]:
    """Collect the factors of x in the arguments of functions: W of f(W * x + 1)."""
    found: set[Term] = set()
    for p in (p for a in k.subterms_with(body, "app") for p in a.args[1:] if x in p.free and p.sort is k.INT):
        factor, rest = linear_in(k.coefficients(p), x) or (x, x)
        if not {x} & (factor.free | rest.free):
            found.add(factor)
    return found
