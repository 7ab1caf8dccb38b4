"""The range of numbers that an integer can have, by interval arithmetic on constant bounds.

Proves bounds of `/` and `%` in one pass over a term, however long the chain of them: x - d * (x div d) is in 0 .. d - 1.
"""

from __future__ import annotations

from optigpu.logic import terms as k
from optigpu.logic.bounds import BoundTable
from optigpu.logic.terms import INT, Coefficients, Term

Range = tuple[int | None, int | None]  # the least and the greatest number, None where there is no bound
MAX_DEPTH = 400  # of nested terms


class NumberRanges:
    """Ranges of terms; those of parts are remembered."""

    def __init__(self, bounds: BoundTable) -> None:
        self.bounds = bounds
        self._known: dict[Term, Range] = {}

    def of(self, p: Term, depth: int = 0) -> Range:
        """The range of a closed integer term."""
        if p not in self._known:
            unknown = p.level > 0 or p.sort is not INT or depth > MAX_DEPTH
            self._known[p] = (None, None) if unknown else self._sum(k.coefficients(p), depth)
        return self._known[p]

    def _sum(self, cs: Coefficients, depth: int) -> Range:
        """The range of a sum: of its monomials, of the same with a remainder taken out, or of one quotient with the rest inside."""
        out: Range = (0, 0)
        for m, c in cs.items():
            out = _added(out, _scaled(c, self._atom(m[0], depth) if len(m) == 1 else (None, None) if m else (1, 1)))
        quotients = [m[0] for m in cs if len(m) == 1 and m[0].op == "fdiv" and _is_positive(m[0].args[1])]
        if len(quotients) > 1:  # those that contain others first, then those that round less
            quotients.sort(key=lambda q: (-len([*k.subterms(q)]), q.args[1].data, q))
        for q in quotients if len(cs) > 1 else ():
            (x, d), c = q.args, cs[(q,)]
            if c % d.data == 0:  # c * q + rest = (c / d) * (x - x mod d) + rest
                rest = k.add(k.polynomial({m: e for m, e in cs.items() if m != (q,)}, INT), k.scale(c // d.data, x))
                if len(k.coefficients(rest)) < len(cs):
                    return _both(out, _added(self.of(rest, depth + 1), _scaled(-c // d.data, (0, d.data - 1))))
        for q in quotients if len(cs) > 1 else ():
            (x, d), c = q.args, cs[(q,)]
            others = {m: e for m, e in cs.items() if m and m != (q,)}
            if others and all(e % c == 0 for e in others.values()):  # c * q + c * r = c * ((x + d * r) div d)
                inside = k.add(x, k.mul(d, k.polynomial({m: e // c for m, e in others.items()}, INT)))
                whole = _scaled(c, _divided(self.of(inside, depth + 1), d.data))
                return _both(out, _added(whole, (int(cs.get((), 0)),) * 2))
        return out

    def _atom(self, a: Term, depth: int) -> Range:
        lows, highs = [], []
        for c, side, r in self.bounds.of.get(a, ()):
            if c.op == r.op == "num":  # c * a >= r or c * a <= r, for c > 0
                lows += [-(-r.data // c.data)] if side == 1 else []
                highs += [r.data // c.data] if side == -1 else []
        return _both((max(lows, default=None), min(highs, default=None)), self._defined(a, depth + 1))

    def _defined(self, a: Term, depth: int) -> Range:
        """What the operator of an atom says of its range."""
        match a.op:
            case "fdiv" if _is_positive(a.args[1]):
                return _divided(self.of(a.args[0], depth), a.args[1].data)
            case "ite" | "max":
                lows, highs = zip(*(self.of(x, depth) for x in (a.args[1:] if a.op == "ite" else a.args)))
                known = [x for x in lows if x is not None]
                low = max(known, default=None) if a.op == "max" else min(known) if len(known) == 2 else None
                return low, None if None in highs else max(highs)
            case _:
                return None, None


def _is_positive(d: Term) -> bool:
    return d.op == "num" and bool(d.data > 0)


def _divided(r: Range, d: int) -> Range:
    """A number of the range, divided by d > 0: rounding keeps the order."""
    return (None if r[0] is None else r[0] // d), (None if r[1] is None else r[1] // d)


def _both(a: Range, b: Range) -> Range:
    """Numbers that are in both ranges."""
    lows, highs = ([x for x in ends if x is not None] for ends in zip(a, b))
    return max(lows, default=None), min(highs, default=None)


def _added(a: Range, b: Range) -> Range:
    return (None if a[0] is None or b[0] is None else a[0] + b[0]), (
        None if a[1] is None or b[1] is None else a[1] + b[1]
    )


def _scaled(c: int, r: Range) -> Range:
    """c times a number of the range."""
    low, high = (None if x is None else c * x for x in r)
    return (low, high) if c >= 0 else (high, low)
