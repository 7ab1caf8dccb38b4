"""Queries to z3: terms in its language, a solver of its own for each query.

This module imports z3, which takes long; `z3_solver.py` imports it when the first question is asked.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import z3

from optigpu.logic.terms import BOOL, INT, ONE, REAL, Sort, Term, add, le, mul, num, sub, subterms

Z3Object: TypeAlias = Any  # a context, sort or expression of z3, which has no type hints
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's mallopt


def _keep_freed_memory() -> None:
    """Keep the memory that one query frees for the next one: returning it to the system takes longer than z3 does."""
    with contextlib.suppress(OSError, AttributeError):  # not glibc: its allocator is left as it is
        c_library = ctypes.CDLL(None)
        c_library.mallopt(M_TRIM_THRESHOLD, 1 << 30)
        c_library.mallopt(M_MMAP_THRESHOLD, 1 << 25)


_keep_freed_memory()


def z3_version() -> str:
    return str(z3.get_version_string())


def unsatisfiable_negation(facts: Sequence[Term], goal: Term, seed: int, rlimit: int) -> bool:
    """Whether z3 shows that the facts and the negation of the goal contradict each other."""
    solver, _ = query_of(facts, goal, seed, rlimit)
    return bool(solver.check() == z3.unsat)


def counter_model(
    facts: Sequence[Term], goal: Term, seed: int, rlimit: int
) -> dict[Term, int | Fraction | bool] | None:
    """Values of the variables at which the facts hold and the goal does not, if z3 finds some."""
    solver, translator = query_of(facts, goal, seed, rlimit)
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    out: dict[Term, int | Fraction | bool] = {}
    for term, constant in translator.constants.items():
        if term.op == "var" and term.sort in (INT, REAL, BOOL):
            value = model.eval(constant, model_completion=True)
            if z3.is_int_value(value):
                out[term] = value.as_long()
            elif z3.is_rational_value(value):
                out[term] = value.as_fraction()
            elif z3.is_true(value) or z3.is_false(value):
                out[term] = z3.is_true(value)
    return out


def query_of(facts: Sequence[Term], goal: Term, seed: int, rlimit: int) -> tuple[Z3Object, Z3Translator]:
    context = z3.Context()
    solver = z3.SimpleSolver(ctx=context)
    solver.set("rlimit", rlimit)
    solver.set("ctrl_c", False)  # an interrupt ends the program, it is no answer of the solver
    solver.set("random_seed", seed)
    translator = Z3Translator(context)
    for f in facts:
        solver.add(translator.term(f))
    solver.add(z3.Not(translator.term(goal)))
    for definition in translator.definitions([*facts, goal]):
        solver.add(definition)
    return solver, translator


class Z3Translator:
    """Translates terms to z3. A term without a counterpart in z3 becomes a constant, the same one for equal terms."""

    def __init__(self, context: Z3Object) -> None:
        self.context = context
        self.constants: dict[Term, Z3Object] = {}
        self.memo: dict[Term, Z3Object] = {}

    def sort(self, s: Sort) -> Z3Object:
        if s is INT:
            return z3.IntSort(self.context)
        if s is REAL:
            return z3.RealSort(self.context)
        return z3.BoolSort(self.context) if s is BOOL else z3.DeclareSort(s.name, self.context)

    def number(self, value: int | Fraction, s: Sort) -> Z3Object:
        return z3.IntVal(value, self.context) if s is INT else z3.RealVal(str(value), self.context)

    def constant(self, t: Term) -> Z3Object:
        if t not in self.constants:
            self.constants[t] = z3.Const(
                f"{t.data if t.op == 'var' else t.op}!{len(self.constants)}", self.sort(t.sort)
            )
        return self.constants[t]

    def term(self, t: Term) -> Z3Object:
        translated = self.memo.get(t)
        if translated is None:
            translated = self.memo[t] = self._translate(t)
        return translated

    def _translate(self, t: Term) -> Z3Object:
        match t.op:
            case "num":
                return self.number(t.data, t.sort)
            case "true" | "false":
                return z3.BoolVal(t.op == "true", self.context)
            case "poly":
                return z3.Sum([self._monomial(m, c, t.sort) for m, c in t.data])
            case "fdiv" if t.args[1].op == "num" and t.args[1].data > 0:
                return self.term(t.args[0]) / self.term(t.args[1])
            case "real":
                return z3.ToReal(self.term(t.args[0]))
            case "max":
                return self._maximum(t)
            case "app" if t.args[0].op == "var":
                return self._application(t)
            case "ite":
                c, a, b = (self.term(x) for x in t.args)
                return z3.If(c, a, b)
            case "le":
                return self.term(t.args[0]) <= 0
            case "lt":
                return self.term(t.args[0]) < 0
            case "eq":
                return self.term(t.args[0]) == 0
            case "eqf":
                return self.term(t.args[0]) == self.term(t.args[1])
            case "not":
                return z3.Not(self.term(t.args[0]))
            case "and":
                return z3.And([self.term(a) for a in t.args])
            case "or":
                return z3.Or([self.term(a) for a in t.args])
            case "fdiv" | "inv" | "pow2" | "trunc" | "band" | "bor" | "bxor":
                return self._uninterpreted(t.op, t)
            case _:
                return self.constant(t)

    def _monomial(self, m: tuple[Term, ...], c: int | Fraction, sort: Sort) -> Z3Object:
        coefficient = self.number(c, sort)
        if not m:
            return coefficient
        if len(m) == 1:
            atom = self.term(m[0])
        else:
            atom = self._uninterpreted_product(m, sort)
        return atom if c == 1 else coefficient * atom

    def _uninterpreted_product(self, m: tuple[Term, ...], sort: Sort) -> Z3Object:
        """A product as an uninterpreted function of its factors: equal factors give equal products."""
        sorts = [self.sort(sort)] * (len(m) + 1)
        return z3.Function(f"product!{sort.name}!{len(m)}", *sorts)(*(self.term(a) for a in m))

    def _maximum(self, t: Term) -> Z3Object:
        first, *rest = (self.term(a) for a in t.args)
        out = first
        for x in rest:
            out = z3.If(out >= x, out, x)
        return out

    def _application(self, t: Term) -> Z3Object:
        f = t.args[0]
        sorts = [self.sort(s) for s in f.sort.args] + [self.sort(t.sort)]
        return z3.Function(f"{f.data}!{f.sort.name}", *sorts)(*(self.term(a) for a in t.args[1:]))

    def _uninterpreted(self, name: str, t: Term) -> Z3Object:
        sorts = [self.sort(a.sort) for a in t.args] + [self.sort(t.sort)]
        return z3.Function(f"{name}!{t.sort.name}", *sorts)(*(self.term(a) for a in t.args))

    def definitions(self, formulas: Sequence[Term]) -> list[Z3Object]:
        """The defining bounds of floor division by a positive term, which z3 sees uninterpreted."""
        out: list[Z3Object] = []
        seen: set[Term] = set()
        for f in formulas:
            for t in subterms(f):
                if t.op == "fdiv" and t.level == 0 and t.args[1].op != "num" and t not in seen:
                    seen.add(t)
                    a, d = t.args
                    product = mul(d, t)
                    low, high = le(product, a), le(a, add(product, sub(d, ONE)))
                    out.append(z3.Implies(self.term(le(num(1), d)), z3.And(self.term(low), self.term(high))))
        return out
