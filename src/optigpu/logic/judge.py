"""The judge: decides the side conditions of rules, by the normaliser if it can, otherwise by the solver.

The solver is trusted to call only valid formulas valid. Its queries are quantifier-free: universal facts are instantiated here, at
terms that the guide proposes. An instance follows from the fact at any term.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from optigpu.light_dataclass import dataclass
from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.quantifiers import UNIVERSAL, instance, universals
from optigpu.logic.terms import EXPONENTIALS, INT, ZERO, Term, instantiate

_WITH_LAWS = ("app", "sum", "argmax", "band", "bor", "bxor")
AT_MOST_ONE = ("tanh", "erf", "sin", "cos")  # mathematical functions whose value is between -1 and 1
MAGNITUDE_BITS = (7, 8, 15, 16, 31, 32, 63, 64)  # of the integer types of C, without their sign bit


class Solver:
    """A decision procedure for quantifier-free formulas over integers, reals and unknown functions. This one decides nothing."""

    @property
    def description(self) -> str:
        """Name and version, as the ledger prints them."""
        return "no solver"

    def valid(self, facts: Sequence[Term], goal: Term) -> bool:
        """True only if the goal follows from the facts; False also if that was not decided."""
        return False


@dataclass(eq=False)
class ObligationJudge:
    """Proves goals from facts, and counts the obligations that it proved."""

    solver: Solver = field(default_factory=Solver)
    root: Facts = field(default_factory=Facts)  # the empty set of facts, which the facts of all proofs extend
    by_normaliser: int = 0  # obligations proved by the normaliser
    by_solver: int = 0  # obligations proved by the solver
    _answers: dict[tuple[Facts, Term], bool] = field(default_factory=dict)  # of goals that need the solver

    def proves(self, facts: Facts, goal: Term, count: bool = True) -> bool:
        """Does the (closed) goal follow from the facts? With `count` it is counted as an obligation of a proof."""
        if goal.level:
            return False
        goal = facts.reduce(goal)
        if facts.inconsistent or facts.proves(goal):
            self.by_normaliser += count
            return True
        if goal.op == "and":
            return all(self.proves(facts, g, count) for g in goal.args)
        if goal.op in UNIVERSAL:
            return self._proves_universal(facts, goal, count)
        answer = self._answers.get((facts, goal))
        if answer is None:
            answer = self._answers[facts, goal] = self._ask(facts, goal)
        self.by_solver += count and answer
        return answer

    def _proves_universal(self, facts: Facts, goal: Term, count: bool) -> bool:
        """A universal goal is proved for arbitrary constants."""
        if goal.op == "all":
            low, high, body = goal.args
            (i,), inner = facts.arbitrary(INT)
            return self.proves(inner.assume(k.le(low, i), k.lt(i, high)), instantiate(body, (i,)), count)
        xs, inner = facts.arbitrary(*goal.data)
        return self.proves(inner, instantiate(goal.args[0], xs), count)

    def _ask(self, facts: Facts, goal: Term) -> bool:
        """Prove the goal with instances of universal facts and laws of its operators: by the normaliser, then by the solver."""
        general = [u for i in facts.items for u in universals(i)]
        ground = [i for i in facts.items if i.op not in UNIVERSAL]
        advised = tuple(facts.guide.instances([*general], [*ground, goal]))
        new = [instance(u, args) for u, args in advised if any(u is fact for fact in general)]
        if facts.guide.refutes(facts.sealed, k.implies(k.and_(*new), goal)):
            return False
        if self._bounds_a_maximum(facts, goal):
            return True
        new += self._laws(facts, goal)
        known = facts.assume(*map(facts.reduce, new))
        return bool((new and known.proves(goal)) or self.solver.valid(ground + new, goal))

    def _bounds_a_maximum(self, facts: Facts, goal: Term) -> bool:
        """Is the goal `c * m + r < 0`, or `<= 0`, for m = fold_max(v; low..high, f), and does it follow from the terms of m?

        For c > 0, if it holds with v and with every f(i) in the place of m, since m is one of them. For c < 0, if it holds with v,
        or with f(low) where the range is not empty, since m is at least as great.
        """
        if goal.op not in ("lt", "le"):
            return False
        (p,) = goal.args
        compare, zero = k.lt if goal.op == "lt" else k.le, k.num(0, p.sort)
        maxima = [(m[0], c) for m, c in k.coefficients(p).items() if len(m) == 1 and m[0].op == "fold_max"]
        for m, c in maxima:
            initial, low, high, body = m.args
            rest = k.sub(p, k.scale(c, m))
            at_initial = self.proves(facts, compare(k.add(k.scale(c, initial), rest), zero), count=False)
            if c > 0 and at_initial:
                inner, value = facts.inside(low, high, body)
                if self.proves(inner, compare(k.add(k.scale(c, value), rest), zero), count=False):
                    return True
            elif c < 0:
                first = compare(k.add(k.scale(c, instantiate(body, (low,))), rest), zero)
                if at_initial or self.proves(facts, k.and_(k.lt(low, high), first), count=False):
                    return True
        return False

    def _laws(self, facts: Facts, goal: Term) -> list[Term]:
        """Laws of the functions, bit operations, sums and products that concern the goal: exp(x) > 0, signs and bounds of sums."""
        out: list[Term] = []
        for t in (t for t in k.subterms_with(goal, *_WITH_LAWS) if t.level == 0 and t.sort.numeric):
            zero, one = k.num(0, t.sort), k.num(1, t.sort)
            if t.op in ("band", "bor", "bxor"):
                out += laws_of_bits(t)
            elif t.op == "argmax":  # an index of its range, or the lower end
                low, high, _ = t.args
                out += [k.le(low, t), k.implies(k.lt(low, high), k.lt(t, high))]
            elif k.is_function(t, EXPONENTIALS):  # positive, and on the side of 1 on which the exponent is of 0
                above, below = (
                    k.implies(k.le(zero, t.args[1]), k.le(one, t)),
                    k.implies(k.le(t.args[1], zero), k.le(t, one)),
                )
                out += [k.lt(zero, t), above, below]
            elif k.is_function(t, AT_MOST_ONE):
                out += [k.le(k.neg(one), t), k.le(t, one)]
            elif k.is_function(t, ("sqrt",)):
                out.append(k.implies(k.le(zero, t.args[1]), k.le(zero, t)))  # sqrt of a negative number is NaN in C
            elif t.op == "sum":
                low, high, body = t.args
                (i,), inner = facts.arbitrary(INT)
                inside, summand = inner.assume(k.le(low, i), k.lt(i, high)), instantiate(body, (i,))
                if self.proves(inside, k.lt(zero, summand), count=False):
                    out += [k.implies(k.lt(low, high), k.lt(zero, t)), k.le(zero, t)]
                elif self.proves(inside, k.le(zero, summand), count=False):
                    out.append(k.le(zero, t))
                    first = k.and_(k.lt(low, high), k.lt(zero, instantiate(body, (low,))))
                    if self.proves(facts, first, count=False):  # one summand is positive, and none is negative
                        out.append(k.lt(zero, t))
                if t.sort is INT:
                    out += self._bounds_of_sum(facts, t, inside, summand)
        for pair in facts.guide.products(facts.sealed, goal):
            if type(pair) is not tuple or tuple(map(type, pair)) != (Term, Term):
                raise TypeError("the product of something else than two terms")
            p, q = pair
            if not (p.level or q.level) and facts.proves(k.and_(k.le(ZERO, p), k.le(ZERO, q))):
                out.append(k.le(ZERO, k.mul(p, q)))
        return out

    def _bounds_of_sum(self, facts: Facts, t: Term, inside: Facts, summand: Term) -> list[Term]:
        """A sum of n >= 0 summands that are all at most c (at least c) is at most (at least) n * c. The guide proposes c."""
        low, high, _ = t.args
        out: list[Term] = []
        for order in (k.le, lambda a, b: k.le(b, a)):
            for c in (k.num(n) for n in facts.guide.bounds(inside.sealed, summand, order is k.le)):
                if self.proves(inside, order(summand, c), count=False):
                    out.append(k.implies(k.le(low, high), order(t, k.mul(c, k.sub(high, low)))))
                    break
        return out


def laws_of_bits(t: Term) -> list[Term]:
    """Arithmetic laws of a bit operation on a and b.

    For a, b >= 0 the result is not negative; a & b is at most a and at most b, a | b and a ^ b are at most a + b and have no more
    bits than a and b. For a number c > 0, a ^ c keeps the bits of a above the highest one of c; if c is a power of 2, it is
    a + c or a - c.
    """
    a, b = t.args
    bounds = [k.le(ZERO, t), *([k.le(t, a), k.le(t, b)] if t.op == "band" else [k.le(t, k.add(a, b))])]
    out = [k.implies(k.and_(k.le(ZERO, a), k.le(ZERO, b)), k.and_(*bounds))]
    for most in (k.num((1 << bits) - 1) for bits in MAGNITUDE_BITS if t.op != "band"):
        fit = k.and_(*(k.and_(k.le(ZERO, x), k.le(x, most)) for x in (a, b)))
        out.append(k.implies(fit, k.le(t, most)))
    if t.op == "bxor" and k.is_num(b) and b.data > 0:
        size = k.num(1 << b.data.bit_length())
        out.append(k.eq(k.fdiv(t, size), k.fdiv(a, size)))
        if b.data & (b.data - 1) == 0:
            out.append(k.eq(t, k.add(a, k.sub(b, k.mul(size, k.fmod(k.fdiv(a, b), k.num(2)))))))
    return out
