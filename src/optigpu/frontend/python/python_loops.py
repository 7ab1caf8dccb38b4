"""Translates the ranges of Python's loops to the counted loops of programs."""

from __future__ import annotations

import ast

from optigpu.frontend.loop_headers import apply_pragma
from optigpu.frontend.python.genuine_objects import RANGE, REVERSED
from optigpu.frontend.python.python_calls import CallTranslator
from optigpu.frontend.python.python_refusals import refused
from optigpu.frontend.python.python_values import Bound, Value
from optigpu.frontend.python.python_words import RANGES, SCALED_RANGES
from optigpu.frontend.raw_statements import Pragma
from optigpu.light_dataclass import dataclass
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Binary, Expr, Int, Unary
from optigpu.syntax.program import For, LoopRange
from optigpu.syntax.source import Loc
from optigpu.syntax.types import INT, INT64, UINT, Scalar

OPTIONS = ("parallel", "simd", "unroll", "schedule", "num_threads")


@dataclass(frozen=True, slots=True)
class CountedRange:
    """The range of a loop with its pragmas, the type of its index and bounds of that."""

    range: LoopRange
    pragmas: tuple[Pragma, ...]
    type: Scalar
    low: Bound
    high: Bound

    def with_pragmas(self, loop: For) -> For:
        for p in self.pragmas:
            loop = apply_pragma(p, loop)
        return loop


class LoopTranslator(CallTranslator):
    """Reads what follows `in`."""

    def counted(self, node: ast.expr) -> CountedRange:
        """`range(a, b, step)`, `og.parallel(n)`, `reversed(range(a, b))`, `og.doubling(1, n)`."""
        if isinstance(node, ast.Call) and (word := self.word(node.func)) in SCALED_RANGES:
            return self.scaled_range(node, word)
        if isinstance(node, ast.Call) and self.object_of(node.func) is REVERSED and len(node.args) == 1:
            self.reject_options(node, "reversed")
            return self.reversed_range(node.args[0], node)
        call, kind = self.range_call(node)
        start, stop, step = self.range_bounds(call)
        low, high = start.least, None if stop.high is None else stop.high - 1
        if step.high is not None and step.high < 0:
            amount = negated(step.expr)
            low, high = None if stop.least is None else stop.least + 1, start.high
            relation, bound = _above(stop.expr)
            counted = LoopRange(start.expr, relation, bound, "-", amount)
        elif step.low == step.high == 0:
            raise input_error("OG011", "the step of a range is not 0", self.loc(node))
        elif step.least is None or step.least <= 0:
            message = (
                "a range counts down in Python where its step is below zero, and the sign of this one is not known"
            )
            raise self.differs(message, call.args[2], "a number, or max(step, 1)")
        else:
            counted = LoopRange(start.expr, "<", stop.expr, "+", step.expr)
        return CountedRange(counted, self.pragmas(kind, call), self.index_type(start, stop, step), low, high)

    def reversed_range(self, node: ast.expr, outer: ast.expr) -> CountedRange:
        """`reversed(range(a, b))` counts from b - 1 down to a."""
        call, kind = self.range_call(node)
        start, stop, step = self.range_bounds(call)
        if step.expr != Int(1):
            message = "`reversed` of a range with a step has another first element"
            raise self.differs(message, outer, "range(last, first - 1, -step)")
        one = Int(1, loc=self.loc(node))
        last = Binary("-", stop.expr, one, loc=stop.expr.loc)
        counted = LoopRange(last, ">=", start.expr, "-", one)
        high = None if stop.high is None else stop.high - 1
        return CountedRange(counted, self.pragmas(kind, call), self.index_type(start, stop, step), start.least, high)

    def scaled_range(self, node: ast.Call, word: str) -> CountedRange:
        """`og.doubling(a, b)` and `og.halving(a, b)`, by another factor too. Its proof shows that the index is positive."""
        if not 2 <= len(node.args) <= 3:
            raise input_error("OG104", f"`og.{word}` takes a start, an end and a factor", self.loc(node))
        values = [self.integer(a, "the bound of a range is") for a in node.args]
        start, stop = values[:2]
        factor = values[2].expr if len(values) == 3 else Int(2, loc=self.loc(node))
        if word == "doubling":
            counted, high = (
                LoopRange(start.expr, "<", stop.expr, "*", factor),
                None if stop.high is None else stop.high - 1,
            )
        else:
            relation, bound = _above(stop.expr)
            counted, high = LoopRange(start.expr, relation, bound, "/", factor), start.high
        return CountedRange(counted, self.pragmas("range", node), self.index_type(*values), 1, high)

    def range_call(self, node: ast.expr) -> tuple[ast.Call, str]:
        if isinstance(node, ast.Call):
            word = self.word(node.func)
            if word in RANGES:
                return node, word
            if self.object_of(node.func) is RANGE:
                self.reject_options(node, "range")
                return node, "range"
        message = "a loop of a program runs over a range"
        raise input_error("OG011", message, self.loc(node), help="for i in og.range(n):")

    def reject_options(self, call: ast.Call, name: str) -> None:
        if call.keywords:
            message = f"`{name}` of Python takes no keywords"
            raise input_error("OG012", message, self.loc(call.keywords[0].value), help="og.range(…, unroll=4)")

    def range_bounds(self, call: ast.Call) -> tuple[Value, Value, Value]:
        if not 1 <= len(call.args) <= 3:
            raise input_error("OG104", f"a range takes 1 to 3 numbers, not {len(call.args)}", self.loc(call))
        values = [self.integer(a, "the bound of a range is") for a in call.args]
        loc = self.loc(call)
        one = Value(Int(1, loc=loc), INT, low=1, high=1)
        if len(values) == 1:
            return Value(Int(0, loc=loc), INT, low=0, high=0), values[0], one
        return values[0], values[1], values[2] if len(values) == 3 else one

    def index_type(self, *values: Value) -> Scalar:
        """Python's integers have no width: the index has 64 bits where one of its bounds may need them."""
        return INT64 if any(v.scalar.bits > 32 or v.scalar == UINT for v in values) else INT

    def pragmas(self, kind: str, call: ast.Call) -> tuple[Pragma, ...]:
        options = {k.arg: self.option(k) for k in call.keywords}
        if kind != "range":
            options.setdefault(kind, "True")
        loc = self.loc(call)
        clauses = "".join(f" {x}({options[x]})" for x in ("schedule", "num_threads") if x in options)
        out = []
        if options.get("parallel") == "True":
            simd = " simd" if options.get("simd") == "True" else ""
            out.append(Pragma(f"#pragma omp parallel for{simd}{clauses}", loc))
        elif clauses:
            raise input_error("OG012", "only a parallel loop has a schedule and threads", loc, help="og.parallel(…)")
        elif options.get("simd") == "True":
            out.append(Pragma("#pragma omp simd", loc))
        if options.get("unroll", "False") != "False":
            count = "" if options["unroll"] == "True" else f" {options['unroll']}"
            out.append(Pragma(f"#pragma unroll{count}", loc))
        return tuple(out)

    def option(self, keyword: ast.keyword) -> str:
        """The text of an option's value: it is for the compiler, and no part of what is computed."""
        known = keyword.arg in OPTIONS and isinstance(keyword.value, ast.Constant)
        if not known or not isinstance(keyword.value, ast.Constant):
            message = "this is no option of a loop"
            help_ = 'parallel=True, simd=True, unroll=4, schedule="static", num_threads=4'
            raise input_error("OG012", message, self.loc(keyword.value), help=help_)
        value = keyword.value.value
        wanted = {"parallel": bool, "simd": bool, "schedule": str, "num_threads": int}.get(str(keyword.arg), int)
        if not isinstance(value, wanted):
            raise refused(keyword.value, self.loc(keyword.value))
        return str(value)


def _above(bound: Expr) -> tuple[str, Expr]:
    """The condition `i > bound`; `i > -1` is `i >= 0`."""
    return (">=", Int(0, loc=bound.loc)) if bound == Int(-1) else (">", bound)


def negated(e: Expr) -> Expr:
    return Int(-e.value, loc=e.loc) if isinstance(e, Int) else Unary("-", e, loc=e.loc)


def header_loc(loop: Loc, header: Loc) -> Loc:
    """The place of a loop: from `for` to the end of its range."""
    return Loc(loop.file, loop.line, loop.column, header.end_line, header.end_column)
