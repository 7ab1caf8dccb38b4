// Eight numbers of 16 bits are one vector access, of 16 bytes.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "vload8(&r[0], &d[b][8 * t])" -> "vload8(&r[0], &d[b][8 * t + 4])" => REFUTED[OG353] vload8(&r[0], &d[b][8 * t + 4])
// mutate: "vload8(&r[0], &d[b][8 * t])" -> "vload8(&r[1], &d[b][8 * t])" => REFUTED[OG302] vload8(&r[1], &d[b][8 * t]);
// mutate: "half" -> "float" (4 times) => REJECTED[OG105] vload8(&r[0], &d[b][8 * t])
// mutate: "half" -> "bf16" (4 times) => VERIFIED
// mutate: "half" -> "tf32" (4 times) => REJECTED[OG105] vload8(&r[0], &d[b][8 * t])

#include <optigpu.h>
void f(int B, half h[B][16]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 16, A)");
  __produces("h ~> Matrix2(B, 16, fun b t -> 2 * A(b, t))");
  half* const d = __gmem_malloc2<half>(B, 16);
  memcpy_host_to_device2(d, h, B, 16);
  kernel_launch(B, 2, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    thread for (int t = 0; t < 2; t++) {
      half r[8];
      vload8(&r[0], &d[b][8 * t]);
      for (int j = 0; j < 8; j++) r[j] *= 2.0f;
      vstore8(&d[b][8 * t], &r[0]);
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 16);
  gmem_free(d);
}
