"""The operators of programs and formulas with their precedence, for the parser and the printers alike."""

from __future__ import annotations

# Binary operators from loosest to tightest. C's order, with the formula-only operators where a reader expects them: `=.`, `+.` and
# the like are the versions on reals, `=` in a formula is `==`, and `==>` is implication.
BINARY_LEVELS: tuple[tuple[str, ...], ...] = (
    ("==>",),
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!=", "="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
BINARY_PRECEDENCE: dict[str, int] = {op: level for level, ops in enumerate(BINARY_LEVELS) for op in ops}
RIGHT_ASSOCIATIVE = frozenset({"==>"})

# A real-number spelling and the operator it stands for; its operands are converted to reals (`1 /. 2` is a half).
REAL_SPELLINGS: dict[str, str] = {
    "=.": "==", "!=.": "!=", "<.": "<", "<=.": "<=", ">.": ">", ">=.": ">=", "+.": "+", "-.": "-", "*.": "*", "/.": "/",
}  # fmt: skip

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
LOGICAL = frozenset({"&&", "||", "==>"})
ARITHMETIC = frozenset({"+", "-", "*", "/", "%"})
BITWISE = frozenset({"&", "|", "^", "<<", ">>"})
WRAPPING = frozenset(
    {"+", "-", "*", "<<"}
)  # the result on unsigned numbers is the mathematical one modulo 2^bits, as C says

CONDITIONAL_PRECEDENCE = -1  # c ? a : b
ARROW_PRECEDENCE = -2  # p ~~> v and a..b
BINDER_PRECEDENCE = -3  # fun, forall, for … ->
UNARY_PRECEDENCE = len(BINARY_LEVELS)
POSTFIX_PRECEDENCE = UNARY_PRECEDENCE + 1

COMPOUND_ASSIGNMENTS = ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^")


def precedence(op: str) -> int:
    return BINARY_PRECEDENCE[REAL_SPELLINGS.get(op, op)]
