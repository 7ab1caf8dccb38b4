// A shared array declared in a loop is used again only after a barrier.
// expect: VERIFIED
// also: replay
// mutate: "      blocksync(); // before the next iteration\n" -> "" => REFUTED[OG352] float s

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Cells2(B, 256)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 64 * 1024);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    for (int k = 0; k < 10; k++) {
      __shared__ float s[256];
      thread for (int t = 0; t < 256; t++)
        s[t] = d[b][t];
      blocksync();
      thread for (int t = 0; t < 256; t++)
        d[b][t] = s[255 - t];
      blocksync(); // before the next iteration
    }
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
