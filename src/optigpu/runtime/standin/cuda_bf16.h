// CUDA's numbers of 16 bits on the CPU: bfloat16, the upper half of a float.
#pragma once
#include "cuda_runtime.h"

struct __nv_bfloat16 {
  unsigned short bits;
};

inline float __bfloat162float(__nv_bfloat16 h) { return standin::bits_as<float>((unsigned)h.bits << 16); }

inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  if (x != x) return {0x7fff};
  const unsigned bits = standin::bits_as<unsigned>(x), rest = bits & 0xffffu;
  const bool up = rest > 0x8000u || (rest == 0x8000u && (bits & 0x10000u) != 0);
  return {(unsigned short)((bits >> 16) + up)};
}

inline float as_float(__nv_bfloat16 x) { return __bfloat162float(x); }

struct __nv_bfloat162 {
  __nv_bfloat16 x, y;
};

inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__float2bfloat16_rn(x), __float2bfloat16_rn(y)}; }
