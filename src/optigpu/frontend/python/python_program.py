"""Programs of Python functions: a function with what it calls, or all of a file, as checked syntax."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from fractions import Fraction
from types import FrameType, FunctionType
from typing import TypeAlias

from optigpu.frontend.formula_parser import parse_logic_type, parse_proposition
from optigpu.frontend.program_loading import program_of_items
from optigpu.frontend.python.python_functions import FunctionTranslator
from optigpu.frontend.python.python_signature import CallableProgram, ModuleNames
from optigpu.frontend.python.python_source import PythonString, PythonText, module_text, python_function
from optigpu.frontend.wellformed import is_name
from optigpu.light_dataclass import dataclass
from optigpu.syntax.diagnostic import Label, input_error
from optigpu.syntax.exprs import Expr, Int, Real
from optigpu.syntax.float_literals import is_out_of_range, nearest_float
from optigpu.syntax.free_names import body_free_vars, clause_free_vars, free_vars, type_free_vars
from optigpu.syntax.program import (
    Axiom,
    Body,
    Decl,
    Define,
    For,
    Function,
    Include,
    LogicDecl,
    LogicDef,
    Program,
    Role,
    TopLevel,
    logical_variables,
)
from optigpu.syntax.recursion_limit import deep
from optigpu.syntax.source import Loc
from optigpu.syntax.types import FLOAT, INT64
from optigpu.syntax.walk import statements

Constants: TypeAlias = dict[str, int | float]
ITEMS = "__optigpu_items__"  # in the names of a module: its programs and logical definitions, in order


class TranslatedProgram(CallableProgram):
    """A Python function as a program. `items` are the items of its module above it, `program` has those that it needs."""

    def __init__(
        self,
        function: FunctionType,
        decorator: object,
        size_order: tuple[str, ...] | None = None,
        role: Role = Role.HOST,
    ) -> None:
        source = python_function(function)
        self.function = function
        self.file = source.text.name
        self.loc = source.name_loc
        self.names = ModuleNames(function.__globals__)
        self.signature = FunctionTranslator(source, self.names, decorator, size_order, role).signature()
        self.above = tuple(module_items(function.__globals__))
        self.assembled = assembled(self.file, _needed(self))

    @property
    def program(self) -> Program:
        """The function and what it needs. Raises OG018 if a name that it uses means something else now than when it was made."""
        self.require_unchanged()
        return self.assembled

    def require_unchanged(self) -> None:
        for callee in self.names.programs.values():
            assert isinstance(callee, TranslatedProgram)
            callee.require_unchanged()
        changed = self.names.changed() or self._changed_logic()
        if changed is not None:
            message = f"`{changed}` means something else now than when `{self.signature.name}` became a program"
            raise input_error("OG018", message, self.loc, help=f"define `{self.signature.name}` again")

    def _changed_logic(self) -> str | None:
        """A logical definition above the function that its module has replaced by another one."""
        now = {item_name(i): i for i in module_items(self.function.__globals__)}
        for entry in self.above:
            current = now.get(item_name(entry))
            if is_lemma(entry) and current is not entry:
                return item_name(entry)
            same = isinstance(current, LogicEntry) and _identity(current) == _identity(entry)
            if isinstance(entry, LogicEntry) and not (same and entry.is_current(self.function.__globals__)):
                return entry.item.name
        return None


@dataclass(frozen=True, slots=True, eq=False)
class LogicEntry:
    """A logical definition, with the numbers of its module that it mentions."""

    item: LogicDecl | LogicDef | Axiom
    constants: Constants

    def is_current(self, namespace: dict[str, object]) -> bool:
        """Whether these numbers are still those of the module."""
        return all(repr(namespace.get(name)) == repr(value) for name, value in self.constants.items())


ModuleItem: TypeAlias = LogicEntry | TranslatedProgram


def module_items(namespace: dict[str, object]) -> list[ModuleItem]:
    """The programs and definitions of a module, so far."""
    found = namespace.get(ITEMS)
    return [i for i in found if isinstance(i, LogicEntry | TranslatedProgram)] if isinstance(found, list) else []


def add_item(namespace: dict[str, object], item: ModuleItem) -> None:
    """Add an item to a module; the same one is replaced, as in a cell of a notebook that runs again."""
    items = module_items(namespace)
    for other in items:
        if item_name(other) == item_name(item) and _qualified(other) != _qualified(item):
            label = Label(_place(other), "this one")
            message = f"`{item_name(item)}` is a name of another program or definition of this module"
            raise input_error("OG101", message, _place(item), labels=(label,), help="choose another name")
    namespace[ITEMS] = [*(i for i in items if item_name(i) != item_name(item)), item]


def _qualified(item: ModuleItem) -> str:
    """The kind of an item, and where in its module it stands."""
    return item.function.__qualname__ if isinstance(item, TranslatedProgram) else type(item.item).__name__


def is_lemma(item: ModuleItem) -> bool:
    return isinstance(item, TranslatedProgram) and item.signature.function.role is Role.GHOST


def item_name(item: ModuleItem) -> str:
    return item.signature.name if isinstance(item, TranslatedProgram) else item.item.name


@deep
def file_program(file: str, namespace: dict[str, object]) -> Program | None:
    """The program of all functions of a file, from the names that running it left; None if it has none."""
    items = module_items(namespace)
    programs = [i for i in items if isinstance(i, TranslatedProgram)]
    _reject_forgotten(namespace, items)
    if not programs:
        return None
    for p in programs:
        p.require_unchanged()
    needed: dict[int, ModuleItem] = {}
    for p in programs:
        needed |= {id(i): i for i in _needed(p)}
    needed |= {id(i): i for i in items}
    once = {(type(i), item_name(i), _identity(i)): i for i in needed.values()}
    return assembled(file, once.values())


def _identity(i: ModuleItem) -> object:
    """What is the same for a logical definition that has run again: its text, and the numbers of its module in it."""
    return (i.item, repr(sorted(i.constants.items()))) if isinstance(i, LogicEntry) else id(i)


def _reject_forgotten(namespace: dict[str, object], items: list[ModuleItem]) -> None:
    """Each program that a name of the file means is one of its items, unless it comes from another file; and no name of an item
    means something that is no program."""
    for i in (i for i in items if isinstance(i, TranslatedProgram)):
        name = i.function.__qualname__
        if name in namespace and not isinstance(namespace[name], TranslatedProgram):
            message = f"`{name}` is a program here, and its module has something else under this name in the end"
            raise input_error("OG018", message, i.loc, help="two names")
    for name, p in namespace.items():
        own = isinstance(p, TranslatedProgram) and p.function.__globals__.get(ITEMS) is namespace.get(ITEMS)
        if isinstance(p, TranslatedProgram) and own and not any(i is p for i in items):
            raise input_error("OG018", f"`{name}` is a program that its module defines no longer", p.loc)


def _needed(program: TranslatedProgram) -> list[ModuleItem]:
    """The items that a program needs, in order: those that it calls, and the logic of its module above it."""
    out: dict[int, ModuleItem] = {}
    for callee in program.names.programs.values():
        assert isinstance(callee, TranslatedProgram)
        out |= {id(i): i for i in _needed(callee)}
    out |= {id(i): i for i in program.above if isinstance(i, LogicEntry) or is_lemma(i)}
    out[id(program)] = program
    return list(out.values())


def assembled(file: str, items: Iterable[ModuleItem]) -> Program:
    """The program of these items: the numbers of their modules as macros first."""
    items = list(items)
    place = Loc(file, 1, 1, 1, 1)
    constants: dict[str, tuple[int | float, ModuleItem]] = {}
    for i in items:
        for name, value in _constants_of(i).items():
            known = constants.setdefault(name, (value, i))
            if repr(known[0]) != repr(value):  # 1 is not 1.0, nor 0.0 -0.0
                message = f"`{name}` is {known[0]} for `{item_name(known[1])}` and {value} here"
                raise input_error("OG017", message, _place(i), help="two names for two numbers")
    defines = [macro(name, value, _place(i)) for name, (value, i) in constants.items()]
    made = tuple(i.signature.function if isinstance(i, TranslatedProgram) else i.item for i in items)
    _reject_shadowed(made, {name: _place(i) for name, (_, i) in constants.items()})
    for i in items:
        if foreign := sorted((_mentioned(i) & constants.keys()) - _constants_of(i).keys()):
            message = (
                f"`{foreign[0]}` is no number of this module, but one where `{item_name(constants[foreign[0]][1])}` is"
            )
            help_ = f"{foreign[0]} = … in this module: an `int` or a `float`"
            raise input_error("OG017", message, _place(i), help=help_)
    return program_of_items(file, (Include("optigpu.h", True, (), place), *defines, *made))


def _mentioned(i: ModuleItem) -> set[str]:
    """The names that the formulas and statements of an item take from outside."""
    if isinstance(i, TranslatedProgram):
        f = i.signature.function
        inner = {p.name for p in f.params} | logical_variables(f.contract).keys()
        return (clause_free_vars(f.contract) | body_free_vars(f.body)) - inner
    return type_free_vars(i.item.type) if isinstance(i.item, LogicDecl) else free_vars(_formula(i.item))


def _formula(item: LogicDef | Axiom) -> Expr:
    return item.value if isinstance(item, LogicDef) else item.prop


def _place(i: ModuleItem) -> Loc:
    return i.loc if isinstance(i, TranslatedProgram) else i.item.loc


def _constants_of(i: ModuleItem) -> Constants:
    """The numbers that an item uses by name, in the order of the module."""
    if isinstance(i, LogicEntry):
        return i.constants
    return {name: i.names.constants[name] for name in i.names.order()}


def macro(name: str, value: int | float, loc: Loc) -> Define:
    """`#define name value`; a float of Python is one of 32 bits, as its literals are."""
    if not is_name(name):
        raise input_error("OG101", f"`{name}` cannot be the name of a number in C", loc, help="choose another name")
    if isinstance(value, int):
        if not INT64.low < value <= INT64.high:
            raise input_error("OG006", f"`{name}` does not fit 64 bits", loc)
        return Define(name, Int(value, loc=loc), loc)
    if not math.isfinite(value):
        message = f"`{name}` is no finite number, and cannot be named in a formula"
        raise input_error("OG103", message, loc, help="INFINITY in formulas, og.inf in code")
    number = Fraction(value)
    if is_out_of_range(number, FLOAT):
        raise input_error("OG103", f"`{name}` is out of the range of `float`", loc)
    return Define(name, Real(nearest_float(number, FLOAT), FLOAT, loc=loc), loc)


def _reject_shadowed(items: tuple[TopLevel, ...], macros: dict[str, Loc]) -> None:
    """No local name is that of a macro: C would replace it."""
    for f in (i for i in items if isinstance(i, Function)):
        if both := sorted(({p.name for p in f.params} | _declared_in(f.body)) & macros.keys()):
            where = Label(macros[both[0]], f"`{both[0]}` is a number of the module here")
            raise input_error("OG101", f"`{both[0]}` is a local name in `{f.name}`", f.loc, labels=(where,))


def _declared_in(body: Body) -> set[str]:
    names = {s.name for s in statements(body) if isinstance(s, Decl)}
    return names | {s.index for s in statements(body) if isinstance(s, For)}


# Logical definitions


@deep
def add_logic(kind: str, name: str, formula: str, frame: FrameType) -> None:
    """`og.declare`, `og.define` or `og.axiom`, called at the top of a module: the formula keeps its place in the file."""
    call, text = _call_in(frame)
    place = text.loc(call)
    values = [a.value for a in call.args if isinstance(a, ast.Constant)]
    literal = call.args[1] if len(call.args) == 2 else None
    if call.keywords or values != [name, formula] or not isinstance(literal, ast.Constant):
        raise input_error("OG008", f"`og.{kind}` takes a name and a formula that stand in the call", place)
    if not is_name(name):
        raise input_error("OG008", f"`og.{kind}` takes a name here", text.loc(call.args[0]))
    string = PythonString(text, literal)
    item: LogicDecl | LogicDef | Axiom
    mentioned: set[str] = set()
    if kind == "declare":
        item = LogicDecl(name, parse_logic_type(string), place)
    else:
        formula_tree = parse_proposition(string)
        mentioned = free_vars(formula_tree)
        item = LogicDef(name, formula_tree, place) if kind == "define" else Axiom(name, formula_tree, place)
    known = {n: v for n, v in frame.f_globals.items() if n in mentioned and type(v) in (int, float)}
    add_item(frame.f_globals, LogicEntry(item, known))


def _call_in(frame: FrameType) -> tuple[ast.Call, PythonText]:
    """The call that a frame is at, in the text of its file."""
    code = frame.f_code
    line, end_line, column, end_column = list(code.co_positions())[frame.f_lasti // 2]
    where = Loc(code.co_filename, line or 1, 1, line or 1, 1)
    content = module_text(code.co_filename)
    if content is None:
        raise input_error("OG018", "the source of this definition is not there", where)
    text = PythonText(code.co_filename, content)
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Call):
            have = node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
            if have == (line, end_line, column, end_column):
                return node, text
    raise input_error("OG018", "the source of this definition has changed since Python read it", where)
