"""Barriers of a block: inserted where threads race, removed where the program verifies without them."""

from __future__ import annotations

from collections.abc import Collection

from optigpu.check.verdict import Verdict
from optigpu.errors.problem import Problem
from optigpu.logic.names import source_name
from optigpu.script.editing import StatementPath, insert_at, replace_at, statement_at, statements_of
from optigpu.script.session import Session
from optigpu.script.targets import Call as CallTarget
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Array, Call
from optigpu.syntax.macro_constants import constants_of
from optigpu.syntax.program import Body, CallStmt, Decl, For, Mode, Program, Stmt, is_call
from optigpu.syntax.source import StatementId
from optigpu.syntax.types import Space
from optigpu.syntax.walk import statements
from optigpu.transform.gpu.block_races import BlockRaces

REPAIRABLE_RACES = (
    "OG340",
    "OG341",
    "OG342",
    "OG343",
    "OG344",
    "OG352",
)  # a barrier of the block may order the threads
MISPLACED_BARRIERS = (*REPAIRABLE_RACES, "OG345", "OG346")  # these two: not all threads of the block run the barrier
MAX_BARRIERS_PLACED = 64  # in one pass
MAX_BARRIERS_INSERTED = 12  # one after the other


@transformation
def remove_redundant_barriers(session: Session) -> int:
    """Remove every barrier of a block without which the program still verifies.

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
    Returns: how many were removed.
    """
    session.do_before_check()
    barriers = [session.at(path) for path in reversed(session.find_all(CallTarget("blocksync")))]
    before = session.program
    unneeded = _without_needed(before, barriers)
    if not unneeded:
        return 0
    session.update(_without(before, unneeded))
    if _first_problem(session) is None:
        return len(unneeded)
    session.program = before
    removed = 0
    for barrier in unneeded:
        before = session.program
        session.update(_without(before, [barrier]))
        if _first_problem(session) is None:
            removed += 1
        else:
            session.program = before
    return removed


def _without_needed(program: Program, barriers: list[Stmt]) -> list[Stmt]:
    """The barriers without which there is no race on sampled values, each after those that come before it in the list."""
    constants = constants_of(program)
    unneeded: list[Stmt] = []
    races: dict[StatementPath, BlockRaces] = {}
    for barrier in barriers:
        f = next(f for f in program.functions() if any(s.id is barrier.id for s in statements(f.body)))
        path = next(p for p, s in statements_of(f) if s.id is barrier.id)
        around = [p for p in path.ancestors() if _is_thread_loop(statement_at(program, p))]
        smaller = _without(program, [barrier])
        body = _body_of(smaller, around[-1]) if around else smaller.function(f.name).body
        block = around[-1] if around else StatementPath(f.name, ())
        if races.setdefault(block, BlockRaces(body, constants)).first(body) is None:
            unneeded.append(barrier)
            program = smaller
    return unneeded


def _without(program: Program, removed: list[Stmt]) -> Program:
    for s in removed:
        path = next(p for f in program.functions() for p, x in statements_of(f) if x.id is s.id)
        program = replace_at(program, path)
    return program


def insert_barriers(session: Session, nest: StatementId, grid: Collection[str], at_end: Collection[str] = ()) -> None:
    """Insert barriers between accesses of different threads of a block to the same cells; for iterations of the loops `at_end`,
    at the end of their bodies.

    Races are looked for on sampled values. What the checker still reports at the end of the step or phase is repaired one race at
    a time.
    """
    placed = _place_barriers(session, nest, grid, at_end)
    session.before_check(lambda: _repair_placement(session, nest, placed))


def _repair_placement(session: Session, nest: StatementId, placed: Collection[StatementId]) -> None:
    """Insert the barriers that the checker misses; if some that were placed are wrong, all of them anew."""
    f = next((f for f in session.program.functions() if any(s.id is nest for s in statements(f.body))), None)
    if f is None:  # a later step removed the nest
        return
    others = {x: reason for x, reason in session.reasons.items() if x not in placed}
    _repair_races(session, f.name)
    left = _first_problem(session, f.name)
    if left is not None and left.code in MISPLACED_BARRIERS and placed:
        ours = session.reasons.keys() - others.keys()
        wrong = [s for g in session.program.functions() for s in statements(g.body) if s.id in ours]
        session.update(_without(session.program, wrong))
        session.reasons = others
        _repair_races(session, f.name)


def _place_barriers(
    session: Session, nest: StatementId, grid: Collection[str], at_end: Collection[str]
) -> Collection[StatementId]:
    """Insert barriers that remove all races on sampled values: each at the outermost point that suffices for the race that it was
    inserted for, and none that the others make redundant."""
    constants = constants_of(session.program)
    program, step = session.program, len(session.steps)
    reasons: dict[StatementId, str] = {}
    for block in _blocks(program, nest, grid):
        races = BlockRaces(_body_of(program, block), constants, at_end)
        placed: list[tuple[int, Stmt]] = []  # with the number of loops and conditions around it
        while (race := races.first(_body_of(program, block))) is not None and len(placed) < MAX_BARRIERS_PLACED:
            point = StatementPath(block.function, (*block.positions, *race.point))
            barrier = CallStmt(Call("blocksync", ()), id=StatementId(statement_at(program, point.parent).loc, step))
            program = insert_at(program, point, barrier)
            placed.append((len(race.point), barrier))
            reasons[barrier.id] = _reason(race.array)
        for _, redundant in sorted(placed, key=lambda p: -p[0]):
            fewer = _without(program, [redundant])
            if races.first(_body_of(fewer, block)) is None:
                program = fewer
                del reasons[redundant.id]
    if reasons:
        session.update(program)
        session.reasons |= reasons
    return reasons.keys()


def _blocks(program: Program, nest: StatementId, grid: Collection[str]) -> list[StatementPath]:
    """The loops of a nest whose bodies are run by whole blocks: the innermost loops of the grid."""
    found = [(p, s) for f in program.functions() for p, s in statements_of(f)]
    outer = next(p for p, s in found if s.id is nest)
    loops = [p for p, s in found if (p == outer or p.inside(outer)) and isinstance(s, For) and s.index in grid]
    return [p for p in loops if not any(q.inside(p) for q in loops)]


def _body_of(program: Program, loop: StatementPath) -> Body:
    s = statement_at(program, loop)
    return s.body if isinstance(s, For) else ()


def _repair_races(session: Session, function: str) -> None:
    """Insert a barrier where the checker reports that threads of a block are not ordered, until it reports no such race."""
    for _ in range(MAX_BARRIERS_INSERTED):
        problem = _first_problem(session, function)
        if problem is None or problem.code not in REPAIRABLE_RACES or not problem.statement:
            return
        numbered = [path for path, _ in statements_of(session.program.function(function))]
        if problem.statement > len(numbered) or not _repair(
            session, function, problem, numbered[problem.statement - 1]
        ):
            return


def _repair(session: Session, function: str, problem: Problem, path: StatementPath) -> bool:
    """Insert a barrier that removes a race at a statement. Outer points are tried first, since a barrier runs least often there."""
    before = session.program
    s = session.at(path)
    at_end_of_loop = problem.code == "OG352" and isinstance(s, For)
    points = [path.child(len(s.body))] if at_end_of_loop and isinstance(s, For) else _barrier_points(session, path)
    for point in points:
        session.update(insert_at(before, point, CallStmt(Call("blocksync", ()))))
        left = _first_problem(session, function)
        if left is None or left.code not in REPAIRABLE_RACES or _statement_of(session, function, left) != s.id:
            session.reasons[session.at(point).id] = _reason(source_name(problem.array))
            return True
        session.program = before
    return False


def _reason(array: str) -> str:
    return f"`{array}` is complete before other threads use it" if array else "shared memory is no longer in use"


def _statement_of(session: Session, function: str, problem: Problem) -> StatementId | None:
    """The statement of a function that a problem is about."""
    ids = [s.id for s in statements(session.program.function(function).body)]
    return ids[problem.statement - 1] if 0 < problem.statement <= len(ids) else None


def _first_problem(session: Session, function: str | None = None) -> Problem | None:
    """The first problem of a function, or of the program."""
    failed = [f for f in session.result.functions if f.verdict is not Verdict.VERIFIED and function in (None, f.name)]
    return failed[0].problem if failed else None


def _barrier_points(session: Session, path: StatementPath) -> list[StatementPath]:
    """Points at block level before a statement, outermost first; then the ends of the bodies of the loops around it."""
    before: list[StatementPath] = []
    ends: list[StatementPath] = []
    for p in [*path.ancestors(), path]:
        s, body = session.at(p), session.around(p)
        around = None if p.is_top_level else session.at(p.parent)
        in_kernel = any(_is_thread_loop(session.at(x)) for x in p.ancestors())
        if around is not None and in_kernel and not _is_thread_code(around) and not _is_block_code(s):
            if p.index == 0 or not is_call(body[p.index - 1], "blocksync"):
                before.append(p)
            if isinstance(around, For) and around.mode is not Mode.THREAD and not is_call(body[-1], "blocksync"):
                ends.append(p.sibling(len(body) - p.index))
        if _is_thread_code(s):
            break
    return before + ends


def _is_thread_loop(s: Stmt) -> bool:
    return isinstance(s, For) and s.mode is Mode.THREAD


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
