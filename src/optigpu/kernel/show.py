"""Terms as text, for error messages and for hashing: the text determines the term."""

from __future__ import annotations

from optigpu.kernel.terms import Term

_INFIX = {"le": "<= 0", "lt": "< 0", "eq": "== 0"}


def show(t: Term, names: tuple[str, ...] = ()) -> str:
    """A readable form; bound variables are named by their depth."""
    match t.op:
        case "num" | "var":
            return str(t.data)
        case "true" | "false":
            return t.op
        case "bound":
            return names[-1 - t.data] if t.data < len(names) else f"^{t.data}"
        case "poly":
            return "(" + " + ".join(sorted(_monomial(m, c, names) for m, c in t.data)) + ")"
        case "app":
            return f"{show(t.args[0], names)}({', '.join(show(a, names) for a in t.args[1:])})"
        case "ite":
            c, a, b = (show(x, names) for x in t.args)
            return f"({c} ? {a} : {b})"
        case "sum" | "prod" | "all" | "any" | "fold_max" | "fold_min":
            k = f"k{len(names)}"
            *start, low, high = (show(a, names) for a in t.args[:-1])
            head = f"{start[0]}; " if start else ""
            return f"{t.op}({head}{k} in {low}..{high}, {show(t.args[-1], (*names, k))})"
        case "lam" | "forall":
            new = tuple(f"x{len(names) + i}" for i in range(len(t.data)))
            binders = " ".join(f"({n}: {s.name})" for n, s in zip(new, t.data))
            return f"({t.op} {binders} -> {show(t.args[0], (*names, *new))})"
        case "le" | "lt" | "eq":
            return f"{show(t.args[0], names)} {_INFIX[t.op]}"
        case "not":
            return f"!({show(t.args[0], names)})"
        case "and" | "or":
            return "(" + (" && " if t.op == "and" else " || ").join(sorted(show(a, names) for a in t.args)) + ")"
        case _:
            args = [show(a, names) for a in t.args]
            return f"{t.op}({', '.join(sorted(args) if t.op in ('min', 'max') else args)})"


def _monomial(m: tuple[Term, ...], c: object, names: tuple[str, ...]) -> str:
    factors = sorted(show(a, names) for a in m)
    if c == 1 and factors:
        return " * ".join(factors)
    return " * ".join([str(c), *factors])
