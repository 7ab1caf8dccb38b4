// A declared barrier of the whole grid gives nobody the shared memory of another block.
// expect: UNPROVED[OG344] s[DMINDEX1(2, 1 - b)][7 - t]

#include <optigpu.h>
__device__ void grid_barrier() {
  __requires("H: HProp, n: int, t: int, b: int");
  __preserves("ThreadsCtx(t ..+ n)");
  __reads("KernelParams(_, b, _)");
  __consumes("H");
  __produces("Sync(block_sync_mem, H)");
  __admitted();
}
void f(float h[16]) {
  __writes("h ~> Matrix1(16, fun i -> 15 - i)");
  float* const e = __gmem_malloc1<float>(16);
  kernel_launch(2, 8, 64);
  float* const s = __smem_malloc1<float>(8);
  kernel_setup_end();
  thread for (int b = 0; b < 2; b++) thread for (int t = 0; t < 8; t++) s[DMINDEX1(2, b)][t] = 8 * b + t;
  grid_barrier();
  thread for (int b = 0; b < 2; b++) thread for (int t = 0; t < 8; t++) e[8 * b + t] = s[DMINDEX1(2, 1 - b)][7 - t];
  kernel_teardown_begin();
  __smem_free1(s, 8);
  kernel_kill();
  memcpy_device_to_host1(h, e, 16);
  gmem_free(e);
}
