"""Random well-typed programs: every construct of the CPU language, with contracts and formulas of all shapes."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

from optigpu.syntax.exprs import (
    Addr,
    Alloc,
    Array,
    BigOp,
    Binary,
    Binder,
    Bool,
    Call,
    Cast,
    Cond,
    Expr,
    Forall,
    Fun,
    FunType,
    Group,
    Index,
    Int,
    PointsTo,
    Range,
    RangeBinder,
    Real,
    TypeOf,
    Unary,
    Var,
)
from optigpu.syntax.float_literals import nearest_float
from optigpu.syntax.program import (
    Assert,
    Block,
    Body,
    CallStmt,
    Clause,
    Decl,
    Define,
    For,
    Function,
    If,
    Include,
    Item,
    LoopRange,
    Mode,
    Param,
    Program,
    Return,
    Stmt,
    Store,
)
from optigpu.syntax.types import DOUBLE, FLOAT, INT, INT64, LOGIC_INT, LOGIC_REAL, VOID, Pointer


@dataclass
class Names:
    """What is in scope: integer values, float values, mutable variables, arrays with their rank."""

    ints: list[str] = field(default_factory=list)
    floats: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    arrays: dict[str, int] = field(default_factory=dict)
    models: dict[str, int] = field(default_factory=dict)

    def copy(self) -> Names:
        return Names(list(self.ints), list(self.floats), list(self.cells), dict(self.arrays), dict(self.models))


class ProgramMaker:
    """Programs that are well typed; nothing says that they run well."""

    def __init__(self, random: Random) -> None:
        self.r = random
        self.count = 0

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def program(self) -> Program:
        items: list[object] = [Include("optigpu.h", True)]
        if self.r.random() < 0.5:
            items.append(Define("SIZE", Int(self.r.randint(1, 64))))
        for i in range(self.r.randint(1, 3)):
            items.append(self.function(f"f{i}", "SIZE" if len(items) > 1 and isinstance(items[1], Define) else None))
        return Program("random.c", tuple(items))  # type: ignore[arg-type]

    def function(self, name: str, constant: str | None) -> Function:
        names = Names(["n", "m"] + ([constant] if constant else []), ["s"])
        params = [Param("n", INT), Param("m", INT), Param("s", FLOAT)]
        for i in range(self.r.randint(1, 3)):
            array = f"a{i}"
            rank = self.r.randint(1, 3)
            dims = tuple(self.r.choice([Var("n"), Var("m"), Int(4)]) for _ in range(rank))
            type_ = Array(self.r.choice([FLOAT, FLOAT, INT, DOUBLE]), dims)
            params.append(Param(array, type_, self.r.random() < 0.2))
            names.arrays[array] = rank
        contract: list[Clause] = [
            Clause("requires", (Item("A", TypeOf(FunType((LOGIC_INT,), LOGIC_REAL))), Item("K", TypeOf(LOGIC_INT))))
        ]
        names.models["A"] = 1
        spec = Names([*names.ints, "K"], [], [], names.arrays, names.models)
        for _ in range(self.r.randint(0, 3)):
            kind = self.r.choice(["requires", "ensures", "reads", "consumes", "produces", "preserves", "writes"])
            body = self.prop(spec, 2) if kind in ("requires", "ensures") else self.permission(spec, 2)
            contract.append(Clause(kind, (Item(self.name("h") if self.r.random() < 0.5 else None, body),)))
        body = self.body(names, 3, self.r.randint(1, 5))
        if self.r.random() < 0.3:
            return Function(name, tuple(params), FLOAT, (*body, Return(self.real(names, 2))), tuple(contract))
        return Function(name, tuple(params), VOID, body, tuple(contract))

    # Statements

    def body(self, names: Names, depth: int, length: int) -> Body:
        names = names.copy()
        out: list[Stmt] = []
        for _ in range(length):
            out.append(self.statement(names, depth))
        return tuple(out)

    def statement(self, names: Names, depth: int) -> Stmt:
        choice = self.r.random()
        if depth > 0 and choice < 0.25:
            return self.loop(names, depth)
        if depth > 0 and choice < 0.38:
            other = self.body(names, depth - 1, self.r.randint(1, 2)) if self.r.random() < 0.5 else ()
            return If(self.condition(names, 2), self.body(names, depth - 1, self.r.randint(1, 3)), other)
        if depth > 0 and choice < 0.42:
            return Block(self.body(names, depth - 1, self.r.randint(1, 2)))
        if choice < 0.5:
            return self.declaration(names)
        if choice < 0.55:
            name = self.name("t")
            elem = self.r.choice([FLOAT, INT])
            dims = tuple(self.integer(names, 1) for _ in range(self.r.randint(1, 2)))
            names.arrays[name] = len(dims)
            return Decl(name, Pointer(elem), Alloc(elem, dims), True)
        if choice < 0.58:
            return Assert((Item(None, self.prop(names, 2)),))
        if choice < 0.62 and any(rank == 1 for rank in names.arrays.values()):
            return CallStmt(Call("free", (Var(self.r.choice(sorted(names.arrays))),)))
        return self.store(names)

    def declaration(self, names: Names) -> Stmt:
        name = self.name("x")
        if self.r.random() < 0.5:
            decl = Decl(name, FLOAT, self.real(names, 2) if self.r.random() < 0.8 else None)
            names.cells.append(name)
            return decl
        decl = Decl(name, self.r.choice([INT, INT64]), self.integer(names, 2), True)
        names.ints.append(name)
        return decl

    def store(self, names: Names) -> Stmt:
        op = self.r.choice([None, None, "+", "-", "*"])
        if names.cells and self.r.random() < 0.4:
            return Store(Var(self.r.choice(names.cells)), self.real(names, 2), op)
        return Store(self.element(names), self.integer(names, 2), op)

    def loop(self, names: Names, depth: int) -> Stmt:
        index = self.name("i")
        start, bound = self.integer(names, 1), self.integer(names, 1)
        relation, op = self.r.choice(
            [("<", "+"), ("<=", "+"), (">", "-"), (">=", "-"), ("<", "*"), (">", ">>"), (">", "/")]
        )
        amount = Int(self.r.choice([1, 1, 1, 2, 3]))
        threads = [Mode.THREAD, Mode.MAGIC_THREAD] if op in ("+", "-") else []
        mode = self.r.choice([*[Mode.SEQUENTIAL] * 4, Mode.PARALLEL, *threads])
        inner = names.copy()
        inner.ints.append(index)
        contract = ()
        if self.r.random() < 0.2:
            kind = self.r.choice(["xreads", "xwrites", "spreserves", "sreads", "xconsumes", "invariant"])
            formula = self.prop(inner, 1) if kind == "invariant" else self.permission(inner, 1)
            contract = (Clause(kind, (Item(None, formula),)),)
        hints = self.r.choice([(), (), (), ("simd",), ("unroll",), ("unroll 4",)])
        body = self.body(inner, depth - 1, self.r.randint(1, 3))
        return For(index, LoopRange(start, relation, bound, op, amount), body, mode, contract, hints)

    # Expressions

    def element(self, names: Names) -> Index:
        array = self.r.choice(sorted(names.arrays))
        return Index(Var(array), tuple(self.integer(names, 1) for _ in range(names.arrays[array])))

    def integer(self, names: Names, depth: int) -> Expr:
        if depth == 0 or self.r.random() < 0.3:
            return self.r.choice([Int(self.r.randint(-3, 40)), Var(self.r.choice(names.ints))])
        choice = self.r.random()
        if choice < 0.7:
            op = self.r.choice(["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"])
            return Binary(op, self.integer(names, depth - 1), self.integer(names, depth - 1))
        if choice < 0.8:
            return Call(
                self.r.choice(["min", "max", "exact_div"]),
                (self.integer(names, depth - 1), self.integer(names, depth - 1)),
            )
        if choice < 0.9:
            return Cond(
                self.condition(names, depth - 1), self.integer(names, depth - 1), self.integer(names, depth - 1)
            )
        return Unary("-", Var(self.r.choice(names.ints)))

    def real(self, names: Names, depth: int) -> Expr:
        if depth == 0 or self.r.random() < 0.3:
            number = Fraction(self.r.randint(-9, 9), self.r.choice([1, 2, 4, 10]))
            options: list[Expr] = [Real(nearest_float(number, FLOAT)), Var("s")]
            options += [Var(c) for c in names.cells] + [self.element(names)]
            return self.r.choice(options)
        choice = self.r.random()
        if choice < 0.6:
            return Binary(self.r.choice("+-*/"), self.real(names, depth - 1), self.real(names, depth - 1))
        if choice < 0.75:
            return Call(self.r.choice(["sqrtf", "expf", "fabsf"]), (self.real(names, depth - 1),))
        if choice < 0.85:
            return Call("fmaxf", (self.real(names, depth - 1), self.real(names, depth - 1)))
        if choice < 0.95:
            return Cast(FLOAT, self.integer(names, depth - 1))
        return Cond(self.condition(names, depth - 1), self.real(names, depth - 1), self.real(names, depth - 1))

    def condition(self, names: Names, depth: int) -> Expr:
        if depth > 0 and self.r.random() < 0.4:
            return Binary(
                self.r.choice(["&&", "||"]), self.condition(names, depth - 1), self.condition(names, depth - 1)
            )
        if self.r.random() < 0.15:
            return Unary("!", Binary("<", self.real(names, 0), self.real(names, 0)))
        op = self.r.choice(["<", "<=", ">", ">=", "==", "!="])
        return Binary(op, self.integer(names, 1), self.integer(names, 1))

    # Formulas

    def term(self, names: Names, depth: int) -> Expr:
        if names.models and self.r.random() < 0.4:
            return Call(self.r.choice(sorted(names.models)), (self.pure_integer(names, depth),))
        if depth > 0 and self.r.random() < 0.5:
            op = self.r.choice(["+", "-", "*", "+.", "*.", "/."])
            return Binary(op, self.term(names, depth - 1), self.term(names, depth - 1))
        if depth > 0 and self.r.random() < 0.5:
            k = self.name("k")
            inner = Names([*names.ints, k], [], [], names.arrays, names.models)
            binder = RangeBinder(k, self.range(names))
            return BigOp(self.r.choice(["Sum", "Prod", "Max", "Min"]), (binder,), self.term(inner, depth - 1))
        return self.r.choice([Real(Fraction(self.r.randint(0, 9), 2)), Call("expf", (self.pure_integer(names, 0),))])

    def pure_integer(self, names: Names, depth: int) -> Expr:
        if depth == 0 or self.r.random() < 0.4:
            return self.r.choice([Int(self.r.randint(-3, 40)), Var(self.r.choice(names.ints))])
        op = self.r.choice(["+", "-", "*", "/", "%"])
        return Binary(op, self.pure_integer(names, depth - 1), self.pure_integer(names, depth - 1))

    def range(self, names: Names) -> Expr:
        return Range(self.pure_integer(names, 1), self.pure_integer(names, 1))

    def prop(self, names: Names, depth: int) -> Expr:
        pure = Names(names.ints, [], [], names.arrays, names.models)
        choice = self.r.random()
        if depth > 0 and choice < 0.35:
            op = self.r.choice(["&&", "||", "==>"])
            return Binary(op, self.prop(pure, depth - 1), self.prop(pure, depth - 1))
        if depth > 0 and choice < 0.45:
            return Unary("!", self.prop(pure, depth - 1))
        if depth > 0 and choice < 0.6:
            k = self.name("k")
            inner = Names([*pure.ints, k], [], [], pure.arrays, pure.models)
            if self.r.random() < 0.5:
                return BigOp(
                    self.r.choice(["All", "Any"]), (RangeBinder(k, self.range(pure)),), self.prop(inner, depth - 1)
                )
            return Forall((Binder(k, LOGIC_INT),), self.prop(inner, depth - 1))
        if choice < 0.75:
            return Binary(self.r.choice(["=.", "<.", "=="]), self.term(pure, 1), self.term(pure, 1))
        if choice < 0.8:
            return Bool(self.r.random() < 0.5)
        op = self.r.choice(["<", "<=", ">", ">=", "==", "!="])
        return Binary(op, self.pure_integer(pure, 2), self.pure_integer(pure, 2))

    def permission(self, names: Names, depth: int) -> Expr:
        pure = Names(names.ints, [], [], names.arrays, names.models)
        choice = self.r.random()
        if depth > 0 and choice < 0.3:
            i = self.name("i")
            inner = Names([*pure.ints, i], [], [], pure.arrays, pure.models)
            return Group(i, self.range(pure), self.permission(inner, depth - 1), self.r.random() < 0.2)
        if depth > 0 and choice < 0.4:
            return Binary("*", self.permission(pure, depth - 1), self.permission(pure, depth - 1))
        if depth > 0 and choice < 0.5:
            return Call("If", (self.prop(pure, 1), self.permission(pure, depth - 1)))
        array = self.r.choice(sorted(names.arrays))
        rank = names.arrays[array]
        if choice < 0.75:
            sizes = tuple(self.pure_integer(pure, 1) for _ in range(rank))
            binders = tuple(Binder(self.name("i")) for _ in range(rank))
            inner = Names([*pure.ints, *[b.name for b in binders]], [], [], pure.arrays, {})
            predicate = self.r.choice(["Matrix", "UninitMatrix", "Cells"])
            args = sizes if predicate != "Matrix" else (*sizes, Fun(binders, self.pure_integer(inner, 2)))
            return PointsTo(Var(array), "~>", Call(f"{predicate}{rank}", args))
        cell = Addr(Index(Var(array), tuple(self.pure_integer(pure, 1) for _ in range(rank))))
        target = self.r.choice([Var("UninitCell"), Var("Cell"), self.pure_integer(pure, 2)])
        arrow = "~>" if isinstance(target, Var) and target.name in ("UninitCell", "Cell") else "~~>"
        space = self.r.choice([None, None, Var("GMem")])
        return PointsTo(cell, arrow, target, space)
