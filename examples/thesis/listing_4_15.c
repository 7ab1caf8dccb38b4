// Listing 4.15 of the thesis: `__smem_get` and `__smem_set`, in functions whose contracts are those of the listing; the bodies use the
// built-in rules. In the kernel below, each of 32 threads gets and sets its cell of shared memory.
// Ours: `__smem_get(&x)` is `x`, `__smem_set(&x, v)` is `x = v`, for shared memory. There are no templates: T is float.
#include <optigpu.h>

__device__ float smem_get(const float* p) {
  __requires("v: float, t: int");
  __reads("ThreadsCtx(t ..+ 1)");
  __reads("p ~~>[SMem] v");
  __ensures("_Res =. v");
  return __smem_get(&p[0]);
}

__device__ void smem_set(float* p, float v) {
  __requires("t: int");
  __preserves("ThreadsCtx(t ..+ 1)");
  __writes("p ~~>[SMem] v");
  __smem_set(&p[0], v);
}

void use(float a[32]) {
  __requires("A: int -> float");
  __consumes("a ~> Matrix1(32, A)");
  __produces("a ~> Matrix1(32, fun i -> A(i) + 1)");
  float* const d = __gmem_malloc1<float>(32);
  memcpy_host_to_device1(d, a, 32);
  kernel_launch(1, 32, 32 * sizeof(float));
  float* const s = __smem_malloc1<float>(32);
  kernel_setup_end();
  thread for (int b = 0; b < 1; b++) {
    thread for (int t = 0; t < 32; t++) {
      smem_set(&s[DMINDEX1(1, b)][t], d[t]);
      const float x = smem_get(&s[DMINDEX1(1, b)][t]);
      d[t] = x + 1.0f;
    }
  }
  kernel_teardown_begin();
  __smem_free1(s, 32);
  kernel_kill();
  memcpy_device_to_host1(a, d, 32);
  gmem_free(d);
}
