"""Arguments that a person might give to a transformation of the program as it is, and some that nobody would."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from optigpu.script import targets
from optigpu.script.editing import StatementPath, statements_of
from optigpu.script.resolution import searchable
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.syntax.exprs import Alloc, Array, Binary, Expr, Index, Int, Var
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import CallStmt, Decl, For, If, Mode, Stmt, Store
from optigpu.syntax.walk import rewrite, root_name, statements, stmt_exprs, subexpressions

T = TypeVar("T")
NEW = ("t", "u", "i", "j", "k", "x", "tile", "part", "sum", "a")
FUNCTION = 'void zero1(int n, float x[n]) { __writes("x ~> Matrix1(n, fun i -> 0)"); for (int q = 0; q < n; q++) { x[q] = 0.0f; } }'
WRONG_FUNCTION = 'void one1(float x[1]) { __writes("x ~> Matrix1(1, fun i -> 1)"); x[0] = 0.0f; }'


class Draw:
    """Random choices about a program. LookupError where there is nothing to choose from."""

    def __init__(self, rng: random.Random, script: Session) -> None:
        self.rng = rng
        self.script = script
        program = script.program
        self.statements = [
            (p, s) for f in program.functions() if f.name in searchable(program) for p, s in statements_of(f)
        ]

    def of(self, options: Sequence[T]) -> T:
        if not options:
            raise LookupError
        return self.rng.choice(options)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def target(
        self, kind: type[Stmt] | tuple[type[Stmt], ...], where: Callable[[Any], bool] = lambda s: True
    ) -> TargetLike:
        """A target for a statement of a kind, written in one of several ways; at times for one of another kind."""
        fit = [(p, s) for p, s in self.statements if isinstance(s, kind) and where(s)]
        return self.target_for(fit)

    def within(self) -> TargetLike:
        """A statement in the body of a loop, not the first one."""
        around = dict(self.statements)
        return self.target_for(
            [(p, s) for p, s in self.statements if p.index > 0 and isinstance(around.get(p.parent), For)]
        )

    def followed(self) -> TargetLike:
        """A loop after which another one comes."""
        around = dict(self.statements)
        return self.target_for(
            [(p, s) for p, s in self.statements if isinstance(s, For) and isinstance(around.get(p.sibling(1)), For)]
        )

    def target_for(self, fit: list[tuple[StatementPath, Stmt]]) -> TargetLike:
        if self.chance(0.04):
            fit = self.statements
        path, s = self.of(fit)
        match self.rng.randrange(8), s:
            case 0, For():
                return s.index
            case 1, For():
                return targets.For(s.index).nth(self.rng.randrange(-1, 2))
            case 0, Decl():
                return s.name
            case 1, Store():
                return targets.Write(root_name(s.target)).first
            case 2, _:
                return self.script.handle(path)
            case _:
                return path

    def statement(self, target: Any) -> tuple[StatementPath, Stmt]:
        """The statement that a drawn target means."""
        try:
            path = self.script.find(target)
        except Exception:
            return self.of(self.statements)
        return path, self.script.at(path)

    def index(self) -> str:
        return self.of([s.index for _, s in self.statements if isinstance(s, For)])

    def scalar(self) -> str:
        params = [p.name for f in self.script.program.functions() for p in f.params]
        return self.of([*[s.name for _, s in self.statements if isinstance(s, Decl)], *params])

    def array(self) -> str:
        """A name that is indexed somewhere."""
        return self.of(sorted({n for _, s in self.statements for n in indexed(s)}))

    def read_of(self, s: Stmt) -> str:
        return self.of(sorted(indexed(s)))

    def assigned(self, s: Stmt) -> str:
        """A variable that is assigned inside."""
        inside = statements(s.body) if isinstance(s, For) else iter((s,))
        return self.of(sorted({x.target.name for x in inside if isinstance(x, Store) and isinstance(x.target, Var)}))

    def used_in(self, s: Stmt) -> str:
        """An array that is used inside."""
        inside = statements(s.body) if isinstance(s, For) else iter((s,))
        return self.of(sorted({n for x in inside for n in indexed(x)}))

    def name(self) -> str:
        return self.of(NEW)

    def size(self) -> int | str:
        if self.chance(0.7):
            return self.of((2, 3, 4, 8, 1, 16, 64, 128, 0, -1))
        return self.of((self.integer(), f"{self.integer()} - 1", f"{self.integer()} + 1", f"{self.integer()} / 2"))

    def integer(self) -> str:
        """An integer that is known somewhere: a parameter or an index."""
        ints = {
            p.name
            for f in self.script.program.functions()
            for p in f.params
            if str(p.type) == "int" or "int" in repr(p.type)
        }
        return self.of(sorted({*ints, *(s.index for _, s in self.statements if isinstance(s, For))}))

    def inside(self, s: Stmt) -> str:
        """An expression that occurs in a statement."""
        return print_expr(self.of([x for e in stmt_exprs(s) for x in subexpressions(e)]))

    def bound_of(self, s: Stmt) -> tuple[int | str, int | str]:
        """A start and a size."""
        if isinstance(s, For) and self.chance(0.6):
            return print_expr(s.range.start), print_expr(s.range.bound)
        return self.of((0, 0, 1, self.integer())), self.size()

    def text(self, s: Stmt) -> str:
        """A statement like this one: written differently, or slightly wrong."""
        if isinstance(s, Decl) and s.init is not None and not isinstance(s.init, Alloc):
            return f"{'float' if self.chance(0.7) else 'int'} {s.name} = {self.mutated(s.init)};"
        if not isinstance(s, Store):
            _, s = self.of([(p, x) for p, x in self.statements if isinstance(x, Store)])
            assert isinstance(s, Store)
        target, op = print_expr(s.target), s.op or ""
        match self.rng.randrange(5):
            case 0 if op:
                return f"{target} = {target} {op} ({print_expr(s.value)});"
            case 1:
                return f"{target} {op}= {print_expr(self.commuted(s.value))};"
            case 2:
                return f"{print_expr(self.mutated_expr(s.target))} {op}= {print_expr(s.value)};"
            case 3:
                test = f"{self.integer()} {self.of(('<', '<=', '=='))} {self.size()}"
                return f"if ({test}) {{ {target} {op}= {print_expr(s.value)}; }}"
            case _:
                return f"{target} {op}= {self.mutated(s.value)};"

    def mutated(self, e: Expr) -> str:
        return print_expr(self.mutated_expr(e))

    def commuted(self, e: Expr) -> Expr:
        if isinstance(e, Binary) and e.op in "+*":
            return Binary(e.op, e.right, e.left)
        return e

    def mutated_expr(self, e: Expr) -> Expr:
        """One subexpression changed a little."""
        chosen = self.of(list(subexpressions(e)))

        def change(x: Expr) -> Expr:
            if x != chosen:
                return x
            match x:
                case Int(n):
                    return Int(n + self.of((-1, 1)))
                case Binary(op, left, right):
                    return Binary(self.of(("+", "-", "*", op)), left, right)
                case Var(name) if name in [s.index for _, s in self.statements if isinstance(s, For)]:
                    return self.of((Binary("+", x, Int(1)), Binary("-", x, Int(1)), Var(self.integer())))
                case Index(base, indices) if len(indices) > 1:
                    return Index(base, tuple(reversed(indices)))
                case _:
                    return x

        return rewrite(e, change)


def indexed(s: Stmt) -> set[str]:
    return {root_name(x) for e in stmt_exprs(s) for x in subexpressions(e) if isinstance(x, Index)}


Generator = Callable[[Draw, dict[str, Any]], Any]


def _target(d: Draw, so_far: dict[str, Any]) -> Stmt:
    return d.statement(so_far.get("target", so_far.get("at")))[1]


def _local(s: Any) -> bool:
    return isinstance(s.init, Alloc) or isinstance(s.type, Array)


ANY: tuple[type[Stmt], ...] = (Stmt,) if isinstance(Stmt, type) else (For, Decl, Store, CallStmt)
LOOPS: Generator = lambda d, _: d.target(For)  # noqa: E731
ARRAYS: Generator = lambda d, _: d.target(Decl, _local if d.chance(0.9) else lambda s: True)  # noqa: E731
DECLS: Generator = lambda d, _: d.target(Decl)  # noqa: E731
STATEMENTS: Generator = lambda d, _: d.target(ANY)  # noqa: E731
PARALLEL: Generator = lambda d, _: d.target(For, lambda s: s.mode is Mode.PARALLEL)  # noqa: E731

# By transformation and parameter, else by parameter.
GENERATORS: dict[str, Generator] = {
    "target": LOOPS,
    "size": lambda d, _: d.size(),
    "sums": lambda d, _: d.name(),
    "running": lambda d, _: d.name(),
    "outer": lambda d, _: "b" + d.index() if d.chance(0.7) else d.name(),
    "tail": lambda d, _: d.of(("guard", "peel", "divides", "min", "peel", "never")),
    "all": lambda d, _: d.chance(0.5),
    "at": STATEMENTS,
    "before": STATEMENTS,
    "after": STATEMENTS,
    "levels": lambda d, _: d.of((1, 1, 2, 3, 0)),
    "other": LOOPS,
    "factor": lambda d, _: d.of((2, 4, 1, 8, 3, 0, -2)),
    "by": lambda d, _: d.size(),
    "index": lambda d, _: d.name(),
    "name": lambda d, _: d.name(),
    "total": lambda d, _: d.name(),
    "distance": lambda d, _: d.name(),
    "lane": lambda d, _: d.name(),
    "warp": lambda d, _: d.name(),
    "part": lambda d, _: d.name(),
    "parts": lambda d, _: d.name(),
    "read": lambda d, so_far: d.read_of(_target(d, so_far)),
    "indep": lambda d, _: [d.index() for _ in range(d.rng.randrange(3))],
    "var": lambda d, _: d.scalar() if d.chance(0.5) else d.array(),
    "local_var": lambda d, _: d.name(),
    "copy_var": lambda d, _: d.name(),
    "copy_dims": lambda d, _: d.of((1, 1, 2, 0)),
    "uninit": lambda d, _: d.chance(0.5),
    "inv": lambda d, _: d.chance(0.5),
    "array": lambda d, _: d.array(),
    "dst": lambda d, _: d.array(),
    "src": lambda d, _: d.array(),
    "dims": lambda d, _: [d.size() for _ in range(d.of((1, 1, 2)))],
    "dim": lambda d, _: d.of((0, 1, 2, -1)),
    "kind": lambda d, _: d.of(("static", "dynamic", "guided", "fair")),
    "chunk": lambda d, _: d.of((1, 4, 0)),
    "count": lambda d, _: d.of((1, 2, 0)),
    "outside": lambda d, _: d.of((None, 0, 0, 1)),
    "elem": lambda d, _: d.of((None, None, "tf32", "float", "half")),
    "stages": lambda d, _: d.of((1, 2, 3, 4, 0)),
    "fragments": lambda d, _: {},
    "group": lambda d, _: d.of((128, 128, 32, 3)),
    "buffers": lambda d, _: d.of((1, 2, 2, 3, 0)),
    "past_end": lambda d, _: d.chance(0.5),
    "narrow": lambda d, _: d.chance(0.5),
    "twice": lambda d, _: d.chance(0.5),
    "start": lambda d, _: d.of((0, 0, 1, d.size())),
    "shift": lambda d, _: d.name(),
    "deviation": lambda d, _: d.name(),
    "maximum": lambda d, _: d.name(),
    "maxima": lambda d, _: d.name(),
    "tops": lambda d, _: d.name(),
    "clip": lambda d, _: d.chance(0.5),
    "most": lambda d, _: d.of((1, 3, 7, 0)),
    "to": lambda d, _: None,
    "loop.tile_shifted.shift": lambda d, _: d.of((0, 1, 2, f"{d.index()} % 4")),
    "matrix.pad.to": lambda d, _: d.of((None, 8, 16, d.size())),
    "loop.unroll.factor": lambda d, _: d.of((2, 4, 3)),
    "loop.reorder.order": lambda d, _: [d.index() for _ in range(d.of((2, 2, 3)))],
    "loop.hoist.target": DECLS,
    "loop.hoist_alloc.target": DECLS,
    "loop.hoist_alloc.dest": LOOPS,
    "loop.hoist_expr.target": lambda d, _: d.target(Store),
    "loop.hoist_expr.before": LOOPS,
    "loop.move_out.target": STATEMENTS,
    "loop.fission.target": LOOPS,
    "loop.fission.before": lambda d, _: d.within(),
    "loop.fission.after": STATEMENTS,
    "loop.fusion.target": lambda d, _: d.followed(),
    "loop.collapse.target": lambda d, _: d.target(For, lambda s: len(s.body) == 1 and isinstance(s.body[0], For)),
    "loop.swap.target": lambda d, _: d.target(For, lambda s: any(isinstance(x, For) for x in s.body)),
    "variable.local_name.var": lambda d, so_far: d.assigned(_target(d, so_far)),
    "matrix.local_name_tile.var": lambda d, so_far: d.used_in(_target(d, so_far)),
    "matrix.stack_copy.var": lambda d, so_far: d.used_in(_target(d, so_far)),
    "reduce.slide.target": lambda d, _: d.target(For, lambda s: any(isinstance(x, For) for x in s.body)),
    "loop.split_range.at": lambda d, _: d.size(),
    "loop.once.target": STATEMENTS,
    "loop.once.until": STATEMENTS,
    "loop.fast_path.when": lambda d, _: f"{d.integer()} {d.of(('<', '>=', '=='))} {d.size()}",
    "instr.move_guard.target": lambda d, _: d.target(If),
    "instr.move_guard.out_of": lambda d, _: d.of((d.index(), d.index(), None)),
    "instr.move_guard.into": lambda d, so_far: d.index() if so_far.get("out_of") is None else None,
    "instr.split_guard.target": lambda d, _: d.target(If),
    "instr.split_guard.first": lambda d, _: d.of((1, 1, 2, 0)),
    "variable.inline.target": DECLS,
    "variable.rename.target": DECLS,
    "variable.init_detach.target": DECLS,
    "variable.elim.target": DECLS,
    "variable.bind.target": lambda d, _: d.target((Store, Decl)),
    "variable.bind.expr": lambda d, so_far: d.inside(_target(d, so_far)),
    "variable.insert.declaration": lambda d, _: d.of(
        (f"float {d.name()} = 1.0f;", f"int {d.name()} = {d.integer()};", f"float {d.name()};")
    ),
    "accesses.shift_var.target": DECLS,
    "accesses.shift_var.factor": lambda d, _: d.of(("1.0f", d.scalar(), f"{d.array()}[{d.integer()}]", 2)),
    "accesses.scale_var.target": DECLS,
    "accesses.scale_var.factor": lambda d, _: d.of(("2.0f", "0.5f", d.scalar(), f"{d.array()}[{d.integer()}]", 0)),
    "matrix.local_name_tile.tile": lambda d, so_far: [d.bound_of(_target(d, so_far)) for _ in range(d.of((1, 1, 2)))],
    "matrix.stage.at": LOOPS,
    "matrix.stage.outside": lambda d, _: d.of((None, 0, 0, 1)),
    "matrix.reorder_dims.target": ARRAYS,
    "matrix.reorder_dims.order": lambda d, _: d.of(([1, 0], [0, 1], [0], [1, 2, 0], [0, 2, 1], [0, 0])),
    "matrix.merge_dims.target": ARRAYS,
    "matrix.merge_dims.first": lambda d, _: d.of((0, 0, 1, -1)),
    "matrix.merge_dims.count": lambda d, _: d.of((2, 3, 1)),
    "matrix.pad.target": ARRAYS,
    "matrix.pad.by": lambda d, _: d.of((1, 2, 0)),
    "matrix.to_heap.target": ARRAYS,
    "matrix.elim.target": ARRAYS,
    "instr.insert.text": lambda d, so_far: d.text(d.of(d.statements)[1]),
    "instr.delete.target": STATEMENTS,
    "instr.move.target": STATEMENTS,
    "instr.copy.target": STATEMENTS,
    "instr.replace.target": lambda d, _: d.target((Store, Decl)),
    "instr.replace.text": lambda d, so_far: d.text(_target(d, so_far)),
    "function.insert.source": lambda d, _: d.of((FUNCTION, WRONG_FUNCTION)),
    "function.inline.target": lambda d, _: d.target((CallStmt, Store, Decl)),
    "function.uninline.function": lambda d, _: d.of([f.name for f in d.script.program.functions()]),
    "function.versions.when": lambda d, _: f"{d.integer()} {d.of(('<', '>=', '=='))} {d.size()}",
    "function.versions.at": lambda d, _: None,
    "arith.simplify.function": lambda d, _: d.of([f.name for f in d.script.program.functions()]),
    "omp.schedule.target": PARALLEL,
    "omp.num_threads.target": PARALLEL,
    "omp.sequential.target": PARALLEL,
    "ghost.insert.text": lambda d, _: f'__ASSERT("{d.integer()} {d.of((">=", "<", "=="))} {d.size()}");',
    "ghost.contract.text": lambda d, _: f'__xpreserves("&{d.array()}[{d.index()}] ~> Cell");',
}  # fmt: skip


def arguments_for(d: Draw, full: str, f: Callable[..., Any]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments for one transformation; optional ones are left out half of the time."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    so_far: dict[str, Any] = {}
    side = d.of(("before", "after"))
    parameters = dict(list(inspect.signature(f).parameters.items())[1:])
    for name, p in parameters.items():
        optional = p.default is not inspect.Parameter.empty
        if name in ("before", "after") and {"before", "after"} <= set(parameters):
            if name != side:
                continue
        elif optional and d.chance(0.5):
            continue
        make = GENERATORS.get(f"{full}.{name}") or GENERATORS[name]
        value = so_far[name] = make(d, so_far)
        if p.kind is inspect.Parameter.VAR_POSITIONAL:
            args += value
        elif optional or p.kind is inspect.Parameter.KEYWORD_ONLY:
            kwargs[name] = value
        else:
            args.append(value)
    return args, kwargs
