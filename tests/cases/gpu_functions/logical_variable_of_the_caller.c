// A parameter of the caller is not a logical variable of the called function.
// expect: VERIFIED
// mutate: "zero(256, s)" -> "zero(1, s)" => REFUTED[OG346] zero(1, s);
// mutate: "zero(256, s)" -> "zero(m, s)" => REFUTED[OG346] zero(m, s);

#include <optigpu.h>
__device__ void zero(int n, float p[n]) {
  __requires("m: int, m == n");
  __preserves("ThreadsCtx(m)");
  __reads("KernelParams(_, _, _)");
  __writes("desync_for t in ..n -> &p[t] ~~>[SMem] 0.0f");
  thread for (int t = 0; t < n; t++)
    p[t] = 0.0f;
}
#include <optigpu.h>
void f(int B, int m, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Cells2(B, 256)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 2048);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    zero(256, s);
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
