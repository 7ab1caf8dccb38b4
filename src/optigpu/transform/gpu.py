"""From CPU programs to GPU programs: which loop is which thread, which array lives where, and barriers where they are needed.

The steps of the thesis' chapter 5 under their names, and `launch`, which does it all from a mapping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from optigpu.check.problem import Problem
from optigpu.check.verdict import Verdict
from optigpu.script.editing import StatementPath, edit_body, insert_at, replace_at, statements_of
from optigpu.script.handles import Handle, find_statement
from optigpu.script.session import program_names
from optigpu.script.targets import Call as CallTarget
from optigpu.script.targets import For as ForTarget
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import TransformGroup, transformation
from optigpu.syntax.exprs import Alloc, Array, Binary, Call, Expr, Index, SizeOf, Var
from optigpu.syntax.free_names import body_free_vars, free_vars
from optigpu.syntax.program import Block, Body, CallStmt, Decl, For, If, Mode, Program, Stmt, Store, is_call
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Scalar, Space
from optigpu.syntax.walk import inner_bodies, map_bodies, rewrite, rewrite_body, root_name, statements, stmt_exprs
from optigpu.transform.copy_elimination import resident
from optigpu.transform.loop_nests import counted, dims_of, elem_of, is_plain, refuse
from optigpu.transform.shuffles import as_shuffle
from optigpu.transform.simplified import Size, cell, expression, lit, plus, times, up_to, value_of
from optigpu.transform.types_at import array_of, declared
from optigpu.transform.vectors import accessed_arrays, vectorized

RACES = ("OG340", "OG341", "OG342", "OG343", "OG344", "OG352")  # what a barrier of the block may repair
MOST_BARRIERS = 12


def blocksync() -> Stmt:
    return CallStmt(Call("blocksync", ()))


@dataclass(frozen=True, slots=True)
class pad:
    """Extra cells in the last dimensions of a shared array, against bank conflicts: `pad(1)`, `pad(0, 1)`."""

    by: tuple[int, ...]

    def __init__(self, *by: int) -> None:
        object.__setattr__(self, "by", by)


class GpuTransforms(TransformGroup):
    name = "gpu"

    # The steps of chapter 5 -----------------------------------------------------------------------------------------------

    @transformation
    def create_kernel_launch(self, target: TargetLike, *, grid: Size, block: Size, smem: Size = 0) -> Handle:
        """Put a kernel launch around a statement.

        Before:
            a[0] = 0.0f;
        Step: s.gpu.create_kernel_launch(Write("a"), grid=1, block=32)
        After:
            kernel_launch(1, 32, 0);
            kernel_setup_end();
            a[0] = 0.0f;
            kernel_teardown_begin();
            kernel_kill();

        Needs: a statement of the host. Inside, host memory is out of reach: convert it in the same phase.
        Fails: OG349 when the launch exceeds a limit of the hardware.
        """
        place = self.session.find(target)
        self.session.put(
            place, *_launched(self.session.at(place), expression(grid), expression(block), expression(smem))
        )
        return self.session.handle(place.sibling(2))

    @transformation
    def seq_for_to_magic_thread_for(self, target: TargetLike) -> Handle:
        """Give each iteration of a loop to threads of its own, with a barrier after it that synchronises everything.

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

        Needs: a loop from 0 that counts up by one. Fails: when its iterations are not independent.
        """
        place = self.session.find(target, "for")
        loop = self._plain(place)
        following = self.session.around(place)[place.index + 1 :]
        barrier: Body = () if following and is_call(following[0], "magic_barrier") else (_magic_barrier(),)
        self.session.put(place, replace(loop, mode=Mode.MAGIC_THREAD, contract=()), *barrier)
        return self.session.handle(place)

    @transformation
    def hoist_barrier(self, target: TargetLike) -> Handle:
        """Move a magic barrier at the end of a loop's body behind the loop.

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

        Needs: a magic barrier that is last in the body of a loop. Fails: when what follows needs it earlier.
        """
        place = self.session.find(target, "call")
        s = self.session.at(place)
        if not is_call(s, "magic_barrier"):
            raise refuse("this is not a magic barrier", s)
        if len(place.path) < 2 or place.index != len(self.session.around(place)) - 1:
            raise refuse("the barrier is not last in the body of a loop", s)
        loop = place.parent
        following = self.session.around(loop)[loop.index + 1 :]
        program = replace_at(self.session.program, place)
        if not (following and is_call(following[0], "magic_barrier")):
            program = insert_at(program, loop.sibling(1), s)
        self.session.update(program)
        return self.session.handle(loop.sibling(1))

    @transformation
    def convert_magic_thread_fors(self, target: TargetLike) -> Handle:
        """Make all magic thread loops in a statement, itself included, real ones.

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

        Needs: a statement in a kernel. Fails: OG347 when the extents do not divide the threads.
        """
        place = self.session.find(target, "for")

        def real(s: Stmt) -> Stmt:
            if isinstance(s, For) and s.mode is Mode.MAGIC_THREAD:
                s = replace(s, mode=Mode.THREAD)
            return map_bodies(s, lambda b: tuple(real(x) for x in b))

        self.session.put(place, real(self.session.at(place)))
        return self.session.handle(place)

    @transformation
    def convert_to_global_mem(self, target: TargetLike) -> Handle:
        """Let an allocation live in global memory of the GPU.

        Before:
            float* const t = MALLOC1(float, n);
            free(t);
        Step: s.gpu.convert_to_global_mem("t")
        After:
            float* const t = __gmem_malloc1<float>(n);
            gmem_free(t);

        Needs: an allocation of the host. Fails: OG348 when the host accesses it.
        """
        place = self.session.find(target, "decl")
        self.session.update(_to_global(self.session.program, place, self._allocation(place)))
        return self.session.handle(place)

    @transformation
    def convert_to_shared_mem(self, target: TargetLike, *, pad: pad | None = None) -> Handle:
        """Let an array declared at block level live in shared memory.

        Before:
            float t[32];
            t[0] = 0.0f;
        Step: s.gpu.convert_to_shared_mem("t")
        After:
            __shared__ float t[32];
            t[0] = 0.0f;

        Needs: a local array with constant sizes. Fails: OG346 when it is not at block level.
        """
        place = self.session.find(target, "decl")
        self.session.put(place, _shared(self._declaration(place), pad))
        return self.session.handle(place)

    @transformation
    def convert_to_register_mem(self, target: TargetLike, dims: int) -> Handle:
        """Let an array declared at block level live in registers: its first `dims` dimensions number the threads.

        Before:
            float t[4][8][2];
            t[0][1][0] = 0.0f;
        Step: s.gpu.convert_to_register_mem("t", 2)
        After:
            float* const t = __treg_malloc1<float>(2);
            t[DMINDEX2(4, 8, 0, 1)][0] = 0.0f;

        Needs: each thread accesses only its own part. Fails: OG344 when one accesses another's.
        """
        place = self.session.find(target, "decl")
        decl = self._declaration(place)
        i, after = place.index, self.session.around(place)[place.index + 1 :]
        new = _registers(decl, after, dims)
        self.session.update(edit_body(self.session.program, place, lambda b: (*b[:i], *new)))
        return self.session.handle(place)

    @transformation
    def magic_barrier_to_blocksync(self, target: TargetLike) -> Handle:
        """Realise a magic barrier as a barrier of the block.

        Before:
            magic_barrier();
        Step: s.gpu.magic_barrier_to_blocksync(Call("magic_barrier"))
        After:
            blocksync();

        Needs: a magic barrier at block level. Fails: OG345 elsewhere.
        """
        place = self._magic(target)
        self.session.put(place, CallStmt(Call("blocksync", ()), id=self.session.at(place).id))
        return self.session.handle(place)

    @transformation
    def magic_barrier_to_teardown_sync(self, target: TargetLike) -> None:
        """Let the end of the kernel be the barrier.

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
        place = self._magic(target)
        following = self.session.around(place)[place.index + 1 :]
        if not following or not is_call(following[0], "kernel_teardown_begin"):
            raise refuse("the kernel does not end here", self.session.at(place), "s.gpu.magic_barrier_to_blocksync")
        self.session.put(place)

    # Everything at once ---------------------------------------------------------------------------------------------------

    @transformation
    def launch(
        self,
        *,
        grid: Sequence[str],
        block: Sequence[str],
        at: TargetLike | None = None,
        shared: Mapping[str, pad | None] | Sequence[str] = (),
        registers: Mapping[str, int] | None = None,
        host_copies: Sequence[str] | None = None,
        blocks_per_multiprocessor: int | None = None,
    ) -> Handle:
        """Make a loop nest a kernel: `grid` loops are blocks, `block` loops are threads, `shared` and `registers` say where local
        arrays live. Arrays of the host are copied in and out, single statements are given to one thread, variables that they assign
        for other threads are shared, and barriers are put where the proof needs them. `blocks_per_multiprocessor` asks the compiler
        to leave registers for so many blocks at once.

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

        Needs: loops from 0 that count up by one; block loops with constant extents, the same number of threads in each nest.
        Fails: when threads depend on each other in a way that barriers of the block cannot order.
        """
        if not grid or not block:
            raise refuse("name at least one loop for the grid and one for the block", code="OG604")
        if blocks_per_multiprocessor is not None and blocks_per_multiprocessor < 1:
            raise refuse("a multiprocessor holds at least one block", code="OG604")
        place = self.session.find(ForTarget(grid[0]) if at is None else at, "for")
        arrays = dict.fromkeys(shared) if not isinstance(shared, Mapping) else dict(shared)
        kernel = _Kernel(self, place, list(grid), list(block), arrays, dict(registers or {}))
        nest = kernel.converted()
        statement_id = nest.id
        self._install(place, nest, kernel, host_copies)
        if blocks_per_multiprocessor is not None:
            launch = find_statement(self.session.program, statement_id).sibling(-2)
            self.session.residents[self.session.at(launch).id] = blocks_per_multiprocessor
        self._barriers(statement_id)
        return self.session.handle(find_statement(self.session.program, statement_id))

    def _install(self, place: StatementPath, nest: For, kernel: _Kernel, host_copies: Sequence[str] | None) -> None:
        """Put the launch and the copies around the nest."""
        program = self.session.program
        before: list[Stmt] = []
        after: list[Stmt] = []
        frees: list[Stmt] = []
        for name in self._host_arrays(place, nest):
            if host_copies is not None and name not in host_copies:
                raise refuse(f"the kernel accesses `{name}`, which is not in host_copies", nest, code="OG604")
            local = self._own_allocation(place, name)
            if local is not None:
                program = _to_global(program, local[0], local[1])
                continue
            array = array_of(self.session, place, name)
            dims = [d for d in array.dims if d is not None]
            if len(dims) != len(array.dims):
                raise refuse(f"the sizes of `{name}` are not known", nest)
            device = self.session.fresh(f"d_{name}", place)
            nest = replace(nest, body=substitute_body(nest.body, {name: Var(device)}))
            before.append(Decl(device, _pointer(array.elem), Alloc(array.elem, tuple(dims), Space.GMEM), const=True))
            if self._copy_in(place, nest, name, device):
                before.append(_memcpy("host_to_device", device, name, dims))
            if _writes(nest, device):
                after.append(_memcpy("device_to_host", name, device, dims))
            frees.append(CallStmt(Call("gmem_free", (Var(device),))))
        allocations = [s for s in before if isinstance(s, Decl)]
        copies = [s for s in before if not isinstance(s, Decl)]
        launched = _launched(nest, kernel.blocks(), lit(kernel.threads), kernel.bytes(nest))
        self.session.update(replace_at(program, place, *allocations, *copies, *launched, *after, *frees))

    def _host_arrays(self, place: StatementPath, nest: For) -> list[str]:
        """Arrays of the host that the nest uses, in the order of parameters and declarations."""
        used = body_free_vars((nest,))
        f = self.session.function_of(place)
        order = [p.name for p in f.params] + [s.name for s in statements(f.body) if isinstance(s, Decl)]
        out: list[str] = []
        for name in dict.fromkeys(order):
            t = declared(self.session, place, name) if name in used else None
            if isinstance(t, Array) and t.space is Space.ANY:
                out.append(name)
            elif isinstance(t, Scalar) and any(
                root_name(x.target) == name for x in statements((nest,)) if isinstance(x, Store)
            ):
                raise refuse(
                    f"the kernel assigns `{name}`, a variable of the host",
                    nest,
                    "s.loop.hoist gives each its own",
                )
        return out

    def _own_allocation(self, place: StatementPath, name: str) -> tuple[StatementPath, Decl] | None:
        """An allocation of this function that nothing but this nest and its free uses."""
        body = self.session.around(place)
        for i, s in enumerate(body[: place.index]):
            if isinstance(s, Decl) and s.name == name and isinstance(s.init, Alloc):
                rest = [x for j, x in enumerate(body) if j > i and j != place.index]
                users = [x for x in rest if name in body_free_vars((x,)) and not is_call(x, "free")]
                if not users:
                    return place.sibling(i - place.index), s
        return None

    def _copy_in(self, place: StatementPath, nest: For, name: str, device: str) -> bool:
        """Are there contents to copy? Not for what the contract only promises to write, nor for fresh allocations."""
        f = self.session.function_of(place)
        if any(p.name == name for p in f.params):
            claims = [i.body for c in f.contract if c.kind not in ("writes", "produces") for i in c.items]
            if any(name in free_vars(e) for e in claims):
                return True
        earlier = self.session.around(place)[: place.index]
        return any(
            _writes(s, name) or any(name in free_vars(e) for e in stmt_exprs(s))
            for s in earlier
            if not _declares(s, name)
        )

    # Barriers -------------------------------------------------------------------------------------------------------------

    def _barriers(self, statement_id: object) -> None:
        """Insert a barrier where the checker reports that threads of a block are not ordered, until it reports none."""
        for _ in range(MOST_BARRIERS):
            problem = self._problem()
            if problem is None or problem.code not in RACES or not problem.statement:
                return
            f = next(
                f for f in self.session.program.functions() if any(s.id is statement_id for s in statements(f.body))
            )
            numbered = [place for place, _ in statements_of(f)]
            if problem.statement > len(numbered) or not self._repaired(problem, numbered[problem.statement - 1]):
                return

    def _repaired(self, problem: Problem, place: StatementPath) -> bool:
        """Is there a point where a barrier helps? The outermost is tried first, where it runs least often."""
        before = self.session.program
        statement_id = self.session.at(place).id
        loop = self.session.at(place)
        ended = problem.code == "OG352" and isinstance(loop, For)
        for point in [place.child(len(loop.body))] if ended and isinstance(loop, For) else self._barrier_points(place):
            self.session.update(insert_at(before, point, blocksync()))
            left = self._problem()
            if left is None or left.code not in RACES or self._statement(left) != statement_id:
                base = str(problem.data.get("base", "")).split("~", maxsplit=1)[0]
                done = (
                    f"`{base}` is complete before other threads use it" if base else "shared memory is no longer in use"
                )
                self.session.reasons[self.session.at(point).id] = done
                return True
            self.session.program = before
        return False

    def _statement(self, problem: Problem) -> object:
        """The id of the statement that a problem is about."""
        for f in self.session.program.functions():
            statement_ids = [s.id for s in statements(f.body)]
            if f.name == problem.data.get("function") and 0 < problem.statement <= len(statement_ids):
                return statement_ids[problem.statement - 1]
        return None

    def _problem(self) -> Problem | None:
        result = self.session.verifier.verify(self.session.program)
        failed = [f for f in result.functions if f.verdict is not Verdict.VERIFIED]
        return failed[0].problem if failed else None

    def _barrier_points(self, place: StatementPath) -> list[StatementPath]:
        """Points at block level before a statement, outermost first; then the ends of the loops around."""
        before: list[StatementPath] = []
        ends: list[StatementPath] = []
        for p in [*place.ancestors(), place]:
            s, body = self.session.at(p), self.session.around(p)
            around = self.session.at(p.parent) if len(p.path) > 1 else None
            at_block_level = (
                not isinstance(around, For) or around.mode is not Mode.THREAD or self._has_block_level(around)
            )
            if (
                around is not None
                and at_block_level
                and not (isinstance(s, For) and s.mode is Mode.THREAD and self._has_block_level(s))
            ):
                if p.index == 0 or not is_call(body[p.index - 1], "blocksync"):
                    before.append(p)
                if isinstance(around, For) and around.mode is not Mode.THREAD and not is_call(body[-1], "blocksync"):
                    ends.append(p.sibling(len(body) - p.index))
            if isinstance(s, For) and s.mode is Mode.THREAD and not self._has_block_level(s):
                break
        return before + ends

    def _has_block_level(self, loop: For) -> bool:
        """Is the body of this loop run by a whole block? It declares shared memory, has barriers, or several loops."""
        inner = [s for s in loop.body if not isinstance(s, Decl)]
        if any(isinstance(s, Decl) and isinstance(s.type, Array) and s.type.space is Space.SMEM for s in loop.body):
            return True
        if any(is_call(s, "blocksync") for s in inner):
            return True
        nested = [s for s in inner if any(isinstance(x, For) and x.mode is Mode.THREAD for x in statements((s,)))]
        if len(nested) > 1:
            return True
        return (
            len(nested) == 1
            and isinstance(nested[0], For)
            and (nested[0].mode is not Mode.THREAD or self._has_block_level(nested[0]))
        )

    @transformation
    def stay_on_device(self) -> None:
        """Leave out copies to the host and back between kernels, where the host does not look at them.

        Before:
            float* const d_a = __gmem_malloc1<float>(n);
            memcpy_host_to_device1(d_a, a, n);
            memcpy_device_to_host1(a, d_a, n);
            gmem_free(d_a);
            float* const d_a1 = __gmem_malloc1<float>(n);
            memcpy_host_to_device1(d_a1, a, n);
            memcpy_device_to_host1(a, d_a1, n);
            gmem_free(d_a1);
        Step: s.gpu.stay_on_device()
        After:
            float* const d_a = __gmem_malloc1<float>(n);
            memcpy_host_to_device1(d_a, a, n);
            memcpy_device_to_host1(a, d_a, n);
            gmem_free(d_a);

        Needs: copies in the same body. Fails: never where the array is unchanged in between.
        """
        program = self.session.program
        for f in program.functions():
            program = edit_body(program, StatementPath(f.name, ((0, 0),)), resident)
        self.session.update(program)

    @transformation
    def remove_redundant_barriers(self) -> int:
        """Delete every barrier of a block without which the program still verifies; says how many there were.

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
        places = self.session.find_all(CallTarget("blocksync"))
        for place in reversed(places):
            before = self.session.program
            self.session.put(place)
            if self._problem() is None:
                removed += 1
            else:
                self.session.program = before
        return removed

    @transformation
    def vectorize(self, target: TargetLike, *, arrays: Sequence[str] | None = None) -> Handle:
        """Access neighbouring elements of global or shared memory by one instruction: a loop of 2 or 4 iterations becomes vector
        loads into registers, the loop on registers, and vector stores. What only copies leaves no loop. With `arrays`, only these
        are accessed by vectors.

        Before:
            float* const d_a = __gmem_malloc1<float>(128);
            float* const d_b = __gmem_malloc1<float>(128);
            thread for (int t = 0; t < 32; t++) {
              for (int v = 0; v < 4; v++) {
                d_b[4 * t + v] = 2.0f * d_a[4 * t + v];
              }
            }
        Step: s.gpu.vectorize("v")
        After:
            float* const d_a = __gmem_malloc1<float>(128);
            float* const d_b = __gmem_malloc1<float>(128);
            thread for (int t = 0; t < 32; t++) {
              float d_a4[4];
              float d_b4[4];
              vload4(&d_a4[0], &d_a[4 * t]);
              for (int v = 0; v < 4; v++) {
                d_b4[v] = 2.0f * d_a4[v];
              }
              vstore4(&d_b[4 * t], &d_b4[0]);
            }

        Needs: a loop in a kernel that counts from 0 to 2 or 4, with no condition around the accesses (s.loop.fast_path).
        Fails: OG353 when the first element is not known to be at a multiple of 2 or 4 in its array; others when an element is
        outside the array, or an iteration needs what an earlier one wrote.
        """
        place = self.session.find(target, "for")
        loop = self._plain(place)
        around = [self.session.at(p) for p in place.ancestors()]
        if not any(isinstance(s, For) and s.mode is Mode.THREAD for s in around):
            raise refuse("only threads of a kernel have vector accesses", loop, "s.gpu.launch comes first")
        wanted = accessed_arrays(loop) if arrays is None else list(arrays)
        types = {name: array_of(self.session, place, name) for name in accessed_arrays(loop)}
        for name in wanted:
            if name not in types:
                raise refuse(f"`{name}` is not accessed in this loop", loop, code="OG601")
        memory = {name: types[name] for name in wanted if types[name].space in (Space.GMEM, Space.SMEM)}
        own = {name for name, t in types.items() if t.space not in (Space.GMEM, Space.SMEM)}
        taken = program_names(self.session.function_of(place))
        self.session.put(place, *vectorized(loop, memory, own, taken))
        return self.session.handle(place)

    # Parts ----------------------------------------------------------------------------------------------------------------

    def _plain(self, place: StatementPath) -> For:
        loop = self.session.at(place)
        if not isinstance(loop, For):
            raise refuse("this is not a loop", loop)
        if not is_plain(loop):
            raise refuse(f"the loop over `{loop.index}` does not count up from 0 by one", loop, "s.loop.shift_range")
        return loop

    def _declaration(self, place: StatementPath) -> Decl:
        s = self.session.at(place)
        if not isinstance(s, Decl) or not dims_of(s):
            raise refuse("this is not the declaration of an array", s)
        return s

    def _allocation(self, place: StatementPath) -> Decl:
        s = self._declaration(place)
        if not isinstance(s.init, Alloc):
            raise refuse(f"`{s.name}` is not allocated with MALLOC", s)
        return s

    def _magic(self, target: TargetLike) -> StatementPath:
        place = self.session.find(target, "call")
        if not is_call(self.session.at(place), "magic_barrier"):
            raise refuse("this is not a magic barrier", self.session.at(place))
        return place


class _Kernel:
    """A loop nest on its way to a kernel."""

    def __init__(
        self,
        gpu: GpuTransforms,
        place: StatementPath,
        grid: list[str],
        block: list[str],
        shared: dict[str, pad | None],
        registers: dict[str, int],
    ) -> None:
        self.gpu, self.place, self.grid, self.block = gpu, place, grid, block
        self.shared, self.registers = shared, registers
        outer = gpu.session.at(place)
        if not isinstance(outer, For):
            raise refuse("the grid is not a loop", outer)
        self.outer = outer
        self.threads = self._threads()
        self.index = gpu.session.fresh("t", place)
        self.extents: list[Expr] = []

    def _threads(self) -> int:
        """The number of threads of a block, the same in every nest of block loops."""
        counts: set[int] = set()

        def walk(s: Stmt, so_far: int, depth: int) -> None:
            inner = [x for b in inner_bodies(s) for x in b]
            if isinstance(s, For) and s.index in self.block:
                n = value_of(counted(s).count)
                if n is None or not is_plain(s):
                    raise refuse(f"the extent of the block loop `{s.index}` is not a number", s, "s.loop.tile")
                so_far, depth = so_far * n, depth + 1
                if not any(isinstance(x, For) and x.index in self.block for y in inner for x in statements((y,))):
                    counts.add(so_far)
                    return
            for x in inner:
                walk(x, so_far, depth)

        walk(self.outer, 1, 0)
        if not counts:
            raise refuse(f"there is no loop over {', '.join(self.block)} in the grid", self.outer, code="OG601")
        if len(counts) > 1:
            numbers = ", ".join(map(str, sorted(counts)))
            raise refuse(f"the nests of block loops have different numbers of threads: {numbers}", self.outer)
        return counts.pop()

    def converted(self) -> For:
        out = self._grid(self.outer)
        assert isinstance(out, For)
        return out

    def _grid(self, s: Stmt) -> Stmt:
        """Above block level: loops of the grid."""
        if not isinstance(s, For) or s.index not in self.grid:
            raise refuse("only loops of the grid may stand here", s, "hoist it, or fission the loop around it")
        if not is_plain(s):
            raise refuse(f"the grid loop `{s.index}` does not count up from 0 by one", s, "s.loop.shift_range")
        self.extents.append(counted(s).count)
        inner = [x for x in s.body if isinstance(x, For) and x.index in self.grid]
        body = tuple(self._grid(x) for x in s.body) if inner else self._block_body(s.body)
        return replace(s, mode=Mode.THREAD, body=body, contract=(), hints=())

    def _block_body(self, body: Body) -> Body:
        """What a whole block runs: declarations of its memory, loops, and statements for one thread."""
        for i, s in enumerate(body):
            if isinstance(s, Decl) and s.name in self.registers:
                return (*self._block_body(body[:i]), *self._block_body_of_registers(s, body[i + 1 :]))
            if isinstance(s, Decl) and self._one_for_all(s, body[i:]):
                self.shared.setdefault(s.name)
                cells, *rest = _one_cell(s, body[i + 1 :])
                return (*self._block_body(body[:i]), *self._block_statement(cells), *self._block_body(tuple(rest)))
        out: list[Stmt] = []
        while body:
            alone = self._one_thread(body)
            out += [self._only(body[:alone])] if alone else self._block_statement(body[0])
            body = body[alone or 1 :]
        return tuple(out)

    def _one_for_all(self, s: Decl, body: Body) -> bool:
        """A variable that lives in shared memory: it is said to, or one thread assigns what others use."""
        if not isinstance(s.type, Scalar) or isinstance(s.init, Alloc):
            return False
        return s.name in self.shared or (s.name in assigned_names(body[1:]) and not self._one_thread(body))

    def _one_thread(self, body: Body) -> int:
        """How many statements a variable that is assigned needs: declared, assigned and used by one thread alone."""
        first = body[0]
        if not isinstance(first, Decl) or first.name not in assigned_names(body[1:]):
            return 0
        users = [k for k, s in enumerate(body) if first.name in body_free_vars((s,))]
        part = body[: users[-1] + 1]
        return 0 if any(isinstance(s, For) and s.index in self.block for s in statements(part)) else len(part)

    def _only(self, body: Body) -> Stmt:
        """Statements for the first thread of the block."""
        guard = Binary("==", Var(self.index), lit(0))
        return replace(up_to(self.index, lit(self.threads), (If(guard, body),)), mode=Mode.THREAD)

    def _block_body_of_registers(self, decl: Decl, rest: Body) -> Body:
        first, *others = _registers(decl, rest, self.registers[decl.name])
        return (first, *self._block_body(tuple(others)))

    def _block_statement(self, s: Stmt) -> list[Stmt]:
        match s:
            case Decl() if s.name in self.shared:
                return [_shared(s, self.shared[s.name])]
            case Decl() if isinstance(s.type, Array) or isinstance(s.init, Alloc):
                raise refuse(f"say where `{s.name}` lives", s, f'shared=["{s.name}"] or registers={{"{s.name}": …}}')
            case Decl() | CallStmt(Call("blocksync" | "free")):
                return [] if is_call(s, "free") else [s]
            case For(index) if index in self.block:
                return [self._threads_of(s)]
            case For() if self._has_block_loop(s):
                return [replace(s, body=self._block_body(s.body), contract=(), hints=s.hints)]
            case If() if self._has_block_loop(s):
                return [replace(s, then=self._block_body(s.then), other=self._block_body(s.other))]
            case Block() if self._has_block_loop(s):
                return [replace(s, body=self._block_body(s.body))]
            case _:
                return [self._only((s,))]

    def _threads_of(self, s: Stmt) -> Stmt:
        """A nest of block loops: threads, down to where no more of them are inside; over a warp's registers, a shuffle."""
        shuffle = as_shuffle(s)
        if shuffle is not None:
            return shuffle
        if isinstance(s, For) and s.index in self.block:
            s = replace(s, mode=Mode.THREAD, contract=(), hints=())
        return map_bodies(s, lambda b: tuple(self._threads_of(x) for x in b)) if self._has_block_loop(s) else s

    def _has_block_loop(self, s: Stmt) -> bool:
        return any(
            isinstance(x, For) and x.index in self.block for b in inner_bodies(s) for y in b for x in statements((y,))
        )

    def blocks(self) -> Expr:
        out: Expr = lit(1)
        for e in self.extents:
            out = times(out, e)
        return out

    def bytes(self, nest: For) -> Expr:
        """The shared memory of a block."""
        total: Expr = lit(0)
        for s in statements((nest,)):
            if isinstance(s, Decl) and isinstance(s.type, Array) and s.type.space is Space.SMEM:
                cells: Expr = lit(1)
                for d in dims_of(s):
                    cells = times(cells, d)
                total = plus(total, Binary("*", cells, SizeOf(s.type.elem)))
        return total


def _launched(s: Stmt, grid: Expr, block: Expr, smem: Expr) -> Body:
    def call(name: str, *args: Expr) -> Stmt:
        return CallStmt(Call(name, args))

    return (
        call("kernel_launch", grid, block, smem), call("kernel_setup_end"), s, call("kernel_teardown_begin"), call("kernel_kill"),
    )  # fmt: skip


def _magic_barrier() -> Stmt:
    return CallStmt(Call("magic_barrier", ()))


def _pointer(elem: Scalar):  # type: ignore[no-untyped-def]
    from optigpu.syntax.types import Pointer

    return Pointer(elem)


def _memcpy(direction: str, to: str, source: str, dims: list[Expr]) -> Stmt:
    return CallStmt(Call(f"memcpy_{direction}{len(dims)}", (Var(to), Var(source), *dims)))


def _writes(s: Stmt, name: str) -> bool:
    return any(isinstance(x, Store) and root_name(x.target) == name for x in statements((s,)))


def _declares(s: Stmt, name: str) -> bool:
    return isinstance(s, Decl) and s.name == name


def _to_global(program: Program, place: StatementPath, decl: Decl) -> Program:
    assert isinstance(decl.init, Alloc)
    free = CallStmt(Call("free", (Var(decl.name),)))
    i = place.index
    new = replace(decl, init=replace(decl.init, space=Space.GMEM))

    def change(body: Body) -> Body:
        rest = tuple(CallStmt(Call("gmem_free", (Var(decl.name),)), id=s.id) if s == free else s for s in body[i + 1 :])
        return (*body[:i], new, *rest)

    return edit_body(program, place, change)


def _shared(decl: Decl, padding: pad | None) -> Decl:
    dims = list(dims_of(decl))
    if any(value_of(d) is None for d in dims):
        raise refuse(f"the sizes of `{decl.name}` are not numbers", decl)
    by = () if padding is None else padding.by
    for k, extra in enumerate(reversed(by)):
        dims[-1 - k] = plus(dims[-1 - k], lit(extra))
    return Decl(decl.name, Array(elem_of(decl), tuple(dims), Space.SMEM), id=decl.id)


def _one_cell(decl: Decl, rest: Body) -> Body:
    """A variable as an array of one cell, which the threads of a block can share."""
    first = cell(decl.name, [lit(0)])
    start: Body = () if decl.init is None else (Store(first, decl.init),)
    array = replace(decl, type=Array(elem_of(decl), (lit(1),)), init=None, const=False)
    return (array, *start, *substitute_body(rest, {decl.name: first}))


def _registers(decl: Decl, rest: Body, dims: int) -> Body:
    sizes = dims_of(decl)
    if not 0 < dims <= len(sizes):
        raise refuse(f"`{decl.name}` has {len(sizes)} dimensions", decl, code="OG604")
    own = sizes[dims:]
    new = Decl(decl.name, _pointer(elem_of(decl)), Alloc(elem_of(decl), own, Space.TREG), const=True, id=decl.id)

    def one(x: Expr) -> Expr:
        if isinstance(x, Index) and x.base == Var(decl.name):
            if len(x.indices) < dims or (isinstance(x.indices[0], Call) and x.indices[0].func.startswith("DMINDEX")):
                return x
            thread = Call(f"DMINDEX{dims}", (*sizes[:dims], *x.indices[:dims]))
            return replace(x, indices=(thread, *x.indices[dims:]))
        return x

    from optigpu.transform.hoisting import is_free_of

    kept = tuple(s for s in rest if not is_free_of(s, decl.name))
    return (new, *rewrite_body(kept, lambda e: rewrite(e, one)))


def barriers(program: Program) -> Iterator[Stmt]:
    for f in program.functions():
        for s in statements(f.body):
            if is_call(s, "blocksync"):
                yield s
