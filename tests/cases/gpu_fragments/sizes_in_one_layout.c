// Fragments of a group have one layout, whatever their sizes and types are: an iteration has the elements [i][j] of all of them.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "z[b][i][j] = g[i][j]" -> "z[b][i][j] = g[i][7 - j]" => REFUTED[OG340] g[i][j] = c[i][j] * e[i][j];
//   run: OG224 g[i][7 - j]
// mutate: "c[i][j] * e" -> "c[i][j + 8] * e" => REFUTED[OG344] c[i][j + 8]
//   run: OG224 c[i][j + 8]
// mutate: "i < 16; i++) {\n      frag for (int j = 0; j < 8; j++) {\n        g"
//   -> "i < 32; i++) {\n      frag for (int j = 0; j < 8; j++) {\n        g"
//   => REFUTED[OG302] z[b][i][j] = g[i][j];
//   run: OG201 c[i][j] * e[i][j];
// mutate: "__fragment__ float e[32][8];" -> "__fragment__ float e[16][8];" => REFUTED[OG302] e[i][j] = d[b][i][j] + 1.0f;
//   run: OG201 e[i][j] = d[b][i][j] + 1.0f;

#include <optigpu.h>
void f(int B, float x[B][32][16], float y[B][16][8]) {
  __requires("A: int * int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix3(B, 32, 16, A)");
  __writes("y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) * (A(b, i, j) + 1))");
  float* const d = __gmem_malloc3<float>(B, 32, 16);
  float* const z = __gmem_malloc3<float>(B, 16, 8);
  memcpy_host_to_device3(d, x, B, 32, 16);
  kernel_launch(B, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __fragment__ float c[16][16];
    __fragment__ float e[32][8];
    __fragment__ float g[16][8];
    frag for (int i = 0; i < 16; i++) {
      frag for (int j = 0; j < 16; j++) {
        c[i][j] = d[b][i][j];
      }
    }
    frag for (int i = 0; i < 32; i++) {
      frag for (int j = 0; j < 8; j++) {
        e[i][j] = d[b][i][j] + 1.0f;
      }
    }
    frag for (int i = 0; i < 16; i++) {
      frag for (int j = 0; j < 8; j++) {
        g[i][j] = c[i][j] * e[i][j];
        z[b][i][j] = g[i][j];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host3(y, z, B, 16, 8);
  gmem_free(d);
  gmem_free(z);
}
