// Several copies are under way at a time, of which none changes what another one reads or writes.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "    tile_load(s, a, b, 0);\n" -> "    tile_load(s, a, b, 1);\n    tile_load(s, a, b, 0);\n"
//   => REFUTED[OG341] tile_load(s, a, b, 0);
// mutate: "tile_load(t, a, b, 64);" -> "tile_load(s, a, b, 64);" => REFUTED[OG341] tile_load(s, a, b, 64);
//   run: OG210 tile_load(s, a, b, 64)
// mutate: "tile_load(t, a, b, 64);" -> "tile_load(t, a, b, 0);"
//   => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> A(b, t) - A(b, 127 - t))
//   run: OG212 y ~> Matrix2(B, 64, fun b t -> A(b, t) - A(b, 127 - t))
// mutate: "    blocksync();\n" -> "" => REFUTED[OG341] s[0][n]
//   run: OG210 s[0][n]
//   also: standin
// mutate: "    blocksync();\n" -> "", "    tile_load(s, a, b, 0);\n" -> "    tile_load(s, a, b, 0);\n    blocksync();\n"
//   => REFUTED[OG341] t[0][63 - n]
//   run: OG210 t[0][63 - n]
//   also: standin
// mutate: "tile_load(t, a, b, 64);" -> "tile_load(t, a, b, 64);\n    thread for (int n = 0; n < 64; n++) u[n] = a[b][128 + n];"
//   => VERIFIED
//   run: clean
// mutate: "tile_load(t, a, b, 64);" -> "tile_load(t, a, b, 64);\n    thread for (int n = 0; n < 64; n++) u[n] = s[0][n];"
//   => REFUTED[OG341] s[0][n];
//   run: OG210 s[0][n];
//   also: standin
// mutate: "tile_load(t, a, b, 64);" -> "tile_load(t, a, b, 64);\n    thread for (int n = 0; n < 64; n++) s[0][n] = 0.0f;"
//   => REFUTED[OG341] s[0][n] = 0.0f;
//   run: OG210 s[0][n] = 0.0f;
//   also: standin
// mutate: "tile_load(t, a, b, 64);" -> "tile_load(t, a, b, 64);\n    thread for (int n = 0; n < 64; n++) a[b][n] = 0.0f;"
//   => REFUTED[OG342] a[b][n] = 0.0f;
//   run: OG210 a[b][n]
//   also: standin

#include <optigpu.h>
void f(int B, float x[B][192], float y[B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix2(B, 192, A)");
  __writes("y ~> Matrix2(B, 64, fun b t -> A(b, t) - A(b, 127 - t))");
  float* const a = __gmem_malloc2<float>(B, 192);
  float* const d = __gmem_malloc2<float>(B, 64);
  memcpy_host_to_device2(a, x, B, 192);
  kernel_launch(B, 64, 768);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[1][64];
    __shared__ float t[1][64];
    __shared__ float u[64];
    tile_load(s, a, b, 0);
    tile_load(t, a, b, 64);
    blocksync();
    thread for (int n = 0; n < 64; n++) d[b][n] = s[0][n] - t[0][63 - n];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(y, d, B, 64);
  gmem_free(a);
  gmem_free(d);
}
