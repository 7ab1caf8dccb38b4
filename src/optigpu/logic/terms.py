"""Terms of the logic: integers, reals, booleans, functions, and big operators.

Terms are interned: equal terms are the same object. Constructors normalise. Numbers are polynomials over atoms, so two terms
that are equal by the laws of commutative rings are the same term; remainders are written with floor division, and C's truncating
division as a choice between floor divisions. Every law a constructor uses holds for all values of the variables.

Bound variables of `lam`, `forall` and the big operators are de Bruijn indices, so terms equal up to bound names are the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial, reduce, wraps
from math import gcd
from operator import xor
from types import NoneType
from typing import Any, NoReturn, TypeAlias, TypeVar, cast
from weakref import WeakValueDictionary
from zlib import crc32

from optigpu.logic.names import Name, Origin, is_well_formed

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, eq=False)
class Sort:
    """INT, REAL, BOOL, or a function sort with the sorts of its arguments. Each exists once."""

    name: str
    args: tuple[Sort, ...] = ()
    result: Sort | None = None

    @property
    def numeric(self) -> bool:
        return self is INT or self is REAL


INT, REAL, BOOL = Sort("int"), Sort("real"), Sort("bool")
_FUNCTION_SORTS: dict[tuple[tuple[Sort, ...], Sort], Sort] = {}


def fun_sort(args: tuple[Sort, ...], result: Sort) -> Sort:
    """The sort of functions with these arguments and result."""
    key = (args, result)
    if key not in _FUNCTION_SORTS:
        _FUNCTION_SORTS[key] = Sort(f"({' * '.join(a.name for a in args)} -> {result.name})", args, result)
    return _FUNCTION_SORTS[key]


class _Parts:
    """What a term consists of, while it is being made."""

    __slots__ = ("__weakref__", "_opposite", "args", "data", "free", "key", "level", "op", "parts", "sort")


_SET: dict[str, Any] = {name: getattr(_Parts, name).__set__ for name in _Parts.__slots__[1:]}


class Term(_Parts):
    """A term. `op` says what it is, `args` are its subterms, `data` what else belongs to it.

    num (data: value), var (data: Name), bound (data: index), poly (data: ((monomial, coefficient), …)),
    fdiv, pow2, max, inv, real, trunc, band, bor, bxor, app (args[0] is the function), lam (data: sorts), ite,
    sum, prod, all (args: low, high, body), fold_max (args: initial, low, high, body), forall (data: sorts; body),
    le, lt, eq (args: p, compared with 0), not, and, or, true, false. Minima are negated maxima, `any` is `not all not`.
    """

    __slots__ = ()

    op: str
    args: tuple[Term, ...]
    data: Any
    sort: Sort
    key: int  # orders terms, the same way in every run
    level: int  # the number of enclosing binders it needs: 0 for a closed term
    free: frozenset[Term]  # the variables that occur, those of function sort included
    parts: tuple[Term, ...]  # the immediate subterms: of a polynomial its atoms
    _opposite: Term | None  # its negation, once that was asked for

    def __repr__(self) -> str:
        if self.op == "poly":
            return "(" + " + ".join(" * ".join([str(c), *map(repr, m)]) for m, c in self.data) + ")"
        if self.op in ("num", "var", "bound"):
            return f"^{self.data}" if self.op == "bound" else str(self.data)
        return f"{self.op}({', '.join(map(repr, self.args))})"

    def __getattr__(self, name: str) -> Any:
        """key, level, free and parts, when they are first asked for: most terms are gone before."""
        value: Any
        match name:
            case "parts":
                value = self.args if self.op != "poly" else tuple(dict.fromkeys([a for m, _ in self.data for a in m]))
            case "free":
                value = frozenset((self,)) if self.op == "var" else frozenset().union(*[a.free for a in self.parts])
            case "level":
                value = self.data + 1 if self.op == "bound" else max([a.level for a in self.parts], default=0)
                if n := self.binds:
                    value = max(0, self.args[-1].level - n, *[a.level for a in self.args[:-1]])
            case "key":
                value = _key_of(self)
            case _:
                raise AttributeError(name)
        _SET[name](self, value)
        return value

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("terms do not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("terms do not change")

    @property
    def binds(self) -> int:
        """How many variables it binds in its last argument."""
        return 0 if self.op not in BINDERS else 1 if self.data is None else len(self.data)

    def __lt__(self, other: Term) -> bool:
        """By key; terms that happen to have one key are ordered all the same, so that a monomial is written in one way."""
        return self.key < other.key if self.key != other.key else id(self) < id(other)


_TABLE: WeakValueDictionary[Any, Term] = WeakValueDictionary()
_RECENT: deque[Term] = deque(maxlen=50_000)  # kept for a while: the same terms are made again and again
ONLY_TERM, NUMBERS, DATA = frozenset((Term,)), (int, Fraction), (NoneType, int, Fraction, tuple, Name)
BINDERS = {"sum", "prod", "all", "fold_max", "lam", "forall"}


def _make(op: str, args: tuple[Term, ...], sort: Sort, data: Any = None) -> Term:
    key = (op, args, data, sort)
    found = _TABLE.get(key)
    if found is None:
        _expect_parts(op, args, sort, data)
        new: Any = _Parts()
        new.op, new.args, new.data, new.sort, new._opposite = op, args, data, sort, None
        new.__class__ = Term
        found = _TABLE[key] = new
        _RECENT.append(new)
    return found


def _expect_parts(op: str, args: tuple[Term, ...], sort: Sort, data: Any) -> None:
    """Terms are of exactly these types. Something else could be equal to what it is not, and be found in the place of a term."""
    if not ONLY_TERM.issuperset(map(type, args)):
        raise TypeError("a term of something else than terms")
    if op == "poly":
        for m, c in data:
            if type(c) is not int and (sort is INT or type(c) is not Fraction):
                raise TypeError("a polynomial with something else than numbers of its sort")
            if type(m) is not tuple or not ONLY_TERM.issuperset(map(type, m)) or any(a.sort is not sort for a in m):
                raise TypeError("a polynomial of something else than terms of its sort")
    elif type(data) not in DATA or type(sort) is not Sort:
        raise TypeError(f"a term with {type(data).__name__}")
    elif (op == "var") != (type(data) is Name) or (op == "var" and not is_well_formed(data)):
        raise TypeError("a variable has a name")


def _key_of(t: Term) -> int:
    """A number that depends on what the term is, and not on when it was made."""
    numbers = [a.key for a in t.args]
    if t.op == "poly":
        numbers = [x for monomial, c in t.data for x in (crc32(str(c).encode()), *[a.key for a in monomial])]
    elif t.data is not None:
        numbers.insert(0, crc32(str([s.name for s in t.data] if type(t.data) is tuple else t.data).encode()))
    h = crc32(f"{t.op}:{t.sort.name}".encode())
    for x in numbers:
        h = ((h ^ x) * 0x9E3779B97F4A7C15 + x + 1) & 0xFFFFFFFFFFFFFFFF
    return h


TRUE = _make("true", (), BOOL)
FALSE = _make("false", (), BOOL)
Monomial: TypeAlias = tuple[Term, ...]
Coefficients: TypeAlias = dict[Monomial, Any]  # int for INT, Fraction or int for REAL


def expect(sort: Sort, *xs: Term) -> Term:
    """The last of these terms. Laws of integers are for integers: constructors refuse terms of other sorts."""
    for x in xs:
        if x.sort is not sort:
            raise TypeError(f"{x.sort.name} where {sort.name} is expected")
    return xs[-1]


def num(value: int | Fraction, sort: Sort = INT) -> Term:
    if value.denominator == 1:
        value = value.numerator
    if not sort.numeric or (sort is INT and not isinstance(value, int)):
        raise TypeError(f"{value} is no number of sort {sort.name}")
    return _make("num", (), sort, value)


ZERO, ONE = num(0), num(1)


def var(name: str | Name, sort: Sort) -> Term:
    """The variable with this name. A string is the name of a variable of the program that is declared once."""
    return _make("var", (), sort, Name(Origin.PROGRAM, name, 1) if type(name) is str else name)


def rule_var(stem: str, counter: int, sort: Sort) -> Term:
    """The variable that a rule introduces when the state's counter is this; the stem is a local name."""
    return var(Name(Origin.RULE, stem, counter), sort)


def arbitrary(number: int, sort: Sort) -> Term:
    """A constant that stands for anything of its sort, inside a proof."""
    return var(Name(Origin.ARBITRARY, "b", number), sort)


def function_var(stem: str, sort: Sort) -> Term:
    """A mathematical function, such as exp."""
    return var(Name(Origin.FUNCTION, stem, 1), sort)


def formula_var(stem: str, number: int, sort: Sort) -> Term:
    """A binder of a formula while that becomes a term."""
    return var(Name(Origin.FORMULA, stem, number), sort)


def placeholder(stem: str, number: int, sort: Sort) -> Term:
    """Stands for a bound variable while a term is read or printed."""
    return var(Name(Origin.BOUND, stem, number), sort)


def remembered(size: int) -> Callable[[F], F]:
    """A function of terms, and of tuples of terms, whose results are kept. Of exactly these: something else could be equal to what
    it is not, and its result would be found in the place of another."""

    def decorate(f: F) -> F:
        kept = lru_cache(size)(f)

        @wraps(f)
        def look(*args: Any) -> Any:
            for a in args:
                if type(a) is not Term and (type(a) is not tuple or not ONLY_TERM.issuperset(map(type, a))):
                    raise TypeError("something else than terms")
            return kept(*args)

        vars(look)["cache_clear"] = kept.cache_clear
        return cast(F, look)

    return decorate


def bound(index: int, sort: Sort) -> Term:
    assert index >= 0
    return _make("bound", (), sort, index)


def coefficients(t: Term) -> Coefficients:
    """A number as a sum of coefficients times monomials (sorted tuples of atoms; the empty one is the constant)."""
    if t.op == "poly":
        return dict(t.data)
    if t.op == "num":
        return {(): t.data} if t.data != 0 else {}
    return {(t,): 1}


def polynomial(cs: Coefficients, sort: Sort) -> Term:
    items = [(m, cs[m]) for m in (sorted(cs, key=_order) if len(cs) > 1 else cs) if cs[m] != 0]
    if not items:
        return num(0, sort)
    if len(items) == 1:
        m, c = items[0]
        if not m:
            return num(c, sort)
        if c == 1 and len(m) == 1:
            return m[0]
    return _make("poly", (), sort, tuple(items))


def _order(m: Monomial) -> tuple[int, ...]:
    return (len(m), *[a.key for a in m])


def add(*xs: Term) -> Term:
    out: Coefficients = {}
    for x in xs:
        for m, c in coefficients(x).items():
            out[m] = out.get(m, 0) + c
    return polynomial(out, _common(xs))


def scale(c: int | Fraction, x: Term) -> Term:
    if c != 0 and x.op == "poly" and len(x.data) > 1:  # no summand vanishes, and their order stays
        return _make("poly", (), x.sort, tuple([(m, c * d) for m, d in x.data]))
    return polynomial({m: c * d for m, d in coefficients(x).items()}, x.sort)


def neg(x: Term) -> Term:
    return scale(-1, x)


def sub(a: Term, b: Term) -> Term:
    sort, out = _common((a, b)), coefficients(a)
    for m, c in coefficients(b).items():
        out[m] = out.get(m, 0) - c
    return a if _is_zero(b) else polynomial(out, sort)


def mul(*xs: Term) -> Term:
    sort = _common(xs)
    out = coefficients(xs[0])
    for x in xs[1:]:
        left, right, out = out, coefficients(x), {}
        if len(left) * len(right) > 300_000:  # far beyond what proofs are about
            raise MemoryError("a product of too many summands")
        for m1, c1 in left.items():
            for m2, c2 in right.items():
                m = tuple(sorted(m1 + m2)) if m1 and m2 else m1 or m2
                out[m] = out.get(m, 0) + c1 * c2
    guarded = [m for m in out if len(m) > 1 and any(is_guarded(a) for a in m)]
    if not guarded:
        return polynomial(out, sort)
    rest = polynomial({m: c for m, c in out.items() if m not in guarded}, sort)
    return add(rest, *(scale(out[m], _absorb(m, sort)) for m in guarded))


def is_guarded(a: Term) -> bool:
    """`c ? v : 0`"""
    return a.op == "ite" and _is_zero(a.args[2])


def _absorb(m: Monomial, sort: Sort) -> Term:
    """x * (c ? v : 0) is c ? x * v : 0, so that the condition stands outermost."""
    guards = [a.args[0] for a in m if is_guarded(a)]
    factors = [a.args[1] if is_guarded(a) else a for a in m]
    return ite(and_(*guards), mul(*factors), num(0, sort))


def _common(xs: tuple[Term, ...]) -> Sort:
    sort = expect(xs[0].sort, *xs).sort
    if not sort.numeric:
        raise TypeError(f"not a number: {sort.name}")
    return sort


def is_num(t: Term) -> bool:
    return t.op == "num"


def fdiv(a: Term, b: Term) -> Term:
    """Floor division of integers (unspecified for b = 0). Multiples of a constant divisor are taken out."""
    expect(INT, a, b)
    if is_num(b) and b.data != 0:
        k = b.data
        if k < 0:
            return fdiv(neg(a), num(-k))
        cs = coefficients(a)
        quotient = polynomial({m: c // k for m, c in cs.items()}, INT)
        rest = {m: c % k for m, c in cs.items() if c % k}
        if not any(rest):  # only a constant below k is left
            return quotient
        g = gcd(k, *(c for m, c in rest.items() if m))
        if g > 1:
            rest = {m: c // g for m, c in rest.items()}  # (g*r + c) div (g*k) = (r + c div g) div k
            return add(quotient, fdiv(polynomial(rest, INT), num(k // g)))
        r = polynomial(rest, INT)
        if r.op == "fdiv" and is_num(r.args[1]) and r.args[1].data > 0:  # (x div m) div n = x div (m*n) for n > 0
            return add(quotient, fdiv(r.args[0], num(r.args[1].data * k)))
        return add(quotient, _make("fdiv", (r, num(k)), INT))
    return _make("fdiv", (a, b), INT)


def fmod(a: Term, b: Term) -> Term:
    """a - b * (a div b): between 0 and b for b > 0."""
    return sub(a, mul(b, fdiv(a, b)))


def pow2(k: Term) -> Term:
    """2 to the k, for k >= 0."""
    if is_num(expect(INT, k)) and 0 <= k.data <= 64:
        return num(1 << k.data)
    return _make("pow2", (k,), INT)


def bitwise(op: str, a: Term, b: Term) -> Term:
    """band, bor, bxor of integers, of negative ones with infinitely many leading ones. A mask of low ones is a remainder."""
    expect(INT, a, b)
    if is_num(a) and is_num(b):
        x, y = a.data, b.data
        return num({"band": x & y, "bor": x | y, "bxor": x ^ y}[op])
    if op == "bxor":  # x ^ x is 0, x ^ 0 is x, and numbers are gathered
        parts = frozenset(_operands(a)) ^ frozenset(_operands(b))
        number = reduce(xor, [p.data for p in parts if is_num(p)], 0)
        args = sorted(p for p in parts if not is_num(p)) + [num(number)] * (number != 0)
        return reduce(lambda x, y: _make(op, (x, y), INT), args) if args else ZERO
    if a is b or (op == "bor" and ZERO in (a, b)):
        return b if a is ZERO else a
    if op == "band":
        for x, mask in ((a, b), (b, a)):
            if is_num(mask) and mask.data >= 0 and (mask.data + 1) & mask.data == 0:
                return fmod(x, num(mask.data + 1))
    return _make(op, tuple(sorted((a, b))), INT)


def _operands(x: Term) -> tuple[Term, ...]:
    """What an exclusive or is made of, each once; a number comes last."""
    return (*_operands(x.args[0]), x.args[1]) if x.op == "bxor" else (x,)


def max_(*xs: Term) -> Term:
    """The greatest; of arguments that differ by a constant only one is kept. A fold takes the others as its initial value."""
    sort = _common(xs)
    kept: list[Term] = []
    for a in sorted({y for x in xs for y in (x.args if x.op == "max" else (x,))}):
        for i, b in enumerate(kept):
            if is_num(d := sub(a, b)):
                kept[i] = a if d.data > 0 else b
                break
        else:
            kept.append(a)
    folds = [a for a in kept if a.op == "fold_max"]
    if folds and len(kept) > 1:
        start, low, high, body = folds[-1].args
        return big("fold_max", low, high, body, max_(start, *(a for a in kept if a is not folds[-1])))
    return kept[0] if len(kept) == 1 else _make("max", tuple(sorted(kept)), sort)


def min_(*xs: Term) -> Term:
    return neg(max_(*(neg(x) for x in xs)))


def to_real(x: Term) -> Term:
    """An integer as a real; a ring homomorphism, so it moves to the atoms."""
    if x.sort is REAL:
        return x
    out = [scale(c, mul(num(1, REAL), *(_real_atom(a) for a in m))) for m, c in coefficients(expect(INT, x)).items()]
    return add(num(0, REAL), *out)


def _real_atom(a: Term) -> Term:
    if a.op == "ite":
        return ite(a.args[0], to_real(a.args[1]), to_real(a.args[2]))
    if a.op == "sum":
        return big("sum", a.args[0], a.args[1], to_real(a.args[2]))
    return _make("real", (a,), REAL)


def trunc(x: Term) -> Term:
    """A real as an integer, towards zero."""
    if is_num(expect(REAL, x)):
        return num(int(x.data))
    if x.op == "real":
        return x.args[0]
    return _make("trunc", (x,), INT)


def inv(x: Term) -> Term:
    """1 / x on reals (unspecified for 0)."""
    if is_num(expect(REAL, x)) and x.data != 0:
        return num(Fraction(1) / x.data, REAL)
    cs = coefficients(x)
    if len(cs) == 1:
        (m, c), *_ = cs.items()
        if c != 1:  # 1 / (c * y) = (1/c) * (1/y)
            return scale(Fraction(1) / c, inv(polynomial({m: 1}, REAL)))
    return _make("inv", (x,), REAL)


def le(a: Term, b: Term) -> Term:
    """a <= b, as p <= 0."""
    return _compared("le", sub(a, b))


def lt(a: Term, b: Term) -> Term:
    """a < b; of integers a + 1 <= b."""
    return le(add(a, ONE), b) if a.sort is INT else _compared("lt", sub(a, b))


def eq(a: Term, b: Term) -> Term:
    """Equality of numbers, as p = 0; of booleans, as equivalence; of functions, syntactic or an atom."""
    if a is expect(a.sort, b):
        return TRUE
    if a.sort is BOOL:
        return or_(and_(a, b), and_(not_(a), not_(b)))
    return _compared("eq", sub(a, b)) if a.sort.numeric else _make("eqf", tuple(sorted((a, b))), BOOL)


def _compared(op: str, p: Term) -> Term:
    """p <= 0, p = 0 or (of reals) p < 0: p is divided by its content (of reals: by its first coefficient), and rounded."""
    cs = coefficients(p)
    c0 = cs.pop((), 0)
    if not cs:
        return TRUE if {"le": c0 <= 0, "lt": c0 < 0, "eq": c0 == 0}[op] else FALSE
    first = cs[min(cs, key=_order)]
    g: Any = gcd(*cs.values()) if p.sort is INT else abs(Fraction(first))
    if op == "eq" and p.sort is INT and c0 % g:
        return FALSE
    if op == "eq" and first < 0:
        g = -g
    if g == 1:
        return _make(op, (p,), BOOL)
    if p.sort is INT:
        cs = {m: c // g for m, c in cs.items()}
        return _make(op, (polynomial({**cs, (): -(-c0 // g)}, INT),), BOOL)
    return _make(op, (scale(1 / g, p),), BOOL)


def not_(a: Term) -> Term:
    if a._opposite is None:
        _SET["_opposite"](a, _not(a))
    return cast(Term, a._opposite)


def _not(a: Term) -> Term:
    match expect(BOOL, a).op:
        case "true" | "false":
            return FALSE if a is TRUE else TRUE
        case "not":
            return a.args[0]
        case "le" | "lt":
            zero = num(0, a.args[0].sort)
            return (lt if a.op == "le" else le)(zero, a.args[0])
        case "and" | "or":
            return (or_ if a.op == "and" else and_)(*(not_(x) for x in a.args))
        case _:
            return _make("not", (a,), BOOL)


def and_(*xs: Term) -> Term:
    return _junction("and", xs, TRUE, FALSE)


def or_(*xs: Term) -> Term:
    return _junction("or", xs, FALSE, TRUE)


def _junction(op: str, xs: Iterable[Term], unit: Term, absorbing: Term) -> Term:
    seen: dict[Term, None] = {}
    for x in xs:
        for a in x.args if x.op == op else (x,):
            if a is absorbing:
                return absorbing
            if a is not unit:
                seen[a] = None
    if not seen:
        return unit
    expect(BOOL, *seen)
    if any(not_(a) in seen for a in seen if a.op in ("not", "le", "lt")):
        return absorbing
    args = tuple(sorted(seen))
    return args[0] if len(args) == 1 else _make(op, args, BOOL)


def implies(a: Term, b: Term) -> Term:
    return or_(not_(a), b)


def conjuncts(t: Term) -> tuple[Term, ...]:
    return t.args if t.op == "and" else () if t is TRUE else (t,)


def ite(c: Term, a: Term, b: Term) -> Term:
    """c ? a : b. In either branch, a choice by the same condition is decided."""
    if expect(BOOL, c) is TRUE or a is expect(a.sort, b):
        return a
    if c is FALSE:
        return b
    if a.sort is BOOL:
        return or_(and_(c, a), and_(not_(c), b))
    a, b = _decided(a, c, True), _decided(b, c, False)
    if a is b:
        return a
    if c.op in ("le", "lt") and c.args[0].sort is a.sort:
        if c in (lt(b, a), le(b, a)):  # b < a ? a : b
            return max_(a, b)
        if c in (lt(a, b), le(a, b)):
            return min_(a, b)
    if _is_zero(a):  # and b is not: the condition of a guarded value stands for where it is not 0
        return _make("ite", (not_(c), b, a), a.sort)
    if _is_zero(b):
        return ite(and_(c, a.args[0]), a.args[1], b) if is_guarded(a) else _make("ite", (c, a, b), a.sort)
    opposite = not_(c)
    if opposite < c:  # one of the two ways to write it
        c, a, b = opposite, b, a
    return _make("ite", (c, a, b), a.sort)


def _is_zero(t: Term) -> bool:
    return t.op == "num" and t.data == 0


def _decided(t: Term, c: Term, holds: bool) -> Term:
    """t where c is known, along the chain of choices at its top."""
    if t.op != "ite":
        return t
    test, a, b = t.args
    if test is c:
        return _decided(a if holds else b, c, holds)
    if test is not_(c):
        return _decided(b if holds else a, c, holds)
    new = _decided(b, c, holds)
    return t if new is b else ite(test, a, new)


def app(f: Term, *args: Term) -> Term:
    if len(args) != len(f.sort.args) or any(a.sort is not s for a, s in zip(args, f.sort.args)):
        raise TypeError(f"{f} is applied to arguments of other sorts")
    if f.op == "lam":
        return instantiate(f.args[0], args)
    assert f.sort.result is not None
    return _make("app", (f, *args), f.sort.result)


def lam(variables: tuple[Term, ...], body: Term) -> Term:
    """The function of these variables."""
    sorts = tuple(v.sort for v in variables)
    closed = abstract(body, variables)
    mine = tuple(bound(len(sorts) - 1 - i, s) for i, s in enumerate(sorts))
    if closed.op == "app" and closed.args[1:] == mine and closed.args[0].level == 0:  # fun x -> f(x) is f
        return closed.args[0]
    return _make("lam", (closed,), fun_sort(sorts, body.sort), sorts)


def forall(variables: tuple[Term, ...], body: Term) -> Term:
    if not variables or expect(BOOL, body) in (TRUE, FALSE):
        return body
    return _make("forall", (abstract(body, variables),), BOOL, tuple(v.sort for v in variables))


def big(op: str, low: Term, high: Term, body: Term, initial: Term | None = None) -> Term:
    """sum, prod, all over low <= i < high of a body under one binder; fold_max is the maximum of those and `initial`.

    A range that ends at max(low, h) ends at h: both are empty if h is below low. A maximum of f(low-1) and the f(i) from low on is
    one of f(low-1) and the f(i) from low-1 on, also if there are none.
    """
    expect(INT, low, high)
    if high.op == "max" and low in high.args:
        high = max_(*(a for a in high.args if a is not low))
    size = sub(high, low)
    if op == "fold_max":
        assert initial is not None
        expect(body.sort, initial)
        others = low  # where those begin that are not the initial value
        if instantiate(body, (low,)) is initial:
            others = add(low, ONE)
        elif instantiate(body, (sub(low, ONE),)) is initial:
            low = sub(low, ONE)
        left = sub(high, others)
        if is_num(left) and left.data <= 0:
            return initial
        if is_num(left) and left.data == 1:
            return max_(initial, instantiate(body, (others,)))
        return _make(op, (initial, low, high, body), body.sort)
    unit = TRUE if op == "all" else num(0 if op == "sum" else 1, body.sort)
    if expect(unit.sort, body) is unit or (is_num(size) and size.data <= 0):
        return unit
    if is_num(size) and size.data == 1:
        return instantiate(body, (low,))
    if op == "sum":
        return _sum(low, high, body)
    if op == "all" and body.op == "and":
        return and_(*(big(op, low, high, b) for b in body.args))
    return _make(op, (low, high, body), body.sort)


def _sum(low: Term, high: Term, body: Term) -> Term:
    """Linearity: sums of monomials, with what does not depend on the index moved out."""
    out: list[Term] = []
    for m, c in coefficients(body).items():
        inside = [a for a in m if mentions_bound(a, 0)]
        outside = [shift(a, -1) for a in m if not mentions_bound(a, 0)]
        out.append(scale(c, mul(num(1, body.sort), *outside, _sum_of_product(low, high, inside, body.sort))))
    return add(num(0, body.sort), *out)


def _sum_of_product(low: Term, high: Term, factors: list[Term], sort: Sort) -> Term:
    if not factors:
        count = max_(ZERO, sub(high, low))
        return to_real(count) if sort is REAL else count
    body = mul(num(1, sort), *factors)
    if body.op == "ite":
        c, a, b = body.args
        if not mentions_bound(c, 0):
            return ite(shift(c, -1), big("sum", low, high, a), big("sum", low, high, b))
        if not _is_zero(b):  # two guarded sums
            zero = num(0, sort)
            return add(big("sum", low, high, ite(c, a, zero)), big("sum", low, high, ite(not_(c), b, zero)))
        fixed = [x for x in conjuncts(c) if not mentions_bound(x, 0)]
        if fixed:
            moving = and_(*(x for x in conjuncts(c) if mentions_bound(x, 0)))
            rest = big("sum", low, high, ite(moving, a, b))
            return ite(and_(*(shift(x, -1) for x in fixed)), rest, b)
    elif body.op == "num" or (body.op == "poly" and (len(body.data) > 1 or body.data[0][1] != 1)):
        return _sum(low, high, body)
    return _make("sum", (low, high, body), sort)


def rebuild(t: Term, f: Callable[[Term, int], Term], depth: int = 0) -> Term:
    """The term with f applied to its subterms; f is told how many binders it is under."""
    match t.op:
        case "poly":
            new = {a: f(a, depth) for a in t.parts}
            if all(a is b for a, b in new.items()):
                return t
            out: Coefficients = {}
            for monomial, c in t.data:
                factors = [new[a] for a in monomial] or [num(1, t.sort)]
                for m, d in coefficients(mul(*factors) if len(factors) > 1 else factors[0]).items():
                    out[m] = out.get(m, 0) + c * d
            return polynomial(out, t.sort)
        case "num" | "var" | "bound" | "true" | "false":
            return t
        case "lam" | "forall":
            body = f(t.args[0], depth + t.binds)
            return body if t.op == "forall" and body in (TRUE, FALSE) else _make(t.op, (body,), t.sort, t.data)
        case "sum" | "prod" | "all" | "fold_max":
            *start, low, high, body = t.args
            return big(t.op, f(low, depth), f(high, depth), f(body, depth + 1), *(f(x, depth) for x in start))
        case _:
            args = tuple([f(a, depth) for a in t.args])
            return t if args == t.args else CONSTRUCTORS[t.op](*args)


CONSTRUCTORS: dict[str, Callable[..., Term]] = {"real": to_real, "eqf": eq}  # of operators without binders or data
CONSTRUCTORS |= {f.__name__.strip("_"): f for f in (fdiv, pow2, max_, inv, trunc, app, ite, not_, and_, or_)}
CONSTRUCTORS |= {op: partial(bitwise, op) for op in ("band", "bor", "bxor")}
CONSTRUCTORS |= {f.__name__: lambda p, f=f: f(p, num(0, p.sort)) for f in (le, lt, eq)}


def mentions_bound(t: Term, index: int) -> bool:
    """Does the bound variable with this index occur?"""
    if t.level <= index:
        return False
    if t.op == "bound":
        return bool(t.data == index)
    if t.binds:
        return mentions_bound(t.args[-1], index + t.binds) or any(mentions_bound(a, index) for a in t.args[:-1])
    return any(mentions_bound(a, index) for a in t.parts)


def rewritten(t: Term, f: Callable[[Term, int], Term | None]) -> Term:
    """The term with each subterm x, outermost first, replaced by f(x, depth) where that is a term; depth counts its binders."""
    memo: dict[tuple[Term, int], Term] = {}

    def go(x: Term, depth: int) -> Term:
        new = f(x, depth)
        if new is None:
            new = memo.get((x, depth))
        if new is None:
            new = memo[x, depth] = rebuild(x, go, depth)
        return new

    return go(t, 0)


def shift(t: Term, by: int) -> Term:
    """Move a term under more binders, or (by < 0) out of ones whose variables it does not mention."""

    def move(x: Term, depth: int) -> Term | None:
        return x if x.level <= depth else bound(x.data + by, x.sort) if x.op == "bound" else None

    return rewritten(t, move) if by and t.level else t


@remembered(50_000)
def abstract(t: Term, variables: tuple[Term, ...]) -> Term:
    """Bind variables: the last of them becomes index 0."""
    n = len(variables)
    positions = {v: n - 1 - i for i, v in enumerate(variables)}

    def bind(x: Term, depth: int) -> Term | None:
        if x.op == "var":
            return bound(positions[x] + depth, x.sort) if x in positions else x
        if x.op == "bound":
            return bound(x.data + n, x.sort) if x.data >= depth else x
        return x if x.level <= depth and positions.keys().isdisjoint(x.free) else None

    return rewritten(t, bind)


@remembered(50_000)
def instantiate(t: Term, args: tuple[Term, ...]) -> Term:
    """Replace the outermost bound variables (the last argument is for index 0); the arguments may mention outer binders."""
    n = len(args)

    def fill(x: Term, depth: int) -> Term | None:
        if x.level <= depth or x.op != "bound":
            return x if x.level <= depth else None
        if x.data >= depth + n:
            return bound(x.data - n, x.sort)
        return shift(expect(x.sort, args[n - 1 - (x.data - depth)]), depth)

    return rewritten(t, fill)


def instantiate_all(ts: tuple[Term, ...], args: tuple[Term, ...]) -> tuple[Term, ...]:
    return tuple(instantiate(t, args) for t in ts)


def substitute(t: Term, sub_: Mapping[Term, Term]) -> Term:
    """Replace variables (closed terms for variables) everywhere; an applied lambda is reduced."""
    keys = frozenset(sub_)

    def put(x: Term, depth: int) -> Term | None:
        return expect(x.sort, sub_.get(x, x)) if x.op == "var" else x if keys.isdisjoint(x.free) else None

    return rewritten(t, put) if sub_ else t


def replace_subterms(t: Term, table: Mapping[Term, Term]) -> Term:
    """Replace closed subterms, outermost first."""
    return rewritten(t, lambda x, _: table.get(x))


def subterms(t: Term) -> Iterable[Term]:
    """All subterms, each once."""
    seen = {t}
    stack = [t]
    while stack:
        x = stack.pop()
        yield x
        for a in x.parts:
            if a not in seen:
                seen.add(a)
                stack.append(a)
