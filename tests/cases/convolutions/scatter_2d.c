// A transposed convolution of images that scatters, with strides, padding and dilation, over all images at once.
// expect: VERIFIED
// also: replay
// mutate: "i * 2 + p * 2 - 1" -> "i * 2 + p - 1" => REFUTED[OG305] y ~> Matrix4(batch
// mutate: "j * 3 + q - 1" -> "j * 2 + q - 1" => REFUTED[OG305] y ~> Matrix4(batch
// mutate: "t < w2)" -> "t <= w2)" => REFUTED[OG302] y[n][o][s][t] += x[n][c][i][j] * f[c][o][p][q];
// mutate: "f[c][o][p][q]" -> "f[c][o][p][0]" => REFUTED[OG305] y ~> Matrix4(batch

void scatter(int batch, int inputs, int outputs, int h, int w, int h2, int w2, float x[batch][inputs][h][w],
             float f[inputs][outputs][3][4], float y[batch][outputs][h2][w2]) {
  __requires("X: int * int * int * int -> float, F: int * int * int * int -> float");
  __reads("x ~> Matrix4(batch, inputs, h, w, X), f ~> Matrix4(inputs, outputs, 3, 4, F)");
  __writes("y ~> Matrix4(batch, outputs, h2, w2, fun n o a b -> Sum(c in 0..inputs, p in 0..3, q in 0..4, "
           "0 <= a + 1 - p * 2 && (a + 1 - p * 2) % 2 == 0 && (a + 1 - p * 2) / 2 < h && "
           "0 <= b + 1 - q && (b + 1 - q) % 3 == 0 && (b + 1 - q) / 3 < w ? "
           "X(n, c, (a + 1 - p * 2) / 2, (b + 1 - q) / 3) * F(c, o, p, q) : 0))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int a = 0; a < h2; a++) {
        for (int b = 0; b < w2; b++) {
          y[n][o][a][b] = 0.0f;
        }
      }
    }
  }
  for (int n = 0; n < batch; n++) {
    for (int c = 0; c < inputs; c++) {
      for (int i = 0; i < h; i++) {
        for (int j = 0; j < w; j++) {
          for (int o = 0; o < outputs; o++) {
            for (int p = 0; p < 3; p++) {
              for (int q = 0; q < 4; q++) {
                const int s = i * 2 + p * 2 - 1;
                const int t = j * 3 + q - 1;
                if (0 <= s && s < h2 && 0 <= t && t < w2) {
                  y[n][o][s][t] += x[n][c][i][j] * f[c][o][p][q];
                }
              }
            }
          }
        }
      }
    }
  }
}
