"""Statements, contracts, functions and programs. All nodes are immutable; `id` and `loc` do not take part in comparison."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from enum import Enum
from typing import TypeAlias

from optigpu.light_dataclass import dataclass
from optigpu.syntax.exprs import Call, Expr, Index, Type, TypeOf, Var
from optigpu.syntax.source import NO_ID, NOWHERE, Loc, StatementId
from optigpu.syntax.types import INT, Scalar

# Contracts

FUNCTION_CLAUSES = ("requires", "ensures", "consumes", "produces", "preserves", "writes", "reads", "reverts")
LOOP_CLAUSES = (
    "xrequires", "xensures", "xconsumes", "xproduces", "xpreserves", "xwrites", "xreads",
    "srequires", "spreserves", "sreads", "invariant", "strict",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a clause: `name: formula`, or `A: int -> float` (a TypeOf), which introduces a logical variable."""

    name: str | None
    body: Expr
    loc: Loc = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Clause:
    """One annotation of a contract, `__reads("a ~> Matrix1(N, A)")`; `kind` is its name without the underscores."""

    kind: str
    items: tuple[Item, ...]
    loc: Loc = field(default=NOWHERE, compare=False, repr=False)


def logical_variables(contract: tuple[Clause, ...]) -> dict[str, Type]:
    """The logical variables that a contract introduces, with their types."""
    return {i.name: i.body.of for c in contract for i in c.items if isinstance(i.body, TypeOf) and i.name is not None}


# Statements


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stmt:
    id: StatementId = field(default=NO_ID, compare=False, repr=False)

    @property
    def loc(self) -> Loc:
        return self.id.origin()


@dataclass(frozen=True, slots=True)
class Decl(_Stmt):
    """A local variable, array (`float t[4];`, `__shared__ float s[256];`, `__fragment__ float c[64][128];`) or pointer
    (`float* const p = MALLOC1(float, n);`)."""

    name: str
    type: Type
    init: Expr | None = None
    const: bool = False


@dataclass(frozen=True, slots=True)
class Store(_Stmt):
    """`target = value`; with `op` a compound assignment `target op= value`, or an atomic one: `atomicAdd(&target, value)`."""

    target: Index | Var
    value: Expr
    op: str | None = None


class Mode(Enum):
    """How the iterations of a loop are executed."""

    SEQUENTIAL = "sequential"
    PARALLEL = "parallel"
    THREAD = "thread"
    MAGIC_THREAD = "magic thread"
    FRAG = "frag"  # over rows of fragments, and inside over their elements: by the threads that have them
    PIPELINED = "pipelined"  # as a meaning: sequential, with a part that may run ahead


PIPELINE_HINT, COPY_HINT = "pipeline", "async_copy"
HINTS = ("simd", "schedule(", "num_threads(", "unroll", "tensor_cores", COPY_HINT, PIPELINE_HINT)
OMP_HINTS = HINTS[:3]


@dataclass(frozen=True, slots=True)
class LoopRange:
    """`i = start; i relation bound; i op= amount`; the relation is one of < <= > >=, the operator one of + - * / << >>."""

    start: Expr
    relation: str
    bound: Expr
    op: str
    amount: Expr


@dataclass(frozen=True, slots=True)
class For(_Stmt):
    index: str
    range: LoopRange
    body: tuple[Stmt, ...]
    mode: Mode = Mode.SEQUENTIAL
    contract: tuple[Clause, ...] = ()
    hints: tuple[str, ...] = ()  # for the compiler, in the order of HINTS: "simd", "schedule(static)", "unroll 4"
    index_type: Scalar = INT

    @property
    def meaning(self) -> Mode:
        """The mode that is checked: with `simd` the compiler may interleave iterations, so they must be independent; with
        `pipeline` a part of later ones may run ahead."""
        if self.mode is not Mode.SEQUENTIAL:
            return self.mode
        return Mode.PARALLEL if "simd" in self.hints else Mode.PIPELINED if self.stages else Mode.SEQUENTIAL

    @property
    def stages(self) -> int:
        """How many copies `#pragma pipeline 4` makes of the shared arrays of the loop; 0 if it has none."""
        return next((int(h.split()[1]) for h in self.hints if h.startswith(PIPELINE_HINT)), 0)


def ordered_hints(hints: Iterable[str]) -> tuple[str, ...]:
    """Hints in the order that OpenMP needs, so that loops with the same hints are equal."""
    return tuple(sorted(hints, key=lambda h: [h.startswith(stem) for stem in HINTS].index(True)))


@dataclass(frozen=True, slots=True)
class If(_Stmt):
    test: Expr
    then: tuple[Stmt, ...]
    other: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class Block(_Stmt):
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class CallStmt(_Stmt):
    """A call for its effect: a procedure, `free(p)`, `blocksync()`, …"""

    call: Call


@dataclass(frozen=True, slots=True)
class Return(_Stmt):
    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class GhostArg:
    """`name := value` or, by position, `value`."""

    name: str | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Ghost(_Stmt):
    """`__ghost(f, "inside := …, by := …", "name <- result")`; with `label`, `__GHOST_BEGIN(label, f, …)`.

    The ghost `__with` gives values to logical variables of the call that is the statement before it: `__with("A := fun i -> 0")`.
    """

    func: str
    args: tuple[GhostArg, ...] = ()
    binds: tuple[tuple[str, str], ...] = ()
    label: str | None = None
    claims: tuple[Clause, ...] = field(
        default=(), compare=False, repr=False
    )  # of a ghost without a body; by the type checker


@dataclass(frozen=True, slots=True)
class GhostEnd(_Stmt):
    """`__GHOST_END(label)`: reverses the ghost of `__GHOST_BEGIN(label, …)`."""

    label: str


@dataclass(frozen=True, slots=True)
class Assert(_Stmt):
    """`__ASSERT("name: P")`: a fact to be proved here and known from here on."""

    items: tuple[Item, ...]


Stmt: TypeAlias = Decl | Store | For | If | Block | CallStmt | Return | Ghost | GhostEnd | Assert
Body: TypeAlias = tuple[Stmt, ...]


def is_call(s: Stmt, *names: str) -> bool:
    """Whether a statement is a call of one of these functions."""
    return isinstance(s, CallStmt) and s.call.func in names


# Functions and programs


@dataclass(frozen=True, slots=True)
class Param:
    name: str
    type: Type
    const: bool = False  # `const float* a`: the pointed-to values
    loc: Loc = field(default=NOWHERE, compare=False, repr=False)


class Role(Enum):
    """Where a function runs. A ghost is a proof step and does not run."""

    HOST = "host"
    DEVICE = "device"
    GHOST = "ghost"


@dataclass(frozen=True, slots=True)
class Function:
    """A C function, or a ghost `__GHOST(name) { … }`. `admitted`: its contract is assumed, which the ledger records."""

    name: str
    params: tuple[Param, ...]
    result: Type
    body: Body
    contract: tuple[Clause, ...] = ()
    role: Role = Role.HOST
    admitted: bool = False
    loc: Loc = field(default=NOWHERE, compare=False, repr=False)

    @property
    def is_checked_ghost(self) -> bool:
        """A ghost without a body, whose claims are checked at each use; with a body it is a lemma."""
        return self.role is Role.GHOST and not (self.body or self.admitted)

    @property
    def declared_only(self) -> bool:
        """Whether the function is declared by its contract alone: it can be assumed, but not executed."""
        return self.admitted and not self.body

    def token(self, name: str) -> Call | None:
        """The token of this name in the contract: `ThreadsCtx` of `__preserves("ThreadsCtx(32)")`."""
        bodies = [i.body for c in self.contract if c.kind in ("preserves", "reads") for i in c.items]
        return next((b for b in bodies if isinstance(b, Call) and b.func == name), None)


@dataclass(frozen=True, slots=True)
class Include:
    """`#include`, with the items of a project file. System headers and optigpu.h have none: the tool knows what they declare."""

    path: str
    system: bool
    items: tuple[TopLevel, ...] = ()
    loc: Loc = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Define:
    """`#define NAME constant`"""

    name: str
    value: Expr
    loc: Loc = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LogicDecl:
    """`__DECL(f, "int -> float")`: an uninterpreted logical function."""

    name: str
    type: Type
    loc: Loc = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LogicDef:
    """`__DEF(f, "fun x -> x * x")`: a defined logical function."""

    name: str
    value: Expr
    loc: Loc = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Axiom:
    """`__AXIOM(name, "forall (n: int) -> …")`: an assumption, which the ledger records."""

    name: str
    prop: Expr
    loc: Loc = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RuleDeclaration:
    """A built-in function that is declared by its contract, which is its rule; or a transition of a kernel under another name."""

    name: str
    rule: str  # the name of the built-in function
    loc: Loc = field(default=NOWHERE, compare=False, repr=False)


TopLevel: TypeAlias = Function | Include | Define | LogicDecl | LogicDef | Axiom | RuleDeclaration


@dataclass(frozen=True, slots=True)
class Program:
    file: str
    items: tuple[TopLevel, ...]

    def flat_items(self) -> list[TopLevel]:
        """All items in order, with those of included files in the place of their #include."""
        out: list[TopLevel] = []

        def walk(items: tuple[TopLevel, ...]) -> None:
            for item in items:
                if isinstance(item, Include):
                    walk(item.items)
                else:
                    out.append(item)

        walk(self.items)
        return out

    def functions(self) -> list[Function]:
        """The functions of this file itself, in order."""
        return [f for f in self.items if isinstance(f, Function)]

    def function(self, name: str) -> Function:
        for item in self.flat_items():
            if isinstance(item, Function) and item.name == name:
                return item
        raise KeyError(name)
