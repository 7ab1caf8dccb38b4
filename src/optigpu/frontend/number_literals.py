"""Number literals and names of scalar types, as C spells them."""

from __future__ import annotations

import re
from fractions import Fraction

from lark import Token

from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Expr, Int, Real
from optigpu.syntax.float_literals import is_out_of_range, nearest_float
from optigpu.syntax.source import Loc
from optigpu.syntax.types import (
    DOUBLE,
    FLOAT,
    INT,
    INT64,
    SCALAR_NAMES,
    STORED_FLOATS,
    TEMPLATE_ELEMENT,
    UINT,
    UINT64,
    Scalar,
)

ELEMENT_TOKEN = "\ue000"  # what `template_types.py` puts in the place of the type of a template
STORED_FLOAT_TOKENS = dict(zip("\ue001\ue002\ue003", STORED_FLOATS))  # what `stored_float_names.py` puts in their place
MAX_EXPONENT = 400  # a decimal exponent beyond this is outside the range of double


def scalar_type(token: Token) -> Scalar:
    if token == ELEMENT_TOKEN:
        return TEMPLATE_ELEMENT
    return STORED_FLOAT_TOKENS.get(str(token)) or SCALAR_NAMES[re.sub(r"\s+", " ", str(token))]


def parse_number(token: str, loc: Loc) -> Expr:
    """A C literal: a decimal or hexadecimal integer, with suffixes of u and l, or a float, with an optional suffix f."""
    text = str(token).lower()
    if re.fullmatch(r"0x[0-9a-f]+[ul]*|\d+[ul]*", text):
        digits = text.rstrip("ul")
        if len(digits) > 1 and digits[0] == "0" and digits[1] != "x":
            raise input_error("OG006", f"`{token}` would be octal in C", loc, help=f"write {digits.lstrip('0') or '0'}")
        if len(digits) > 20:
            raise input_error("OG006", "this integer does not fit 64 bits", loc)
        value = int(digits, 0)
        suffix = text[len(digits) :]
        literal_type = {"": None, "u": UINT, "l": INT64, "ll": INT64, "ul": UINT64, "ull": UINT64}.get(suffix)
        if suffix and literal_type is None:
            raise input_error("OG006", f"`{token}` is not a number: unknown suffix `{suffix}`", loc)
        if value > (literal_type or INT64).high:
            raise input_error("OG006", f"this integer does not fit {(literal_type or INT64).bits} bits", loc)
        if digits[:2] == "0x" and literal_type is None and INT.high < value <= UINT.high:
            literal_type = UINT  # as in C; a decimal one would be long
        return Int(value, literal_type, loc=loc)
    if match := re.fullmatch(r"(\d+\.?\d*|\.\d+)(?:e([-+]?\d+))?(f?)", text):
        mantissa, exponent, suffix = match.groups()
        if exponent is not None and (len(exponent) > 5 or abs(int(exponent)) > MAX_EXPONENT):
            raise input_error("OG006", "this number is out of the range of double", loc)
        value_text = (mantissa + "0" if mantissa.endswith(".") else mantissa) + (f"e{exponent}" if exponent else "")
        real, real_type = Fraction(value_text), FLOAT if suffix else DOUBLE
        if is_out_of_range(real, real_type):
            raise input_error("OG006", f"this number is out of the range of {real_type.name}", loc)
        return Real(nearest_float(real, real_type), real_type, loc=loc)
    raise input_error("OG006", f"`{token}` is not a number", loc)
