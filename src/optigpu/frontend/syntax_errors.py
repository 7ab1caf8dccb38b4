"""From the grammar's complaint to one sentence a C programmer understands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from optigpu.syntax.diagnostic import InputError, Label, input_error
from optigpu.syntax.source import Loc, SourceText

Span = Callable[[int, int], Loc]

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
EXPRESSION_STARTS = {"NUMBER", "NAME", "LPAR"}
WORDING = {
    "NAME": "a name", "TYPE": "a type", "SEMICOLON": "`;`", "COMMA": "`,`", "LPAR": "`(`", "RPAR": "`)`", "LBRACE": "`{`",
    "RBRACE": "`}`", "RSQB": "`]`", "ASSIGN": "`=`", "STRING": "a formula in quotes", "__ANON_0": "`->`", "COLON": "`:`",
    "IN": "`in`",
}  # fmt: skip


def syntax_error(error: UnexpectedInput, source: SourceText, text: str, span: Span, what: str) -> InputError:
    """`text` is what was parsed (a file or a formula), `span` turns its offsets into places."""
    if isinstance(error, UnexpectedCharacters):
        return _bad_character(text, error.pos_in_stream or 0, span, what)
    if isinstance(error, UnexpectedToken):
        return _bad_token(error, text, span, what)
    return input_error("OG001", f"this {what} cannot be read", span(0, 1))


def _bad_character(text: str, at: int, span: Span, what: str) -> InputError:
    rest = text[at:]
    word = _word_at(text, at)
    if rest.startswith('"'):
        return input_error("OG002", "this string has no end", span(at, at + 1), help='close it with `"`')
    if rest.startswith("/*"):
        return input_error("OG002", "this comment has no end", span(at, at + 2), help="close it with `*/`")
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


def _bad_token(error: UnexpectedToken, text: str, span: Span, what: str) -> InputError:
    token: Token = error.token
    parser: Any = error.interactive_parser
    accepts: set[str] = set(parser.accepts()) if parser else set(error.expected)
    if token.type == "$END":
        return _early_end(text, accepts, span, what)
    at, end = token.start_pos or 0, token.end_pos or 0
    place = span(at, end)
    shown = str(token).split("\n", 1)[0]
    shown = shown if len(shown) <= 30 else shown[:27] + "…"
    previous = _end_of_previous(text, at)
    after = span(previous, previous)
    if text.startswith("/*", at):
        return input_error("OG002", "this comment has no end", span(at, at + 2), help="close it with `*/`")
    if token.type == "RBRACE" and _opener(text, at, "([{") is None:
        return input_error("OG001", "this `}` closes nothing", place, help="remove it, or add the `{` it belongs to")
    if (
        token.type in ("ASSIGN", "SEMICOLON", "LSQB", "COMMA")
        and _opener(text, at, "([{") is None
        and "LPAR" in accepts
    ):
        fix = "declare it in a function, or use #define for a constant"
        return input_error("OG009", "variables outside functions are not in the language", place, help=fix)
    if accepts == {"TYPE"} and text[:at].rstrip().endswith("("):
        return input_error("OG011", "the index of a loop is declared in the loop", place, help=f"int {shown}")
    if token.type == "STEP":
        fix = "write it as a statement of its own"
        return input_error("OG010", f"`{shown}` is a statement here, not an expression", place, help=fix)
    if token.type == "ASSIGN" and "SEMICOLON" not in accepts and "RPAR" in accepts:
        return input_error(
            "OG010", f"`{shown}` assigns: it cannot stand inside an expression", place, help="to compare, write =="
        )
    if token.type == "ASSIGN" and "ASSIGN" not in accepts and "SEMICOLON" in accepts:
        return input_error("OG010", "only one assignment in a statement", place, help="write two statements")
    if token.type == "ARROW":
        fix = "write (p ~~> v) * (q ~~> w), or separate them by a comma"
        return input_error("OG003", "a second arrow in one resource needs parentheses", place, help=fix)
    if "SEMICOLON" in accepts and not accepts & EXPRESSION_STARTS:
        return input_error("OG001", f"expected `;` before `{shown}`", after, help="add `;`")
    for terminal, closer in CLOSERS.items():
        if terminal in accepts and not accepts & EXPRESSION_STARTS:
            opener = _opener(text, at, OPENERS[closer])
            labels = (Label(span(opener, opener + 1), "opened here"),) if opener is not None else ()
            return input_error("OG001", f"expected `{closer}` before `{shown}`", after, labels=labels)
    if accepts >= {"NUMBER", "NAME"} and "RBRACE" not in accepts:
        kind = "a formula" if what == "formula" else "an expression"
        return input_error("OG001", f"expected {kind} here, not `{shown}`", place)
    wording = sorted({WORDING[t] for t in accepts if t in WORDING})
    if 0 < len(wording) <= 3:
        return input_error("OG001", f"expected {' or '.join(wording)} here, not `{shown}`", place)
    return input_error("OG001", f"`{shown}` is unexpected here", place)


def _early_end(text: str, accepts: set[str], span: Span, what: str) -> InputError:
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
