"""Transformations of single statements: `s.instr`."""

from __future__ import annotations

from optigpu.script.editing import StatementPath, insert_at, replace_at, without_statement
from optigpu.script.handles import Handle, find_statement
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.program import Block, Body, Stmt
from optigpu.transform.step_results import InsertedStatements, handles_from
from optigpu.transform.tools.c_text import statements_from, without_ids
from optigpu.transform.tools.insertion_points import insertion_point
from optigpu.transform.tools.refusal import refuse


@transformation
def insert(
    session: Session, text: str, *, before: TargetLike | None = None, after: TargetLike | None = None
) -> InsertedStatements:
    """Insert statements, written as C.

    Before:
        a[0] = 0.0f;
    Step: s.instr.insert("b[0] = 1.0f;", after=Write("a"))
    After:
        a[0] = 0.0f;
        b[0] = 1.0f;

    Needs: text that is valid C at that point. Fails: when the program no longer satisfies its contract.
    Returns: `statements`, all of them. As a target, the first one.
    """
    path = insertion_point(session, before, after)
    new = _written(text)
    session.insert(path, *new)
    return _inserted(session, path, len(new))


@transformation
def delete(session: Session, target: TargetLike) -> None:
    """Delete a statement.

    Before:
        a[0] = 1.0f;
        a[0] = 0.0f;
    Step: s.instr.delete(Write("a").first)
    After:
        a[0] = 0.0f;

    Needs: a target. Fails: when the program needs the statement.
    """
    session.put(session.find(target, "write"))


@transformation
def move(
    session: Session, target: TargetLike, *, before: TargetLike | None = None, after: TargetLike | None = None
) -> Handle:
    """Move a statement.

    Before:
        a[0] = 0.0f;
        b[0] = 1.0f;
    Step: s.instr.move(Write("b"), before=Write("a"))
    After:
        b[0] = 1.0f;
        a[0] = 0.0f;

    Needs: a target, and a point that is not inside it. Fails: when the result depends on the order.
    Returns: the statement.
    """
    source = session.find(target, "any")
    point = insertion_point(session, before, after)
    if point.inside(source) or point == source:
        raise refuse("a statement cannot be moved into itself", session.at(source))
    s = session.at(source)
    hole: Stmt = Block(())  # keeps the position of the statement until it is inserted at the point
    program = insert_at(replace_at(session.program, source, hole), point, s)
    session.update(without_statement(program, hole))
    return session.handle(find_statement(session.program, s.id))


@transformation
def copy(
    session: Session, target: TargetLike, *, before: TargetLike | None = None, after: TargetLike | None = None
) -> Handle:
    """Copy a statement to another point.

    Before:
        a[0] = 0.0f;
        b[0] = 1.0f;
    Step: s.instr.copy(Write("a"), after=Write("b"))
    After:
        a[0] = 0.0f;
        b[0] = 1.0f;
        a[0] = 0.0f;

    Needs: a target. Fails: when executing the statement a second time changes the result.
    Returns: the copy.
    """
    s = session.at(session.find(target, "any"))
    point = insertion_point(session, before, after)
    session.insert(point, without_ids(s))
    return session.handle(point)


@transformation
def replace(session: Session, target: TargetLike, text: str) -> InsertedStatements:
    """Replace a statement by others, written as C.

    Before:
        a[0] = b[0] + b[0];
    Step: s.instr.replace(Write("a"), "a[0] = 2.0f * b[0];")
    After:
        a[0] = 2.0f * b[0];

    Needs: text that is valid C there. Fails: when the result changes.
    Returns: `statements`, all of them. As a target, the first one.
    """
    path = session.find(target, "write")
    new = _written(text)
    session.put(path, *new)
    return _inserted(session, path, len(new))


def _written(text: str) -> Body:
    new = statements_from(text)
    if not new:
        raise refuse("there is no statement in the text", code="OG604", help="s.instr.delete removes a statement")
    return new


def _inserted(session: Session, path: StatementPath, count: int) -> InsertedStatements:
    return InsertedStatements(session, session.at(path).id, handles_from(session, path, count))
