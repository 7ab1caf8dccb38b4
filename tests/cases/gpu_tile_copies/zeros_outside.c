// A block copies tiles of a matrix to shared memory, with zeros outside of the matrix.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "    blocksync();\n" -> "" => REFUTED[OG341] s[t / 8][t % 8]
//   run: OG210 s[t / 8][t % 8]
//   also: standin
// mutate: "    blocksync();\n" -> "    blocksync();\n    tile_load(s, a, 8 * b, 0);\n" => REFUTED[OG341] s[t / 8][t % 8]
//   run: OG210 s[t / 8][t % 8]
//   also: standin
// mutate: "    tile_load(s, a, 8 * b, 0);\n" -> "" => REFUTED[OG304] s[t / 8][t % 8]
//   run: OG202 s[t / 8][t % 8]
// mutate: "    tile_load(s, a, 8 * b, 0);\n" -> "    if (b > 0) tile_load(s, a, 8 * b, 0);\n" => REFUTED[OG304] s[t / 8][t % 8]
//   run: OG202 s[t / 8][t % 8]
// mutate: "    blocksync();\n" -> "    thread for (int w = 0; w < 2; w++) warpsync();\n" => REFUTED[OG341] s[t / 8][t % 8]
//   run: OG210 s[t / 8][t % 8]
//   also: standin
// mutate: "8 * b, 0);" -> "8 * b, 1);"
//   => REFUTED[OG305] y ~> Matrix3(B, 8, 8, fun b i j -> 8 * b + i < n && j < m ? A(8 * b + i, j) : 0)
//   run: OG212 y ~> Matrix3(B, 8, 8, fun b i j -> 8 * b + i < n && j < m ? A(8 * b + i, j) : 0)
// mutate: "8 * b, 0);" -> "8 * b - 1, 0);"
//   => REFUTED[OG305] y ~> Matrix3(B, 8, 8, fun b i j -> 8 * b + i < n && j < m ? A(8 * b + i, j) : 0)
//   run: OG212 y ~> Matrix3(B, 8, 8, fun b i j -> 8 * b + i < n && j < m ? A(8 * b + i, j) : 0)
// mutate: "8 * b, 0);" -> "-4, 0);"
//   => REFUTED[OG305] y ~> Matrix3(B, 8, 8, fun b i j -> 8 * b + i < n && j < m ? A(8 * b + i, j) : 0)
//   run: OG212 y ~> Matrix3(B, 8, 8, fun b i j -> 8 * b + i < n && j < m ? A(8 * b + i, j) : 0)
// mutate: "8 * b, 0);" -> "n, 0);"
//   => REFUTED[OG305] y ~> Matrix3(B, 8, 8, fun b i j -> 8 * b + i < n && j < m ? A(8 * b + i, j) : 0)
//   run: OG212 y ~> Matrix3(B, 8, 8, fun b i j -> 8 * b + i < n && j < m ? A(8 * b + i, j) : 0)
// mutate: "8 * b + i < n && j < m ? A(8 * b + i, j) : 0" -> "8 * b + i < n ? A(8 * b + i, j) : 0"
//   => UNPROVED[OG361] A(8 * b + i, j)
// mutate: "8 * b + i < n && j < m ? A(8 * b + i, j) : 0" -> "8 * b + i < n && j < m ? A(8 * b + i, j) : 1"
//   => REFUTED[OG305] y ~> Matrix3(B, 8, 8, fun b i j -> 8 * b + i < n && j < m ? A(8 * b + i, j) : 1)
//   run: OG212 y ~> Matrix3(B, 8, 8, fun b i j -> 8 * b + i < n && j < m ? A(8 * b + i, j) : 1)
// mutate: "8 * b + i < n && j < m ? A(8 * b + i, j) : 0" -> "A(8 * b + i, j)" => UNPROVED[OG361] A(8 * b + i, j)
// mutate: "s[t / 8][t % 8];" -> "s[t / 8][(t + 1) % 8];"
//   => REFUTED[OG305] y ~> Matrix3(B, 8, 8, fun b i j -> 8 * b + i < n && j < m ? A(8 * b + i, j) : 0)
//   run: OG212 y ~> Matrix3(B, 8, 8, fun b i j -> 8 * b + i < n && j < m ? A(8 * b + i, j) : 0)
// mutate: "s[t / 8][t % 8];" -> "s[t / 8][t % 8 + 1];" => REFUTED[OG302] s[t / 8][t % 8 + 1]
//   run: OG201 s[t / 8][t % 8 + 1]
// mutate: "kernel_launch(B, 64, 256)" -> "kernel_launch(B, 64, 255)" => REFUTED[OG349] float s
//   run: OG225 float s

#include <optigpu.h>
void f(int n, int m, int B, float x[n][m], float y[B][8][8]) {
  __requires("A: int * int -> float, n >= 0, m >= 0, B_pos: B >= 0, B <= 1000");
  __reads("x ~> Matrix2(n, m, A)");
  __writes("y ~> Matrix3(B, 8, 8, fun b i j -> 8 * b + i < n && j < m ? A(8 * b + i, j) : 0)");
  float* const a = __gmem_malloc2<float>(n, m);
  float* const d = __gmem_malloc3<float>(B, 8, 8);
  memcpy_host_to_device2(a, x, n, m);
  kernel_launch(B, 64, 256);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[8][8];
    tile_load(s, a, 8 * b, 0);
    blocksync();
    thread for (int t = 0; t < 64; t++) d[b][t / 8][t % 8] = s[t / 8][t % 8];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host3(y, d, B, 8, 8);
  gmem_free(a);
  gmem_free(d);
}
