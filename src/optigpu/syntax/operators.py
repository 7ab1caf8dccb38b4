"""The operators of programs and formulas, with the precedence that the parser and the printers use."""

from __future__ import annotations

# Other spellings that formulas have for an operator.
SPELLINGS: dict[str, str] = {"=": "==", "=>": "==>", "->": "==>"}

# Binary operators from loosest to tightest, in C's order. In formulas, `==>` is implication, and `=.`, `+.` and the
# like are operators on reals.
BINARY_LEVELS: tuple[tuple[str, ...], ...] = (
    ("==>",),
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
BINARY_PRECEDENCE: dict[str, int] = {op: level for level, ops in enumerate(BINARY_LEVELS) for op in ops}
RIGHT_ASSOCIATIVE = frozenset({"==>"})

# Spelling on reals -> the operator. Its operands are converted to reals: `1 /. 2` is one half.
REAL_SPELLINGS: dict[str, str] = {
    "=.": "==", "!=.": "!=", "<.": "<", "<=.": "<=", ">.": ">", ">=.": ">=", "+.": "+", "-.": "-", "*.": "*", "/.": "/",
}  # fmt: skip

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
LOGICAL = frozenset({"&&", "||", "==>"})
ARITHMETIC = frozenset({"+", "-", "*", "/", "%"})
BITWISE = frozenset({"&", "|", "^", "<<", ">>"})
WRAPPING = frozenset({"+", "-", "*", "<<"})  # on unsigned numbers the result is taken modulo 2^bits

CONDITIONAL_PRECEDENCE = -1  # c ? a : b
ARROW_PRECEDENCE = -2  # p ~~> v and a..b
BINDER_PRECEDENCE = -3  # fun, forall, for … ->
UNARY_PRECEDENCE = len(BINARY_LEVELS)
POSTFIX_PRECEDENCE = UNARY_PRECEDENCE + 1

COMPOUND_ASSIGNMENTS = ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^")


def precedence(op: str) -> int:
    return BINARY_PRECEDENCE[REAL_SPELLINGS.get(op, op)]
