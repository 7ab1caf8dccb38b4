// CUDA's built-ins on the CPU, for emitted code: every thread of a block is a fiber, barriers wait, blocks run one after another.
// `kernel<<<…>>>(…)` is rewritten to `standin::launch(…)` before compilation (runtime/standin/__init__.py); the rest of the text is unchanged.
// With `races=True` the text is compiled with instrumented memory accesses, which call functions in standin.cpp.
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <functional>

#define __expf expf
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __powf powf

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

#define OPTIGPU_VECTOR(T, N) \
  struct alignas(sizeof(T) * 2) N##2 { \
    T x, y; \
    N##2(T a, T b) : x(a), y(b) {} \
    N##2(const N##2& o) : x(o.x), y(o.y) {} \
    N##2& operator=(const N##2& o) { x = o.x; y = o.y; return *this; } \
  }; \
  struct alignas(sizeof(T) * 4 > 16 ? 16 : sizeof(T) * 4) N##4 { \
    T x, y, z, w; \
    N##4(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {} \
    N##4(const N##4& o) : x(o.x), y(o.y), z(o.z), w(o.w) {} \
    N##4& operator=(const N##4& o) { x = o.x; y = o.y; z = o.z; w = o.w; return *this; } \
  }; \
  inline N##2 make_##N##2(T x, T y) { return {x, y}; } \
  inline N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
OPTIGPU_VECTOR(float, float)
OPTIGPU_VECTOR(double, double)
OPTIGPU_VECTOR(int, int)
OPTIGPU_VECTOR(unsigned, uint)
OPTIGPU_VECTOR(signed char, char)
OPTIGPU_VECTOR(unsigned char, uchar)
OPTIGPU_VECTOR(short, short)
OPTIGPU_VECTOR(unsigned short, ushort)
OPTIGPU_VECTOR(long long, longlong)
OPTIGPU_VECTOR(unsigned long long, ulonglong)

typedef int cudaError_t;
typedef struct optigpu_stream* cudaStream_t;
enum { cudaSuccess = 0, cudaErrorMemoryAllocation = 2, cudaErrorInvalidConfiguration = 9 };
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };

namespace standin {
struct Builtins {
  uint3 thread, block;
  dim3 block_dim, grid_dim;
};
extern Builtins builtins;
extern unsigned char* dynamic_shared;
void launch(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream, const std::function<void()>& body);
void barrier(int line);
void warp_barrier(int line);
const uint64_t* exchanged(uint64_t value, int line);  // the values of all lanes of the warp, up to the next exchange
int lane();
cudaError_t allocate(void** p, size_t bytes);
cudaError_t release(void* p);
cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t last_error();
const char* error_text(cudaError_t status);

void note_atomic(void* p, size_t bytes, int op);

// Threads are fibers of one thread, so that an operation is never interrupted; only race detection has to know that it is atomic.
template <typename T, typename F>
__attribute__((no_sanitize("thread"))) T atomic(T* p, int op, F change) {
  note_atomic(p, sizeof *p, op);
  T old;
  memcpy(&old, p, sizeof old);
  const T next = change(old);
  memcpy(p, &next, sizeof next);
  return old;
}

template <typename T>
T shuffle(T value, int from, int line) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  bits = exchanged(bits, line)[from];
  memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename To, typename From>
To bits_as(From x) {
  To y;
  memcpy(&y, &x, sizeof y);
  return y;
}

struct Pair {
  float x, y;
};

// What all lanes have in two registers. Tensor cores ignore the lowest bits.
inline void gathered(unsigned x, unsigned y, Pair (&all)[32], int line) {
  const uint64_t* const values = exchanged(((uint64_t)(y & 0xffffe000u) << 32) | (x & 0xffffe000u), line);
  memcpy(all, values, sizeof all);
}

// mma.m16n8k8: lane 4g + t has elements (8h + g, t + 4i) of the left matrix in a[2i + h], (t + 4i, g) of the right one in b[i], and
// (8h + g, 2t + e) of the sums in c[2h + e].
inline void mma_tf32(float& c0, float& c1, float& c2, float& c3, unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0,
    unsigned b1, int line) {
  Pair left[2][32], right[32];
  gathered(a0, a1, left[0], line);
  gathered(a2, a3, left[1], line);
  gathered(b0, b1, right, line);
  const int g = lane() / 4, t = lane() % 4;
  for (int k = 0; k < 8; k++) {
    const Pair a = left[k / 4][4 * g + k % 4], b = right[4 * (2 * t) + k % 4], d = right[4 * (2 * t + 1) + k % 4];
    c0 += a.x * (k < 4 ? b.x : b.y);
    c1 += a.x * (k < 4 ? d.x : d.y);
    c2 += a.y * (k < 4 ? b.x : b.y);
    c3 += a.y * (k < 4 ? d.x : d.y);
  }
}
}  // namespace standin

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
// All shared arrays lie in one section, which is filled with NaN before each block.
#define __shared__ static __attribute__((section("optigpu_shared")))
#define threadIdx (standin::builtins.thread)
#define blockIdx (standin::builtins.block)
#define blockDim (standin::builtins.block_dim)
#define gridDim (standin::builtins.grid_dim)
#define __syncthreads() standin::barrier(__LINE__)
#define __syncwarp() standin::warp_barrier(__LINE__)
#define __shfl_sync(mask, v, lane_) standin::shuffle(v, (lane_) & 31, __LINE__)
#define __shfl_xor_sync(mask, v, m) standin::shuffle(v, standin::lane() ^ (m), __LINE__)
#define __shfl_down_sync(mask, v, d) \
  standin::shuffle(v, standin::lane() + (int)(d) < 32 ? standin::lane() + (int)(d) : standin::lane(), __LINE__)
#define __shfl_up_sync(mask, v, d) \
  standin::shuffle(v, standin::lane() >= (int)(d) ? standin::lane() - (int)(d) : standin::lane(), __LINE__)

inline unsigned __float_as_uint(float x) { return standin::bits_as<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return standin::bits_as<float>(x); }

#define OPTIGPU_LEAST(T) \
  inline T min(T a, T b) { return a < b ? a : b; } \
  inline T max(T a, T b) { return a > b ? a : b; }
OPTIGPU_LEAST(int)
OPTIGPU_LEAST(unsigned)
OPTIGPU_LEAST(long)
OPTIGPU_LEAST(unsigned long)
OPTIGPU_LEAST(long long)
OPTIGPU_LEAST(unsigned long long)

#define OPTIGPU_ATOMIC_OP(N, T, CODE, E) \
  inline T N(T* p, T v) { return standin::atomic(p, CODE, [&](T old) { return (T)(E); }); }
#define OPTIGPU_ATOMIC_BITS(T) \
  OPTIGPU_ATOMIC_OP(atomicAnd, T, 4, old & v) \
  OPTIGPU_ATOMIC_OP(atomicOr, T, 5, old | v) \
  OPTIGPU_ATOMIC_OP(atomicXor, T, 6, old ^ v)
#define OPTIGPU_ATOMIC_ORDER(T) \
  OPTIGPU_ATOMIC_OP(atomicMin, T, 2, old < v ? old : v) \
  OPTIGPU_ATOMIC_OP(atomicMax, T, 3, old > v ? old : v)
OPTIGPU_ATOMIC_OP(atomicAdd, int, 1, (unsigned)old + (unsigned)v)
OPTIGPU_ATOMIC_OP(atomicAdd, unsigned, 1, old + v)
OPTIGPU_ATOMIC_OP(atomicAdd, unsigned long long, 1, old + v)
OPTIGPU_ATOMIC_OP(atomicAdd, float, 1, old + v)
OPTIGPU_ATOMIC_OP(atomicAdd, double, 1, old + v)
OPTIGPU_ATOMIC_ORDER(int)
OPTIGPU_ATOMIC_ORDER(unsigned)
OPTIGPU_ATOMIC_ORDER(long long)
OPTIGPU_ATOMIC_ORDER(unsigned long long)
OPTIGPU_ATOMIC_BITS(int)
OPTIGPU_ATOMIC_BITS(unsigned)
OPTIGPU_ATOMIC_BITS(unsigned long long)
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }

// Round towards zero and saturate; 0 for NaN.
#define OPTIGPU_WHOLE(T, name, low, high) \
  inline T __float2##name##_rz(float x) { return x != x ? 0 : x <= low ? (T)low : x >= high ? (T)-1 - (T)low : (T)x; } \
  inline T __double2##name##_rz(double x) { return x != x ? 0 : x <= low ? (T)low : x >= high ? (T)-1 - (T)low : (T)x; }
OPTIGPU_WHOLE(int, int, -2147483648.0, 2147483648.0)
OPTIGPU_WHOLE(unsigned, uint, 0.0, 4294967296.0)
OPTIGPU_WHOLE(long long, ll, -9223372036854775808.0, 9223372036854775808.0)
OPTIGPU_WHOLE(unsigned long long, ull, 0.0, 18446744073709551616.0)

inline cudaError_t cudaMalloc(void** p, size_t bytes) { return standin::allocate(p, bytes); }
inline cudaError_t cudaMallocAsync(void** p, size_t bytes, cudaStream_t) { return standin::allocate(p, bytes); }
inline cudaError_t cudaFree(void* p) { return standin::release(p); }
inline cudaError_t cudaFreeAsync(void* p, cudaStream_t) { return standin::release(p); }
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return standin::copy(to, from, bytes, kind);
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return standin::copy(to, from, bytes, kind);
}
typedef struct optigpu_pool* cudaMemPool_t;
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
enum { cudaMemAllocationTypePinned = 1, cudaMemLocationTypeDevice = 1 };
struct cudaMemPoolProps {
  int allocType;
  struct {
    int type, id;
  } location;
};
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* of) {
  static int any;
  *pool = (cudaMemPool_t)(void*)&any;
  return of->allocType == cudaMemAllocationTypePinned ? cudaSuccess : 1;
}
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
inline cudaError_t cudaMallocFromPoolAsync(void** p, size_t bytes, cudaMemPool_t pool, cudaStream_t) {
  return pool == nullptr ? 1 : standin::allocate(p, bytes);
}
inline cudaError_t cudaGetDevice(int* device) { return *device = 0; }
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) { return *pool = nullptr, cudaSuccess; }
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void*) {
  return pool == nullptr ? 1 : cudaSuccess;  // the default pool of the process must not be changed
}
inline cudaError_t cudaDeviceSynchronize() { return standin::last_error(); }
inline cudaError_t cudaGetLastError() { return standin::last_error(); }
inline const char* cudaGetErrorString(cudaError_t status) { return standin::error_text(status); }
template <typename F>
cudaError_t cudaFuncSetAttribute(F, cudaFuncAttribute, int bytes) {
  return bytes <= 232448 ? cudaSuccess : cudaErrorInvalidConfiguration;
}

#include "tiles.h"
