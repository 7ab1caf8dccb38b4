#include <optigpu.h>

#define K 3
#define PAD 1

// 2-D convolution of each channel, then of the channels of each pixel; x 16 x 64 x 512 x 512, 128 outputs
void conv_depthwise_separable_2d(int batch, int inputs, int outputs, int h, int w, float x[batch][inputs][h][w],
                                 float depth[inputs][K][K], float point[outputs][inputs], float y[batch][outputs][h][w]) {
  __requires("X: int * int * int * int -> float, D: int * int * int -> float, P: int * int -> float");
  __reads("x ~> Matrix4(batch, inputs, h, w, X), depth ~> Matrix3(inputs, K, K, D), point ~> Matrix2(outputs, inputs, P)");
  __writes("y ~> Matrix4(batch, outputs, h, w, fun n o i j -> Sum(c in 0..inputs, P(o, c) * Sum(p in 0..K, q in 0..K, "
           "0 <= i - PAD + p && i - PAD + p < h && 0 <= j - PAD + q && j - PAD + q < w ? "
           "X(n, c, i - PAD + p, j - PAD + q) * D(c, p, q) : 0.0f)))");
  float* const mid = MALLOC4(float, batch, inputs, h, w);
  for (int n = 0; n < batch; n++) {
    for (int c = 0; c < inputs; c++) {
      for (int i = 0; i < h; i++) {
        for (int j = 0; j < w; j++) {
          float sum = 0.0f;
          for (int p = 0; p < K; p++) {
            for (int q = 0; q < K; q++) {
              const int s = i - PAD + p;
              const int t = j - PAD + q;
              if (0 <= s && s < h && 0 <= t && t < w) {
                sum += x[n][c][s][t] * depth[c][p][q];
              }
            }
          }
          mid[MINDEX4(batch, inputs, h, w, n, c, i, j)] = sum;
        }
      }
    }
  }
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < h; i++) {
        for (int j = 0; j < w; j++) {
          float sum = 0.0f;
          for (int c = 0; c < inputs; c++) {
            sum += point[o][c] * mid[MINDEX4(batch, inputs, h, w, n, c, i, j)];
          }
          y[n][o][i][j] = sum;
        }
      }
    }
  }
  free(mid);
}
