"""Built-in call statements compiled to closures: memory, launches, barriers, shuffles and vector accesses."""

from __future__ import annotations

from optigpu.interp.compile_expressions import fails
from optigpu.interp.machine import Closure
from optigpu.interp.misbehaviour import CannotEvaluate
from optigpu.syntax.builtins import ROW_REDUCTIONS, SHUFFLES, TILE_COPY, TILE_PRODUCTS, VECTOR_CALLS
from optigpu.syntax.source import Loc


def built_in_call(name: str, args: list[Closure], loc: Loc) -> Closure:
    if name in ("free", "gmem_free"):
        return lambda m, f: m.free_on_host(name, args[0](m, f), loc)
    if name == "kernel_launch":
        grid, block, shared = args
        return lambda m, f: m.launch(grid(m, f), block(m, f), shared(m, f), loc)
    if name == "kernel_kill":
        return lambda m, f: m.kill(loc)
    if name == "kernel_teardown_sync":
        return lambda m, f: m.teardown_sync(loc)
    if name in ("blocksync", "warpsync", "magic_barrier"):
        return lambda m, f: m.barrier(name, loc)
    if name in SHUFFLES:
        to, source, amount = args
        return lambda m, f: m.shuffle(name, to(m, f), source(m, f), amount(m, f), loc)
    if name in TILE_PRODUCTS:
        total, left, right, depth = args
        return lambda m, f: m.multiply_tiles(name, total(m, f), left(m, f), right(m, f), depth(m, f), loc)
    if name in ROW_REDUCTIONS:
        return lambda m, f: m.reduce_rows(name, args[0](m, f), args[1](m, f), loc)
    if name == TILE_COPY:
        return lambda m, f: m.tile_load(args[0](m, f), args[1](m, f), tuple([a(m, f) for a in args[2:]]), loc)
    if name == "pipeline_wait":
        return lambda m, f: m.pipeline_wait(loc)
    if name in VECTOR_CALLS:
        width, way = VECTOR_CALLS[name]
        return lambda m, f: m.vector_access(name, width, way, args[0](m, f), args[1](m, f), loc)
    if name.startswith("memcpy"):
        return lambda m, f: m.memcpy(name, args[0](m, f), args[1](m, f), tuple([a(m, f) for a in args[2:]]), loc)
    if name.startswith("__smem_free"):
        return lambda m, f: m.free_setup_array(args[0](m, f), tuple([a(m, f) for a in args[1:]]), loc)
    if name == "kernel_teardown_begin":
        return fails("OG226", "no `kernel_setup_end()` comes before in the same block", loc)
    raise CannotEvaluate(f"`{name}` cannot be run", loc)
