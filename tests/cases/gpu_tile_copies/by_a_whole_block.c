// A tile is copied by a whole block, not by a part of it or by the grid.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "    tile_load(s, a, b, 0);\n" -> "    thread for (int t = 0; t < 64; t++) tile_load(s, a, b, 0);\n"
//   => REFUTED[OG340] tile_load(s, a, b, 0);
//   run: OG221 tile_load(s, a, b, 0)
// mutate: "    tile_load(s, a, b, 0);\n" -> "    thread for (int w = 0; w < 2; w++) tile_load(s, a, b, 0);\n"
//   => REFUTED[OG340] tile_load(s, a, b, 0);
//   run: OG221 tile_load(s, a, b, 0)
// mutate: "    tile_load(s, a, b, 0);\n" -> "    thread for (int w = 0; w < 2; w++) if (w == 0) tile_load(s, a, b, 0);\n"
//   => REFUTED[OG371] tile_load(s, a, b, 0);
//   run: OG221 tile_load(s, a, b, 0)
// mutate: "kernel_launch(B, 64, 256)" -> "kernel_launch(2 * B, 32, 256)" => REFUTED[OG346] float s
//   run: OG221 float s
// mutate: "kernel_launch(B, 64, 256)" -> "kernel_launch(B, 32, 256)" => REFUTED[OG347] thread for (int t = 0; t < 64; t++)
//   run: OG220 thread for (int t = 0; t < 64; t++)
// mutate: "64" -> "32" (9 times), "63" -> "31" (2 times) => UNPROVED[OG371] tile_load(s, a, b, 0);
// mutate: "  thread for (int b = 0; b < B; b++) {\n" -> "  tile_load(x, a, 0, 0);\n  thread for (int b = 0; b < B; b++) {\n"
//   => REJECTED[OG114] x, a, 0, 0);

#include <optigpu.h>
void f(int B, float x[B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("x ~> Matrix2(B, 64, A)");
  __produces("x ~> Matrix2(B, 64, fun b t -> A(b, 63 - t))");
  float* const a = __gmem_malloc2<float>(B, 64);
  memcpy_host_to_device2(a, x, B, 64);
  kernel_launch(B, 64, 256);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[1][64];
    tile_load(s, a, b, 0);
    blocksync();
    thread for (int t = 0; t < 64; t++) a[b][t] = s[0][63 - t];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(x, a, B, 64);
  gmem_free(a);
}
