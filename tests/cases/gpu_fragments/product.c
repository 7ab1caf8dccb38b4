// A warp multiplies two tiles in shared memory.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "mma(c, s, t, 16)" -> "mma(c, s, t, 8)"
//   => REFUTED[OG305] z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..16, X(b, i, k) * Y(b, k, j)))
// mutate: "mma(c, s, t, 16)" -> "mma(c, s, t, 17)" => REFUTED[OG302] mma(c, s, t, 17);
//   run: OG201 mma(c, s, t, 17)
// mutate: "mma(c, s, t, 16)" -> "mma_tn(c, s, t, 16)"
//   => REFUTED[OG305] z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..16, X(b, i, k) * Y(b, k, j)))
// mutate: "mma(c, s, t, 16)" -> "mma_nt(c, s, t, 16)"
//   => REFUTED[OG305] z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..16, X(b, i, k) * Y(b, k, j)))
// mutate: "mma(c, s, t, 16)" -> "mma(c, t, s, 8)"
//   => REFUTED[OG305] z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..16, X(b, i, k) * Y(b, k, j)))
// mutate: "mma(c, s, t, 16)" -> "mma(c, s, t, 16); mma(c, s, t, 16)"
//   => REFUTED[OG305] z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..16, X(b, i, k) * Y(b, k, j)))
// mutate: "    blocksync();\n" -> "" => REFUTED[OG341] mma(c, s, t, 16);
//   run: OG210 mma(c, s, t, 16)
//   also: standin
// mutate: "    blocksync();\n" -> "    warpsync();\n" => VERIFIED
//   run: clean
// mutate: "        c[i][j] = 0.0f;\n" -> "" => REFUTED[OG304] mma(c, s, t, 16);
//   run: OG202 mma(c, s, t, 16)
// mutate: "        c[i][j] = 0.0f;\n" -> "        c[i][j] = 1.0f;\n"
//   => REFUTED[OG305] z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..16, X(b, i, k) * Y(b, k, j)))
// mutate: "        c[i][j] = 0.0f;\n" -> "        if (i < 15) c[i][j] = 0.0f;\n" => REFUTED[OG304] mma(c, s, t, 16);
//   run: OG202 mma(c, s, t, 16)
// mutate: "t[l / 2][8 * (l % 2) + n] = dy" -> "if (l > 0) t[l / 2][8 * (l % 2) + n] = dy" => REFUTED[OG304] mma(c, s, t, 16);
//   run: OG202 mma(c, s, t, 16)
// mutate: "mma(c, s, t, 16);\n" -> "mma(c, s, t, 16);\n    thread for (int l = 0; l < 32; l++) s[l / 2][l % 2] = 0.0f;\n"
//   => REFUTED[OG342] s[l / 2][l % 2] = 0.0f;
//   run: OG210 s[l / 2][l % 2]
//   also: standin
// mutate: "mma(c, s, t, 16);\n" -> "thread for (int l = 0; l < 32; l++) mma(c, s, t, 16);\n" => REFUTED[OG340] mma(c, s, t, 16);
//   run: OG221 mma(c, s, t, 16)

#include <optigpu.h>
void f(int B, bf16 x[B][16][16], bf16 y[B][16][16], float z[B][16][16]) {
  __requires("X: int * int * int -> float, Y: int * int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix3(B, 16, 16, X), y ~> Matrix3(B, 16, 16, Y)");
  __writes("z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..16, X(b, i, k) * Y(b, k, j)))");
  bf16* const dx = __gmem_malloc3<bf16>(B, 16, 16);
  bf16* const dy = __gmem_malloc3<bf16>(B, 16, 16);
  float* const dz = __gmem_malloc3<float>(B, 16, 16);
  memcpy_host_to_device3(dx, x, B, 16, 16);
  memcpy_host_to_device3(dy, y, B, 16, 16);
  kernel_launch(B, 32, 1024);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ bf16 s[16][16];
    __shared__ bf16 t[16][16];
    thread for (int l = 0; l < 32; l++) {
      for (int n = 0; n < 8; n++) s[l / 2][8 * (l % 2) + n] = dx[b][l / 2][8 * (l % 2) + n];
      for (int n = 0; n < 8; n++) t[l / 2][8 * (l % 2) + n] = dy[b][l / 2][8 * (l % 2) + n];
    }
    __fragment__ float c[16][16];
    frag for (int i = 0; i < 16; i++) {
      frag for (int j = 0; j < 16; j++) {
        c[i][j] = 0.0f;
      }
    }
    blocksync();
    mma(c, s, t, 16);
    frag for (int i = 0; i < 16; i++) {
      frag for (int j = 0; j < 16; j++) {
        dz[b][i][j] = c[i][j];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host3(z, dz, B, 16, 16);
  gmem_free(dx);
  gmem_free(dy);
  gmem_free(dz);
}
