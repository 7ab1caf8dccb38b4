// A product of matrices, tile by tile: fragments hold the sums, and there may be no tile at all.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "Sum(k in 0..16 * n, X(b, i, k) * Y(b, k, j))" -> "Sum(k in 0..16 * n - 1, X(b, i, k) * Y(b, k, j))"
//   => REFUTED[OG305] z ~> Matrix3(B, 64, 16, fun b i j -> Sum(k in 0..16 * n - 1, X(b, i, k) * Y(b, k, j)))
// mutate: "k < n; k++" -> "k < n - 1; k++"
//   => REFUTED[OG305] z ~> Matrix3(B, 64, 16, fun b i j -> Sum(k in 0..16 * n, X(b, i, k) * Y(b, k, j)))
// mutate: "mma(c, s, t, 16)" -> "mma(c, s, t, 8)"
//   => REFUTED[OG305] z ~> Matrix3(B, 64, 16, fun b i j -> Sum(k in 0..16 * n, X(b, i, k) * Y(b, k, j)))
// mutate: "mma(c, s, t, 16)" -> "mma_tn(c, s, t, 16)" => REFUTED[OG302] mma_tn(c, s, t, 16);
// mutate: "tile_load(t, dy, b, 16 * k, 0)" -> "tile_load(t, dy, b, 0, 16 * k)"
//   => REFUTED[OG305] z ~> Matrix3(B, 64, 16, fun b i j -> Sum(k in 0..16 * n, X(b, i, k) * Y(b, k, j)))
// mutate: "        c[i][j] = 0.0f;\n" -> "" => REFUTED[OG304] mma(c, s, t, 16);

#include <optigpu.h>
void f(int B, int n, bf16 x[B][64][16 * n], bf16 y[B][16 * n][16], float z[B][64][16]) {
  __requires("X: int * int * int -> float, Y: int * int * int -> float, B_pos: B >= 0, n >= 0, n <= 1000");
  __reads("x ~> Matrix3(B, 64, 16 * n, X), y ~> Matrix3(B, 16 * n, 16, Y)");
  __writes("z ~> Matrix3(B, 64, 16, fun b i j -> Sum(k in 0..16 * n, X(b, i, k) * Y(b, k, j)))");
  bf16* const dx = __gmem_malloc3<bf16>(B, 64, 16 * n);
  bf16* const dy = __gmem_malloc3<bf16>(B, 16 * n, 16);
  float* const dz = __gmem_malloc3<float>(B, 64, 16);
  memcpy_host_to_device3(dx, x, B, 64, 16 * n);
  memcpy_host_to_device3(dy, y, B, 16 * n, 16);
  kernel_launch(B, 128, 7680);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __fragment__ float c[64][16];
    frag for (int i = 0; i < 64; i++) {
      frag for (int j = 0; j < 16; j++) {
        c[i][j] = 0.0f;
      }
    }
#pragma pipeline 3
    for (int k = 0; k < n; k++) {
      __shared__ bf16 s[64][16];
      __shared__ bf16 t[16][16];
      tile_load(s, dx, b, 0, 16 * k);
      tile_load(t, dy, b, 16 * k, 0);
      pipeline_wait();
      mma(c, s, t, 16);
    }
    frag for (int i = 0; i < 64; i++) {
      frag for (int j = 0; j < 16; j++) {
        dz[b][i][j] = c[i][j];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host3(z, dz, B, 64, 16);
  gmem_free(dx);
  gmem_free(dy);
  gmem_free(dz);
}
