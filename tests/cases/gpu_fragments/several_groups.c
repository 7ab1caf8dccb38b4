// Each warp of a block has a fragment of its own, and uses no other.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "&c[DMINDEX1(2, w)][0][0], &s" -> "&c[DMINDEX1(2, 0)][0][0], &s"
//   => REFUTED[OG340] mma_nt(&c[DMINDEX1(2, 0)][0][0], &s[16 * w][0], s, 16);
//   run: OG224 mma_nt(&c[DMINDEX1(2, 0)][0][0], &s[16 * w][0], s, 16)
// mutate: "&c[DMINDEX1(2, w)][0][0], &s" -> "&c[DMINDEX1(2, 1 - w)][0][0], &s"
//   => REFUTED[OG340] mma_nt(&c[DMINDEX1(2, 1 - w)][0][0], &s[16 * w][0], s, 16);
//   run: OG224 mma_nt(&c[DMINDEX1(2, 1 - w)][0][0], &s[16 * w][0], s, 16)
// mutate: "= c[DMINDEX1(2, w)][i][j];" -> "= c[DMINDEX1(2, 1 - w)][i][j];"
//   => REFUTED[OG340] mma_nt(&c[DMINDEX1(2, w)][0][0], &s[16 * w][0], s, 16);
//   run: OG224 c[DMINDEX1(2, 1 - w)][i][j]
// mutate: "c[DMINDEX1(2, w)][i][j] = 0.0f;" -> "if (w == 0) c[DMINDEX1(2, w)][i][j] = 0.0f;"
//   => REFUTED[OG304] mma_nt(&c[DMINDEX1(2, w)][0][0], &s[16 * w][0], s, 16);
//   run: OG202 mma_nt(&c[DMINDEX1(2, w)][0][0], &s[16 * w][0], s, 16)
// mutate: "__frag_malloc2<float>(2, 16, 16)" -> "__frag_malloc2<float>(4, 16, 16)"
//   => REFUTED[OG370] float* const c = __frag_malloc2<float>(4, 16, 16)
//   run: OG221 float* const c = __frag_malloc2<float>(4, 16, 16)
// mutate: "__frag_malloc2<float>(2, 16, 16)" -> "__frag_malloc2<float>(1, 16, 16)"
//   => REFUTED[OG370] float* const c = __frag_malloc2<float>(1, 16, 16)
//   run: OG221 float* const c = __frag_malloc2<float>(1, 16, 16)
// mutate: "__frag_malloc2<float>(2, 16, 16)" -> "__frag_malloc2<float>(2, 32, 16)"
//   => REFUTED[OG304] mma_nt(&c[DMINDEX1(2, w)][0][0], &s[16 * w][0], s, 16);
//   run: OG202 mma_nt(&c[DMINDEX1(2, w)][0][0], &s[16 * w][0], s, 16)
// mutate: "&s[16 * w][0]" -> "&s[0][0]"
//   => REFUTED[OG305] z ~> Matrix3(B, 32, 16, fun b i j -> Sum(k in 0..16, X(b, i, k) * X(b, j, k)))
// mutate: "&s[16 * w][0]" -> "&s[17 * w][0]" => REFUTED[OG302] mma_nt(&c[DMINDEX1(2, w)][0][0], &s[17 * w][0], s, 16);
//   run: OG201 mma_nt(&c[DMINDEX1(2, w)][0][0], &s[17 * w][0], s, 16)
// mutate: "    blocksync();\n" -> "" => REFUTED[OG341] mma_nt(&c[DMINDEX1(2, w)][0][0], &s[16 * w][0], s, 16);
//   run: OG210 mma_nt(&c[DMINDEX1(2, w)][0][0], &s[16 * w][0], s, 16)
//   also: standin

#include <optigpu.h>
void f(int B, bf16 x[B][32][16], float z[B][32][16]) {
  __requires("X: int * int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix3(B, 32, 16, X)");
  __writes("z ~> Matrix3(B, 32, 16, fun b i j -> Sum(k in 0..16, X(b, i, k) * X(b, j, k)))");
  bf16* const dx = __gmem_malloc3<bf16>(B, 32, 16);
  float* const dz = __gmem_malloc3<float>(B, 32, 16);
  memcpy_host_to_device3(dx, x, B, 32, 16);
  kernel_launch(B, 64, 1024);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ bf16 s[32][16];
    thread for (int t = 0; t < 64; t++) {
      for (int n = 0; n < 8; n++) s[t / 2][8 * (t % 2) + n] = dx[b][t / 2][8 * (t % 2) + n];
    }
    float* const c = __frag_malloc2<float>(2, 16, 16);
    thread for (int w = 0; w < 2; w++) {
      frag for (int i = 0; i < 16; i++) {
        frag for (int j = 0; j < 16; j++) {
          c[DMINDEX1(2, w)][i][j] = 0.0f;
        }
      }
    }
    blocksync();
    thread for (int w = 0; w < 2; w++) {
      mma_nt(&c[DMINDEX1(2, w)][0][0], &s[16 * w][0], s, 16);
      frag for (int i = 0; i < 16; i++) {
        frag for (int j = 0; j < 16; j++) {
          dz[b][16 * w + i][j] = c[DMINDEX1(2, w)][i][j];
        }
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host3(z, dz, B, 32, 16);
  gmem_free(dx);
  gmem_free(dz);
}
