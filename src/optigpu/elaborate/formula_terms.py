"""Formulas of annotations to terms, with the conditions under which each of their parts has a value."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import ExitStack

from optigpu.elaborate.arithmetic_terms import divides, exact_quotient, linear, no_remainder, pure_operation, remainder
from optigpu.elaborate.formula_definedness import ValueConditions
from optigpu.elaborate.infinity import INFINITY, refuse_arithmetic
from optigpu.elaborate.math_terms import defined, math_term
from optigpu.elaborate.name_scope import Entry, FunEntry, Names, ValueEntry, sort_of, unsupported
from optigpu.kernel.instructions import Obligation
from optigpu.logic import terms as k
from optigpu.logic.terms import BOOL, INT, REAL, Sort, Term
from optigpu.syntax.builtins import INT_CONSTANTS, MATH, REAL_CONSTANTS, WRAPS, index_helper
from optigpu.syntax.exprs import (
    ARG_OPERATORS,
    BigOp,
    Binary,
    Bool,
    Call,
    Cast,
    Cond,
    Expr,
    Forall,
    Fun,
    FunType,
    Int,
    ProofType,
    Range,
    Real,
    SizeOf,
    Unary,
    Var,
)
from optigpu.syntax.operators import REAL_SPELLINGS
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Kind, Scalar


class FormulaElaborator:
    """Elaborates formulas. `threads`: the size of the group that calls a device function, if its contract has ThreadsCtx."""

    def __init__(self) -> None:
        self.fresh = itertools.count(1)
        self.threads: Term | None = None
        self.conditions = ValueConditions()

    def binder(self, name: str) -> Term:
        return k.formula_var(name, next(self.fresh), INT)

    def definition(self, e: Expr, names: Names) -> ValueEntry:
        """A `__DEF`: a term, or a function. The conditions of its parts are added where it is used."""
        term = self.function(e, names) if isinstance(e, Fun) else self.term(e, names)
        partial = bool(self.conditions.take())
        return ValueEntry(term, FunEntry(e if isinstance(e, Fun) else Fun((), e), names) if partial else None)

    def entry(self, e: Expr, names: Names) -> Entry:
        """The entry for a parameter of a ghost, from its argument."""
        match e:
            case Fun():
                return FunEntry(e, names)
            case Var(name) if (found := names.find(name)) is not None:
                return found
            case _:
                return ValueEntry(self.term(e, names))

    def term(self, e: Expr, names: Names) -> Term:
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
                return self.variable(name, names, e.loc)
            case Unary("!", arg):
                return k.not_(self.term(arg, names))
            case Unary("-", arg):
                return k.neg(self.term(arg, names))
            case Binary():
                return self.binary(e, names)
            case Cond(test, then, other):
                c = self.term(test, names)
                with self.conditions.under(c):
                    a = self.term(then, names)
                with self.conditions.under(k.not_(c)):
                    b = self.term(other, names)
                return k.ite(c, a, b)
            case Cast(to, arg):
                return self.cast(to, self.term(arg, names))
            case Call():
                return self.call(e, names)
            case Fun():
                with self.conditions.ignored():
                    return self.function(e, names)
            case Forall():
                return self.forall(e, names)
            case BigOp():
                return self.big_operator(e, 0, names)
            case _:
                raise unsupported("the checker cannot read this formula", e.loc)

    def variable(self, name: str, names: Names, loc: Loc) -> Term:
        match names.find(name):
            case ValueEntry(term, definition):
                if definition is not None and not definition.fun.params:
                    self.use(definition, (), loc)
                return term
            case FunEntry(fun, inner):
                with self.conditions.ignored():
                    return self.function(fun, inner)
            case _ if name in INT_CONSTANTS:
                return k.num(INT_CONSTANTS[name])
            case _ if name in REAL_CONSTANTS:
                return INFINITY
            case _:
                raise unsupported(f"the checker cannot speak of `{name}` here", loc)

    def cast(self, to: Scalar, x: Term) -> Term:
        match to.kind:
            case Kind.BOOL:
                return x if x.sort is BOOL else k.not_(k.eq(x, k.num(0, x.sort)))
            case Kind.FLOAT:
                return k.to_real(k.ite(x, k.ONE, k.ZERO) if x.sort is BOOL else x)
            case Kind.INT:
                return k.trunc(x) if x.sort is REAL else k.ite(x, k.ONE, k.ZERO) if x.sort is BOOL else x

    def binary(self, e: Binary, names: Names) -> Term:
        if e.op in ("==", "!=") and isinstance(e.left, Binary) and e.left.op == "%" and e.right == Int(0):
            self.term(e.left, names)  # for its conditions
            none = no_remainder(self.term(e.left.left, names), self.term(e.left.right, names))
            return none if e.op == "==" else k.not_(none)
        a = self.term(e.left, names)
        if e.op in ("&&", "||", "==>"):
            with self.conditions.under(k.not_(a) if e.op == "||" else a):
                b = self.term(e.right, names)
            return k.and_(a, b) if e.op == "&&" else k.or_(a, b) if e.op == "||" else k.implies(a, b)
        b, op = self.term(e.right, names), REAL_SPELLINGS.get(e.op, e.op)
        refuse_arithmetic(op, (a, b), e.loc)
        match op:
            case "/" | "%":
                self.conditions.add(k.not_(k.eq(b, k.num(0, b.sort))), Obligation.UNDEFINED_DIVISION, e.loc)
            case "<<" | ">>" | "&" | "|" | "^":
                self.conditions.add(k.and_(k.le(k.ZERO, a), k.le(k.ZERO, b)), Obligation.UNDEFINED_BITS, e.loc)
            case _:
                pass
        return remainder(a, b) if op == "%" else pure_operation(op, a, b)

    def call(self, e: Call, names: Names) -> Term:
        match names.find(e.func):
            case ValueEntry(f, definition):
                if isinstance(e.type, ProofType):
                    raise unsupported("a fact is not a value", e.loc)
                args = tuple(self.argument(a, s, names) for a, s in zip(e.args, f.sort.args))
                if definition is not None:
                    self.use(definition, self.entries(e.args, args, names), e.loc)
                elif f.op == "var":
                    self.conditions.add(k.app(f, *args), Obligation.UNDEFINED_MODEL, e.loc)
                return k.app(f, *args)
            case FunEntry(fun, inner):
                for p, a in zip(fun.params, [self.term(a, names) for a in e.args]):
                    inner = inner.bind(p.name, ValueEntry(a))
                return self.term(fun.body, inner)
            case _:
                pass
        if e.func == "in_range":
            low, high = self.range(e.args[1], names)
            x = self.term(e.args[0], names)
            return k.and_(k.le(low, x), k.lt(x, high))
        values = [self.term(a, names) for a in e.args]
        if e.func in MATH:
            self.conditions.add(defined(MATH[e.func].real_name, values), Obligation.UNDEFINED_DOMAIN, e.loc)
        elif e.func == "exact_div":
            self.conditions.add(divides(*values), Obligation.UNDEFINED_EXACT_DIVISION, e.loc)
        return self.known_function(e.func, values, e.loc)

    def entries(self, es: tuple[Expr, ...], values: tuple[Term, ...], names: Names) -> tuple[Entry, ...]:
        """Arguments as the body of a definition sees them: functions keep their own definitions, if they have any."""
        out: list[Entry] = []
        for e, value in zip(es, values):
            match e:
                case Fun() if isinstance(e.type, FunType) and sort_of(e.type, e.loc) is value.sort:
                    out.append(FunEntry(e, names))
                case Var(name) if isinstance(found := names.find(name), ValueEntry) and found.term is value:
                    out.append(found)
                case _:
                    out.append(ValueEntry(value))
        return tuple(out)

    def use(self, definition: FunEntry, args: tuple[Entry, ...], loc: Loc) -> None:
        """Add the conditions of a definition's parts where it is used with these arguments."""
        terms = tuple(a.term for a in args if isinstance(a, ValueEntry))
        if len(terms) == len(args) and self.conditions.known_use(id(definition), terms):
            return
        inner = definition.names
        for p, a in zip(definition.fun.params, args):
            inner = inner.bind(p.name, a)
        with self.conditions.used_at(loc):
            self.term(definition.fun.body, inner)

    def argument(self, e: Expr, sort: Sort, names: Names, sizes: Sequence[Term] = ()) -> Term:
        """An argument of a function, as a term of this sort. `sizes`: those of the array whose model the argument is."""
        t = self.function(e, names, sizes) if isinstance(e, Fun) and sizes else self.term(e, names)
        if sort.result is REAL and t.sort.result is INT:  # a function of integers where one of reals is wanted
            variables = tuple(k.formula_var("a", next(self.fresh), s) for s in sort.args)
            return k.lam(variables, k.to_real(k.app(t, *variables)))
        return t

    def known_function(self, name: str, args: list[Term], loc: Loc) -> Term:
        helper = index_helper(name)
        if helper is not None:
            return linear(helper, args)
        if name in WRAPS:
            return k.fmod(args[0], k.num(1 << WRAPS[name]))
        if name in MATH:
            return math_term(MATH[name].real_name, args)
        match name:
            case "min":
                return k.min_(*args)
            case "max":
                return k.max_(*args)
            case "abs":
                return k.max_(args[0], k.neg(args[0]))
            case "exact_div":
                return exact_quotient(*args)
            case _:
                raise unsupported(f"the checker does not know `{name}`", loc)

    def function(self, e: Expr, names: Names, sizes: Sequence[Term] = ()) -> Term:
        assert isinstance(e, Fun)
        sorts = e.type.args if isinstance(e.type, FunType) else tuple(p.type for p in e.params)
        variables = []
        for p, t in zip(e.params, sorts):
            v = k.formula_var(p.name, next(self.fresh), sort_of(t, e.loc))
            variables.append(v)
            names = names.bind(p.name, ValueEntry(v))
        within = (c for v, n in zip(variables, sizes) for c in (k.le(k.ZERO, v), k.lt(v, n)))
        with self.conditions.under(*within, binding=tuple(variables)):
            return k.lam(tuple(variables), self.term(e.body, names))

    def forall(self, e: Forall, names: Names) -> Term:
        variables: list[Term] = []
        hypotheses: list[Term] = []
        with ExitStack() as around:
            for p in e.params:
                if isinstance(p.type, ProofType):
                    hypotheses.append(self.term(p.type.prop, names))
                    around.enter_context(self.conditions.under(hypotheses[-1]))
                else:
                    v = k.formula_var(p.name, next(self.fresh), sort_of(p.type, e.loc))
                    variables.append(v)
                    around.enter_context(self.conditions.under(binding=(v,)))
                    names = names.bind(p.name, ValueEntry(v))
            return k.forall(tuple(variables), k.implies(k.and_(*hypotheses), self.term(e.body, names)))

    def range(self, e: Expr, names: Names) -> tuple[Term, Term]:
        if not isinstance(e, Range):
            raise unsupported("the checker needs this range written out", e.loc)
        return self.term(e.low, names), self.term(e.high, names)

    def big_operator(self, e: BigOp, at: int, names: Names) -> Term:
        if at == len(e.binders):
            return self.term(e.body, names)
        b = e.binders[at]
        low, high = self.range(b.range, names)
        v = self.binder(b.name)
        if e.op in ("Max", "Min", *ARG_OPERATORS):
            self.conditions.add(
                k.lt(low, high), Obligation.UNDEFINED_EXTREMUM, b.range.loc if b.range.loc.line else e.loc
            )
        with self.conditions.under(k.le(low, v), k.lt(v, high), binding=(v,)):
            body = k.abstract(self.big_operator(e, at + 1, names.bind(b.name, ValueEntry(v))), (v,))
        if e.op in ("Max", "Min"):  # of an empty range: the body at its lower bound, as in the interpreter
            values = body if e.op == "Max" else k.neg(body)
            most = k.big("fold_max", low, high, values, k.instantiate(values, (low,)))
            return most if e.op == "Max" else k.neg(most)
        if e.op in ARG_OPERATORS:
            return k.big("argmax", low, high, body if e.op == "ArgMax" else k.neg(body))
        if e.op == "Any":
            return k.not_(k.big("all", low, high, k.not_(body)))
        return k.big({"Sum": "sum", "Prod": "prod", "All": "all"}[e.op], low, high, body)
