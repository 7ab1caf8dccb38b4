#include <optigpu.h>

#define TILE (16 * 2)

float f(const float* m, int h, int w, float s) {
  __requires("M: int * int -> float");
  __reads("m ~> Matrix2(h, w, M)");

  float t = 0;
  #pragma omp simd
  for (int i = h - 1; i >= 0; i--) {
    if (i > 3 && s < 0.5f || i == 0) {
      t += m[i][0];
    } else if (i % 2) {
      t -= 1;
    } else {
      t *= 2.0f;
    }
  }
  float (*const c)[w] = MALLOC2(float, h, w);
  #pragma omp parallel for
  for (int i = 0; i < h; i += TILE) {
    for (int j = 0; j < min(w, h); j++) {
      c[i][j] = i + j;
    }
  }
  for (int k = 64; k > 0; k /= 2) {
    if (k <= w) {
      t += k;
    }
  }
  free(c);
  return t;
}
