// CUDA's numbers of 16 bits on the CPU: IEEE 754's binary16. Rounding is done on integers, apart from what emitted C does.
#pragma once
#include "cuda_runtime.h"

struct __half {
  unsigned short bits;
};

inline float __half2float(__half h) {
  const unsigned exponent = h.bits >> 10 & 31u, mantissa = h.bits & 0x3ffu;
  const float sign = h.bits & 0x8000u ? -1.0f : 1.0f;
  if (exponent == 31) return mantissa ? standin::bits_as<float>(0x7fc00000u | mantissa << 13) : sign * INFINITY;
  return sign * ldexpf((float)(exponent ? mantissa | 0x400u : mantissa), (exponent ? (int)exponent : 1) - 25);
}

inline __half __float2half_rn(float x) {
  const unsigned short sign = signbit(x) ? 0x8000u : 0;
  if (x != x) return {0x7fff};
  x = fabsf(x);
  int exponent = 0;
  if (x != 0 && x < INFINITY) exponent = ilogbf(x) < -14 ? -14 : ilogbf(x);
  if (exponent > 15 || x == INFINITY) return {(unsigned short)(sign | 0x7c00u)};
  const double units = ldexp((double)x, 10 - exponent);  // of the last bit
  double whole = floor(units);
  if (units - whole > 0.5 || (units - whole == 0.5 && fmod(whole, 2) != 0)) whole += 1;
  // A mantissa that becomes too long adds one to the exponent, up to infinity.
  const unsigned bits = whole < 1024 ? (unsigned)whole : (unsigned)((exponent + 14) << 10) + (unsigned)whole;
  return {(unsigned short)(sign | bits)};
}

inline float as_float(__half x) { return __half2float(x); }

struct __half2 {
  __half x, y;
};

inline __half2 __floats2half2_rn(float x, float y) { return {__float2half_rn(x), __float2half_rn(y)}; }
