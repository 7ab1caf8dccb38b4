#include <optigpu.h>

void block_reverse(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> A(b, 255 - t))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 256 * sizeof(float));
  float* const s = __smem_malloc1<float>(256);          // setup phase: one copy a block, a distributed dimension
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {                  // or, here at block level:  __shared__ float s[256];  (freed at the
    thread for (int t = 0; t < 256; t++)                //    end of its scope, no distributed dimension, no __smem_free)
      s[DMINDEX1(B, b)][t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[DMINDEX1(B, b)][255 - t];
  }
  kernel_teardown_begin();
  __smem_free1(s, 256);
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
