#include <optigpu.h>

#define K 11
#define STRIDE 11

// means of windows; 16 x 64 x 2048 x 2048
void avg_pool_2d(int batch, int channels, int h, int w, int h2, int w2,
                 float x[batch][channels][h][w], float y[batch][channels][h2][w2]) {
  __requires("X: int * int * int * int -> float");
  __requires("h - K >= 0 && h2 == (h - K) / STRIDE + 1");
  __requires("w - K >= 0 && w2 == (w - K) / STRIDE + 1");
  __reads("x ~> Matrix4(batch, channels, h, w, X)");
  __writes("y ~> Matrix4(batch, channels, h2, w2, fun n c i j -> Sum(p in 0..K, q in 0..K, "
           "X(n, c, i * STRIDE + p, j * STRIDE + q)) / (K * K))");
  for (int n = 0; n < batch; n++) {
    for (int c = 0; c < channels; c++) {
      for (int i = 0; i < h2; i++) {
        for (int j = 0; j < w2; j++) {
          float sum = 0.0f;
          for (int p = 0; p < K; p++) {
            for (int q = 0; q < K; q++) {
              sum += x[n][c][i * STRIDE + p][j * STRIDE + q];
            }
          }
          y[n][c][i][j] = sum / (K * K);
        }
      }
    }
  }
}
