"""Copies that run by themselves: `gpu.async_copy` and `gpu.pipeline`."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.builtins import TILE_COPY
from optigpu.syntax.exprs import Binary, Call
from optigpu.syntax.program import COPY_HINT, PIPELINE_HINT, Body, CallStmt, Decl, For, Mode, is_call
from optigpu.transform.gpu.memory_spaces import shared_bytes
from optigpu.transform.gpu.tile_nests import tile_copy
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.tools.counted_loops import hinted
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import lit, plus

MAX_STAGES = 9


@transformation
def async_copy(session: Session, target: TargetLike) -> None:
    """Let a tile be copied by the hardware, while the threads of the block do other work: the launch of the kernel
    (`s.gpu.launch`) puts it into shared memory and makes the nest that fills it a `tile_load`. The target is that nest, or the name
    of the tile.

    Before:
        for (int x = 0; x < n; x++) {
          float t[8][16];
          for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 16; j++) {
              if (8 * x + i < n && j < n) {
                t[i][j] = m[8 * x + i][j];
              } else {
                t[i][j] = 0.0f;
              }
            }
          }
          m2[x][0] = t[0][0];
        }
    Step: s.gpu.async_copy("t")
    After:
        for (int x = 0; x < n; x++) {
          float t[8][16];
          #pragma async_copy
          for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 16; j++) {
              if (8 * x + i < n && j < n) {
                t[i][j] = m[8 * x + i][j];
              } else {
                t[i][j] = 0.0f;
              }
            }
          }
          m2[x][0] = t[0][0];
        }

    Needs: a nest of two loops that fills the tile with elements that are adjacent in another array, and with zeros outside of it.
    Fails: OG604 when the nest is another.
    """
    path = _copy_of(session, target) if isinstance(target, str) else session.find(target, "for")
    loop = session.at(path)
    call = tile_copy(loop)
    if isinstance(call, str) or not isinstance(loop, For):
        raise refuse(f"this nest is not the copy of a tile: {call}", loop, code="OG604")
    session.put(path, hinted(loop, COPY_HINT, COPY_HINT))


def _copy_of(session: Session, tile: str) -> StatementPath:
    """The outermost loop of the first nest that fills an array."""
    write = session.find(Write(tile).first)
    loops = [p for p in write.ancestors() if isinstance(session.at(p), For)]
    return next((p for p in loops if isinstance(tile_copy(session.at(p)), CallStmt)), loops[-2] if loops[1:] else write)


@transformation
def pipeline(session: Session, target: TargetLike, stages: int = 4) -> None:
    """Copy the tiles of later iterations of a loop while the threads of the block use those of this one. There are `stages` copies
    of the shared arrays that the loop declares; up to `stages - 1` iterations are under way. Barriers of the loop that order the
    copies and their uses are not needed any more.

    Before:
        float* const d_m = __gmem_malloc2<float>(8, 64);
        float* const d_b = __gmem_malloc1<float>(64);
        for (int x = 0; x < 8; x++) {
          __shared__ float t[8][8];
          tile_load(t, d_m, 0, 8 * x);
          blocksync();
          thread for (int i = 0; i < 64; i++) {
            d_b[i] += t[0][i % 8];
          }
          blocksync();
        }
    Step: s.gpu.pipeline("x", stages=3)
    After:
        float* const d_m = __gmem_malloc2<float>(8, 64);
        float* const d_b = __gmem_malloc1<float>(64);
        #pragma pipeline 3
        for (int x = 0; x < 8; x++) {
          __shared__ float t[8][8];
          tile_load(t, d_m, 0, 8 * x);
          pipeline_wait();
          thread for (int i = 0; i < 64; i++) {
            d_b[i] += t[0][i % 8];
          }
        }

    Needs: a loop that a whole block runs, in which the copies stand before everything else.
    Fails: OG372 when what runs ahead depends on what the rest of an iteration does; OG349 when the stages need more shared memory
    than a block can have.
    """
    path, loop = loop_at(session, target)
    if not 1 <= stages <= MAX_STAGES:
        raise refuse(f"a pipeline has 1 to {MAX_STAGES} stages, not {stages}", loop, code="OG604")
    if loop.mode is not Mode.SEQUENTIAL or loop.stages:
        raise refuse("this loop is not one that a whole block runs, without a pipeline", loop, code="OG604")
    ahead, rest = _divided(loop.body)
    if not any(is_call(s, TILE_COPY) for s in ahead):
        raise refuse(f"the loop over `{loop.index}` copies no tiles", loop, "s.gpu.async_copy", code="OG604")
    body = (*ahead, CallStmt(Call("pipeline_wait", ())), *rest)
    session.put(path, replace(hinted(loop, PIPELINE_HINT, f"{PIPELINE_HINT} {stages}"), body=body))
    _grow_shared_memory(session, path, ahead, stages - 1)


def _divided(body: Body) -> tuple[Body, Body]:
    """The statements up to the last copy of a tile, and those after it, without the barriers around both."""
    last = max((i for i, s in enumerate(body) if is_call(s, TILE_COPY)), default=-1) + 1
    ahead, rest = body[:last], body[last:]
    first = next((i for i, s in enumerate(rest) if not isinstance(s, Decl)), len(rest))
    if first < len(rest) and is_call(rest[first], "blocksync"):
        rest = (*rest[:first], *rest[first + 1 :])
    if rest and is_call(rest[-1], "blocksync"):
        rest = rest[:-1]
    return ahead, rest


def _grow_shared_memory(session: Session, loop: StatementPath, ahead: Body, times: int) -> None:
    """Let the launch of a kernel provide the bytes of the arrays that statements declare so many times more."""
    for p in reversed([*loop.ancestors()]):
        launches = [i for i, s in enumerate(session.around(p)[: p.index]) if is_call(s, "kernel_launch")]
        if launches:
            path = p.sibling(launches[-1] - p.index)
            launch = session.at(path)
            assert isinstance(launch, CallStmt)
            blocks, threads, size = launch.call.args
            more = Binary("*", lit(times), shared_bytes(ahead))
            session.put(path, replace(launch, call=replace(launch.call, args=(blocks, threads, plus(size, more)))))
            return
