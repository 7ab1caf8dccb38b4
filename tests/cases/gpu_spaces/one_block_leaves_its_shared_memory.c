// A branch taken by one block only, with shared memory inside.
// expect: VERIFIED
// also: replay
// mutate: "    blocksync();\n" -> "" => REFUTED[OG341] s[255 - t]
// mutate: "  thread for (int b = 0; b < 1; b++) {" -> "  for (int b = 0; b < 2; b++) {"
//   => REFUTED[OG352] for (int b = 0; b < 2; b++)

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> 1.0f)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(1, 256, 1024);

  kernel_setup_end();
  thread for (int b = 0; b < 1; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = 1.0f;
    blocksync();
    thread for (int t = 0; t < 256; t++)
      for (int r = 0; r < B; r++)
        d[r][t] = s[255 - t];
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
