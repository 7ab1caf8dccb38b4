"""Explains a syntax error in one sentence, from the token at which the grammar stopped."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from optigpu.frontend.stored_float_names import TOKENS, readable
from optigpu.light_dataclass import dataclass
from optigpu.syntax.annotations import ANNOTATIONS
from optigpu.syntax.diagnostic import InputError, Label, input_error
from optigpu.syntax.source import Loc

SpanOf = Callable[[int, int], Loc]  # from offsets to a place in the file

UNSUPPORTED_WORDS: dict[str, str] = {
    "while": "write a counted loop: for (int i = 0; i < n; i++)",
    "do": "write a counted loop: for (int i = 0; i < n; i++)",
    "switch": "write if … else …",
    "case": "write if … else …",
    "default": "write if … else …",
    "goto": "use loops and if",
    "break": "make the loop's condition say when it ends",
    "struct": "use one array for each field",
    "union": "use one array for each field",
    "enum": "use #define",
    "typedef": "write the type out",
    "char": "write int8_t or uint8_t: which of them it is depends on the machine",
    "template": "write the function for each type",
    "class": "use functions and arrays",
    "namespace": "remove it",
    "using": "remove it",
    "asm": "remove it",
    "volatile": "remove it",
    "register": "remove it",
    "auto": "write the type out",
}
CLOSERS = {"RPAR": ")", "RSQB": "]", "RBRACE": "}"}
OPENERS = {")": "(", "]": "[", "}": "{"}
EXPRESSION_STARTS = frozenset({"NUMBER", "NAME", "LPAR"})
WORDING = {
    "NAME": "a name", "TYPE": "a type", "SEMICOLON": "`;`", "COMMA": "`,`", "LPAR": "`(`", "RPAR": "`)`", "LBRACE": "`{`",
    "RBRACE": "`}`", "RSQB": "`]`", "ASSIGN": "`=`", "STRING": "a formula in quotes", "__ANON_0": "`->`", "COLON": "`:`",
    "IN": "`in`",
}  # fmt: skip


def syntax_error(error: UnexpectedInput, text: str, span: SpanOf, what: str) -> InputError:
    """`text`: the parsed file or formula; `span`: turns its offsets into places; `what`: "program" or "formula"."""
    if isinstance(error, UnexpectedCharacters):
        return _bad_character(text, error.pos_in_stream or 0, span, what)
    if isinstance(error, UnexpectedToken):
        return _bad_token(error, text, span, what)
    return input_error("OG001", f"this {what} cannot be read", span(0, 1))


def _bad_character(text: str, at: int, span: SpanOf, what: str) -> InputError:
    text = readable(text)
    rest, word = text[at:], _word_at(text, at)
    if rest.startswith('"'):
        return input_error("OG002", "this string has no end", span(at, at + 1), help='close it with `"`')
    if rest.startswith("/*"):
        return input_error("OG002", "this comment has no end", span(at, at + 2), help="close it with `*/`")
    if rest.startswith("'") and (name := _annotation(text, at)):
        fix = f'{name}("…")'
        return input_error("OG002", "a formula stands in double quotes", span(at, at + 1), help=fix)
    if rest.startswith("'"):
        return input_error("OG002", "characters are not in the language", span(at, at + 1), help="use the number")
    if word in UNSUPPORTED_WORDS:
        place = span(at, at + len(word))
        return input_error("OG004", f"`{word}` is not in the language", place, help=UNSUPPORTED_WORDS[word])
    if rest.startswith("#"):
        directive = rest.split("\n", 1)[0].strip()
        place = span(at, at + len(directive))
        return input_error(
            "OG007", "this directive is not known, or not possible here", place, help="#include, #define, #pragma"
        )
    if word:
        return input_error("OG001", f"`{word}` is unexpected here", span(at, at + len(word)))
    return input_error("OG002", f"unexpected character {rest[0]!r} in this {what}", span(at, at + 1))


@dataclass(frozen=True, slots=True)
class _BadToken:
    """A token that the grammar does not accept, and what is around it."""

    type: str
    first_line: str  # shortened
    at: int  # its offset
    place: Loc
    after_previous: Loc  # the end of the token before it
    accepts: frozenset[str]  # the terminals that the grammar accepts in its place
    text: str
    span: SpanOf
    what: str  # "program" or "formula"

    @property
    def starts_expression(self) -> bool:
        return bool(self.accepts & EXPRESSION_STARTS)

    @property
    def outside_brackets(self) -> bool:
        return _opener(self.text, self.at, "([{") is None


def _bad_token(error: UnexpectedToken, text: str, span: SpanOf, what: str) -> InputError:
    token: Token = error.token
    parser: Any = error.interactive_parser
    accepts = frozenset(parser.accepts() if parser else error.expected)
    if token.type == "$END":
        return _early_end(text, accepts, span, what)
    at, end = token.start_pos or 0, token.end_pos or 0
    first_line = readable(str(token)).split("\n", 1)[0]
    first_line = first_line if len(first_line) <= 30 else first_line[:27] + "…"
    previous = _end_of_previous(text, at)
    bad = _BadToken(token.type, first_line, at, span(at, end), span(previous, previous), accepts, text, span, what)
    return next(e for e in (explain(bad) for explain in EXPLANATIONS) if e is not None)


def _unclosed_comment(t: _BadToken) -> InputError | None:
    if not t.text.startswith("/*", t.at):
        return None
    return input_error("OG002", "this comment has no end", t.span(t.at, t.at + 2), help="close it with `*/`")


def _unquoted_formula(t: _BadToken) -> InputError | None:
    name = _annotation(t.text, t.at)
    if t.what != "program" or name is None:
        return None
    return input_error("OG008", f"`{name}` takes a formula in quotes", t.place, help=f'{name}("…")')


def _stray_brace(t: _BadToken) -> InputError | None:
    if t.type != "RBRACE" or not t.outside_brackets:
        return None
    return input_error("OG001", "this `}` closes nothing", t.place, help="remove it, or add the `{` it belongs to")


def _global_variable(t: _BadToken) -> InputError | None:
    declares = t.type in ("ASSIGN", "SEMICOLON", "LSQB", "COMMA") and t.outside_brackets
    if not declares or "LPAR" not in t.accepts:
        return None
    fix = "declare it in a function, or use #define for a constant"
    return input_error("OG009", "variables outside functions are not in the language", t.place, help=fix)


def _undeclared_index(t: _BadToken) -> InputError | None:
    if t.accepts != {"TYPE"} or not t.text[: t.at].rstrip().endswith("("):
        return None
    return input_error("OG011", "the index of a loop is declared in the loop", t.place, help=f"int {t.first_line}")


def _type_that_is_a_name(t: _BadToken) -> InputError | None:
    """`half x` in a program that calls something else `half`."""
    before = re.search(rf"\b({'|'.join(TOKENS)})[\s*]*$", t.text[: t.at]) if t.type == "NAME" else None
    word = t.first_line if t.first_line in TOKENS and "TYPE" in t.accepts else before and before.group(1)
    if t.what != "program" or not word:
        return None
    return input_error(
        "OG001", f"`{word}` is a name in this program, so it is no type", t.place, help="rename it where it is a name"
    )


def _nested_assignment(t: _BadToken) -> InputError | None:
    if t.type == "STEP":
        fix = "write it as a statement of its own"
        return input_error("OG010", f"`{t.first_line}` is a statement here, not an expression", t.place, help=fix)
    if t.type == "ASSIGN" and "SEMICOLON" not in t.accepts and "RPAR" in t.accepts:
        message = f"`{t.first_line}` assigns: it cannot stand inside an expression"
        return input_error("OG010", message, t.place, help="to compare, write ==")
    if t.type == "ASSIGN" and "ASSIGN" not in t.accepts and "SEMICOLON" in t.accepts:
        return input_error("OG010", "only one assignment in a statement", t.place, help="write two statements")
    return None


def _second_arrow(t: _BadToken) -> InputError | None:
    if t.type != "ARROW":
        return None
    fix = "write (p ~~> v) * (q ~~> w), or separate them by a comma"
    return input_error("OG003", "a second arrow in one resource needs parentheses", t.place, help=fix)


def _missing_punctuation(t: _BadToken) -> InputError | None:
    if t.starts_expression:
        return None
    if "SEMICOLON" in t.accepts:
        return input_error("OG001", f"expected `;` before `{t.first_line}`", t.after_previous, help="add `;`")
    for terminal, closer in CLOSERS.items():
        if terminal in t.accepts:
            opener = _opener(t.text, t.at, OPENERS[closer])
            labels = (Label(t.span(opener, opener + 1), "opened here"),) if opener is not None else ()
            return input_error("OG001", f"expected `{closer}` before `{t.first_line}`", t.after_previous, labels=labels)
    return None


def _missing_expression(t: _BadToken) -> InputError | None:
    if not t.accepts >= {"NUMBER", "NAME"} or "RBRACE" in t.accepts:
        return None
    kind = "a formula" if t.what == "formula" else "an expression"
    return input_error("OG001", f"expected {kind} here, not `{t.first_line}`", t.place)


def _unexpected(t: _BadToken) -> InputError:
    wording = sorted({WORDING[terminal] for terminal in t.accepts if terminal in WORDING})
    if 0 < len(wording) <= 3:
        return input_error("OG001", f"expected {' or '.join(wording)} here, not `{t.first_line}`", t.place)
    return input_error("OG001", f"`{t.first_line}` is unexpected here", t.place)


# In this order: the first that applies explains the token.
EXPLANATIONS: tuple[Callable[[_BadToken], InputError | None], ...] = (
    _unclosed_comment,
    _unquoted_formula,
    _stray_brace,
    _global_variable,
    _undeclared_index,
    _type_that_is_a_name,
    _nested_assignment,
    _second_arrow,
    _missing_punctuation,
    _missing_expression,
    _unexpected,
)


def _early_end(text: str, accepts: frozenset[str], span: SpanOf, what: str) -> InputError:
    stripped = len(text.rstrip())
    place = span(max(stripped - 1, 0), stripped)
    opener = _opener(text, len(text), "([{")
    if opener is not None:
        closer = {"(": ")", "[": "]", "{": "}"}[text[opener]]
        label = Label(span(opener, opener + 1), "opened here")
        return input_error(
            "OG005",
            f"the {what} ends before this `{text[opener]}` is closed",
            place,
            labels=(label,),
            help=f"add `{closer}`",
        )
    if "SEMICOLON" in accepts:
        return input_error("OG005", f"the {what} ends where `;` is expected", place, help="add `;`")
    return input_error("OG005", f"the {what} ends too early", place)


def _annotation(text: str, at: int) -> str | None:
    """The annotation in whose parentheses the text is that begins here, if no string begins before it."""
    opener = _opener(text, at, "(")
    if opener is None or '"' in text[opener:at]:
        return None
    name = re.search(r"__\w+$", text[:opener].rstrip())
    return name.group() if name is not None and name.group() in ANNOTATIONS else None


def _word_at(text: str, at: int) -> str:
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return text[at:end]


def _end_of_previous(text: str, at: int) -> int:
    """Where the token before `at` ends, skipping space and comments."""
    position = 0
    last = 0
    while position < at:
        skip = _skip(text, position)
        if skip > position:
            position = skip
            continue
        position += 1
        if not text[position - 1].isspace():
            last = position
    return last


def _skip(text: str, i: int) -> int:
    """The end of a comment that starts at i, or i."""
    if text.startswith("//", i):
        end = text.find("\n", i)
        return len(text) if end < 0 else end
    if text.startswith("/*", i):
        end = text.find("*/", i + 2)
        return len(text) if end < 0 else end + 2
    return i


def _opener(text: str, before: int, kinds: str) -> int | None:
    """The innermost bracket of one of these kinds that is still open."""
    stack: list[int] = []
    i = 0
    while i < before:
        skip = _skip(text, i)
        if skip > i:
            i = skip
            continue
        ch = text[i]
        if ch == '"':
            i += 1
            while i < before and text[i] != '"':
                i += 2 if text[i] == "\\" else 1
        elif ch in "([{":
            stack.append(i)
        elif ch in ")]}" and stack:
            stack.pop()
        i += 1
    for i in reversed(stack):
        if text[i] in kinds:
            return i
    return None
