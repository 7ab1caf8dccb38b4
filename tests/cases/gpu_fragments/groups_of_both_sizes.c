// The layout of 128 threads is not that of their warps: the elements of one are no elements of the other.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "e[b][16 * w + i][j] = g[DMINDEX1(4, w)][i][j];" -> "e[b][16 * w + i][j] = c[16 * w + i][j];"
//   => REFUTED[OG344] c[16 * w + i][j]
//   run: OG224 c[16 * w + i][j]
// mutate: "c[i][j] = d[b][i][j];" -> "g[DMINDEX1(4, i / 16)][i % 16][j] = d[b][i][j];"
//   => REFUTED[OG344] g[DMINDEX1(4, i / 16)][i % 16][j] = d[b][i][j];
//   run: OG224 g[DMINDEX1(4, i / 16)][i % 16][j]
// mutate: "= s[16 * w + i][j];" -> "= s[16 * w + i][7 - j];" => REFUTED[OG305] y ~> Matrix3(B, 64, 8, fun b i j -> A(b, i, j))
// mutate: "    blocksync();\n" -> "" => REFUTED[OG341] s[16 * w + i][j]
//   run: OG210 s[16 * w + i][j]
// mutate: "kernel_launch(B, 128, 2048)" -> "kernel_launch(B, 64, 2048)", "w < 4" -> "w < 2" (2 times), "(4, w)"
//   -> "(2, w)" (2 times), "malloc2<float>(4" -> "malloc2<float>(2"
//   => REFUTED[OG370] float c
//   run: OG221 float c

#include <optigpu.h>
void f(int B, float x[B][64][8], float y[B][64][8]) {
  __requires("A: int * int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix3(B, 64, 8, A)");
  __writes("y ~> Matrix3(B, 64, 8, fun b i j -> A(b, i, j))");
  float* const d = __gmem_malloc3<float>(B, 64, 8);
  float* const e = __gmem_malloc3<float>(B, 64, 8);
  memcpy_host_to_device3(d, x, B, 64, 8);
  kernel_launch(B, 128, 2048);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[64][8];
    __fragment__ float c[64][8];
    float* const g = __frag_malloc2<float>(4, 16, 8);
    frag for (int i = 0; i < 64; i++) {
      frag for (int j = 0; j < 8; j++) {
        c[i][j] = d[b][i][j];
        s[i][j] = c[i][j];
      }
    }
    blocksync();
    thread for (int w = 0; w < 4; w++) {
      frag for (int i = 0; i < 16; i++) {
        frag for (int j = 0; j < 8; j++) {
          g[DMINDEX1(4, w)][i][j] = s[16 * w + i][j];
        }
      }
    }
    thread for (int w = 0; w < 4; w++) {
      frag for (int i = 0; i < 16; i++) {
        frag for (int j = 0; j < 8; j++) {
          e[b][16 * w + i][j] = g[DMINDEX1(4, w)][i][j];
        }
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host3(y, e, B, 64, 8);
  gmem_free(d);
  gmem_free(e);
}
