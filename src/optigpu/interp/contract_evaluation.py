"""Contracts on concrete states: values of logical variables, facts, and permissions compared with the heap."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product

from optigpu.interp.formula_evaluation import ClaimedCell, Env, Evaluator, Table
from optigpu.interp.heap import UNINIT, Contents, MemoryView, Uninit, index_of
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour
from optigpu.interp.numeric_values import RuntimeValue, close
from optigpu.interp.rounded_numbers import Number, Rounded, error_of
from optigpu.syntax.diagnostic import Label
from optigpu.syntax.exprs import Call, Expr, FunType, PointsTo, Type, TypeOf, Var, is_int
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import Clause, Item, logical_variables
from optigpu.syntax.source import Loc

BEFORE = frozenset({"consumes", "preserves", "reads", "writes"})
AFTER = frozenset({"produces", "preserves", "writes", "reads"})


class Skipped:
    """The formulas that could not be evaluated, with the reason, for the report."""

    def __init__(self) -> None:
        self.reasons: dict[Loc, str] = {}
        self.turned: Loc | None = None  # a comparison of the program that rounding may have turned around

    def note(self, loc: Loc, why: str) -> None:
        self.reasons.setdefault(loc, why)

    def leaves_open(self, loc: Loc) -> bool:
        """Whether a formula that does not hold would hold without rounding, for all that is known; then it is noted."""
        if self.turned is None:
            return False
        self.note(loc, f"rounding may have decided the comparison in line {self.turned.line}")
        return True


def resources(contract: tuple[Clause, ...], kinds: frozenset[str], prefix: str = "") -> Iterator[tuple[str, Item]]:
    """The permissions of clauses of these kinds, with the kind. `prefix`: "x" or "s" for clauses of a loop."""
    for c in contract:
        if c.kind.startswith(prefix) and c.kind[len(prefix) :] in kinds:
            for item in c.items:
                if not isinstance(item.body, TypeOf):
                    yield c.kind[len(prefix) :], item


def facts(contract: tuple[Clause, ...], kind: str) -> Iterator[Item]:
    """The facts of the clauses of one kind."""
    for c in contract:
        if c.kind == kind:
            for item in c.items:
                if not isinstance(item.body, TypeOf):
                    yield item


class ContractChecker:
    """Binds and checks contracts of functions and loops."""

    def __init__(self, evaluator: Evaluator, skipped: Skipped) -> None:
        self.evaluator = evaluator
        self.memory = evaluator.memory
        self.skipped = skipped

    def bind(self, contract: tuple[Clause, ...], env: Env, prefix: str = "") -> dict[str, RuntimeValue]:
        """Bind the logical variables of a contract: `A` of `a ~> Matrix1(n, A)` to the contents of the array a, `n` to its size.
        Integers that no permission determines are searched for among small numbers that satisfy the facts."""
        unknown = logical_variables(contract)
        self.evaluator.known.clear()
        bound: dict[str, RuntimeValue] = dict(env)
        for name, type_ in unknown.items():
            if isinstance(type_, FunType):
                bound[name] = Table(name)
        for kind, item in resources(contract, BEFORE, prefix):
            if kind != "writes":
                self.bind_sizes(item.body, bound, unknown)
                for claim in self.claims(item.body, bound):
                    self.match(claim, bound, unknown)
        self.evaluator.known.clear()
        return self.solve(contract, bound, unknown, prefix)

    def claims(self, h: Expr, env: Env) -> list[ClaimedCell]:
        try:
            return list(self.evaluator.claims(h, env))
        except CannotEvaluate as e:
            self.skipped.note(e.loc, e.why)
            return []

    def bind_sizes(self, h: Expr, env: dict[str, RuntimeValue], unknown: dict[str, Type]) -> None:
        """Bind a logical n of `a ~> Matrix1(n, A)` to the size of the array."""
        if isinstance(h, PointsTo) and isinstance(h.target, Call) and isinstance(h.pointer, Var):
            view = env.get(h.pointer.name)
            if isinstance(view, MemoryView):
                for size, arg in zip(view.dims(), h.target.args):
                    if isinstance(arg, Var) and arg.name in unknown and arg.name not in env and is_int(arg.type):
                        env[arg.name] = size

    def match(self, claim: ClaimedCell, env: dict[str, RuntimeValue], unknown: dict[str, Type]) -> None:
        held = self.held(claim)
        if held is UNINIT:
            return
        match claim.contents:
            case Var(name) if name in unknown and name not in env:
                env[name] = held
            case Call(name, args) if name in unknown and isinstance(env.get(name), Table):
                try:
                    key = tuple(self.evaluator.value(a, claim.env) for a in args)
                except CannotEvaluate:
                    return
                env[name].points.setdefault(key, held)
            case _:
                pass

    def held(self, claim: ClaimedCell) -> Contents:
        """The contents of a claimed cell. A claim outside its array is reported later, when the claims are checked."""
        try:
            return claim.view.alloc.data[claim.flat()]
        except Misbehaviour:
            return UNINIT

    def solve(
        self, contract: tuple[Clause, ...], env: dict[str, RuntimeValue], unknown: dict[str, Type], prefix: str
    ) -> dict[str, RuntimeValue]:
        """Search integers that only facts determine, such as w of `W == 32 * w`."""
        missing = [n for n, t in unknown.items() if n not in env and is_int(t)]
        if not missing:
            return env
        props = [i.body for i in facts(contract, prefix + "requires")]
        limit = max([abs(v) for v in env.values() if isinstance(v, int)], default=4) + 2
        nothing = {**env, **dict.fromkeys(missing, 0)}  # if there is no solution, some fact is false with these
        if (limit + 1) ** len(missing) > 200_000:
            return nothing
        for values in product(range(limit + 1), repeat=len(missing)):
            trial = {**env, **dict(zip(missing, values))}
            if all(self.holds(p, trial, lenient=True) for p in props):
                return trial
        return nothing

    # Facts

    def holds(self, prop: Expr, env: Env, *, lenient: bool = False) -> bool:
        """Whether a fact is true. A fact that cannot be evaluated counts as true; it is noted as skipped unless `lenient`."""
        try:
            return self.evaluator.truth(prop, env)
        except CannotEvaluate as e:
            if not lenient:
                self.skipped.note(e.loc, e.why)
            return True

    def check_facts(self, items: Iterator[Item], env: Env, code: str, what: str, at: Loc | None = None) -> None:
        for item in items:
            if not self.holds(item.body, env) and not self.skipped.leaves_open(item.loc):
                labels = () if at is None else (Label(item.loc, "required here"),)
                values = self.value_note(item.body, env)
                raise Misbehaviour(
                    code, f"{what} does not hold: {print_expr(item.body)}{values}", at or item.loc, labels
                )

    def value_note(self, prop: Expr, env: Env) -> str:
        """The values of the numbers in a formula, for a message: `  (i = 3, n = 2)`."""
        values = [(n, env[n]) for n in sorted(free_vars(prop)) if isinstance(env.get(n), int | float)]
        return f"  ({', '.join(f'{n} = {v}' for n, v in values)})" if values else ""

    # Permissions

    def check_claims(
        self, h: Expr, env: Env, fail: Callable[[ClaimedCell, str], Misbehaviour], *, values: bool = True
    ) -> list[ClaimedCell]:
        """Check that each cell of a permission is allocated and, if `values`, holds the value that the permission states."""
        claims = self.claims(h, env)
        for size in self.evaluator.negative_sizes(h, env):
            raise fail(
                ClaimedCell(next(v for v in env.values() if isinstance(v, MemoryView)), (), "cell", env, h.loc),
                f"the size {size} is negative",
            )
        for claim in claims:
            alloc = claim.view.alloc
            if not alloc.alive:
                raise fail(claim, f"`{alloc.name}` has been freed")
            try:
                flat = claim.flat()
            except Misbehaviour as outside:
                raise fail(claim, outside.message) from None
            if not values or claim.contents == "uninit":
                continue
            held = alloc.data[flat]
            if isinstance(held, Uninit):
                raise fail(claim, f"{index_of(alloc, flat)} was never written")
            if isinstance(claim.contents, str):
                continue
            try:
                want = self.evaluator.value(claim.contents, claim.env)
            except CannotEvaluate as e:
                self.skipped.note(e.loc, e.why)
                continue
            if isinstance(want, float) and math.isnan(want):  # a sum or product of the formula overflowed
                self.skipped.note(claim.loc, "a number of this formula is too large for a float")
                continue
            if math.isinf(error_of(held)):
                self.skipped.note(
                    claim.loc, f"a number is too large for `{alloc.elem.name}`, or unknown after rounding"
                )
            elif not close(held, want) and not self.skipped.leaves_open(claim.loc):
                raise fail(claim, f"{index_of(alloc, flat)} is {show_number(held)}, but should be {show_number(want)}")
        return claims


def show_number(x: Number) -> str:
    if isinstance(x, Rounded):
        return f"{float(x):.6g} ± {x.error:.2g}"
    return f"{x:.6g}" if isinstance(x, float) else str(x)
