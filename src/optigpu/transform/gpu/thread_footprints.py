"""Footprints: which cells of shared and global memory each thread of a block reads and writes in one statement.

A statement at block level is executed on sampled values (`sampled_values.py`): by every thread for its writes, by a few threads for
their reads. Accesses whose cell depends on memory are left out, and a condition that is not exact counts as true. Nothing rests on
it: the checker decides.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import field

from optigpu.light_dataclass import dataclass
from optigpu.syntax.exprs import Expr, Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Assert, Block, Body, Decl, For, Ghost, GhostEnd, If, Mode, Stmt, Store
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import inner_bodies, subexpressions
from optigpu.transform.gpu.sampled_values import Environment, SampledScope, Value, compiled, iterations

Cell = tuple[int, ...]
MAX_THREADS = 1024
MAX_ITERATIONS, MAX_SAMPLED_ITERATIONS = 64, 3  # of one loop inside a thread
MAX_ACCESSES = 100_000  # of a statement: what comes later is left out
FRAGMENT_GROUP = 128  # threads that have fragments together, as a guess
FRAGMENT_ENDS, ROW_STEP = (
    4,
    37,
)  # which rows and columns are looked at; threads between those of adjacent rows, as a guess
SEVERAL = -1  # the writer of a cell that several threads write
THREAD = "#thread"  # in the environment: the number of the current thread, or of the current group of threads


class _TooManyAccesses(Exception):
    pass


@dataclass(slots=True)
class Footprint:
    """Of one execution of a statement by a block: who writes each cell of each array, and who reads it."""

    writes: dict[str, dict[Cell, int]] = field(default_factory=dict)
    reads: dict[str, dict[Cell, set[int]]] = field(default_factory=dict)
    accesses: int = 0

    def arrays(self) -> set[str]:
        return {*self.writes, *self.reads}

    def note(self, array: str, cell: Cell, thread: int, write: bool) -> None:
        self.accesses += 1
        if self.accesses > MAX_ACCESSES:
            raise _TooManyAccesses
        if not write:
            self.reads.setdefault(array, {}).setdefault(cell, set()).add(thread)
            return
        writers = self.writes.setdefault(array, {})
        writers[cell] = thread if writers.get(cell, thread) == thread else SEVERAL

    def conflict(self, later: Footprint) -> str | None:
        """An array of which different threads access a cell here and later, one of them to write it."""
        for array in (*later.reads, *later.writes):
            here, there = self.writes.get(array, {}), later.writes.get(array, {})
            if _written_by_others(here, there) or _read_by_others(here, later.reads.get(array, {})):
                return array
            if _read_by_others(there, self.reads.get(array, {})):
                return array
        return None


def _written_by_others(writers: dict[Cell, int], later: dict[Cell, int]) -> bool:
    return any(cell in writers and (writers[cell] != w or w == SEVERAL) for cell, w in later.items())


def _read_by_others(writers: dict[Cell, int], readers: dict[Cell, set[int]]) -> bool:
    return any(cell in writers and threads != {writers[cell]} for cell, threads in readers.items())


Run = Callable[[Environment, Footprint], None]


@dataclass(frozen=True, slots=True)
class Action:
    """Accesses of a statement, or the definition of a name that later ones need; `names`: what it depends on."""

    run: Run
    names: frozenset[str]
    defined: str | None = None


class Footprints:
    """The footprints of a statement on these arrays. They depend on the values of `names` alone."""

    def __init__(self, s: Stmt, scope: SampledScope, arrays: frozenset[str]) -> None:
        self.arrays = arrays
        self.threads = threads_of(s, scope)
        self.readers = {0, 1, 2, 31, 32, 33, self.threads // 2, self.threads - 1}
        self.actions = [
            *self._statement(s, scope, self.threads, reads=False),
            *self._statement(s, scope, self.threads, reads=True),
        ]
        self.names = _names(self.actions)

    def at(self, env: Environment) -> Footprint:
        """The footprint for these values of the names around the statement."""
        footprint = Footprint()
        inner = Environment(env)
        inner[THREAD] = 0
        with suppress(_TooManyAccesses, ArithmeticError):
            for action in self.actions:
                action.run(inner, footprint)
        return footprint

    def _body(self, body: Body, scope: SampledScope, threads: int, reads: bool) -> list[Action]:
        """The actions of statements in their order, which a group of this many threads executes; none if they access nothing."""
        actions: list[Action] = []
        assigned = assigned_names(body)
        for s in body:
            actions += self._statement(s, scope, threads, reads)
            if isinstance(s, Decl):
                init = s.init if isinstance(s.type, Scalar) and s.name not in assigned else None
                value = None if init is None else compiled(init, scope)
                scope = scope.declare(s.name, init)
                if value is not None and init is not None:
                    actions.append(Action(_definition(s.name, value), frozenset(free_vars(init)), s.name))
        return _without_unused(actions)

    def _statement(self, s: Stmt, scope: SampledScope, threads: int, reads: bool) -> list[Action]:
        if isinstance(s, Ghost | GhostEnd | Assert):
            return []
        own = self._accesses(s, scope, reads)
        match s:
            case For(range=r):
                group = threads // max(extent(s, scope), 1) if s.mode is Mode.THREAD else threads
                group = 1 if s.mode is Mode.FRAG else group
                limit = MAX_ITERATIONS if s.mode is Mode.SEQUENTIAL else MAX_THREADS
                values = iterations(s, scope, limit, MAX_SAMPLED_ITERATIONS)
                body = self._body(s.body, scope.declare(s.index, s.range.start), group, reads)
                if values is None or not body or group == 0:
                    return own
                names = _names(body) - {s.index} | free_vars(r.start) | free_vars(r.bound) | free_vars(r.amount)
                runs = [a.run for a in body]
                if s.mode is Mode.FRAG:
                    return [*own, Action(_fragment_loop(s.index, values, runs, threads > 1), names)]
                if s.mode is not Mode.THREAD:
                    return [*own, Action(_loop(s.index, values, runs), names)]
                chosen = {t // group for t in self.readers} if reads else None
                return [*own, Action(_thread_loop(s.index, values, runs, chosen), names)]
            case If(test, then, other):
                decided = compiled(test, scope) if scope.is_exact(test) else None
                yes, no = (self._body(b, scope, threads, reads) for b in (then, other))
                if not yes and not no:
                    return own
                names = _names(yes) | _names(no) | (frozenset() if decided is None else free_vars(test))
                return [*own, Action(_branch(decided, [a.run for a in yes], [a.run for a in no]), names)]
            case Block(inner):
                return [*own, *self._body(inner, scope, threads, reads)]
            case _:
                return own

    def _accesses(self, s: Stmt, scope: SampledScope, reads: bool) -> list[Action]:
        """The accesses of a statement itself, without those of nested statements."""
        if not reads:
            found = [s.target] if isinstance(s, Store) else []
        else:
            found = [x for e in _read_expressions(s) for x in subexpressions(e) if isinstance(x, Index)]
        out: list[Action] = []
        for x in found:
            if isinstance(x, Index) and isinstance(x.base, Var) and x.base.name in self.arrays:
                index = [compiled(i, scope) for i in x.indices]
                known = [i for i in index if i is not None]
                if len(known) == len(index):
                    names = frozenset[str]().union(*(free_vars(i) for i in x.indices))
                    out.append(Action(_access(x.base.name, known, not reads), names))
        return out


def _names(actions: list[Action]) -> frozenset[str]:
    """What actions in turn depend on, without what they define."""
    names: frozenset[str] = frozenset()
    for action in reversed(actions):
        names = names - {action.defined} | action.names
    return names


def _without_unused(actions: list[Action]) -> list[Action]:
    """The actions without definitions that no later one depends on."""
    kept: list[Action] = []
    for action in reversed(actions):
        if action.defined is None or action.defined in _names(kept[::-1]):
            kept.append(action)
    return kept[::-1]


def _read_expressions(s: Stmt) -> list[Expr]:
    match s:
        case Decl(init=init):
            return [] if init is None else [init]
        case Store(target, value, op):
            return [value, *([target] if op is not None else target.indices if isinstance(target, Index) else ())]
        case For(range=r):
            return [r.start, r.bound, r.amount]
        case If(test):
            return [test]
        case _:
            return []


def _access(array: str, index: list[Value], write: bool) -> Run:
    def action(env: Environment, footprint: Footprint) -> None:
        footprint.note(array, tuple([i(env) for i in index]), env[THREAD], write)

    return action


def _definition(name: str, value: Value) -> Run:
    def action(env: Environment, _: Footprint) -> None:
        env[name] = value(env)

    return action


def _loop(index: str, values: Callable[[Environment], list[int]], body: list[Run]) -> Run:
    def action(env: Environment, footprint: Footprint) -> None:
        for i in values(env):
            env[index] = i
            for inner in body:
                inner(env, footprint)

    return action


def _thread_loop(
    index: str, values: Callable[[Environment], list[int]], body: list[Run], chosen: set[int] | None
) -> Run:
    """A loop whose iterations are executed by different groups of threads, by the chosen ones alone if there are any."""

    def action(env: Environment, footprint: Footprint) -> None:
        group, numbers = env[THREAD], values(env)
        for n, i in enumerate(numbers):
            env[THREAD], env[index] = group * len(numbers) + n, i
            if chosen is None or env[THREAD] in chosen:
                for inner in body:
                    inner(env, footprint)
        env[THREAD] = group

    return action


def _fragment_loop(index: str, values: Callable[[Environment], list[int]], body: list[Run], rows: bool) -> Run:
    """A loop over rows of fragments, or over the columns of a row: by threads of a group, in a layout that stands for all. A few
    rows and columns show who reads what others write."""

    def action(env: Environment, footprint: Footprint) -> None:
        thread, numbers = env[THREAD], values(env)
        group, first = (thread, 0) if rows else divmod(thread, FRAGMENT_GROUP)
        for i in dict.fromkeys((*numbers[:FRAGMENT_ENDS], *numbers[-1:])):
            env[THREAD] = group * FRAGMENT_GROUP + (first + i * (ROW_STEP if rows else 1)) % FRAGMENT_GROUP
            env[index] = i
            for inner in body:
                inner(env, footprint)
        env[THREAD] = thread

    return action


def _branch(test: Value | None, then: list[Run], other: list[Run]) -> Run:
    """A condition; without a test, both branches count as executed."""

    def action(env: Environment, footprint: Footprint) -> None:
        taken = (*then, *other) if test is None else then if test(env) else other
        for inner in taken:
            inner(env, footprint)

    return action


def extent(loop: For, scope: SampledScope) -> int:
    """The number of iterations of a loop; 0 if it is not known."""
    r = loop.range
    values = iterations(loop, scope, MAX_THREADS + 1, 0)
    return len(values(Environment())) if values is not None and scope.is_exact(r.start, r.bound, r.amount) else 0


def threads_of(s: Stmt, scope: SampledScope) -> int:
    """The number of threads that execute a statement: that of the first nest of thread loops in it."""
    if isinstance(s, For) and s.mode is Mode.FRAG:
        return FRAGMENT_GROUP
    for body in inner_bodies(s):
        for x in body:
            inner = threads_of(x, scope)
            if inner:
                return inner * extent(s, scope) if isinstance(s, For) and s.mode is Mode.THREAD else inner
    return extent(s, scope) if isinstance(s, For) and s.mode is Mode.THREAD else 0
