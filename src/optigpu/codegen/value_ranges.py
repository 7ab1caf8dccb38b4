"""Ranges of integer expressions. Emitted code computes in 32 bits only where these ranges show that the value fits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import field
from functools import cached_property

from optigpu.codegen.integer_polynomials import mentioned, poly
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.exprs import Binary, Bool, Call, Cast, Cond, Expr, Int, SizeOf, Unary, Var, is_int
from optigpu.syntax.polynomials import Monomial, Polynomial, constant_polynomial, polynomial_of, without_factors
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import For
from optigpu.syntax.types import BOOL, INT, INT64, Scalar
from optigpu.syntax.walk import subexpressions

INFINITE = 1 << 200  # beyond every machine integer: no bound is known


@dataclass(eq=False)
class Assumptions:
    """Ranges that parameters may be assumed to lie in, and the decisions that used the assumption. Entry points check them."""

    most: Mapping[str, tuple[int, int]]
    uses: dict[tuple[int, Hashable], tuple[Ranges, Callable[[Ranges], bool]]] = field(default_factory=dict)

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
    `limits`: numeric ranges that hold in addition; `products`: upper bounds of products of non-negative variables."""

    bounds: tuple[tuple[str, Polynomial, Polynomial], ...] = ()
    limits: tuple[tuple[str, int, int], ...] = ()
    products: tuple[tuple[Monomial, int], ...] = ()
    assumed: Assumptions | None = None

    def decide(self, key: Hashable, holds: Callable[[Ranges], bool]) -> bool:
        """Whether a condition holds in these ranges, if need be under the assumptions about parameters, which are then recorded."""
        if holds(self):
            return True
        if self.assumed is None or not holds(self.assuming(self.assumed.most)):
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
        """Replace variables, latest first, by the bound that the sign of their coefficient selects."""
        plain = self.numeric(p)[1]
        for name, low, high in reversed(self.bounds):
            v = Var(name)
            if not any(v in m for m, _ in p.terms):
                continue
            if any(m.count(v) > 1 for m, _ in p.terms):
                return plain
            factor = polynomial_of({tuple(a for a in m if a != v): c for m, c in p.terms if v in m})
            rest = polynomial_of({m: c for m, c in p.terms if v not in m})
            least, greatest = self.numeric(factor)
            if least >= 0:
                p = factor * high + rest
            elif greatest <= 0:
                p = factor * low + rest
            else:
                return plain
        for m, c in p.terms:  # k·c·(n / c) <= k·n
            if len(m) == 1 and isinstance(m[0], Binary) and m[0].op == "/" and isinstance(m[0].right, Int):
                divisor, numerator = m[0].right.value, poly(m[0].left)
                if divisor > 0 and c > 0 and c % divisor == 0 and self.numeric(numerator)[0] >= 0:
                    p = p - polynomial_of({m: c}) + numerator.scaled(c // divisor)
        return min(plain, self.numeric(p)[1])

    def numeric(self, p: Polynomial) -> tuple[int, int]:
        """The range by interval arithmetic, term by term."""
        low = high = 0
        for m, c in p.terms:
            least, greatest = self.of_factors(m, c, c)
            for factors, most in self.products:
                rest = without_factors(m, factors)
                if rest is not None:
                    x, y = self.of_factors(rest, min(0, c * most), max(0, c * most))
                    least, greatest = max(least, x), min(greatest, y)
            low, high = low + least, high + greatest
        return low, high

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
                    return (0 if least >= 0 else least), (greatest // d if greatest >= 0 else 0)
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
    return ranges.declaring(s.index, least, greatest).within(s.index, s.index_type)


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
