// Differently nested thread loops name the same threads.
// expect: VERIFIED
// also: replay
// mutate: "s[32 * y + x] = d[b][32 * y + x]" -> "s[8 * x + y] = d[b][8 * x + y]" => REFUTED[OG341] s[t] = s[t] + 1.0f;
// mutate: "d[b][16 * y + x] = s[16 * y + x]" -> "d[b][16 * x + y] = s[16 * x + y]"
//   => REFUTED[OG342] d[b][16 * x + y] = s[16 * x + y];
// mutate: "thread for (int y = 0; y < 16; y++)" -> "thread for (int y = 0; y < 6; y++)"
//   => REFUTED[OG347] thread for (int y = 0; y < 6; y++)

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> A(b, t) + 1.0f)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int y = 0; y < 8; y++)
      thread for (int x = 0; x < 32; x++)
        s[32 * y + x] = d[b][32 * y + x];
    thread for (int t = 0; t < 256; t++)
      s[t] = s[t] + 1.0f;
    thread for (int y = 0; y < 16; y++)
      thread for (int x = 0; x < 16; x++)
        d[b][16 * y + x] = s[16 * y + x];
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
