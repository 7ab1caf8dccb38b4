"""A loop nest on its way to a kernel: which loops are blocks and threads, and which thread runs the statements between them."""

from __future__ import annotations

from typing import TypeGuard

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath
from optigpu.script.session import Session
from optigpu.syntax.exprs import Alloc, Array, Binary, Call, Expr, Var
from optigpu.syntax.free_names import body_free_vars
from optigpu.syntax.program import (
    Assert,
    Block,
    Body,
    CallStmt,
    Decl,
    For,
    Ghost,
    GhostEnd,
    If,
    Mode,
    Stmt,
    Store,
    is_call,
)
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.types import Scalar, Space
from optigpu.syntax.walk import inner_bodies, map_bodies, statements, subexpressions
from optigpu.transform.gpu.device_functions import functions_of
from optigpu.transform.gpu.kernel_tiles import KernelTiles, in_fragments, is_copy
from optigpu.transform.gpu.memory_spaces import as_one_cell, in_registers, pad, shared_declaration
from optigpu.transform.gpu.warp_shuffles import as_shuffle
from optigpu.transform.tools.counted_loops import counted, is_plain
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import lit, product, up_to, value_of


class KernelNest:
    """Turns the loops over `grid` and `block` indices of a nest into thread loops.

    Around the innermost grid loop only grid loops may stand. Its body is at block level: declarations go to shared memory or
    registers, nests of block loops become nests of thread loops, the whole block runs loops and conditions around them. A variable
    in 0 dimensions of registers is kept by every thread, and all of them run what assigns it. Any other statement runs on thread 0.
    """

    def __init__(
        self,
        session: Session,
        path: StatementPath,
        grid: list[str],
        block: list[str],
        shared: dict[str, pad | None],
        registers: dict[str, int],
        tiles: KernelTiles,
    ) -> None:
        self.grid, self.block, self.tiles = grid, block, tiles
        self.repeated = False  # does a loop that a block runs execute the statements again?
        self.shared = {**dict.fromkeys(tiles.copied), **shared}
        self.registers = {name: dims for name, dims in registers.items() if dims > 0}
        self.kept = {name for name, dims in registers.items() if dims == 0}
        outer = session.at(path)
        if not isinstance(outer, For):
            raise refuse("the grid is not a loop", outer)
        self.outer = outer
        self.functions = functions_of(session.program)
        self.threads = self._thread_count()
        self.thread_index = session.fresh("t", path)
        self.grid_extents: list[Expr] = []

    def _thread_count(self) -> int:
        """The number of threads of a block, which is the same in every nest of block loops."""
        counts = set(self._thread_counts(self.outer, 1))
        if not counts:
            raise refuse(f"there is no loop over {', '.join(self.block)} in the grid", self.outer, code="OG601")
        if len(counts) > 1:
            numbers = ", ".join(map(str, sorted(counts)))
            raise refuse(f"the nests of block loops have different numbers of threads: {numbers}", self.outer)
        return counts.pop()

    def _thread_counts(self, s: Stmt, around: int) -> list[int]:
        """The number of threads of each nest of block loops in a statement; those around it have `around` threads."""
        if is_copy(s):
            return []
        if self._is_block_loop(s):
            extent = value_of(counted(s).count)
            if extent is None or not is_plain(s):
                raise refuse(f"the extent of the block loop `{s.index}` is not a number", s, "s.loop.tile")
            around *= self.tiles.group if self.tiles.is_rows(s) else extent
            if not self._has_block_loop(s):
                return [around]
        return [n for body in inner_bodies(s) for x in body for n in self._thread_counts(x, around)]

    def converted(self) -> For:
        """The nest as the body of a kernel."""
        return self._grid_loop(self.outer)

    def _grid_loop(self, s: Stmt) -> For:
        if not isinstance(s, For) or s.index not in self.grid:
            raise refuse("only loops of the grid may stand here", s, "hoist it, or fission the loop around it")
        if not is_plain(s):
            raise refuse(f"the grid loop `{s.index}` does not count up from 0 by one", s, "s.loop.shift_range")
        self.grid_extents.append(counted(s).count)
        is_innermost = not any(isinstance(x, For) and x.index in self.grid for x in s.body)
        body = self._block_body(s.body) if is_innermost else tuple(map(self._grid_statement, s.body))
        return replace(s, mode=Mode.THREAD, body=body, contract=(), hints=())

    def _grid_statement(self, s: Stmt) -> Stmt:
        """A statement between the loops of the grid."""
        return s if isinstance(s, Ghost | GhostEnd | Assert) else self._grid_loop(s)

    def _block_body(self, body: Body) -> Body:
        """Statements that a whole block runs."""
        if self.tiles.has_copies(body):
            return self._block_body(self.tiles.with_copies(body, self.repeated))
        for i, s in enumerate(body):
            if isinstance(s, Decl) and self.tiles.fragments.get(s.name, 0) > 0:
                decl, *rest = in_fragments(s, body[i + 1 :], self.tiles.fragments[s.name])
                return (*self._block_body(body[:i]), decl, *self._block_body(tuple(rest)))
            if isinstance(s, Decl) and s.name in self.registers:
                decl, *rest = in_registers(s, body[i + 1 :], self.registers[s.name])
                return (*self._block_body(body[:i]), decl, *self._block_body(tuple(rest)))
            if isinstance(s, Decl) and self._is_shared_variable(s, body[i:]):
                self.shared.setdefault(s.name)
                cells, *rest = as_one_cell(s, body[i + 1 :])
                return (*self._block_body(body[:i]), *self._block_statement(cells), *self._block_body(tuple(rest)))
        out: list[Stmt] = []
        while body:
            alone = self._one_thread(body)
            out += [self._on_first_thread(body[:alone])] if alone else self._block_statement(body[0])
            body = body[alone or 1 :]
        return tuple(out)

    def _is_shared_variable(self, s: Decl, body: Body) -> bool:
        """Must a scalar be in shared memory, because the user says so, or because one thread assigns it and others use it?"""
        if not isinstance(s.type, Scalar) or isinstance(s.init, Alloc) or s.name in self.kept:
            return False
        if s.name in self.shared or (s.init is not None and self._calls_function_of_one_thread(s.init)):
            return True
        return s.name in assigned_names(body[1:]) and not self._one_thread(body)

    def _calls_function_of_one_thread(self, e: Expr) -> bool:
        calls = (self.functions.get(x.func) for x in subexpressions(e) if isinstance(x, Call))
        return any(f is not None and f.token("ThreadsCtx") is None for f in calls)

    def _one_thread(self, body: Body) -> int:
        """The number of statements up to the last use of the variable that the first one declares, if it is assigned and used
        outside block loops only: one thread can run them. Else 0."""
        first = body[0]
        if not isinstance(first, Decl) or first.name in self.kept or first.name not in assigned_names(body[1:]):
            return 0
        users = [k for k, s in enumerate(body) if first.name in body_free_vars((s,))]
        part = body[: users[-1] + 1]
        return 0 if any(self._is_block_loop(s) for s in statements(part)) else len(part)

    def _on_first_thread(self, body: Body) -> Stmt:
        guard = Binary("==", Var(self.thread_index), lit(0))
        return replace(up_to(self.thread_index, lit(self.threads), (If(guard, body),)), mode=Mode.THREAD)

    def _block_statement(self, s: Stmt) -> list[Stmt]:
        match s:
            case Decl() if s.name in self.shared:
                return [shared_declaration(s, self.shared[s.name])]
            case Decl() if isinstance(s.type, Array) or isinstance(s.init, Alloc):
                raise refuse(f"say where `{s.name}` lives", s, f'shared=["{s.name}"] or registers={{"{s.name}": …}}')
            case Decl() if isinstance(s.init, Alloc) and s.init.space is Space.FRAG:
                return [s]
            case Decl() | CallStmt(Call("blocksync" | "free" | "tile_load")):
                return [] if is_call(s, "free") else [s]
            case For() if self._is_block_loop(s):
                return [self._thread_loops(s)]
            case For() if self._has_block_loop(s):
                outer, self.repeated = self.repeated, True
                inside = self._block_body(s.body)
                self.repeated = outer
                return [replace(s, body=inside, contract=())]
            case Ghost() | GhostEnd() | Assert():
                return [s]
            case If() if self._has_block_loop(s):
                return [replace(s, then=self._block_body(s.then), other=self._block_body(s.other))]
            case Block() if self._has_block_loop(s):
                return [replace(s, body=self._block_body(s.body))]
            case Store() | For() | If() | Block() if self._assigns_only_kept(s):
                return [s]
            case _:
                return [self._on_first_thread((s,))]

    def _assigns_only_kept(self, s: Stmt) -> bool:
        """Does a statement change nothing but variables that every thread keeps, and its own?"""
        inside = list(statements((s,)))
        own = {x.name for x in inside if isinstance(x, Decl)}
        plain = all(
            isinstance(x, Decl | For | If | Block) or (isinstance(x, Store) and isinstance(x.target, Var))
            for x in inside
        )
        return plain and assigned_names((s,)) <= self.kept | own

    def _thread_loops(self, s: Stmt) -> Stmt:
        """A nest of block loops as thread loops; a loop over a warp's lanes that copies registers as a shuffle."""
        shuffle = as_shuffle(s)
        if shuffle is not None:
            return shuffle
        if isinstance(s, For) and self.tiles.is_rows(s):
            return self.tiles.of_group(s)
        if self._is_block_loop(s):
            s = replace(s, mode=Mode.THREAD, contract=(), hints=())
        inside = map_bodies(s, lambda b: tuple(self._thread_loops(x) for x in b)) if self._has_block_loop(s) else s
        return self.tiles.declared(inside)

    def _is_block_loop(self, s: Stmt) -> TypeGuard[For]:
        return isinstance(s, For) and (s.index in self.block or self.tiles.is_rows(s))

    def _has_block_loop(self, s: Stmt) -> bool:
        """Is there a block loop inside the statement?"""
        return any(self._is_block_loop(x) for body in inner_bodies(s) for x in statements(body))

    def blocks(self) -> Expr:
        return product(self.grid_extents)
