// Reads of one iteration and writes of the next need a barrier between them.
// expect: VERIFIED
// also: replay
// mutate: "      blocksync(); // first\n" -> "" => REFUTED[OG341] s[255 - t]
// mutate: "      blocksync(); // second\n" -> "" => REFUTED[OG342] s[t] = d[b][t] + 1.0f;
// mutate: "    for (int k = 0; k < 10; k++) {\n" -> "    for (int k = 0; k < 10; k++) {\n      __shared__ float s2[256];\n"
//   => REFUTED[OG349] float s2

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
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = 0.0f;
    for (int k = 0; k < 10; k++) {
      blocksync(); // first
      thread for (int t = 0; t < 256; t++)
        d[b][t] = s[255 - t];
      blocksync(); // second
      thread for (int t = 0; t < 256; t++)
        s[t] = d[b][t] + 1.0f;
    }
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
