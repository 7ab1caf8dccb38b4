// Both branches of a block's condition reach a barrier.
// expect: VERIFIED
// also: replay
// mutate: "    if (b > 0) {\n      blocksync();\n" -> "    if (b > 0) {\n" => REFUTED[OG342] d[b][t] = x;

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Cells2(B, 256)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    const float x = d[b][0];
    if (b > 0) {
      blocksync();
      thread for (int t = 0; t < 256; t++)
        d[b][t] = x;
    } else {
      blocksync();
    }
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
