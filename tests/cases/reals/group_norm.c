// Group normalisation over five dimensions.
// expect: VERIFIED
#include <optigpu.h>
void groupnorm(int N, int G, int C, int H, int W, float eps, float x[N][G][C][H][W], float y[N][G][C][H][W]) {
  __requires("X: int * int * int * int * int -> float");
  __requires("0 < C && 0 < H && 0 < W");
  __requires("0 < eps");
  __reads("x ~> Matrix5(N, G, C, H, W, X)");
  __writes("y ~> Matrix5(N, G, C, H, W, fun n g c h w -> (X(n, g, c, h, w) - Sum(a in 0..C, p in 0..H, q in 0..W, X(n, g, a, p, q)) / (C * H * W)) / sqrt(Sum(a in 0..C, p in 0..H, q in 0..W, pow(X(n, g, a, p, q) - (Sum(a2 in 0..C, p2 in 0..H, q2 in 0..W, X(n, g, a2, p2, q2)) / (C * H * W)), 2)) / (C * H * W) + eps))");
  for (int n = 0; n < N; n++)
  for (int g = 0; g < G; g++) {
    float mean = 0.f;
    for (int c = 0; c < C; c++) for (int h = 0; h < H; h++) for (int w = 0; w < W; w++)
      mean += x[n][g][c][h][w];
    mean = mean / (C * H * W);
    float var = 0.f;
    for (int c = 0; c < C; c++) for (int h = 0; h < H; h++) for (int w = 0; w < W; w++)
      var += (x[n][g][c][h][w] - mean) * (x[n][g][c][h][w] - mean);
    var = var / (C * H * W);
    float s = 1.f / sqrtf(var + eps);
    for (int c = 0; c < C; c++) for (int h = 0; h < H; h++) for (int w = 0; w < W; w++)
      y[n][g][c][h][w] = (x[n][g][c][h][w] - mean) * s;
  }
}
