// Both factors of a product may be stored as their transposes.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "mma_tt(c" -> "mma(c" => REFUTED[OG302] mma(c, s, t, 32);
//   run: OG201 mma(c, s, t, 32)
// mutate: "mma_tt(c" -> "mma_tn(c" => REFUTED[OG302] mma_tn(c, s, t, 32);
//   run: OG201 mma_tn(c, s, t, 32)
// mutate: "mma_tt(c" -> "mma_nt(c" => REFUTED[OG302] mma_nt(c, s, t, 32);
//   run: OG201 mma_nt(c, s, t, 32)
// mutate: "mma_tt(c, s, t, 32)" -> "mma_tt(c, t, s, 32)" => REFUTED[OG302] mma_tt(c, t, s, 32);
//   run: OG201 mma_tt(c, t, s, 32)
// mutate: "mma_tt(c, s, t, 32)" -> "mma_tt(c, t, s, 16)"
//   => REFUTED[OG305] z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..32, X(b, i, k) * Y(b, k, j)))
// mutate: "mma_tt(c, s, t, 32)" -> "mma_tt(c, s, &t[0][16], 32)" => REFUTED[OG302] mma_tt(c, s, &t[0][16], 32);
//   run: OG201 mma_tt(c, s, &t[0][16], 32)
// mutate: "mma_tt(c, s, t, 32)" -> "mma_tt(c, &s[16][0], &t[0][16], 16)"
//   => REFUTED[OG305] z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..32, X(b, i, k) * Y(b, k, j)))
// mutate: "mma_tt(c, s, t, 32)" -> "mma_tt(c, &s[16][0], &t[0][16], 16); mma_tt(c, s, t, 16)" => VERIFIED
//   run: clean
// mutate: "mma_tt(c, s, t, 32)" -> "mma_tt(c, &s[16][0], &t[0][0], 16); mma_tt(c, s, &t[0][16], 16)"
//   => REFUTED[OG305] z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..32, X(b, i, k) * Y(b, k, j)))
// mutate: "s[l][n] = dx[b][n][l]" -> "s[31 - l][n] = dx[b][n][l]"
//   => REFUTED[OG305] z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..32, X(b, i, k) * Y(b, k, j)))

#include <optigpu.h>
void f(int B, half x[B][16][32], half y[B][32][16], float z[B][16][16]) {
  __requires("X: int * int * int -> float, Y: int * int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix3(B, 16, 32, X), y ~> Matrix3(B, 32, 16, Y)");
  __writes("z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..32, X(b, i, k) * Y(b, k, j)))");
  half* const dx = __gmem_malloc3<half>(B, 16, 32);
  half* const dy = __gmem_malloc3<half>(B, 32, 16);
  float* const dz = __gmem_malloc3<float>(B, 16, 16);
  memcpy_host_to_device3(dx, x, B, 16, 32);
  memcpy_host_to_device3(dy, y, B, 32, 16);
  kernel_launch(B, 32, 2048);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ half s[32][16];
    __shared__ half t[16][32];
    thread for (int l = 0; l < 32; l++) {
      for (int n = 0; n < 16; n++) s[l][n] = dx[b][n][l];
      for (int n = 0; n < 16; n++) t[n][l] = dy[b][l][n];
    }
    __fragment__ float c[16][16];
    frag for (int i = 0; i < 16; i++) {
      frag for (int j = 0; j < 16; j++) {
        c[i][j] = 0.0f;
      }
    }
    blocksync();
    mma_tt(c, s, t, 32);
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
