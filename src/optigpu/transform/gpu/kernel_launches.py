"""Kernel launches: `gpu.launch` makes a loop nest a kernel; `gpu.create_kernel_launch` only puts a launch around a statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from optigpu.light_dataclass import replace
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import For as ForTarget
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.free_names import body_free_vars, bound_after
from optigpu.syntax.program import Block
from optigpu.transform.gpu.barrier_placement import insert_barriers
from optigpu.transform.gpu.device_arrays import device_arrays
from optigpu.transform.gpu.device_functions import DeviceFunctions
from optigpu.transform.gpu.kernel_nest import KernelNest
from optigpu.transform.gpu.kernel_statements import launched
from optigpu.transform.gpu.kernel_tiles import KernelTiles
from optigpu.transform.gpu.launch_names import (
    reject_misplaced_arrays,
    reject_scattered_grid,
    reject_unknown_host_arrays,
    reject_unknown_loops,
    reject_unplaced_arrays,
)
from optigpu.transform.gpu.memory_spaces import pad, shared_bytes
from optigpu.transform.step_results import KernelBlock, LaunchedKernel
from optigpu.transform.tools.c_text import Size, as_expression
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import lit


@transformation
def create_kernel_launch(
    session: Session, target: TargetLike, *, to: TargetLike | None = None, grid: Size, block: Size, smem: Size = 0
) -> KernelBlock:
    """Put a kernel launch around a statement, or around all statements from `target` to `to`, in a block of their own. `grid` and
    `block` are the numbers of blocks and of threads per block, `smem` the bytes of shared memory: numbers, or expressions as text.

    Before:
        a[0] = 0.0f;
    Step: s.gpu.create_kernel_launch(Write("a"), grid="n / 8", block=32, smem="32 * sizeof(float)")
    After:
        {
          kernel_launch(n / 8, 32, 32 * sizeof(float));
          kernel_setup_end();
          a[0] = 0.0f;
          kernel_teardown_begin();
          kernel_kill();
        }

    Needs: statements of the host, in one body. The whole grid executes them as one, on default memory, which later steps convert.
    Fails: OG349 when the launch exceeds a limit of the hardware, OG346 when it may have no threads.
    Returns: `launch`, the call of kernel_launch. As a target, the block with the whole kernel.
    """
    path = session.find(target)
    end = path if to is None else session.find(to)
    if end.function != path.function or end.positions[:-1] != path.positions[:-1] or end.index < path.index:
        raise refuse("`to` is not a later statement of the same body", session.at(end), code="OG604")
    first, last, body = path.index, end.index + 1, session.around(path)
    inside, after = body[first:last], body[last:]
    declared = set().union(*(bound_after(s) for s in inside))
    if escaping := declared & body_free_vars(after):
        name = min(escaping)
        help = (
            f"declare `{name}` before the kernel: s.instr.move, s.variable.init_detach; or extend the kernel with to=…"
        )
        raise refuse(f"`{name}` is declared here and used after the kernel", inside[0], help)
    kernel = Block(launched(inside, as_expression(grid), as_expression(block), as_expression(smem)))
    session.edit_body(path, lambda b: (*b[:first], kernel, *b[last:]))
    return KernelBlock(session, session.at(path).id, session.handle(path.child(0)))


@transformation
def launch(
    session: Session,
    *,
    grid: Sequence[str],
    block: Sequence[str],
    at: TargetLike | None = None,
    shared: Mapping[str, pad | None] | Sequence[str] = (),
    registers: Mapping[str, int] | None = None,
    fragments: Mapping[str, int] | None = None,
    group: int = 128,
    host_copies: Sequence[str] | None = None,
    blocks_per_multiprocessor: int | None = None,
    barrier_at_end: Sequence[str] = (),
) -> LaunchedKernel:
    """Make a loop nest a kernel: `grid` loops become blocks, `block` loops become threads, `shared` and `registers` say where local
    arrays live. Arrays of the host are copied to the device and back, statements outside block loops run on one thread, variables
    that they assign for other threads go to shared memory, and barriers are inserted where the proof needs them. Functions that the
    loops call are copied as device functions, `gpu_f` for `f`.
    `fragments`: arrays whose elements are spread over the threads of a group in a way that no proof depends on, with how many of
    their first dimensions number the groups; `group` is how many threads one has, 128 or 32. Loops over the elements of fragments
    inside block loops become `frag for`, products of tiles with `s.gpu.tensor_cores` become `mma`, and sums, maxima and minima of
    rows `frag_row_sum` and the like. Tiles with `s.gpu.async_copy` are in shared memory, and copied by `tile_load`.
    `blocks_per_multiprocessor` asks the compiler to limit registers so that this many blocks fit on a multiprocessor.
    `barrier_at_end`: loops whose iterations are ordered at the end of the body, as buffers that take turns need it, in place of
    before the access that needs a barrier.

    Before:
        for (int i = 0; i < n / 8; i++) {
          for (int j = 0; j < 8; j++) {
            a[8 * i + j] = 0.0f;
          }
        }
    Step: s.gpu.launch(grid=["i"], block=["j"])
    After:
        float* const d_a = __gmem_malloc1<float>(n);
        memcpy_host_to_device1(d_a, a, n);
        kernel_launch(n / 8, 8, 0);
        kernel_setup_end();
        thread for (int i = 0; i < n / 8; i++) {
          thread for (int j = 0; j < 8; j++) {
            d_a[8 * i + j] = 0.0f;
          }
        }
        kernel_teardown_begin();
        kernel_kill();
        memcpy_device_to_host1(a, d_a, n);
        gmem_free(d_a);

    Needs: loops that count up from 0 by one; grid loops directly inside each other, with nothing between them; block loops with
    constant extents; the same number of threads in all their nests;
    arrays in `shared` and `registers` that are declared inside the grid loops and outside the block loops; called functions that
    allocate nothing and launch no kernels (s.function.inline puts the body of others in their place).
    Fails: when threads depend on each other in a way that barriers of the block cannot order.
    Returns: `launch`, the call of kernel_launch. As a target, the outermost loop of the grid.
    """
    if not grid or not block:
        raise refuse("name at least one loop for the grid and one for the block", code="OG604")
    if blocks_per_multiprocessor is not None and blocks_per_multiprocessor < 1:
        raise refuse("a multiprocessor holds at least one block", code="OG604")
    path = session.find(ForTarget(grid[0]) if at is None else at, "for")
    in_shared = dict(shared) if isinstance(shared, Mapping) else dict.fromkeys(shared)
    named_shared, named_registers = list(in_shared), list(registers or ())
    reject_unknown_loops(session, path, grid, block, barrier_at_end)
    in_fragments = [name for name, dims in (fragments or {}).items() if dims > 0]
    reject_misplaced_arrays(
        session, path, block, {"shared": named_shared, "registers": named_registers, "fragments": in_fragments}
    )
    reject_unknown_host_arrays(session, path, host_copies or ())
    tiles = KernelTiles(session.at(path), fragments or {}, group)
    kernel = KernelNest(session, path, list(grid), list(block), in_shared, dict(registers or {}), tiles)
    reject_scattered_grid(kernel.outer, grid)
    nest = kernel.converted()
    reject_unplaced_arrays(
        nest,
        {"shared": named_shared, "registers": list(kernel.registers), "fragments": list(tiles.fragments)},
        kernel.outer,
    )
    callees = DeviceFunctions(session, path)
    nest = replace(nest, body=callees.calling(nest.body))
    session.update(callees.added_to(session.program))
    arrays = device_arrays(session, path, nest, host_copies)
    arrays.put(
        session, path, launched((arrays.nest,), kernel.blocks(), lit(kernel.threads), shared_bytes((arrays.nest,)))
    )
    call = session.handle(Handle(session, nest.id).path().sibling(-2))
    if blocks_per_multiprocessor is not None:
        session.residents[call.id] = blocks_per_multiprocessor
    insert_barriers(session, nest.id, grid, barrier_at_end)
    return LaunchedKernel(session, nest.id, call)
