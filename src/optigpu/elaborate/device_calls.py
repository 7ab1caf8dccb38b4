"""Calls that stand as statements: launches and their phases, barriers, shuffles, vector accesses, copies, frees, plain calls."""

from __future__ import annotations

from optigpu.elaborate.expression_values import ExpressionElaborator
from optigpu.elaborate.ghost_steps import given_step
from optigpu.elaborate.name_scope import Names, sort_of, unsupported
from optigpu.frontend.collective_contracts import synchronised_variables
from optigpu.kernel import instructions as kc
from optigpu.kernel.memory_copies import copying
from optigpu.logic import terms as k
from optigpu.logic.cells import Terms
from optigpu.syntax.builtins import (
    CONTROL_CALLS,
    MEMORY_CALLS,
    ROW_REDUCTIONS,
    SHUFFLES,
    TILE_CALLS,
    TILE_COPY,
    TILE_PRODUCTS,
    VECTOR_CALLS,
)
from optigpu.syntax.exprs import Array, Call, Expr, Var
from optigpu.syntax.program import Role
from optigpu.syntax.source import Loc

NEXT_PHASE = {"kernel_setup_end": "threads", "kernel_teardown_begin": "teardown", "kernel_kill": "host"}
BARRIER_GROUP = {"blocksync": "block", "warpsync": "warp", "magic_barrier": "magic", "kernel_teardown_sync": "kernel"}


class CallElaborator(ExpressionElaborator):
    def call_statement(self, call: Call, names: Names, loc: Loc) -> None:
        at = self.at(loc)
        if call.func in MEMORY_CALLS and "free" in call.func:
            self.free(call, names, at)
        elif call.func in SHUFFLES:
            to, source = (self.pointer(a, names) for a in call.args[:2])
            target, registers = (kc.ArrayView(p.base, p.lead, p.shift) for p in (to, source))
            self.code.append(kc.Shuffle(call.func, target, registers, self.expr(call.args[2], names), at=at))
        elif call.func in VECTOR_CALLS:
            self.vector(call, names, at)
        elif call.func in TILE_CALLS:
            self.tile_call(call, names, at)
        elif call.func in MEMORY_CALLS:
            self.copy(call, names, at)
        elif call.func in CONTROL_CALLS:
            self.control(call, names, at)
        elif call.func in self.functions:
            given_step(self, synchronised_variables(self.functions[call.func]), names)
            self.code.append(kc.Invoke(None, call.func, self.arguments(call, names), at=self.at_call(loc)))
        else:
            raise unsupported(f"`{call.func}` cannot be checked yet", loc)

    def free(self, call: Call, names: Names, at: int) -> None:
        array = self.pointer(call.args[0], names)
        if array.lead or array.shift is not k.ZERO:
            raise unsupported("only the start of an allocation can be freed", call.loc)
        self.freed_sizes(call, names)
        self.code.append(kc.Release(array.base, True, at=at))

    def freed_sizes(self, call: Call, names: Names) -> None:
        """`__smem_free2(s, n, m)` repeats the sizes that s was allocated with: oblige that they are equal."""
        type_ = call.args[0].type
        assert isinstance(type_, Array)
        for arg, d in zip(call.args[1:], type_.dims[1:] if type_.distributed else type_.dims):
            if d is not None:
                goal = k.eq(self.expr(arg, names), self.expr(d, names))
                self.oblige(goal, kc.Obligation.FREED_SIZES, arg.loc)

    def vector(self, call: Call, names: Names, at: int) -> None:
        """`vload4(&r[0], &a[4 * i])`: read all cells, then write all; the one in memory is aligned to the width."""
        width, way = VECTOR_CALLS[call.func]
        to, source = (self.pointer(a, names) for a in call.args)
        memory = source if way == "load" else to
        self.accesses.need(memory.base, width)
        self.oblige(
            self.accesses.aligned(kc.ArrayView(memory.base, memory.lead, memory.shift), width),
            kc.Obligation.ALIGNED,
            call.loc,
        )
        elem = call.args[0].type
        assert isinstance(elem, Array)
        sort = sort_of(elem.elem, call.loc)
        if source.base != to.base:  # then the order of the accesses does not matter, and a loop is shorter
            w, t = self.temporary(k.INT), self.temporary(sort)
            load = kc.LoadCell(t, kc.CellAddress(source.base, source.full((w,))), at=at)
            store = kc.StoreCell(kc.CellAddress(to.base, to.full((w,))), t, at=at)
            loop = kc.CountedLoop(w, k.ZERO, "<", k.num(width), "+", k.ONE, (load, store), kc.SEQUENTIAL, at=at)
            self.code.append(loop)
            return
        values = [self.temporary(sort) for _ in range(width)]
        for n, t in enumerate(values):
            self.code.append(kc.LoadCell(t, kc.CellAddress(source.base, source.full((k.num(n),))), at=at))
        for n, t in enumerate(values):
            self.code.append(kc.StoreCell(kc.CellAddress(to.base, to.full((k.num(n),))), t, at=at))

    def tile_call(self, call: Call, names: Names, at: int) -> None:
        """A product of tiles, a reduction of rows, or the copy of a tile."""
        if call.func in ROW_REDUCTIONS:
            vector, fragment = self.pointer(call.args[0], names), self.tile(call.args[1], names)
            (rows,), (_, cols) = self.sizes(vector.base, 1, call), self.sizes(fragment.base, 2, call)
            of_rows = kc.ArrayView(vector.base, vector.lead, vector.shift)
            self.code.append(kc.ReduceRows(ROW_REDUCTIONS[call.func], of_rows, fragment, rows, cols, at=at))
            return
        if call.func == TILE_COPY:
            if self.f.role is Role.DEVICE:
                raise unsupported("a device function copies no tiles: its arrays may be parts of others", call.loc)
            target = self.tile(call.args[0], names)
            *lead, row, col = (self.expr(a, names) for a in call.args[2:])
            source = kc.TileView(self.pointer(call.args[1], names).base, tuple(lead), row, col)
            inside = (
                k.and_(k.le(k.ZERO, x), k.lt(x, n)) for x, n in zip(lead, self.dims[source.base]) if n is not None
            )
            self.oblige(k.and_(*inside), kc.Obligation.POINTER, call.loc)
            rows, cols = self.sizes(target.base, 2, call)[-2:]
            height, width = self.sizes(source.base, 2, call)[-2:]
            self.code.append(kc.CopyTile(target, source, rows, cols, (height, width), at=at))
            return
        total, left, right = (self.tile(a, names) for a in call.args[:3])
        depth, across = self.expr(call.args[3], names), TILE_PRODUCTS[call.func]
        rows, cols = self.sizes(total.base, 2, call)
        self.code.append(kc.MultiplyTiles(total, left, right, rows, cols, depth, *across, at=at))

    def tile(self, e: Expr, names: Names) -> kc.TileView:
        """A matrix, a matrix of an array of matrices, or the part of a matrix from an element on."""
        p = self.pointer(e, names)
        rank = len(self.dims[p.base])
        if len(p.lead) == rank - 1:
            return kc.TileView(p.base, p.lead[:-1], p.lead[-1], p.shift)
        if len(p.lead) == rank - 2:
            return kc.TileView(p.base, p.lead, p.shift, k.ZERO)
        raise unsupported("this is not a tile: a matrix, or the part of one from an element on", e.loc)

    def sizes(self, base: str, count: int, call: Call) -> Terms:
        """The last sizes of an array, which are known."""
        known = tuple(d for d in self.dims[base][-count:] if d is not None)
        if len(known) != count:
            raise unsupported(f"the sizes of `{base}` are not known", call.loc)
        return known

    def copy(self, call: Call, names: Names, at: int) -> None:
        """A memcpy is a call of a function that the kernel defines, one for each rank and sort."""
        array = call.args[0].type
        assert isinstance(array, Array)
        name = f"{call.func}.{sort_of(array.elem, call.loc).name}"
        function = copying(name)
        source = call.args[1].type
        if function is None or not isinstance(source, Array) or source.elem != array.elem:
            raise unsupported("these arrays cannot be copied to each other", call.loc)
        self.out.copies[name] = function
        self.code.append(kc.Invoke(None, name, self.arguments(call, names), at=at))

    def control(self, call: Call, names: Names, at: int) -> None:
        """A launch, the phases of a kernel, and barriers."""
        if call.func == "kernel_launch":
            grid, block, shared = (self.expr(a, names) for a in call.args)
            self.code.append(kc.LaunchKernel(grid, block, shared, at=at))
        elif call.func in NEXT_PHASE:
            self.code.append(kc.Phase(NEXT_PHASE[call.func], at=at))
        elif call.func == "pipeline_wait":
            self.code.append(kc.AwaitStage(at=at))
        elif call.func in BARRIER_GROUP:
            given_step(self, {"H": Var("block_sync_mem")}, names)
            self.code.append(kc.Barrier(BARRIER_GROUP[call.func], at=at))
        else:
            raise unsupported(f"`{call.func}` cannot be checked yet", call.loc)
