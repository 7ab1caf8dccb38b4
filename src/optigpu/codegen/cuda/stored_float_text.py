"""Numbers of types that are only stored, in emitted CUDA: the types of CUDA's headers, and conversions by its intrinsics."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.syntax.float_formats import FORMATS
from optigpu.syntax.types import BF16, FLOAT, HALF, TF32, Scalar

HEADERS = {BF16: "cuda_bf16.h", HALF: "cuda_fp16.h"}
CONVERSIONS = {
    (HALF, FLOAT): "__half2float",
    (FLOAT, HALF): "__float2half_rn",
    (BF16, FLOAT): "__bfloat162float",
    (FLOAT, BF16): "__float2bfloat16_rn",
    (TF32, FLOAT): "",  # the same bits
    (FLOAT, TF32): "rounded_to_tf32",
}
ROUNDED_TO_TF32 = """\
// To the nearest float with 10 explicit bits of mantissa, ties away from zero.
__host__ __device__ __forceinline__ float rounded_to_tf32(float x) {
  if (x != x) return x;  // of some NaN, only dropped bits are set
  unsigned bits;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
#else
  memcpy(&bits, &x, sizeof bits);
  if ((bits & 0x7f800000u) != 0x7f800000u) bits = (bits + 0x1000u) & 0xffffe000u;
#endif
  memcpy(&x, &bits, sizeof x);
  return x;
}

"""


def cuda_type(t: Scalar) -> str:
    """The name of a type of numbers in CUDA."""
    return FORMATS[t].in_cuda if t in FORMATS else t.name


def stored_float_headers(text: str) -> list[str]:
    """CUDA's headers with the types of numbers of 16 bits that a text uses."""
    return [header for t, header in HEADERS.items() if FORMATS[t].in_cuda in text]


def stored_float_helpers(text: str) -> Sequence[str]:
    """The lines of the functions that a text uses."""
    return ROUNDED_TO_TF32.splitlines() if f"{CONVERSIONS[FLOAT, TF32]}(" in text else ()
