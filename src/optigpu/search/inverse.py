"""Inversion of index maps: at which values of its binders a family has a given cell. Untrusted; the kernel checks the result.

Equations `index(b) = target` are solved by mixed radix: `32*b + x = c` with 0 <= x < 32 gives `b = c div 32`, `x = c mod 32`.
Shifts, strides, permutations and reversals are special cases; radices may be symbolic. Rotations and exclusive ors are unwrapped
first: `(x + k) mod n = c` gives `x = (c - k) mod n`, `x ^ k = c` gives `x = c ^ k`, and then these equations are solved. So are
functions with a left inverse: where `Q(P(i)) = i` is a fact, `P(x) = c` gives `x = Q(c)`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from optigpu.logic import terms as k
from optigpu.logic.cells import CellFamily, Cells, Terms, arguments
from optigpu.logic.facts import Facts
from optigpu.logic.quantifiers import universals
from optigpu.logic.terms import INT, Term
from optigpu.search.fresh_names import FreshNames
from optigpu.search.samples import advice

Unwrap: TypeAlias = Callable[[Term], Term]  # from the value of a rotation or an exclusive or: what has to be 0 then


def invert(cells: Cells, target: Terms, facts: Facts, names: FreshNames) -> Terms | None:
    """Compute the values of the binders at which the family's index is `target`, if mixed radix can."""
    if len(target) != len(cells.index):
        return None
    n = cells.arity
    unknown = names.temporaries(n, "u")
    offsets = [k.instantiate(low, unknown[:i]) for i, (low, _) in enumerate(cells.ranges)]
    # Binders counted from 0: x = low + u
    shifted = _shifted(unknown, offsets)
    equations = [k.sub(e, t) for e, t in zip((k.instantiate(e, shifted) for e in cells.index), target)]
    sizes = {u: k.instantiate(k.sub(hi, lo), shifted[:i]) for i, (u, (lo, hi)) in enumerate(zip(unknown, cells.ranges))}
    # 4 * h + 4 * t does not tell h and t apart, but t < 1 does
    single = {u: k.ZERO for u, size in sizes.items() if size is k.ONE}
    equations, wrapped = _unwrapped([k.substitute(e, single) for e in equations], sizes, facts, names)
    conditions: list[Term] = []
    summands = {a for e in equations for m in k.coefficients(e) for a in m}
    if not summands.issuperset(u for u in unknown if u not in single):  # the guard may tell what the index does not
        where = facts.assume(*_counted(sizes)).simplify(k.instantiate(cells.where, shifted))
        conditions = [c.args[0] for c in k.conjuncts(where) if c.op == "eq" and c.args[0].sort is INT]
    named, quotients = _name_quotients([*equations, *conditions], unknown, names)
    equations, conditions = named[: len(equations)], named[len(equations) :]
    unknown = (*unknown, *wrapped, *quotients)
    solved: dict[Term, Term] = dict(single)
    while equations:
        best = _fewest_unknowns(equations, unknown)
        if best is None:
            break
        equation = equations.pop(best)
        solution = _solve(equation, [u for u in unknown if u not in solved and u in equation.free], facts, sizes)
        if solution is None:
            return None
        solved = {u: k.substitute(t, solution) for u, t in solved.items()} | solution
        solution |= _known_quotients(quotients, unknown, solved, facts)
        equations += [wrapped[x](value) for x, value in solution.items() if x in wrapped]
        equations = [k.substitute(e, solved) for e in equations]
    _solve_conditions(conditions, unknown, solved, facts)
    for u in unknown:
        solved.setdefault(u, k.ZERO)
    solved = {u: k.substitute(t, solved) for u, t in solved.items()}
    values = [k.substitute(x, solved) for x in shifted]
    if any(u in v.free for u in unknown for v in values):
        values = [k.substitute(v, dict.fromkeys(unknown, k.ZERO)) for v in values]
    return tuple(facts.simplify(v) for v in values)


def _counted(sizes: dict[Term, Term]) -> list[Term]:
    """The ranges of unknowns that count from 0."""
    return [p for u, n in sizes.items() for p in (k.le(k.ZERO, u), k.lt(u, n))]


def _unwrapped(
    equations: list[Term], sizes: dict[Term, Term], facts: Facts, names: FreshNames
) -> tuple[list[Term], dict[Term, Unwrap]]:
    """Introduce an unknown for each rotation `(x + k) mod n`, each `x ^ k` and each `P(x)` of unknowns."""
    wrapped: dict[Term, Unwrap] = {}
    wanted = set(sizes)
    for at, e in enumerate(equations):
        equations[at] = _without_functions(e, wanted, facts, names, wrapped)
    if any(a.free & wanted for e in equations for a in k.subterms_with(e, "ite")):
        inside = facts.assume(*_counted(sizes))
        equations = [inside.simplify(e) for e in equations]  # C's % of numbers that are not negative here
    for at, e in enumerate(equations):
        for a in sorted(a for a in k.subterms_with(e, "bxor", "fdiv") if a.free & wanted):
            if any(a.free & other.free & wanted for other in equations if other is not e):
                continue  # another equation says what is inside, or a quotient and a remainder are solved together
            (x,) = names.temporaries(1, "w")
            new = _without_xor(e, a, x, wrapped) if a.op == "bxor" else _unrotated(e, a, x, wanted, wrapped)
            if new is not None:
                equations[at] = new
                if a.op == "fdiv":
                    sizes[x] = a.args[1]
    return equations, wrapped


def _without_functions(
    equation: Term, wanted: set[Term], facts: Facts, names: FreshNames, wrapped: dict[Term, Unwrap]
) -> Term:
    """Introduce an unknown for each P(x), for a function P of which a fact gives a left inverse."""
    for a in sorted(
        a for a in k.subterms_with(equation, "app") if a.free & wanted and len(a.args) == 2 and a.sort is INT
    ):
        inverse = left_inverses(facts).get(a.args[0])
        if inverse is not None and a in k.subterms(equation):
            (x,) = names.temporaries(1, "w")
            wrapped[x] = partial(_applied_inverse, a.args[1], inverse)
            equation = k.replace_subterms(equation, {a: x})
    return equation


def _applied_inverse(argument: Term, inverse: Term, value: Term) -> Term:
    return k.sub(argument, k.app(inverse, value))


def left_inverses(facts: Facts) -> dict[Term, Term]:
    """The functions P with a fact `Q(P(i)) = i`, with Q."""
    known = advice(facts).answers
    if "left inverses" not in known:
        stated = (e for item in facts.items for u in universals(item) for e in k.subterms_with(u, "eq"))
        known["left inverses"] = dict(pair for e in stated if (pair := _stated_inverse(e)) is not None)
    inverses: dict[Term, Term] = known["left inverses"]
    return inverses


def injective_functions(facts: Facts) -> set[Term]:
    """The functions P of one integer of which a universal fact compares P(i) with P(j)."""
    out: set[Term] = set()
    compared = (e for item in facts.items for u in universals(item) for e in k.subterms_with(u, "eq", "le", "lt"))
    for e in compared:
        applied = [m[0].args[0] for m in k.coefficients(e.args[0]) if len(m) == 1 and _is_of_bound(m[0])]
        out |= {f for f in applied if applied.count(f) > 1}
    return out


def _is_of_bound(a: Term) -> bool:
    """Is it P(i), for an integer function P and a bound i?"""
    return a.op == "app" and len(a.args) == 2 and a.args[0].op == "var" and a.args[1].op == "bound" and a.sort is INT


def function_held(r: CellFamily) -> Term | None:
    """The variable P of a family whose cell i holds P(i)."""
    binders = arguments(r.cells.arity)
    holds_function = r.cells.index == binders and r.value.op == "app" and r.value.args[1:] == binders
    return r.value.args[0] if holds_function and r.value.args[0].op == "var" else None


def _stated_inverse(equation: Term) -> tuple[Term, Term] | None:
    """(P, Q) of Q(P(i)) - i = 0, for a bound variable i."""
    cs = k.coefficients(equation.args[0]) if equation.args[0].sort is INT else {}
    atoms = {m[0]: c for m, c in cs.items() if len(m) == 1}
    if len(cs) != 2 or len(atoms) != 2 or sum(atoms.values()) != 0:
        return None
    for a in atoms:
        match a.op, a.args:
            case "app", (q, inner) if q.op == "var" and inner.op == "app" and len(inner.args) == 2:
                p, i = inner.args
                if p.op == "var" and i.op == "bound" and i in atoms:
                    return p, q
            case _:
                pass
    return None


def _without_xor(equation: Term, a: Term, x: Term, wrapped: dict[Term, Unwrap]) -> Term | None:
    inner, mask = a.args
    if not k.is_num(mask):
        return None
    wrapped[x] = lambda value: k.sub(inner, k.bitwise("bxor", value, mask))
    return k.replace_subterms(equation, {a: x})


def _unrotated(equation: Term, q: Term, x: Term, wanted: set[Term], wrapped: dict[Term, Unwrap]) -> Term | None:
    """Rewrite s * (e - n * (e div n)) + rest as s * x + rest, if the rest has other unknowns: only then can e mod n be inverted."""
    whole, n = q.args
    factor, (monomial, c) = _coefficient(equation, q), next(iter(k.coefficients(n).items()))
    s = 0 if factor is None else -int(k.coefficients(factor).get(monomial, 0)) // int(c)
    if factor is None or s == 0 or k.scale(-s, n) is not factor or n.free & wanted:
        return None
    rest = k.sub(equation, k.scale(s, k.sub(whole, k.mul(n, q))))
    if q in k.subterms(rest) or whole.free & rest.free & wanted:
        return None
    moving = k.polynomial({m: d for m, d in k.coefficients(whole).items() if any(v.free & wanted for v in m)}, INT)
    wrapped[x] = lambda value: k.sub(moving, k.fmod(k.sub(value, k.sub(whole, moving)), n))
    return k.add(k.scale(s, x), rest)


def _solve_conditions(conditions: list[Term], unknown: Terms, solved: dict[Term, Term], facts: Facts) -> None:
    """Solve for binders that the index does not determine, but the guard does: `t == 63`."""
    for p in conditions:
        unsolved = [u for u in unknown if u not in solved and u in p.free]
        solution = _solve(k.substitute(p, solved), unsolved, facts) if len(unsolved) == 1 else None
        if solution is not None:
            solved.update(solution)


def _name_quotients(equations: list[Term], unknown: Terms, names: FreshNames) -> tuple[list[Term], dict[Term, Term]]:
    """Introduce an unknown for each `u div d`: u div w = i and u - w * (u div w) = j give u = w * i + j."""
    wanted = set(unknown)
    atoms = {a for e in equations for a in k.subterms_with(e, "fdiv") if a.args[0].free & wanted}
    atoms = {a for a in atoms if not a.args[1].free & wanted}
    quotients = dict(zip(sorted(atoms), names.temporaries(len(atoms), "q")))
    return [k.replace_subterms(e, quotients) for e in equations], {q: a for a, q in quotients.items()}


def _known_quotients(
    quotients: dict[Term, Term], unknown: Terms, solved: dict[Term, Term], facts: Facts
) -> dict[Term, Term]:
    """Evaluate quotients of unknowns that are solved: d[r][c - r % 8] gives r, and with it r div 8."""
    wanted = set(unknown)
    known = {q: a for q, a in quotients.items() if q not in solved and a.free & wanted <= solved.keys()}
    values = {q: facts.simplify(k.substitute(a, solved)) for q, a in known.items()}
    solved.update(values)
    return values


def _shifted(unknown: Terms, offsets: list[Term]) -> Terms:
    """Express the binders by unknowns that count from 0. Low bounds may mention earlier binders."""
    binders: list[Term] = []
    for i, u in enumerate(unknown):
        low = k.substitute(offsets[i], dict(zip(unknown[:i], binders)))
        binders.append(k.add(low, u))
    return tuple(binders)


def _fewest_unknowns(equations: list[Term], unknown: Terms) -> int | None:
    """Choose the equation with the fewest unknowns, at least one."""
    wanted = set(unknown)
    counts = [(len(e.free & wanted), i) for i, e in enumerate(equations) if e.free & wanted]
    return min(counts)[1] if counts else None


def _solve(
    equation: Term, unknown: list[Term], facts: Facts, sizes: dict[Term, Term] | None = None
) -> dict[Term, Term] | None:
    """Solve c1*u1 + c2*u2 + … + rest = 0 for the unknowns, the largest coefficient first.

    Unknowns with a negative coefficient and a known size (32*w + 31 - l) are counted from their end.
    """
    coefficients: list[tuple[Term, Term]] = []
    rest = equation
    for u in unknown:
        c = _coefficient(equation, u)
        if c is None:
            return None
        coefficients.append((c, u))
        rest = k.sub(rest, k.mul(c, u))
    if any(set(unknown) & c.free for c, _ in coefficients) or set(unknown) & rest.free:
        return None
    goal = k.neg(rest)
    if all(_negative(c) for c, _ in coefficients):
        coefficients = [(k.neg(c), u) for c, u in coefficients]
        goal = rest
    downwards: dict[Term, Term] = {}
    if sizes is not None and all(u in sizes and not sizes[u].free & set(unknown) for u in unknown):
        downwards = {u: k.sub(sizes[u], k.ONE) for c, u in coefficients if _negative(c)}
    if 0 < len(downwards) < len(unknown):
        goal = k.sub(goal, k.add(*(k.mul(c, downwards[u]) for c, u in coefficients if u in downwards)))
        coefficients = [(k.neg(c) if u in downwards else c, u) for c, u in coefficients]
    else:
        downwards = {}
    coefficients.sort(key=lambda cu: _magnitude(cu[0]), reverse=True)
    solution: dict[Term, Term] = {}
    for c, u in coefficients[:-1]:
        solution[u] = facts.simplify(_quotient(goal, c))
        goal = k.sub(goal, k.mul(c, solution[u]))
    c, u = coefficients[-1]
    solution[u] = goal if c is k.ONE else k.neg(goal) if c is k.num(-1) else facts.simplify(_exact_quotient(goal, c))
    return solution | {u: k.sub(last, solution[u]) for u, last in downwards.items()}


def _quotient(t: Term, divisor: Term) -> Term:
    """Write t div (32 * W) as (t div 32) div W, so that divisors are numbers or terms that facts mention."""
    cs = k.coefficients(divisor)
    if len(cs) != 1 or () in cs or (number := next(iter(cs.values()))) <= 1:
        return k.fdiv(t, divisor)
    return k.fdiv(k.fdiv(t, k.num(number)), k.polynomial(dict.fromkeys(cs, 1), INT))


def _exact_quotient(t: Term, divisor: Term) -> Term:
    """Divide t = y + r by a divisor d of it, for a number r: y div d + ceil(r / d). The same y has one quotient for all r."""
    if not k.is_num(divisor) or divisor.data <= 0:
        return k.fdiv(t, divisor)
    r = int(k.coefficients(t).get((), 0))
    return k.add(k.fdiv(k.sub(t, k.num(r)), divisor), k.num(-(-r // divisor.data)))


def _coefficient(p: Term, u: Term) -> Term | None:
    """Return the coefficient of u in a polynomial that is linear in u, with u in no other atom."""
    factor: k.Coefficients = {}
    for m, c in k.coefficients(p).items():
        count = m.count(u)
        if count > 1 or any(a is not u and u in a.free for a in m):
            return None
        if count:
            factor[tuple(a for a in m if a is not u)] = c
    return k.polynomial(factor, INT)


def _negative(c: Term) -> bool:
    return all(x < 0 for x in k.coefficients(c).values())


def _magnitude(c: Term) -> tuple[int, int]:
    """Order coefficients: symbolic factors exceed constants, as in W * i + j or W * H * i + W * j + l."""
    cs = k.coefficients(c)
    degree = max((len(m) for m in cs), default=0)
    return degree, max((abs(int(x)) for m, x in cs.items() if len(m) == degree), default=0)
