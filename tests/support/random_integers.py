"""Random functions on integers of all types, and arguments near the ends of their ranges."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from optigpu.syntax.types import SCALAR_NAMES

PARAMS = {
    "a": "int",
    "b": "int",
    "u": "unsigned",
    "v": "unsigned",
    "p": "int64_t",
    "q": "uint64_t",
    "c": "uint8_t",
    "d": "int8_t",
    "w": "uint16_t",
    "s": "int16_t",
}
TYPES = ("int", "unsigned", "int64_t", "uint64_t", "uint8_t", "int8_t", "uint16_t", "int16_t")
LITERALS = (
    "0",
    "1",
    "2",
    "3",
    "7",
    "31",
    "255",
    "65536",
    "2147483647",
    "1u",
    "5u",
    "4294967295u",
    "4294967296",
    "3ull",
)


def expression(rng: Random, depth: int, names: Sequence[str]) -> str:
    if depth == 0 or rng.random() < 0.1:
        return rng.choice([*names, *names, rng.choice(LITERALS)])

    def part() -> str:
        return expression(rng, depth - 1, names)

    match rng.randrange(17):
        case 0 | 1 | 2 | 3 | 4 | 5:
            return f"({part()} {rng.choice('+-*')} {part()})"
        case 6:
            return f"({part()} {rng.choice('/%')} {part()})"
        case 7:
            return f"({part()} {rng.choice(['<<', '>>'])} {rng.choice(['1', '3', '7', '20', '31', '40'])})"
        case 8:
            return f"({part()} {rng.choice('&|^')} {part()})"
        case 9:
            return f"(({rng.choice(TYPES)}){part()})"
        case 10:
            return f"({part()} {rng.choice(['<', '<=', '==', '!=', '>', '>='])} {part()} ? {part()} : {part()})"
        case 11:
            return f"{rng.choice(['min', 'max'])}({part()}, {part()})"
        case 12:
            return f"(~{part()})"
        case 13 | 14:
            return f"(({rng.choice(TYPES)})({part()} {rng.choice('+-*')} {part()}))"
        case 15:
            return rng.choice([f"MINDEX2({part()}, {part()}, {part()}, {part()})", f"MSIZE2({part()}, {part()})"])
        case _:
            return f"{rng.choice(['-', 'abs'])}({part()})"


def function(rng: Random, name: str) -> str:
    """A function of all parameters: constants, a variable that changes, a result."""
    lines: list[str] = []
    names = list(PARAMS)
    for k in range(rng.randrange(3)):
        lines.append(f"const {rng.choice(TYPES)} k{k} = {expression(rng, 2, names)};")
        names.append(f"k{k}")
    if rng.random() < 0.5:
        t = rng.choice(TYPES)
        lines.append(f"{t} x = {expression(rng, 2, names)};")
        op = rng.choice(["", "+", "-", "*", "/", "%"])
        lines.append(f"x {op}= {expression(rng, 2, names)};")
        names += ["x", "x"]
    lines.append(f"return {expression(rng, 3, names)};")
    params = ", ".join(f"{t} {n}" for n, t in PARAMS.items())
    return f"{rng.choice(TYPES)} {name}({params}) {{ {' '.join(lines)} }}"


def arguments(rng: Random) -> list[int]:
    """One value for each parameter: small ones, and those near the ends of the type."""
    out: list[int] = []
    for name in PARAMS.values():
        t = SCALAR_NAMES[name]
        middle = rng.choice([0, 0, 0, t.low, t.high, t.high // 2])
        out.append(min(t.high, max(t.low, middle + rng.randrange(-9, 10))))
    return out


def literal(value: int, type_name: str) -> str:
    if type_name == "uint64_t":
        return f"{value}ull"
    return f"(-{-value - 1}LL - 1)" if value < 0 else f"{value}LL"
