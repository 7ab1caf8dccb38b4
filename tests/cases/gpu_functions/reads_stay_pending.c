// What a function reads stays a pending read of its callers.
// expect: VERIFIED
// run: clean
// also: replay, standin
// mutate: "    blocksync(); // before s is written again\n" -> "" => REFUTED[OG342] s[t] = 0.0f;
// mutate: "  blocksync(); // of s\n" -> "" => UNPROVED[OG341] s[n - 1 - t]
// mutate: "d[b][t] = r[t];" -> "d[b][t] = r[255 - t];" => REFUTED[OG305] h ~> Matrix2(B, 256, fun b t -> A(b, 255 - t))
// mutate: "    blocksync(); // before s is written again\n" -> "    const float x = r[0];\n" => REFUTED[OG341] r[0]
// mutate: "r[t] = s[n - 1 - t];" -> "r[n - 1 - t] = s[t];"
//   => UNPROVED[OG341] desync_for t in ..n -> &r[t] ~~>[SMem] A(n - 1 - t)
// mutate: "rotate(256, s, r);" -> "rotate(256, s, s);" => REFUTED[OG316] rotate(256, s, s);
// mutate: "rotate(256, s, r);" -> "rotate(128, s, r);" => REFUTED[OG346] rotate(128, s, r);
// mutate: "ThreadsCtx(n)" -> "ThreadsCtx(2 * n)" => UNPROVED[OG345] blocksync(); // of s

__device__ void rotate(int n, float s[n], float r[n]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(n)");
  __reads("KernelParams(_, n, _), desync_for t in ..n -> &s[t] ~~>[SMem] A(t)");
  __writes("desync_for t in ..n -> &r[t] ~~>[SMem] A(n - 1 - t)");
  blocksync(); // of s
  thread for (int t = 0; t < n; t++)
    r[t] = s[n - 1 - t];
}
#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> A(b, 255 - t))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 2048);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    __shared__ float r[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    rotate(256, s, r);
    blocksync(); // before s is written again
    thread for (int t = 0; t < 256; t++) {
      d[b][t] = r[t];
      s[t] = 0.0f;
    }
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
