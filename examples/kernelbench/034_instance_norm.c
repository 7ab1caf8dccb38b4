#include <optigpu.h>

__DEF(mean, "fun (X: int * int * int -> float) (hw: int) (n: int) (c: int) -> Sum(p in 0..hw, X(n, c, p)) / hw");
__DEF(variance, "fun (X: int * int * int -> float) (hw: int) (n: int) (c: int) -> "
                "Sum(p in 0..hw, (X(n, c, p) - mean(X, hw, n, c)) * (X(n, c, p) - mean(X, hw, n, c))) / hw");

// each channel of each sample normalised over its pixels; 112 x 64 x 512 x 512, hw = 512 * 512
void instance_norm(int batch, int channels, int hw, float eps, float x[batch][channels][hw], float y[batch][channels][hw]) {
  __requires("X: int * int * int -> float");
  __requires("hw > 0 && eps >. 0.0f");
  __reads("x ~> Matrix3(batch, channels, hw, X)");
  __writes("y ~> Matrix3(batch, channels, hw, fun n c p -> "
           "(X(n, c, p) - mean(X, hw, n, c)) / sqrtf(variance(X, hw, n, c) + eps))");
  for (int n = 0; n < batch; n++) {
    for (int c = 0; c < channels; c++) {
      float sum = 0.0f;
      for (int p = 0; p < hw; p++) {
        sum += x[n][c][p];
      }
      const float m = sum / hw;
      float squares = 0.0f;
      for (int p = 0; p < hw; p++) {
        squares += (x[n][c][p] - m) * (x[n][c][p] - m);
      }
      const float scale = 1.0f / sqrtf(squares / hw + eps);
      for (int p = 0; p < hw; p++) {
        y[n][c][p] = (x[n][c][p] - m) * scale;
      }
    }
  }
}
