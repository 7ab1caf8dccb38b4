"""Checked syntax to the kernel's programs. Trusted to preserve meaning: what is proved is proved of its output.

Loads become instructions, partial operations get their obligations, pointers are resolved to a base and an index, locals get names
that are unique in their function, and formulas become terms and claims.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias, TypeGuard

from optigpu.elaborate.alignment import Accesses, with_aligned_calls
from optigpu.elaborate.formula_terms import (
    ArrayEntry,
    CellEntry,
    Entry,
    FormulaElaborator,
    Names,
    Unsupported,
    ValueEntry,
    pure_operation,
    sort_of,
)
from optigpu.elaborate.meaning import Models, Stated, defined, models_of, settled
from optigpu.frontend.early_exits import reject_jumps
from optigpu.frontend.expression_types import promoted
from optigpu.frontend.parameter_types import effective_types
from optigpu.frontend.program_loading import ghost_library
from optigpu.kernel import instructions as kc
from optigpu.kernel.launch_rules import copying
from optigpu.kernel.loop_contract import iterations
from optigpu.kernel.side_conditions import terms_of, within
from optigpu.kernel.thread_rules import ANY_LAUNCH
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, READ, SOME, UNINIT, CellClaim
from optigpu.logic.terms import BOOL, INT, REAL, Sort, Term
from optigpu.syntax.builtins import (
    CONTROL_CALLS,
    INT_CONSTANTS,
    MATH,
    MEMORY_CALLS,
    SHUFFLES,
    VECTOR_CALLS,
    index_helper,
)
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import (
    Addr,
    Alloc,
    Array,
    Binary,
    Bool,
    Call,
    Cast,
    Cond,
    Expr,
    Index,
    Int,
    ProofType,
    Real,
    SizeOf,
    Type,
    TypeOf,
    Unary,
    Var,
    is_float,
)
from optigpu.syntax.float_literals import lost, nearest
from optigpu.syntax.operators import WRAPPING
from optigpu.syntax.parameter_sizes import fitting_sizes
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import (
    Assert,
    Axiom,
    Block,
    Body,
    CallStmt,
    Clause,
    Decl,
    Define,
    For,
    Function,
    Ghost,
    GhostEnd,
    If,
    LogicDecl,
    LogicDef,
    Program,
    Return,
    Role,
    Stmt,
    Store,
)
from optigpu.syntax.scopes import assigned_names, is_cell
from optigpu.syntax.source import NOWHERE, Loc, StatementId
from optigpu.syntax.types import INT64, VOID, Kind, Scalar, Space
from optigpu.syntax.walk import children, subexpressions


@dataclass
class LoopSpec:
    """The clauses a user wrote at a loop, as claims and facts with the loop's index variable free."""

    index: Term
    variables: tuple[Term, ...] = ()
    holds: list[tuple[CellClaim, Loc]] = field(
        default_factory=list
    )  # what is there, and holds, when an iteration starts
    exclusive_post: list[CellClaim] = field(default_factory=list)
    invariant: list[CellClaim] = field(default_factory=list)
    facts: list[Term] = field(default_factory=list)


@dataclass
class Elaborated:
    """A kernel program, and the way back to the source."""

    program: kc.KernelProgram
    places: list[Loc]  # by the `at` of instructions
    specs: dict[int, LoopSpec]  # by the `at` of loops
    clauses: dict[str, ContractPlaces]
    statement_ids: dict[int, StatementId] = field(default_factory=dict)  # the statement of a loop, by its `at`
    given: dict[int, dict[str, Term]] = field(
        default_factory=dict
    )  # values for variables of lemmas, by the `at` of calls
    statements: list[int] = field(
        default_factory=lambda: [0]
    )  # by `at`: which statement of its function (see points.py)
    copies: dict[str, kc.Procedure] = field(default_factory=dict)  # the memcpys in use
    accesses: dict[str, Accesses] = field(default_factory=dict)  # vectors, by function
    stated: dict[str, list[Stated]] = field(default_factory=dict)  # contracts, clause by clause
    axioms: list[Stated] = field(default_factory=list)


@dataclass
class ContractPlaces:
    requires: list[Loc] = field(default_factory=list)
    pre: list[Loc] = field(default_factory=list)
    post: list[Loc] = field(default_factory=list)
    ensures: list[Loc] = field(default_factory=list)


def elaborate(program: Program, unbounded: bool = False, without: Weakened = frozenset()) -> Elaborated:
    """`unbounded`: integers that are not shown to fit their places are assumed to.

    Where floats decide anything, each function is there twice: over the reals, and with what floats decide left open, under the
    name `open_name(name)` and with a contract that says less (`without`: what of it is left out besides).
    """
    from optigpu.elaborate.open_floats import (  # which is made of the elaboration over the reals
        OpenFloats,
        floats_decide,
    )

    out = Elaborated(kc.KernelProgram({}), [NOWHERE], {}, {})
    names = Names()
    axioms: list[tuple[str, Term]] = []
    functions: dict[str, kc.Procedure] = {}
    scopes: dict[str, Names] = {}
    ghosts = dict(ghost_library())
    formulas = FormulaElaborator()
    for item in program.flat_items():
        match item:
            case Define(name, value):
                constant = Function(name, (), VOID, ())
                term = FunctionElaborator(constant, names, out, ghosts, program).constant(value)
                names = names.bind(name, ValueEntry(term))
            case LogicDecl(name, type_):
                names = names.bind(name, ValueEntry(k.var(name, sort_of(type_, item.loc))))
            case LogicDef(name, value):
                names = names.bind(name, formulas.definition(value, names))
            case Axiom(name, prop):
                axioms.append((name, formulas.term(prop, names)))
                needs = settled(formulas.needs.take(), {})
                out.axioms.append(Stated(f"the axiom {name}", item.loc, (axioms[-1][1],), needs))
            case Function(role=Role.GHOST):
                ghosts[item.name] = item
                if item.body or item.admitted:  # a lemma: proved once (or assumed), used like a function
                    functions[item.name] = FunctionElaborator(item, names, out, ghosts, program).run()
            case Function():
                scopes[item.name] = names
                functions[item.name] = FunctionElaborator(item, names, out, ghosts, program).run()
            case _:
                pass
    if floats_decide(program, [functions[name] for name in scopes]):
        for f in (f for f in program.flat_items() if isinstance(f, Function) and f.name in functions):
            if f.role is not Role.GHOST:
                opened = OpenFloats(f, scopes[f.name], out, ghosts, program, functions).run()
                functions[opened.name] = weakened(opened, without)
    functions = with_aligned_calls(functions, out.accesses)
    out.program = kc.KernelProgram({**functions, **out.copies}, tuple(axioms), unbounded)
    return out


Weakened: TypeAlias = frozenset[tuple[str, str, int]]  # (function, "post" or "ensures" or "assert", which)


def open_name(function: str) -> str:
    """The function with floats left open, as the kernel calls it."""
    return f"{function}.open"


def closed_name(function: str) -> str:
    """The function of the program that the kernel calls so."""
    return function.removesuffix(".open")


def weakened(f: kc.Procedure, without: Weakened) -> kc.Procedure:
    """The function with less said of it: promises and assertions left out, or values in them. A proof of that says less."""
    left_out = {(what, n) for name, what, n in without if name == f.name}
    c = f.contract
    some = (replace(p, contents=SOME, value=None) if p.contents == KNOWN else p for p in c.post)
    post = tuple(s if ("post", n) in left_out else p for n, (s, p) in enumerate(zip(some, c.post)))
    ensures = tuple(k.TRUE if ("ensures", n) in left_out else p for n, p in enumerate(c.ensures))
    numbers = itertools.count()

    def kept(code: kc.Instructions) -> kc.Instructions:
        out: list[kc.Instruction] = []
        for i in code:
            match i:
                case kc.Assertion() if ("assert", next(numbers)) in left_out:
                    pass
                case kc.Branch():
                    out.append(replace(i, then=kept(i.then), other=kept(i.other)))
                case kc.CountedLoop():
                    out.append(replace(i, body=kept(i.body)))
                case _:
                    out.append(i)
        return tuple(out)

    return replace(f, contract=replace(c, post=post, ensures=ensures), body=kept(f.body))


class FunctionElaborator:
    def __init__(
        self, f: Function, names: Names, out: Elaborated, ghosts: dict[str, Function], program: Program
    ) -> None:
        self.f = f
        self.outer = names
        self.out = out
        self.ghosts = ghosts
        self.functions = {
            g.name: g for g in program.flat_items() if isinstance(g, Function) and g.role is not Role.GHOST
        }
        self.assigned = assigned_names(f.body)
        self.formulas = FormulaElaborator()
        self.taken = {"_Res"} | {d.name for d in program.flat_items() if isinstance(d, LogicDecl)}
        self.used = dict.fromkeys(self.taken, 1)
        self.dims: dict[str, tuple[Term | None, ...]] = {}  # of arrays, by base
        self.distributed: dict[str, bool] = {}
        self.accesses = out.accesses[f.name] = Accesses(self.dims, self.distributed)
        self.code: list[kc.Instruction] = []
        self.seen = self.current = 0  # statements, in the order of the text
        self.indices: list[Term] = []  # of the loops around, outermost first
        self.models: Models = {}

    # Names and places

    def unique(self, name: str) -> str:
        n = self.used.get(name, 0)
        self.used[name] = n + 1
        return name if n == 0 else f"{name}~{n + 1}"

    def temporary(self, sort: Sort) -> Term:
        return k.var(self.unique("t~"), sort)

    def at(self, loc: Loc) -> int:
        self.out.places.append(loc)
        self.out.statements.append(self.current)
        return len(self.out.places) - 1

    # The function

    def run(self) -> kc.Procedure:
        f = self.f
        names = self.outer
        params = []
        for p, type_ in zip(f.params, effective_types(f)):
            if p.name in self.taken:  # what is known of the one would be of the other
                raise Unsupported(f"`{p.name}` is the name of the result or of a logical constant, too", p.loc)
            self.used[p.name] = 1
            if isinstance(type_, Array):
                entry: Entry = ArrayEntry(p.name, (), k.ZERO, len(type_.dims))
            else:
                assert isinstance(type_, Scalar)
                entry = ValueEntry(k.var(p.name, sort_of(type_, p.loc)))
            names = names.bind(p.name, entry)
        for p, type_ in zip(f.params, effective_types(f)):
            if isinstance(type_, Array):
                dims = tuple(None if d is None else self.formulas.term(d, names) for d in type_.dims)
                self.dims[p.name] = dims
                space = type_.space.value
                if f.role is Role.DEVICE and space == "Any":
                    space = "Device"
                sort, size, limits = sort_of(type_.elem, p.loc), type_.elem.size, limits_of(type_.elem)
                params.append(kc.Parameter(p.name, sort, dims, space, size, limits))
            else:
                params.append(kc.Parameter(p.name, sort_of(type_, p.loc)))
        self.formulas.needs.take()  # the sizes of parameters have obligations of their own
        contract, names, places = self.contract(f.contract, names)
        threads = self.formulas.threads or k.ONE
        self.out.clauses[f.name] = places
        for i, s in enumerate(f.body):  # a return elsewhere would be run past
            reject_jumps(s, last_of_function=i == len(f.body) - 1)
        for d in (d for p in f.params if isinstance(p.type, Array) for d in p.type.dims if d is not None):
            # C computes the sizes of parameters when the function is entered, in their types
            self.oblige(k.eq(self.expr(d, names), self.formulas.term(d, names)), "conversion", d.loc)
        body = (*self.code, *self.block(f.body, names))
        return kc.Procedure(
            f.name,
            tuple(params),
            contract,
            body,
            f.admitted,
            f.role is Role.DEVICE,
            threads,
            lemma=f.role is Role.GHOST,
        )

    def contract(self, clauses: tuple[Clause, ...], names: Names) -> tuple[kc.Contract, Names, ContractPlaces]:
        variables: list[Term] = []
        for c in clauses:
            for item in c.items:
                if isinstance(item.body, TypeOf):
                    assert item.name is not None
                    v = k.var(self.unique(item.name), sort_of(item.body.of, item.loc))
                    variables.append(v)
                    names = names.bind(item.name, ValueEntry(v))
        result = None
        after = names
        if self.f.result != VOID:
            result = k.var("_Res", sort_of(self.f.result, self.f.loc))
            after = names.bind("_Res", ValueEntry(result))
        requires: list[Term] = []
        ensures: list[Term] = []
        pre: list[CellClaim] = []
        post: list[CellClaim] = []
        places = ContractPlaces()
        launch = self.launch(names)
        requires += launch
        places.requires += [self.f.loc] * len(launch)
        for p in self.f.params:  # arguments are numbers of their types
            if (limits := limits_of(p.type)) is not None:
                requires.append(within(k.var(p.name, INT), limits))
                places.requires.append(p.loc)
        for fits in fitting_sizes(self.f):
            requires.append(self.formulas.term(fits, names))
            places.requires.append(fits.loc)
        if result is not None and (limits := limits_of(self.f.result)) is not None:
            ensures.append(within(result, limits))
            places.ensures.append(self.f.loc)
        stated = [Stated("the launch", self.f.loc, tuple(launch), self.formulas.needs.take())]
        for c in clauses:
            for item in c.items:
                if isinstance(item.body, TypeOf) or self.is_launch(item.body):
                    continue
                said = len(requires), len(ensures)
                match c.kind:
                    case "requires":
                        requires.append(self.formulas.term(item.body, names))
                        places.requires.append(item.loc)
                    case "ensures":
                        ensures.append(self.formulas.term(item.body, after))
                        places.ensures.append(item.loc)
                    case _:
                        claims, sizes = self.formulas.claims(item.body, after if c.kind == "produces" else names)
                        target = ensures if c.kind == "produces" else requires
                        for size in sizes:
                            target.append(size)
                            (places.ensures if c.kind == "produces" else places.requires).append(item.loc)
                        for claim in claims:
                            before, later = _sides(c.kind, claim)
                            if before is not None:
                                pre.append(before)
                                places.pre.append(item.loc)
                            if later is not None:
                                post.append(later)
                                places.post.append(item.loc)
                needs, text = self.formulas.needs.take(), print_expr(item.body)
                if c.kind not in ("ensures", "produces", "writes"):
                    stated.append(Stated(text, item.loc, tuple(requires[said[0] :]), needs))
                else:  # the sizes of what is written are known before
                    stated.append(Stated(text, item.loc, tuple(requires[said[0] :])))
                    stated.append(Stated(text, item.loc, tuple(ensures[said[1] :]), needs, after=True))
        self.models = models_of(variables, pre)
        self.out.stated[self.f.name] = [replace(s, needs=settled(s.needs, self.models)) for s in stated]
        mentioned = {x for t in terms_of((*requires, *pre, *post, *ensures)) for x in t.free}
        variables = [v for v in variables if v in mentioned or v not in self.first_thread(names)]
        contract = kc.Contract(tuple(variables), tuple(requires), tuple(pre), tuple(post), tuple(ensures), result)
        return contract, names, places

    # The group of threads that calls a device function

    def is_launch(self, e: Expr) -> bool:
        return e in (self.f.token("ThreadsCtx"), self.f.token("KernelParams"))

    def launch(self, names: Names) -> list[Term]:
        """Who calls a device function: how many threads together, of what launch.

        Without KernelParams the group is one of several equal ones that make up a block.
        """
        group, launch = self.f.token("ThreadsCtx"), self.f.token("KernelParams")
        if (group or launch) is not None and self.f.role is not Role.DEVICE:
            loc = (group or launch or self.f).loc
            raise Unsupported("ThreadsCtx and KernelParams belong to device functions: __device__", loc)
        for item in (i for c in self.f.contract for i in c.items if self.f.role is Role.DEVICE):
            if Var("HostCtx") in subexpressions(item.body):
                raise Unsupported("HostCtx belongs to host code", item.loc)
        if group is not None:
            low, high = self.formulas.range(group.args[0], names)
            self.formulas.threads = k.sub(high, low)
        if launch is not None:
            if launch.args[2] != Var("_"):
                raise Unsupported("a device function cannot ask for a launch with so much shared memory: _", launch.loc)
            given = zip(ANY_LAUNCH, launch.args)
            return [k.eq(x, self.formulas.term(e, names)) for x, e in given if e != Var("_")]
        if group is not None:
            return [k.eq(k.fmod(ANY_LAUNCH[1], self.formulas.threads or k.ONE), k.ZERO)]
        return []

    def first_thread(self, names: Names) -> frozenset[Term]:
        """`t` in `ThreadsCtx(t ..+ 32)`: a group's place in the grid matters to no rule."""
        group = self.f.token("ThreadsCtx")
        return frozenset() if group is None else self.formulas.range(group.args[0], names)[0].free

    # Statements

    def block(self, body: Body, names: Names) -> kc.Instructions:
        """A scope: its locals are freed at its end, and those of the device code of a kernel where that ends."""
        outer, self.code = self.code, []
        locals_: list[str] = []
        around, of_host = self.current, 0
        for s in body:
            self.seen = self.current = self.seen + 1
            phase = s.call.func if isinstance(s, CallStmt) else ""
            if phase == "kernel_setup_end":
                of_host = len(locals_)
            elif phase == "kernel_teardown_begin":
                self.free_locals(locals_[of_host:], s.loc)
                del locals_[of_host:]
            names = self.statement(s, names, locals_)
        self.current = around
        self.free_locals(locals_, body[-1].loc if body else NOWHERE)
        result, self.code = tuple(self.code), outer
        return result

    def free_locals(self, bases: list[str], loc: Loc) -> None:
        for base in reversed(bases):
            self.code.append(kc.Release(base, False, at=self.at(loc)))

    def statement(self, s: Stmt, names: Names, locals_: list[str]) -> Names:
        match s:
            case Decl():
                return self.declaration(s, names, locals_)
            case Store():
                self.store(s, names)
            case For():
                self.loop(s, names)
            case If(test, then, other):
                c = self.expr(test, names)
                a, b = self.block(then, names), self.block(other, names)
                self.code.append(kc.Branch(c, a, b, at=self.at(s.loc)))
            case Block(body):
                self.code.extend(self.block(body, names))
            case CallStmt(call):
                start = len(self.code)
                self.call_statement(call, names, s.loc)
                self.out.statement_ids.update((i.at, s.id) for i in self.code[-1:] if isinstance(i, kc.CountedLoop))
                self.pointers_last(start)
            case Return(value):
                if value is not None:
                    result = self.expr(value, names)
                    self.fits(result, self.f.result, value.loc)
                    self.code.append(kc.Bind(k.var("_Res", result.sort), result, at=self.at(s.loc)))
            case Ghost():
                return self.ghost(s, names)
            case GhostEnd():
                pass
            case Assert(items):
                for item in items:
                    formulas = _AssertElaborator(self, names)
                    prop = formulas.term(item.body, names)
                    for need in settled(formulas.needs.take(), self.models):
                        self.oblige(need.closed(), f"undefined {need.why}", need.loc)
                    self.code.append(kc.Assertion(prop, at=self.at(item.loc)))
                    if item.name is not None:
                        names = names.bind(item.name, ValueEntry(prop))
        return names

    def declaration(self, s: Decl, names: Names, locals_: list[str]) -> Names:
        at = self.at(s.loc)
        base = self.unique(s.name)
        if isinstance(s.type, Scalar):
            sort = sort_of(s.type, s.loc)
            value = None if s.init is None else self.expr(s.init, names)
            if not is_cell(s, self.assigned):
                assert value is not None
                variable = k.var(base, sort)
                self.code.append(kc.Bind(variable, value, at=at))
                return names.bind(s.name, ValueEntry(variable))
            self.code.append(kc.Allocate(base, sort, (), heap=False, limits=limits_of(s.type), at=at))
            locals_.append(base)
            if value is not None:
                self.code.append(kc.StoreCell(kc.CellAddress(base, ()), value, at=at))
            return names.bind(s.name, CellEntry(base))
        if isinstance(s.init, Alloc):
            array = s.init.type
            assert isinstance(array, Array)
            dims = tuple(self.stable(self.expr(d, names), at) for d in s.init.dims)
            sort, space = sort_of(s.init.elem, s.loc), s.init.space
            heap = space is not Space.TREG  # registers are freed at the end of their scope
            size, limits = s.init.elem.size, limits_of(s.init.elem)
            self.code.append(kc.Allocate(base, sort, dims, space.value, heap, array.distributed, size, limits, at=at))
            self.dims[base] = (None, *dims) if array.distributed else dims
            self.distributed[base] = array.distributed
            if not heap:
                locals_.append(base)
            return names.bind(s.name, ArrayEntry(base, (), k.ZERO, len(array.dims)))
        if s.init is not None:
            return names.bind(s.name, self.pointer(s.init, names))
        assert isinstance(s.type, Array)
        dims = tuple(self.stable(self.expr(d, names), at) for d in s.type.dims if d is not None)
        self.oblige(k.and_(*(k.lt(k.ZERO, d) for d in dims)), "empty", s.loc)  # C's arrays have some element
        sort, space = sort_of(s.type.elem, s.loc), s.type.space
        self.dims[base] = dims
        size, limits = s.type.elem.size, limits_of(s.type.elem)
        self.code.append(kc.Allocate(base, sort, dims, space.value, False, False, size, limits, at=at))
        locals_.append(base)
        return names.bind(s.name, ArrayEntry(base, (), k.ZERO, len(dims)))

    def stable(self, t: Term, at: int) -> Term:
        """Sizes and pointers are evaluated once: a name for the value."""
        if k.is_num(t) or t.op == "var":
            return t
        x = self.temporary(t.sort)
        self.code.append(kc.Bind(x, t, at=at))
        return x

    def store(self, s: Store, names: Names) -> None:
        at = self.at(s.loc)
        value = self.expr(s.value, names)
        place = self.place(s.target, names)
        target = s.target.type
        assert isinstance(target, Scalar)
        if s.op is not None:
            old = self.temporary(sort_of(target, s.loc))
            self.code.append(kc.LoadCell(old, place, at=self.at(s.target.loc)))
            common = s.value.type if s.op not in ("<<", ">>") else promoted(target)
            assert isinstance(common, Scalar)
            result = self.operation(s.op, self.convert(old, target, common, s.loc), value, common, s.loc)
            value = self.convert(result, common, target, s.loc)
        self.code.append(kc.StoreCell(place, value, at=at))

    def place(self, e: Expr, names: Names) -> kc.CellAddress:
        if isinstance(e, Var):
            entry = names.find(e.name)
            assert isinstance(entry, CellEntry)
            return kc.CellAddress(entry.base, ())
        assert isinstance(e, Index)
        array = self.pointer(e.base, names)
        return kc.CellAddress(array.base, array.full(tuple(self.expr(i, names) for i in e.indices)))

    def pointer(self, e: Expr, names: Names) -> ArrayEntry:
        match e:
            case Var(name):
                entry = names.find(name)
                if isinstance(entry, CellEntry):
                    return ArrayEntry(entry.base, (), k.ZERO, 0)
                assert isinstance(entry, ArrayEntry)
                return entry
            case Index(base, indices):
                array = self.pointer(base, names)
                at = self.at(e.loc)
                row = array.row(tuple(self.stable(self.expr(i, names), at) for i in indices))
                self.inside(row.base, row.lead, e.loc)
                return row
            case Addr(Index(base, indices)):
                array = self.pointer(base, names)
                at = self.at(e.loc)
                there = array.address(tuple(self.stable(self.expr(i, names), at) for i in indices))
                self.inside(there.base, there.lead, e.loc, there.shift)
                return there
            case Addr(arg):
                return self.pointer(arg, names)
            case _:
                raise Unsupported("this pointer cannot be followed", e.loc)

    def inside(self, base: str, rows: tuple[Term, ...], loc: Loc, last: Term | None = None) -> None:
        """C has pointers to the elements of an array and to the place after its last one; no others may be formed.

        Rows that a pointer leads to are there. Where the size is not known (first indices of arrays that are distributed, of plain
        pointers whose contract names single cells) there is nothing to compare with, but that the number fits 64 bits.
        """
        ends = [None if d is None else k.sub(d, k.ONE) for d in self.dims.get(base, ())]
        places = list(zip(rows, ends))
        if last is not None and len(rows) < len(ends):
            places.append((last, self.dims[base][len(rows)]))
        limits = (
            k.and_(k.le(k.ZERO, i), k.le(i, d)) if d is not None else within(i, limits_of(INT64)) for i, d in places
        )
        self.oblige(k.and_(*limits), "pointer", loc)

    def pointers_last(self, start: int) -> None:
        """What is obliged of the pointers passed to a call comes after it: an access outside the array says more."""
        new = self.code[start:]
        pointers = [i for i in new if isinstance(i, kc.Oblige) and i.why == "pointer"]
        self.code[start:] = [*(i for i in new if i not in pointers), *pointers]

    def loop(self, s: For, names: Names) -> None:
        at = self.at(s.loc)
        r = s.range
        if r.relation not in (("<", "<=") if r.op in ("+", "*", "<<") else (">", ">=")):
            raise input_error("OG011", f"the loop over `{s.index}` does not count towards its bound", s.loc)
        start, bound, amount = (self.expr(e, names) for e in (r.start, r.bound, r.amount))
        if r.op in ("<<", ">>"):
            self.shift_amount(amount, s.index_type, r.amount.loc)
        self.out.statement_ids[at] = s.id
        index = k.var(self.unique(s.index), INT)
        inner = names.bind(s.index, ValueEntry(index))
        if s.contract:
            if r.op not in ("+", "-"):  # nothing would be said of any iteration
                raise Unsupported(f"the loop over `{s.index}` is unrolled: it cannot have a contract", s.loc)
            self.out.specs[at], inner = self.loop_spec(s, index, inner)
        self.indices.append(index)
        body = (*self.said(self.out.specs.get(at), s.loc), *self.block(s.body, inner))
        self.indices.pop()
        if s.meaning.value == kc.SEQUENTIAL:
            body += self.read_again((r.amount, r.bound), names)
        loop = kc.CountedLoop(index, start, r.relation, bound, r.op, amount, body, s.meaning.value, at=at)
        self.code.append(replace(loop, body=self.index_fits(s, loop, names) + body))

    def index_fits(self, s: For, loop: kc.CountedLoop, names: Names) -> kc.Instructions:
        """In each iteration the index is a number of its type. Unsigned ones also after the last: they would begin anew.

        What a signed index would be after the last iteration it never is: generated code counts in a type that has room for it.
        """
        t, r = s.index_type, s.range
        if self.f.role is Role.GHOST:  # nothing is executed
            return ()
        limits, plain = limits_of(t), self.is_plain(r.start, t, names) and self.is_plain(r.bound, t, names)
        if not t.signed and r.op in ("+", "-"):
            range_ = iterations(loop, loop.start, loop.bound, loop.amount)
            end = k.instantiate(range_.index, (range_.end,))
            if not plain or r.op == "-" or r.relation != "<" or loop.amount is not k.ONE:
                self.oblige(k.and_(within(loop.start, limits), within(end, limits)), "overflow", s.loc)
            return ()
        fits = [] if plain else [within(loop.index, limits)]
        if not t.signed and r.op in ("*", "<<"):
            factor = loop.amount if r.op == "*" else k.pow2(loop.amount)
            fits.append(within(k.mul(loop.index, factor), limits))
        return tuple(kc.Oblige(p, "overflow", at=self.at(s.loc)) for p in fits)

    def is_plain(self, e: Expr, t: Scalar, names: Names) -> bool:
        """Is this known to be a number of the type, because of where it comes from?"""
        match e:
            case Int(value):
                return t.low <= value <= t.high
            case Var(name) if isinstance(e.type, Scalar):
                parameter = any(p.name == name for p in self.f.params) and names.find(name) == ValueEntry(
                    k.var(name, INT)
                )
                return parameter and t.low <= e.type.low and e.type.high <= t.high
            case Cast(to, arg) if to.kind is Kind.INT and (e.implicit or to.signed):  # shown to keep the number
                return self.is_plain(arg, t, names)
            case Cast(to) if to.kind is Kind.INT:  # modulo 2^bits
                return t.low <= to.low and to.high <= t.high
            case _:
                return False

    def read_again(self, exprs: tuple[Expr, ...], names: Names) -> kc.Instructions:
        """C computes step and bound anew after each iteration. The loop does not change them, but what they read is read then."""
        outer, self.code = self.code, []
        for e in exprs:
            self.expr(e, names)
        again, self.code = tuple(self.code), outer
        return again if any(isinstance(i, kc.LoadCell | kc.Invoke | kc.Branch) for i in again) else ()

    def loop_spec(self, s: For, index: Term, names: Names) -> tuple[LoopSpec, Names]:
        spec = LoopSpec(index)
        variables: list[Term] = []
        for c in s.contract:
            for item in c.items:
                if isinstance(item.body, TypeOf):
                    assert item.name is not None
                    v = k.var(self.unique(item.name), sort_of(item.body.of, item.loc))
                    variables.append(v)
                    names = names.bind(item.name, ValueEntry(v))
        spec.variables = tuple(variables)
        for c in s.contract:
            for item in c.items:
                if isinstance(item.body, TypeOf):
                    continue
                if c.kind in ("invariant", "srequires", "xrequires", "xensures"):
                    spec.facts.append(self.formulas.term(item.body, names))
                    continue
                claims, _ = self.formulas.claims(item.body, names)
                if c.kind == "spreserves":
                    spec.invariant.extend(claims)
                    continue
                for claim in claims:
                    before, later = _sides(c.kind[1:], claim)
                    if before is not None and (
                        before.contents != UNINIT or later is None
                    ):  # else it is said by `later`
                        spec.holds.append((replace(before, share=READ), item.loc))
                    if later is not None:
                        spec.exclusive_post.append(later)
        return spec, names

    def said(self, spec: LoopSpec | None, loc: Loc) -> kc.Instructions:
        """What a loop's contract says of memory before each iteration, as steps of its body: nothing else depends on it.

        An iteration has all the cells that are said to be its own, and none twice: of two claims on one, only one would count.
        """
        if spec is None:
            return ()
        holds = [kc.GhostStep("", (), (claim,), (), (), at=self.at(at)) for claim, at in spec.holds]
        own = tuple(replace(c, contents=UNINIT, value=None) for c in (*spec.invariant, *spec.exclusive_post))
        if spec.invariant or len({c.cells.base for c in own}) < len(own):
            holds.append(kc.GhostStep("", (), own, (), (), at=self.at(loc)))
        return tuple(holds)

    def call_statement(self, call: Call, names: Names, loc: Loc) -> None:
        at = self.at(loc)
        if call.func in MEMORY_CALLS and "free" in call.func:
            array = self.pointer(call.args[0], names)
            if array.lead or array.shift is not k.ZERO:
                raise Unsupported("only the start of an allocation can be freed", call.loc)
            self.freed_sizes(call, names)
            self.code.append(kc.Release(array.base, True, at=at))
            return
        if call.func in SHUFFLES:
            to, source = (self.pointer(a, names) for a in call.args[:2])
            target, given = (kc.ArrayView(p.base, p.lead, p.shift) for p in (to, source))
            self.code.append(kc.Shuffle(call.func, target, given, self.expr(call.args[2], names), at=at))
            return
        if call.func in VECTOR_CALLS:
            self.vector(call, names, at)
            return
        if call.func in MEMORY_CALLS:
            self.copy(call, names, at)
            return
        if call.func in CONTROL_CALLS:
            self.control(call, names, at)
            return
        if call.func not in self.functions:
            raise Unsupported(f"`{call.func}` cannot be checked yet", loc)
        self.code.append(kc.Invoke(None, call.func, self.arguments(call, names), at=at))

    def freed_sizes(self, call: Call, names: Names) -> None:
        """`__smem_free2(s, n, m)` names the sizes that s was allocated with."""
        type_ = call.args[0].type
        assert isinstance(type_, Array)
        for arg, d in zip(call.args[1:], type_.dims[1:] if type_.distributed else type_.dims):
            if d is not None:
                goal = k.eq(self.expr(arg, names), self.expr(d, names))
                self.oblige(goal, "free sizes", arg.loc)

    def vector(self, call: Call, names: Names, at: int) -> None:
        """`vload4(&r[0], &a[4 * i])`: all cells are read, then all are written; the one in memory is aligned to the width."""
        width, way = VECTOR_CALLS[call.func]
        to, source = (self.pointer(a, names) for a in call.args)
        memory = source if way == "load" else to
        self.accesses.need(memory.base, width)
        self.oblige(
            self.accesses.aligned(kc.ArrayView(memory.base, memory.lead, memory.shift), width), "aligned", call.loc
        )
        elem = call.args[0].type
        assert isinstance(elem, Array)
        sort = sort_of(elem.elem, call.loc)
        if source.base != to.base:  # then the order does not matter, and a loop says it in one
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
        """memcpy is a call of a function that the kernel defines, one for each rank and sort."""
        array = call.args[0].type
        assert isinstance(array, Array)
        name = f"{call.func}.{sort_of(array.elem, call.loc).name}"
        function = copying(name)
        source = call.args[1].type
        if function is None or not isinstance(source, Array) or source.elem != array.elem:
            raise Unsupported("these arrays cannot be copied to each other", call.loc)
        self.out.copies[name] = function
        self.code.append(kc.Invoke(None, name, self.arguments(call, names), at=at))

    def control(self, call: Call, names: Names, at: int) -> None:
        """The phases of a kernel, and barriers."""
        match call.func:
            case "kernel_launch":
                grid, block, shared = (self.expr(a, names) for a in call.args)
                self.code.append(kc.LaunchKernel(grid, block, shared, at=at))
            case "kernel_setup_end":
                self.code.append(kc.Phase("threads", at=at))
            case "kernel_teardown_begin":
                self.code.append(kc.Phase("teardown", at=at))
            case "kernel_kill":
                self.code.append(kc.Phase("host", at=at))
            case "blocksync":
                self.code.append(kc.Barrier("block", at=at))
            case "warpsync":
                self.code.append(kc.Barrier("warp", at=at))
            case "magic_barrier":
                self.code.append(kc.Barrier("magic", at=at))
            case "kernel_teardown_sync":
                pass  # kernel_teardown_begin waits for all threads already
            case _:
                raise Unsupported(f"`{call.func}` cannot be checked yet", call.loc)

    def arguments(self, call: Call, names: Names) -> tuple[Term | kc.ArrayView, ...]:
        out: list[Term | kc.ArrayView] = []
        for a in call.args:
            if isinstance(a.type, Array):
                array = self.pointer(a, names)
                out.append(kc.ArrayView(array.base, array.lead, array.shift))
            else:
                value = self.expr(a, names)
                self.fits(value, a.type, a.loc)
                out.append(value)
        return tuple(out)

    def ghost(self, s: Ghost, names: Names) -> Names:
        """A ghost of the library, or one without a body: what it claims is checked where it stands."""
        ghost = self.ghosts[s.func]
        if ghost.body or ghost.admitted:
            return self.lemma(s, ghost, names)
        inner = self.outer
        requires: list[Term] = []
        given = {a.name: a.value for a in s.args}
        unknown: list[Term] = []
        for c in ghost.contract:
            if c.kind == "requires":
                for item in c.items:
                    assert item.name is not None
                    value = given.get(item.name)
                    if isinstance(item.body, TypeOf):
                        if value is None:
                            v = k.var(self.unique(f"{item.name}~"), sort_of(item.body.of, item.loc, s.loc))
                            unknown.append(v)
                            inner = inner.bind(item.name, ValueEntry(v))
                        else:
                            inner = inner.bind(item.name, self.formulas.entry(value, names))
                    elif value is not None and isinstance(value.type, ProofType):
                        requires.append(self.formulas.term(value.type.prop, names))
                        inner = _solve_equation(item.body, value.type.prop, self.formulas, inner, names)
        for c in ghost.contract:
            if c.kind == "requires":
                for item in c.items:
                    if not isinstance(item.body, TypeOf):
                        requires.append(self.formulas.term(item.body, inner))
        pre: list[CellClaim] = []
        post: list[CellClaim] = []
        ensures: list[Term] = []
        for c in ghost.contract:
            for item in c.items:
                if c.kind == "ensures":
                    ensures.append(self.formulas.term(item.body, inner))
                    for name, result in s.binds:
                        if result == item.name:
                            names = names.bind(name, ValueEntry(ensures[-1]))
                elif c.kind != "requires":
                    for claim in self.formulas.claims(item.body, inner)[0]:
                        before, later = _sides(c.kind, claim)
                        pre += [before] if before is not None else []
                        post += [later] if later is not None else []
        left = [t for t in unknown if any(t in x.free for x in requires + ensures)]
        if left:  # `in_range_bounds` leaves the range to be found: what it says then holds by the facts themselves
            requires = [r for r in requires if not any(t in r.free for t in left)]
            ensures = [e for e in ensures if not any(t in e.free for t in left)]
        instr = kc.GhostStep(s.func, tuple(requires), tuple(pre), tuple(post), tuple(ensures), at=self.at(s.loc))
        self.code.append(instr)
        return names

    def lemma(self, s: Ghost, ghost: Function, names: Names) -> Names:
        """The use of a lemma: a call that has no arguments but the values of its variables."""
        at = self.at(s.loc)
        given = {a.name: a.value for a in s.args}
        values: dict[str, Term] = {}
        inner = self.outer
        for c in ghost.contract:
            for item in c.items:
                if c.kind == "requires" and isinstance(item.body, TypeOf) and item.name in given:
                    assert item.name is not None
                    values[item.name] = self.formulas.term(given[item.name], names)
                    inner = inner.bind(item.name, ValueEntry(values[item.name]))
                elif c.kind == "ensures":
                    for name, result in s.binds:
                        if result == item.name:
                            names = names.bind(name, ValueEntry(self.formulas.term(item.body, inner)))
        self.out.given[at] = values
        self.code.append(kc.Invoke(None, s.func, (), at=at))
        return names

    # Expressions

    def constant(self, e: Expr) -> Term:
        """The value of a macro, in formulas and in C: nothing has to be shown for it, and all of its parts fit their types."""
        for part in subexpressions(e):
            value, t = self.expr(part, self.outer), part.type
            assert isinstance(t, Scalar)
            if t.kind is Kind.INT:
                self.oblige(within(value, limits_of(t)), "conversion", part.loc)
            rests_on_rounding = not is_float(t) and any(is_float(x.type) for x in children(part))
            if self.code or rests_on_rounding:
                raise Unsupported("C computes another number here, or none", part.loc)
        return self.expr(e, self.outer)

    def expr(self, e: Expr, names: Names) -> Term:
        match e:
            case Int(value):
                return k.num(value)
            case Real(value):
                return k.num(value, REAL)
            case Bool(value):
                return k.TRUE if value else k.FALSE
            case SizeOf(of):
                return k.num(of.size)
            case Var(name):
                return self.variable(name, e, names)
            case Unary("!", arg):
                return k.not_(self.expr(arg, names))
            case Unary("-", arg):
                negated = k.neg(self.expr(arg, names))
                return self.modulo(negated, arg.type, e.loc) if is_unsigned(arg.type) else negated
            case Binary(("&&" | "||") as op, left, right):
                return self.short_circuit(op, left, right, names)
            case Binary(op, left, right):
                return self.operation(op, self.expr(left, names), self.expr(right, names), left.type, e.loc)
            case Cond(test, then, other):
                return self.choice(test, then, other, names, e.loc)
            case Cast(to, arg):
                assert isinstance(arg.type, Scalar)
                return self.convert(self.expr(arg, names), arg.type, to, e.loc, e.implicit)
            case Index():
                target = self.temporary(sort_of(e.type, e.loc))
                self.code.append(kc.LoadCell(target, self.place(e, names), at=self.at(e.loc)))
                return target
            case Call():
                return self.call(e, names)
            case _:
                raise Unsupported("this expression cannot be checked", e.loc)

    def variable(self, name: str, e: Expr, names: Names) -> Term:
        entry = names.find(name)
        if entry is None:
            if name in INT_CONSTANTS:
                return k.num(INT_CONSTANTS[name])
            raise Unsupported(f"`{name}` has no meaning in proofs", e.loc)
        if isinstance(entry, CellEntry):
            target = self.temporary(sort_of(e.type, e.loc))
            self.code.append(kc.LoadCell(target, kc.CellAddress(entry.base, ()), at=self.at(e.loc)))
            return target
        assert isinstance(entry, ValueEntry)
        return entry.term

    def short_circuit(self, op: str, left: Expr, right: Expr, names: Names) -> Term:
        a = self.expr(left, names)
        outer, self.code = self.code, []
        b = self.expr(right, names)
        inner, self.code = self.code, outer
        if not inner:
            return k.and_(a, b) if op == "&&" else k.or_(a, b)
        x = self.temporary(BOOL)
        at = self.at(right.loc)
        evaluated = (*inner, kc.Bind(x, b, at=at))
        known = (kc.Bind(x, k.FALSE if op == "&&" else k.TRUE, at=at),)
        then, other = (evaluated, known) if op == "&&" else (known, evaluated)
        self.code.append(kc.Branch(a, then, other, at=at))
        return x

    def choice(self, test: Expr, then: Expr, other: Expr, names: Names, loc: Loc) -> Term:
        c = self.expr(test, names)
        outer, self.code = self.code, []
        a = self.expr(then, names)
        first, self.code = self.code, []
        b = self.expr(other, names)
        second, self.code = self.code, outer
        if not first and not second:
            return k.ite(c, a, b)
        x = self.temporary(a.sort)
        at = self.at(loc)
        self.code.append(kc.Branch(c, (*first, kc.Bind(x, a, at=at)), (*second, kc.Bind(x, b, at=at)), at=at))
        return x

    def fits(self, value: Term, t: Type | None, loc: Loc) -> None:
        """What is put into a place is a number of its type."""
        if value.sort is INT:
            self.oblige(within(value, limits_of(t)), "overflow", loc)

    def modulo(self, value: Term, t: Scalar, loc: Loc) -> Term:
        """Unsigned numbers are computed modulo 2^bits."""
        if k.is_num(value):
            return k.num(value.data % (1 << t.bits))
        x = self.temporary(INT)
        self.code.append(kc.Bind(x, value, t.bits, at=self.at(loc)))
        return x

    def oblige(self, prop: Term, why: str, loc: Loc) -> None:
        if prop is not k.TRUE:
            self.code.append(kc.Oblige(prop, why, at=self.at(loc)))

    def operation(self, op: str, a: Term, b: Term, left: Type | None, loc: Loc) -> Term:
        match op:
            case "/" | "%":
                self.oblige(k.not_(k.eq(b, k.num(0, b.sort))), "division", loc)
            case "<<" | ">>":
                self.oblige(k.le(k.ZERO, a), "shift", loc)
                self.shift_amount(b, left, loc)
            case "&" | "|" | "^":
                self.oblige(k.and_(k.le(k.ZERO, a), k.le(k.ZERO, b)), "bits", loc)
            case _:
                pass
        value = pure_operation(op, a, b)
        return self.modulo(value, left, loc) if op in WRAPPING and is_unsigned(left) else value

    def shift_amount(self, amount: Term, left: Type | None, loc: Loc) -> None:
        """A shift by all the bits of a number, or more, has no meaning in C."""
        assert isinstance(left, Scalar)
        self.oblige(k.and_(k.le(k.ZERO, amount), k.lt(amount, k.num(left.bits))), "shift", loc)

    def convert(self, x: Term, have: Scalar, to: Scalar, loc: Loc, implicit: bool = True) -> Term:
        """A conversion between machine types. One that could change an integer has to be shown not to, unless it is a cast to an
        unsigned type, which is modulo 2^bits."""
        match to.kind:
            case Kind.BOOL:
                return x if x.sort is BOOL else k.not_(k.eq(x, k.num(0, x.sort)))
            case Kind.FLOAT:
                return rounded(x if x.sort is REAL else k.to_real(as_integer(x)), to, loc)
            case Kind.INT:
                value = self.truncated(x, to, loc) if x.sort is REAL else as_integer(x)
                fits = have.kind is Kind.BOOL or (have.kind is Kind.INT and to.low <= have.low and have.high <= to.high)
                if not fits and not to.signed and not implicit and have.kind is Kind.INT:
                    return self.modulo(value, to, loc)
                mathematical = have.kind is Kind.INT and have.signed  # it may have any value, whatever its type
                if not fits or (mathematical and not implicit):
                    self.oblige(within(value, limits_of(to)), "conversion", loc)
                return value

    def truncated(self, x: Term, to: Scalar, loc: Loc) -> Term:
        """A float as an integer: where that does not fit, some number of the type. Narrow and unsigned ones have to fit."""
        value = k.trunc(x)
        if to.bits < 32 or not to.signed:
            return value
        return k.ite(within(value, limits_of(to)), value, self.choose(INT, limits_of(to), loc))

    def choose(self, sort: Sort, limits: kc.Limits, loc: Loc) -> Term:
        """Some value."""
        x = self.temporary(sort)
        self.code.append(kc.Havoc(x, limits, at=self.at(loc)))
        return x

    def call(self, e: Call, names: Names) -> Term:
        name = e.func
        if name in self.functions:
            target, start = self.temporary(sort_of(e.type, e.loc)), len(self.code)
            args = self.arguments(e, names)
            self.code.append(kc.Invoke(target, name, args, at=self.at(e.loc)))
            self.pointers_last(start)
            return target
        args_ = [self.expr(a, names) for a in e.args]
        if name == "exact_div":
            a, b = args_
            self.oblige(k.not_(k.eq(b, k.ZERO)), "division", e.loc)
            self.oblige(k.eq(a, k.mul(b, k.fdiv(a, b))), "exact_div", e.loc)
            return k.fdiv(a, b)
        if name in MATH:
            self.oblige(defined(MATH[name].real_name, args_), "domain", e.loc)
        if name in MATH or name in ("min", "max", "abs") or index_helper(name):
            value = self.formulas.known_function(name, args_, e.loc)
            return self.modulo(value, e.type, e.loc) if index_helper(name) and is_unsigned(e.type) else value
        raise Unsupported(f"`{name}` cannot be checked", e.loc)


class _AssertElaborator(FormulaElaborator):
    """Formulas of assertions: variables and array elements stand for what they hold, so they are loaded first.

    That is once for an assertion: a place that its formula binds, as in `All(i in 0..n, a[i] == 0)`, would be any one of many.
    """

    def __init__(self, function: FunctionElaborator, around: Names) -> None:
        super().__init__()
        self.owner = function
        self.around = around

    def term(self, e: Expr, names: Names) -> Term:
        if isinstance(e, Var) and isinstance(names.find(e.name), CellEntry):
            return self.owner.variable(e.name, e, names)
        if isinstance(e, Index):
            for x in subexpressions(e):
                if isinstance(x, Var) and names.find(x.name) is not self.around.find(x.name):
                    raise Unsupported(
                        f"an assertion cannot read memory at all places that `{x.name}` stands for", e.loc
                    )
            target = self.owner.temporary(sort_of(e.type, e.loc))
            self.owner.code.append(kc.LoadCell(target, self.owner.place(e, names), at=self.owner.at(e.loc)))
            return target
        return super().term(e, names)


def limits_of(t: Type | None) -> kc.Limits:
    return (t.low, t.high) if isinstance(t, Scalar) and t.kind is Kind.INT and t.bits else None


def is_unsigned(t: Type | None) -> TypeGuard[Scalar]:
    return isinstance(t, Scalar) and t.kind is Kind.INT and not t.signed


def rounded(x: Term, to: Scalar, loc: Loc) -> Term:
    """A constant that is converted to a float type: the compiler takes the nearest number of that type."""
    if not k.is_num(x):
        return x
    if lost(Fraction(x.data), to):
        raise Unsupported(f"this number is out of the range of `{to.name}`", loc)
    return k.num(nearest(x.data, to), REAL)


def as_integer(x: Term) -> Term:
    return k.ite(x, k.ONE, k.ZERO) if x.sort is BOOL else x


def _sides(kind: str, claim: CellClaim) -> tuple[CellClaim | None, CellClaim | None]:
    """Table 2.1: what a clause puts into the precondition and into the postcondition."""
    match kind:
        case "consumes":
            return claim, None
        case "produces":
            return None, claim
        case "preserves":
            return claim, claim
        case "writes":
            return replace(claim, contents=UNINIT, value=None), claim
        case _:
            return replace(claim, share=READ), None


def _solve_equation(pattern: Expr, fact: Expr, formulas: FormulaElaborator, inner: Names, names: Names) -> Names:
    """`by: from =. to` with `by := h` for a fact h: a = b. The sides of the fact are from and to."""
    match pattern, fact:
        case Binary(_, Var(x), Var(y)), Binary(_, left, right):
            for name, side in ((x, left), (y, right)):
                inner = inner.bind(name, ValueEntry(formulas.term(side, names)))
    return inner
