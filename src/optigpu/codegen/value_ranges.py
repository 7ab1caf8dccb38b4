"""Ranges of integer expressions. Emitted code computes in 32 bits only where these ranges show that the value fits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import field
from functools import cached_property
from math import prod

from optigpu.codegen.integer_polynomials import mentioned, poly
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.exprs import Binary, Bool, Call, Cast, Cond, Expr, Int, SizeOf, Type, Unary, Var, is_int
from optigpu.syntax.polynomials import Monomial, Polynomial, constant_polynomial, polynomial_of
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import For
from optigpu.syntax.types import BOOL, INT, INT64, Scalar
from optigpu.syntax.walk import subexpressions

INFINITE = 1 << 400  # beyond every product of eight machine integers: no bound is known
PRODUCT_BITS = (62, 60, 56, 52, 48, 44, 40)  # assumptions about products of extents, weakest first


@dataclass(eq=False)
class Assumptions:
    """Ranges that parameters may be assumed to lie in, and the decisions that used the assumption. Entry points check them."""

    most: Mapping[str, tuple[int, int]]
    uses: dict[tuple[int, Hashable], tuple[Ranges, Callable[[Ranges], bool]]] = field(default_factory=dict)
    extents: frozenset[str] = frozenset()  # parameters that are sizes: a product of them may be assumed to fit 64 bits
    products: dict[Monomial, int] = field(
        default_factory=dict
    )  # the products that are assumed, with their greatest value

    def of_products(self) -> Assumptions:
        """The assumptions of host code: about products alone."""
        return Assumptions({}, {}, self.extents, self.products)

    def needed(self) -> dict[str, tuple[int, int]]:
        """The widest parameter ranges for which all decisions hold, found by bisection; only those narrower than the type."""
        if not self.uses:
            return {}
        widest = dict.fromkeys(self.most, (INT.low, INT.high))

        def suffice(limits: Mapping[str, tuple[int, int]]) -> bool:
            known: dict[int, Ranges] = {}
            for (number, _), (ranges, holds) in self.uses.items():
                if not holds(known.setdefault(number, ranges.assuming(limits))):
                    return False
            return True

        widened = dict(self.most)
        for name in self.most:
            for side in (0, 1):  # move the bound towards the end of the type
                good, bad = widened[name][side], widest[name][side]
                if suffice({**widened, name: with_side(widened[name], side, bad)}):
                    good = bad
                while abs(good - bad) > 1:
                    middle = (good + bad) // 2
                    if suffice({**widened, name: with_side(widened[name], side, middle)}):
                        good = middle
                    else:
                        bad = middle
                widened[name] = with_side(widened[name], side, good)
        return {name: limits for name, limits in widened.items() if limits != widest[name]}


def with_side(limits: tuple[int, int], side: int, value: int) -> tuple[int, int]:
    return (value, limits[1]) if side == 0 else (limits[0], value)


@dataclass(frozen=True)
class Ranges:
    """Known ranges. `bounds`: least and greatest value of each variable, as polynomials in variables declared before it;
    `limits`: numeric ranges that hold in addition; `products`: upper bounds of products of non-negative atoms; `watched`: collects
    the products that were asked for."""

    bounds: tuple[tuple[str, Polynomial, Polynomial], ...] = ()
    limits: tuple[tuple[str, int, int], ...] = ()
    products: tuple[tuple[Monomial, int], ...] = ()
    assumed: Assumptions | None = None
    watched: set[Monomial] | None = None

    def decide(self, key: Hashable, holds: Callable[[Ranges], bool]) -> bool:
        """Whether a condition holds in these ranges, if need be under the assumptions about parameters, which are then recorded."""
        if holds(self):
            return True
        if self.assumed is None:
            return False
        if self.assumed.products and holds(self._with_assumed_products()):
            return True
        if not self.assumed.most or not holds(self.assuming(self.assumed.most)):
            return False
        self.assumed.uses.setdefault((id(self), key), (self, holds))
        return True

    def assuming(self, limits: Mapping[str, tuple[int, int]]) -> Ranges:
        """These ranges with some variables restricted to numeric limits."""
        bounds = tuple(
            (
                n,
                constant_polynomial(max(self.numeric(low)[0], limits[n][0])),
                constant_polynomial(min(self.numeric(high)[1], limits[n][1])),
            )
            if n in limits
            else (n, low, high)
            for n, low, high in self.bounds
        )
        return Ranges(bounds, self.limits, self.products)

    def assume_products(self, holds: Callable[[Ranges], bool]) -> bool:
        """Whether a condition holds if some products of extents are small enough. These are recorded, and entry points check them:
        no memory has as many cells as the sizes that they refuse."""
        if self.assumed is None:
            return False
        seen: set[Monomial] = set()
        holds(replace(self, watched=seen))
        asked = [m for m in seen if len(m) > 1 and all(self.is_extent(a) for a in m)]
        for bits in PRODUCT_BITS if asked else ():
            new = dict.fromkeys(sorted(asked, key=lambda m: (-len(m), [print_expr(a) for a in m])), 1 << bits)
            if not holds(self.having_products(new | self.assumed.products)):
                continue
            for m in list(new):
                fewer = {k: most for k, most in new.items() if k != m}
                if holds(self.having_products(fewer | self.assumed.products)):
                    new = fewer
            for m, most in new.items():
                self.assumed.products[m] = min(most, self.assumed.products.get(m, most))
            return True
        return False

    def _with_assumed_products(self) -> Ranges:
        products = self.assumed.products if self.assumed is not None else {}
        known, ranges = self._last_assumed.get(0, ({}, self))
        if known != products:
            ranges = self.having_products(products)
            self._last_assumed[0] = dict(products), ranges
        return ranges

    @cached_property
    def _last_assumed(self) -> dict[int, tuple[dict[Monomial, int], Ranges]]:
        return {}

    @cached_property
    def unassumed(self) -> Ranges:
        """These ranges without assumptions."""
        return Ranges(self.bounds, self.limits, self.products)

    def is_extent(self, a: Expr) -> bool:
        names = self.assumed.extents if self.assumed is not None else ()
        return isinstance(a, Var) and a.name in names and self.of_atom(a)[0] >= 0

    def having_products(self, products: Mapping[Monomial, int]) -> Ranges:
        return Ranges(self.bounds, self.limits, (*self.products, *products.items()))

    def positive(self, p: Polynomial) -> Ranges:
        """These ranges in code that runs only where p >= 1. If p is a product of non-negative numbers, then none of them is 0."""
        rest = dict(p.terms).get((), 0)
        terms = [t for t in p.terms if t[0]]
        if len(terms) != 1 or terms[0][1] < 0 or rest > 0:
            return self
        ((m, _),) = terms
        if len(m) > 1 and any(self.of_atom(a)[0] < 0 for a in m):
            return self
        out = self
        for a in m:
            match a:
                case Var(name):
                    low, high = next(((x, y) for n, x, y in self.limits if n == name), (-INFINITE, INFINITE))
                    others = tuple(b for b in out.limits if b[0] != name)
                    out = replace(out, limits=(*others, (name, max(low, 1), high)))
                    for n, least, greatest in self.bounds:
                        if n == name and least == greatest:
                            out = out.positive(least)
                case Binary("/", x, Int(k)) if k > 0 and self.numeric(poly(x))[0] >= 0:
                    out = out.positive(poly(x) - constant_polynomial(k - 1))
                case _:
                    pass
        return out

    def having(self, name: str, low: Polynomial, high: Polynomial) -> Ranges:
        return replace(self, bounds=(*(b for b in self.bounds if b[0] != name), (name, low, high)))

    def declaring(self, name: str, low: Polynomial, high: Polynomial) -> Ranges:
        """Add a new variable, which hides any other of that name."""
        return self.without(name).having(name, low, high)

    def within(self, name: str, t: Scalar) -> Ranges:
        """Restrict a variable to the values of a type."""
        return replace(self, limits=(*(b for b in self.limits if b[0] != name), (name, t.low, t.high)))

    def having_product(self, factors: Monomial, most: int) -> Ranges:
        key = tuple(sorted(factors, key=print_expr))
        most = min([most, *(n for m, n in self.products if m == key)])
        return replace(self, products=(*(p for p in self.products if p[0] != key), (key, most)))

    def without(self, name: str) -> Ranges:
        """Forget a variable; bounds that mention it become numbers."""
        if all(name not in mentioned(x) for _, low, high in self.bounds for x in (low, high)):
            bounds = self.bounds
        else:
            bounds = tuple((n, self.numbers(low, name)[0], self.numbers(high, name)[1]) for n, low, high in self.bounds)
        return Ranges(
            tuple(b for b in bounds if b[0] != name),
            tuple(b for b in self.limits if b[0] != name),
            tuple(p for p in self.products if name not in mentioned(polynomial_of({p[0]: 1}))),
            self.assumed,
            self.watched,
        )

    def numbers(self, p: Polynomial, name: str) -> tuple[Polynomial, Polynomial]:
        return (
            (p, p)
            if name not in mentioned(p)
            else (constant_polynomial(self.least(p)), constant_polynomial(self.greatest(p)))
        )

    def equal_to(self, name: str, value: Expr, changing: Collection[str]) -> Ranges:
        """Add a constant with this value. If the value may change later (it reads memory or a variable), keep only its range."""
        p = poly(value)
        if is_stable(value, changing):
            return self.having(name, p, p)
        low, high = self.interval(value)
        return self.having(name, constant_polynomial(low), constant_polynomial(high))

    def least(self, p: Polynomial) -> int:
        return -self.greatest(p.scaled(-1))

    @cached_property
    def _upper_bounds(self) -> dict[Polynomial, int]:
        return {}

    def greatest(self, p: Polynomial) -> int:
        """An upper bound of the polynomial."""
        if p not in self._upper_bounds:
            self._upper_bounds[p] = self._greatest(p)
        return self._upper_bounds[p]

    def _greatest(self, p: Polynomial) -> int:
        """Replace variables, latest first, by the bound that the sign of their coefficient selects. Each of these polynomials is an
        upper bound."""
        best = self.numeric(p)[1]
        for name, low, high in reversed(self.bounds):
            v = Var(name)
            if not any(v in m for m, _ in p.terms) or any(m.count(v) > 1 for m, _ in p.terms):
                continue
            factor = polynomial_of({tuple(a for a in m if a != v): c for m, c in p.terms if v in m})
            rest = polynomial_of({m: c for m, c in p.terms if v not in m})
            least, greatest = self.numeric(factor)
            if least < 0 < greatest:
                continue
            p = factor * (high if least >= 0 else low) + rest
            best = min(best, self.numeric(p)[1])
        for m, c in p.terms:  # k·c·(n / c) <= k·n
            if len(m) == 1 and isinstance(m[0], Binary) and m[0].op == "/" and isinstance(m[0].right, Int):
                divisor, numerator = m[0].right.value, poly(m[0].left)
                if divisor > 0 and c > 0 and c % divisor == 0 and self.numeric(numerator)[0] >= 0:
                    p = p - polynomial_of({m: c}) + numerator.scaled(c // divisor)
        return min(best, self.numeric(p)[1])

    def numeric(self, p: Polynomial) -> tuple[int, int]:
        """The range by interval arithmetic, term by term."""
        low = high = 0
        for m, c in p.terms:
            least, greatest = self.of_term(m, c)
            low, high = low + least, high + greatest
        return low, high

    def of_term(self, m: Monomial, c: int) -> tuple[int, int]:
        """The range of c times a product of atoms."""
        if (m, c) not in self._terms:
            self._terms[m, c] = self._of_term(m, c)
        return self._terms[m, c]

    @cached_property
    def _terms(self) -> dict[tuple[Monomial, int], tuple[int, int]]:
        return {}

    def _of_term(self, m: Monomial, c: int) -> tuple[int, int]:
        if self.watched is not None:
            self.watched.add(m)
        least, greatest = self.of_factors(m, c, c)
        for factors, most in self.products:
            rest, missing = common_factors(m, factors)
            if len(rest) == len(m):
                continue
            least_factor = prod(self.at_least(a) for a in missing)
            if least_factor >= 1:  # a part of a product is at most the product, if the other factors are at least 1
                most //= least_factor
                x, y = self.of_factors(rest, min(0, c * most), max(0, c * most))
                least, greatest = max(least, x), min(greatest, y)
        if len(m) > 1:
            x, y = self.of_quotients(m, c)
            least, greatest = max(least, x), min(greatest, y)
        return least, greatest

    def of_quotients(self, m: Monomial, c: int) -> tuple[int, int]:
        """The range of c times a product that has a quotient: x·(a / b) <= x·a / d for non-negative x and a, and b >= d >= 1."""
        for k, q in enumerate(m):
            if isinstance(q, Binary) and q.op == "/":
                others, numerator = m[:k] + m[k + 1 :], poly(q.left)
                divisor = self.interval(q.right)[0]
                if divisor >= 1 and self.numeric(numerator)[0] >= 0 and all(self.of_atom(a)[0] >= 0 for a in others):
                    most = self.greatest(numerator * polynomial_of({others: 1})) // divisor
                    return min(0, c * most), max(0, c * most)
        return -INFINITE, INFINITE

    def at_least(self, a: Expr) -> int:
        """A lower bound of an atom that follows from numeric bounds of its variables; 0 if there is none above 0."""
        if a not in self._least:
            self._least[a] = self._at_least(a)
        return self._least[a]

    @cached_property
    def _least(self) -> dict[Expr, int]:
        return {}

    def _at_least(self, a: Expr) -> int:
        match a:
            case Var(name):
                known = [low.constant or 0 for n, low, _ in self.bounds if n == name]
                return max([0, *known, *(low for n, low, _ in self.limits if n == name)])
            case Binary("/", x, Int(k)) if k > 0:
                total = 0
                for m, c in poly(x).terms:
                    if m and c < 0:
                        return 0
                    total += c * prod(self.at_least(f) for f in m)
                return max(0, total // k)
            case _:
                return 0

    def of_factors(self, m: Monomial, least: int, greatest: int) -> tuple[int, int]:
        """The range of a number in an interval times these atoms."""
        for a in m:
            x, y = self.of_atom(a)
            corners = [least * x, least * y, greatest * x, greatest * y]
            least, greatest = min(corners), max(corners)
        return least, greatest

    def of_atom(self, e: Expr) -> tuple[int, int]:
        match e:
            case Var(name):
                for n, low, high in reversed(self.bounds):
                    if n == name:
                        return self.limited(name, self.numeric(low)[0], self.numeric(high)[1])
                return self.limited(name, *type_range(e))
            case Binary("/", a, b) | Call("exact_div", (a, b)):
                (least, greatest), (d, _) = self.interval(a), self.interval(b)
                d = max(d, 1) if d >= 0 else d  # a divisor is never 0
                if d > 0:
                    return (self.at_least(e) if least >= 0 else least), (greatest // d if greatest >= 0 else 0)
                return symmetric(least, greatest)
            case Binary("%", a, b):
                least, greatest = self.interval(a)
                most = max(0, min(symmetric(least, greatest)[1], symmetric(*self.interval(b))[1] - 1))
                return (0 if least >= 0 else -most), (0 if greatest <= 0 else most)
            case Binary("<<", a, _):
                (least, greatest), most = self.interval(a), self.greatest_shift(e)
                return min(least, least << most), max(greatest, greatest << most)
            case Binary(">>", a, _):
                least, greatest = self.interval(a)
                return min(least, 0), max(greatest, 0)
            case Binary("&" | "|" | "^" as op, a, b):
                (x, p), (y, q) = self.interval(a), self.interval(b)
                if op == "&" and x >= 0 and y >= 0:
                    return 0, min(p, q)
                bits = max(n.bit_length() for n in (p, q, ~x, ~y))
                return (0 if x >= 0 and y >= 0 else -(1 << bits)), (1 << bits) - 1
            case Unary("~", a) if isinstance(e.type, Scalar) and e.type.signed:
                least, greatest = self.interval(a)
                return ~greatest, ~least
            case Call("abs", (a,)):
                return 0, symmetric(*self.interval(a))[1]
            case Call("min", (a, b)):
                (x, p), (y, q) = self.interval(a), self.interval(b)
                return min(x, y), min(p, q)
            case Call("max", (a, b)):
                (x, p), (y, q) = self.interval(a), self.interval(b)
                return max(x, y), max(p, q)
            case Cond(_, a, b):
                (x, p), (y, q) = self.interval(a), self.interval(b)
                return min(x, y), max(p, q)
            case _:
                return type_range(e)

    def greatest_shift(self, e: Binary) -> int:
        """The largest amount of a shift, which is proved to be less than the width of the type."""
        bits = e.type.bits if isinstance(e.type, Scalar) and e.type.bits >= INT.bits else INT64.bits
        return max(0, min(self.interval(e.right)[1], bits - 1))

    def limited(self, name: str, low: int, high: int) -> tuple[int, int]:
        for n, least, greatest in self.limits:
            if n == name:
                return clamped(low, high, least, greatest)
        return low, high

    def interval(self, e: Expr) -> tuple[int, int]:
        if (e, e.type) not in self._intervals:
            self._intervals[e, e.type] = self._interval(e)
        return self._intervals[e, e.type]

    @cached_property
    def _intervals(self) -> dict[tuple[Expr, Type | None], tuple[int, int]]:
        return {}

    def _interval(self, e: Expr) -> tuple[int, int]:
        p = poly(e)
        low, high = self.least(p), self.greatest(p)
        if isinstance(e, Cast) and is_int(e.to) and is_checked(e):
            return clamped(low, high, e.to.low, e.to.high)
        return low, high

    def fits(self, e: Expr, t: Scalar = INT) -> bool:
        def holds(ranges: Ranges) -> bool:
            low, high = ranges.interval(e)
            return t.low <= low and high <= t.high

        return self.decide((e, t), holds)

    def at_most(self, p: Polynomial, n: int) -> bool:
        return self.decide((p, n), lambda ranges: ranges.greatest(p) <= n)


def common_factors(m: Monomial, factors: Monomial) -> tuple[Monomial, Monomial]:
    """What is left of two products when their common factors are taken out."""
    rest, missing = list(m), []
    for a in factors:
        if a in rest:
            rest.remove(a)
        else:
            missing.append(a)
    return tuple(rest), tuple(missing)


def is_stable(e: Expr, changing: Collection[str]) -> bool:
    """Whether an expression keeps its value within the scope of its names: it reads neither memory nor changing variables."""
    for x in subexpressions(e):
        match x:
            case Var(name):
                if name in changing:
                    return False
            case Int() | Bool() | SizeOf() | Unary() | Binary() | Cond() | Cast():
                pass
            case Call("min" | "max" | "abs" | "exact_div"):
                pass
            case _:
                return False
    return True


def clamped(low: int, high: int, least: int, greatest: int) -> tuple[int, int]:
    """The intersection of two intervals. If it is empty, the code is unreachable, and any interval will do."""
    a, b = max(low, least), min(high, greatest)
    return (a, b) if a <= b else (least, greatest)


def inside_loop(ranges: Ranges, s: For, changing: Collection[str]) -> Ranges:
    """The ranges inside a loop body: the index lies between start and bound, and in its type. If start or bound may change in
    the body, only their numeric ranges are used."""
    start, bound, relation = s.range.start, s.range.bound, s.range.relation
    upwards = relation.startswith("<")
    low, high = (start, bound) if upwards else (bound, start)
    least = poly(low) if is_stable(low, changing) else constant_polynomial(ranges.interval(low)[0])
    greatest = poly(high) if is_stable(high, changing) else constant_polynomial(ranges.interval(high)[1])
    excluded = constant_polynomial(1 if relation in ("<", ">") else 0)
    least, greatest = (least, greatest - excluded) if upwards else (least + excluded, greatest)
    inside = ranges.declaring(s.index, least, greatest).within(s.index, s.index_type)
    return inside.positive(greatest - least + constant_polynomial(1))


def symmetric(low: int, high: int) -> tuple[int, int]:
    """The symmetric interval that contains an interval."""
    most = max(abs(low), abs(high))
    return -most, most


def type_range(e: Expr) -> tuple[int, int]:
    """The range of an expression's machine type."""
    if isinstance(e.type, Scalar) and e.type.bits:
        if is_int(e.type):
            return e.type.low, e.type.high
        if e.type == BOOL:
            return 0, 1
    return -INFINITE, INFINITE


def is_checked(e: Cast) -> bool:
    """Whether the result of a cast is known to lie in its type. Not for an implicit widening: the argument is computed
    mathematically and may lie outside of its own type."""
    have = e.arg.type
    wider = isinstance(have, Scalar) and is_int(have) and e.to.low <= have.low and have.high <= e.to.high
    return not (e.implicit and wider)
