"""Barriers of a block: inserted where the checker reports a race, removed where the program verifies without them."""

from __future__ import annotations

from optigpu.check.verdict import Verdict
from optigpu.errors.problem import Problem
from optigpu.logic.names import source_name
from optigpu.script.editing import StatementPath, insert_at, statements_of
from optigpu.script.session import Session
from optigpu.script.targets import Call as CallTarget
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Array, Call
from optigpu.syntax.program import CallStmt, Decl, For, Mode, Stmt, is_call
from optigpu.syntax.source import StatementId
from optigpu.syntax.types import Space
from optigpu.syntax.walk import statements

REPAIRABLE_RACES = (
    "OG340",
    "OG341",
    "OG342",
    "OG343",
    "OG344",
    "OG352",
)  # a barrier of the block may order the threads
MAX_BARRIERS_INSERTED = 12


@transformation
def remove_redundant_barriers(session: Session) -> int:
    """Remove every barrier of a block without which the program still verifies; returns how many were removed.

    Before:
        kernel_launch(1, 32, 0);
        kernel_setup_end();
        blocksync();
        kernel_teardown_begin();
        kernel_kill();
    Step: s.gpu.remove_redundant_barriers()
    After:
        kernel_launch(1, 32, 0);
        kernel_setup_end();
        kernel_teardown_begin();
        kernel_kill();

    Needs: a verified program. Fails: never.
    """
    removed = 0
    for path in reversed(session.find_all(CallTarget("blocksync"))):
        before = session.program
        session.put(path)
        if _first_problem(session) is None:
            removed += 1
        else:
            session.program = before
    return removed


def insert_barriers(session: Session, nest: StatementId) -> None:
    """Insert a barrier where the checker reports that threads of a block are not ordered, until it reports no such race."""
    for _ in range(MAX_BARRIERS_INSERTED):
        problem = _first_problem(session)
        if problem is None or problem.code not in REPAIRABLE_RACES or not problem.statement:
            return
        f = next(f for f in session.program.functions() if any(s.id is nest for s in statements(f.body)))
        numbered = [path for path, _ in statements_of(f)]
        if problem.statement > len(numbered) or not _repair(session, problem, numbered[problem.statement - 1]):
            return


def _repair(session: Session, problem: Problem, path: StatementPath) -> bool:
    """Insert a barrier that removes a race at a statement. Outer points are tried first, since a barrier runs least often there."""
    before = session.program
    s = session.at(path)
    at_end_of_loop = problem.code == "OG352" and isinstance(s, For)
    points = [path.child(len(s.body))] if at_end_of_loop and isinstance(s, For) else _barrier_points(session, path)
    for point in points:
        session.update(insert_at(before, point, CallStmt(Call("blocksync", ()))))
        left = _first_problem(session)
        if left is None or left.code not in REPAIRABLE_RACES or _statement_of(session, left) != s.id:
            session.reasons[session.at(point).id] = _reason(problem)
            return True
        session.program = before
    return False


def _reason(problem: Problem) -> str:
    base = source_name(problem.array)
    return f"`{base}` is complete before other threads use it" if base else "shared memory is no longer in use"


def _statement_of(session: Session, problem: Problem) -> StatementId | None:
    """The statement that a problem is about."""
    for f in session.program.functions():
        ids = [s.id for s in statements(f.body)]
        if f.name == problem.function and 0 < problem.statement <= len(ids):
            return ids[problem.statement - 1]
    return None


def _first_problem(session: Session) -> Problem | None:
    result = session.verifier.verify(session.program)
    failed = [f for f in result.functions if f.verdict is not Verdict.VERIFIED]
    return failed[0].problem if failed else None


def _barrier_points(session: Session, path: StatementPath) -> list[StatementPath]:
    """Points at block level before a statement, outermost first; then the ends of the bodies of the loops around it."""
    before: list[StatementPath] = []
    ends: list[StatementPath] = []
    for p in [*path.ancestors(), path]:
        s, body = session.at(p), session.around(p)
        around = None if p.is_top_level else session.at(p.parent)
        if around is not None and not _is_thread_code(around) and not _is_block_code(s):
            if p.index == 0 or not is_call(body[p.index - 1], "blocksync"):
                before.append(p)
            if isinstance(around, For) and around.mode is not Mode.THREAD and not is_call(body[-1], "blocksync"):
                ends.append(p.sibling(len(body) - p.index))
        if _is_thread_code(s):
            break
    return before + ends


def _is_thread_code(s: Stmt) -> bool:
    """Is this a thread loop whose body is run by single threads?"""
    return isinstance(s, For) and s.mode is Mode.THREAD and not _has_block_level(s)


def _is_block_code(s: Stmt) -> bool:
    """Is this a thread loop whose body is run by whole blocks?"""
    return isinstance(s, For) and s.mode is Mode.THREAD and _has_block_level(s)


def _has_block_level(loop: For) -> bool:
    """Is the body of a loop run by a whole block? It declares shared memory, has barriers, or several nests of thread loops."""
    inner = [s for s in loop.body if not isinstance(s, Decl)]
    if any(isinstance(s, Decl) and isinstance(s.type, Array) and s.type.space is Space.SMEM for s in loop.body):
        return True
    if any(is_call(s, "blocksync") for s in inner):
        return True
    nests = [s for s in inner if any(isinstance(x, For) and x.mode is Mode.THREAD for x in statements((s,)))]
    if len(nests) > 1:
        return True
    return (
        len(nests) == 1
        and isinstance(nests[0], For)
        and (nests[0].mode is not Mode.THREAD or _has_block_level(nests[0]))
    )
