"""Conversion of floats to integers in emitted code.

In C, converting a float that does not fit is undefined; in the language it gives some number. Emitted code checks first.
"""

from __future__ import annotations

import re

from optigpu.syntax.types import INT, SCALAR_NAMES, Scalar

PREFIX = "optigpu_to_"
_USED = re.compile(rf"\b{PREFIX}(\w+)\(")


def host_conversion(t: Scalar) -> str:
    """The name of the host function that converts to this type."""
    return PREFIX + t.name


def device_conversion(have: Scalar, t: Scalar) -> str:
    """The CUDA intrinsic that rounds towards zero and saturates; narrow types are converted through `int`."""
    wide = t if t.bits >= INT.bits else INT
    to = ("" if wide.signed else "u") + ("int" if wide.bits == INT.bits else "ll")
    narrow = "" if wide is t else f"({t.name})"
    return f"{narrow}__{'float' if have.bits == 32 else 'double'}2{to}_rz"


def host_conversions(text: str, linkage: str = "static inline") -> list[str]:
    """Definitions of the host conversions that a text uses."""
    types = [SCALAR_NAMES[name] for name in sorted(set(_USED.findall(text)))]
    return [line for t in types for line in _defined(t, linkage)]


def _defined(t: Scalar, linkage: str) -> list[str]:
    low = (
        f"x > {t.low - 1}.0" if t.bits < 64 or not t.signed else f"x >= {t.low}.0"
    )  # bounds that a double represents exactly
    return [
        "// A float as an integer; 0 where it does not fit.",
        f"{linkage} {t.name} {host_conversion(t)}(double x) {{ return {low} && x < {t.high + 1}.0 ? ({t.name})x : 0; }}",
    ]
