"""Terms as values: sorts, interning, variables and numbers.

Equal terms are the same object: every term is made by `interned`, which looks it up in a table first. A term cannot be changed, and
consists of nothing but terms, numbers, names and sorts of exactly these types.

Constructors that normalise are in the other files of this package. Some laws need a constructor of a file that builds on theirs
(`x * (c ? v : 0)` is `c ? x * v : 0`): those are found by operator in CONSTRUCTORS.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache, wraps
from types import NoneType
from typing import Any, NoReturn, TypeAlias, TypeVar, cast
from weakref import ref
from zlib import crc32

from optigpu.light_dataclass import dataclass
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
    """The slots of a term. Only an object that is no term yet lets them be assigned."""

    __slots__ = ("__weakref__", "args", "data", "free", "key", "level", "negation", "op", "ops", "parts", "sort")


_SET: dict[str, Any] = {name: getattr(_Parts, name).__set__ for name in _Parts.__slots__[1:]}


class Term(_Parts):
    """A term. `op` is its operator, `args` are its subterms, `data` is what else belongs to it.

    num (data: value), var (data: Name), bound (data: index), poly (data: ((monomial, coefficient), …)),
    fdiv, pow2, max, inv, real, trunc, band, bor, bxor, app (args[0] is the function), lam (data: sorts), ite,
    sum, prod, all, argmax (args: low, high, body), fold_max (args: initial, low, high, body), forall (data: sorts; body),
    le, lt, eq (args: p, compared with 0), eqf (equality of functions), not, and, or, true, false.
    A minimum is a negated maximum, and `any` is `not all not`.
    """

    __slots__ = ()

    op: str
    args: tuple[Term, ...]
    data: Any
    sort: Sort
    key: int  # orders terms, the same way in every run
    level: int  # the number of enclosing binders it needs: 0 for a closed term
    free: frozenset[Term]  # the variables that occur, those of function sort included
    ops: frozenset[str]  # the operators that occur
    parts: tuple[Term, ...]  # the immediate subterms: of a polynomial its atoms
    negation: Term  # of a boolean

    def __repr__(self) -> str:
        if self.op == "poly":
            return "(" + " + ".join(" * ".join([str(c), *map(repr, m)]) for m, c in self.data) + ")"
        if self.op in ("num", "var", "bound"):
            return f"^{self.data}" if self.op == "bound" else str(self.data)
        return f"{self.op}({', '.join(map(repr, self.args))})"

    def __getattr__(self, name: str) -> Any:
        """free, key, level, negation, ops and parts are computed at the first use: most terms are dropped before."""
        if name not in _COMPUTED:
            raise AttributeError(name)
        value = _COMPUTED[name](self)
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
        """By key. Two terms with the same key are ordered as well, so that a monomial is written in one way."""
        return self.key < other.key if self.key != other.key else id(self) < id(other)


class _Entry(ref[Any]):
    """A weak reference to a term, which knows where it is in the table."""

    __slots__ = ("place",)
    place: Any


_TABLE: dict[Any, _Entry] = {}
_RECENT: deque[Term] = deque(maxlen=50_000)  # keeps terms alive for a while: the same terms are made again and again
ONLY_TERM, DATA = frozenset((Term,)), (NoneType, int, Fraction, tuple, Name)
BINDERS = {"sum", "prod", "all", "fold_max", "argmax", "lam", "forall"}
CONSTRUCTORS: dict[
    str, Callable[..., Term]
] = {}  # by operator, applied to the arguments of a term; without those of `lam`, `forall`


def constructor(*ops: str) -> Callable[[F], F]:
    """Registers the function that makes terms with these operators."""

    def register(f: F) -> F:
        CONSTRUCTORS.update(dict.fromkeys(ops, f))
        return f

    return register


def interned(op: str, args: tuple[Term, ...], sort: Sort, data: Any = None) -> Term:
    """The term with these parts, which is not normalised any further."""
    place = (op, args, data, sort)
    entry = _TABLE.get(place)
    term: Term | None = None if entry is None else entry()
    if term is None:
        _expect_parts(op, args, sort, data)
        new: Any = _Parts()
        new.op, new.args, new.data, new.sort = op, args, data, sort
        new.__class__ = Term
        own = _Entry(new, _forget)
        own.place = place
        if entry is not None and _TABLE.get(place) is entry:  # that of a term which is gone
            del _TABLE[place]
        term = _TABLE.setdefault(place, own)() or interned(op, args, sort, data)  # another thread may have been faster
        _RECENT.append(term)
    return term


def _forget(entry: _Entry) -> None:
    """Nothing refers to the term any more. Another one may be in its place already."""
    if _TABLE.get(entry.place) is entry:
        del _TABLE[entry.place]


def _expect_parts(op: str, args: tuple[Term, ...], sort: Sort, data: Any) -> None:
    """Parts are of exactly these types. An object of another type could claim to be equal to a part that it is not; the table would
    then return a term for it that means something else."""
    if not ONLY_TERM.issuperset(map(type, args)):
        raise TypeError("a term of something else than terms")
    if op == "poly":
        for m, c in data:
            if type(c) is not int and (sort is INT or type(c) is not Fraction):
                raise TypeError("a polynomial with something else than numbers of its sort")
            if type(m) is not tuple:
                raise TypeError("a polynomial of something else than monomials")
            for a in m:
                if type(a) is not Term or a.sort is not sort:
                    raise TypeError("a polynomial of something else than terms of its sort")
    elif type(data) not in DATA or type(sort) is not Sort:
        raise TypeError(f"a term with {type(data).__name__}")
    elif (op == "var") != (type(data) is Name) or (op == "var" and not is_well_formed(data)):
        raise TypeError("a variable has a name")


def _level_of(t: Term) -> int:
    if t.op == "bound":
        return int(t.data) + 1
    if n := t.binds:
        return max(0, t.args[-1].level - n, *[a.level for a in t.args[:-1]])
    return max([a.level for a in t.parts], default=0)


def _union(sets: Iterable[frozenset[Any]]) -> frozenset[Any]:
    """The union, which is one of the sets if that has all elements: terms share most of these sets with their parts."""
    out: frozenset[Any] = frozenset()
    for x in sets:
        if not x <= out:
            out = x if out <= x else out | x
    return out


def _key_of(t: Term) -> int:
    """A hash of the term that does not depend on when it was made."""
    numbers = [a.key for a in t.args]
    if t.op == "poly":
        numbers = [x for monomial, c in t.data for x in (crc32(str(c).encode()), *[a.key for a in monomial])]
    elif t.data is not None:
        numbers.insert(0, crc32(str([s.name for s in t.data] if type(t.data) is tuple else t.data).encode()))
    h = crc32(f"{t.op}:{t.sort.name}".encode())
    for x in numbers:
        h = ((h ^ x) * 0x9E3779B97F4A7C15 + x + 1) & 0xFFFFFFFFFFFFFFFF
    return h


_OF_OPERATOR: dict[str, frozenset[str]] = {}  # sets with one operator
_COMPUTED: dict[str, Callable[[Term], Any]] = {
    "free": lambda t: frozenset((t,)) if t.op == "var" else _union([a.free for a in t.parts]),
    "key": _key_of,
    "level": _level_of,
    "negation": lambda t: CONSTRUCTORS["not"](t),  # noqa: PLW0108 (it is registered later)
    "ops": lambda t: _union([_OF_OPERATOR.setdefault(t.op, frozenset((t.op,))), *[a.ops for a in t.parts]]),
    "parts": lambda t: t.args if t.op != "poly" else tuple(dict.fromkeys([a for m, _ in t.data for a in m])),
}

TRUE = interned("true", (), BOOL)
FALSE = interned("false", (), BOOL)
Monomial: TypeAlias = tuple[Term, ...]
Coefficients: TypeAlias = dict[Monomial, Any]  # int for INT, Fraction or int for REAL


def expect(sort: Sort, *xs: Term) -> Term:
    """The last of these terms. All must have this sort: a law of integers is one for integers."""
    for x in xs:
        if x.sort is not sort:
            raise TypeError(f"{x.sort.name} where {sort.name} is expected")
    return xs[-1]


def num(value: int | Fraction, sort: Sort = INT) -> Term:
    """A number. An integer value is stored as `int` in both sorts, so that equal numbers are one term."""
    if value.denominator == 1:
        value = value.numerator
    if not sort.numeric or (sort is INT and not isinstance(value, int)):
        raise TypeError(f"{value} is no number of sort {sort.name}")
    return interned("num", (), sort, value)


ZERO, ONE = num(0), num(1)


def is_num(t: Term) -> bool:
    return t.op == "num"


def is_zero(t: Term) -> bool:
    return t.op == "num" and t.data == 0


def bound(index: int, sort: Sort) -> Term:
    """The variable of the binder that is `index` binders further out."""
    assert index >= 0
    return interned("bound", (), sort, index)


def var(name: str | Name, sort: Sort) -> Term:
    """The variable with this name. A string is the name of a variable of the program, the first of that name in its function."""
    return interned("var", (), sort, Name(Origin.PROGRAM, name, 1) if type(name) is str else name)


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
    """A function of terms, and of tuples of terms, whose results are cached. It accepts exactly these types: an object of another
    type could claim to be equal to a term, and would get that term's result."""

    def decorate(f: F) -> F:
        cached = lru_cache(size)(f)

        @wraps(f)
        def look(*args: Any) -> Any:
            for a in args:
                if type(a) is not Term and (type(a) is not tuple or not ONLY_TERM.issuperset(map(type, a))):
                    raise TypeError("something else than terms")
            return cached(*args)

        vars(look)["cache_clear"] = cached.cache_clear
        return cast(F, look)

    return decorate


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


def subterms_with(t: Term, *ops: str) -> list[Term]:
    """The subterms with one of these operators, each once, in the order of `subterms`."""
    wanted = frozenset(ops)
    if wanted.isdisjoint(t.ops):
        return []
    seen, stack, out = {t}, [t], []
    while stack:
        x = stack.pop()
        if x.op in wanted:
            out.append(x)
        for a in x.parts:
            if a not in seen and not wanted.isdisjoint(a.ops):
                seen.add(a)
                stack.append(a)
    return out
