"""Proof states as text: `t[i][j] for i in 0..32, j in 0..32 = A(32 * by + i, j)`."""

from __future__ import annotations

from optigpu.kernel import State
from optigpu.kernel.context import NOWHERE
from optigpu.kernel.instructions import HOST_MEMORY, REGISTER
from optigpu.kernel.side_conditions import terms_of
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.cells import READ, CellFamily, Terms
from optigpu.logic.facts import Facts
from optigpu.logic.names import Origin, source_name
from optigpu.logic.terms import INT, TRUE, Term, instantiate
from optigpu.report.term_text import TermPrinter, is_range_of_type
from optigpu.search.content_names import readable

MOST_FACTS = 12
LONGEST_VALUE = 400  # characters; longer values are cut


@dataclass(frozen=True, slots=True)
class Permission:
    """`cells` with their ranges; `contents`: `= value`, or in words; `read`: read-only."""

    read: bool
    cells: str
    contents: str

    def __str__(self) -> str:
        gap = " " if self.contents.startswith("=") else ": "
        return f"{'read ' if self.read else ''}{self.cells}{gap}{self.contents}"


@dataclass(frozen=True, slots=True)
class Held:
    """Permissions and facts at one point; writable permissions first."""

    permissions: tuple[Permission, ...]
    facts: tuple[str, ...]


class PermissionWriter:
    """Prints proof states. Texts are cached, since neighbouring states are mostly equal."""

    def __init__(self) -> None:
        self._printers: dict[tuple[tuple[str, str], ...], _PointPrinter] = {}
        self._empty: dict[tuple[Facts, CellFamily], bool] = {}

    def held(self, state: State) -> Held:
        state = readable(state)
        scope = _scope(state)
        key = tuple(sorted((str(v.data), name) for v, name in scope.names.items()))
        printer = self._printers.get(key)
        if printer is None:
            printer = self._printers[key] = _PointPrinter(scope)
        families = sorted(state.held.values(), key=lambda f: f.share == READ)
        permissions = [printer.permission(f, state) for f in families if not self._is_empty(f, state.facts)]
        texts = {printer.fact(p) for p in state.facts.items if not is_range_of_type(p)}
        facts = sorted(
            (t for t in texts if t.replace(">=", ">") == t or t.replace(">=", ">") not in texts), key=_short_first
        )
        equations = [f"{name} = {printer.show(value)}" for name, value in scope.defined]
        unique = dict.fromkeys(permissions)
        return Held(tuple(unique), tuple([*equations, *(t for t in facts if len(t) < 90)][:MOST_FACTS]))

    def _is_empty(self, f: CellFamily, facts: Facts) -> bool:
        """Whether a permission is not worth a line: it has no cells, as after a loop took all of them, or its cells can be neither
        read nor written."""
        if f.share == READ and f.init is k.FALSE:
            return True
        if f.cells.where is TRUE:
            return False
        empty = self._empty.get((facts, f))
        if empty is None:
            xs = _binders(f)
            ranges = replace(f.cells, where=TRUE).domain(xs)
            empty = facts.assume(ranges).proves(k.not_(instantiate(f.cells.where, xs)))
            self._empty[facts, f] = empty
        return empty


def _short_first(text: str) -> tuple[int, str]:
    return len(text), text


@dataclass(frozen=True, slots=True)
class _Scope:
    """The names of variables at a point. For a loop that does not count up by one, the proof uses the iteration number: it is
    expressed by the loop index if possible (`written`), else named as the index with a prime, and `defined` gives the index.
    """

    names: dict[Term, str]
    written: dict[Term, Term]
    defined: list[tuple[str, Term]]


def _scope(state: State) -> _Scope:
    scope = _Scope({}, {}, [])
    for x, value in state.env.items():
        name = x.data.display
        if value.op == "var" and value.data.display == name:
            scope.names[value] = name
            continue
        number = next((v for v in value.free if v.sort is INT and _local_name(v) == str(x.data)), None)
        if number is None:
            continue
        c = k.coefficients(value).get((number,), 0)
        rest = k.sub(value, k.scale(c, number))
        if c in (1, -1) and number not in rest.free:
            index = k.placeholder(f"{name}_index", 0, INT)
            scope.names[index] = name
            scope.written[number] = k.scale(c, k.sub(index, rest))
        else:
            scope.names[number] = f"{name}′"
            scope.defined.append((name, value))
    free = {v for f in state.held.values() for t in (*terms_of(f.cells), f.value, f.init) for v in t.free}
    for v in sorted(free - scope.names.keys(), key=lambda v: str(v.data)):
        if v.data.age == (0, 0):
            scope.names[v] = v.data.display
    return scope


def _local_name(v: Term) -> str:
    """What the function calls the variable or the base that v is of."""
    return str(v.data.stem if v.data.origin is Origin.RULE else v.data)


def _binders(f: CellFamily) -> Terms:
    return tuple(k.placeholder("i", n, INT) for n in range(f.cells.arity))


class _PointPrinter:
    def __init__(self, scope: _Scope) -> None:
        self.scope = scope
        self.texts: dict[CellFamily, Permission] = {}
        self.facts: dict[Term, str] = {}

    def printer(self) -> TermPrinter:
        """A printer with fresh names for bound variables."""
        printer = TermPrinter()
        for v, name in self.scope.names.items():
            printer.names[v] = name
            printer.taken[name] = v
        for name, value in self.scope.defined:
            printer.taken[name] = value
        return printer

    def written(self, t: Term) -> Term:
        return k.substitute(t, self.scope.written) if self.scope.written else t

    def show(self, t: Term) -> str:
        return self.printer().show(self.written(t))

    def fact(self, p: Term) -> str:
        if p not in self.facts:
            self.facts[p] = self.show(p)
        return self.facts[p]

    def permission(self, f: CellFamily, state: State) -> Permission:
        permission = self.texts.get(f)
        if permission is None:
            printer = self.printer()
            cells = replace(f.cells.substitute(self.scope.written), base=source_name(f.cells.base))
            text = printer.cells(cells)
            contents = self.contents(f, state, printer) + self.owner(f, state, printer)
            permission = self.texts[f] = Permission(f.share == READ, text, contents)
        return permission

    def owner(self, f: CellFamily, state: State, printer: TermPrinter) -> str:
        """The threads of the current group that may access the cells, until a barrier if they are no registers; nothing if all
        may."""
        if f.owner is None:
            return ""
        xs = _binders(f)
        inside, owner = state.facts.assume(f.cells.domain(xs)), f.owner.at(xs)
        start, size = (self.written(inside.simplify(t)) for t in (owner.start, owner.size))
        if NOWHERE in start.free:
            owners = "an iteration" if start is NOWHERE else "iterations, in part,"
            return f", owned by {owners} of a magic thread loop until a magic barrier"
        threads = f"thread {printer.show(start)}"
        if size is not k.ONE:
            threads = f"threads {printer.show(start, 5)}..+{printer.show(size, 5)}"
        if state.bases[f.cells.base].space == REGISTER:
            return f", in a register of {threads}"
        barrier = "a magic barrier" if state.bases[f.cells.base].space == HOST_MEMORY else "a barrier"
        return f", owned by {threads} until {barrier}"

    def contents(self, f: CellFamily, state: State, printer: TermPrinter) -> str:
        if f.init is k.FALSE:
            return "uninitialised"
        xs = _binders(f)
        inside = state.facts.assume(f.cells.domain(xs))
        init = inside.simplify(f.init_at(xs))
        init = TRUE if inside.proves(init) else init
        value = inside.assume(init).simplify(f.value_at(xs))
        if any(_local_name(v) in state.bases for v in value.free):
            text = "holds something"
        else:
            text = f"= {printer.show(self.written(value))}"
            text = text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
        return text if init is TRUE else f"{text} where {printer.show(self.written(init))}, else uninitialised"
