// A device function is called by threads, with what its contract needs.
// expect: VERIFIED
// also: replay
// mutate: "put(1, &d[b][t], x);" -> "put(1, &d[b][0], x);" => REFUTED[OG340] put(1, &d[b][0], x);
// mutate: "kernel_launch(" -> "const float y = twice(1.0f);\n  kernel_launch(" => REFUTED[OG346] twice(1.0f)
// mutate: "p[0] = x;" -> "p[0] = x; blocksync();" => REFUTED[OG345] blocksync();

__device__ float twice(float x) { __ensures("_Res == 2.0f * x"); return 2.0f * x; }
__device__ void put(int n, float p[n], float x) { __requires("n >= 1"); __writes("&p[0] ~~> x"); p[0] = x; }
#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> 2.0f * A(b, t))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 256; t++) {
      const float x = twice(d[b][t]);
      put(1, &d[b][t], x);
    }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
