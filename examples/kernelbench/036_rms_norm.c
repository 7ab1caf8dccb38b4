#include <optigpu.h>

// each pixel divided by the root of the mean square of its channels; 112 x 64 x 512 x 512, hw = 512 * 512
void rms_norm(int batch, int channels, int hw, float eps, float x[batch][channels][hw], float y[batch][channels][hw]) {
  __requires("X: int * int * int -> float");
  __requires("channels > 0 && eps >. 0.0f");
  __reads("x ~> Matrix3(batch, channels, hw, X)");
  __writes("y ~> Matrix3(batch, channels, hw, fun n c p -> "
           "X(n, c, p) / sqrtf(Sum(k in 0..channels, powf(X(n, k, p), 2.0f)) / channels + eps))");
  for (int n = 0; n < batch; n++) {
    for (int p = 0; p < hw; p++) {
      float squares = 0.0f;
      for (int c = 0; c < channels; c++) {
        squares += x[n][c][p] * x[n][c][p];
      }
      const float root = sqrtf(squares / channels + eps);
      for (int c = 0; c < channels; c++) {
        y[n][c][p] = x[n][c][p] / root;
      }
    }
  }
}
