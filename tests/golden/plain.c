#include <stdlib.h>
#include <stdint.h>

// Memory for arrays. Where there is none, or none of such a size, the program stops: it is proved for memory that is there.
static inline size_t optigpu_bytes(size_t bytes, int rank, const size_t* sizes) {
  for (int i = 0; i < rank; i++) {
    if (sizes[i] != 0 && bytes > SIZE_MAX / sizes[i]) abort();
    bytes *= sizes[i];
  }
  return bytes;
}
static inline void* optigpu_malloc(size_t bytes) {
  void* const memory = malloc(bytes);
  if (memory == NULL && bytes != 0) abort();
  return memory;
}
#define OPTIGPU_BYTES(type, ...) \
  optigpu_bytes(sizeof(type), sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t), (size_t[]){__VA_ARGS__})
#define OPTIGPU_MALLOC(type, ...) optigpu_malloc(OPTIGPU_BYTES(type, __VA_ARGS__))

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
  float (*const c)[w] = OPTIGPU_MALLOC(float, h, w);
  #pragma omp parallel for
  for (int64_t i = 0; i < h; i += TILE) {
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
