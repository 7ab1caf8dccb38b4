"""Functions of C to functions of the kernel: parameters, contract, body."""

from __future__ import annotations

from optigpu.elaborate.function_contracts import ElaboratedContract, function_contract
from optigpu.elaborate.machine_types import limits_of
from optigpu.elaborate.name_scope import ArrayEntry, Entry, Names, ValueEntry, sort_of, unsupported
from optigpu.elaborate.statements import StatementElaborator
from optigpu.frontend.early_exits import reject_jumps
from optigpu.frontend.parameter_types import effective_types
from optigpu.kernel import instructions as kc
from optigpu.kernel.context import GROUP_SIZE
from optigpu.logic import terms as k
from optigpu.logic.names import Origin
from optigpu.syntax.exprs import Array, Type
from optigpu.syntax.program import Param, Role
from optigpu.syntax.types import Scalar


class FunctionElaborator(StatementElaborator):
    def run(self) -> kc.Procedure:
        """Elaborate the function, over the reals."""
        function, contract = self.elaborated()
        self.out.clauses[function.name] = contract.places
        self.out.contract_facts[function.name] = contract.facts
        self.out.accesses[function.name] = self.accesses
        return function

    def elaborated(self) -> tuple[kc.Procedure, ElaboratedContract]:
        f = self.f
        self.infinite.refuse()
        names = self.parameter_names()
        params = tuple(self.parameter(p, type_, names) for p, type_ in zip(f.params, effective_types(f)))
        self.formulas.conditions.take()  # the sizes of parameters have obligations of their own
        contract = self.contract(names)
        names, self.models = contract.names, contract.models
        threads = self.formulas.threads or k.ONE
        self.formulas.threads = GROUP_SIZE
        for i, s in enumerate(f.body):  # a return elsewhere would be run past
            reject_jumps(s, last_of_function=i == len(f.body) - 1)
        for d in (d for p in f.params if isinstance(p.type, Array) for d in p.type.dims if d is not None):
            # C computes the sizes of parameters when the function is entered, in their types
            self.oblige(k.eq(self.expr(d, names), self.formulas.term(d, names)), kc.Obligation.CONVERSION, d.loc)
        body = (*self.code, *self.block(f.body, names))
        device, lemma = f.role is Role.DEVICE, f.role is Role.GHOST
        function = kc.Procedure(
            f.name,
            params,
            contract.contract,
            body,
            f.admitted,
            device,
            threads,
            lemma=lemma,
            synchronises=contract.synchronises,
        )
        return function, contract

    def contract(self, names: Names) -> ElaboratedContract:
        return function_contract(self, names)

    def parameter_names(self) -> Names:
        names = self.outer
        for p, type_ in zip(self.f.params, effective_types(self.f)):
            if p.name in self.taken:  # facts about the one would be facts about the other
                raise unsupported(f"`{p.name}` is the name of the result or of a logical constant, too", p.loc)
            self.used[Origin.PROGRAM, p.name] = 1
            if isinstance(type_, Array):
                entry: Entry = ArrayEntry(p.name, (), k.ZERO, len(type_.dims))
            else:
                assert isinstance(type_, Scalar)
                entry = ValueEntry(k.var(p.name, sort_of(type_, p.loc)))
            names = names.bind(p.name, entry)
        return names

    def parameter(self, p: Param, type_: Type, names: Names) -> kc.Parameter:
        if not isinstance(type_, Array):
            return kc.Parameter(p.name, sort_of(type_, p.loc))
        dims = tuple(None if d is None else self.formulas.term(d, names) for d in type_.dims)
        self.dims[p.name] = dims
        space = type_.space.value
        if self.f.role is Role.DEVICE and space == "Any":
            space = "Device"
        sort, size, limits = sort_of(type_.elem, p.loc), type_.elem.size, limits_of(type_.elem)
        return kc.Parameter(p.name, sort, dims, space, size, limits)
