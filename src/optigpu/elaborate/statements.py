"""Statements of C to instructions: scopes, declarations, stores, branches, loops, assertions."""

from __future__ import annotations

from optigpu.elaborate.device_calls import CallElaborator
from optigpu.elaborate.elaborated import LoopSpec
from optigpu.elaborate.expression_values import ExpressionElaborator
from optigpu.elaborate.formula_definedness import resolved
from optigpu.elaborate.formula_terms import FormulaElaborator
from optigpu.elaborate.ghost_steps import ghost_end, ghost_step, given_permissions, given_values
from optigpu.elaborate.loop_contracts import LoopContractCode, contract_code, loop_spec
from optigpu.elaborate.machine_types import limits_of
from optigpu.elaborate.name_scope import ArrayEntry, CellEntry, Names, ValueEntry, sort_of, unsupported
from optigpu.frontend.implicit_conversions import promoted
from optigpu.kernel import instructions as kc
from optigpu.kernel.iterations import iterations
from optigpu.kernel.side_conditions import within
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.names import Name
from optigpu.logic.terms import INT, Term
from optigpu.syntax.builtins import ATOMICS
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Alloc, Array, Cast, Expr, Index, Int, Var
from optigpu.syntax.program import (
    Assert,
    Block,
    Body,
    CallStmt,
    Decl,
    For,
    Ghost,
    GhostEnd,
    If,
    Return,
    Role,
    Stmt,
    Store,
)
from optigpu.syntax.scopes import is_cell
from optigpu.syntax.source import NOWHERE, Loc
from optigpu.syntax.types import Kind, Scalar, Space
from optigpu.syntax.walk import subexpressions


class StatementElaborator(CallElaborator):
    def block(self, body: Body, names: Names) -> kc.Instructions:
        """A scope: its locals are freed at its end. Locals of a kernel's device code are freed where the device code ends."""
        locals_: list[str] = []
        around, of_host = self.current, 0
        with self.nested() as code:
            for s, after in zip(body, (*body[1:], None)):
                self.logical_arguments = given_values(self, after, names)
                self.given_permissions = given_permissions(after)
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
        return tuple(code)

    def free_locals(self, bases: list[str], loc: Loc) -> None:
        for base in reversed(bases):
            self.code.append(kc.Release(base, False, at=self.at(loc)))

    def statement(self, s: Stmt, names: Names, locals_: list[str]) -> Names:
        """Add the instructions of a statement; the names that hold after it. Its locals are added to `locals_`."""
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
                self.pointer_obligations_last(start)
            case Return(value):
                if value is not None:
                    result = self.expr(value, names)
                    self.fits(result, self.f.result, value.loc)
                    self.code.append(kc.Bind(k.var("_Res", result.sort), result, at=self.at(s.loc)))
            case Ghost():
                return self.ghost(s, names)
            case GhostEnd(label):
                begin, before = self.opened[label].pop()
                if begin.claims:  # not a lemma, whose facts stay
                    ghost_end(self, begin, before, s.loc)
            case Assert():
                return self.assertion(s, names)
        return names

    def ghost(self, s: Ghost, names: Names) -> Names:
        if s.label is not None:
            self.opened.setdefault(s.label, []).append((s, names))
        return ghost_step(self, s, names)

    def assertion(self, s: Assert, names: Names) -> Names:
        for item in s.items:
            formulas = AssertionElaborator(self, names)
            prop = formulas.term(item.body, names)
            for condition in resolved(formulas.conditions.take(), self.models):
                self.oblige(condition.closed(), condition.why, condition.loc)
            self.code.append(kc.Assertion(prop, at=self.at(item.loc)))
            if item.name is not None:
                names = names.bind(item.name, ValueEntry(prop))
        return names

    # Declarations and stores

    def declaration(self, s: Decl, names: Names, locals_: list[str]) -> Names:
        at = self.at(s.loc)
        name = self.unique(s.name, lasting=not isinstance(s.type, Scalar))
        if isinstance(s.type, Scalar):
            return self.scalar(s, s.type, name, at, names, locals_)
        base = str(name)
        if isinstance(s.init, Alloc):
            return self.allocation(s, s.init, base, at, names, locals_)
        if s.init is not None:
            return names.bind(s.name, self.pointer(s.init, names))
        assert isinstance(s.type, Array)
        dims = tuple(self.stable(self.expr(d, names), at) for d in s.type.dims if d is not None)
        self.oblige(k.and_(*(k.lt(k.ZERO, d) for d in dims)), kc.Obligation.EMPTY_ARRAY, s.loc)  # C has no empty arrays
        sort, space = sort_of(s.type.elem, s.loc), s.type.space
        self.dims[base] = dims
        size, limits = s.type.elem.size, limits_of(s.type.elem)
        self.code.append(kc.Allocate(base, sort, dims, space.value, False, False, size, limits, at=at))
        locals_.append(base)
        return names.bind(s.name, ArrayEntry(base, (), k.ZERO, len(dims)))

    def scalar(self, s: Decl, type_: Scalar, name: Name, at: int, names: Names, locals_: list[str]) -> Names:
        """A variable that changes is a cell in memory; any other is a name for its value."""
        sort = sort_of(type_, s.loc)
        value = None if s.init is None else self.expr(s.init, names)
        if not is_cell(s, self.assigned):
            assert value is not None
            variable = k.var(name, sort)
            self.code.append(kc.Bind(variable, value, at=at))
            return names.bind(s.name, ValueEntry(variable))
        base = str(name)
        self.code.append(kc.Allocate(base, sort, (), heap=False, limits=limits_of(type_), at=at))
        locals_.append(base)
        if value is not None:
            self.code.append(kc.StoreCell(kc.CellAddress(base, ()), value, at=at))
        return names.bind(s.name, CellEntry(base))

    def allocation(self, s: Decl, init: Alloc, base: str, at: int, names: Names, locals_: list[str]) -> Names:
        array = init.type
        assert isinstance(array, Array)
        dims = tuple(self.stable(self.expr(d, names), at) for d in init.dims)
        sort, space = sort_of(init.elem, s.loc), init.space
        heap = space not in (Space.TREG, Space.FRAG)  # registers are freed at the end of their scope
        size, limits = init.elem.size, limits_of(init.elem)
        groups, dims = (dims[0], dims[1:]) if space is Space.FRAG else (k.ONE, dims)
        new = kc.Allocate(base, sort, dims, space.value, heap, array.distributed, size, limits, groups, at=at)
        self.code.append(new)
        self.dims[base] = (None, *dims) if array.distributed else dims
        self.distributed[base] = array.distributed
        if not heap:
            locals_.append(base)
        return names.bind(s.name, ArrayEntry(base, (), k.ZERO, len(array.dims)))

    def store(self, s: Store, names: Names) -> None:
        at = self.at(s.loc)
        value = self.expr(s.value, names)
        place = self.place(s.target, names)
        target = s.target.type
        assert isinstance(target, Scalar)
        if s.op in ATOMICS:
            self.code.append(kc.AccumulateCell(place, s.op, value, at=at))
            return
        if s.op is not None:
            old = self.temporary(sort_of(target, s.loc))
            self.code.append(kc.LoadCell(old, place, at=self.at(s.target.loc)))
            common = s.value.type if s.op not in ("<<", ">>") else promoted(target)
            assert isinstance(common, Scalar)
            self.finite_operands((s.target, s.value), (old, value), s.loc)
            result = self.operation(s.op, self.convert(old, target, common, s.loc), value, common, s.loc)
            value = self.convert(result, common, target, s.loc)
        self.code.append(kc.StoreCell(place, value, at=at))

    # Loops

    def loop(self, s: For, names: Names) -> None:
        at = self.at(s.loc)
        r = s.range
        if r.relation not in (("<", "<=") if r.op in ("+", "*", "<<") else (">", ">=")):
            raise input_error("OG011", f"the loop over `{s.index}` does not count towards its bound", s.loc)
        start, bound, amount = (self.expr(e, names) for e in (r.start, r.bound, r.amount))
        if r.op in ("<<", ">>"):
            self.shift_amount(amount, s.index_type, r.amount.loc)
        self.out.statement_ids[at] = s.id
        with self.loop_scope():
            self.counted_loop(s, names, (start, bound, amount), at)

    def counted_loop(self, s: For, names: Names, numbers: tuple[Term, Term, Term], at: int) -> None:
        """Add the loop, with what its contract demands before and after it. `numbers`: its start, bound and amount."""
        r = s.range
        index = k.var(self.unique(s.index), INT)
        inner = names.bind(s.index, ValueEntry(index))
        if s.contract:
            if r.op not in ("+", "-"):  # the kernel unrolls such a loop, and would check the contract of no iteration
                raise unsupported(f"the loop over `{s.index}` is unrolled: it cannot have a contract", s.loc)
            self.out.specs[at], inner = self.loop_spec(s, index, inner)
        start, bound, amount = numbers
        loop = kc.CountedLoop(index, start, r.relation, bound, r.op, amount, (), s.meaning.value, s.stages, at=at)
        contract = contract_code(self, self.out.specs[at], loop, s.loc) if s.contract else LoopContractCode()
        self.indices.append(index)
        body = (*contract.start, *self.block(s.body, inner), *contract.end)
        self.indices.pop()
        if s.meaning.value in kc.IN_SEQUENCE:
            body += self.repeated_reads((r.amount, r.bound), names)
        loop = replace(loop, body=self.index_fits(s, loop, names) + body)
        self.code += [*contract.before, loop, *contract.after]

    def loop_spec(self, s: For, index: Term, names: Names) -> tuple[LoopSpec, Names]:
        return loop_spec(self, s, index, names)

    def index_fits(self, s: For, loop: kc.CountedLoop, names: Names) -> kc.Instructions:
        """In each iteration the index fits its type. Unsigned indices also fit after the last one, where they would wrap around.

        A signed index never takes the value after the last iteration: generated code counts in a type that has room for it.
        """
        t, r = s.index_type, s.range
        if self.f.role is Role.GHOST:  # nothing is executed
            return ()
        limits, plain = limits_of(t), self.is_plain(r.start, t, names) and self.is_plain(r.bound, t, names)
        if not t.signed and r.op in ("+", "-"):
            range_ = iterations(loop, loop.start, loop.bound, loop.amount)
            end = k.instantiate(range_.index, (range_.end,))
            if not plain or r.op == "-" or r.relation != "<" or loop.amount is not k.ONE:
                self.oblige(k.and_(within(loop.start, limits), within(end, limits)), kc.Obligation.OVERFLOW, s.loc)
            return ()
        fits = [] if plain else [within(loop.index, limits)]
        if not t.signed and r.op in ("*", "<<"):
            factor = loop.amount if r.op == "*" else k.pow2(loop.amount)
            fits.append(within(k.mul(loop.index, factor), limits))
        return tuple(kc.Oblige(p, kc.Obligation.OVERFLOW, at=self.at(s.loc)) for p in fits)

    def is_plain(self, e: Expr, t: Scalar, names: Names) -> bool:
        """Does the origin of this expression alone show that it fits the type?"""
        match e:
            case Int(value):
                return t.low <= value <= t.high
            case Var(name) if isinstance(e.type, Scalar):
                parameter = any(p.name == name for p in self.f.params) and names.find(name) == ValueEntry(
                    k.var(name, INT)
                )
                return parameter and t.low <= e.type.low and e.type.high <= t.high
            case Cast(to, arg) if to.kind is Kind.INT and (e.implicit or to.signed):  # obliged to keep the number
                return self.is_plain(arg, t, names)
            case Cast(to) if to.kind is Kind.INT:  # modulo 2^bits
                return t.low <= to.low and to.high <= t.high
            case _:
                return False

    def repeated_reads(self, exprs: tuple[Expr, ...], names: Names) -> kc.Instructions:
        """C evaluates step and bound after each iteration. The loop does not change them, but memory is read each time."""
        with self.nested() as code:
            for e in exprs:
                self.expr(e, names)
        return tuple(code) if any(isinstance(i, kc.LoadCell | kc.Invoke | kc.Branch) for i in code) else ()


class AssertionElaborator(FormulaElaborator):
    """Formulas of assertions: variables and array elements stand for their contents, so they are loaded first.

    Each is loaded once for an assertion, so its address must not depend on a variable that the formula binds, as in
    `All(i in 0..n, a[i] == 0)`.
    """

    def __init__(self, function: ExpressionElaborator, around: Names) -> None:
        super().__init__()
        self.function_code = function
        self.around = around

    def term(self, e: Expr, names: Names) -> Term:
        if isinstance(e, Var) and isinstance(names.find(e.name), CellEntry):
            return self.function_code.variable(e.name, e, names)
        if isinstance(e, Index):
            for x in subexpressions(e):
                if isinstance(x, Var) and names.find(x.name) is not self.around.find(x.name):
                    raise unsupported(
                        f"an assertion cannot read memory at all places that `{x.name}` stands for", e.loc
                    )
            return self.function_code.load(e, names)
        return super().term(e, names)
