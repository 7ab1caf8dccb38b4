// A block does not write what another block reads.
// expect: VERIFIED
// also: replay
// mutate: "d[B - 1 - b][t] = 1.0f" -> "d[b][t] = 1.0f" => REFUTED[OG343] d[b][t] = 1.0f;

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> 1.0f)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[B - 1 - b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      s[255 - t] = 0.0f;
  }
  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 256; t++)
      d[B - 1 - b][t] = 1.0f;
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
