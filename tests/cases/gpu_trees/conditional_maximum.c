// A maximum under a condition.
// expect: VERIFIED
// also: replay
// mutate: "if (j > 0)" -> "if (j < 1)"
//   => REFUTED[OG305] h ~> Matrix2(B, 256, fun b t -> t % 2 == 0 ? max(A(b, t), A(b, t + 1)) : A(b, t))
// mutate: "if (j > 0) m = fmaxf(m, d" -> "if (j > 0) m = fmaxf(0.0f, d"
//   => REFUTED[OG305] h ~> Matrix2(B, 256, fun b t -> t % 2 == 0 ? max(A(b, t), A(b, t + 1)) : A(b, t))

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> t % 2 == 0 ? max(A(b, t), A(b, t + 1)) : A(b, t))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 128, 0);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 128; t++) {
      float m = d[b][2 * t];
      for (int j = 0; j < 2; j++)
        if (j > 0) m = fmaxf(m, d[b][2 * t + j]);
      d[b][2 * t] = m;
    }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
