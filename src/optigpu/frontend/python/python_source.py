"""The source text of a Python function, its syntax tree, and places in it."""

from __future__ import annotations
import __future__

import ast
import builtins
import io
import linecache
import re
import tokenize
from functools import lru_cache
from types import CodeType, FunctionType

from optigpu.frontend.formula_parser import ESCAPES, StringLiteral
from optigpu.frontend.misleading_text import MISREAD
from optigpu.frontend.python.python_surroundings import Scope, scopes_around
from optigpu.light_dataclass import dataclass
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.source import Loc, SourceText

FUTURE = 0
for _name in __future__.all_feature_names:
    FUTURE |= getattr(__future__, _name).compiler_flag
MISREAD_IN_PYTHON = MISREAD[:2]  # characters that reorder what people see; line ends that editors do not show


class PythonText(SourceText):
    """A Python file's text. The columns of Python's syntax trees count bytes, those of places characters."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(name, text)
        self.lines = text.split("\n")

    def column(self, line: int, byte: int) -> int:
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return byte + 1 if text.isascii() else len(text.encode()[:byte].decode(errors="replace")) + 1

    def loc(self, node: ast.AST) -> Loc:
        line: int = getattr(node, "lineno", 1)
        byte: int = getattr(node, "col_offset", 0)
        end: int = getattr(node, "end_lineno", None) or line
        end_byte: int = getattr(node, "end_col_offset", None) or byte
        return Loc(self.name, line, self.column(line, byte), end, self.column(end, end_byte))

    def offset(self, line: int, column: int) -> int:
        """The offset of a place; both count from 1."""
        return sum(len(x) + 1 for x in self.lines[: line - 1]) + column - 1


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A function with its text and its syntax tree."""

    function: FunctionType
    text: PythonText
    tree: ast.FunctionDef
    around: tuple[Scope, ...] = ()

    @property
    def name_loc(self) -> Loc:
        line = self.tree.lineno
        at = re.compile(r"def\s+").search(self.text.lines[line - 1])
        column = (at.end() if at else self.tree.col_offset) + 1
        return Loc(self.text.name, line, column, line, column + len(self.tree.name))


def python_function(f: object) -> PythonFunction:
    """The source of a function that was defined with `def`. Raises OG018 if it is not to be had, or is another one."""
    if not isinstance(f, FunctionType):
        raise _without_source(f"`og.program` decorates a function, not {type(f).__name__}", Loc("<python>", 0, 0, 0, 0))
    file, line = f.__code__.co_filename, f.__code__.co_firstlineno
    place = Loc(file, line, 1, line, 1)
    if f.__name__ == "<lambda>":
        raise _without_source("a program is a function that `def` defines, not a lambda", place)
    if getattr(f, "__builtins__", None) is not vars(builtins):
        raise _without_source(f"`{f.__name__}` has built-in functions of its own", place)
    text = module_text(file, f)
    if text is None:
        raise _without_source(
            f"the source of `{f.__name__}` is not there: Python keeps none of what `exec` runs", place
        )
    tree = _tree(file, text)
    named = [
        n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name == f.__name__
    ]
    found = [n for n in named if min([n.lineno, *(d.lineno for d in n.decorator_list)]) == line]
    code = f.__code__
    own = code.co_name == f.__name__ and code.co_qualname == f.__qualname__
    if len(found) != 1 or not own or not _is_code_of(code, file, text):
        raise _without_source(f"the source of `{f.__name__}` has changed since Python read it: import it again", place)
    source = PythonText(file, text)
    if not isinstance(found[0], ast.FunctionDef):
        raise input_error("OG016", "an `async` function is no program", source.loc(found[0]), help=f"def {f.__name__}")
    _reject_misleading(source, found[0])
    return PythonFunction(f, source, found[0], scopes_around(tree, found[0]))


def module_text(file: str, f: object = None) -> str | None:
    """The text of a file, or of a cell of a notebook."""
    linecache.checkcache(file)
    lines = linecache.getlines(file, getattr(f, "__globals__", None))
    return "".join(lines).replace("\r\n", "\n") if lines else None


@lru_cache(maxsize=32)
def _tree(file: str, text: str) -> ast.Module:
    return ast.parse(text, file)


@lru_cache(maxsize=32)
def _code(file: str, text: str, flags: int) -> CodeType:
    code = compile(text, file, "exec", flags=flags, dont_inherit=True)
    assert isinstance(code, CodeType)
    return code


def _is_code_of(code: CodeType, file: str, text: str) -> bool:
    """Is this the code that the text of the file compiles to? Otherwise what runs is not what the text says."""
    pending = [_code(file, text, code.co_flags & FUTURE)]
    while pending:
        c = pending.pop()
        if (c.co_qualname, c.co_firstlineno) == (code.co_qualname, code.co_firstlineno):
            return _essence(c) == _essence(code)
        pending += [x for x in c.co_consts if isinstance(x, CodeType)]
    return False


def _essence(c: CodeType) -> tuple[object, ...]:
    counts = c.co_argcount, c.co_posonlyargcount, c.co_kwonlyargcount, c.co_flags
    return (c.co_code, c.co_names, c.co_varnames, c.co_freevars, c.co_cellvars, counts, _exactly(c.co_consts))


def _exactly(constant: object) -> object:
    """A constant so that no two different ones are equal: 0.0 and -0.0, 1 and True are different, also inside tuples."""
    match constant:
        case CodeType():
            return _essence(constant)
        case tuple():
            return tuple, tuple(map(_exactly, constant))
        case frozenset():
            return frozenset, frozenset(map(_exactly, constant))
        case _:  # numbers show their sign, and all their digits
            return type(constant), repr(constant)


def _reject_misleading(source: PythonText, tree: ast.FunctionDef) -> None:
    start = source.offset(min([tree.lineno, *(d.lineno for d in tree.decorator_list)]), 1)
    end = source.offset((tree.end_lineno or tree.lineno) + 1, 1)
    for pattern, message, fix in MISREAD_IN_PYTHON:
        if match := pattern.search(source.text, start, end):
            raise input_error("OG002", message, source.span(*match.span()), help=fix)


def _without_source(message: str, loc: Loc) -> InputError:
    return input_error("OG018", message, loc, help="write the function in a file, or in a cell of a notebook")


class PythonString(StringLiteral):
    """The text of a string of Python, of adjacent literals in any quotes, with the offset in the file of each character."""

    def __init__(self, source: PythonText, node: ast.Constant) -> None:
        self.source = source
        loc = source.loc(node)
        start = source.offset(loc.line, loc.column)
        end = source.offset(loc.end_line, loc.end_column)
        characters: list[str] = []
        self.offsets: list[int] = []
        inner = PythonText(
            "", "(" + source.text[start:end] + ")"
        )  # in parentheses, literals may stand on several lines
        for token in tokenize.generate_tokens(io.StringIO(inner.text).readline):
            if token.type == tokenize.STRING:
                at = start - 1 + inner.offset(token.start[0], token.start[1] + 1)
                self._read(token.string, at, characters)
        if "".join(characters) != node.value:
            raise input_error("OG002", "this string is no text of a formula", loc, help="write it without escapes")
        self.text = re.sub(r"[\n\t]", " ", "".join(characters)) + " "  # the end of the text, for errors there
        self.offsets.append(end - 1)

    def _read(self, token: str, at: int, characters: list[str]) -> None:
        match = re.match(r"([a-zA-Z]*)('''|\"\"\"|'|\")", token)
        assert match is not None
        raw, quotes = "r" in match[1].lower(), match[2]
        i = match.end()
        while i < len(token) - len(quotes):
            character, begin = token[i], i
            if character == "\\" and not raw:
                i += 1
                if token[i] not in ESCAPES and token[i] != "'":
                    place = self.source.span(at + begin, at + i + 1)
                    raise input_error("OG002", f"`\\{token[i]}` is no character of a formula", place)
                character = {"n": "\n", "t": "\t", "\n": ""}.get(token[i], token[i])
            if character:
                characters.append(character)
                self.offsets.append(at + begin)
            i += 1
