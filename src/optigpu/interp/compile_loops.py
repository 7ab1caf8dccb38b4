"""Headers of loops compiled to closures: the values that an index takes, and sequential loops without a contract."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from optigpu.interp.machine import Closure, Frame, LoopCode, Machine
from optigpu.interp.numeric_values import fit
from optigpu.interp.operator_semantics import COMPARE, next_value
from optigpu.syntax.program import For


class LoopHeader:
    """`for (int i = start; i < bound; i += amount)`, with the closures of its three expressions."""

    def __init__(self, s: For, start: Closure, bound: Closure, amount: Closure) -> None:
        self.s = s
        self.start, self.bound, self.amount = start, bound, amount
        self.continues = COMPARE[s.range.relation]
        self.advance = next_value(s.range.op, s.loc)

    def values(self, m: Machine, f: Frame) -> Generator[int, None, int]:
        """The values of the index, bound and step evaluated before each iteration as in C. Returns the first value that the
        condition rejects, which need not fit the type of the index."""
        s, bound, amount, continues, advance = self.s, self.bound, self.amount, self.continues, self.advance
        i: int = self.start(m, f)
        while continues(i, bound(m, f)):
            m.step()
            yield fit(i, s.index_type, s.loc, f"the index `{s.index}`")
            i = advance(i, amount(m, f))
        return i

    def thread_values(self, m: Machine, f: Frame) -> range:
        """The values of the index of a thread loop: bound and step are evaluated once, and every value fits its type."""
        m.step()
        values = self.counted(self.start(m, f), self.bound(m, f), self.amount(m, f))
        if not self.all_fit(values):
            for _ in self.checked(values):
                pass
        return values

    def sequential_loop(self, code: LoopCode) -> Closure:
        slot, body = code.slot, code.body

        def run(m: Machine, f: Frame) -> None:
            for i in self.values(m, f):
                f[slot] = i
                body(m, f)

        return run

    def fixed_loop(self, code: LoopCode) -> Closure:
        """A loop whose bound and step have the same values in every iteration: they are evaluated once."""
        start, bound, amount, continues = self.start, self.bound, self.amount, self.continues
        slot, body = code.slot, code.body

        def run(m: Machine, f: Frame) -> None:
            first, end, step = start(m, f), bound(m, f), amount(m, f)
            if not continues(first, end):
                return
            values = self.counted(first, end, step)
            for i in values if self.all_fit(values) else self.checked(values):
                m.step()
                f[slot] = i
                body(m, f)

        return run

    def counted(self, start: int, bound: int, step: int) -> range:
        """The values of an index that is stepped by `+` or `-`. A step that is not positive is reported as a loop without end."""
        if step <= 0:
            self.advance(start, step)
        sign = 1 if self.s.range.op == "+" else -1
        return range(start, bound + (sign if self.s.range.relation in ("<=", ">=") else 0), sign * step)

    def all_fit(self, values: range) -> bool:
        """Whether every value with which an iteration runs fits the type of the index."""
        low, high = self.s.index_type.low, self.s.index_type.high
        return not values or (low <= values[0] <= high and low <= values[-1] <= high)

    def checked(self, values: range) -> Iterator[int]:
        """The values up to the first that does not fit the type of the index, which is an error."""
        for i in values:
            yield fit(i, self.s.index_type, self.s.loc, f"the index `{self.s.index}`")
