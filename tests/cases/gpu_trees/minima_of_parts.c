// Minima of parts, then the minimum of these.
// expect: VERIFIED
// also: replay
// mutate: "float m = d[b][0]" -> "float m = 0.0f"
//   => UNPROVED[OG305] h ~> Matrix2(B, 256, fun b t -> Min(k in 0..256, A(b, k)))
// mutate: "j < 4" -> "j < 3" => UNPROVED[OG305] h ~> Matrix2(B, 256, fun b t -> Min(k in 0..256, A(b, k)))
// mutate: "64 * j + 2 * t + k" -> "64 * j + t + k"
//   => UNPROVED[OG305] h ~> Matrix2(B, 256, fun b t -> Min(k in 0..256, A(b, k)))
// mutate: "k = 1; k < 32" -> "k = 1; k < 31" => UNPROVED[OG305] h ~> Matrix2(B, 256, fun b t -> Min(k in 0..256, A(b, k)))
// mutate: "    blocksync();\n" -> "" => REFUTED[OG342] d[b][32 * j + t] = m;
// mutate: "if (s[k] < m)" -> "if (s[k] > m)" => REFUTED[OG305] h ~> Matrix2(B, 256, fun b t -> Min(k in 0..256, A(b, k)))

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> Min(k in 0..256, A(b, k)))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 32, 128);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[32];
    thread for (int t = 0; t < 32; t++) {
      float m = d[b][0];
      for (int j = 0; j < 4; j++)
        for (int k = 0; k < 2; k++)
          m = fminf(m, d[b][64 * j + 2 * t + k]);
      s[t] = m;
    }
    blocksync();
    thread for (int t = 0; t < 32; t++) {
      float m = s[0];
      for (int k = 1; k < 32; k++)
        if (s[k] < m) m = s[k];
      for (int j = 0; j < 8; j++)
        d[b][32 * j + t] = m;
    }
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
