// Instructions for tiles, fragments and pipelined loops, as the PTX manual describes them: what emitted code has between
// `#ifdef __CUDACC__` and `#endif` (codegen/cuda/tile_helpers.py). Copies that are under way end at a time that differs from run to run.
#pragma once
#include <stdint.h>
#include <string.h>

#define __grid_constant__
#define CUDART_VERSION 13000
#ifndef OPTIGPU_STANDIN_WITHOUT_WGMMA
#define __CUDA_ARCH_FEAT_SM90_ALL
#endif

// Descriptions of tiles for bulk copies. They are refused where a GPU would refuse them.
struct alignas(64) CUtensorMap {
  const unsigned char* array;
  int rank, bytes, swizzle;
  uint64_t dims[5], strides[5];
  uint32_t box[5];
};
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 };
enum CUtensorMapDataType {
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 = 11
};
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE = 0 };
enum CUtensorMapSwizzle { CU_TENSOR_MAP_SWIZZLE_32B = 1, CU_TENSOR_MAP_SWIZZLE_64B = 2, CU_TENSOR_MAP_SWIZZLE_128B = 3 };
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3 };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0 };
typedef CUresult (*PFN_cuTensorMapEncodeTiled_v12000)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
    const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
    CUtensorMapFloatOOBfill);
enum { cudaEnableDefault = 0 };
typedef int cudaDriverEntryPointQueryResult;
enum cudaDeviceAttr { cudaDevAttrComputeCapabilityMajor = 75 };

namespace standin {
CUresult encode_tiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* array, const cuuint64_t* dims,
    const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* steps, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
int capability();  // the major number of the compute capability that the stand-in has
extern bool watching;  // for races
void note_operand(const void* p, size_t size);  // that tensor cores read for this thread
void fence_async();
void barriers_started();
void change_registers(int count);
enum { BEGIN, USE, END };
void products(int step);  // of four warps
void require_operand(const unsigned char* start, int lead, int stride, int row_bytes);
void require_row(const void* row);  // of ldmatrix
void copy_async(void* to, const void* from, int bytes);
void commit_copies();
void await_copies(int left);
void start_barrier(uint64_t* barrier, unsigned arrivals);
void arrive(uint64_t* barrier, int count, int64_t bytes);  // and more bytes that are to come
void await_phase(uint64_t* barrier, unsigned parity, int line);
void copy_box(void* to, const CUtensorMap& map, uint64_t* barrier, const int* at, int rank);
void named_barrier(int threads, int line);

inline unsigned gather(unsigned x, int lane_, int line) { return (unsigned)exchanged(x, line)[lane_]; }

// A shared address as tensor cores swizzle it.
inline const unsigned char* swizzled(const unsigned char* p, int row_bytes) {
  const uintptr_t a = (uintptr_t)p;
  return (const unsigned char*)(a ^ ((a >> 7 & (uintptr_t)(row_bytes / 16 - 1)) << 4));
}

inline float number(const void* p, float) {  // tensor cores ignore the lowest 13 bits of TF32
  unsigned x;
  memcpy(&x, p, sizeof x);
  x &= 0xffffe000u;
  float y;
  memcpy(&y, &x, sizeof y);
  return y;
}
template <typename T>
float number(const void* p, T) {
  T x;
  memcpy(&x, p, sizeof x);
  return as_float(x);  // of the header of the type
}

// An element of an operand in registers: of 16 bits two to a register, of TF32 one.
template <typename T>
float number_in(const unsigned (&registers)[32], int lane_, int part, T) {
  return number((const unsigned char*)&registers[lane_] + part * sizeof(T), T());
}
}  // namespace standin

inline int cudaGetDriverEntryPointByVersion(const char*, void** found, int, int, cudaDriverEntryPointQueryResult*) {
  *found = (void*)standin::encode_tiled;
  return 0;
}
struct cudaFuncAttributes {
  int ptxVersion;
};
inline int cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) { return attributes->ptxVersion = 90, 0; }
inline int cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) { return *value = standin::capability(), 0; }

inline void copy_async(void* to, const void* from, int bytes) { standin::copy_async(to, from, bytes); }
inline void copies_commit() { standin::commit_copies(); }
template <int Left>
void copies_wait() {
  standin::await_copies(Left);
}
inline void fence_async() { standin::fence_async(); }
inline void barriers_started() { standin::barriers_started(); }
inline void start_barrier(uint64_t& barrier, unsigned arrivals) { standin::start_barrier(&barrier, arrivals); }
inline void arrive_at_barrier(uint64_t& barrier) { standin::arrive(&barrier, 1, 0); }
inline void expect_bytes(uint64_t& barrier, unsigned bytes) { standin::arrive(&barrier, 0, bytes); }
inline void await_barrier(uint64_t& barrier, unsigned parity, int line = __builtin_LINE()) {
  standin::await_phase(&barrier, parity, line);
}
template <int Threads>
void users_sync() {
  standin::named_barrier(Threads, Threads);
}
template <int Count>
void fewer_registers() {
  standin::change_registers(Count);
}
template <int Count>
void more_registers() {
  standin::change_registers(Count);
}
template <typename... Places>
void copy_box(void* to, const CUtensorMap& map, uint64_t& barrier, Places... places) {
  const int at[] = {places...};
  standin::copy_box(to, map, &barrier, at, (int)sizeof...(Places));
}

// ldmatrix: lane 8m + r has the address of row r of matrix m; lane 4g + t gets elements (g, 2t) and (g, 2t + 1) of each, or, transposed,
// (2t, g) and (2t + 1, g).
inline void load_8x8(unsigned (&to)[4], const void* row, bool transposed) {
  standin::require_row(row);
  const uint64_t* const rows = standin::exchanged((uint64_t)(uintptr_t)row, __LINE__);
  const int g = standin::lane() / 4, t = standin::lane() % 4;
  for (int m = 0; m < 4; m++) {
    uint16_t pair[2];
    for (int n = 0; n < 2; n++) {
      const int i = transposed ? 2 * t + n : g, j = transposed ? g : 2 * t + n;
      memcpy(&pair[n], (const unsigned char*)(uintptr_t)rows[8 * m + i] + 2 * j, 2);
    }
    memcpy(&to[m], pair, 4);
  }
}
inline void load_matrices(unsigned (&to)[4], const void* row) { load_8x8(to, row, false); }
inline void load_transposed(unsigned (&to)[4], const void* row) { load_8x8(to, row, true); }

// mma.m16n8: with p numbers in a register, lane 4g + t has elements (g + 8 * (n % 2), p * t + 4 * p * (n / 2) + …) of the left matrix in
// a[n], (p * t + 4 * p * n + …, g) of the right one in b[n], and (g + 8h, 2t + e) of the sums in c[h][e].
template <typename T>
void warp_product(float (&c)[2][2], const unsigned (&a)[4], unsigned b0, unsigned b1, T) {
  unsigned left[4][32], right[2][32];
  for (int n = 0; n < 4; n++)
    for (int i = 0; i < 32; i++) left[n][i] = 0;
  for (int n = 0; n < 4; n++) {
    const uint64_t* const all = standin::exchanged(a[n], __LINE__);
    for (int i = 0; i < 32; i++) left[n][i] = (unsigned)all[i];
  }
  const uint64_t* const all = standin::exchanged((uint64_t)b1 << 32 | b0, __LINE__);
  for (int i = 0; i < 32; i++) right[0][i] = (unsigned)all[i], right[1][i] = (unsigned)(all[i] >> 32);
  const int g = standin::lane() / 4, t = standin::lane() % 4, p = 4 / (int)sizeof(T);
  for (int k = 0; k < 8 * p; k++) {
    const int lane_of = k / p % 4, upper = k / (4 * p), part = k % p;
    for (int h = 0; h < 2; h++)
      for (int e = 0; e < 2; e++)
        c[h][e] += standin::number_in(left[2 * upper + h], 4 * g + lane_of, part, T()) *
                   standin::number_in(right[upper], 4 * (2 * t + e) + lane_of, part, T());
  }
}

// wgmma: operands in shared memory, where descriptors say.
struct operand_descriptor {
  const unsigned char* start;
  int lead, stride, row_bytes;
};
inline operand_descriptor make_descriptor(const void* start, int lead, int stride, int row_bytes) {
  return {(const unsigned char*)start, lead, stride, row_bytes};
}

namespace standin {
// Element (x, k) of an operand: k is along the rows of 128 bytes, or (`rows`) the rows are the summands.
template <typename T>
float operand(operand_descriptor d, bool rows, int x, int k, T) {
  const int bytes = (int)sizeof(T), panel = 128 / bytes;
  const unsigned char* p = rows ? d.start + x / panel * d.lead + k / 8 * d.stride + k % 8 * d.row_bytes + x % panel * bytes
                                      : d.start + x / 8 * d.stride + x % 8 * d.row_bytes + k * bytes;
  p = swizzled(p, d.row_bytes);
  if (watching) note_operand(p, sizeof(T));
  return number(p, T());
}
}  // namespace standin

template <typename... Registers>
void wgmma_begin(Registers&...) {
  standin::exchanged(0, __LINE__);  // all lanes of the warp are here
  standin::products(standin::BEGIN);
}
template <typename... Registers>
void wgmma_end(Registers&...) {
  standin::products(standin::END);
}

template <bool LeftRows, bool RightRows, int Cols, typename T>
void wgmma(float (&c)[Cols][2][2], operand_descriptor a, operand_descriptor b, T) {
  standin::products(standin::USE);
  standin::require_operand(a.start, a.lead, a.stride, a.row_bytes);
  standin::require_operand(b.start, b.lead, b.stride, b.row_bytes);
  const int lane = standin::lane(), warp = (int)(threadIdx.x / 32 % 4);
  for (int h = 0; h < 2; h++)
    for (int k = 0; k < 32 / (int)sizeof(T); k++) {
      const float x = standin::operand(a, LeftRows, 16 * warp + 8 * h + lane / 4, k, T());
      for (int j = 0; j < Cols; j++)
        for (int e = 0; e < 2; e++) c[j][h][e] += x * standin::operand(b, RightRows, 8 * j + lane % 4 * 2 + e, k, T());
    }
}

template <bool RightRows, int Cols, typename T>
void wgmma_of_registers(float (&c)[Cols][2][2], const unsigned (&a)[4], operand_descriptor b, T) {
  standin::products(standin::USE);
  standin::require_operand(b.start, b.lead, b.stride, b.row_bytes);
  unsigned left[4][32];
  for (int n = 0; n < 4; n++) {
    const uint64_t* const all = standin::exchanged(a[n], __LINE__);
    for (int i = 0; i < 32; i++) left[n][i] = (unsigned)all[i];
  }
  const int g = standin::lane() / 4, t = standin::lane() % 4, each = 4 / (int)sizeof(T);  // numbers in a register
  for (int k = 0; k < 8 * each; k++)
    for (int h = 0; h < 2; h++) {
      const float x = standin::number_in(left[2 * (k / (4 * each)) + h], 4 * g + k / each % 4, k % each, T());
      for (int j = 0; j < Cols; j++)
        for (int e = 0; e < 2; e++) c[j][h][e] += x * standin::operand(b, RightRows, 8 * j + 2 * t + e, k, T());
    }
}
