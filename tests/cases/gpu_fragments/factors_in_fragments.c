// The left factor of a product may be a fragment of 16-bit numbers, of which each thread has its elements.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "mma_nt(c, a, t, 16)" -> "mma(c, a, t, 16)"
//   => REFUTED[OG305] z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..16, (X(b, i, k) + 1) * Y(b, j, k)))
// mutate: "mma_nt(c, a, t, 16)" -> "mma_nt(c, t, a, 16)" => REFUTED[OG344] mma_nt(c, t, a, 16);
// mutate: "mma_nt(c, a, t, 16)" -> "mma_nt(c, a, t, 8)"
//   => REFUTED[OG305] z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..16, (X(b, i, k) + 1) * Y(b, j, k)))
// mutate: "mma_nt(c, a, t, 16)" -> "mma_nt(c, a, t, 32)" => REFUTED[OG302] mma_nt(c, a, t, 32);
//   run: OG201 mma_nt(c, a, t, 32)
// mutate: "mma_nt(c, a, t, 16)" -> "mma_nt(c, c, t, 16)" => REJECTED[OG102] c, t, 16);
// mutate: "mma_nt(c, a, t, 16)" -> "mma_nt(c, t, c, 16)" => REJECTED[OG102] c, 16);
// mutate: "mma_nt(c, a, t, 16)" -> "mma_nt(a, a, t, 16)" => REJECTED[OG114] a, a, t, 16);
// mutate: "mma_nt(c, a, t, 16)" -> "mma_nt(c, a, &a[0][0], 16)" => REJECTED[OG114] &a[0][0]
// mutate: "        a[i][k] = (bf16)(dx[b][i][k] + 1.0f);\n" -> "" => REFUTED[OG304] mma_nt(c, a, t, 16);
//   run: OG202 mma_nt(c, a, t, 16)
// mutate: "        a[i][k] = (bf16)(dx[b][i][k] + 1.0f);\n" -> "        if (k > i) a[i][k] = (bf16)(dx[b][i][k] + 1.0f);\n"
//   => REFUTED[OG304] mma_nt(c, a, t, 16);
//   run: OG202 mma_nt(c, a, t, 16)
// mutate: "        a[i][k] = (bf16)(dx[b][i][k] + 1.0f);\n" -> "        a[i][k] = (bf16)(dx[b][k][i] + 1.0f);\n"
//   => REFUTED[OG305] z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..16, (X(b, i, k) + 1) * Y(b, j, k)))
// mutate: "        a[i][k] = (bf16)(dx[b][i][k] + 1.0f);\n" -> "        a[k][i] = (bf16)(dx[b][k][i] + 1.0f);\n"
//   => REFUTED[OG344] a[k][i] = (bf16)(dx[b][k][i] + 1.0f);
//   run: OG224 a[k][i]
// mutate: "__fragment__ bf16 a[16][16];" -> "__fragment__ half a[16][16];" => REJECTED[OG102] mma_nt(c, a, t, 16)
// mutate: "__fragment__ bf16 a[16][16];" -> "__fragment__ float a[16][16];" => REJECTED[OG102] a, t, 16);

#include <optigpu.h>
void f(int B, bf16 x[B][16][16], bf16 y[B][16][16], float z[B][16][16]) {
  __requires("X: int * int * int -> float, Y: int * int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix3(B, 16, 16, X), y ~> Matrix3(B, 16, 16, Y)");
  __writes("z ~> Matrix3(B, 16, 16, fun b i j -> Sum(k in 0..16, (X(b, i, k) + 1) * Y(b, j, k)))");
  bf16* const dx = __gmem_malloc3<bf16>(B, 16, 16);
  bf16* const dy = __gmem_malloc3<bf16>(B, 16, 16);
  float* const dz = __gmem_malloc3<float>(B, 16, 16);
  memcpy_host_to_device3(dx, x, B, 16, 16);
  memcpy_host_to_device3(dy, y, B, 16, 16);
  kernel_launch(B, 32, 512);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ bf16 t[16][16];
    thread for (int l = 0; l < 32; l++) {
      for (int n = 0; n < 8; n++) t[l / 2][8 * (l % 2) + n] = dy[b][l / 2][8 * (l % 2) + n];
    }
    blocksync();
    __fragment__ bf16 a[16][16];
    frag for (int i = 0; i < 16; i++) {
      frag for (int k = 0; k < 16; k++) {
        a[i][k] = (bf16)(dx[b][i][k] + 1.0f);
      }
    }
    __fragment__ float c[16][16];
    frag for (int i = 0; i < 16; i++) {
      frag for (int j = 0; j < 16; j++) {
        c[i][j] = 0.0f;
      }
    }
    mma_nt(c, a, t, 16);
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
