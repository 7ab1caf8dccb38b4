"""Terms of the logic in readable form: `i < n` instead of `-n + i + 1 <= 0`."""

from __future__ import annotations

from fractions import Fraction

from optigpu.logic.cells import Cells
from optigpu.logic.names import Name, Origin
from optigpu.logic.terms import Term, coefficients, conjuncts, instantiate, neg, placeholder
from optigpu.syntax.float_literals import is_out_of_range, literal_text, nearest_float
from optigpu.syntax.types import DOUBLE, FLOAT

Coefficient = int | Fraction
INDEX_NAMES = "ijklmxyz"
MAX_DENOMINATOR = 1000  # of a fraction that is printed as such
MAX_PARTS = 1000  # subterms of a value that is printed; a term with shared subterms may be exponentially large
# Large terms of these kinds are printed with their parts elided.
SHOWN_WHOLE = frozenset({"poly", "le", "lt", "eq", "not", "and", "or"})


def _number(value: Coefficient) -> str:
    """A number; a fraction with a large denominator as a float literal, if one denotes it exactly."""
    if isinstance(value, Fraction) and value.denominator > MAX_DENOMINATOR:
        for t, suffix in ((FLOAT, "f"), (DOUBLE, "")):
            if not is_out_of_range(value, t) and nearest_float(value, t) == value:
                return literal_text(value, t) + suffix
    return str(value)


class TermPrinter:
    """Prints terms; a variable keeps its name within one message."""

    def __init__(self) -> None:
        self.names: dict[Term, str] = {}
        self.taken: dict[str, Term] = {}
        self.sizes: dict[Term, int] = {}

    def size(self, t: Term) -> int:
        """The number of subterms, counted with repetition."""
        if t not in self.sizes:
            self.sizes[t] = 1 + sum(self.size(a) for a in t.parts)
        return self.sizes[t]

    def name(self, v: Term) -> str:
        if v in self.names:
            return self.names[v]
        name: Name = v.data
        chosen = text = name.display
        bound = name.origin in (Origin.ARBITRARY, Origin.SEARCH, Origin.ITERATION) or name.explored
        bound = bound or (name.origin is Origin.BOUND and name.stem != "k")
        for candidate in [*INDEX_NAMES, text] if bound else [text]:
            if candidate not in self.taken:
                chosen = candidate
                break
        n = 2
        while self.taken.get(chosen, v) is not v:
            chosen = f"{text}{n}"
            n += 1
        self.names[v] = chosen
        self.taken[chosen] = v
        return chosen

    def show(self, t: Term, least: int = 0) -> str:
        text, level = self.text(t)
        return text if level >= least else f"({text})"

    def text(self, t: Term) -> tuple[str, int]:
        match t.op:
            case op if op not in SHOWN_WHOLE and self.size(t) > MAX_PARTS:
                return "…", 9
            case "num":
                return _number(t.data), 9 if t.data >= 0 else 5
            case "true" | "false":
                return t.op, 9
            case "var":
                return self.name(t), 9
            case "bound":
                return f"_{t.data}", 9
            case "poly":
                least = self.minimum(t)
                return (least, 9) if least is not None else (self.polynomial(dict(t.data)), 5)
            case "fdiv":
                return f"{self.show(t.args[0], 7)} / {self.show(t.args[1], 7)}", 6
            case "band" | "bor" | "bxor":
                sign = {"band": "&", "bor": "|", "bxor": "^"}[t.op]
                return f"{self.show(t.args[0], 7)} {sign} {self.show(t.args[1], 7)}", 0
            case "inv":
                return f"1 / {self.show(t.args[0], 7)}", 6
            case "real":
                return self.text(t.args[0])
            case "app":
                return f"{self.show(t.args[0])}({', '.join(self.show(a) for a in t.args[1:])})", 9
            case "ite":
                c, a, b = t.args
                return f"{self.show(c, 2)} ? {self.show(a, 1)} : {self.show(b, 1)}", 1
            case "le" | "lt" | "eq":
                return self.comparison(t, t.op), 4
            case "not" if t.args[0].op == "eq":
                return self.comparison(t.args[0], "ne"), 4
            case "not":
                return f"!{self.show(t.args[0], 8)}", 8
            case "and":
                return " && ".join(self.show(a, 3) for a in t.args), 3
            case "or":
                return " || ".join(self.show(a, 4) for a in t.args), 2
            case "sum" | "prod" | "all" | "fold_max" | "argmax":
                return self.big(t), 9
            case "lam" | "forall":
                xs = tuple(placeholder("x", i, s) for i, s in enumerate(t.data))
                body = self.show(instantiate(t.args[0], xs))
                return f"{'fun' if t.op == 'lam' else 'forall'} {' '.join(self.name(x) for x in xs)} -> {body}", 0
            case _:
                return f"{t.op}({', '.join(self.show(a) for a in t.args)})", 9

    def minimum(self, t: Term) -> str | None:
        """-max(-a, -b) is min(a, b)."""
        if len(t.data) == 1 and t.data[0][1] == -1 and len(t.data[0][0]) == 1 and t.data[0][0][0].op == "max":
            return f"min({', '.join(self.show(neg(a)) for a in t.data[0][0][0].args)})"
        return None

    def polynomial(self, cs: dict[tuple[Term, ...], Coefficient]) -> str:
        """A sum, positive terms first."""
        items = sorted(cs.items(), key=lambda mc: (mc[1] < 0, mc[0] == (), len(mc[0])))
        out = ""
        for m, c in items:
            text = self.monomial(m, -c if c < 0 else c)
            if not out:
                out = f"-{text}" if c < 0 else text
            else:
                out += f" - {text}" if c < 0 else f" + {text}"
        return out or "0"

    def monomial(self, m: tuple[Term, ...], c: Coefficient) -> str:
        factors = [self.show(a, 7) for a in m if a.op != "inv"]
        divisors = [self.show(a.args[0], 7) for a in m if a.op == "inv"]
        head = [_number(c)] if c != 1 or not factors else []
        return " / ".join([" * ".join(head + factors), *divisors])

    def comparison(self, t: Term, op: str) -> str:
        """A comparison with negative terms moved to the other side; `a + 1 <= b` becomes `a < b`."""
        p = t.args[0]
        cs = dict(p.data) if p.op == "poly" else {(p,): 1}
        left = {m: c for m, c in cs.items() if c > 0 and m}
        right = {m: -c for m, c in cs.items() if c < 0 and m}
        constant = cs.get((), 0)
        strict = op == "lt"
        if op == "le" and p.sort.name == "int" and constant > 0 and (left or right):
            strict, constant = True, constant - 1
        if constant > 0:
            left[()] = constant
        elif constant < 0:
            right[()] = -constant
        symbol = {"eq": "==", "ne": "!="}.get(op, "<" if strict else "<=")
        a, b = self.polynomial(left), self.polynomial(right)
        if not left and symbol in ("<", "<="):
            return f"{b} {'>' if strict else '>='} 0"
        return f"{a} {symbol} {b}"

    def big(self, t: Term) -> str:
        *start, low, high, body = t.args
        if start and start[0] is instantiate(body, (low,)):  # a maximum without initial value
            start = []
        k = placeholder("k", len(self.names), low.sort)
        name = {"sum": "Sum", "prod": "Prod", "all": "All", "fold_max": "Max", "argmax": "ArgMax"}[t.op]
        text = (
            f"{name}({self.name(k)} in {self.show(low, 5)}..{self.show(high, 5)}, {self.show(instantiate(body, (k,)))})"
        )
        if start:
            return f"max({self.show(start[0])}, {text})"
        return text

    def cells(self, c: Cells) -> str:
        """`a[i][j] for i in 0..n, j in 0..m, if …`"""
        xs = tuple(placeholder("i", i, low.sort) for i, (low, _) in enumerate(c.ranges))
        index = "".join(f"[{self.show(e)}]" for e in c.at(xs))
        ranges = []
        for i, (low, high) in enumerate(c.ranges):
            a, b = instantiate(low, xs[:i]), instantiate(high, xs[:i])
            ranges.append(f"{self.name(xs[i])} in {self.show(a, 5)}..{self.show(b, 5)}")
        where = instantiate(c.where, xs)
        text = f"{c.base}{index}"
        if ranges:
            text += f" for {', '.join(ranges)}"
        return text if where.op == "true" else f"{text} if {self.show(where)}"


TYPE_LIMIT = (1 << 31) - 1  # larger numbers are limits of types or of memory


def is_range_of_type(fact: Term) -> bool:
    """Whether a fact only bounds a number by its machine type, or an array size by the address space."""
    if fact.op == "all":
        return all(is_range_of_type(c) for c in conjuncts(fact.args[2]))
    if fact.op != "le" or fact.args[0].op != "poly":
        return False
    cs = coefficients(fact.args[0])
    return abs(int(cs.pop((), 0))) >= TYPE_LIMIT and len(cs) == 1
