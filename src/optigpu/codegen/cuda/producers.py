"""Pipelined loops whose tiles are copied by a producer: one more thread of the block, which starts bulk copies by the tensor memory
accelerator.

A copy of the arrays of such a loop has two barriers in shared memory: `full`, which the bulk copies complete, and `empty`, at which
each warp arrives that has used it. The producer runs through the same loops as the other threads, and does nothing but copy. So it
can only be used where these loops, conditions and places depend on no memory, and where the kernel does not write the arrays that
are copied: then what it copies is the same at any time.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import field

from optigpu.codegen.cuda.pipelines import (
    PipelinedLoop,
    at_stage,
    call,
    has_pipeline,
    is_pipelined,
    new_name,
    parts_of,
    plain_loop,
    staged,
)
from optigpu.codegen.cuda.sections import PROOF_ONLY
from optigpu.codegen.cuda.tile_shapes import is_swizzled
from optigpu.codegen.integer_polynomials import number
from optigpu.kernel.launch_rules import MOST_THREADS
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.builtins import TILE_COPY
from optigpu.syntax.exprs import Array, Binary, Call, Expr, Index, Int, Var
from optigpu.syntax.free_names import body_free_vars, free_vars
from optigpu.syntax.program import Block, Body, CallStmt, Decl, For, If, Mode, Stmt
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import BOOL, FLOAT, INT, STORED_FLOATS, UINT, UINT64, VOID, Scalar, Space
from optigpu.syntax.walk import map_bodies, reads_memory, root_name, statements, stmt_exprs

WARP = 32
FOUR_WARPS = 128
REGISTERS, MOST_REGISTERS = 65536, 240  # of a block that is alone on a multiprocessor; of a thread, by setmaxnreg
MAPPED = (FLOAT, *STORED_FLOATS)  # types of elements that bulk copies know
MOST_DIMENSIONS, MOST_ROWS = 5, 256  # of an array that bulk copies know; of a tile


@dataclass(frozen=True)
class ProducedKernel:
    """Device code whose tiles are copied by one thread more."""

    device: Body
    maps: tuple[TensorMap, ...]


@dataclass(frozen=True)
class TensorMap:
    """What a bulk copy has to know of an array in global memory: the tile, and the part of it that is copied at a time."""

    name: str
    array: str
    rows: int
    cols: int
    elem: Scalar  # of the tile


def by_a_producer(device: Body, threads: int, taken: set[str], written: Set[str]) -> ProducedKernel | str:
    """Device code with a producer, or why there is none. `threads`: those of a block without the producer; `written`: the arrays in
    global memory that the kernel writes."""
    nest: list[For] = []
    body = _code(device)
    while len(body) == 1 and isinstance(body[0], For) and body[0].mode is Mode.THREAD and has_pipeline(body):
        nest.append(body[0])
        body = _code(body[0].body)
    more = producer_threads(threads)
    if threads % more or threads + more > MOST_THREADS:
        return f"a block of {threads} threads has no room for {more} more, or is no multiple of them"
    unknown = _depending_on_memory(device)
    why = _refusal(body, unknown, written)
    if why:
        return why
    roles = _Roles(threads, taken, unknown)
    uses = roles.uses(body)
    copies = roles.copies(body)
    if not roles.maps:
        return "no tiles are copied"
    producer = Binary(">=", Var("threadIdx.x", type=UINT), Int(threads, UINT, type=UINT), type=BOOL)
    elected = Binary("==", Var("threadIdx.x", type=UINT), Int(threads, UINT, type=UINT), type=BOOL)
    fixed = has_fixed_registers(threads)
    give, take = (() if fixed else (call(f"{way}_registers", number(threads)),) for way in ("fewer", "more"))
    first = Binary("==", Var("threadIdx.x", type=UINT), Int(0, UINT, type=UINT), type=BOOL)
    start = If(first, roles.starts())
    copying = If(elected, (*roles.turns(), *copies))
    divided = If(producer, (*give, copying), (*take, *roles.turns(), *uses))
    block: Body = (*roles.declared, start, call("everyone_sync"), divided)
    for loop in reversed(nest):
        block = (replace(loop, body=block),)
    return ProducedKernel(block, tuple(roles.maps.values()))


def producer_threads(threads: int) -> int:
    """Threads more of a block with a producer, of which one works: a warp, or four where these give registers to the others."""
    return WARP if has_fixed_registers(threads) else FOUR_WARPS


def has_fixed_registers(threads: int) -> bool:
    """Do the threads of a block of `threads` with a producer have as many registers as they can use from the start?"""
    return registers_at_start(threads) >= MOST_REGISTERS


def registers_at_start(threads: int) -> int:
    """Registers of each thread of a block with four more warps that is alone on a multiprocessor."""
    return REGISTERS // (threads + FOUR_WARPS) // 8 * 8


def registers_of_roles(threads: int) -> tuple[int, int]:
    """Registers of a thread of the four warps of the producer, and of the `threads` others. They are those that the block has got
    at its start: if the others asked for more, they would wait for ever."""
    fewer = 40 if threads <= 2 * FOUR_WARPS else 24
    rest = registers_at_start(threads) * (threads + FOUR_WARPS) - fewer * FOUR_WARPS
    return fewer, min(MOST_REGISTERS, rest // threads // 8 * 8)


def _refusal(body: Body, unknown: Set[str], written: Set[str]) -> str:
    """Why a producer cannot copy the tiles of these loops; empty if it can."""

    def fixed(*es: Expr) -> bool:
        return _is_fixed(unknown, *es)

    for s in statements(body):
        match s:
            case For() | If() if not has_pipeline((s,)):
                continue
            case For(mode=mode, range=r) if mode is not Mode.SEQUENTIAL or not fixed(r.start, r.bound, r.amount):
                return f"not every thread knows the iterations of the loop over `{s.index}`"
            case If(test) if not fixed(test):
                return "a condition around a pipelined loop depends on memory"
            case For() if is_pipelined(s):
                if any(not fixed(*stmt_exprs_without_arrays(x)) for x in statements(parts_of(s).ahead)):
                    return "what runs ahead depends on memory"
                whys = (_refusal_of(x, written) for x in statements(parts_of(s).ahead))
                if why := next(filter(None, whys), ""):
                    return why
            case _:
                pass
    return ""


def _is_fixed(unknown: Set[str], *es: Expr) -> bool:
    """Does every thread, also one that executes nothing else, know the value?"""
    return not any(reads_memory(e) or free_vars(e) & unknown for e in es)


def _refusal_of(s: Stmt, written: Set[str]) -> str:
    """Why a producer cannot execute this statement of the part that runs ahead."""
    match s:
        case CallStmt(Call(func, (tile, source, *at))) if func == TILE_COPY:
            assert isinstance(tile.type, Array) and isinstance(source.type, Array)
            if not isinstance(source, Var):
                return "a part of an array is copied"
            if tile.type.elem not in MAPPED or len(source.type.dims) != len(at) or None in source.type.dims:
                return "bulk copies do not know such arrays"
            if not is_swizzled(tile.type.elem, tile.type.dims) or len(at) > MOST_DIMENSIONS:
                return "the rows of a tile are not those of bulk copies"
            rows = tile.type.dims[0]
            if not isinstance(rows, Int) or rows.value > MOST_ROWS:
                return "a tile has more rows than bulk copies"
            return f"the kernel writes `{root_name(source)}`" if root_name(source) in written else ""
        case Block() | If() | Decl(type=Scalar()):
            return ""
        case _:
            return "something else than copies of tiles runs ahead"


def stmt_exprs_without_arrays(s: Stmt) -> list[Expr]:
    """The numbers that a statement uses: of a copy of a tile, its place."""
    match s:
        case CallStmt(Call(func, (_, _, *at))) if func == TILE_COPY:
            return at
        case _:
            return stmt_exprs(s)


def _depending_on_memory(device: Body) -> set[str]:
    """Names of variables that change, and of constants whose values depend on these or on memory."""
    names = assigned_names(device)
    declared = [s for s in statements(device) if isinstance(s, Decl) and isinstance(s.type, Scalar)]
    before = -1
    while len(names) != before:
        before = len(names)
        names |= {
            s.name for s in declared if s.init is not None and (reads_memory(s.init) or free_vars(s.init) & names)
        }
    return names


@dataclass(frozen=True)
class ArrayGroup:
    """Shared arrays of a pipelined loop that are first and last used in the same statements, with their barriers."""

    arrays: frozenset[str]
    full: str
    empty: str


@dataclass(frozen=True)
class Pipe:
    """A pipelined loop with its groups of arrays, and the variable that counts its turns."""

    parts: PipelinedLoop
    turn: str
    groups: tuple[ArrayGroup, ...]

    def barrier(self, name: str) -> Expr:
        array = Var(name, type=Array(UINT64, (number(self.parts.stages),), Space.SMEM))
        return Index(array, (self.stage,), type=UINT64)

    @property
    def stage(self) -> Var:
        return Var(f"{self.turn}.stage", type=INT)

    def filled(self, g: ArrayGroup) -> CallStmt:
        return call("await_barrier", self.barrier(g.full), Var(f"{self.turn}.parity", type=UINT))

    def emptied(self, g: ArrayGroup) -> CallStmt:
        parity = Binary("^", Var(f"{self.turn}.parity", type=UINT), Int(1, UINT, type=UINT), type=UINT)
        return call("await_barrier", self.barrier(g.empty), parity)

    @property
    def next_turn(self) -> CallStmt:
        return call("next_turn", Var(self.turn))


@dataclass
class _Roles:
    """Divides the code of a block into what its threads do with tiles, and what the producer does."""

    threads: int
    taken: set[str]
    unknown: Set[str]  # names whose values not every thread knows
    declared: list[Decl] = field(default_factory=list)
    maps: dict[tuple[str, int, int, Scalar], TensorMap] = field(default_factory=dict)
    pipes: dict[int, Pipe] = field(default_factory=dict)  # by the identity of the loop

    def pipe(self, loop: For) -> Pipe:
        """The groups and barriers of a pipelined loop, which are declared when it is first asked for."""
        if id(loop) not in self.pipes:
            p = self.with_own_names(parts_of(loop))
            groups: list[ArrayGroup] = []
            for arrays in _used_together(p):
                full, empty = (new_name(f"{word}_{min(arrays)}", self.taken) for word in ("full", "empty"))
                groups.append(ArrayGroup(arrays, full, empty))
                barriers = Array(UINT64, (number(p.stages),), Space.SMEM)
                self.declared += [Decl(full, barriers), Decl(empty, barriers)]
            self.declared += [staged(d, p.stages) for d in p.arrays]
            self.pipes[id(loop)] = Pipe(p, new_name(f"{loop.index}_turn", self.taken), tuple(groups))
        return self.pipes[id(loop)]

    def with_own_names(self, p: PipelinedLoop) -> PipelinedLoop:
        """The parts of a loop with other names for arrays that are declared already: all arrays are declared in one place."""
        known = {d.name for d in self.declared}
        new = {n: Var(new_name(n, self.taken)) for n in p.names if n in known}
        arrays = tuple(replace(d, name=new[d.name].name) if d.name in new else d for d in p.arrays)
        return replace(p, arrays=arrays, ahead=substitute_body(p.ahead, new), rest=substitute_body(p.rest, new))

    def turns(self) -> Body:
        return tuple(call("pipeline_turn", Var(pipe.turn), number(pipe.parts.stages)) for pipe in self.pipes.values())

    def starts(self) -> Body:
        """Prepare the barriers: a producer fills a stage; each warp empties it."""
        out: list[Stmt] = []
        for pipe in self.pipes.values():
            for g in pipe.groups:
                for name, arrivals in ((g.full, 1), (g.empty, self.threads // WARP)):
                    array = Var(name, type=Array(UINT64, (number(pipe.parts.stages),), Space.SMEM))
                    out.append(call("start_barriers", array, number(pipe.parts.stages), number(arrivals)))
        return (*out, call("barriers_started"))

    # The threads that use tiles

    def uses(self, body: Body) -> Body:
        return tuple(self.use(s) for s in body)

    def use(self, s: Stmt) -> Stmt:
        if isinstance(s, CallStmt) and s.call.func == "blocksync":
            return replace(s, call=Call("users_sync", (number(self.threads),), type=VOID))
        if not (isinstance(s, For) and is_pipelined(s)):
            return map_bodies(s, self.uses)
        pipe = self.pipe(s)
        p = pipe.parts
        rest = at_stage(self.uses(p.rest), p.arrays, p.stages, pipe.stage)
        for g in pipe.groups:
            rest = _around_uses(rest, g.arrays, pipe.filled(g), call("leave_stage", pipe.barrier(g.empty)))
        return plain_loop(s, (*rest, pipe.next_turn))

    # The producer

    def copies(self, body: Body) -> Body:
        out: list[Stmt] = []
        for s in body:
            match s:
                case Decl(name, Scalar(), init) if init is not None and _is_fixed(self.unknown, init, Var(name)):
                    out.append(s)
                case For() if is_pipelined(s):
                    out.append(self.copying_loop(s))
                case For() | If() | Block() if has_pipeline((s,)):
                    out.append(map_bodies(s, self.copies))
                case _:
                    pass
        return tuple(out)

    def copying_loop(self, s: For) -> Stmt:
        pipe = self.pipe(s)
        out: list[Stmt] = []
        for g in pipe.groups:
            copied = self.bulk_copies(pipe.parts.ahead, pipe, g)
            out += [pipe.emptied(g), Block(copied), call("arrive_at_barrier", pipe.barrier(g.full))]
        return plain_loop(s, (*out, *self.copies(pipe.parts.rest), pipe.next_turn))

    def bulk_copies(self, body: Body, pipe: Pipe, g: ArrayGroup) -> Body:
        """The copies of the arrays of a group, as bulk copies that complete their barrier."""
        out: list[Stmt] = []
        for s in body:
            match s:
                case CallStmt(Call(func, (tile, source, *at))) if func == TILE_COPY:
                    if root_name(tile) in g.arrays:
                        out.append(self.bulk_copy(s, pipe, g, tile, root_name(source), at))
                case _:
                    out.append(map_bodies(s, lambda b: self.bulk_copies(b, pipe, g)))
        return tuple(out)

    def bulk_copy(self, s: CallStmt, pipe: Pipe, g: ArrayGroup, tile: Expr, source: str, at: list[Expr]) -> Stmt:
        assert isinstance(tile.type, Array)
        rows, cols = (d.value if isinstance(d, Int) else 0 for d in tile.type.dims[-2:])
        key = (source, rows, cols, tile.type.elem)
        if key not in self.maps:
            name = new_name(f"{source}_tiles", self.taken)
            self.maps[key] = TensorMap(name, source, rows, cols, tile.type.elem)
        copy = Call("bulk_copy", (tile, Var(self.maps[key].name), pipe.barrier(g.full), *reversed(at)), type=VOID)
        (staged_copy,) = at_stage((replace(s, call=copy),), pipe.parts.arrays, pipe.parts.stages, pipe.stage)
        return staged_copy


def _code(body: Body) -> Body:
    return tuple(s for s in body if not isinstance(s, PROOF_ONLY))


def _only_loop(body: Body) -> For | None:
    """The thread loop that is all of a body but declarations that read no memory."""
    code = [s for s in _code(body) if not _is_silent(s)]
    only = code[0] if len(code) == 1 else None
    return only if isinstance(only, For) and only.mode is Mode.THREAD else None


def _is_silent(s: Stmt) -> bool:
    """Is it a declaration that reads no memory?"""
    return isinstance(s, Decl) and not (isinstance(s.type, Scalar) and s.init is not None and reads_memory(s.init))


def _innermost(body: Body) -> Body:
    """The statements in the thread loops that are all of the body but declarations."""
    only = _only_loop(body)
    return body if only is None else _innermost(only.body)


def _used_together(p: PipelinedLoop) -> Iterator[frozenset[str]]:
    """The arrays of a pipelined loop in groups: those that the same statements use first and last."""
    spans: dict[tuple[int, int], set[str]] = {}
    body = _innermost(p.rest)
    for name in p.names:
        users = _users(body, _with_pointers(p.rest, frozenset((name,))))
        spans.setdefault((users[0], users[-1]) if users else (-1, -1), set()).add(name)
    return (frozenset(names) for names in spans.values())


def _with_pointers(body: Body, arrays: frozenset[str]) -> frozenset[str]:
    """These arrays and the pointers into them."""
    pointers = [s for s in statements(body) if isinstance(s, Decl) and not isinstance(s.type, Scalar)]
    while True:
        more = {s.name for s in pointers if s.init is not None and free_vars(s.init) & arrays} - arrays
        if not more:
            return arrays
        arrays |= more


def _users(body: Body, names: frozenset[str]) -> list[int]:
    """The positions of the statements with these names."""
    return [n for n, s in enumerate(body) if body_free_vars((s,)) & names]


def _around_uses(body: Body, arrays: frozenset[str], before: Stmt, after: Stmt) -> Body:
    """Put a statement before the first use of these arrays, and another one after the last one."""
    names = _with_pointers(body, arrays)
    only = _only_loop(body)
    if only is not None:
        inner = replace(only, body=_around_uses(only.body, names, before, after))
        return tuple(inner if s is only else s for s in body)
    users = _users(body, names) or [len(body) - 1]
    first, last = users[0], users[-1] + 1
    return (*body[:first], before, *body[first:last], after, *body[last:])
