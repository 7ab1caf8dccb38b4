"""Machine integer types have no place in formulas, which are about mathematical integers."""

from __future__ import annotations

from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.source import Loc
from optigpu.syntax.types import INT, Kind, Scalar


def restricts_integers(t: Scalar) -> bool:
    """Whether a reader would take this type for a restriction to its range: `unsigned`, `int8_t`. Signed `int` and wider types
    are accepted as names of the mathematical integers."""
    return t.kind is Kind.INT and (t.bits < INT.bits or not t.signed)


def machine_integer_error(t: Scalar, loc: Loc) -> InputError:
    message = f"formulas speak of mathematical integers, of which `{t.name}` is a part"
    return input_error("OG103", message, loc, help="say that the number is in its range")
