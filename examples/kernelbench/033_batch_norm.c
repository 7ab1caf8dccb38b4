#include <optigpu.h>

__DEF(mean, "fun (X: int * int * int -> float) (batch: int) (hw: int) (c: int) -> "
            "Sum(n in 0..batch, Sum(p in 0..hw, X(n, c, p))) / (batch * hw)");
__DEF(variance, "fun (X: int * int * int -> float) (batch: int) (hw: int) (c: int) -> "
                "Sum(n in 0..batch, Sum(p in 0..hw, (X(n, c, p) - mean(X, batch, hw, c)) * "
                "(X(n, c, p) - mean(X, batch, hw, c)))) / (batch * hw)");

// each channel normalised over batch and pixels, with the biased variance; 64 x 64 x 512 x 512, hw = 512 * 512
void batch_norm(int batch, int channels, int hw, float eps, float x[batch][channels][hw], float gamma[channels],
                float beta[channels], float y[batch][channels][hw]) {
  __requires("X: int * int * int -> float, G: int -> float, B: int -> float");
  __requires("batch > 0 && hw > 0 && eps >. 0.0f");
  __reads("x ~> Matrix3(batch, channels, hw, X), gamma ~> Matrix1(channels, G), beta ~> Matrix1(channels, B)");
  __writes("y ~> Matrix3(batch, channels, hw, fun n c p -> "
           "(X(n, c, p) - mean(X, batch, hw, c)) / sqrtf(variance(X, batch, hw, c) + eps) * G(c) + B(c))");
  for (int c = 0; c < channels; c++) {
    float sum = 0.0f;
    for (int n = 0; n < batch; n++) {
      for (int p = 0; p < hw; p++) {
        sum += x[n][c][p];
      }
    }
    const float m = sum / (batch * hw);
    float squares = 0.0f;
    for (int n = 0; n < batch; n++) {
      for (int p = 0; p < hw; p++) {
        squares += (x[n][c][p] - m) * (x[n][c][p] - m);
      }
    }
    const float scale = 1.0f / sqrtf(squares / (batch * hw) + eps);
    for (int n = 0; n < batch; n++) {
      for (int p = 0; p < hw; p++) {
        y[n][c][p] = (x[n][c][p] - m) * scale * gamma[c] + beta[c];
      }
    }
  }
}
