"""What is known at a point of a proof, and the arithmetic normaliser: what can be simplified and proved from it without a solver.

The normaliser settles what index reasoning needs, products of sizes included:
- equations are used as substitutions, `n mod 16 = 0` as `n = 16 * q`;
- `(k * m + r) div m` is k when 0 <= r < m follows, for symbolic m too;
- choices, minima and maxima are decided where a condition follows;
- an inequality is proved by replacing variables, one by one, by bounds that the facts give for them. A variable may have a symbolic
  coefficient whose sign is known: from i <= H - 1 and W >= 0 follows i * W <= (H - 1) * W. Integer rounding is accounted for.
Everything else goes to the solver (logic/judge.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import gcd
from typing import Any

from optigpu.logic import terms as k
from optigpu.logic.terms import FALSE, INT, ONE, TRUE, ZERO, Coefficients, Sort, Term, instantiate

DEPTH = 9  # eliminations in one proof of an inequality
BUDGET = 70  # inequalities looked at for one goal
COMPARED = 8  # arguments of a maximum that are compared with each other
CASES = 5  # choices that are simplified again in each of two cases, as are those in them: more than that are not


class Guide:
    """Advice for the search, from outside the kernel. Bad advice can make a proof fail, never succeed; here is none at all."""

    def refutes(self, facts: Facts, p: Term) -> bool:
        """Is the integer p negative, or the goal p false, where the facts hold? Then no proof of p >= 0, or of p, is tried."""
        return False

    def bounds(self, facts: Facts, summand: Term, above: bool) -> list[int]:
        """Numbers that the summands of a sum may all be at most (above), or at least: the best first."""
        return []

    def products(self, facts: Facts, goal: Term) -> list[tuple[Term, Term]]:
        """Integers that are not negative, whose products may decide the goal."""
        return []

    def instances(self, universals: list[Term], ground: list[Term]) -> list[tuple[Term, tuple[Term, ...]]]:
        """Which of the universal facts to use, and at which terms."""
        return []


class Facts:
    """An immutable set of facts. `assume` gives a larger one; what was found out is remembered with them."""

    def __init__(self, guide: Guide | None = None, given: tuple[Term, ...] = (), origin: Facts | None = None) -> None:
        self.guide = guide or Guide()
        self.given = given  # as they were assumed
        self.origin = origin  # facts that these extend
        self.advice: Any = None  # what the guide remembers of these facts
        self.substitution: dict[Term, Term] = {}
        self.items: tuple[Term, ...] = ()  # with the substitution applied
        self.known: frozenset[Term] = frozenset()
        self._settling = False  # while conditions inside facts are being decided
        self._bounds: Bounds | None = None
        self._simplified: dict[Term, Term] = {}
        self._nonneg: dict[Term, bool] = {}
        self.positive: set[Term] = set()  # atoms known to be at least 1
        self.constants = 0  # how many arbitrary constants there are
        self._larger: dict[object, Facts] = {}
        self.show: Callable[[Facts], Facts] | None = origin.show if origin is not None else None
        self._shown: Facts | None = None

    @property
    def shown(self) -> Facts:
        """These facts as others may have them: to look at and to reason with, but without the tables (kernel/sealed.py)."""
        if self._shown is None:
            self._shown = self if self.show is None else self.show(self)
        return self._shown

    def arbitrary(self, *sorts: Sort) -> tuple[tuple[Term, ...], Facts]:
        """Constants of which nothing is known, so that what is proved of them holds of everything.

        They occur nowhere else, provided that the facts returned with them are used wherever they are.
        """
        names = tuple(k.arbitrary(self.constants + i, s) for i, s in enumerate(sorts))
        if not sorts:
            return names, self
        if len(sorts) not in self._larger:
            out = Facts(self.guide, self.given, self)
            out.substitution, out.items, out.known = self.substitution, self.items, self.known
            out.constants = self.constants + len(sorts)
            self._larger[len(sorts)] = out
        return names, self._larger[len(sorts)]

    def assume(self, *props: Term) -> Facts:
        """The facts with these. They are closed: a loose index is not one number, it means another one under each binder."""
        if any(p.level for p in props):
            raise TypeError("a fact with a loose index")
        new = [c for p in props for c in k.conjuncts(p) if c is not TRUE]
        new = [c for c in new if k.substitute(c, self.substitution) not in self.known]
        if not new:
            return self
        if tuple(new) not in self._larger:
            self._larger[tuple(new)] = self._with(new)
        return self._larger[tuple(new)]

    def _with(self, new: list[Term]) -> Facts:
        out = Facts(self.guide, self.given + tuple(new), self)
        out.constants = self.constants
        out.substitution = dict(self.substitution)
        items = list(self.items)
        for c in new:
            items += k.conjuncts(self._inside(k.substitute(c, out.substitution)))
            items = out._solve_equations(items)
        out._settle(items)
        choices = {i for i in out.items if any(x.op in ("ite", "max") for x in k.subterms(i))}
        out._settling = bool(choices)
        settled = [c for i in out.items for c in k.conjuncts(out._inside(i) if i in choices else i)]
        if choices:  # conditions inside facts that other facts decide
            out._settle(out._solve_equations(settled))
        return out

    def _settle(self, items: list[Term]) -> None:
        self.items = tuple(dict.fromkeys(i for i in _sharpened(items) if i is not TRUE))
        self.known = frozenset(self.items)
        self.positive = set()
        self._bounds, self._simplified, self._nonneg, self._settling = None, {}, {}, False

    def _inside(self, fact: Term) -> Term:
        """A fact with its numbers simplified, but the fact itself not decided."""
        if fact.op in ("le", "lt", "eq") and not any(x.op in k.BINDERS for x in k.subterms(fact)):
            return k.rebuild(fact, lambda x, _: self._simplify(x))
        return fact

    def _solve_equations(self, items: list[Term]) -> list[Term]:
        """Turn equations for a variable into substitutions, until there are none left."""
        for at, item in enumerate(items):
            if solved := _solve(item):
                v, value = solved
                self.substitution = {w: k.substitute(t, {v: value}) for w, t in self.substitution.items()}
                self.substitution[v] = value
                rest = items[:at] + items[at + 1 :]
                return self._solve_equations([c for i in rest for c in k.conjuncts(k.substitute(i, {v: value}))])
        return items

    def apply(self, t: Term) -> Term:
        return k.substitute(t, self.substitution)

    @property
    def inconsistent(self) -> bool:
        return FALSE in self.known

    # Simplification

    def simplify(self, t: Term) -> Term:
        """An equal term, given the facts. The quotients that facts are solved with do not get out."""
        return _expand(self.reduce(t))

    def reduce(self, t: Term) -> Term:
        """The same, in the variables of `items`: for proofs under these facts alone."""
        return self._simplify(self.apply(t))

    def _simplify(self, t: Term) -> Term:
        if t.op in ("num", "var", "true", "false", "bound"):
            return t
        if t not in self._simplified:
            self._simplified[t] = self._simplify_new(t)
        return self._simplified[t]

    def _simplify_new(self, t: Term) -> Term:
        match t.op:
            case "sum" | "prod" | "fold_max" | "all":
                return self._simplify_big(t)
            case "lam" | "forall":
                return t
            case "ite" if t.level == 0:
                c = self._simplify(t.args[0])
                if c is TRUE or c is FALSE:
                    return self._simplify(t.args[1] if c is TRUE else t.args[2])
                both = {x for x in k.subterms(t.args[1]) if x.op == "ite"}.intersection(k.subterms(t.args[2]))
                if self._settling or len(both) > CASES or any(x.op == "ite" for x in k.subterms(c)):
                    return k.ite(c, self._simplify(t.args[1]), self._simplify(t.args[2]))
                return k.ite(c, self._reduce_where(c, t.args[1]), self._reduce_where(k.not_(c), t.args[2]))
        if t.level > 0:
            return t
        new = k.rebuild(t, lambda x, _: self._simplify(x))
        match new.op:
            case "fdiv":
                return self._divide(new)
            case "poly" if new.sort is not INT and any(a.op == "inv" for a in new.parts):
                return self._cancel(new)
            case "max":
                return self._maximum(new)
            case "le" | "lt" | "eq":
                if new in self.known or self._prove(new):
                    return TRUE
                opposite = k.not_(new)
                return FALSE if opposite in self.known or self._prove(opposite) else new
            case "not" | "app" if new.sort is TRUE.sort:
                return TRUE if new in self.known else FALSE if k.not_(new) in self.known else new
            case _:
                return new

    def _reduce_where(self, c: Term, t: Term) -> Term:
        """t where c holds, in the variables of these facts: the quotients that only those with c are solved with stay there."""
        new = self.assume(c).reduce(t)
        return new if (out := _expand(new)) is new else self.apply(out)

    def _simplify_big(self, t: Term) -> Term:
        """The body under the range of its index."""
        if t.level > 0:
            return t
        *start, low, high, body = t.args
        low, high = self._simplify(low), self._simplify(high)
        initial = self._simplify(start[0]) if start else None
        if k.le(high, low) is TRUE or self._prove(k.le(high, low)):
            return k.big(t.op, low, low, body, initial)
        (i,), inner = self.arbitrary(INT)
        simpler = inner.assume(k.le(low, i), k.lt(i, high)).simplify(instantiate(body, (i,)))
        # An equation for the index may have been used: the result must still be a function of it alone.
        return k.big(t.op, low, high, k.abstract(simpler, (i,)), initial)

    def _divide(self, t: Term) -> Term:
        a, d = t.args
        quotient, rest = _split_multiple(a, d)
        if not self.nonneg(k.sub(d, ONE)):
            return t
        if self.nonneg(rest) and self.nonneg(k.sub(k.sub(d, ONE), rest)):
            return quotient
        if self.nonneg(k.sub(k.neg(rest), ONE)) and self.nonneg(k.add(d, rest)):
            return k.sub(quotient, ONE)
        return t if quotient is ZERO else k.add(quotient, k.fdiv(rest, d))

    def _cancel(self, t: Term) -> Term:
        """x * (1 / x) is 1 for x that is known not to be 0."""
        cs: Coefficients = {}
        for m, c in k.coefficients(t).items():
            for a in m:
                if a.op == "inv" and a in m and a.args[0] in m and self._not_zero(a.args[0]):
                    m = _without(_without(m, a), a.args[0])
            cs[m] = cs.get(m, 0) + c
        return k.polynomial(cs, t.sort)

    def _not_zero(self, x: Term) -> bool:
        zero = k.num(0, x.sort)
        known = k.not_(k.eq(x, zero)) in self.known or k.lt(zero, x) in self.known
        return known or (x.op == "real" and self._prove(k.not_(k.eq(x.args[0], ZERO))))

    def _maximum(self, t: Term) -> Term:
        """Without arguments that another one is known to exceed."""
        kept = list(t.args)
        for a in t.args if t.sort is INT and len(t.args) <= COMPARED else ():
            if any(self.nonneg(k.sub(b, a)) for b in kept if b is not a):
                kept.remove(a)
        return t if len(kept) == len(t.args) else k.max_(*kept)

    # Proof

    def proves(self, goal: Term) -> bool:
        """Does the goal follow, as far as the normaliser can tell?"""
        return self.inconsistent or self._prove_junction(self.reduce(goal))

    def _prove_junction(self, g: Term) -> bool:
        if g is TRUE or g in self.known:
            return True
        if g.op == "and":
            return all(self._prove_junction(a) for a in g.args)
        if g.op != "or":
            return self._prove(g)
        for a in g.args:
            others = self.assume(*(k.not_(b) for b in g.args if b is not a))
            if others.proves(a) if others is not self else self._prove(a):
                return True
        return False

    def _prove(self, g: Term) -> bool:
        match g.op:
            case "true":
                return True
            case "le" if g.args[0].sort is INT:
                if self.nonneg(p := k.neg(g.args[0])):
                    return True
                just_not = k.eq(p, k.num(-1))  # p >= -1, and p = -1 contradicts the facts
                return _solve(just_not) is not None and self.nonneg(k.add(p, ONE)) and self._excludes(just_not)
            case "eq" if g.args[0].sort is INT:
                return self._prove(k.le(ZERO, g.args[0])) and self._prove(k.le(g.args[0], ZERO))
            case "not" if g.args[0].op == "eq" and g.args[0].args[0].sort is INT:
                p = g.args[0].args[0]
                return self.nonneg(k.sub(p, ONE)) or self.nonneg(k.sub(k.neg(p), ONE)) or self._excludes(g.args[0])
            case _:
                return False

    def _excludes(self, equation: Term) -> bool:
        return _solve(equation) is not None and self.assume(equation)._contradictory()

    def _contradictory(self) -> bool:
        """Do two of the facts exclude each other?"""
        bounds = [i.args[0] for i in self.items if i.op == "le" and i.args[0].sort is INT]
        return self.inconsistent or _opposed(bounds) or any(self.nonneg(k.sub(p, ONE)) for p in bounds)

    def nonneg(self, p: Term) -> bool:
        """p >= 0, for an integer polynomial."""
        found = self._nonneg.get(p)
        if found is None:
            self._nonneg[p] = False  # while it is being looked at
            possible = k.is_num(p) or not self.guide.refutes(self.shown, p)
            found = self._nonneg[p] = possible and self._eliminate(p, DEPTH, {}, self._bounds_with(p))
        return found

    def _eliminate(self, p: Term, depth: int, tried_at: dict[Term, int], bounds: Bounds) -> bool:
        """`tried_at`: what has been tried in this proof, and how deep it could go."""
        cs = k.coefficients(p)
        if not any(cs):
            return bool(cs.get((), 0) >= 0)
        if (g := gcd(*(c for m, c in cs.items() if m))) > 1:  # g * n + c >= 0 if n + c div g >= 0
            p = k.polynomial(cs := {m: c // g for m, c in cs.items()}, INT)
        if self._plainly_nonneg(cs, bounds):
            return True
        common = next((a for a in next(iter(cs)) if all(a in m for m in cs)), None)
        if common is not None and (
            _at_least(0, common, bounds) or (common is not p and self._eliminate(common, depth - 1, tried_at, bounds))
        ):  # a * q >= 0
            rest = k.polynomial({_without(m, common): c for m, c in cs.items()}, INT)
            return self._eliminate(rest, depth, tried_at, bounds)
        if depth <= tried_at.get(p, 0) or len(tried_at) > BUDGET or self.guide.refutes(self.shown, p):
            return False
        tried_at[p] = depth
        tried = 0
        for v in sorted({a for m in cs for a in m}, key=_innermost, reverse=True):
            parts = linear_in(cs, v, 2)  # what a bound of v says of a*v depends on the sign of a, not on what is in it
            if parts is None or v not in bounds:
                continue
            a, q = parts
            sign = self._sign(a, depth, tried_at, bounds)
            if sign == 0:
                continue
            for c, side, r in bounds[v]:  # side 1: c*v >= r; side -1: c*v <= r, with c > 0
                # c * (a*v + q) = a * (c*v) + c*q >= a*r + c*q; an integer n is >= 0 already if c*n > -c
                least = k.add(k.mul(a, r), k.mul(c, q), k.sub(c, ONE)) if side == sign else None
                if least is not None and self._eliminate(least, depth - 1, tried_at, bounds):
                    return True
            tried += 1
            if tried == 2:
                break
        return False

    def _plainly_nonneg(self, cs: Coefficients, bounds: Bounds) -> bool:
        """Are all summands products of numbers that are not negative, and squares?"""
        odd = (a for m in cs for a in dict.fromkeys(m) if m.count(a) % 2)
        return all(c >= 0 for c in cs.values()) and all(_at_least(0, a, bounds) for a in odd)

    def _sign(self, a: Term, depth: int, tried_at: dict[Term, int], bounds: Bounds) -> int:
        if a.op == "num":
            return int(a.data > 0) - int(a.data < 0)
        if self._eliminate(a, depth - 1, tried_at, bounds):
            return 1
        return -1 if self._eliminate(k.neg(a), depth - 1, tried_at, bounds) else 0

    def _bounds_with(self, p: Term) -> Bounds:
        """Bounds from the facts, and those that hold of the divisions and extrema in p."""
        if self._bounds is None:
            self._bounds = {}
            for item in self.items:
                self._add_bounds(self._bounds, item)
            self._add_factors(self._bounds)
            for item in self.items:  # again, with symbolic coefficients that are now known to be positive
                self._add_bounds(self._bounds, item)
                self._add_definitions(self._bounds, item)
        bounds = self._bounds
        if any(a.op in _DEFINED and a not in bounds for a in k.subterms(p)):
            divisors = {a.args[1] for a in k.subterms(p) if a.op == "fdiv" and a.args[1].op == "fdiv" and a.level == 0}
            bounds = {v: list(bs) for v, bs in bounds.items()}
            for d in divisors:  # quotients that divide
                if d in self.positive or self.nonneg(k.sub(d, ONE)):
                    self.positive.add(d)
                    bounds.setdefault(d, []).append((ONE, 1, ONE))
            self._add_definitions(bounds, p)
        return bounds

    def _add_factors(self, bounds: Bounds) -> None:
        """A product of numbers that are not negative is at least 1 only if each of them is: 0 <= i < H * W."""
        for item in self.items:
            if item.op == "le" and item.args[0].sort is INT:
                cs = k.coefficients(item.args[0])
                products = [m for m, c in cs.items() if c < 0]
                rest = {m: c for m, c in cs.items() if c > 0}
                at_least_1 = len(products) == 1 and cs.get((), 0) >= 1 and self._plainly_nonneg(rest, bounds)
                if at_least_1 and (len(products[0]) == 1 or all(_at_least(0, a, bounds) for a in products[0])):
                    self.positive |= set(products[0])
        for a in self.positive:
            bounds.setdefault(a, []).append((ONE, 1, ONE))

    def _add_definitions(self, bounds: Bounds, t: Term) -> None:
        for a in k.subterms(t):
            if a.level > 0 or a.sort is not INT:
                continue
            match a.op:
                case "fdiv":
                    x, d = a.args
                    power = d.op == "pow2" and (k.le(ZERO, d.args[0]) is TRUE or k.le(ZERO, d.args[0]) in self.known)
                    if (d.op == "num" and d.data > 0) or d in self.positive or power:
                        self._add_bounds(bounds, k.le(k.mul(d, a), x))
                        self._add_bounds(bounds, k.le(x, k.add(k.mul(d, a), k.sub(d, ONE))))
                        if d.op != "num" and _at_least(0, x, bounds):
                            self._add_bounds(bounds, k.le(a, x))
                case "max":
                    for x in a.args:
                        self._add_bounds(bounds, k.le(x, a))
                case "bxor" if k.is_num(a.args[1]) and a.args[1].data >= 0:  # higher bits than those of the number stay
                    size = k.num(1 << a.args[1].data.bit_length())
                    first = k.mul(size, k.fdiv(a.args[0], size))
                    self._add_definitions(bounds, first)
                    self._add_bounds(bounds, k.le(first, a))
                    self._add_bounds(bounds, k.lt(a, k.add(first, size)))
                case "pow2":
                    if k.le(ZERO, a.args[0]) is TRUE or k.le(ZERO, a.args[0]) in self.known:
                        self._add_bounds(bounds, k.le(ONE, a))
                case _:
                    pass

    def _add_bounds(self, bounds: Bounds, item: Term) -> None:
        """The bounds that an inequality or equation gives for atoms, where what they are multiplied with is positive."""
        if item.op in ("le", "eq") and item.args[0].sort is INT:
            p = item.args[0]
            for v, others, entry in _entries(p) + _entries(k.neg(p)) if item.op == "eq" else _entries(p):
                known = bounds.setdefault(v, []) if self.positive.issuperset(others) else [entry]
                if entry not in known:
                    known.append(entry)


# For each atom v: (c, 1, r) for c*v >= r, (c, -1, r) for c*v <= r, with c > 0.
Bounds = dict[Term, list[tuple[Term, int, Term]]]
_DEFINED = ("fdiv", "max", "pow2", "bxor")


@k.remembered(20_000)
def _entries(p: Term) -> tuple[tuple[Term, k.Monomial, tuple[Term, int, Term]], ...]:
    """From p <= 0: for each atom with a coefficient that is positive if these others are, the bound that p gives for it."""
    out, cs = [], k.coefficients(p)
    for m, c in cs.items():
        for v in dict.fromkeys(m):
            others = _without(m, v)
            if len(others) > 1 or v in others or any(v in n for n in cs if n != m):
                continue
            rest = k.polynomial({n: d for n, d in cs.items() if n != m}, INT)
            factor = k.mul(k.num(abs(c)), *others)
            # c*v + rest <= 0: for c > 0, c*v <= -rest; for c < 0, -c*v >= rest
            out.append((v, others, (factor, -1, k.neg(rest)) if c > 0 else (factor, 1, rest)))
    return tuple(out)


def _innermost(a: Term) -> tuple[int, int, int]:
    """Which variable to eliminate first: arbitrary constants, then loop indices, inner ones first, then sizes."""
    return (*max([x.data.age for x in a.free], default=(0, 0)), a.key)


def _expand(t: Term) -> Term:
    """n div 16 for the variable n/16, which stands for it where 16 divides n."""
    quotients = [x for x in t.free if x.data.divisors and x.sort is INT]
    if not quotients:
        return t
    return k.substitute(t, {x: _expand(k.fdiv(*_quotient(x))) for x in quotients})


def _quotient(x: Term) -> tuple[Term, Term]:
    """Of the variable n/16: n and 16."""
    *divisors, last = x.data.divisors
    return k.var(replace(x.data, divisors=tuple(divisors)), INT), k.num(last)


def _sharpened(items: list[Term]) -> list[Term]:
    """p <= 0 and p != 0 is p <= -1, for an integer p."""
    for i in items:
        if i.op == "not" and i.args[0].op == "eq" and i.args[0].args[0].sort is INT:
            p = i.args[0].args[0]
            for q in (p, k.neg(p)):
                if k.le(q, ZERO) in items:
                    return _sharpened([k.lt(q, ZERO) if j is k.le(q, ZERO) else j for j in items if j is not i])
    return items


def _opposed(bounds: list[Term]) -> bool:
    """Are there p <= 0 and q <= 0 whose sum is a positive number?"""
    numbers = {k.sub(p, k.num(c)): c for c, p in sorted((k.coefficients(p).get((), 0), p) for p in bounds)}
    return any(c + numbers.get(k.neg(p), -c) > 0 for p, c in numbers.items())


def _solve(item: Term) -> tuple[Term, Term] | None:
    """From p = 0, a variable with coefficient ±1 (of reals: any) that is nowhere else in p; or n = k * q + c from n mod k = c."""
    if item.op != "eq":
        return None
    p = item.args[0]
    cs = k.coefficients(p)
    real = p.sort is not INT
    variables = [m[0] for m, c in cs.items() if len(m) == 1 and m[0].op == "var" and (real or c in (1, -1))]
    for v in sorted(variables, key=_innermost, reverse=True):
        factor = Fraction(-1) / cs[(v,)] if real else -cs[(v,)]
        rest = k.scale(factor, k.polynomial({m: d for m, d in cs.items() if m != (v,)}, p.sort))
        if v not in rest.free:
            return v, rest
    constant = cs.pop((), 0)
    if p.sort is INT and len(cs) == 2:
        (m1, c1), (m2, c2) = cs.items()
        for n, cn, q, cq in ((m1, c1, m2, c2), (m2, c2, m1, c1)):
            if len(n) == 1 and len(q) == 1 and n[0].op == "var" and q[0].op == "fdiv" and q[0].args[0] is n[0]:
                d = q[0].args[1]
                if d.op == "num" and cq == -cn * d.data and 0 <= (c := -constant * cn) < d.data:  # cn is 1 or -1
                    return n[0], k.add(k.mul(d, _divided(n[0], d.data)), k.num(c))
    return None


def _divided(x: Term, divisor: int) -> Term:
    """The variable x/divisor: it stands for the quotient where the remainder is known."""
    return k.var(replace(x.data, divisors=(*x.data.divisors, divisor)), INT)


def linear_in(cs: Coefficients, v: Term, most: int = 1) -> tuple[Term, Term] | None:
    """(a, q) with p = a*v + q, where v is no factor of q, and of a if it is there twice at most (`most` of 2)."""
    if any(m.count(v) > most for m in cs):
        return None
    a = {_without(m, v): c for m, c in cs.items() if v in m}
    return k.polynomial(a, v.sort), k.polynomial({m: c for m, c in cs.items() if v not in m}, v.sort)


def _at_least(least: int, a: Term, bounds: Bounds) -> bool:
    """a >= least (0 or 1), from a constant bound or from what the atom is."""
    if a.op == "num":
        return bool(a.data >= least)
    if any(side == 1 and c is ONE and r.op == "num" and r.data >= least for c, side, r in bounds.get(a, ())):
        return True
    match a.op:
        case "fdiv":
            return least == 0 and _at_least(0, a.args[0], bounds) and _at_least(1, a.args[1], bounds)
        case "max":
            return any(_at_least(least, x, bounds) for x in a.args)
        case _:
            return False


def _split_multiple(a: Term, d: Term) -> tuple[Term, Term]:
    """a = d * quotient + rest, for d a single monomial, or for a that is a multiple of d."""
    if d.op == "num":
        return ZERO, a
    ca, ds = k.coefficients(a), k.coefficients(d)
    dm, dc = next(iter(ds.items()))
    if len(ds) > 1:
        multiple = ca.get(dm, 0) // dc
        return (k.num(multiple), ZERO) if k.scale(multiple, d) is a else (ZERO, a)
    within = {m: left for m, c in ca.items() if (left := _remove(m, dm)) is not None and c % dc == 0}
    quotient = {left: ca[m] // dc for m, left in within.items()}
    return k.polynomial(quotient, INT), k.polynomial({m: c for m, c in ca.items() if m not in within}, INT)


def _without(m: tuple[Term, ...], a: Term) -> tuple[Term, ...]:
    at = m.index(a)
    return m[:at] + m[at + 1 :]


def _remove(m: tuple[Term, ...], factors: tuple[Term, ...]) -> tuple[Term, ...] | None:
    for f in factors:
        if f not in m:
            return None
        m = _without(m, f)
    return m
