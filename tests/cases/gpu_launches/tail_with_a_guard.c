// A guard for the last block.
// expect: VERIFIED
// also: replay
// mutate: "if (100 * b + t < 256 * B) " -> "if (100 * b + t <= 256 * B) "
//   => REFUTED[OG302] d[(100 * b + t) / 256][(100 * b + t) % 256] = 0.0f;
// mutate: "if (100 * b + t < 256 * B) " -> "" => REFUTED[OG302] d[(100 * b + t) / 256][(100 * b + t) % 256] = 0.0f;

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> 0.0f)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch((B * 256 + 99) / 100, 100, 0);

  kernel_setup_end();
  thread for (int64_t b = 0; b < (B * 256 + 99) / 100; b++)
    thread for (int t = 0; t < 100; t++)
      if (100 * b + t < 256 * B) d[(100 * b + t) / 256][(100 * b + t) % 256] = 0.0f;
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
