"""Resolves names and types of whole programs: every expression gets its type, implicit conversions become explicit casts."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping

from optigpu.frontend.declared_names import declare, is_built_in
from optigpu.frontend.expression_types import (
    CallSignature,
    CallSignatures,
    ExpressionTyper,
)
from optigpu.frontend.formula_types import FormulaTyper
from optigpu.frontend.function_types import FunctionTyper
from optigpu.frontend.parameter_types import effective_types
from optigpu.frontend.recursion_check import reject_recursion
from optigpu.frontend.side_effects import has_effects
from optigpu.frontend.typed_statements import TypedStatements
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import (
    is_compiler_builtin,
)
from optigpu.syntax.diagnostic import Label, input_error
from optigpu.syntax.exprs import Call, Expr, Fun, FunType, ProofType, Var, logical
from optigpu.syntax.header_macros import is_macro, is_used_by_code
from optigpu.syntax.program import (
    Axiom,
    Define,
    Function,
    Include,
    LogicDecl,
    LogicDef,
    Program,
    Role,
    RuleDeclaration,
    TopLevel,
)
from optigpu.syntax.scopes import Binding, NameKind, Scope
from optigpu.syntax.types import STORED_FLOATS, VOID
from optigpu.syntax.walk import is_constant


def typecheck(program: Program, ghosts: MutableMapping[str, Function], known: TypedStatements | None = None) -> Program:
    """The program with types. `ghosts`: those that every program knows; the ghosts of the program are added. `known`: statements
    that need not be typed again."""
    reject_recursion(program)
    typer = _ProgramTyper(ghosts, known)
    return replace(program, items=typer.items(program.items))


def reject_moved_registers(axiom: Expr) -> None:
    """Reject an axiom that a barrier moves registers between threads, or memory that no thread has."""
    match axiom:
        case Call(_, (Var("TReg" | "Any" as memory),)):
            why = (
                "registers belong to their thread for ever"
                if memory == "TReg"
                else "threads hold no memory of type Any"
            )
            raise input_error("OG114", f"no barrier synchronises {memory}: {why}", axiom.loc, help="GMem or SMem")
        case _:
            pass


class _ProgramTyper:
    """Types the items of a program in source order."""

    def __init__(self, ghosts: MutableMapping[str, Function], known: TypedStatements | None) -> None:
        self.known = known
        self.scope = Scope()
        self.functions: CallSignatures = {}
        self.ghosts = ghosts
        self.values = ExpressionTyper(self.functions)

    def items(self, items: tuple[TopLevel, ...]) -> tuple[TopLevel, ...]:
        for item in items:
            if isinstance(item, Function) and item.role is not Role.GHOST:
                self.functions[item.name] = CallSignature(item, effective_types(item), has_effects(item))
        return tuple(self.item(i) for i in items)

    def declare(self, name: str, binding: Binding, refused: Callable[[str], bool] = is_macro) -> None:
        reserved = binding.kind is NameKind.FUNCTION and is_compiler_builtin(name)
        if reserved or is_built_in(name):
            raise input_error("OG101", f"`{name}` is built in: choose another name", binding.loc)
        if binding.kind is NameKind.FUNCTION and any(t.name == name for t in STORED_FLOATS):
            raise input_error(
                "OG101", f"<optigpu.h> declares the type `{name}`", binding.loc, help="choose another name"
            )
        declare(self.scope, name, binding, refused)

    def item(self, item: TopLevel) -> TopLevel:
        match item:
            case Include(path, _, items):
                self.reject_macro_before(item)
                self.values.annotated |= path == "optigpu.h"
                return replace(item, items=self.included(items))
            case Define(name, value):
                if not is_constant(value):
                    help_ = "use numbers and other macros"
                    raise input_error("OG007", "a macro stands for a constant", value.loc, help=help_)
                typed = self.values.value(value, self.scope)
                assert typed.type is not None
                self.declare(name, Binding(NameKind.VALUE, typed.type, item.loc), is_used_by_code)
                return replace(item, value=typed)
            case LogicDecl(name, type_):
                self.declare(name, Binding(NameKind.LOGIC, logical(type_), item.loc))
                return replace(item, type=logical(type_))
            case LogicDef(name, value):
                typed = self.definition(value)
                assert typed.type is not None
                self.declare(name, Binding(NameKind.LOGIC, typed.type, item.loc))
                return replace(item, value=typed)
            case Axiom(name, prop):
                typed = FormulaTyper(self.values).prop(prop, self.scope)
                reject_moved_registers(typed)
                self.declare(name, Binding(NameKind.FACT, ProofType(typed), item.loc))
                return replace(item, prop=typed)
            case Function():
                return self.function(item)
            case RuleDeclaration(name, rule):
                if name != rule:
                    self.declare(name, Binding(NameKind.FUNCTION, VOID, item.loc))
                    self.values.spellings[name] = rule
                return item

    def reject_macro_before(self, item: Include) -> None:
        """A macro of the program would change what a system header says, or be changed by it."""
        macro = next((b for b in self.scope.names.values() if b.kind is NameKind.VALUE), None)
        if item.system and macro is not None:
            message = f"<{item.path}> would be read with this macro, or change it"
            where = (Label(item.loc, "included here"),)
            raise input_error("OG007", message, macro.loc, labels=where, help="include it before")

    def function(self, f: Function) -> Function:
        ghost = f.role is Role.GHOST
        if ghost and f.name in self.ghosts:
            raise input_error("OG101", f"the ghost `{f.name}` is already defined", f.loc)
        self.declare(f.name, Binding(NameKind.FUNCTION, VOID, f.loc))
        typed = FunctionTyper(f, self.values, self.ghosts, self.scope, self.known).run()
        if ghost:
            self.ghosts[f.name] = typed
        return typed

    def included(self, items: tuple[TopLevel, ...]) -> tuple[TopLevel, ...]:
        """Type the items of a header, from which the functions below its #include are not visible."""
        below = {name: f for name, f in self.functions.items() if name not in self.scope.names}
        for name in below:
            del self.functions[name]
        typed = self.items(items)
        self.functions.update(below)
        return typed

    def definition(self, value: Expr) -> Expr:
        formulas = FormulaTyper(self.values)
        if not isinstance(value, Fun):
            return formulas.formula(value, self.scope)
        inner = Scope(self.scope)
        for p in value.params:
            if p.type is None:
                raise input_error(
                    "OG110",
                    f"the parameter `{p.name}` of a definition needs a type",
                    p.loc,
                    help=f"fun ({p.name}: int) -> …",
                )
            inner.names[p.name] = Binding(NameKind.LOGIC, logical(p.type), p.loc)
        body = formulas.formula(value.body, inner)
        assert body.type is not None
        args = tuple(logical(p.type) for p in value.params if p.type is not None)
        return replace(value, body=body, type=FunType(args, body.type))
