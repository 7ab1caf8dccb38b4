"""Paths of statements in a program, and edits at a path that change nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.program import Body, Function, Include, Program, Stmt, TopLevel
from optigpu.syntax.source import NO_ID, NOWHERE, StatementId
from optigpu.syntax.walk import inner_bodies, map_bodies

# From the function's body inwards: which of the bodies of the statement above (an `if` has two), and the position in it.
Positions = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class StatementPath:
    """Where a statement is in a program. As an insertion point it is the point before it, so it may be one past the last."""

    function: str
    positions: Positions

    @property
    def index(self) -> int:
        """The position in the body."""
        return self.positions[-1][1]

    @property
    def is_top_level(self) -> bool:
        """Is it directly in the body of the function?"""
        return len(self.positions) < 2

    @property
    def parent(self) -> StatementPath:
        """The statement whose body this one is in."""
        return StatementPath(self.function, self.positions[:-1])

    def sibling(self, offset: int) -> StatementPath:
        branch, index = self.positions[-1]
        return StatementPath(self.function, (*self.positions[:-1], (branch, index + offset)))

    def child(self, index: int, branch: int = 0) -> StatementPath:
        return StatementPath(self.function, (*self.positions, (branch, index)))

    def ancestors(self) -> list[StatementPath]:
        """The statements around this one, outermost first."""
        return [StatementPath(self.function, self.positions[:n]) for n in range(1, len(self.positions))]

    def inside(self, other: StatementPath) -> bool:
        n = len(other.positions)
        return self.function == other.function and len(self.positions) > n and self.positions[:n] == other.positions

    def branch_of(self, ancestor: StatementPath) -> int:
        """Which body of a statement around it this one is in: 1 for the else branch of an `if`, else 0."""
        return self.positions[len(ancestor.positions)][0]


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a program: what is inside a statement, or in one branch of it; with `itself`, also the statement."""

    around: StatementPath
    branch: int | None = None
    itself: bool = False

    def __contains__(self, path: StatementPath) -> bool:
        if path == self.around:
            return self.itself
        return path.inside(self.around) and self.branch in (None, path.branch_of(self.around))


def statements_of(f: Function) -> Iterator[tuple[StatementPath, Stmt]]:
    """Every statement with its path, in program order."""

    def walk(body: Body, positions: Positions, branch: int) -> Iterator[tuple[StatementPath, Stmt]]:
        for i, s in enumerate(body):
            here = (*positions, (branch, i))
            yield StatementPath(f.name, here), s
            for n, inner in enumerate(inner_bodies(s)):
                yield from walk(inner, here, n)

    return walk(f.body, (), 0)


def function_at(program: Program, path: StatementPath) -> Function:
    return program.function(path.function)


def statement_at(program: Program, path: StatementPath) -> Stmt:
    body = function_at(program, path).body
    statement: Stmt | None = None
    for branch, index in path.positions:
        if statement is not None:
            body = inner_bodies(statement)[branch]
        statement = body[index]
    assert statement is not None
    return statement


def is_valid_path(program: Program, path: StatementPath) -> bool:
    """Does the program have such a statement, or the end of such a body?"""
    if all(f.name != path.function for f in program.functions()) or not path.positions:
        return False
    try:
        return 0 <= path.index <= len(body_around(program, path))
    except IndexError:
        return False


def body_around(program: Program, path: StatementPath) -> Body:
    """The body that a statement is in."""
    if path.is_top_level:
        return function_at(program, path).body
    return inner_bodies(statement_at(program, path.parent))[path.positions[-1][0]]


def edit_body(program: Program, path: StatementPath, change: Callable[[Body], Body]) -> Program:
    """Change the body that a statement is in."""

    def walk(body: Body, positions: Positions) -> Body:
        if len(positions) == 1:
            return change(body)
        (_, index), (branch, _) = positions[0], positions[1]
        bodies = list(inner_bodies(body[index]))
        bodies[branch] = walk(bodies[branch], positions[1:])
        numbered = iter(bodies)
        new = map_bodies(body[index], lambda _: next(numbered))
        return (*body[:index], new, *body[index + 1 :])

    return edit_function(program, path.function, lambda f: replace(f, body=walk(f.body, path.positions)))


def edit_function(program: Program, name: str, change: Callable[[Function], Function]) -> Program:
    """Change a function, also one of an included file. What does not change stays the same object."""

    def walk(items: tuple[TopLevel, ...]) -> tuple[TopLevel, ...]:
        out: list[TopLevel] = []
        for item in items:
            if isinstance(item, Include):
                inner = walk(item.items)
                item = item if inner is item.items else replace(item, items=inner)
            elif isinstance(item, Function) and item.name == name:
                item = change(item)
            out.append(item)
        return items if all(a is b for a, b in zip(items, out)) else tuple(out)

    return replace(program, items=walk(program.items))


def replace_at(program: Program, path: StatementPath, *new: Stmt) -> Program:
    """Replace one statement by others."""
    i = path.index
    return edit_body(program, path, lambda body: (*body[:i], *new, *body[i + 1 :]))


def insert_at(program: Program, path: StatementPath, *new: Stmt) -> Program:
    """Insert statements before a point."""
    i = path.index
    return edit_body(program, path, lambda body: (*body[:i], *new, *body[i:]))


def without_statement(program: Program, statement: Stmt) -> Program:
    """Remove a statement, found by identity."""
    for f in program.functions():
        for path, s in statements_of(f):
            if s is statement:
                return replace_at(program, path)
    return program


def assign_ids(program: Program, step: int) -> Program:
    """Give every statement an id of its own. A new statement gets the source place of the statement around it, a copy refers to the
    id of its original."""
    seen: set[StatementId] = set()

    def body(b: Body, around: StatementId) -> Body:
        out = [statement(s, around) for s in b]
        return b if all(x is y for x, y in zip(b, out)) else tuple(out)

    def statement(s: Stmt, around: StatementId) -> Stmt:
        statement_id = s.id
        if statement_id is NO_ID:
            statement_id = StatementId(around.origin(), step)
        elif statement_id in seen:
            statement_id = StatementId(NOWHERE, step, statement_id)
        seen.add(statement_id)
        s = s if statement_id is s.id else replace(s, id=statement_id)
        return map_bodies(s, lambda b: body(b, statement_id))

    for f in program.functions():
        new = body(f.body, StatementId(f.loc))
        if new is not f.body:
            program = _with_body(program, f.name, new)
    return program


def _with_body(program: Program, function: str, body: Body) -> Program:
    return edit_function(program, function, lambda f: replace(f, body=body))
