"""cvc5 as the judge's solver, and a solver that asks two solvers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from optigpu.logic.judge import Solver
from optigpu.logic.terms import BOOL, INT, ONE, REAL, Sort, Term, add, le, mul, num, sub, subterms

Cvc5Object: TypeAlias = Any  # a sort or term of cvc5, or cvc5 itself: it has no type hints
CVC5_RLIMIT = 200_000  # cvc5's unit of work, per query


class Cvc5Solver(Solver):
    """cvc5 with a resource limit, on the same queries as z3: linear arithmetic with uninterpreted functions."""

    def __init__(self, rlimit: int = CVC5_RLIMIT) -> None:
        import cvc5

        self._cvc5 = cvc5
        self.rlimit = rlimit

    @property
    def description(self) -> str:
        return f"cvc5 {self._cvc5.__version__}"

    def valid(self, facts: Sequence[Term], goal: Term) -> bool:
        manager = self._cvc5.TermManager()
        solver = self._cvc5.Solver(manager)
        solver.setOption("rlimit-per", str(self.rlimit))
        solver.setLogic("ALL")
        translator = Cvc5Translator(self._cvc5, manager)
        for f in facts:
            solver.assertFormula(translator.term(f))
        solver.assertFormula(manager.mkTerm(self._cvc5.Kind.NOT, translator.term(goal)))
        for d in translator.definitions([*facts, goal]):
            solver.assertFormula(d)
        return bool(solver.checkSat().isUnsat())


class Cvc5Translator:
    """Translates terms to cvc5. A term without a counterpart in cvc5 becomes a constant, the same one for equal terms."""

    def __init__(self, cvc5: Cvc5Object, manager: Cvc5Object) -> None:
        self.kind = cvc5.Kind
        self.m = manager
        self.memo: dict[Term, Cvc5Object] = {}
        self.functions: dict[tuple[str, tuple[Sort, ...], Sort], Cvc5Object] = {}
        self.sorts: dict[Sort, Cvc5Object] = {}

    def sort(self, s: Sort) -> Cvc5Object:
        if s not in self.sorts:
            builtin = {INT: self.m.getIntegerSort, REAL: self.m.getRealSort, BOOL: self.m.getBooleanSort}
            self.sorts[s] = builtin[s]() if s in builtin else self.m.mkUninterpretedSort(s.name)
        return self.sorts[s]

    def number(self, value: int | Fraction, s: Sort) -> Cvc5Object:
        return self.m.mkInteger(str(value)) if s is INT else self.m.mkReal(str(value))

    def term(self, t: Term) -> Cvc5Object:
        translated = self.memo.get(t)
        if translated is None:
            translated = self.memo[t] = self._translate(t)
        return translated

    def _translate(self, t: Term) -> Cvc5Object:
        k, mk = self.kind, self.m.mkTerm
        match t.op:
            case "num":
                return self.number(t.data, t.sort)
            case "true" | "false":
                return self.m.mkBoolean(t.op == "true")
            case "poly":
                parts = [self._monomial(m, c, t.sort) for m, c in t.data]
                return mk(k.ADD, *parts) if len(parts) > 1 else parts[0]
            case "fdiv" if t.args[1].op == "num" and t.args[1].data > 0:
                return mk(k.INTS_DIVISION_TOTAL, self.term(t.args[0]), self.term(t.args[1]))
            case "real":
                return mk(k.TO_REAL, self.term(t.args[0]))
            case "max":
                first, *rest = (self.term(a) for a in t.args)
                for x in rest:
                    better = mk(k.GEQ, first, x)
                    first = mk(k.ITE, better, first, x)
                return first
            case "app" if t.args[0].op == "var":
                return self._apply(str(t.args[0].data), t.args[1:], t.sort)
            case "ite":
                return mk(k.ITE, *(self.term(a) for a in t.args))
            case "le" | "lt" | "eq":
                op = {"le": k.LEQ, "lt": k.LT, "eq": k.EQUAL}[t.op]
                return mk(op, self.term(t.args[0]), self.number(0, t.args[0].sort))
            case "eqf":
                return mk(k.EQUAL, self.term(t.args[0]), self.term(t.args[1]))
            case "not":
                return mk(k.NOT, self.term(t.args[0]))
            case "and" | "or":
                return mk(k.AND if t.op == "and" else k.OR, *(self.term(a) for a in t.args))
            case "fdiv" | "inv" | "pow2" | "trunc" | "band" | "bor" | "bxor":
                return self._apply(f"{t.op}!", t.args, t.sort)
            case _:
                name = f"{t.data}" if t.op == "var" else f"{t.op}!{len(self.memo)}"
                return self.m.mkConst(self.sort(t.sort), name)

    def _monomial(self, m: tuple[Term, ...], c: int | Fraction, s: Sort) -> Cvc5Object:
        if not m:
            return self.number(c, s)
        atom = self.term(m[0]) if len(m) == 1 else self._apply(f"product!{len(m)}", m, s)
        return atom if c == 1 else self.m.mkTerm(self.kind.MULT, self.number(c, s), atom)

    def _apply(self, name: str, args: Sequence[Term], s: Sort) -> Cvc5Object:
        sorts = tuple(a.sort for a in args)
        key = (name, sorts, s)
        if key not in self.functions:
            signature = self.m.mkFunctionSort([self.sort(x) for x in sorts], self.sort(s))
            self.functions[key] = self.m.mkConst(signature, name)
        return self.m.mkTerm(self.kind.APPLY_UF, self.functions[key], *(self.term(a) for a in args))

    def definitions(self, formulas: Sequence[Term]) -> list[Cvc5Object]:
        """The defining bounds of floor division by a positive term, which cvc5 sees uninterpreted."""
        out: list[Cvc5Object] = []
        symbolic = {
            t for f in formulas for t in subterms(f) if t.op == "fdiv" and t.level == 0 and t.args[1].op != "num"
        }
        for t in sorted(symbolic):
            a, d = t.args
            product = mul(d, t)
            bounds = self.m.mkTerm(
                self.kind.AND, self.term(le(product, a)), self.term(le(a, add(product, sub(d, ONE))))
            )
            out.append(self.m.mkTerm(self.kind.IMPLIES, self.term(le(num(1), d)), bounds))
        return out


class BothSolvers(Solver):
    """Calls a goal valid only if two solvers do."""

    def __init__(self, first: Solver, second: Solver) -> None:
        self.first, self.second = first, second

    @property
    def description(self) -> str:
        return f"{self.first.description} and {self.second.description}"

    def valid(self, facts: Sequence[Term], goal: Term) -> bool:
        return self.first.valid(facts, goal) and self.second.valid(facts, goal)
