"""What steps return: handles of the statements that they made, by name.

A result is itself a handle, of the statement that later steps mostly mean (each class says which), so it can stand where a target
can: `t = s.loop.tile("i", 8)`, then `s.loop.parallel(t)` and `s.loop.unroll(t.inner)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.light_dataclass import dataclass
from optigpu.script.editing import StatementPath
from optigpu.script.handles import Handle, IfBranch
from optigpu.script.session import Session
from optigpu.syntax.program import For


def handles_from(session: Session, path: StatementPath, count: int) -> tuple[Handle, ...]:
    """Handles of statements that follow each other in a body."""
    return tuple(session.handle(path.sibling(k)) for k in range(count))


def nest_at(session: Session, path: StatementPath) -> tuple[Handle, ...]:
    """The loop at a path and the loops that are inside each other in it, outermost first; none if there is no loop."""
    loops: list[Handle] = []
    while isinstance(s := session.at(path), For):
        loops.append(session.handle(path))
        if len(s.body) != 1:
            break
        path = path.child(0)
    return tuple(loops)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TiledLoop(Handle):
    """Of `loop.tile`; as a target, the loop over the tiles."""

    inner: Handle  # the loop over the iterations of a tile
    tail: Handle | None  # the epilogue; None unless `tail="peel"`

    @property
    def outer(self) -> Handle:
        """The loop over the tiles."""
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LoopNest(Handle):
    """Of `loop.reorder` and `loop.swap`; as a target, the outermost loop."""

    nest: tuple[Handle, ...]  # the loops that were named, outermost first


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DividedLoop(Handle):
    """Of `loop.fission` and `loop.split_range`; as a target, the second loop."""

    first: Handle

    @property
    def second(self) -> Handle:
        """The loop after the first one."""
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FastPath(Handle):
    """Of `loop.fast_path`; as a target, the loop without guards."""

    other: Handle  # the loop with guards
    condition: Handle  # the `if` that decides

    @property
    def fast(self) -> Handle:
        """The loop without guards."""
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrefetchingLoop(Handle):
    """Of `loop.prefetch`; as a target, the loop."""

    declaration: Handle  # of the array, before the loop
    first_fill: Handle  # before the loop, for the first iteration
    next_fill: Handle  # in the loop, for the next iteration


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StagedCopy(Handle):
    """Of `matrix.stage` and `loop.hoist_expr`; as a target, the declaration of the copy."""

    loop: Handle  # the outermost loop that fills the copy; the assignment, where one element is copied
    _loops: tuple[Handle, ...]

    @property
    def declaration(self) -> Handle:
        """The declaration of the copy."""
        return self

    @property
    def loops(self) -> tuple[Handle, ...]:
        """The loops that fill the copy, outermost first."""
        return self._loops


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LocalCopy(Handle):
    """Of `matrix.local_name_tile` and `matrix.stack_copy`; as a target, the declaration of the copy."""

    copy_in: Handle | None  # the loops that fill the copy
    statement_on_copy: Handle  # the statement that uses the copy now
    copy_out: Handle | None  # the loops that copy back

    @property
    def declaration(self) -> Handle:
        """The declaration of the copy."""
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LocalVariable(Handle):
    """Of `variable.local_name` and `variable.init_detach`; as a target, the declaration."""

    store: Handle  # `local_name`: the store back to the variable; `init_detach`: the assignment of the initial value

    @property
    def declaration(self) -> Handle:
        """The declaration of the variable."""
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundValue(Handle):
    """Of `variable.bind`; as a target, the declaration of the constant."""

    use: Handle  # the statement that uses the constant

    @property
    def declaration(self) -> Handle:
        """The declaration of the constant."""
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class InsertedStatements(Handle):
    """Of `instr.insert`, `instr.replace`, `ghost.insert` and `gpu.vectorize`; as a target, the first statement."""

    statements: tuple[Handle, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SplitGuard(Handle):
    """Of `instr.split_guard`; as a target, the outer `if`."""

    inner: Handle  # the `if` with the other operands

    @property
    def outer(self) -> Handle:
        """The `if` with the first operands."""
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PartialResults(Handle):
    """Of `reduce.parts`; as a target, the loop that combines the partial results."""

    declaration: Handle  # of the array of partial results
    loop: Handle  # each iteration of which computes one

    @property
    def combine(self) -> Handle:
        """The loop that combines the partial results."""
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OnlineParts(Handle):
    """Of `reduce.online_parts`; as a target, the loop each iteration of which computes a maximum and a sum."""

    declarations: tuple[Handle, ...]  # of the sums, the maxima, and the maxima that can be overwritten
    maximum: Handle  # the loop that combines the maxima
    scale: Handle  # the loop that scales the sums
    sum: Handle  # the loop that adds them up

    @property
    def loop(self) -> Handle:
        """The loop each iteration of which computes a maximum and a sum."""
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TreeReduction(Handle):
    """Of `reduce.tree`; as a target, the loop over the passes."""

    inner: Handle  # the loop over the elements in a pass
    total: Handle  # the update with the result, after the loops

    @property
    def passes(self) -> Handle:
        """The loop over the passes."""
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WarpReduction(Handle):
    """Of `reduce.warp`; as a target, the loop over the warps."""

    other: Handle  # the declaration of the copy that a warp reads the other half from
    sums: Handle  # the declaration of the sums of the warps
    combine: Handle  # the loop that adds up the sums of the warps
    total: Handle  # the update with the result

    @property
    def warps(self) -> Handle:
        """The loop over the warps."""
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScanPasses(Handle):
    """Of `reduce.scan`; as a target, the first pass: the loop over tiles that sums up each of them."""

    offsets: Handle  # the loop that computes the prefix offset of each tile
    result: Handle  # the last pass: the loop over tiles that computes the result
    sums: Handle  # the declaration of the sums of the tiles
    before: Handle  # the declaration of the offsets of the tiles

    @property
    def tile_sums(self) -> Handle:
        """The first pass, which sums up each tile."""
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SlidingSums(Handle):
    """Of `reduce.slide`; as a target, the loop that computes each sum from the one before."""

    declaration: Handle  # of the sum
    first_window: Handle  # the loop that computes the first sum


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MagicThreadLoop(Handle):
    """Of `gpu.seq_for_to_magic_thread_for` and `gpu.convert_tail_thread_for`; as a target, the (outermost) loop."""

    barrier: Handle  # the magic barrier after the loop


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KernelBlock(Handle):
    """Of `gpu.create_kernel_launch`; as a target, the block with the whole kernel."""

    launch: Handle  # the call of kernel_launch


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LaunchedKernel(Handle):
    """Of `gpu.launch`; as a target, the outermost loop of the grid."""

    launch: Handle  # the call of kernel_launch


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Versions(Handle):
    """Of `function.versions`; as a target, the `if` that decides. It can be unpacked: `fast, rest = s.function.versions(…)`."""

    @property
    def fast(self) -> IfBranch:
        """The version for arguments that satisfy the condition."""
        return self.then

    @property
    def rest(self) -> IfBranch:
        """The version for all other arguments."""
        return self.otherwise

    def __iter__(self) -> Iterator[IfBranch]:
        return iter((self.fast, self.rest))
