"""Floats as integers in emitted code. Where one does not fit, C leaves open what happens; the program says: some number."""

from __future__ import annotations

import re

from optigpu.syntax.types import INT, SCALAR_NAMES, Scalar

PREFIX = "optigpu_to_"
_USED = re.compile(rf"\b{PREFIX}(\w+)\(")


def host_conversion(t: Scalar) -> str:
    """The function of a host that converts to this type."""
    return PREFIX + t.name


def device_conversion(have: Scalar, t: Scalar) -> str:
    """CUDA's own: without a fraction, and the nearest number where it does not fit. To narrow types, by way of `int`."""
    wide = t if t.bits >= INT.bits else INT
    to = ("" if wide.signed else "u") + ("int" if wide.bits == INT.bits else "ll")
    narrow = "" if wide is t else f"({t.name})"
    return f"{narrow}__{'float' if have.bits == 32 else 'double'}2{to}_rz"


def host_conversions(text: str, linkage: str = "static inline") -> list[str]:
    """The functions of a host that are used in a text."""
    types = [SCALAR_NAMES[name] for name in sorted(set(_USED.findall(text)))]
    return [line for t in types for line in _defined(t, linkage)]


def _defined(t: Scalar, linkage: str) -> list[str]:
    low = f"x > {t.low - 1}.0" if t.bits < 64 or not t.signed else f"x >= {t.low}.0"  # numbers that a double can be
    return [
        "// A float as an integer; 0 where it does not fit.",
        f"{linkage} {t.name} {host_conversion(t)}(double x) {{ return {low} && x < {t.high + 1}.0 ? ({t.name})x : 0; }}",
    ]
