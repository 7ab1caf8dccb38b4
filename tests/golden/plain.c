#include <stdlib.h>

#define TILE (16 * 2)

float f(const float* m_, int h, int w, float s) {
  const float (*const m)[w] = (const void*)m_;
  float t = 0;
  #pragma omp simd
  for (int i = h - 1; i >= 0; i--) {
    if ((i > 3 && s < 0.5f) || i == 0) {
      t += m[i][0];
    } else if (i % 2) {
      t -= 1;
    } else {
      t *= 2.0f;
    }
  }
  float (*const c)[w] = malloc((size_t)h * w * sizeof(float));
  #pragma omp parallel for
  for (int i = 0; i < h; i += TILE) {
    for (int j = 0; j < (w < h ? w : h); j++) {
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
