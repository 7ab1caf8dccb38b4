// The minimum of each row of a fragment, from a start that is larger than all elements.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "frag_row_min(v, c);" -> "frag_row_max(v, c);" => UNPROVED[OG337] v[i];
// mutate: "frag_row_min(v, c);" -> "frag_row_sum(v, c);" => UNPROVED[OG337] v[i];
// mutate: "v[i] = INFINITY;" -> "v[i] = 0.0f;"
//   => REFUTED[OG305] y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Min(k in 0..8, A(b, i, k)))
// mutate: "v[i] = INFINITY;" -> "v[i] = -INFINITY;" => UNPROVED[OG337] v[i];
// mutate: "v[i] = INFINITY;" -> ";" => REFUTED[OG304] frag_row_min(v, c);
//   run: OG202 frag_row_min(v, c)
// mutate: "c[i][j] = d[b][i][j];" -> "c[i][j] = -d[b][i][j];"
//   => REFUTED[OG305] y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Min(k in 0..8, A(b, i, k)))
// mutate: "c[i][j] - v[i]" -> "v[i]"
//   => REFUTED[OG305] y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Min(k in 0..8, A(b, i, k)))

#include <optigpu.h>
void f(int B, float x[B][16][8], float y[B][16][8]) {
  __requires("A: int * int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix3(B, 16, 8, A)");
  __writes("y ~> Matrix3(B, 16, 8, fun b i j -> A(b, i, j) - Min(k in 0..8, A(b, i, k)))");
  float* const d = __gmem_malloc3<float>(B, 16, 8);
  float* const e = __gmem_malloc3<float>(B, 16, 8);
  memcpy_host_to_device3(d, x, B, 16, 8);
  kernel_launch(B, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __fragment__ float c[16][8];
    __fragment__ float v[16];
    frag for (int i = 0; i < 16; i++) {
      v[i] = INFINITY;
      frag for (int j = 0; j < 8; j++) {
        c[i][j] = d[b][i][j];
      }
    }
    frag_row_min(v, c);
    frag for (int i = 0; i < 16; i++) {
      frag for (int j = 0; j < 8; j++) {
        e[b][i][j] = c[i][j] - v[i];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host3(y, e, B, 16, 8);
  gmem_free(d);
  gmem_free(e);
}
