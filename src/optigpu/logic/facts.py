"""The facts at a point of a proof, and the normaliser: what follows from them without a solver.

The normaliser covers the index arithmetic of array programs, products of sizes included:
- an equation for a variable is used as a substitution, `n mod 16 = 0` as `n = 16 * q` (logic/equations.py);
- `(k * m + r) div m` is k where 0 <= r < m follows, for symbolic m too;
- choices, minima and maxima are decided where their condition follows;
- an inequality is proved by replacing variables by their bounds, one after the other (logic/inequalities.py).
All other goals go to the solver (logic/judge.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from optigpu.logic import terms as k
from optigpu.logic.bounds import DEFINED, BoundTable
from optigpu.logic.equations import solved, without_quotient_vars
from optigpu.logic.inequalities import Elimination
from optigpu.logic.monomials import split_multiple
from optigpu.logic.number_ranges import NumberRanges
from optigpu.logic.powers import bounds_of_powers, factored, has_product_of_powers, is_power, multiplied, with_factor
from optigpu.logic.reals import FUNCTIONS, cancelled, function_value, is_root, without_quotients
from optigpu.logic.signs import NEGATIVE, POSITIVE, Signs, Square, is_square
from optigpu.logic.signs import ZERO as ZERO_SIGN
from optigpu.logic.terms import FALSE, INT, ONE, TRUE, ZERO, Sort, Term, instantiate

CHOICES = frozenset(("ite", "max", "pow2"))  # operators that facts may decide
MAX_OPERANDS = 64  # of a disjunction that are tried
MAX_COMPARED = 8  # arguments of a maximum that are compared with each other
MAX_CASES = 5  # choices in both branches of a choice, above which the branches are not simplified case by case


class Guide:
    """Advice for the normaliser and the judge, from outside the kernel. Wrong advice can make a proof fail, never succeed.

    This guide gives none.
    """

    def refutes(self, facts: Facts, p: Term) -> bool:
        """Is the integer p negative, or the goal p false, for some values that the facts allow? Then p >= 0, or p, is not tried."""
        return False

    def concerns(self, facts: Facts, c: Term, t: Term) -> bool:
        """Could the condition c decide anything in t? Otherwise t is not simplified under c."""
        return True

    def bounds(self, facts: Facts, summand: Term, above: bool) -> list[int]:
        """Upper bounds (above), or lower bounds, that all summands of a sum may have: the best first."""
        return []

    def products(self, facts: Facts, goal: Term) -> list[tuple[Term, Term]]:
        """Pairs of integers that are not negative, whose products may decide the goal."""
        return []

    def squares(self, facts: Facts, p: Term) -> list[tuple[Square, ...]]:
        """Squares that may be summands of the real p; what they leave of it may have a sign. Each tuple is one way."""
        return []

    def instances(self, universals: list[Term], ground: list[Term]) -> list[tuple[Term, tuple[Term, ...]]]:
        """Which of the universal facts to use, and at which terms."""
        return []


class Facts:
    """A set of facts that does not change. `assume` gives a larger one. Answers are cached in the set that they follow from."""

    def __init__(
        self, guide: Guide | None = None, assumptions: tuple[Term, ...] = (), origin: Facts | None = None
    ) -> None:
        self.guide = guide or Guide()
        self.assumptions = assumptions  # the facts as they were assumed
        self.origin = origin  # the facts that these extend
        self.advice: Any = None  # the guide's own notes on these facts
        self.substitution: dict[Term, Term] = {}  # variables that equations determine
        self.items: tuple[Term, ...] = ()  # the other facts, with the substitution applied
        self.known: frozenset[Term] = frozenset()  # the items as a set
        self._deciding = False  # while choices inside facts are being decided
        self._bounds: BoundTable | None = None
        self._ranges: NumberRanges | None = None
        self._simplified: dict[Term, Term] = {}
        self._nonneg: dict[Term, bool] = {}
        self._signs: Signs | None = None
        self.constants = 0  # the number of arbitrary constants
        self._larger: dict[object, Facts] = {}
        self.seal: Callable[[Facts], Facts] | None = origin.seal if origin is not None else None
        self._sealed: Facts | None = None

    @property
    def sealed(self) -> Facts:
        """These facts as code outside the kernel gets them: for reading and asking, without the caches (kernel/sealed.py)."""
        if self._sealed is None:
            self._sealed = self if self.seal is None else self.seal(self)
        return self._sealed

    def arbitrary(self, *sorts: Sort) -> tuple[tuple[Term, ...], Facts]:
        """Constants of which nothing is known: what is proved of them holds of all values.

        They are fresh, provided that the facts returned with them are used wherever they occur.
        """
        constants = tuple(k.arbitrary(self.constants + i, s) for i, s in enumerate(sorts))
        if not sorts:
            return constants, self
        if len(sorts) not in self._larger:
            out = Facts(self.guide, self.assumptions, self)
            out.substitution, out.items, out.known = self.substitution, self.items, self.known
            out.constants = self.constants + len(sorts)
            self._larger[len(sorts)] = out
        return constants, self._larger[len(sorts)]

    def assume(self, *props: Term) -> Facts:
        """These facts and the given ones, which must be closed: a loose index would mean another number under each binder."""
        if any(p.level for p in props):
            raise TypeError("a fact with a loose index")
        new = [c for p in props for c in k.conjuncts(p) if c is not TRUE]
        new = [c for c in new if k.substitute(c, self.substitution) not in self.known]
        if not new:
            return self
        if tuple(new) not in self._larger:
            self._larger[tuple(new)] = self._with(new)
        return self._larger[tuple(new)]

    def learn(self, *props: Term) -> Facts:
        """These facts and the given ones, but for those that these show at once: what follows is asked for under fewer facts."""
        return self.assume(*(c for p in props for c in k.conjuncts(p) if not self.proves(c)))

    def _with(self, new: list[Term]) -> Facts:
        """The larger set. Choices inside facts are decided by the other facts, once all of them are known."""
        out = Facts(self.guide, self.assumptions + tuple(new), self)
        out.constants = self.constants
        out.substitution = dict(self.substitution)
        items = list(self.items)
        for c in new:
            facts = k.conjuncts(self._inside(k.substitute(c, out.substitution)))
            items += facts
            if any(f.op == "eq" for f in facts):
                items = out._solve_equations(items)
        out._set_items(items)
        choices = {i for i in out.items if not CHOICES.isdisjoint(i.ops)}
        if choices:
            out._deciding = True
            decided = [c for i in out.items for c in k.conjuncts(out._inside(i) if i in choices else i)]
            out._set_items(out._solve_equations(decided))
        return out

    def _set_items(self, items: list[Term]) -> None:
        self.items = tuple(dict.fromkeys(i for i in _sharpened(items) if i is not TRUE))
        self.known = frozenset(self.items)
        self._bounds, self._ranges, self._simplified, self._nonneg, self._deciding = None, None, {}, {}, False
        self._signs = None

    def _inside(self, fact: Term) -> Term:
        """A fact with the numbers in it simplified, while the fact itself is not decided."""
        if fact.op in ("le", "lt", "eq") and k.BINDERS.isdisjoint(fact.ops):
            return k.rebuild(fact, lambda x, _: self._simplify(x))
        return fact

    def _solve_equations(self, items: list[Term]) -> list[Term]:
        """Turn equations for a variable into substitutions, until there are none left."""
        for at, item in enumerate(items):
            if item.op == "eq" and (solution := solved(item)):
                v, value = solution
                self.substitution = {w: k.substitute(t, {v: value}) for w, t in self.substitution.items()}
                self.substitution[v] = value
                rest = items[:at] + items[at + 1 :]
                return self._solve_equations([c for i in rest for c in k.conjuncts(k.substitute(i, {v: value}))])
        return items

    def apply(self, t: Term) -> Term:
        """The term with variables replaced by what equations say of them."""
        return k.substitute(t, self.substitution)

    @property
    def inconsistent(self) -> bool:
        return FALSE in self.known

    # Simplification

    def simplify(self, t: Term) -> Term:
        """An equal term where the facts hold, without the quotient variables that equations are solved with."""
        return without_quotient_vars(self.reduce(t))

    def reduce(self, t: Term) -> Term:
        """An equal term in the variables of `items`, quotient variables included: for proofs under these facts alone."""
        return self._simplify(self.apply(t))

    def _simplify(self, t: Term) -> Term:
        if t.op in ("num", "var", "true", "false", "bound"):
            return t
        if t not in self._simplified:
            self._simplified[t] = self._simplify_new(t)
        return self._simplified[t]

    def _simplify_new(self, t: Term) -> Term:
        """The term with its parts simplified, then by its operator. A loose index is no number: terms with one stay."""
        match t.op:
            case "sum" | "prod" | "fold_max" | "argmax" | "all":
                return self._simplify_big(t)
            case "lam" | "forall":
                return t
            case "ite" if t.level == 0:
                c = self._simplify(t.args[0])
                if c is TRUE or c is FALSE:
                    return self._simplify(t.args[1] if c is TRUE else t.args[2])
                both = set(k.subterms_with(t.args[1], "ite")).intersection(k.subterms_with(t.args[2], "ite"))
                closed = [x for x in both if x.level == 0]
                if self._deciding or (len(both) > MAX_CASES and not closed):
                    return k.ite(c, self._simplify(t.args[1]), self._simplify(t.args[2]))
                if len(both) > MAX_CASES:
                    return self._simplify_apart(t, c, closed)
                return self._simplify_branches(c, t.args[1], t.args[2])
        if t.level > 0:
            return t
        new = k.rebuild(t, lambda x, _: self._simplify(x))
        match new.op:
            case "and" | "or" if "ite" in new.ops and not self._deciding:
                return self._decide_operands(new)
            case "fdiv":
                return self._divide(new)
            case "pow2":
                return factored(new, self.nonneg)
            case "poly" if new.sort is INT and has_product_of_powers(new):
                return multiplied(new, self.nonneg)
            case "poly" if new.sort is not INT and any(a.op == "inv" or is_root(a) for a in new.parts):
                return cancelled(new, self.sign)
            case "app" if k.is_function(new, FUNCTIONS):
                return function_value(new, self.sign)
            case "max":
                return self._maximum(new)
            case "le" | "lt" | "eq":
                if new in self.known or self._prove(new):
                    return TRUE
                opposite = k.not_(new)
                return FALSE if self._denies(new) or self._prove(opposite) else TRUE if self._denies(opposite) else new
            case "and" | "or" | "not" | "app" if new.sort is TRUE.sort:
                return FALSE if self._denies(new) else TRUE if self._denies(k.not_(new)) else new
            case _:
                return new

    def _denies(self, c: Term) -> bool:
        """Is c false by a fact, or because it and other facts exclude all operands of a disjunction that is a fact?"""
        held = self.known.union(k.conjuncts(c))
        cases = (i.args for i in self.items if i.op == "or")
        return k.not_(c) in self.known or any(all(k.not_(a) in held for a in operands) for operands in cases)

    def _decide_operands(self, t: Term) -> Term:
        """Choices in a conjunction are decided where the operands without choices hold, in a disjunction where these do not."""
        join = k.and_ if t.op == "and" else k.or_
        choices, plain = (join(*(a for a in t.args if ("ite" in a.ops) is i)) for i in (True, False))
        if plain in (TRUE, FALSE):
            return t
        return join(plain, self._reduce_where(plain if t.op == "and" else k.not_(plain), choices))

    def _simplify_branches(self, c: Term, a: Term, b: Term) -> Term:
        """c ? a : b, with each branch simplified where its condition holds, unless the condition is itself made of choices."""
        if "ite" in c.ops:
            return k.ite(c, self._simplify(a), self._simplify(b))
        return k.ite(c, self._reduce_where(c, a), self._reduce_where(k.not_(c), b))

    def _simplify_apart(self, t: Term, c: Term, both: list[Term]) -> Term:
        """A choice whose branches have many choices in common: those are simplified once, and the branches with an arbitrary
        constant in the place of each. Otherwise n conditions that follow each other would make 2^n cases."""
        inner = {y for x in both for a in x.parts for y in k.subterms(a)}
        outer = sorted(x for x in both if x not in inner)
        names, wider = self.arbitrary(*(x.sort for x in outer))
        a, b = (k.replace_subterms(x, dict(zip(outer, names))) for x in t.args[1:])
        simpler = {name: self._simplify(x) for name, x in zip(names, outer)}
        return k.substitute(wider._simplify_branches(c, a, b), simpler)

    def _reduce_where(self, c: Term, t: Term) -> Term:
        """t where c holds, in the variables of these facts: without the quotient variables of the facts that include c."""
        if not self.guide.concerns(self.sealed, c, t):
            return self._simplify(t)
        new = self.assume(c).reduce(t)
        return new if (out := without_quotient_vars(new)) is new else self.apply(out)

    def _simplify_big(self, t: Term) -> Term:
        """A big operator with its body simplified for an arbitrary index of its range."""
        if t.level > 0:
            return t
        *start, low, high, body = t.args
        low, high = self._simplify(low), self._simplify(high)
        initial = self._simplify(start[0]) if start else None
        if k.le(high, low) is TRUE or self._prove(k.le(high, low)):
            return k.big(t.op, low, low, body, initial)
        (i,), _ = self.arbitrary(INT)
        inner, value = self.inside(low, high, body)
        simpler = inner.simplify(value)  # instead of `reduce`: a quotient variable of i would not be bound below
        out = k.big(t.op, low, high, k.abstract(simpler, (i,)), initial)
        return self._decided_maximum(out) if out.op == "fold_max" and out.args[0].op == "max" else out

    def _decided_maximum(self, t: Term) -> Term:
        """max(a, b, f(i) for i in a range), where a fact compares a with the maximum of the others."""
        initial, low, high, body = t.args
        for a in initial.args:
            others = k.big("fold_max", low, high, body, k.max_(*(b for b in initial.args if b is not a)))
            if not self.known.isdisjoint((k.le(a, others), k.lt(a, others))):
                return others
            if not self.known.isdisjoint((k.le(others, a), k.lt(others, a))):
                return a
        return t

    def _divide(self, t: Term) -> Term:
        """(d * quotient + rest) div d is quotient if 0 <= rest < d, and quotient - 1 if -d <= rest < 0, for d >= 1.

        A number d is taken out to the nearest multiple, too: (747 * x + y) div 997 is x if 0 <= y - 250 * x < 997.
        """
        a, d = t.args
        quotient, rest = split_multiple(with_factor(a, d, self.nonneg), d)
        if not self.nonneg(k.sub(d, ONE)):
            return t
        opposite = k.fdiv(k.neg(a), d)
        divides = [k.eq(x, k.mul(d, q)) in self.known for x, q in ((a, t), (k.neg(a), opposite))]
        if divides == [False, True]:  # known of -a alone: written with the quotient of which it is known
            return k.neg(opposite)
        numbers = k.coefficients(rest).items() if k.is_num(d) else ()
        more = k.polynomial({m: (2 * c + d.data) // (2 * d.data) for m, c in numbers if m}, INT)
        for q, r in dict.fromkeys(((k.add(quotient, more), k.sub(rest, k.mul(d, more))), (quotient, rest))):
            if self.nonneg(r) and self.nonneg(k.sub(k.sub(d, ONE), r)):
                return q
            if self.nonneg(k.sub(k.neg(r), ONE)) and self.nonneg(k.add(d, r)):
                return k.sub(q, ONE)
        return t if quotient is ZERO else k.add(quotient, k.fdiv(rest, d))

    def _maximum(self, t: Term) -> Term:
        """A maximum without arguments that are known to be at most another one."""
        kept = list(t.args)
        for a in t.args if t.sort is INT and len(t.args) <= MAX_COMPARED else ():
            if any(self.nonneg(k.sub(b, a)) for b in kept if b is not a):
                kept.remove(a)
        return t if len(kept) == len(t.args) else k.max_(*kept)

    # Proof

    def proves(self, goal: Term) -> bool:
        """Does the normaliser prove the goal?"""
        return self.inconsistent or self._prove_junction(self.reduce(goal))

    def _prove_junction(self, g: Term) -> bool:
        """A disjunction follows if one operand does where the others are false: if any does, most do, so a few are tried."""
        if g is TRUE or g in self.known:
            return True
        if g.op == "and":
            return all(self._prove_junction(a) for a in g.args)
        if g.op != "or":
            return self._prove(g)
        for a in g.args[:MAX_OPERANDS]:
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
                just_not = k.eq(p, k.num(-1))  # p >= 0 if p >= -1 and p = -1 contradicts the facts
                return solved(just_not) is not None and self.nonneg(k.add(p, ONE)) and self._excludes(just_not)
            case "eq" if g.args[0].sort is INT:
                return self._prove(k.le(ZERO, g.args[0])) and self._prove(k.le(g.args[0], ZERO))
            case "not" if g.args[0].op == "eq" and g.args[0].args[0].sort is INT:
                p = g.args[0].args[0]
                return self.nonneg(k.sub(p, ONE)) or self.nonneg(k.sub(k.neg(p), ONE)) or self._excludes(g.args[0])
            case "le" | "lt" | "eq":
                return self._prove_of_reals(g.op, g.args[0])
            case "not" if g.args[0].op == "eq":
                return not self.sign(g.args[0].args[0]) & ZERO_SIGN
            case _:
                return False

    def _prove_of_reals(self, op: str, p: Term) -> bool:
        """p <= 0, p < 0 or p = 0, by the sign of p; an equation also where it is multiplied by divisors that are not 0."""
        excluded = {"le": POSITIVE, "lt": POSITIVE | ZERO_SIGN, "eq": POSITIVE | NEGATIVE}[op]
        if not self.sign(p) & excluded:
            return True
        product = without_quotients(p, self.sign) if op == "eq" else p
        return product is not p and k.is_zero(self.reduce(product))

    def sign(self, x: Term) -> int:
        """Which of negative, zero and positive a closed real term can be (logic/signs.py)."""
        self._signs = self._signs or Signs(self)
        return self._signs.of(x)

    def where(self, c: Term) -> Facts:
        """The facts for a case. While choices inside facts are being decided, cases are not told apart."""
        return self if self._deciding else self.assume(c)

    def inside(self, low: Term, high: Term, body: Term) -> tuple[Facts, Term]:
        """The facts about an arbitrary index of a range, and the body at this index."""
        (i,), inner = self.arbitrary(INT)
        return inner.assume(k.le(low, i), k.lt(i, high)), instantiate(body, (i,))

    def squares(self, p: Term) -> list[tuple[Square, ...]]:
        ways = self.guide.squares(self.sealed, p)
        if any(type(way) is not tuple or any(not is_square(s) for s in way) for way in ways):
            raise TypeError("something else than squares")
        return ways

    def _excludes(self, equation: Term) -> bool:
        """Does the equation, which determines a variable, contradict the facts?"""
        possible = solved(equation) is None or self._refuted(k.not_(equation))
        return not possible and self.assume(equation)._contradictory(self.known)

    def _contradictory(self, old: frozenset[Term]) -> bool:
        """Do two of the facts contradict each other, one of which is not old?"""
        bounds = {i: i.args[0] for i in self.items if i.op == "le" and i.args[0].sort is INT}
        new = [p for i, p in bounds.items() if i not in old]
        new.sort(key=lambda p: -len(p.free))  # those of many variables have short proofs more often
        return self.inconsistent or _opposed([*bounds.values()]) or any(self.nonneg(k.sub(p, ONE)) for p in new)

    def nonneg(self, p: Term) -> bool:
        """p >= 0, for an integer polynomial."""
        answer = self._nonneg.get(p)
        if answer is None:
            self._nonneg[p] = False  # while it is being proved
            possible = k.is_num(p) or not self._refuted(p)
            answer = self._nonneg[p] = possible and self._proves_nonneg(p)
        return answer

    def _proves_nonneg(self, p: Term) -> bool:
        """p >= 0, by the ranges of its atoms, or by eliminating them."""
        self._ranges = self._ranges or NumberRanges(self._bounds_of_facts())
        least, _ = self._ranges.of(p)
        return (least is not None and least >= 0) or Elimination(self._bounds_for(p), self._refuted).proves_nonneg(p)

    def _refuted(self, p: Term) -> bool:
        return self.guide.refutes(self.sealed, p)

    def _bounds_of_facts(self) -> BoundTable:
        if self._bounds is None:
            natural = frozenset(k.neg(i.args[0]) for i in self.items if i.op == "le")
            self._bounds = BoundTable(self.known, natural, set())
            self._bounds.add_all(self.items)
            if powers := list(dict.fromkeys(a for i in self.items for a in k.subterms_with(i, "pow2") if is_power(a))):
                self._add_powers(self._bounds, powers)
                self._nonneg.clear()  # what was not proved while these bounds were missing
        return self._bounds

    def _bounds_for(self, p: Term) -> BoundTable:
        """Bounds from the facts, and those of the divisions, maxima and powers in p."""
        bounds = self._bounds_of_facts()
        if any(a not in bounds.of for a in k.subterms_with(p, *DEFINED)):
            divisors = {a.args[1] for a in k.subterms_with(p, "fdiv") if a.args[1].op == "fdiv" and a.level == 0}
            bounds = bounds.copy()
            for d in divisors:  # quotients that divide
                if d in bounds.positive or self.nonneg(k.sub(d, ONE)):
                    bounds.add_positive(d)
            bounds.add_definitions(p)
        if powers := [a for a in k.subterms_with(p, "pow2") if is_power(a)]:
            bounds = bounds.copy()
            self._add_powers(bounds, powers)
        return bounds

    def _add_powers(self, bounds: BoundTable, powers: list[Term]) -> None:
        """Add the bounds of these powers of two, compared with those that the table has."""
        for inequality in list(bounds_of_powers(powers, filter(is_power, bounds.of), self.nonneg)):
            bounds.add(inequality)


def _sharpened(items: list[Term]) -> list[Term]:
    """p <= -1 for p <= 0 and p != 0, of integers p, as often as that is possible. Each p != 0 is used once."""
    unequal = {i for i in items if i.op == "not" and i.args[0].op == "eq" and i.args[0].args[0].sort is INT}
    if not unequal:
        return items
    used: set[Term] = set()
    out: list[Term] = []
    for i in items:
        while i.op == "le" and i.args[0].sort is INT and (other := k.not_(k.eq(i.args[0], ZERO))) in unequal:
            unequal.remove(other)
            used.add(other)
            i = k.lt(i.args[0], ZERO)
        out.append(i)
    return [i for i in out if i not in used]


def _opposed(bounds: list[Term]) -> bool:
    """Are there p <= 0 and q <= 0 whose sum p + q is a positive number?"""
    numbers = {k.sub(p, k.num(c)): c for c, p in sorted((k.coefficients(p).get((), 0), p) for p in bounds)}
    return any(c + numbers.get(k.neg(p), -c) > 0 for p, c in numbers.items())
