// A tile of one matrix of an array of matrices.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "tile_load(s, a, b, 2, 4)" -> "tile_load(s, a, b + 1, 2, 4)" => REFUTED[OG302] tile_load(s, a, b + 1, 2, 4);
//   run: OG201 tile_load(s, a, b + 1, 2, 4)
// mutate: "tile_load(s, a, b, 2, 4)" -> "tile_load(s, a, 2, 4)" => REJECTED[OG104] tile_load(s, a, 2, 4)
// mutate: "tile_load(s, a, b, 2, 4)" -> "tile_load(s, a, b, 0, 2, 4)" => REJECTED[OG104] tile_load(s, a, b, 0, 2, 4)
// mutate: "tile_load(s, a, b, 2, 4)" -> "tile_load(s, a, b, 4, 2)"
//   => REFUTED[OG305] y ~> Matrix3(B, 8, 8, fun b i j -> i < 4 && j < 3 ? A(b, 2 + i, 4 + j) : 0)
//   run: OG212 y ~> Matrix3(B, 8, 8, fun b i j -> i < 4 && j < 3 ? A(b, 2 + i, 4 + j) : 0)
// mutate: "tile_load(s, a, b, 2, 4)" -> "tile_load(s, a, 0, 6 * b + 2, 4)"
//   => REFUTED[OG305] y ~> Matrix3(B, 8, 8, fun b i j -> i < 4 && j < 3 ? A(b, 2 + i, 4 + j) : 0)
//   run: OG212 y ~> Matrix3(B, 8, 8, fun b i j -> i < 4 && j < 3 ? A(b, 2 + i, 4 + j) : 0)
// mutate: "i < 4 && j < 3 ?" -> "i < 5 && j < 3 ?" => UNPROVED[OG361] A(b, 2 + i, 4 + j)
// mutate: "tile_load(s, a, b, 2, 4)" -> "tile_load(s, &a[b][0][0], 2, 4)" => REJECTED[OG104] tile_load(s, &a[b][0][0], 2, 4)
// mutate: "tile_load(s, a, b, 2, 4)" -> "tile_load(s[0], a, b, 2, 4)" => REJECTED[OG114] s[0]
// mutate: "tile_load(s, a, b, 2, 4)" -> "tile_load(&s[0][0], a, b, 2, 4)" => REJECTED[OG114] &s[0][0]

#include <optigpu.h>
void f(int B, float x[B][6][7], float y[B][8][8]) {
  __requires("A: int * int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix3(B, 6, 7, A)");
  __writes("y ~> Matrix3(B, 8, 8, fun b i j -> i < 4 && j < 3 ? A(b, 2 + i, 4 + j) : 0)");
  float* const a = __gmem_malloc3<float>(B, 6, 7);
  float* const d = __gmem_malloc3<float>(B, 8, 8);
  memcpy_host_to_device3(a, x, B, 6, 7);
  kernel_launch(B, 64, 256);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[8][8];
    tile_load(s, a, b, 2, 4);
    blocksync();
    thread for (int i = 0; i < 8; i++)
      thread for (int j = 0; j < 8; j++) d[b][i][j] = s[i][j];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host3(y, d, B, 8, 8);
  gmem_free(a);
  gmem_free(d);
}
