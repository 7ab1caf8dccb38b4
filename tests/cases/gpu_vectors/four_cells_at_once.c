// A vector access of four cells is aligned.
// expect: VERIFIED
// also: replay
// mutate: "vload4(&r[0], &d[b][4 * t])" -> "vload4(&r[0], &d[b][4 * t + 1])"
//   => REFUTED[OG353] vload4(&r[0], &d[b][4 * t + 1])
// mutate: "vstore4(&d[b][4 * t]" -> "vstore4(&d[b][4 * (t / 2)]" => REFUTED[OG340] vstore4(&d[b][4 * (t / 2)], &r[0]);

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> 2.0f * A(b, t))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 64, 0);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 64; t++) {
      float r[4];
      vload4(&r[0], &d[b][4 * t]);
      for (int j = 0; j < 4; j++) r[j] = 2.0f * r[j];
      vstore4(&d[b][4 * t], &r[0]);
    }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
