"""Conversions of floats in emitted code: to integers, and between `float` and the types of numbers that are only stored.

In C, converting a float to an integer that it does not fit is undefined; in the language it gives some number. Emitted code checks
first. Compilers need not know numbers of 16 bits: in emitted C these are bits in a `uint16_t`, which functions here convert.
"""

from __future__ import annotations

import re

from optigpu.syntax.types import BF16, FLOAT, HALF, INT, SCALAR_NAMES, TF32, Scalar

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


def stored_float_conversion(have: Scalar, to: Scalar) -> str:
    """The C function that converts `have` to `to`, one of which is `float`; "" if they have the same bits."""
    return "" if (have, to) == (TF32, FLOAT) else f"optigpu_{have.name}_to_{to.name}"


def stored_float_conversions(text: str) -> list[str]:
    """Definitions of the conversions of stored floats that a C text uses."""
    used = [definition for name, definition in _STORED.items() if f"{name}(" in text]
    return [line for definition in (_BITS, *used) if used for line in definition.splitlines()]


_BITS = """\
union optigpu_float_bits {
  float number;
  uint32_t bits;
};
"""
_STORED = {
    stored_float_conversion(HALF, FLOAT): """\
// IEEE 754's binary16 as a float. Its exponent is 112 less; infinities and NaN keep the greatest exponent.
static inline float optigpu_half_to_float(uint16_t h) {
  union optigpu_float_bits x = {.bits = (h & 0x7fffu) << 13}, limit = {.number = 65536.0f};
  x.number *= 0x1p112f;
  x.bits |= (x.number >= limit.number ? 0x7f800000u : 0u) | (h & 0x8000u) << 16;
  return x.number;
}
""",
    stored_float_conversion(FLOAT, HALF): """\
// To the nearest binary16, ties to even. Adding 0.5 leaves the bits of a subnormal number, rounded, at the end of the sum.
static inline uint16_t optigpu_float_to_half(float number) {
  union optigpu_float_bits x = {.number = number}, small;
  const uint32_t sign = x.bits & 0x80000000u, odd = x.bits >> 13 & 1u;
  x.bits ^= sign;
  small.number = x.number + 0.5f;
  const uint32_t infinite = x.bits > 0x7f800000u ? 0x7e00u | (x.bits >> 13 & 0x1ffu) : 0x7c00u;
  const uint32_t normal = (x.bits - (112u << 23) + 0xfffu + odd) >> 13;
  const uint32_t finite = x.bits < 113u << 23 ? small.bits - 0x3f000000u : normal;
  return (uint16_t)((x.bits < 143u << 23 ? finite : infinite) | sign >> 16);
}
""",
    stored_float_conversion(BF16, FLOAT): """\
// bfloat16 is the upper half of a float.
static inline float optigpu_bf16_to_float(uint16_t h) {
  const union optigpu_float_bits x = {.bits = (uint32_t)h << 16};
  return x.number;
}
""",
    stored_float_conversion(FLOAT, BF16): """\
// To the nearest bfloat16, ties to even.
static inline uint16_t optigpu_float_to_bf16(float number) {
  const union optigpu_float_bits x = {.number = number};
  const uint32_t nearest = x.bits + 0x7fffu + (x.bits >> 16 & 1u);
  return (uint16_t)(((x.bits & 0x7fffffffu) > 0x7f800000u ? x.bits | 0x400000u : nearest) >> 16);
}
""",
    stored_float_conversion(FLOAT, TF32): """\
// To the nearest float with 10 explicit bits of mantissa, ties away from zero.
static inline float optigpu_float_to_tf32(float number) {
  union optigpu_float_bits x = {.number = number};
  x.bits = (x.bits & 0x7f800000u) == 0x7f800000u ? x.bits : (x.bits + 0x1000u) & 0xffffe000u;
  return x.number;
}
""",
}
