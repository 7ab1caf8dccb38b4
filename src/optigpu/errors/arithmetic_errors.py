"""Errors of proofs about arithmetic: divisors, domains of functions, and ranges of machine types."""

from __future__ import annotations

from optigpu.errors.cause_keys import obligations, rejections
from optigpu.errors.details import Details
from optigpu.errors.error_row import ProofErrorRow
from optigpu.kernel.causes import Operation, Overflow
from optigpu.kernel.instructions import Obligation
from optigpu.logic.terms import subterms
from optigpu.syntax.types import MACHINE_SCALARS, Kind

TYPES_BY_RANGE = {(t.low, t.high): t.name for t in MACHINE_SCALARS if t.kind is Kind.INT}
GIVE_THE_RANGE = "add a __requires that gives the range"


def _divides(d: Details) -> str | None:
    """`exact_div(a, b)` needs a fact `a % b == 0`."""
    if d.cause.goal is not None:
        for t in (a for a in subterms(d.cause.goal) if a.op == "fdiv"):
            others = sorted(d.show(v) for v in t.free - d.inputs.variables)
            if others and d.inputs.variables:  # a contract cannot speak of it
                names = ", ".join(others)
                return (
                    f'no __requires can speak of {names}: handle the rest, in a script by s.loop.tile(…, tail="guard")'
                )
            return f'__requires("{d.show(t.args[0])} % {d.show(t.args[1])} == 0"), or in a script tail="guard"'
    return None


def _overflow(d: Details) -> str:
    limits = d.cause.limits if isinstance(d.cause, Overflow) else None
    name = None if limits is None else TYPES_BY_RANGE.get(limits)
    return f"this number may not fit {'its type' if name is None else f'`{name}`'}: it would overflow"


ARITHMETIC_ERRORS = (
    ProofErrorRow(
        "OG310",
        "division by zero",
        "A division by something that may be zero.",
        causes=obligations(Obligation.DIVISION),
        message="this divisor may be zero",
        help="add a __requires that excludes zero, or guard it with if",
    ),
    ProofErrorRow(
        "OG311",
        "division that is not exact",
        'exact_div(a, b) needs a fact that b divides a, for example __requires("n % 16 == 0").',
        causes=obligations(Obligation.EXACT_DIVISION),
        message="the division is not shown to be exact",
        help=_divides,
    ),
    ProofErrorRow(
        "OG312",
        "bit operation on a negative number",
        "Shifts and bit operations take numbers that are not negative.",
        causes=obligations(Obligation.SHIFT, Obligation.BITS),
        message="bit operations take numbers that are not negative",
        help=GIVE_THE_RANGE,
    ),
    ProofErrorRow(
        "OG313",
        "conversion that changes the number",
        "A conversion to another integer type may change the number. A cast to an unsigned type is computed modulo 2^bits.",
        causes=obligations(Obligation.CONVERSION),
        message="this value may be outside its type, which changes it",
        help=GIVE_THE_RANGE,
        shows_type_ranges=True,
    ),
    ProofErrorRow(
        "OG333",
        "root or logarithm outside its domain",
        "The square root of a number that may be negative, or the logarithm of one that may not be positive.",
        causes=obligations(Obligation.DOMAIN),
        message="this function may have no real number as its value here",
        help=GIVE_THE_RANGE,
    ),
    ProofErrorRow(
        "OG337",
        "arithmetic with INFINITY",
        "An operand of arithmetic may be a copy of INFINITY, and is not shown to be a number: of floats, INFINITY - INFINITY is\n"
        "NaN. A maximum that starts at -INFINITY is a number if there is an element. Start it at an element (best = x[0],\n"
        "the loop at 1), or say in the contract that there is one (n > 0).",
        causes=obligations(Obligation.FINITE),
        message="this operand may be INFINITY",
        help="start a maximum at an element, `best = x[0]`, or require that there is one: n > 0",
    ),
    ProofErrorRow(
        "OG336",
        "integer overflow",
        "A number may not fit the machine type of the variable, cell, index, argument or result that it is put into. Give a\n"
        "bound in the contract, or a wider type. `optigpu check --integers unbounded` assumes it, and says where.",
        causes=(*rejections(Overflow, Operation.STORE, Operation.ATOMIC), *obligations(Obligation.OVERFLOW)),
        message=_overflow,
        help="add a bound to the contract, or use a wider type (int64_t)",
        shows_type_ranges=True,
    ),
)
