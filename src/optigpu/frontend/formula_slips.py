"""Slips that people make in formulas, with what to write instead.

Where the grammar stops, the text before and after that place often tells what was meant: `SLIPS` is a table of such texts. Names
that mean something in other languages are in `NAMES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches

from optigpu.light_dataclass import dataclass
from optigpu.syntax.annotations import ANNOTATIONS
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import BIG_OPERATORS, Binary, Call, Expr, Fun, Range, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.operators import COMPARISONS
from optigpu.syntax.printer import print_expr
from optigpu.syntax.source import Loc

# Character -> what a formula writes for it.
CHARACTERS: dict[str, str] = {
    **dict.fromkeys("∑Σ", "Sum(k in 0..n, A(k))"), **dict.fromkeys("∏Π", "Prod(k in 0..n, A(k))"),
    "∀": "forall k in 0..n, P", "∃": "Any(k in 0..n, P)", "∈": "in", "λ": "fun i -> e", "\\": "fun i -> e",
    "≤": "<=", "≥": ">=", "≠": "!=", "≡": "==", "∧": "&&", "∨": "||", "¬": "!",
    **dict.fromkeys("→⇒⟹", "==>"), **dict.fromkeys("↔⇔", "=="), "↦": "~~>",
    **dict.fromkeys("×·∗", "*"), "÷": "/", "−": "-", "√": "sqrt(x)", "²": "x * x", "…": "..",
    **dict.fromkeys("“”„‘’", '"'), ";": ",",
}  # fmt: skip

# Name -> the big operator that it means when it has a range.
OPERATOR_NAMES: dict[str, str] = {
    "sum": "Sum", "summation": "Sum", "sigma": "Sum", "add": "Sum", "reduce": "Sum", "prod": "Prod", "product": "Prod",
    "max": "Max", "maximum": "Max", "fmax": "Max", "min": "Min", "minimum": "Min", "fmin": "Min",
    "all": "All", "every": "All", "any": "Any", "some": "Any", "exists": "Any",
}  # fmt: skip

# Name -> what to write instead.
NAMES: dict[str, str] = {
    **{name: f"{op}(k in 0..n, A(k))" for name, op in OPERATOR_NAMES.items()},
    "not": "!P", "and": "P && Q", "or": "P || Q", "implies": "P ==> Q", "old": "the logical value that __requires names",
    **dict.fromkeys(("result", "Result", "ret", "return", "res"), "_Res"),
    **dict.fromkeys(("len", "size", "length"), "the size that the contract names, as in Matrix1(n, A)"),
    **dict.fromkeys(("Forall", "ForAll"), "forall k in 0..n, P"), **dict.fromkeys(("Exists",), "Any(k in 0..n, P)"),
    "if": "c ? a : b", "mod": "a % b", "div": "a / b", "square": "x * x", "power": "pow(x, y)", "true_": "true",
    "matrix": "a ~> Matrix2(n, m, A)", "array": "a ~> Matrix1(n, A)", "vector": "a ~> Matrix1(n, A)",
}  # fmt: skip
_NAMES = r"\w+(?:\s*,\s*\w+)*"


@dataclass(frozen=True, slots=True)
class Slip:
    """What stands before and after the place where the grammar stops.

    In `fix`, {0}, {1} … are the groups of both, {names} all of them without commas, {op} the big operator that {0} means.
    """

    before: str
    after: str
    message: str
    fix: str


_IN = "a range is given with `in`"
_DOTS = "a range is written with two dots"
_CELLS = "what an array holds is a function of its indices"
_C = "a formula has the operators of C"
_TYPE = "(int|float|double|real|bool)"

SLIPS: tuple[Slip, ...] = (
    Slip(rf"\bfun\s*\(\s*({_NAMES})\s*$", r"[,)]\s*([\w\s,]*)", "the variables of a function have no commas or parentheses",
         "fun {names} -> …"),
    Slip(rf"\bfun\s+({_NAMES})\s*$", r",\s*([\w\s,]*)", "the variables of a function have no commas between them",
         "fun {names} -> …"),
    Slip(r"\bfun\s+([\w\s]+)$", r"(?:=>|==>|:|\.|=)", "the variables of a function end with `->`", "fun {names} -> …"),
    Slip(r"\blambda\s*$", r"(\w+)", "a function begins with `fun`", "fun {0} -> …"),
    Slip(r"\bforall\s+(\w[\w\s]*)$", rf":\s*{_TYPE}\b", "a variable with its type stands in parentheses", "forall ({0}: {1}), …"),
    Slip(r"\bforall\s+(\w+)\s*$", r"==?\s*\S", _IN, "forall {0} in 0..n, …"),
    Slip(r"\bforall\s+(\w[\w\s]*)$", r"[:.;|]", "after the variables of a forall there is a comma", "forall {0}, …"),
    Slip(r"\bforall\s*$", r"(\S+?)\s*<=?\s*(\w+)\s*<\s*([\w()]+)", _IN, "forall {1} in {0}..{2}, …"),
    Slip(r"\bforall\s*\(\s*(\w+)\s+in\s*$", r"", "a forall with a range has no parentheses around it", "forall {0} in 0..n, …"),
    Slip(r"\b(?:Forall|ForAll|all|every|All)\s*$", r"(\w+)", "a universal fact begins with `forall`", "forall {0} in 0..n, …"),
    Slip(r"\b(?:exists|Exists|some|Any|any)\s*$", r"(\w+)", "that there is one is written with `Any`", "Any({0} in 0..n, …)"),
    Slip(r"\b(\w+)\(\s*(\w+)\s*$", r":", _IN, "{op}({1} in 0..n, …)"),
    Slip(r"\b(\w+)\(\s*([^()]*(?:\([^()]*\))?[^()]*)$", r"for\s+(\w+)\s+in\s+(\S*?)\)",
         "the range stands before what is added up", "{op}({2} in {3}, {1})"),
    Slip(r"\bin\s*$", r"[\[(]\s*([^,]+?)\s*,\s*([^)\]]+?)\s*\)", _DOTS, "{0}..{1}"),
    Slip(r"\.\.$", r"\.", _DOTS, "0..n"),
    Slip(r"\b(\w+)\[([^\]]*)$", r",\s*([^\]]*)\]", "arguments of a logical function stand in parentheses", "{0}({1}, {2})"),
    Slip(r"--?$", r">", "what memory holds is written with an arrow of its own", "a ~> Matrix1(n, A), or p ~~> v"),
    Slip(r"<==?$|<$", r"=?=?>", "that two facts are equivalent is written `==`", "(P) == (Q)"),
    Slip(r"", r"(?:and|AND)\b", _C, "P && Q"),
    Slip(r"", r"(?:or|OR)\b", _C, "P || Q"),
    Slip(r"", r"implies\b", _C, "P ==> Q"),
    Slip(r"", r"iff\b", _C, "(P) == (Q)"),
    Slip(r"", r"mod\b", _C, "a % b"),
    Slip(r"(?:^|[(,=<>&|+*-])\s*$", r"\|", "an absolute value is a call", "abs(x)"),
    Slip(r"\bif\s*$", r"", "a choice is written as in C", "c ? a : b"),
    Slip(rf":\s*{_TYPE}\s*$", r"(?:\[|\*)", _CELLS, "A: int -> {0}"),
    Slip(rf":\s*{_TYPE}\s*\*\s*$", r"", _CELLS, "A: int -> {0}"),
    Slip(rf":\s*\(\s*{_TYPE}\s*$", r",\s*(\w+)", "several arguments of a function are a product", "{0} * {1} -> …"),
    Slip(rf"(?:^|,)\s*{_TYPE}\s*$", r"(\w+)", "a logical variable stands before its type", "{1}: {0}"),
)  # fmt: skip


def slip(text: str, start: int, end: int, place: Callable[[int, int], Loc]) -> InputError | None:
    """The error for a formula that the grammar reads up to the token from `start` to `end`; None if nothing explains it."""
    character = text[start : start + 1]
    if character and character in CHARACTERS:
        what = "facts are separated by commas" if character == ";" else f"`{character}` is no character of formulas"
        return input_error("OG002", what, place(start, start + 1), help=CHARACTERS[character])
    for row in SLIPS:
        before = re.search(row.before, text[:start])
        after = re.match(row.after, text[start:])
        if before is not None and after is not None:
            groups = [" ".join(g.split()) for g in (*before.groups(), *after.groups())]
            names = " ".join(" ".join(groups).replace(",", " ").split())
            op = operator_meant(groups[0]) or groups[0] if groups else ""
            return input_error(
                "OG003", row.message, place(start, end), help=row.fix.format(*groups, names=names, op=op)
            )
    return None


def operator_meant(name: str) -> str | None:
    """The big operator that is meant by a call with a range."""
    return next((op for op in BIG_OPERATORS if op.lower() == name.lower()), OPERATOR_NAMES.get(name.lower()))


def without_range(e: Call) -> InputError:
    """The error for a big operator whose range is not written `k in 0..n`."""
    match e.args:
        case (Range(Binary("==", Var(k), low), high), *rest):
            range_ = f"{k} in {print_expr(low)}..{print_expr(high)}"
        case (Var(k), low, high, *rest) if rest:
            range_ = f"{k} in {print_expr(low)}..{print_expr(high)}"
        case (Binary("<", Binary("<=" | "<", low, Var(k)), high), *rest):
            range_ = f"{k} in {print_expr(low)}..{print_expr(high)}"
        case (Range() as r, Fun((p,), body)):
            range_, rest = f"{p.name} in {print_expr(r)}", [body]
        case (first, other) if not isinstance(first, Var) or first.name not in free_vars(other):
            both = f"{e.func.lower()}({', '.join(map(print_expr, e.args))}), or " if e.func in ("Max", "Min") else ""
            return input_error("OG003", f"`{e.func}` needs a range", e.loc, help=f"{both}{e.func}(k in 0..n, A(k))")
        case (Var(k), *rest) if rest:
            range_ = f"{k} in 0..n"
        case _:
            range_, rest = "k in 0..n", []
    body_text = print_expr(rest[-1]) if rest else "A(k)"
    return input_error("OG003", f"`{e.func}` needs a range", e.loc, help=f"{e.func}({range_}, {body_text})")


# Bit operation between facts -> what was meant.
INSTEAD_OF_BITS: dict[str, str] = {"&": "P && Q", "|": "P || Q", "^": "x * x for a square: `^` is C's exclusive or"}


def unchained(e: Binary) -> str:
    """A chain of comparisons, as two."""
    match e:
        case Binary(op, Binary(first, a, b), c) if first in COMPARISONS:
            return f"{print_expr(a)} {first} {print_expr(b)} && {print_expr(b)} {op} {print_expr(c)}"
        case _:
            return "write 0 <= i && i < n"


def printed_range(args: tuple[Expr, ...]) -> str:
    """`range(n)` and `range(a, b)`, as a formula writes them."""
    low, high = ("0", print_expr(args[0])) if len(args) == 1 else (print_expr(args[0]), print_expr(args[-1]))
    return f"{low}..{high}"


# Word -> the annotation that people mean by it.
ANNOTATION_WORDS: dict[str, str] = {
    **dict.fromkeys(("pre", "precondition", "assume", "assumes", "require"), "__requires"),
    **dict.fromkeys(("post", "postcondition", "ensure", "guarantees", "returns"), "__ensures"),
    **dict.fromkeys(("read", "uses", "in"), "__reads"), **dict.fromkeys(("write", "assigns", "out", "output"), "__writes"),
    **dict.fromkeys(("modify", "update", "updates", "inout", "preserve"), "__preserves"),
    **dict.fromkeys(("assert", "check"), "__ASSERT"), **dict.fromkeys(("invariants", "inv"), "__invariant"),
    "consume": "__consumes", "produce": "__produces",
}  # fmt: skip


def annotation_meant(name: str) -> str | None:
    """The annotation nearest to a call with a string."""
    word = name.strip("_").lower()
    plain = next((a for a in sorted(ANNOTATIONS) if a.strip("_").lower() == word), None)
    near = get_close_matches(name, sorted(ANNOTATIONS), 1, cutoff=0.7)
    meant = plain or ANNOTATION_WORDS.get(word) or (near[0] if near else None)
    return None if meant is None else f'{meant}("…")'
