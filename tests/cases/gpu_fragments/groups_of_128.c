// Four warps have fragments together: each half of a block of 256 threads has one, and multiplies tiles.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "g < 2; g++) {\n      mma" -> "g < 8; g++) {\n      mma"
//   => REFUTED[OG302] dz[b][g][i][j] = c[DMINDEX1(2, g)][i][j] + v[DMINDEX1(2, g)][i] + g;
// mutate: "&c[DMINDEX1(2, g)][0][0], s" -> "&c[DMINDEX1(2, 0)][0][0], s"
//   => REFUTED[OG340] mma(&c[DMINDEX1(2, 0)][0][0], s, t, 16);
// mutate: "= c[DMINDEX1(2, g)][i][j] + v" -> "= c[DMINDEX1(2, 1 - g)][i][j] + v"
//   => REFUTED[OG340] mma(&c[DMINDEX1(2, g)][0][0], s, t, 16);
// mutate: "frag_row_sum(&v[DMINDEX1(2, g)][0], &e" -> "frag_row_sum(&v[DMINDEX1(2, 1 - g)][0], &e"
//   => REFUTED[OG340] frag_row_sum(&v[DMINDEX1(2, 1 - g)][0], &e[DMINDEX1(2, g)][0][0]);
// mutate: "c = __frag_malloc2<float>(2, 64, 16)" -> "c = __frag_malloc2<float>(8, 64, 16)"
//   => REFUTED[OG344] c[DMINDEX1(2, g)][i][j] = 0.0f;
// mutate: "c = __frag_malloc2<float>(2, 64, 16)" -> "c = __frag_malloc2<float>(4, 64, 16)"
//   => REFUTED[OG370] float* const c = __frag_malloc2<float>(4, 64, 16)
// mutate: "__frag_malloc1<float>(2, 64)" -> "__frag_malloc1<float>(8, 64)" => REFUTED[OG344] v[DMINDEX1(2, g)][i] = 0.0f;
// mutate: "        v[DMINDEX1(2, g)][i] = 0.0f;\n" -> ""
//   => REFUTED[OG304] frag_row_sum(&v[DMINDEX1(2, g)][0], &e[DMINDEX1(2, g)][0][0]);
// mutate: "    blocksync();\n" -> "" => REFUTED[OG341] mma(&c[DMINDEX1(2, g)][0][0], s, t, 16);

#include <optigpu.h>
void f(int B, bf16 x[B][64][16], bf16 y[B][16][16], float z[B][2][64][16]) {
  __requires("X: int * int * int -> float, Y: int * int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix3(B, 64, 16, X), y ~> Matrix3(B, 16, 16, Y)");
  __writes("z ~> Matrix4(B, 2, 64, 16, fun b g i j -> Sum(k in 0..16, X(b, i, k) * Y(b, k, j)) + Sum(q in 0..16, X(b, i, q)) + g)");
  bf16* const dx = __gmem_malloc3<bf16>(B, 64, 16);
  bf16* const dy = __gmem_malloc3<bf16>(B, 16, 16);
  float* const dz = __gmem_malloc4<float>(B, 2, 64, 16);
  memcpy_host_to_device3(dx, x, B, 64, 16);
  memcpy_host_to_device3(dy, y, B, 16, 16);
  kernel_launch(B, 256, 2560);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ bf16 s[64][16];
    __shared__ bf16 t[16][16];
    thread for (int l = 0; l < 256; l++) {
      for (int n = 0; n < 4; n++) s[l / 4][4 * (l % 4) + n] = dx[b][l / 4][4 * (l % 4) + n];
      t[l / 16][l % 16] = dy[b][l / 16][l % 16];
    }
    float* const c = __frag_malloc2<float>(2, 64, 16);
    float* const e = __frag_malloc2<float>(2, 64, 16);
    float* const v = __frag_malloc1<float>(2, 64);
    thread for (int g = 0; g < 2; g++) {
      frag for (int i = 0; i < 64; i++) {
        v[DMINDEX1(2, g)][i] = 0.0f;
        frag for (int j = 0; j < 16; j++) {
          c[DMINDEX1(2, g)][i][j] = 0.0f;
          e[DMINDEX1(2, g)][i][j] = dx[b][i][j];
        }
      }
    }
    blocksync();
    thread for (int g = 0; g < 2; g++) {
      mma(&c[DMINDEX1(2, g)][0][0], s, t, 16);
      frag_row_sum(&v[DMINDEX1(2, g)][0], &e[DMINDEX1(2, g)][0][0]);
      frag for (int i = 0; i < 64; i++) {
        frag for (int j = 0; j < 16; j++) {
          dz[b][g][i][j] = c[DMINDEX1(2, g)][i][j] + v[DMINDEX1(2, g)][i] + g;
        }
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host4(z, dz, B, 2, 64, 16);
  gmem_free(dx);
  gmem_free(dy);
  gmem_free(dz);
}
