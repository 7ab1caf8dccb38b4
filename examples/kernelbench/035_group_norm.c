#include <optigpu.h>

__DEF(mean, "fun (X: int * int * int * int -> float) (per: int) (hw: int) (n: int) (g: int) -> "
            "Sum(c in 0..per, Sum(p in 0..hw, X(n, g, c, p))) / (per * hw)");
__DEF(variance, "fun (X: int * int * int * int -> float) (per: int) (hw: int) (n: int) (g: int) -> "
                "Sum(c in 0..per, Sum(p in 0..hw, (X(n, g, c, p) - mean(X, per, hw, n, g)) * "
                "(X(n, g, c, p) - mean(X, per, hw, n, g)))) / (per * hw)");

// each group of channels of each sample normalised; 112 x 64 x 512 x 512 in 8 groups: per = 8 channels of hw = 512 * 512
void group_norm(int batch, int groups, int per, int hw, float eps, float x[batch][groups][per][hw],
                float gamma[groups][per], float beta[groups][per], float y[batch][groups][per][hw]) {
  __requires("X: int * int * int * int -> float, G: int * int -> float, B: int * int -> float");
  __requires("per > 0 && hw > 0 && eps >. 0.0f");
  __reads("x ~> Matrix4(batch, groups, per, hw, X), gamma ~> Matrix2(groups, per, G), beta ~> Matrix2(groups, per, B)");
  __writes("y ~> Matrix4(batch, groups, per, hw, fun n g c p -> "
           "(X(n, g, c, p) - mean(X, per, hw, n, g)) / sqrtf(variance(X, per, hw, n, g) + eps) * G(g, c) + B(g, c))");
  for (int n = 0; n < batch; n++) {
    for (int g = 0; g < groups; g++) {
      float sum = 0.0f;
      for (int c = 0; c < per; c++) {
        for (int p = 0; p < hw; p++) {
          sum += x[n][g][c][p];
        }
      }
      const float m = sum / (per * hw);
      float squares = 0.0f;
      for (int c = 0; c < per; c++) {
        for (int p = 0; p < hw; p++) {
          squares += (x[n][g][c][p] - m) * (x[n][g][c][p] - m);
        }
      }
      const float scale = 1.0f / sqrtf(squares / (per * hw) + eps);
      for (int c = 0; c < per; c++) {
        for (int p = 0; p < hw; p++) {
          y[n][g][c][p] = (x[n][g][c][p] - m) * scale * gamma[g][c] + beta[g][c];
        }
      }
    }
  }
}
