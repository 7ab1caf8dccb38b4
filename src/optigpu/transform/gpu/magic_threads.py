"""Magic threads: a first GPU program with a barrier after every thread loop, and the steps to real threads and barriers.

A `magic thread` loop may be nested anywhere in a kernel, and a magic barrier synchronises the group around it. Neither can be
emitted: loops are converted to thread loops, barriers to barriers of a block or a warp, or to the end of the
kernel.
"""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath, insert_at, replace_at
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Call
from optigpu.syntax.program import Assert, Body, CallStmt, For, Ghost, GhostEnd, Mode, Stmt, is_call
from optigpu.syntax.walk import inner_bodies, map_bodies
from optigpu.transform.gpu.kernel_statements import plain_loop_at
from optigpu.transform.loop.fission_fusion import split_loop_at
from optigpu.transform.step_results import MagicThreadLoop
from optigpu.transform.tools.changed_annotations import code_of, without_steps
from optigpu.transform.tools.refusal import refuse


@transformation
def seq_for_to_magic_thread_for(session: Session, target: TargetLike) -> MagicThreadLoop:
    """Make the iterations of a loop independent tasks, followed by a magic barrier, which synchronises the group around the loop.

    Before:
        for (int i = 0; i < 4; i++) {
          a[i] = 0.0f;
        }
    Step: s.gpu.seq_for_to_magic_thread_for("i")
    After:
        magic thread for (int i = 0; i < 4; i++) {
          a[i] = 0.0f;
        }
        magic_barrier();

    Needs: a loop that counts up from 0 by one. Fails: when its iterations are not independent.
    Returns: `barrier`, the magic barrier after the loop. As a target, the loop.
    """
    path = session.find(target, "for")
    _to_magic_thread_for(session, path)
    return _magic_thread_loop(session, path)


def _magic_thread_loop(session: Session, path: StatementPath) -> MagicThreadLoop:
    return MagicThreadLoop(session, session.at(path).id, session.handle(path.sibling(1)))


def _to_magic_thread_for(session: Session, path: StatementPath) -> None:
    loop = plain_loop_at(session, path)
    barrier: Body = () if _is_followed_by_magic_barrier(session, path) else (CallStmt(Call("magic_barrier", ())),)
    session.put(path, replace(loop, mode=Mode.MAGIC_THREAD, contract=()), *barrier)


@transformation
def hoist_barrier(session: Session, target: TargetLike) -> Handle:
    """Move a magic barrier from the end of a loop's body to after the loop.

    Before:
        magic thread for (int i = 0; i < 2; i++) {
          magic thread for (int j = 0; j < 4; j++) {
            m[i][j] = 0.0f;
          }
          magic_barrier();
        }
        magic_barrier();
    Step: s.gpu.hoist_barrier(Call("magic_barrier").first)
    After:
        magic thread for (int i = 0; i < 2; i++) {
          magic thread for (int j = 0; j < 4; j++) {
            m[i][j] = 0.0f;
          }
        }
        magic_barrier();

    Needs: a magic barrier that is the last statement in the body of a loop. Fails: when a later iteration needs it.
    Returns: the barrier.
    """
    path = session.find(target, "call")
    s = session.at(path)
    if not is_call(s, "magic_barrier"):
        raise refuse("this is not a magic barrier", s)
    if path.is_top_level or path.index != len(session.around(path)) - 1:
        raise refuse("the barrier is not last in the body of a loop", s)
    loop = path.parent
    program = replace_at(session.program, path)
    if not _is_followed_by_magic_barrier(session, loop):
        program = insert_at(program, loop.sibling(1), s)
    session.update(program)
    return session.handle(loop.sibling(1))


@transformation
def remove_loop_around_barrier(session: Session, target: TargetLike) -> Handle:
    """Replace a loop that only executes magic barriers by one magic barrier; none is needed next to another one.

    Before:
        magic thread for (int i = 0; i < 4; i++) {
          magic_barrier();
        }
    Step: s.gpu.remove_loop_around_barrier("i")
    After:
        magic_barrier();

    Needs: a loop whose body has magic barriers only. Fails: never for those.
    Returns: the barrier.
    """
    path = session.find(target, "for")
    return session.handle(without_loop_around_barrier(session, path))


def without_loop_around_barrier(session: Session, path: StatementPath) -> StatementPath:
    """Replace the loop at a path by the barrier in it, or by the barrier after it; returns the path of that barrier."""
    loop = session.at(path)
    barriers = code_of(loop.body) if isinstance(loop, For) else ()
    if not barriers or not all(is_call(s, "magic_barrier") for s in barriers):
        raise refuse(
            "this is not a loop around a magic barrier alone", loop, "s.loop.fission splits off other statements"
        )
    without_steps(session, loop)
    session.put(path, *(() if _is_followed_by_magic_barrier(session, path) else barriers[:1]))
    return path


@transformation
def convert_tail_thread_for(session: Session, target: TargetLike, outer: Sequence[bool] = ()) -> MagicThreadLoop:
    """Convert a tail nest of loops to magic thread loops, with one magic barrier after the nest. `target` is the innermost loop,
    which is converted; `outer` says for each loop around it, from the inside out, whether it is converted too (True) or stays
    sequential (False). The barrier after a loop is hoisted out of the loop around it: fission puts it into a loop of its own, and a
    loop around a barrier is a barrier.

    Before:
        for (int i = 0; i < 2; i++) {
          for (int j = 0; j < 4; j++) {
            m[i][j] = 0.0f;
          }
        }
    Step: s.gpu.convert_tail_thread_for("j", [True])
    After:
        magic thread for (int i = 0; i < 2; i++) {
          magic thread for (int j = 0; j < 4; j++) {
            m[i][j] = 0.0f;
          }
        }
        magic_barrier();

    Needs: loops that count up from 0 by one; nothing but ghosts follows a loop in the body of the next one.
    Fails: when iterations of a converted loop are not independent, or one needs the barrier that was hoisted out of an earlier one.
    Returns: `barrier`, the magic barrier after the nest. As a target, the outermost loop of the nest.
    """
    path = session.find(target, "for")
    _to_magic_thread_for(session, path)
    for converted in outer:
        _reject_statements_after(session, path)
        path = _barrier_hoisted_once(session, path)
        if converted:
            _to_magic_thread_for(session, path)
    return _magic_thread_loop(session, path)


def _reject_statements_after(session: Session, path: StatementPath) -> None:
    """Refuse a loop that is not in tail position: in the body of a loop, and followed by a magic barrier and ghosts alone."""
    loop = session.at(path)
    if path.is_top_level or not isinstance(session.at(path.parent), For):
        raise refuse(
            "this loop is not directly in the body of another one: `outer` has too many elements", loop, code="OG604"
        )
    for s in session.around(path)[path.index + 1 :]:
        if not _is_proof(s) and not is_call(s, "magic_barrier"):
            message = f"this follows the loop{_over(loop)}, so that one is not the tail of the loop{_over(session.at(path.parent))}"
            raise refuse(
                message, s, "call it for the inner nest alone; or move this away: s.loop.hoist_alloc, s.loop.fission"
            )


def _is_proof(s: Stmt) -> bool:
    """Is this a ghost, or a loop or condition around ghosts alone?"""
    bodies = inner_bodies(s)
    return isinstance(s, Ghost | GhostEnd | Assert) or (bool(bodies) and all(_is_proof(x) for b in bodies for x in b))


def _over(s: Stmt) -> str:
    return f" over `{s.index}`" if isinstance(s, For) else ""


def _barrier_hoisted_once(session: Session, path: StatementPath) -> StatementPath:
    """Hoist the magic barrier after a loop out of the loop around it; returns the path of that one. Ghosts after the barrier follow
    it in a loop of their own."""
    around = path.parent
    barriers = split_loop_at(session, path.sibling(1))
    body = session.at(barriers)
    assert isinstance(body, For)
    count = next((k for k, s in enumerate(body.body) if not is_call(s, "magic_barrier")), len(body.body))
    if count < len(body.body):
        split_loop_at(session, barriers.child(count))
    without_loop_around_barrier(session, barriers)
    return around


@transformation
def convert_magic_thread_fors(session: Session, target: TargetLike) -> Handle:
    """Convert a magic thread loop and all magic thread loops inside it to thread loops.

    Before:
        magic thread for (int i = 0; i < 4; i++) {
          a[i] = 0.0f;
        }
        magic_barrier();
    Step: s.gpu.convert_magic_thread_fors("i")
    After:
        thread for (int i = 0; i < 4; i++) {
          a[i] = 0.0f;
        }
        magic_barrier();

    Needs: a statement in a kernel. Fails: OG347 when the extents of the loops do not divide the number of threads, OG346 when code
    for one thread is left to a group.
    Returns: the loop.
    """
    path = session.find(target, "for")

    def converted(s: Stmt) -> Stmt:
        if isinstance(s, For) and s.mode is Mode.MAGIC_THREAD:
            s = replace(s, mode=Mode.THREAD)
        return map_bodies(s, lambda b: tuple(converted(x) for x in b))

    session.put(path, converted(session.at(path)))
    return session.handle(path)


@transformation
def magic_barrier_to_blocksync(session: Session, target: TargetLike) -> Handle:
    """Make a magic barrier a barrier of the block.

    Before:
        magic_barrier();
    Step: s.gpu.magic_barrier_to_blocksync(Call("magic_barrier"))
    After:
        blocksync();

    Needs: a magic barrier at block level. Fails: OG345 elsewhere, OG341 where it orders default memory: convert that first.
    Returns: the barrier.
    """
    path = _magic_barrier_at(session, target)
    session.put(path, CallStmt(Call("blocksync", ()), id=session.at(path).id))
    return session.handle(path)


@transformation
def magic_barrier_to_warpsync(session: Session, target: TargetLike) -> Handle:
    """Make a magic barrier a barrier of the warp.

    Before:
        magic_barrier();
    Step: s.gpu.magic_barrier_to_warpsync(Call("magic_barrier"))
    After:
        warpsync();

    Needs: a magic barrier that is executed by groups of 32 threads. Fails: OG345 elsewhere.
    Returns: the barrier.
    """
    path = _magic_barrier_at(session, target)
    session.put(path, CallStmt(Call("warpsync", ()), id=session.at(path).id))
    return session.handle(path)


@transformation
def magic_barrier_to_teardown_sync(session: Session, target: TargetLike) -> None:
    """Let the end of the kernel serve as the barrier.

    Before:
        kernel_launch(1, 32, 0);
        kernel_setup_end();
        magic_barrier();
        kernel_teardown_begin();
        kernel_kill();
    Step: s.gpu.magic_barrier_to_teardown_sync(Call("magic_barrier"))
    After:
        kernel_launch(1, 32, 0);
        kernel_setup_end();
        kernel_teardown_begin();
        kernel_kill();

    Needs: a magic barrier right before kernel_teardown_begin(). Fails: never there.
    """
    path = _magic_barrier_at(session, target)
    following = session.around(path)[path.index + 1 :]
    if not following or not is_call(following[0], "kernel_teardown_begin"):
        raise refuse("the kernel does not end here", session.at(path), "s.gpu.magic_barrier_to_blocksync")
    session.put(path)


def _magic_barrier_at(session: Session, target: TargetLike) -> StatementPath:
    path = session.find(target, "call")
    if not is_call(session.at(path), "magic_barrier"):
        raise refuse("this is not a magic barrier", session.at(path))
    return path


def _is_followed_by_magic_barrier(session: Session, path: StatementPath) -> bool:
    following = session.around(path)[path.index + 1 :]
    return bool(following) and is_call(following[0], "magic_barrier")
