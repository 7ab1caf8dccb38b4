"""The registry of transformations: the names that scripts use, and the modules that have the code and the cards.

To add a transformation, write a function with `@transformation` and a card as its docstring, and name it here; its example runs as
a test. To add a group, also name it in `TransformSession`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

from optigpu.script.session import Session
from optigpu.script.transformation import TransformGroup
from optigpu.transform import accesses, arith, function, function_versions, ghost, guard_motion, instr, omp, variable
from optigpu.transform.gpu import (
    barrier_placement,
    block_order,
    copy_elimination,
    kernel_launches,
    kernel_phases,
    magic_threads,
    memory_copy_loops,
    memory_spaces,
    pipelined_loops,
    tensor_products,
    vectorization,
)
from optigpu.transform.loop import (
    fast_paths,
    fission_fusion,
    hoisting,
    interchange,
    iteration_ranges,
    packing,
    prefetching,
    shifted_tiles,
    tiling,
    unrolling,
)
from optigpu.transform.matrix import array_elimination, array_layouts, local_copies, staging
from optigpu.transform.reduce import (
    atomic_updates,
    deviations,
    online_sums,
    prefix_sums,
    reductions,
    sliding_window,
    warp_reduction,
)
from optigpu.transform.step_names import unknown_step


class StepGroup(TransformGroup):
    """A group of the registry: a name that it does not have is told with those that are meant."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise _unknown(type(self).name, name)


class LoopTransforms(StepGroup):
    name = "loop"

    tile = tiling.tile
    tile_shifted = shifted_tiles.tile_shifted
    reorder = interchange.reorder
    swap = interchange.swap
    fission = fission_fusion.fission
    fusion = fission_fusion.fusion
    unroll = unrolling.unroll
    unroll_hint = unrolling.unroll_hint
    fast_path = fast_paths.fast_path
    unguard = fast_paths.unguard
    prefetch = prefetching.prefetch
    once = iteration_ranges.once
    split_range = iteration_ranges.split_range
    extend_range = iteration_ranges.extend_range
    widen_range = iteration_ranges.widen_range
    shift_range = iteration_ranges.shift_range
    collapse = iteration_ranges.collapse
    hoist = hoisting.hoist
    hoist_alloc = hoisting.hoist_alloc
    hoist_expr = packing.hoist_expr
    move_out = hoisting.move_out
    parallel = omp.parallel
    simd = omp.simd
    rename = iteration_ranges.rename


class VariableTransforms(StepGroup):
    name = "variable"

    local_name = variable.local_name
    inline = variable.inline
    bind = variable.bind
    insert = variable.insert
    rename = variable.rename
    init_detach = variable.init_detach
    to_array = variable.to_array
    elim = variable.elim


class AccessTransforms(StepGroup):
    name = "accesses"

    shift_var = accesses.shift_var
    scale_var = accesses.scale_var


class MatrixTransforms(StepGroup):
    name = "matrix"

    local_name_tile = local_copies.local_name_tile
    stage = staging.stage
    stack_copy = local_copies.stack_copy
    memcpy = local_copies.memcpy
    to_heap = array_layouts.to_heap
    reorder_dims = array_layouts.reorder_dims
    merge_dims = array_layouts.merge_dims
    split_dim = array_layouts.split_dim
    pad = array_layouts.pad
    elim = array_elimination.elim


class StatementTransforms(StepGroup):
    name = "instr"

    insert = instr.insert
    delete = instr.delete
    move = instr.move
    copy = instr.copy
    replace = instr.replace
    move_guard = guard_motion.move_guard
    split_guard = guard_motion.split_guard


class FunctionTransforms(StepGroup):
    name = "function"

    insert = function.insert
    inline = function.inline
    uninline = function.uninline
    versions = function_versions.versions


class ArithmeticTransforms(StepGroup):
    name = "arith"

    simplify = arith.simplify


class OpenMPTransforms(StepGroup):
    name = "omp"

    schedule = omp.schedule
    num_threads = omp.num_threads
    sequential = omp.sequential


class ReductionTransforms(StepGroup):
    name = "reduce"

    slide = sliding_window.slide
    parts = reductions.parts
    tree = reductions.tree
    select = reductions.select
    atomic = atomic_updates.atomic
    warp = warp_reduction.warp
    scan = prefix_sums.scan
    moments = deviations.moments
    online = online_sums.online
    online_parts = online_sums.online_parts


class GpuTransforms(StepGroup):
    name = "gpu"

    create_kernel_launch = kernel_launches.create_kernel_launch
    seq_for_to_magic_thread_for = magic_threads.seq_for_to_magic_thread_for
    hoist_barrier = magic_threads.hoist_barrier
    remove_loop_around_barrier = magic_threads.remove_loop_around_barrier
    convert_tail_thread_for = magic_threads.convert_tail_thread_for
    convert_magic_thread_fors = magic_threads.convert_magic_thread_fors
    copy_to_device = kernel_phases.copy_to_device
    convert_to_global_mem = memory_spaces.convert_to_global_mem
    loop_to_memcpy = memory_copy_loops.loop_to_memcpy
    convert_to_shared_mem = memory_spaces.convert_to_shared_mem
    convert_to_register_mem = memory_spaces.convert_to_register_mem
    magic_barrier_to_blocksync = magic_threads.magic_barrier_to_blocksync
    magic_barrier_to_warpsync = magic_threads.magic_barrier_to_warpsync
    magic_barrier_to_teardown_sync = magic_threads.magic_barrier_to_teardown_sync
    launch = kernel_launches.launch
    stay_on_device = copy_elimination.stay_on_device
    remove_redundant_barriers = barrier_placement.remove_redundant_barriers
    vectorize = vectorization.vectorize
    tensor_cores = tensor_products.tensor_cores
    swizzle_blocks = block_order.swizzle_blocks
    async_copy = pipelined_loops.async_copy
    pipeline = pipelined_loops.pipeline


class GhostTransforms(StepGroup):
    name = "ghost"

    insert = ghost.insert
    contract = ghost.contract


G = TypeVar("G", bound=TransformGroup)


class GroupAttribute(Generic[G]):
    """The attribute of a session that gives a group of transformations of that session."""

    def __init__(self, group: type[G]) -> None:
        self.group = group

    def __get__(self, session: Session, owner: type[Session]) -> G:
        return self.group(session)


class TransformSession(Session):
    """A session with all transformations: `s.loop.tile(…)`."""

    loop = GroupAttribute(LoopTransforms)
    variable = GroupAttribute(VariableTransforms)
    accesses = GroupAttribute(AccessTransforms)
    matrix = GroupAttribute(MatrixTransforms)
    instr = GroupAttribute(StatementTransforms)
    function = GroupAttribute(FunctionTransforms)
    arith = GroupAttribute(ArithmeticTransforms)
    omp = GroupAttribute(OpenMPTransforms)
    reduce = GroupAttribute(ReductionTransforms)
    gpu = GroupAttribute(GpuTransforms)
    ghost = GroupAttribute(GhostTransforms)

    if not TYPE_CHECKING:  # a type checker reports other names by itself

        def __getattr__(self, name: str) -> NoReturn:
            raise _unknown("", name)


GROUPS: tuple[type[TransformGroup], ...] = tuple(
    attribute.group for attribute in vars(TransformSession).values() if isinstance(attribute, GroupAttribute)
)


def _unknown(group: str, name: str) -> AttributeError:
    """The error for a name that no group or session has. Names that Python itself asks for are none of ours."""
    if name.startswith("__"):
        return AttributeError(name)
    return unknown_step(group, name, {g.name: tuple(transformations_of(g)) for g in GROUPS})


def transformations_of(group: type[TransformGroup]) -> dict[str, Callable[..., object]]:
    """The transformations of a group by their names, in the order of the reference."""
    return {name: f for name, f in vars(group).items() if not name.startswith("_") and inspect.isfunction(f)}
