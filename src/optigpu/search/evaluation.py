"""Values of integer terms and conditions for given values of their variables."""

from __future__ import annotations

from typing import TypeAlias

from optigpu.logic.terms import INT, Term

Sample: TypeAlias = dict[Term, int]  # values of variables


MOST_BITS = 200  # of a power of two


class Undefined(Exception):
    """A term that has no value for a sample: an unknown function, a division by zero."""


def evaluate(t: Term, env: Sample) -> int:
    """Compute the value of an integer, or the truth of a condition."""
    return _value(t, env, {})


def _value(t: Term, env: Sample, atoms: dict[Term, int]) -> int:
    """`atoms` caches the values of atoms, which recur in terms that are built from each other."""
    match t.op:
        case "poly" if t.sort is INT:
            total = 0
            for monomial, c in t.data:
                for a in monomial:
                    value = env.get(a)
                    if value is None and (value := atoms.get(a)) is None:
                        value = atoms[a] = _value(a, env, atoms)
                    c *= value
                total += c
            return total
        case "num":
            number: int = t.data
            return number
        case "var" if t in env:
            return env[t]
        case "fdiv":
            a, b = _value(t.args[0], env, atoms), _value(t.args[1], env, atoms)
            if b == 0:
                raise Undefined
            return a // b
        case "pow2":
            return power_of_two(_value(t.args[0], env, atoms))
        case "max" if t.sort is INT:
            return max(_value(x, env, atoms) for x in t.args)
        case "ite":
            return _value(t.args[1 if _value(t.args[0], env, atoms) else 2], env, atoms)
        case "le" | "eq" if t.args[0].sort is INT:
            p = _value(t.args[0], env, atoms)
            return p <= 0 if t.op == "le" else p == 0
        case "not":
            return not _value(t.args[0], env, atoms)
        case "and":
            return all(_value(x, env, atoms) for x in t.args)
        case "or":
            return any(_value(x, env, atoms) for x in t.args)
        case "true" | "false":
            return t.op == "true"
        case _:
            raise Undefined


def line(p: Term, x: Term, env: Sample) -> tuple[int, int]:
    """Compute the value of an integer where the variable x is 0, and how much more it is where x is 1."""
    if p.op == "poly" and not any(x in a.free for a in p.parts if a is not x):
        at_0 = slope = 0
        atoms: dict[Term, int] = {x: 1}
        for monomial, c in p.data:
            for a in monomial:
                value = atoms.get(a)
                if value is None:
                    value = atoms[a] = _value(a, env, {})
                c *= value
            if x in monomial:
                slope += c
            else:
                at_0 += c
        return at_0, slope
    at_0, at_1 = evaluate(p, {**env, x: 0}), evaluate(p, {**env, x: 1})
    return at_0, at_1 - at_0


def power_of_two(exponent: int) -> int:
    if not 0 <= exponent <= MOST_BITS:
        raise Undefined
    return 1 << exponent
