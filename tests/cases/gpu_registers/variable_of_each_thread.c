// A variable declared in a thread loop; block code cannot assign to it.
// expect: VERIFIED
// also: replay
// mutate: "        d[b][t] = x;" -> "        d[b][t] = x; stride = 2.0f;" => UNPROVED[OG340] stride = 2.0f;

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
    float stride = 1.0f;
    for (int k = 0; k < 3; k++) {
      thread for (int t = 0; t < 256; t++) {
        float x = 1.0f;
        x += 2.0f;
        d[b][t] = x;
      }
      stride *= 2;
    }
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
