"""CUDA's fast exponential in emitted kernels: one instruction, without the cases of subnormal results that `__expf` has."""

from __future__ import annotations

from collections.abc import Sequence

FAST_EXPONENTIAL = "__expf"
HELPER = "fast_expf"
_TEXT = f"""\
// As __expf, but 0 where the result is subnormal.
__device__ __forceinline__ float {HELPER}(float x) {{
#ifdef __CUDACC__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.4426950408889634f));
  return y;
#else
  return expf(x);
#endif
}}

"""


def fast_math_helpers(text: str) -> Sequence[str]:
    """The lines of the functions that a text uses."""
    return _TEXT.splitlines() if f"{HELPER}(" in text else ()
