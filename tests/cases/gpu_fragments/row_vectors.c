// All threads of a row have its element of a vector; a single one of them stores it.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "if (j == 0) e[b][i] = v[i];" -> "e[b][i] = v[i];" => REFUTED[OG340] e[b][i] = v[i];
//   run: OG210 e[b][i]
//   also: standin
// mutate: "if (j == 0) e[b][i] = v[i];" -> "if (j == i) e[b][i] = v[i];" => REFUTED[OG316] memcpy_device_to_host2(y, e, B, 16);
//   run: OG202 memcpy_device_to_host2(y, e, B, 16)
// mutate: "if (j == 0) e[b][i] = v[i];" -> "if (j < 2) e[b][i] = v[i];" => REFUTED[OG340] e[b][i] = v[i];
//   run: OG210 e[b][i]
// mutate: "if (j == 0) e[b][i] = v[i];" -> "if (j == 0) e[b][i] = v[15 - i];" => REFUTED[OG344] v[15 - i]
//   run: OG224 v[15 - i]
// mutate: "      frag for (int j = 0; j < 8; j++) {\n        if (j == 0) e[b][i] = v[i];\n      }\n" -> "      e[b][i] = v[i];\n"
//   => REFUTED[OG346] e[b][i] = v[i];
//   run: OG228 e[b][i]
// mutate: "      v[i] = 2.0f * d[b][i];\n"
//   -> "      frag for (int j = 0; j < 8; j++) {\n        if (j == 0) v[i] = 2.0f * d[b][i];\n      }\n"
//   => VERIFIED
//   run: clean
// mutate: "      v[i] = 2.0f * d[b][i];\n" -> "      v[i] = 2.0f * d[b][i];\n      atomicAdd(&e[b][i], 1.0f);\n"
//   => REFUTED[OG346] atomicAdd(&e[b][i], 1.0f);
//   run: OG228 e[b][i], 1.0f);

#include <optigpu.h>
void f(int B, float x[B][16], float y[B][16]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix2(B, 16, A)");
  __writes("y ~> Matrix2(B, 16, fun b i -> 2 * A(b, i))");
  float* const d = __gmem_malloc2<float>(B, 16);
  float* const e = __gmem_malloc2<float>(B, 16);
  memcpy_host_to_device2(d, x, B, 16);
  kernel_launch(B, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __fragment__ float v[16];
    frag for (int i = 0; i < 16; i++) {
      v[i] = 2.0f * d[b][i];
    }
    frag for (int i = 0; i < 16; i++) {
      frag for (int j = 0; j < 8; j++) {
        if (j == 0) e[b][i] = v[i];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(y, e, B, 16);
  gmem_free(d);
  gmem_free(e);
}
