"""The C++ helpers that entry points use: error messages, and arrays that are released at the end of their scope."""

from __future__ import annotations

from optigpu.codegen.launch_plan import MOST_EXTENT

PREAMBLE = """
thread_local char message[512];

const char* failure(const char* what, cudaError_t status) {
  snprintf(message, sizeof message, "%s: %s", what, cudaGetErrorString(status));
  return message;
}
[[maybe_unused]] const char* failure(const char*, const char* text) { return text; }

#define TRY(call) \\
  if (const auto failed = (call)) return failure(#call, failed)
"""
SIZE_PRODUCT = """
// The product of sizes, or the greatest number where it is larger: no memory has that size.
template <typename... Sizes>
size_t size_product(Sizes... sizes) {
  size_t out = 1;
  for (const size_t size : {(size_t)sizes...}) out = size != 0 && out > SIZE_MAX / size ? SIZE_MAX : out * size;
  return out;
}
"""
HOST_ARRAY = """
// Host memory that is released at the end of its scope, also on an early return.
template <typename T>
struct host_array {
  T* data = nullptr;
  template <typename... Sizes>
  const char* allocate(Sizes... sizes) {
    const size_t bytes = size_product(sizeof(T), sizes...);
    data = (T*)malloc(bytes);
    return data == nullptr && bytes != 0 ? "out of memory on the host" : nullptr;
  }
  operator T*() const { return data; }
  host_array() = default;
  host_array(const host_array&) = delete;
  ~host_array() { free(data); }
};
"""
DEVICE_ARRAY = """
// Device memory that is released at the end of its scope, also on an early return.
template <typename T>
struct device_array {
  T* data = nullptr;
  template <typename... Sizes>
  cudaError_t allocate(Sizes... sizes) {
    const size_t bytes = size_product(sizeof(T), sizes...);
    return bytes == 0 ? cudaSuccess : cudaMalloc((void**)&data, bytes);
  }
  cudaError_t release() {
    T* const old = data;
    data = nullptr;
    return cudaFree(old);
  }
  operator T*() const { return data; }
  device_array() = default;
  device_array(const device_array&) = delete;
  ~device_array() { (void)release(); }
};
"""
TENSOR_MAPS = f"""
// The function of the driver that describes tiles, if it has one.
PFN_cuTensorMapEncodeTiled_v12000 tile_describer() {{
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
#else
  const cudaError_t status = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result);
#endif
  if (status == cudaSuccess) return (PFN_cuTensorMapEncodeTiled_v12000)found;
  (void)cudaGetLastError();
  return nullptr;
}}

// How bulk copies find the tiles of an array: false where they cannot, for example where rows are not aligned to 16 bytes.
bool describe_tiles(CUtensorMap* map, CUtensorMapDataType type, int bytes, const void* array,
    std::initializer_list<long long> sizes, int rows, int cols) {{
  static const PFN_cuTensorMapEncodeTiled_v12000 encode = tile_describer();
  const cuuint32_t rank = (cuuint32_t)sizes.size();
  const int row_bytes = cols * bytes < 128 ? cols * bytes : 128;
  cuuint64_t dims[5], strides[5];
  cuuint32_t box[5] = {{(cuuint32_t)(row_bytes / bytes), (cuuint32_t)rows, 1, 1, 1}}, steps[5] = {{1, 1, 1, 1, 1}};
  cuuint64_t stride = (cuuint64_t)bytes;
  cuuint32_t n = rank;
  for (const long long size : sizes) {{
    if (size < 1 || size > {MOST_EXTENT}) return false;
    dims[--n] = (cuuint64_t)size;
  }}
  for (n = 0; n < rank; n++) {{
    strides[n] = stride *= dims[n];
    if (n + 1 < rank && stride % 16 != 0) return false;
  }}
  if ((size_t)array % 16 != 0) return false;
  const CUtensorMapSwizzle swizzle = row_bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                     : row_bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                                       : CU_TENSOR_MAP_SWIZZLE_32B;
  return encode != nullptr &&
         encode(map, type, rank, (void*)array, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}}

// Has the GPU bulk copies, and has the kernel been compiled for such GPUs?
bool has_bulk_copies(const void* kernel) {{
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess || attributes.ptxVersion < 90) return false;
  int device = 0, major = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess && major >= 9;
}}
"""
SCRATCH_ARRAY = """
// A pool of this file's own for each device, which keeps some memory so that the next call finds it: that of the process, which
// other code uses, stays as it is.
cudaError_t scratch_pool(cudaMemPool_t* pool) {
  static std::atomic<cudaMemPool_t> pools[256];
  int device = 0;
  if (const cudaError_t status = cudaGetDevice(&device)) return status;
  if (device >= 256) return cudaDeviceGetDefaultMemPool(pool, device);
  *pool = pools[device].load();
  if (*pool != nullptr) return cudaSuccess;
  cudaMemPoolProps of_device = {};
  of_device.allocType = cudaMemAllocationTypePinned;
  of_device.location.type = cudaMemLocationTypeDevice;
  of_device.location.id = device;
  uint64_t keep = 64 << 20;
  cudaMemPool_t made;
  if (const cudaError_t status = cudaMemPoolCreate(&made, &of_device)) return status;
  cudaError_t status = cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &keep);
  if (status == cudaSuccess && pools[device].compare_exchange_strong(*pool, made)) return *pool = made, cudaSuccess;
  (void)cudaMemPoolDestroy(made);  // another thread was first, and its pool is used
  return status;
}

// Scratch memory in the order of a stream.
template <typename T>
struct scratch_array {
  T* data = nullptr;
  cudaStream_t stream = 0;
  template <typename... Sizes>
  cudaError_t allocate(cudaStream_t on, Sizes... sizes) {
    const size_t bytes = size_product(sizeof(T), sizes...);
    stream = on;
    cudaMemPool_t pool;
    if (const cudaError_t status = scratch_pool(&pool)) return status;
    return bytes == 0 ? cudaSuccess : cudaMallocFromPoolAsync((void**)&data, bytes, pool, on);
  }
  cudaError_t release() {
    T* const old = data;
    data = nullptr;
    return old == nullptr ? cudaSuccess : cudaFreeAsync(old, stream);
  }
  operator T*() const { return data; }
  scratch_array() = default;
  scratch_array(const scratch_array&) = delete;
  ~scratch_array() { (void)release(); }
};
"""
