"""Races of the threads of a block, found by executing its statements on sampled values.

The body of a block is executed statement by statement, loops for a few iterations. Accesses since the last barrier are pending; a
statement races if another thread's pending access conflicts with one of its own. Nothing rests on it: the checker decides.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import field

from optigpu.light_dataclass import dataclass, replace
from optigpu.script.editing import Positions
from optigpu.syntax.exprs import Array, Expr
from optigpu.syntax.program import Block, Body, Decl, For, If, Mode, Stmt, Store, is_call
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.source import StatementId
from optigpu.syntax.types import Scalar, Space
from optigpu.syntax.walk import root_name, statements
from optigpu.transform.gpu.sampled_values import Environment, SampledScope, compiled, iterations
from optigpu.transform.gpu.thread_footprints import Footprint, Footprints, threads_of
from optigpu.transform.tools.simplified import lit, up_to

ORDERING_CALLS = ("blocksync", "kernel_teardown_begin", "kernel_kill")
MAX_ITERATIONS, SAMPLED_ITERATIONS = 16, 3  # of a loop that a block executes

# When a statement is executed: its position in each body around it, and after that of a loop the number of the iteration.
Moment = tuple[tuple[int, int] | int, ...]


@dataclass(frozen=True, slots=True)
class BlockRace:
    """A race, and the point where a barrier removes it, from the block's body inwards. `array` is empty if shared memory goes out
    of scope while it is in use."""

    array: str
    point: Positions


@dataclass
class _Pending:
    """What the block did since the last barrier: accesses, and whether shared arrays went out of scope."""

    accesses: list[tuple[Moment, Footprint]] = field(default_factory=list)
    out_of_scope: bool = False

    def copy(self) -> _Pending:
        return _Pending([*self.accesses], self.out_of_scope)

    def clear(self) -> None:
        self.accesses, self.out_of_scope = [], False

    def add(self, other: _Pending) -> None:
        known = {m for m, _ in self.accesses}
        self.accesses += [(m, f) for m, f in other.accesses if m not in known]
        self.out_of_scope = self.out_of_scope or other.out_of_scope


class _Found(Exception):
    def __init__(self, race: BlockRace) -> None:
        self.race = race


class BlockRaces:
    """Finds races of a block's body. Footprints are remembered, since barriers do not change them. `at_end`: loops whose iterations
    a barrier orders at the end of the body."""

    def __init__(self, body: Body, constants: dict[str, Expr], at_end: Collection[str] = ()) -> None:
        self.at_end = at_end
        self.ends: dict[Positions, Positions] = {}  # the ends of the bodies of these loops, by the loop
        names = {s.name for s in statements(body) if isinstance(s, Decl) and not _is_shared(s)}
        names |= {s.index for s in statements(body) if isinstance(s, For)}
        written = {root_name(s.target) for s in statements(body) if isinstance(s, Store)}
        self.contended = frozenset(written - names)  # what threads share and write: nothing else can race
        self.assigned = assigned_names(body)
        self.executable: dict[StatementId, Footprints] = {}
        self.footprints: dict[tuple[StatementId, tuple[int, ...]], Footprint] = {}
        self.conflicts: dict[tuple[int, int], str | None] = {}  # by the identities of two footprints
        self.env, self.scope = Environment(), SampledScope()
        self.threads = max((threads_of(s, self.scope) for s in body), default=0)
        with suppress(ArithmeticError):
            for name, e in constants.items():
                self._define(name, e)

    def first(self, body: Body) -> BlockRace | None:
        """The first race of the body with the barriers that it has now."""
        env, scope = Environment(self.env), self.scope
        try:
            self._body(body, (), (), _Pending())
        except _Found as found:
            return found.race
        except ArithmeticError:  # the samples do not fit this program
            return None
        finally:
            self.env, self.scope = env, scope
        return None

    def _define(self, name: str, value: Expr | None) -> None:
        """Let a name have the value of an expression, as far as it is known."""
        known = None if value is None else compiled(value, self.scope)
        if known is not None:
            self.env[name] = known(self.env)
        self.scope = self.scope.declare(name, value)

    def _body(self, body: Body, around: Positions, moment: Moment, pending: _Pending, branch: int = 0) -> None:
        scope = self.scope
        for i, s in enumerate(body):
            self._statement(s, (*around, (branch, i)), (*moment, (branch, i)), pending)
        shared = {s.name for s in body if isinstance(s, Decl) and _is_shared(s)}
        if any(shared & f.arrays() for _, f in pending.accesses):
            pending.out_of_scope = True
        self.scope = scope

    def _statement(self, s: Stmt, path: Positions, moment: Moment, pending: _Pending) -> None:
        match s:
            case _ if is_call(s, *ORDERING_CALLS):
                pending.clear()
            case Decl(name, Scalar(), init):
                self._threads(self._by_all(s), path, moment, pending)
                self._define(name, None if name in self.assigned else init)
            case For() if s.mode is not Mode.THREAD and _has_threads(s):
                self._loop(s, path, moment, pending)
            case If(test, then, other) if _has_threads(s):
                self._branches(test, (then, other), path, moment, pending)
            case Block(body):
                self._body(body, path, moment, pending)
            case For(mode=Mode.THREAD):
                self._threads(s, path, moment, pending)
            case Store() | For() | If():
                self._threads(self._by_all(s), path, moment, pending)
            case _:
                pass

    def _by_all(self, s: Stmt) -> Stmt:
        """A statement that all threads of the block execute, as a loop over them."""
        return replace(up_to("thread", lit(max(self.threads, 1)), (s,)), mode=Mode.THREAD, id=s.id)

    def _loop(self, s: For, path: Positions, moment: Moment, pending: _Pending) -> None:
        values = iterations(s, self.scope, MAX_ITERATIONS, SAMPLED_ITERATIONS)
        scope, before = self.scope, pending.out_of_scope
        if s.index in self.at_end:
            self.ends[path] = (*path, (0, len(s.body)))
        for n, i in enumerate(values(self.env) if values is not None else (0, 1)):
            pending.out_of_scope = False
            self.scope = scope.declare(s.index, s.range.start)
            self.env[s.index] = i
            self._body(s.body, path, (*moment, n), pending)
            if pending.out_of_scope:
                raise _Found(BlockRace("", (*path, (0, len(s.body)))))
        self.scope = scope
        pending.out_of_scope = before

    def _branches(
        self, test: Expr, bodies: tuple[Body, Body], path: Positions, moment: Moment, pending: _Pending
    ) -> None:
        """Execute the branch that is taken, or both if that is not known."""
        decided = compiled(test, self.scope) if self.scope.is_exact(test) else None
        taken = (0, 1) if decided is None else (0,) if decided(self.env) else (1,)
        before = pending.copy()
        pending.clear()
        for n in taken:
            inside = before.copy()
            self._body(bodies[n], path, moment, inside, n)
            pending.add(inside)

    def _threads(self, s: Stmt, path: Positions, moment: Moment, pending: _Pending) -> None:
        """Execute a nest of thread loops. It races with the pending accesses that conflict with it."""
        footprint = self._footprint(s)
        racing = [(m, array) for m, f in pending.accesses if (array := self._conflict(f, footprint)) is not None]
        if racing:
            depth = max(_common(m, moment) for m, _ in racing)
            innermost = [m for m, _ in racing if _common(m, moment) == depth]
            end = self.ends.get(path[:depth]) if all(_is_carried(m, moment) for m in innermost) else None
            raise _Found(BlockRace(racing[0][1], end or path[: depth + 1]))
        pending.accesses.append((moment, footprint))

    def _conflict(self, earlier: Footprint, later: Footprint) -> str | None:
        key = id(earlier), id(later)
        if key not in self.conflicts:
            self.conflicts[key] = earlier.conflict(later)
        return self.conflicts[key]

    def _footprint(self, s: Stmt) -> Footprint:
        if s.id not in self.executable:
            self.executable[s.id] = Footprints(s, self.scope, self.contended)
        executable = self.executable[s.id]
        key = s.id, tuple(self.env[name] for name in sorted(executable.names & self.env.keys()))
        if key not in self.footprints:
            self.footprints[key] = executable.at(self.env)
        return self.footprints[key]


def _common(earlier: Moment, later: Moment) -> int:
    """How many statements around both moments there are, executed once for both: a barrier between has to be inside all of them.

    In a moment, positions in bodies are pairs, and iterations of loops are numbers.
    """
    common = 0
    for a, b in zip(earlier, later):
        if a != b:
            break
        common += isinstance(a, tuple)
    return common


def _is_carried(earlier: Moment, later: Moment) -> bool:
    """Are the moments in different iterations of one loop?"""
    return next((isinstance(a, int) for a, b in zip(earlier, later) if a != b), False)


def _is_shared(s: Decl) -> bool:
    return isinstance(s.type, Array) and s.type.space is Space.SMEM


def _has_threads(s: Stmt) -> bool:
    return any(isinstance(x, For) and x.mode is Mode.THREAD for x in statements((s,)))
