// A barrier inside a function is not one after it.
// expect: VERIFIED
// mutate: "s, r);\n    blocksync();\n" -> "s, r);\n" => REFUTED[OG342] s[t] = r[t];

#include <optigpu.h>
__device__ void rotate(int n, float s[n], float r[n]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(n)");
  __reads("KernelParams(_, n, _), desync_for t in ..n -> &s[t] ~~>[SMem] A(t)");
  __writes("desync_for t in ..n -> &r[t] ~~>[SMem] A(n - 1 - t)");
  blocksync();
  thread for (int t = 0; t < n; t++)
    r[t] = s[n - 1 - t];
}
#include <optigpu.h>
void f(int B, float h[B][256]) {
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
    __shared__ float r[256];
    rotate(256, s, r);
    blocksync();
    thread for (int t = 0; t < 256; t++) s[t] = r[t];
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
