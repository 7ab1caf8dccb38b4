"""Calls that stand as statements: launches and their phases, barriers, shuffles, vector accesses, copies, frees, plain calls."""

from __future__ import annotations

from optigpu.elaborate.expression_values import ExpressionElaborator
from optigpu.elaborate.ghost_steps import given_step
from optigpu.elaborate.name_scope import Names, sort_of, unsupported
from optigpu.frontend.collective_contracts import synchronised_variables
from optigpu.kernel import instructions as kc
from optigpu.kernel.memory_copies import copying
from optigpu.logic import terms as k
from optigpu.syntax.builtins import CONTROL_CALLS, MEMORY_CALLS, SHUFFLES, VECTOR_CALLS
from optigpu.syntax.exprs import Array, Call, Var
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
        elif call.func in BARRIER_GROUP:
            given_step(self, {"H": Var("block_sync_mem")}, names)
            self.code.append(kc.Barrier(BARRIER_GROUP[call.func], at=at))
        else:
            raise unsupported(f"`{call.func}` cannot be checked yet", call.loc)
