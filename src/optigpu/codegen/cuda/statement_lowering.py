"""Lowers statements to the code of one thread: thread loops become coordinates, distributed dimensions disappear, constants are
folded.

The result is a `Body` again: what one CUDA thread runs. `statement_printer.py` prints it.
"""

from __future__ import annotations

from dataclasses import field

from optigpu.codegen.cuda.lowering_scope import ArrayInfo, LoweringScope, Storage
from optigpu.codegen.cuda.pipelines import unfit
from optigpu.codegen.cuda.sections import PROOF_ONLY
from optigpu.codegen.cuda.tensor_cores import RESULTS, ROUNDING, TENSOR_CALLS
from optigpu.codegen.cuda.thread_index import ThreadMap
from optigpu.codegen.cuda.tile_instructions import Helper
from optigpu.codegen.cuda.tile_shapes import is_swizzled
from optigpu.codegen.cuda.tiles import PIPELINE_CALLS, TileLowering
from optigpu.codegen.folding import simplify
from optigpu.codegen.integer_polynomials import binary, number, poly
from optigpu.codegen.value_ranges import inside_loop, is_stable
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.builtins import CONTROL_CALLS, INTEGER, MATH, NUMERIC, SHUFFLES, TILE_CALLS, VECTOR_CALLS
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import Addr, Alloc, Array, Binary, Bool, Call, Cast, Expr, Index, Int, Var, is_int
from optigpu.syntax.free_names import body_free_vars, fresh_name
from optigpu.syntax.polynomials import constant_polynomial
from optigpu.syntax.program import Block, Body, CallStmt, Decl, For, Function, If, Mode, Return, Role, Stmt, Store
from optigpu.syntax.types import BOOL, UINT, Pointer, Scalar, Space
from optigpu.syntax.walk import map_children, subexpressions

FULL_WARP = 0xFFFFFFFF


@dataclass
class Lowering(TileLowering):
    """Lowers bodies, and collects shared arrays, callees and vector accesses."""

    threads: ThreadMap | None  # None in host code and device functions
    functions: dict[str, Function]
    place: str  # "device" or "host", for error messages
    shared: list[ArrayInfo] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    vectors: dict[str, int] = field(default_factory=dict)  # array -> bytes of its widest vector access
    shared_names: set[str] = field(default_factory=set)  # names that shared arrays cannot take
    in_scope: set[frozenset[str]] = field(
        default_factory=set
    )  # shared arrays of which one is declared in the scope of the other
    taken: set[str] = field(default_factory=set)  # all names in use
    assigned: set[str] = field(default_factory=set)
    places: dict[str, Expr] = field(default_factory=dict)
    tiles: set[str] = field(default_factory=set)  # names of arrays that are copied as tiles, or multiplied
    helpers: dict[str, Helper] = field(default_factory=dict)
    block_threads: int = 0
    across: bool = False  # have fragments the layout of their transposes?

    def refuse(self, what: str, s: Stmt | Expr) -> InputError:
        return input_error("OG401", f"{what} has no counterpart in CUDA {self.place} code", s.loc)

    # Statements

    def body(self, body: Body, scope: LoweringScope) -> Body:
        out: list[Stmt] = []
        for i, s in enumerate(body):
            if isinstance(s, PROOF_ONLY):
                continue
            new, scope = self.statement(s, scope)
            if not isinstance(s, Decl) and self.clashes(new, out, body[i + 1 :]):
                new = (Block(new, id=s.id),)
            out.extend(x for x in new if not (is_barrier(x) and out and is_barrier(out[-1])))
        return tuple(out)

    def clashes(self, new: Body, before: list[Stmt], after: Body) -> bool:
        """Whether declarations of a thread loop's body, spliced into the enclosing body, would clash with others there."""
        declared = {x.name for x in new if isinstance(x, Decl)}
        others = {x.name for x in (*before, *after) if isinstance(x, Decl)}
        return bool(declared & (others | body_free_vars(after)))

    def statement(self, s: Stmt, scope: LoweringScope) -> tuple[Body, LoweringScope]:
        match s:
            case Decl():
                return self.declaration(s, scope)
            case Store(target, value):
                if (packed := self.packed_store(s, scope)) is not None:
                    return (packed,), scope
                to = self.expr(target, scope)
                assert isinstance(to, Index | Var)
                return (replace(s, target=to, value=self.folded(value, scope)),), scope
            case For():
                return self.loop(s, scope), scope
            case If(test, then, other):
                return self.conditional(s, test, then, other, scope), scope
            case Block(inner):
                new = self.body(inner, scope)
                return ((replace(s, body=new),) if any(isinstance(x, Decl) for x in new) else new), scope
            case CallStmt(call):
                return self.call_statement(s, call, scope), scope
            case Return(value):
                return (replace(s, value=None if value is None else self.folded(value, scope)),), scope
            case _:
                raise self.refuse("this statement", s)

    def declaration(self, s: Decl, scope: LoweringScope) -> tuple[Body, LoweringScope]:
        t = s.type
        if isinstance(t, Scalar):
            init = None if s.init is None else self.folded(s.init, scope)
            scope = scope.local(s.name)
            if init is not None and is_int(t) and s.name not in self.assigned:
                if isinstance(init, Int):
                    return (), scope.value(s.name, init)
                scope = replace(scope, ranges=scope.ranges.equal_to(s.name, init, self.assigned))
            return (replace(s, init=init),), scope
        if isinstance(t, Array) and t.dims and t.dims[0] is not None:
            dims = tuple(self.folded(d, scope) for d in t.dims if d is not None)
            if t.space is Space.SMEM:
                return self.shared_array(s.name, t.elem, dims, s, scope)
            if t.space is Space.FRAG:
                return self.fragment(s.name, t.elem, dims, scope.group, False, s, scope)
            storage = Storage.HOST if self.place == "host" else Storage.REGISTER
            new = replace(s, type=replace(t, dims=dims))
            return (new,), scope.local(s.name).array(ArrayInfo(s.name, t.elem, dims, storage))
        assert isinstance(t, Pointer | Array)
        if isinstance(s.init, Alloc):
            return self.allocation(s, s.init, scope)
        assert s.init is not None
        for x in subexpressions(s.init):
            if isinstance(x, Index) and not all(is_stable(i, self.assigned) for i in x.indices):
                message = f"the pointer `{s.name}` depends on something that may change: no counterpart in CUDA"
                raise input_error("OG401", message, s.loc, help="copy it to a const first")
        return (), scope.local(s.name).value(s.name, self.expr(s.init, scope))

    def allocation(self, s: Decl, init: Alloc, scope: LoweringScope) -> tuple[Body, LoweringScope]:
        dims = tuple(self.folded(d, scope) for d in init.dims)
        match init.space:
            case Space.TREG if self.place == "device":
                scope = scope.local(s.name).array(ArrayInfo(s.name, init.elem, dims, Storage.REGISTER, True))
                return (Decl(s.name, Array(init.elem, dims) if dims else init.elem, id=s.id),), scope
            case Space.FRAG if self.place == "device":
                groups, *sizes = dims
                group = (
                    scope.group // groups.value if isinstance(groups, Int) and scope.group and groups.value else None
                )
                return self.fragment(s.name, init.elem, tuple(sizes), group, True, s, scope)
            case Space.SMEM if self.place == "device":
                return self.shared_array(s.name, init.elem, dims, s, scope, distributed=True)
            case Space.GMEM | Space.ANY if self.place == "host":
                storage = Storage.GLOBAL if init.space is Space.GMEM else Storage.HOST
                first, *inner = dims
                if not all(is_stable(d, self.assigned) for d in inner):  # they are computed again at each access
                    message = f"an inner size of `{s.name}` may change after it is allocated: no counterpart in CUDA"
                    raise input_error("OG401", message, s.loc, help="copy it to a const first: const int k = …;")
                known = first if is_stable(first, self.assigned) else None
                info = ArrayInfo(s.name, init.elem, (known, *inner), storage, flat=True)
                return (replace(s, init=replace(init, dims=dims)),), scope.local(s.name).array(info)
            case _:
                raise self.refuse("this allocation", s)

    def shared_array(
        self, name: str, elem: Scalar, dims: tuple[Expr, ...], s: Decl, scope: LoweringScope, distributed: bool = False
    ) -> tuple[Body, LoweringScope]:
        """Shared arrays are declared at the top of the kernel, so an array whose name is taken there gets a fresh one."""
        if self.place != "device":
            raise self.refuse("shared memory", s)
        unique = fresh_name(name, self.taken) if name in self.shared_names else name
        self.shared_names.add(unique)
        self.taken.add(unique)
        swizzled = name in self.tiles and is_swizzled(elem, dims)
        info = ArrayInfo(unique, elem, dims, Storage.SHARED, distributed, swizzled=swizzled)
        self.shared.append(info)
        self.in_scope |= {frozenset((unique, a.name)) for a in scope.arrays.values() if a.storage is Storage.SHARED}
        return (), scope.local(name).array(info, name)

    def loop(self, s: For, scope: LoweringScope) -> Body:
        if s.mode is Mode.THREAD and self.threads is not None:
            return self.thread_loop(s, self.threads, scope)
        if s.mode is Mode.FRAG and self.threads is not None:
            return self.fragment_loop(s, scope)
        if s.mode in (Mode.THREAD, Mode.MAGIC_THREAD, Mode.FRAG):
            raise self.refuse("a magic thread loop" if s.mode is Mode.MAGIC_THREAD else "a thread loop here", s)
        if s.mode is Mode.PARALLEL and self.place == "device":
            raise self.refuse("an OpenMP loop", s)
        r = s.range
        start, bound, amount = (self.folded(e, scope) for e in (r.start, r.bound, r.amount))
        new_range = replace(r, start=start, bound=bound, amount=amount)
        inner = scope.local(s.index)
        inner = replace(inner, ranges=inside_loop(inner.ranges, replace(s, range=new_range), self.assigned))
        distance = (poly(bound) - poly(start)).constant
        if r.op == "+" and r.relation == "<" and distance is not None and distance <= 0:
            return ()
        if distance == 1 and r.op == "+" and r.relation == "<" and is_stable(start, self.assigned):
            new = self.body(s.body, scope.value(s.index, start))
            return (Block(new, id=s.id),) if any(isinstance(x, Decl) for x in new) else new
        new = self.body(s.body, inner)
        return (replace(s, range=new_range, body=new, contract=()),) if new else ()

    def thread_loop(self, s: For, threads: ThreadMap, scope: LoweringScope) -> Body:
        placed = threads.placed(s)
        alone = placed.coordinate.extent == constant_polynomial(1)  # also for threads that are no part of the loop
        v: Expr = number(0) if alone else Var(placed.name, type=s.index_type)
        start, step = self.folded(s.range.start, scope), self.folded(s.range.amount, scope)
        if not is_stable(start, self.assigned) or not is_stable(step, self.assigned):
            raise input_error("OG402", "this thread loop starts at, or steps by, something that may change", s.loc)
        index: Expr = v if step == number(1) else binary("*", step, v)
        index = index if start == number(0) else binary("+", start, index)
        inner = scope.local(s.index).ranged(
            placed.name, constant_polynomial(0), placed.coordinate.extent - constant_polynomial(1)
        )
        inner = replace(inner.value(s.index, index), group=placed.coordinate.stride.constant)
        if placed.coordinate.of == "grid":
            inner = replace(inner, group=threads.threads_per_block())
        return self.body(s.body, inner)

    def conditional(self, s: If, test: Expr, then: Body, other: Body, scope: LoweringScope) -> Body:
        condition = self.folded(test, scope)
        if isinstance(condition, Bool):
            chosen = self.body(then if condition.value else other, scope)
            return (Block(chosen, id=s.id),) if any(isinstance(x, Decl) for x in chosen) else chosen
        yes, no = self.body(then, scope), self.body(other, scope)
        match yes:
            case (If(inner, innermost, ()),) if not no:
                condition, yes = Binary("&&", condition, inner, type=BOOL), innermost
            case _:
                pass
        return (replace(s, test=condition, then=yes, other=no),) if yes or no else ()

    def call_statement(self, s: CallStmt, call: Call, scope: LoweringScope) -> Body:
        name = call.func
        if name in ("blocksync", "warpsync") and self.threads is not None:
            return (s,)
        if name in SHUFFLES and self.threads is not None:
            target, source = (self.register(a, scope) for a in call.args[:2])
            amount = self.folded(call.args[2], scope)
            mask = Int(FULL_WARP, UINT, type=UINT)
            value = Call(f"__{name}_sync", (mask, source, amount), type=source.type, loc=call.loc)
            return (Store(target, value, id=s.id),)
        if name in VECTOR_CALLS and self.place == "device":
            args = tuple(self.folded(a, scope) for a in call.args)
            width, way = VECTOR_CALLS[name]
            registers = {a.name for a in scope.arrays.values() if a.storage is Storage.REGISTER}
            for a in args:
                if self.note_vector(a, width) in registers and a is args[way == "load"]:
                    raise self.refuse("a vector access to an array of the thread's own, which begins anywhere,", s)
            return (replace(s, call=replace(call, args=args)),)
        if name in TILE_CALLS and self.place == "device":
            return (replace(s, call=self.tile_call(call, scope)),)
        if name in PIPELINE_CALLS and self.place == "device":
            return (replace(s, call=self.pipeline_call(call, scope)),)
        if name in TENSOR_CALLS and self.place == "device":
            results = tuple(self.expr(a, scope) for a in call.args[:RESULTS])
            operands = tuple(self.folded(a, scope) for a in call.args[RESULTS:])
            return (replace(s, call=replace(call, args=(*results, *operands))),)
        if name in CONTROL_CALLS or name not in self.functions:
            allowed = name.startswith("memcpy") or name in ("free", "gmem_free")
            if self.place == "host" and allowed:
                return (replace(s, call=replace(call, args=tuple(self.folded(a, scope) for a in call.args))),)
            raise self.refuse(f"`{name}`", s)
        lowered = self.folded(call, scope)
        assert isinstance(lowered, Call)
        return (replace(s, call=lowered),)

    def register(self, e: Expr, scope: LoweringScope) -> Var:
        """The thread's own register; the source names the registers of all 32 lanes by the first."""
        base = e
        while not isinstance(base, Var):
            match base:
                case Addr(arg):
                    base = arg
                case Index(inner, _):
                    base = inner
                case _:
                    raise self.refuse("this operand of a shuffle", e)
        info = scope.arrays.get(base.name)
        if info is None or info.storage is not Storage.REGISTER or info.dims:
            raise self.refuse("this operand of a shuffle", e)
        return Var(info.name, type=info.elem)

    def note_vector(self, e: Expr, width: int) -> str:
        """Record a vector access, which the array's alignment must allow; returns the array."""
        match e:
            case Addr(Index(Var(name), _)) | Var(name):
                elem = e.type.elem if isinstance(e.type, Array) else None
                assert elem is not None
                self.vectors[name] = max(self.vectors.get(name, 0), width * elem.size)
                return name
            case _:
                raise self.refuse("this operand of a vector access", e)

    # Expressions

    def folded(self, e: Expr, scope: LoweringScope) -> Expr:
        return simplify(self.expr(e, scope), scope.ranges)

    def expr(self, e: Expr, scope: LoweringScope) -> Expr:
        match e:
            case Var(name):
                if name in scope.arrays:
                    info = scope.arrays[name]
                    return replace(e, name=info.name)
                value = scope.values.get(name)
                return e if value is None else (replace(value, type=e.type) if isinstance(value, Int) else value)
            case Index(base, indices):
                return self.element(e, base, indices, scope)
            case Addr(Index(base, indices) as inside):
                return replace(e, arg=self.element(inside, base, indices, scope))
            case Call(name, args):
                self.check_call(e)
                own = tuple(self.expr(a, scope) for a in args)
                if name in self.functions:
                    self.require_plain(own, e)
                return replace(e, args=own)
            case Cast(_, arg, implicit) if implicit and isinstance(arg, Int) and is_int(e.type):
                return replace(arg, type=e.type)
            case Alloc():
                raise self.refuse("this allocation", e)
            case _:
                return map_children(e, lambda x: self.expr(x, scope))

    def require_plain(self, args: tuple[Expr, ...], e: Call) -> None:
        """The arrays that a function gets are not swizzled."""
        swizzled = {a.name for a in self.shared if a.swizzled}
        for x in (x for a in args if not isinstance(a.type, Scalar) for x in subexpressions(a)):
            if isinstance(x, Var) and x.name in swizzled:
                message = (
                    f"`{e.func}` gets a pointer into the tile `{x.name}`, whose elements only the kernel itself finds"
                )
                raise unfit(message, e.loc, help="give it the elements, or copy them to another array")

    def check_call(self, e: Call) -> None:
        if e.func in self.functions:
            f = self.functions[e.func]
            if self.place == "device" and f.role is not Role.DEVICE:
                raise input_error(
                    "OG401", f"`{e.func}` is host code: device code cannot call it", e.loc, help="mark it __device__"
                )
            if e.func not in self.called:
                self.called.append(e.func)
        elif (
            e.func not in MATH
            and e.func not in NUMERIC
            and e.func not in INTEGER
            and not e.func.startswith(("MINDEX", "MSIZE"))
            and e.func not in ROUNDING
        ):
            raise self.refuse(f"`{e.func}`", e)

    def element(self, e: Index, base: Expr, indices: tuple[Expr, ...], scope: LoweringScope) -> Expr:
        if not isinstance(base, Var):
            raise self.refuse("this access", e)
        info = scope.arrays.get(base.name)
        if info is not None and info.distributed:
            indices = indices[1:]
        indices = tuple(self.folded(i, scope) for i in indices)
        if info is None:
            pointer = scope.values.get(base.name)
            match pointer:
                case Var():
                    return replace(e, base=pointer, indices=indices)
                case Index(inner, outer):
                    return replace(e, base=inner, indices=outer + indices)
                case Addr(Index(inner, outer)):
                    last = simplify(binary("+", outer[-1], indices[0]), scope.ranges)
                    return replace(e, base=inner, indices=(*outer[:-1], last, *indices[1:]))
                case _:
                    raise self.refuse("this access", e)
        if self.place == "device" and info.storage is Storage.HOST:
            raise input_error("OG403", f"`{base.name}` is host memory: a kernel cannot use it", e.loc)
        if self.place == "host" and info.storage is Storage.GLOBAL:
            raise input_error("OG403", f"`{base.name}` is GPU memory: host code cannot use it", e.loc)
        if info.storage is Storage.FRAGMENT:
            return self.fragment_element(e, info, indices, scope)
        if info.distributed and not info.dims:
            return Var(info.name, type=info.elem, loc=e.loc)
        return replace(e, base=replace(base, name=info.name), indices=indices)


def is_barrier(s: Stmt) -> bool:
    return isinstance(s, CallStmt) and s.call.func == "blocksync"
