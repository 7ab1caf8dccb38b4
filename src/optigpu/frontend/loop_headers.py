"""Headers of loops: the range of the index, and the pragmas before the loop."""

from __future__ import annotations

import re

from optigpu.frontend.raw_statements import Pragma, SimpleStatement
from optigpu.frontend.wellformed import HINT
from optigpu.light_dataclass import replace
from optigpu.syntax.conditions import MIRRORED
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Binary, Expr, Var
from optigpu.syntax.program import For, LoopRange, Mode, ordered_hints

STEP_OPERATORS = ("+", "-", "*", "/", "<<", ">>")


def loop_range(index: str, start: Expr, test: Expr, update: SimpleStatement) -> LoopRange:
    """The range of `for (int index = start; test; update)`."""
    relation, bound = _condition(index, test)
    op, amount = _step(index, update)
    upwards = op in ("+", "*", "<<")
    if upwards != (relation in ("<", "<=")):
        raise input_error(
            "OG011", f"this loop counts {'up' if upwards else 'down'} but its condition is `{index} {relation} …`", test.loc
        )  # fmt: skip
    return LoopRange(start, relation, bound, op, amount)


def _condition(index: str, test: Expr) -> tuple[str, Expr]:
    """The relation and the bound of `i < n` or `n > i`."""
    match test:
        case Binary(("<" | "<=" | ">" | ">=") as relation, Var(name), bound) if name == index:
            return relation, bound
        case Binary(("<" | "<=" | ">" | ">=") as relation, bound, Var(name)) if name == index:
            return MIRRORED[relation], bound
        case _:
            raise input_error(
                "OG011", f"the condition of this loop does not compare `{index}` with a bound", test.loc,
                help=f"for (int {index} = lo; {index} < hi; {index}++)",
            )  # fmt: skip


def _step(index: str, update: SimpleStatement) -> tuple[str, Expr]:
    """The operator and the amount of `i++`, `i *= 2` or `i = i + 2`."""
    match update:
        case SimpleStatement(Var(name), op, amount) if name == index and not isinstance(amount, SimpleStatement | None):
            pass
        case _:
            raise input_error(
                "OG011", f"the third part of this loop does not step `{index}`", update.loc, help=f"{index}++ or {index} += 2"
            )  # fmt: skip
    if op == "=":
        match amount:
            case Binary(("+" | "-" | "*" | "/" | "<<" | ">>") as step, Var(name), operand) if name == index:
                return step, operand
            case _:
                raise input_error("OG011", f"the third part of this loop does not step `{index}`", update.loc)
    if op[:-1] not in STEP_OPERATORS:
        raise input_error("OG011", f"a loop cannot step by `{op}`", update.loc, help="use +=, -=, *=, /=, <<= or >>=")
    return op[:-1], amount


def apply_pragma(pragma: Pragma, loop: For) -> For:
    """The loop with the mode or the hint that a pragma before it gives."""
    words = pragma.text.split(None, 1)[1].split() if len(pragma.text.split(None, 1)) > 1 else []
    match words:
        case ["omp", "parallel", "for", *rest]:
            clauses = rest[1:] if rest[:1] == ["simd"] else rest
            if not all(HINT.fullmatch(w) and "(" in w for w in clauses):
                raise input_error("OG012", f"the OpenMP clauses `{' '.join(rest)}` are not known", pragma.loc)
            return replace(loop, mode=Mode.PARALLEL, hints=ordered_hints((*loop.hints, *rest)))
        case ["omp", "simd"]:
            return replace(loop, hints=ordered_hints((*loop.hints, "simd")))
        case ["unroll"] | ["GCC", "unroll", _] | ["unroll", _] if re.fullmatch(r"\w+", words[-1]):
            hint = " ".join(w for w in words if w != "GCC")
            return replace(loop, hints=ordered_hints((*loop.hints, hint)))
        case [("tensor_cores" | "pipeline" | "async_copy"), *_] if HINT.fullmatch(" ".join(words)):
            return replace(loop, hints=ordered_hints((*loop.hints, " ".join(words))))
        case _:
            known = "#pragma omp parallel for, omp simd, unroll, tensor_cores tf32, tensor_cores tile, async_copy, pipeline 4"
            raise input_error("OG012", "this pragma is not known", pragma.loc, help=known)
