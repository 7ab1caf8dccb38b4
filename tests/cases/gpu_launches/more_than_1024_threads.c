// A block larger than 1024 threads is rejected.
// expect: VERIFIED
// also: replay
// mutate: "B, 1024, 0" -> "B, 1025, 0" => REFUTED[OG349] kernel_launch(B, 1025, 0);
// mutate: "B, 1024, 0" -> "B, 0, 0" => REFUTED[OG349] kernel_launch(B, 0, 0);
// mutate: "t < 256" -> "t <= 256" => REFUTED[OG302] d[b][t] = 1.0f;

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Cells2(B, 256)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 1024, 0);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 1024; t++)
      if (t < 256) d[b][t] = 1.0f;
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
