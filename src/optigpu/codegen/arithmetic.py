"""Integer arithmetic of emitted code: polynomials over atoms, what values an expression can take, constant folding.

Operations are mathematical here, also those of unsigned type: `wrapping.py` puts a cast around each that may wrap around. Emitted
code computes in 32 bits only where `Ranges` shows that the value fits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from optigpu.syntax.builtins import index_helper
from optigpu.syntax.exprs import Binary, Bool, Call, Cast, Cond, Expr, Int, SizeOf, Unary, Var, is_int
from optigpu.syntax.operators import COMPARISONS
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import For
from optigpu.syntax.types import BOOL, INT, INT64, UINT64, Scalar
from optigpu.syntax.walk import map_children, subexpressions

Monomial = tuple[Expr, ...]
INFINITE = 1 << 200  # beyond every machine integer; stands for "no bound known"


@dataclass(frozen=True)
class Poly:
    """A polynomial with integer coefficients; its atoms are variables and expressions that are no polynomials."""

    terms: tuple[tuple[Monomial, int], ...]

    @cached_property
    def table(self) -> dict[Monomial, int]:
        return dict(self.terms)

    def __add__(self, other: Poly) -> Poly:
        out = dict(self.terms)
        for m, c in other.terms:
            out[m] = out.get(m, 0) + c
        return make(out)

    def __mul__(self, other: Poly) -> Poly:
        out: dict[Monomial, int] = {}
        for m, c in self.terms:
            for n, d in other.terms:
                key = tuple(sorted(m + n, key=print_expr))
                out[key] = out.get(key, 0) + c * d
        return make(out)

    def scaled(self, k: int) -> Poly:
        return make({m: c * k for m, c in self.terms})

    def __sub__(self, other: Poly) -> Poly:
        return self + other.scaled(-1)

    @property
    def constant(self) -> int | None:
        """Its value, if it has no atoms."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == () else None

    def divided(self, other: Poly) -> Poly | None:
        """self / other, if other is one monomial that divides every term."""
        if len(other.terms) != 1:
            return const(1) if self == other and self.terms else None
        (divisor, k), out = other.terms[0], {}
        for m, c in self.terms:
            rest = without_factors(m, divisor)
            if rest is None or k == 0 or c % k:
                return None
            out[rest] = c // k
        return make(out)

    def split_multiples(self, k: int) -> tuple[Poly, Poly]:
        """(q, r) with self = k·q + r: the terms whose coefficient k divides, and what is left."""
        q: dict[Monomial, int] = {}
        r: dict[Monomial, int] = {}
        for m, c in self.terms:
            q[m] = c // k if c % k == 0 or m == () else 0
            r[m] = c - k * q[m]
        return make(q), make(r)


def make(terms: Mapping[Monomial, int]) -> Poly:
    kept = [(m, c) for m, c in terms.items() if c != 0]
    return Poly(tuple(sorted(kept, key=lambda t: (-len(t[0]), [print_expr(a) for a in t[0]]))))


def const(n: int) -> Poly:
    return make({(): n})


def atom(e: Expr) -> Poly:
    return make({(e,): 1})


def poly(e: Expr) -> Poly:
    """The polynomial that an integer expression denotes."""
    match e:
        case Int(value):
            return const(value)
        case SizeOf(of):
            return const(of.size)
        case Unary("-", arg):
            return poly(arg).scaled(-1)
        case Cast(to, arg) if is_int(to) and is_int(arg.type):
            return poly(arg) if keeps_value(e) else atom(e)
        case Binary("+", a, b):
            return poly(a) + poly(b)
        case Binary("-", a, b):
            return poly(a) - poly(b)
        case Binary("*", a, b):
            return poly(a) * poly(b)
        case Binary("<<", a, Int(k)) if 0 <= k < 63:
            return poly(a).scaled(1 << k)
        case Binary("/", a, b) | Call("exact_div", (a, b)):
            quotient = poly(a).divided(poly(b))
            return opaque(Binary("/", a, b, type=e.type, loc=e.loc)) if quotient is None else quotient
        case Call(name) if (helper := index_helper(name)) is not None:
            return poly(expand_index_helper(e, helper))
        case Var():
            return atom(e)
        case _:
            return opaque(e)


def expand_index_helper(e: Call, helper: tuple[str, int]) -> Expr:
    """MSIZEn and MINDEXn as arithmetic, which does not wrap around."""
    stem, rank = helper
    sizes, indices = e.args[:rank], e.args[rank:]
    if stem == "MSIZE":
        out: Expr = sizes[0]
        for n in sizes[1:]:
            out = Binary("*", out, n, type=INT64)
        return out
    out = indices[0]
    for n, i in zip(sizes[1:], indices[1:]):
        out = Binary("+", Binary("*", out, n, type=INT64), i, type=INT64)
    return out


def keeps_value(e: Cast) -> bool:
    """Whether a conversion between integers is proved to change nothing. One that is written as a cast to an unsigned type is
    modulo 2^bits, unless what it is applied to has been converted already."""
    return e.implicit or e.to.signed or (isinstance(e.arg, Cast) and e.arg.implicit and e.arg.to == e.to)


def is_checked(e: Cast) -> bool:
    """Whether the value is proved to be one of the type, or is made one: not where C converts to a type that has all values of the
    first, since an expression of that may have others."""
    have = e.arg.type
    wider = isinstance(have, Scalar) and is_int(have) and e.to.low <= have.low and have.high <= e.to.high
    return not (e.implicit and wider)


def opaque(e: Expr) -> Poly:
    """An atom whose parts are normalised, so that `(n + 32 - 1) / 32` and `(31 + n) / 32` are one."""
    return atom(map_children(e, lambda x: expression(poly(x)) if is_int(x.type) else x))


def same(a: Expr, b: Expr) -> bool:
    return poly(a) == poly(b)


def expression(p: Poly) -> Expr:
    """An expression that denotes the polynomial, positive terms first."""
    out: Expr | None = None
    for m, c in sorted(p.terms, key=lambda t: t[1] < 0):
        term: Expr | None = None
        for a in m:
            term = a if term is None else binary("*", term, a)
        size = abs(c) if out is not None else c
        if term is None:
            term = number(size)
        elif size != 1:
            term = binary("*", term, number(size)) if size != -1 else Unary("-", term, type=INT)
        out = term if out is None else binary("-" if c < 0 else "+", out, term)
    return number(0) if out is None else out


def number(n: int) -> Expr:
    if n > INT64.high:
        return Int(n, UINT64, type=UINT64)
    return Int(n, type=INT if INT.low <= n <= INT.high else INT64)


def binary(op: str, a: Expr, b: Expr) -> Expr:
    return Binary(op, a, b, type=INT64 if INT64 in (a.type, b.type) or UINT64 in (a.type, b.type) else INT)


# What values an expression can take -----------------------------------------------------------------------------------------


@dataclass(eq=False)
class Assumptions:
    """Numbers between which parameters may be assumed to lie, and what needed that."""

    most: Mapping[str, tuple[int, int]]
    uses: dict[tuple[int, Hashable], tuple[Ranges, Callable[[Ranges], bool]]] = field(default_factory=dict)

    def needed(self) -> dict[str, tuple[int, int]]:
        """The widest ranges of parameters with which all uses are right: those that need to be checked."""
        if not self.uses:
            return {}
        widest = dict.fromkeys(self.most, (INT.low, INT.high))

        def suffice(limits: Mapping[str, tuple[int, int]]) -> bool:
            known: dict[int, Ranges] = {}
            for (number, _), (ranges, holds) in self.uses.items():
                if not holds(known.setdefault(number, ranges.assuming(limits))):
                    return False
            return True

        found = dict(self.most)
        for name in self.most:
            for side in (0, 1):  # as near to the end of the type as possible
                good, bad = found[name][side], widest[name][side]
                if suffice({**found, name: with_side(found[name], side, bad)}):
                    good = bad
                while abs(good - bad) > 1:
                    middle = (good + bad) // 2
                    if suffice({**found, name: with_side(found[name], side, middle)}):
                        good = middle
                    else:
                        bad = middle
                found[name] = with_side(found[name], side, good)
        return {name: limits for name, limits in found.items() if limits != widest[name]}


def with_side(limits: tuple[int, int], side: int, value: int) -> tuple[int, int]:
    return (value, limits[1]) if side == 0 else (limits[0], value)


@dataclass(frozen=True)
class Ranges:
    """For each variable in scope, in order of declaration, its least and greatest value in terms of earlier ones; for some, numbers
    between which they lie besides; for some products of variables that are no less than 0, the greatest value."""

    bounds: tuple[tuple[str, Poly, Poly], ...] = ()
    limits: tuple[tuple[str, int, int], ...] = ()
    products: tuple[tuple[Monomial, int], ...] = ()
    assumed: Assumptions | None = None

    def decide(self, key: Hashable, holds: Callable[[Ranges], bool]) -> bool:
        """Whether a width suffices. If that needs an assumption about parameters, it is noted: an entry point checks it."""
        if holds(self):
            return True
        if self.assumed is None or not holds(self.assuming(self.assumed.most)):
            return False
        self.assumed.uses.setdefault((id(self), key), (self, holds))
        return True

    def assuming(self, limits: Mapping[str, tuple[int, int]]) -> Ranges:
        """With some variables between numbers."""
        bounds = tuple(
            (n, const(max(self.numeric(low)[0], limits[n][0])), const(min(self.numeric(high)[1], limits[n][1])))
            if n in limits
            else (n, low, high)
            for n, low, high in self.bounds
        )
        return Ranges(bounds, self.limits, self.products)

    def having(self, name: str, low: Poly, high: Poly) -> Ranges:
        return replace(self, bounds=(*(b for b in self.bounds if b[0] != name), (name, low, high)))

    def declaring(self, name: str, low: Poly, high: Poly) -> Ranges:
        """With a variable of its own: nothing is left of what was said of another one of that name."""
        return self.without(name).having(name, low, high)

    def within(self, name: str, t: Scalar) -> Ranges:
        """The variable has a value of this type."""
        return replace(self, limits=(*(b for b in self.limits if b[0] != name), (name, t.low, t.high)))

    def having_product(self, factors: Monomial, most: int) -> Ranges:
        key = tuple(sorted(factors, key=print_expr))
        return replace(self, products=(*(p for p in self.products if p[0] != key), (key, most)))

    def without(self, name: str) -> Ranges:
        """Where the name means something else: of what was said in terms of it, numbers are left."""
        if all(name not in mentioned(x) for _, low, high in self.bounds for x in (low, high)):
            bounds = self.bounds
        else:
            bounds = tuple((n, self.numbers(low, name)[0], self.numbers(high, name)[1]) for n, low, high in self.bounds)
        return Ranges(
            tuple(b for b in bounds if b[0] != name),
            tuple(b for b in self.limits if b[0] != name),
            tuple(p for p in self.products if name not in mentioned(make({p[0]: 1}))),
            self.assumed,
        )

    def numbers(self, p: Poly, name: str) -> tuple[Poly, Poly]:
        return (p, p) if name not in mentioned(p) else (const(self.least(p)), const(self.greatest(p)))

    def equal_to(self, name: str, value: Expr, changing: Collection[str]) -> Ranges:
        """A constant with this value. What memory or a variable holds may be different later, so only its range is kept then."""
        p = poly(value)
        if is_stable(value, changing):
            return self.having(name, p, p)
        low, high = self.interval(value)
        return self.having(name, const(low), const(high))

    def least(self, p: Poly) -> int:
        return -self.greatest(p.scaled(-1))

    @cached_property
    def _found(self) -> dict[Poly, int]:
        return {}

    def greatest(self, p: Poly) -> int:
        """An upper bound of the polynomial."""
        if p not in self._found:
            self._found[p] = self._greatest(p)
        return self._found[p]

    def _greatest(self, p: Poly) -> int:
        """Variables go, latest first, in favour of the bound that the sign asks for."""
        plain = self.numeric(p)[1]
        for name, low, high in reversed(self.bounds):
            v = Var(name)
            if not any(v in m for m, _ in p.terms):
                continue
            if any(m.count(v) > 1 for m, _ in p.terms):
                return plain
            factor = make({tuple(a for a in m if a != v): c for m, c in p.terms if v in m})
            rest = make({m: c for m, c in p.terms if v not in m})
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
                    p = p - make({m: c}) + numerator.scaled(c // divisor)
        return min(plain, self.numeric(p)[1])

    def numeric(self, p: Poly) -> tuple[int, int]:
        """Interval arithmetic, one term at a time."""
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
        """A number in an interval, multiplied by the atoms."""
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
                d = max(d, 1) if d >= 0 else d  # nothing is divided by 0
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
        """By how many bits `<<` or `>>` shifts at most: it is proved to be fewer than the type has."""
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

    def at_most(self, p: Poly, n: int) -> bool:
        return self.decide((p, n), lambda ranges: ranges.greatest(p) <= n)


def is_stable(e: Expr, changing: Collection[str]) -> bool:
    """Whether an expression has the same value wherever its names mean the same: it loads nothing."""
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


def mentioned(p: Poly) -> set[str]:
    """The variables in a polynomial, also those inside of its atoms."""
    return {x.name for m, _ in p.terms for a in m for x in subexpressions(a) if isinstance(x, Var)}


def without_factors(m: Monomial, factors: Monomial) -> Monomial | None:
    """What is left of a product, or None if these are not among its factors."""
    rest = list(m)
    for a in factors:
        if a not in rest:
            return None
        rest.remove(a)
    return tuple(rest)


def clamped(low: int, high: int, least: int, greatest: int) -> tuple[int, int]:
    """What two intervals have in common. If that is nothing, the code is never run."""
    a, b = max(low, least), min(high, greatest)
    return (a, b) if a <= b else (least, greatest)


def inside_loop(ranges: Ranges, s: For, changing: Collection[str]) -> Ranges:
    """What is known inside a loop: the least and greatest value of its index, which is one of its type. A variable that says where
    the loop starts may change inside; then only the variable's range is known."""
    start, bound, relation = s.range.start, s.range.bound, s.range.relation
    upwards = relation.startswith("<")
    low, high = (start, bound) if upwards else (bound, start)
    least = poly(low) if is_stable(low, changing) else const(ranges.interval(low)[0])
    greatest = poly(high) if is_stable(high, changing) else const(ranges.interval(high)[1])
    excluded = const(1 if relation in ("<", ">") else 0)
    least, greatest = (least, greatest - excluded) if upwards else (least + excluded, greatest)
    return ranges.declaring(s.index, least, greatest).within(s.index, s.index_type)


def symmetric(low: int, high: int) -> tuple[int, int]:
    """The values no larger than those of an interval."""
    most = max(abs(low), abs(high))
    return -most, most


def type_range(e: Expr) -> tuple[int, int]:
    """What a value of its machine type can be."""
    if isinstance(e.type, Scalar) and e.type.bits:
        if is_int(e.type):
            return e.type.low, e.type.high
        if e.type == BOOL:
            return 0, 1
    return -INFINITE, INFINITE


# Folding --------------------------------------------------------------------------------------------------------------------


def simplify(e: Expr, ranges: Ranges) -> Expr:
    """The same value with constants folded, neutral elements gone, and quotients of mixed radix resolved."""
    e = map_children(e, lambda x: simplify(x, ranges))
    if isinstance(e, Cast) and is_int(e.to) and is_int(e.arg.type) and not keeps_value(e):
        return _simplify_wrap(e, ranges)
    if is_int(e.type):
        p = poly(e)
        if p.constant is not None:
            return number(p.constant) if not isinstance(e, Int) else e
        return _simplify_integer(e, p, ranges)
    match e:
        case Binary(op, a, b) if op in COMPARISONS and is_int(a.type) and is_int(b.type):
            known = compare(op, a, b, ranges)
            return e if known is None else Bool(known, type=BOOL)
        case Binary("&&", Bool(value), other) | Binary("&&", other, Bool(value)):
            return other if value else Bool(False, type=BOOL)
        case Binary("||", Bool(value), other) | Binary("||", other, Bool(value)):
            return Bool(True, type=BOOL) if value else other
        case Cond(Bool(value), a, b):
            return a if value else b
        case _:
            return e


def _simplify_wrap(e: Cast, ranges: Ranges) -> Expr:
    """Where nothing wraps around, the value is the number itself. Arguments for which something does are not refused for that."""
    value = poly(e.arg).constant
    if value is not None:
        return replace(number(value % (1 << e.to.bits)), type=e.type)
    if replace(ranges, assumed=None).fits(e.arg, e.to):
        return replace(e, arg=Cast(e.to, e.arg, True, type=e.to, loc=e.loc)) if not is_wrap(e) else e.arg
    return e


def is_wrap(e: Cast) -> bool:
    """A cast that says that the operation in it wraps around."""
    return isinstance(e.arg, Binary | Unary) and e.arg.type == e.to


def _simplify_integer(e: Expr, p: Poly, ranges: Ranges) -> Expr:
    match e:
        case Binary("+", a, Int(0)) | Binary("-", a, Int(0)) | Binary("+", Int(0), a):
            return a
        case Binary("*", a, Int(1)) | Binary("*", Int(1), a) | Binary("/", a, Int(1)) | Call("exact_div", (a, Int(1))):
            return a
        case Binary("+" | "-", Binary("+" | "-", a, Int(_)) as left, Int(_)):
            return _add_constant(a, (poly(left) - poly(a) + poly(e) - poly(left)).constant or 0)
        case Binary("*", Binary("*", a, Int(j)), Int(k)):
            return replace(e, left=a, right=number(j * k))
        case Cond(Bool(value), a, b):
            return a if value else b
        case Binary("/", a, Int(c)) | Call("exact_div", (a, Int(c))) if c > 0:
            q, r = poly(a).split_multiples(c)
            if ranges.least(r) >= 0 and ranges.greatest(r) < c and ranges.least(q) >= 0:
                return expression(q)
            return Binary("/", a, number(c), type=e.type, loc=e.loc)
        case Call("exact_div", (a, b)):
            divided = Binary("/", a, b, type=e.type, loc=e.loc)
            return expression(p) if p != opaque(divided) else divided
        case Binary("%", a, Int(c)) if c > 0:
            q, r = poly(a).split_multiples(c)
            if ranges.least(r) >= 0 and ranges.greatest(r) < c and ranges.least(q) >= 0:
                return expression(r)
            return e
        case Call("min" | "max", (a, b)):
            first = compare("<=" if e.func == "min" else ">=", a, b, ranges)
            return e if first is None else (a if first else b)
        case _:
            return e


def _add_constant(a: Expr, c: int) -> Expr:
    return a if c == 0 else binary("+" if c > 0 else "-", a, number(abs(c)))


def compare(op: str, a: Expr, b: Expr, ranges: Ranges) -> bool | None:
    """Whether `a op b` holds whatever the variables are, or None."""
    difference = poly(a) - poly(b)
    low, high = ranges.least(difference), ranges.greatest(difference)
    match op:
        case "<":
            return True if high < 0 else False if low >= 0 else None
        case "<=":
            return True if high <= 0 else False if low > 0 else None
        case ">":
            return True if low > 0 else False if high <= 0 else None
        case ">=":
            return True if low >= 0 else False if high < 0 else None
        case "==":
            return True if low == high == 0 else False if low > 0 or high < 0 else None
        case _:
            return False if low == high == 0 else True if low > 0 or high < 0 else None
