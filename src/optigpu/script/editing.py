"""Places in a program, and editing at them without changing anything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from optigpu.syntax.program import Body, Function, Include, Program, Stmt, TopLevel
from optigpu.syntax.source import NO_ID, NOWHERE, StatementId
from optigpu.syntax.walk import inner_bodies, map_bodies

# From the function's body inwards: which of the bodies of the statement above (an `if` has two), and the position in it.
Path = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class StatementPath:
    """A statement of a program; as a position, the point before it (so it may be one past the last)."""

    function: str
    path: Path

    @property
    def index(self) -> int:
        return self.path[-1][1]

    @property
    def parent(self) -> StatementPath:
        """The statement whose body this one is in."""
        return StatementPath(self.function, self.path[:-1])

    def sibling(self, offset: int) -> StatementPath:
        which, index = self.path[-1]
        return StatementPath(self.function, (*self.path[:-1], (which, index + offset)))

    def child(self, index: int, which: int = 0) -> StatementPath:
        return StatementPath(self.function, (*self.path, (which, index)))

    def ancestors(self) -> list[StatementPath]:
        """The statements around this one, outermost first."""
        return [StatementPath(self.function, self.path[:n]) for n in range(1, len(self.path))]

    def inside(self, other: StatementPath) -> bool:
        n = len(other.path)
        return self.function == other.function and len(self.path) > n and self.path[:n] == other.path


def statements_of(f: Function) -> Iterator[tuple[StatementPath, Stmt]]:
    """Every statement with its place, in program order."""

    def walk(body: Body, path: Path, which: int) -> Iterator[tuple[StatementPath, Stmt]]:
        for i, s in enumerate(body):
            here = (*path, (which, i))
            yield StatementPath(f.name, here), s
            for n, inner in enumerate(inner_bodies(s)):
                yield from walk(inner, here, n)

    return walk(f.body, (), 0)


def function_at(program: Program, place: StatementPath) -> Function:
    return program.function(place.function)


def statement_at(program: Program, place: StatementPath) -> Stmt:
    body = function_at(program, place).body
    statement: Stmt | None = None
    for which, index in place.path:
        if statement is not None:
            body = inner_bodies(statement)[which]
        statement = body[index]
    assert statement is not None
    return statement


def is_place(program: Program, place: StatementPath) -> bool:
    """Is there such a statement, or the end of such a body?"""
    if all(f.name != place.function for f in program.functions()) or not place.path:
        return False
    try:
        return 0 <= place.index <= len(body_around(program, place))
    except IndexError:
        return False


def body_around(program: Program, place: StatementPath) -> Body:
    """The body that a place is in."""
    if len(place.path) == 1:
        return function_at(program, place).body
    return inner_bodies(statement_at(program, place.parent))[place.path[-1][0]]


def edit_body(program: Program, place: StatementPath, change: Callable[[Body], Body]) -> Program:
    """Change the body that a place is in."""

    def walk(body: Body, path: Path) -> Body:
        if len(path) == 1:
            return change(body)
        (_, index), (which, _) = path[0], path[1]
        bodies = list(inner_bodies(body[index]))
        bodies[which] = walk(bodies[which], path[1:])
        numbered = iter(bodies)
        new = map_bodies(body[index], lambda _: next(numbered))
        return (*body[:index], new, *body[index + 1 :])

    return edit_function(program, place.function, lambda f: replace(f, body=walk(f.body, place.path)))


def edit_function(program: Program, name: str, change: Callable[[Function], Function]) -> Program:
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


def replace_at(program: Program, place: StatementPath, *new: Stmt) -> Program:
    """Put statements in the place of one."""
    i = place.index
    return edit_body(program, place, lambda body: (*body[:i], *new, *body[i + 1 :]))


def insert_at(program: Program, place: StatementPath, *new: Stmt) -> Program:
    """Put statements before a place."""
    i = place.index
    return edit_body(program, place, lambda body: (*body[:i], *new, *body[i:]))


def assign_ids(program: Program, step: int) -> Program:
    """Give every statement an id of its own: new ones the place they stand in, copies an id that knows its original."""
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
            program = edit_function(program, f.name, lambda g, new=new: replace(g, body=new))  # type: ignore[misc]
    return program
