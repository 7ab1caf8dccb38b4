"""Elaboration with floats left open: the program whose safety is proved.

On a machine, floats are not reals: they are rounded, and some are NaN. So safety (bounds, races, barriers, initialisation, leaks,
the range of integers) must not rest on properties of reals. Here a comparison of floats is an arbitrary boolean, a new one each
time; a float converted to an integer is an arbitrary integer of its type, unless the conversion is exact; and all floats are one
number, since nothing depends on them any more. Facts and contents about reals are left out of contracts.

The theorem about this program is that it is safe whatever floats do. Its results are proved over the reals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from optigpu.elaborate.elaborated import Elaborated, LoopSpec
from optigpu.elaborate.function_contracts import ElaboratedContract
from optigpu.elaborate.functions import FunctionElaborator
from optigpu.elaborate.machine_types import limits_of
from optigpu.elaborate.name_scope import Names, unsupported
from optigpu.elaborate.weakening import open_name
from optigpu.kernel import instructions as kc
from optigpu.kernel.side_conditions import terms_of, within
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, SOME, CellClaim
from optigpu.logic.names import Origin
from optigpu.logic.terms import BOOL, INT, REAL, Sort, Term
from optigpu.syntax.annotations import WITH
from optigpu.syntax.builtins import MATH
from optigpu.syntax.exprs import Binary, Call, Cast, Expr, Type, is_float, is_int
from optigpu.syntax.float_formats import FORMATS
from optigpu.syntax.operators import COMPARISONS, REAL_SPELLINGS
from optigpu.syntax.program import Assert, For, Function, Ghost, GhostEnd, Program, Role, Stmt, Store
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Kind, Scalar
from optigpu.syntax.walk import statements, stmt_exprs, subexpressions

ANY_FLOAT = k.num(0, REAL)


def floats_decide(program: Program, over_reals: list[kc.Procedure]) -> bool:
    """Does a comparison or conversion of floats, or a fact about reals, decide anything that is no float?"""
    functions = [f for f in program.flat_items() if isinstance(f, Function) and f.role is not Role.GHOST]
    return any(map(_in_contract, over_reals)) or _in_code(functions)


def _in_contract(f: kc.Procedure) -> bool:
    """Do reals decide facts of the precondition, integers in its cells, or which cells are held?

    The postcondition matters only if the function is admitted: otherwise it is proved of the code.
    """
    claims = (*f.contract.pre, *f.contract.post)
    if mentions_reals(f.contract.requires, tuple(c.cells for c in claims), _integers(f.contract.pre)):
        return True
    return f.admitted and mentions_reals(f.contract.ensures, _integers(f.contract.post))


def _integers(claims: tuple[CellClaim, ...]) -> tuple[Term, ...]:
    """The values of cells that hold no floats."""
    return tuple(c.value for c in claims if c.value is not None and c.value.sort is not REAL)


def _in_code(functions: list[Function]) -> bool:
    """Do floats decide anything in code? Ghosts and assertions are not executed."""
    for s in (s for f in functions for s in statements(f.body)):
        if isinstance(s, Store) and s.op is not None and is_float(s.value.type) and not is_float(s.target.type):
            return True
        exprs = (s.range.start, s.range.bound, s.range.amount) if isinstance(s, For) else stmt_exprs(s)
        if not isinstance(s, Ghost | Assert) and any(_decides(x) for e in exprs for x in subexpressions(e)):
            return True
    return False


def _decides(e: Expr) -> bool:
    """Is this a value that is no float, and depends on floats?"""
    match e:
        case Binary(op, left, right) if REAL_SPELLINGS.get(op, op) in COMPARISONS:
            return is_float(left.type) or is_float(right.type)
        case Cast(to, arg):
            return is_float(arg.type) and not is_float(to)
        case _:
            return False


@dataclass(frozen=True, slots=True)
class IntegerAsFloat:
    """An integer that is converted to float types, one after the other. From -exact to exact, all integers stay the same."""

    value: Expr
    exact: int


def as_floats(e: Expr) -> IntegerAsFloat | None:
    match e:
        case Cast(to, arg) if to in FORMATS:
            inner = IntegerAsFloat(arg, FORMATS[to].exact_integers) if is_int(arg.type) else as_floats(arg)
            return inner and replace(inner, exact=min(inner.exact, FORMATS[to].exact_integers))
        case _:
            return None


def mentions_reals(*parts: object) -> bool:
    """Is a real, or a function from or to reals, part of a term in these records?"""
    return any(_has_reals(x.sort) for t in terms_of(parts) for x in k.subterms(t))


def _has_reals(s: Sort) -> bool:
    return s is REAL or any(_has_reals(a) for a in s.args) or (s.result is not None and _has_reals(s.result))


class OpenFloats(FunctionElaborator):
    """Elaborates a function once more, with floats left open. `lemmas`: functions of the kernel, by name."""

    def __init__(
        self,
        f: Function,
        names: Names,
        out: Elaborated,
        ghosts: Mapping[str, Function],
        program: Program,
        lemmas: dict[str, kc.Procedure],
    ) -> None:
        super().__init__(f, names, out, ghosts, program)
        self.lemmas = lemmas

    def run(self) -> kc.Procedure:
        f, contract = self.elaborated()
        name = open_name(f.name)
        self.out.clauses[name] = contract.places
        self.out.accesses[name] = self.accesses
        return replace(f, name=name, body=kc.rewritten_code(f.body, self.calls_opened))

    # Contracts

    def contract(self, names: Names) -> ElaboratedContract:
        whole = super().contract(names)
        c, places = whole.contract, whole.places
        for x, at in zip(c.pre, places.pre):
            if mentions_reals(x.cells):
                raise unsupported(
                    "which cells are held depends on floats, of which nothing is known where memory is safe", at
                )
        conjuncts = ((q, at) for p, at in zip(c.requires, places.requires) for q in k.conjuncts(p) or (p,))
        requires = [(p, at) for p, at in conjuncts if not mentions_reals(p)]
        ensures = [(p, at) for p, at in zip(c.ensures, places.ensures) if not mentions_reals(p)]
        places = replace(places, requires=[at for _, at in requires], ensures=[at for _, at in ensures])
        pre, post = (tuple(self.claim(x) for x in xs) for xs in (c.pre, c.post))
        facts = tuple(p for p, _ in requires), tuple(p for p, _ in ensures)
        mentioned = {x for t in terms_of((*facts, pre, post)) for x in t.free}
        variables = tuple(v for v in c.variables if v in mentioned)
        contract = kc.ProcedureContract(variables, facts[0], pre, post, facts[1], c.result)
        return replace(whole, contract=contract, places=places)

    def claim(self, c: CellClaim) -> CellClaim:
        """The claim, with unknown contents where these depend on reals."""
        if c.contents == KNOWN and mentions_reals(c.value):
            c = replace(c, contents=SOME, value=None)
        return c

    def loop_spec(self, s: For, index: Term, names: Names) -> tuple[LoopSpec, Names]:
        spec, names = super().loop_spec(s, index, names)
        for facts in (spec.facts, spec.requires, spec.ensures, spec.sizes, spec.invariant_sizes):
            facts[:] = [(p, at) for p, at in facts if not mentions_reals(p)]
        all_claims = (spec.takes, spec.exclusive_post, spec.reads, spec.invariant)
        for claims in all_claims:
            claims[:] = [(self.claim(c), at) for c, at in claims]
        parts = (spec.facts, spec.requires, spec.ensures, *all_claims)
        mentioned = {x for part in parts for item, _ in part for t in terms_of(item) for x in t.free}
        spec.variables = tuple(v for v in spec.variables if v in mentioned)
        return spec, names

    # Statements

    def statement(self, s: Stmt, names: Names, locals_: list[str]) -> Names:
        before = len(self.code)
        names = super().statement(s, names, locals_)
        if isinstance(s, Assert) and any(mentions_reals(i) for i in self.code[before:]):
            del self.code[before:]
        if isinstance(s, Ghost | GhostEnd):
            steps, self.code[before:] = self.code[before:], []
            self.code.extend(self.opened_steps(steps))
        return names

    def opened_steps(self, steps: list[kc.Instruction]) -> Iterator[kc.Instruction]:
        """Proof steps of ghosts, without what they say about reals."""
        for i in steps:
            match i:
                case kc.GhostStep():
                    pre, post = (tuple(self.claim(c) for c in claims) for claims in (i.pre, i.post))
                    facts = (tuple(p for p in ps if not mentions_reals(p)) for ps in (i.requires, i.ensures))
                    requires, ensures = facts
                    yield replace(i, requires=requires, pre=pre, post=post, ensures=ensures)
                case kc.Invoke(_, lemma) if mentions_reals(self.lemmas[lemma].contract):
                    pass
                case kc.Oblige(prop) if mentions_reals(prop):
                    pass
                case _:
                    yield i

    def calls_opened(self, i: kc.Instruction) -> kc.Instructions:
        """Functions with floats left open call functions with floats left open."""
        if isinstance(i, kc.Invoke) and i.function in self.functions:
            return (replace(i, function=open_name(i.function)),)
        if isinstance(i, kc.GhostStep) and i.name == WITH:
            pre, post = (tuple(self.claim(c) for c in claims) for claims in (i.pre, i.post))
            return (replace(i, pre=pre, post=post),)
        return (i,)

    # Expressions

    def expr(self, e: Expr, names: Names) -> Term:
        match e:
            case Cast(to, arg) if is_int(to) and (integer := as_floats(arg)) is not None:
                value, most = self.expr(integer.value, names), integer.exact
                exact = k.and_(within(value, (-most, most)), within(value, limits_of(to)))
                return k.ite(exact, value, self.choose(INT, limits_of(to), e.loc))
            case _:
                value = super().expr(e, names)
                return ANY_FLOAT if value.sort is REAL else value

    def finite_operands(self, operands: tuple[Expr, ...], values: Sequence[Term], loc: Loc) -> None:
        """Whether a float is INFINITY or NaN is no matter of safety."""

    def operation(self, op: str, a: Term, b: Term, left: Type | None, loc: Loc) -> Term:
        if a.sort is not REAL:
            return super().operation(op, a, b, left, loc)
        return self.outcome() if op in COMPARISONS else ANY_FLOAT

    def outcome(self) -> Term:
        """An arbitrary boolean, a new one for each comparison and each iteration of the loops around it.

        It is an unknown function of the loops' indices that occurs nowhere else.
        """
        name, indices = self.unique("compared", Origin.TEMPORARY, lasting=True), tuple(self.indices)
        if not indices:
            return k.var(name, BOOL)
        return k.app(k.var(name, k.fun_sort((INT,) * len(indices), BOOL)), *indices)

    def convert(self, x: Term, have: Scalar, to: Scalar, loc: Loc, implicit: bool = True) -> Term:
        if x.sort is not REAL or is_float(to):
            return super().convert(x, have, to, loc, implicit)
        return self.outcome() if to.kind is Kind.BOOL else self.choose(INT, limits_of(to), loc)

    def call(self, e: Call, names: Names) -> Term:
        if e.func not in MATH:
            return super().call(e, names)
        for a in e.args:
            self.expr(a, names)
        return ANY_FLOAT
