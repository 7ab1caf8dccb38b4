// The elements of each row of a fragment are added to a vector, of which all threads of the row have a copy.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "frag_row_sum(v, c);" -> "frag_row_max(v, c);"
//   => REFUTED[OG305] y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Sum(k in 0..8, A(b, i, k)))
//   run: OG212 y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Sum(k in 0..8, A(b, i, k)))
// mutate: "frag_row_sum(v, c);" -> "frag_row_min(v, c);"
//   => REFUTED[OG305] y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Sum(k in 0..8, A(b, i, k)))
//   run: OG212 y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Sum(k in 0..8, A(b, i, k)))
// mutate: "frag_row_sum(v, c);" -> "frag_row_sum(v, c); frag_row_sum(v, c);"
//   => REFUTED[OG305] y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Sum(k in 0..8, A(b, i, k)))
//   run: OG212 y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Sum(k in 0..8, A(b, i, k)))
// mutate: "    frag_row_sum(v, c);\n"
//   -> "    frag for (int i = 0; i < 16; i++)\n      frag for (int j = 0; j < 8; j++) if (j == 0) v[i] = 1.0f;\n    frag_row_sum(v, c);\n"
//   => REFUTED[OG344] frag_row_sum(v, c);
//   run: OG212 y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Sum(k in 0..8, A(b, i, k)))
// mutate: "frag_row_sum(v, c);" -> ";"
//   => REFUTED[OG305] y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Sum(k in 0..8, A(b, i, k)))
//   run: OG212 y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Sum(k in 0..8, A(b, i, k)))
// mutate: "      v[i] = 0.0f;\n" -> "" => REFUTED[OG304] frag_row_sum(v, c);
//   run: OG202 frag_row_sum(v, c)
// mutate: "      v[i] = 0.0f;\n" -> "      if (i > 3) v[i] = 0.0f;\n" => REFUTED[OG304] frag_row_sum(v, c);
//   run: OG202 frag_row_sum(v, c)
// mutate: "      v[i] = 0.0f;\n" -> "      v[i] = 1.0f;\n"
//   => REFUTED[OG305] y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Sum(k in 0..8, A(b, i, k)))
//   run: OG212 y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Sum(k in 0..8, A(b, i, k)))
// mutate: "      v[i] = 0.0f;\n" -> "      v[15 - i] = 0.0f;\n" => REFUTED[OG344] v[15 - i] = 0.0f;
//   run: OG224 v[15 - i]
// mutate: "        c[i][j] = d[b][i][j];\n" -> "" => REFUTED[OG304] frag_row_sum(v, c);
//   run: OG202 frag_row_sum(v, c)
// mutate: "        c[i][j] = d[b][i][j];\n" -> "        if (i + j > 0) c[i][j] = d[b][i][j];\n"
//   => REFUTED[OG304] frag_row_sum(v, c);
//   run: OG202 frag_row_sum(v, c)
// mutate: "e[b][i][j] = c[i][j] - v[i];" -> "e[b][i][j] = c[i][j] - v[j];" => REFUTED[OG344] v[j]
//   run: OG224 v[j]
// mutate: "e[b][i][j] = c[i][j] - v[i];" -> "{ v[i] = 0.0f; e[b][i][j] = c[i][j] - v[i]; }"
//   => REFUTED[OG340] v[i] = 0.0f; e[b][i][j] = c[i][j] - v[i]; }
//   run: OG212 y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Sum(k in 0..8, A(b, i, k)))
// mutate: "frag for (int j = 0; j < 8; j++) {\n        e" -> "for (int j = 0; j < 8; j++) {\n        e"
//   => REFUTED[OG344] c[i][j] - v[i];
//   run: OG224 c[i][j] - v[i];
// mutate: "float v[16];" -> "float v[15];" => REFUTED[OG302] v[i] = 0.0f;
//   run: OG201 v[i] = 0.0f;
// mutate: "float v[16];" -> "float v[17];" => REFUTED[OG304] frag_row_sum(v, c);
//   run: OG201 frag_row_sum(v, c)

#include <optigpu.h>
void f(int B, float x[B][16][8], float y[B][16][8]) {
  __requires("A: int * int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix3(B, 16, 8, A)");
  __writes("y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Sum(k in 0..8, A(b, i, k)))");
  float* const d = __gmem_malloc3<float>(B, 16, 8);
  float* const e = __gmem_malloc3<float>(B, 16, 8);
  memcpy_host_to_device3(d, x, B, 16, 8);
  kernel_launch(B, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __fragment__ float c[16][8];
    __fragment__ float v[16];
    frag for (int i = 0; i < 16; i++) {
      v[i] = 0.0f;
      frag for (int j = 0; j < 8; j++) {
        c[i][j] = d[b][i][j];
      }
    }
    frag_row_sum(v, c);
    frag for (int i = 0; i < 16; i++) {
      frag for (int j = 0; j < 8; j++) {
        e[b][i][j] = c[i][j] - v[i];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host3(y, e, B, 16, 8);
  gmem_free(d);
  gmem_free(e);
}
