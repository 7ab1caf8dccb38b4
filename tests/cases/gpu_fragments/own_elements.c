// Each thread of a warp accesses the elements of a fragment that it has.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "2.0f * c[i][j]" -> "2.0f * c[i][7 - j]" => REFUTED[OG344] c[i][7 - j]
//   run: OG224 c[i][7 - j]
// mutate: "2.0f * c[i][j]" -> "2.0f * c[15 - i][j]" => REFUTED[OG344] c[15 - i][j]
//   run: OG224 c[15 - i][j]
// mutate: "c[i][j] = d[b][i][j]" -> "c[i][j ^ 1] = d[b][i][j]" => REFUTED[OG344] c[i][j ^ 1] = d[b][i][j];
//   run: OG224 c[i][j ^ 1]
// mutate: "c[i][j] = d[b][i][j]" -> "if (j > 0) c[i][j] = d[b][i][j]" => REFUTED[OG304] c[i][j];
//   run: OG202 c[i][j];
// mutate: "c[i][j] = d[b][i][j];\n" -> ";\n" => REFUTED[OG304] c[i][j]
//   run: OG202 c[i][j]
// mutate: "2.0f * c[i][j]" -> "3.0f * c[i][j]" => REFUTED[OG305] y ~> Matrix3(B, 16, 8, fun b i j -> 2 * A(b, i, j))
//   run: OG212 y ~> Matrix3(B, 16, 8, fun b i j -> 2 * A(b, i, j))
// mutate: "e[b][i][j] = 2.0f" -> "e[b][i][0] = 2.0f" => REFUTED[OG340] e[b][i][0] = 2.0f * c[i][j];
//   run: OG210 e[b][i][0]
//   also: standin
// mutate: "e[b][i][j] = 2.0f" -> "e[b][0][j] = 2.0f" => REFUTED[OG340] e[b][0][j] = 2.0f * c[i][j];
//   run: OG210 e[b][0][j]
//   also: standin
// mutate: "j < 8; j++) {\n        c" -> "j < 9; j++) {\n        c" => REFUTED[OG302] c[i][j] = d[b][i][j];
//   run: OG201 d[b][i][j]
// mutate: "i < 16; i++) {\n      frag for (int j = 0; j < 8; j++) {\n        e"
//   -> "i < 15; i++) {\n      frag for (int j = 0; j < 8; j++) {\n        e"
//   => REFUTED[OG316] memcpy_device_to_host3(y, e, B, 16, 8);
//   run: OG202 memcpy_device_to_host3(y, e, B, 16, 8)
// mutate: "c[i][j] = d[b][i][j]" -> "c[i][j] = d[b][j][i]" => REFUTED[OG302] d[b][j][i]
//   run: OG201 d[b][j][i]

#include <optigpu.h>
void f(int B, float x[B][16][8], float y[B][16][8]) {
  __requires("A: int * int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix3(B, 16, 8, A)");
  __writes("y ~> Matrix3(B, 16, 8, fun b i j -> 2 * A(b, i, j))");
  float* const d = __gmem_malloc3<float>(B, 16, 8);
  float* const e = __gmem_malloc3<float>(B, 16, 8);
  memcpy_host_to_device3(d, x, B, 16, 8);
  kernel_launch(B, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __fragment__ float c[16][8];
    frag for (int i = 0; i < 16; i++) {
      frag for (int j = 0; j < 8; j++) {
        c[i][j] = d[b][i][j];
      }
    }
    frag for (int i = 0; i < 16; i++) {
      frag for (int j = 0; j < 8; j++) {
        e[b][i][j] = 2.0f * c[i][j];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host3(y, e, B, 16, 8);
  gmem_free(d);
  gmem_free(e);
}
