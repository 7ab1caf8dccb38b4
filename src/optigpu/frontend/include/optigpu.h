/* OptiGPU's annotations for ordinary C compilers: they vanish, and the helper functions get a body.
   With this header, an annotated CPU program compiles unchanged with any C11 compiler. */
#ifndef OPTIGPU_H
#define OPTIGPU_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Floats that are only stored: 16 bits, or (tf32) 10 explicit bits of mantissa. OptiGPU converts them to float to compute with them, and
   rounds where they are stored. A compiler that lacks a type reads the program with float in its place, and does not round: that is
   for reading and debugging such programs. What `optigpu build` emits rounds with every compiler. */
#ifdef __FLT16_MANT_DIG__
typedef _Float16 half;
#else
typedef float half;
#endif
#ifdef __BFLT16_MANT_DIG__
typedef __bf16 bf16;
#else
typedef float bf16;
#endif
typedef float tf32;

/* Contracts of functions */
#define __requires(...)
#define __ensures(...)
#define __consumes(...)
#define __produces(...)
#define __preserves(...)
#define __writes(...)
#define __reads(...)
#define __reverts(...)
#define __admitted()
#define __pure()

/* Contracts of loops */
#define __xrequires(...)
#define __xensures(...)
#define __xconsumes(...)
#define __xproduces(...)
#define __xpreserves(...)
#define __xwrites(...)
#define __xreads(...)
#define __srequires(...)
#define __spreserves(...)
#define __sreads(...)
#define __invariant(...)
#define __strict()

/* Other spellings of __preserves, __xpreserves and __spreserves */
#define __modifies(...)
#define __xmodifies(...)
#define __smodifies(...)

/* Proof steps and logical declarations */
#define __ghost(...)
#define __GHOST_BEGIN(...)
#define __GHOST_END(...)
#define __ASSERT(...)
#define __with(...)
#define __GHOST(name) static inline void name(void)
#define __DECL(...)  extern int optigpu_declarations
#define __DEF(...)   extern int optigpu_declarations
#define __AXIOM(...) extern int optigpu_declarations

/* Sizes and indices of arrays, row by row */
#define MSIZE1(n1) ((size_t)(n1))
#define MSIZE2(n1, n2) (MSIZE1(n1) * (size_t)(n2))
#define MSIZE3(n1, n2, n3) (MSIZE2(n1, n2) * (size_t)(n3))
#define MSIZE4(n1, n2, n3, n4) (MSIZE3(n1, n2, n3) * (size_t)(n4))
#define MSIZE5(n1, n2, n3, n4, n5) (MSIZE4(n1, n2, n3, n4) * (size_t)(n5))
#define MSIZE6(n1, n2, n3, n4, n5, n6) (MSIZE5(n1, n2, n3, n4, n5) * (size_t)(n6))
#define MSIZE7(n1, n2, n3, n4, n5, n6, n7) (MSIZE6(n1, n2, n3, n4, n5, n6) * (size_t)(n7))
#define MSIZE8(n1, n2, n3, n4, n5, n6, n7, n8) (MSIZE7(n1, n2, n3, n4, n5, n6, n7) * (size_t)(n8))
#define MINDEX1(n1, i1) ((ptrdiff_t)(i1))
#define MINDEX2(n1, n2, i1, i2) (MINDEX1(n1, i1) * (n2) + (i2))
#define MINDEX3(n1, n2, n3, i1, i2, i3) (MINDEX2(n1, n2, i1, i2) * (n3) + (i3))
#define MINDEX4(n1, n2, n3, n4, i1, i2, i3, i4) (MINDEX3(n1, n2, n3, i1, i2, i3) * (n4) + (i4))
#define MINDEX5(n1, n2, n3, n4, n5, i1, i2, i3, i4, i5) (MINDEX4(n1, n2, n3, n4, i1, i2, i3, i4) * (n5) + (i5))
#define MINDEX6(n1, n2, n3, n4, n5, n6, i1, i2, i3, i4, i5, i6) \
  (MINDEX5(n1, n2, n3, n4, n5, i1, i2, i3, i4, i5) * (n6) + (i6))
#define MINDEX7(n1, n2, n3, n4, n5, n6, n7, i1, i2, i3, i4, i5, i6, i7) \
  (MINDEX6(n1, n2, n3, n4, n5, n6, i1, i2, i3, i4, i5, i6) * (n7) + (i7))
#define MINDEX8(n1, n2, n3, n4, n5, n6, n7, n8, i1, i2, i3, i4, i5, i6, i7, i8) \
  (MINDEX7(n1, n2, n3, n4, n5, n6, n7, i1, i2, i3, i4, i5, i6, i7) * (n8) + (i8))

#define MALLOC1(T, n1) malloc(MSIZE1(n1) * sizeof(T))
#define MALLOC2(T, n1, n2) malloc(MSIZE2(n1, n2) * sizeof(T))
#define MALLOC3(T, n1, n2, n3) malloc(MSIZE3(n1, n2, n3) * sizeof(T))
#define MALLOC4(T, n1, n2, n3, n4) malloc(MSIZE4(n1, n2, n3, n4) * sizeof(T))
#define MALLOC5(T, n1, n2, n3, n4, n5) malloc(MSIZE5(n1, n2, n3, n4, n5) * sizeof(T))
#define MALLOC6(T, n1, n2, n3, n4, n5, n6) malloc(MSIZE6(n1, n2, n3, n4, n5, n6) * sizeof(T))
#define MALLOC7(T, n1, n2, n3, n4, n5, n6, n7) malloc(MSIZE7(n1, n2, n3, n4, n5, n6, n7) * sizeof(T))
#define MALLOC8(T, n1, n2, n3, n4, n5, n6, n7, n8) malloc(MSIZE8(n1, n2, n3, n4, n5, n6, n7, n8) * sizeof(T))
#define CALLOC1(T, n1) calloc(MSIZE1(n1), sizeof(T))
#define CALLOC2(T, n1, n2) calloc(MSIZE2(n1, n2), sizeof(T))
#define CALLOC3(T, n1, n2, n3) calloc(MSIZE3(n1, n2, n3), sizeof(T))
#define CALLOC4(T, n1, n2, n3, n4) calloc(MSIZE4(n1, n2, n3, n4), sizeof(T))
#define CALLOC5(T, n1, n2, n3, n4, n5) calloc(MSIZE5(n1, n2, n3, n4, n5), sizeof(T))
#define CALLOC6(T, n1, n2, n3, n4, n5, n6) calloc(MSIZE6(n1, n2, n3, n4, n5, n6), sizeof(T))
#define CALLOC7(T, n1, n2, n3, n4, n5, n6, n7) calloc(MSIZE7(n1, n2, n3, n4, n5, n6, n7), sizeof(T))
#define CALLOC8(T, n1, n2, n3, n4, n5, n6, n7, n8) calloc(MSIZE8(n1, n2, n3, n4, n5, n6, n7, n8), sizeof(T))

/* Arithmetic: exact_div(a, b) is a / b, for a that b divides */
#define exact_div(a, b) ((a) / (b))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define abs(a) ((a) < 0 ? -(a) : (a)) /* of floats, too */

/* Atomic operations; with OpenMP, of iterations that run at once. The value is first converted to the type of the element. Signed
   numbers are added as unsigned ones: a sum that lacks summands need not fit. */
#define OPTIGPU_ATOMIC_VALUE(p, v) \
  _Generic((p), int*: (int)(v), unsigned*: (unsigned)(v), long*: (long)(v), unsigned long*: (unsigned long)(v), \
    long long*: (long long)(v), unsigned long long*: (unsigned long long)(v), default: (v))
#define OPTIGPU_ATOMIC_SUM(p) \
  _Generic((p), int*: (unsigned*)(p), long*: (unsigned long*)(p), long long*: (unsigned long long*)(p), default: (p))
#define OPTIGPU_ATOMIC_UPDATE(p, op, v) do { _Pragma("omp atomic") *(p) op (v); } while (0)
#define OPTIGPU_ATOMIC_CHOICE(p, op, v) \
  do { _Pragma("omp critical(optigpu_atomic)") if (OPTIGPU_ATOMIC_VALUE(p, v) op *(p)) *(p) = (v); } while (0)
#define atomicAdd(p, v) OPTIGPU_ATOMIC_UPDATE(OPTIGPU_ATOMIC_SUM(p), +=, OPTIGPU_ATOMIC_VALUE(p, v))
#define atomicAnd(p, v) OPTIGPU_ATOMIC_UPDATE(p, &=, v)
#define atomicOr(p, v) OPTIGPU_ATOMIC_UPDATE(p, |=, v)
#define atomicXor(p, v) OPTIGPU_ATOMIC_UPDATE(p, ^=, v)
#define atomicMin(p, v) OPTIGPU_ATOMIC_CHOICE(p, <, v)
#define atomicMax(p, v) OPTIGPU_ATOMIC_CHOICE(p, >, v)

static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
#define __expf(x) expf(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __powf(x, y) powf(x, y)
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }

#endif
