"""z3 behind the kernel's solver protocol.

Products of variables are abstracted to variables of their own, so every query is linear arithmetic with uninterpreted functions:
decidable, quick, and bounded by a deterministic resource limit instead of seconds. Every query has a context of its own: what z3
does first depends on what its context has seen, and an answer must not depend on the questions before it.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import z3

from optigpu.logic.judge import Solver
from optigpu.logic.terms import BOOL, INT, ONE, REAL, Sort, Term, add, le, mul, num, sub, subterms

RLIMIT = 400_000
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's mallopt


def _keep_freed_memory() -> None:
    """What one query's context frees is for the next one: to give it back to the system and ask again costs more than z3."""
    with contextlib.suppress(OSError, AttributeError):  # another C library does as it likes
        c_library = ctypes.CDLL(None)
        c_library.mallopt(M_TRIM_THRESHOLD, 1 << 30)
        c_library.mallopt(M_MMAP_THRESHOLD, 1 << 25)


_keep_freed_memory()


class Z3Solver(Solver):
    def __init__(self, seed: int = 0, rlimit: int = RLIMIT) -> None:
        self.seed = seed
        self.rlimit = rlimit

    @property
    def description(self) -> str:
        return f"z3 {z3.get_version_string()}"

    def valid(self, facts: Sequence[Term], goal: Term) -> bool:
        solver, _ = self._query(facts, goal)
        return bool(solver.check() == z3.unsat)

    def model(self, facts: Sequence[Term], goal: Term) -> dict[Term, int | Fraction | bool] | None:
        """Values of the variables at which the facts hold and the goal does not, if there are any."""
        solver, translator = self._query(facts, goal)
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

    def _query(self, facts: Sequence[Term], goal: Term) -> tuple[Any, Translator]:
        context = z3.Context()
        solver = z3.SimpleSolver(ctx=context)
        solver.set("rlimit", self.rlimit)
        solver.set("ctrl_c", False)  # an interrupt ends us; it is no answer of the solver
        solver.set("random_seed", self.seed)
        translator = Translator(context)
        for f in facts:
            solver.add(translator.boolean(f))
        solver.add(z3.Not(translator.boolean(goal)))
        for definition in translator.definitions([*facts, goal]):
            solver.add(definition)
        return solver, translator


class Translator:
    """Kernel terms to z3 terms. What has no counterpart becomes a constant, the same for equal terms."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.constants: dict[Term, Any] = {}
        self.memo: dict[Term, Any] = {}

    def sort(self, s: Sort) -> Any:
        if s is INT:
            return z3.IntSort(self.context)
        if s is REAL:
            return z3.RealSort(self.context)
        return z3.BoolSort(self.context) if s is BOOL else z3.DeclareSort(s.name, self.context)

    def number(self, value: int | Fraction, s: Sort) -> Any:
        return z3.IntVal(value, self.context) if s is INT else z3.RealVal(str(value), self.context)

    def constant(self, t: Term) -> Any:
        if t not in self.constants:
            self.constants[t] = z3.Const(
                f"{t.data if t.op == 'var' else t.op}!{len(self.constants)}", self.sort(t.sort)
            )
        return self.constants[t]

    def boolean(self, t: Term) -> Any:
        return self.term(t)

    def term(self, t: Term) -> Any:
        found = self.memo.get(t)
        if found is None:
            found = self.memo[t] = self._translate(t)
        return found

    def _translate(self, t: Term) -> Any:
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

    def _monomial(self, m: tuple[Term, ...], c: Any, sort: Sort) -> Any:
        coefficient = self.number(c, sort)
        if not m:
            return coefficient
        if len(m) == 1:
            atom = self.term(m[0])
        else:
            atom = self._uninterpreted_product(m, sort)
        return atom if c == 1 else coefficient * atom

    def _uninterpreted_product(self, m: tuple[Term, ...], sort: Sort) -> Any:
        """A product as a function of its factors: equal factors give equal products, and nothing more is said."""
        sorts = [self.sort(sort)] * (len(m) + 1)
        return z3.Function(f"product!{sort.name}!{len(m)}", *sorts)(*(self.term(a) for a in m))

    def _maximum(self, t: Term) -> Any:
        first, *rest = (self.term(a) for a in t.args)
        out = first
        for x in rest:
            out = z3.If(out >= x, out, x)
        return out

    def _application(self, t: Term) -> Any:
        f = t.args[0]
        sorts = [self.sort(s) for s in f.sort.args] + [self.sort(t.sort)]
        return z3.Function(f"{f.data}!{f.sort.name}", *sorts)(*(self.term(a) for a in t.args[1:]))

    def _uninterpreted(self, name: str, t: Term) -> Any:
        sorts = [self.sort(a.sort) for a in t.args] + [self.sort(t.sort)]
        return z3.Function(f"{name}!{t.sort.name}", *sorts)(*(self.term(a) for a in t.args))

    def definitions(self, formulas: Sequence[Term]) -> list[Any]:
        """What holds of functions that z3 sees uninterpreted: floor division by a positive variable."""
        out: list[Any] = []
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
