// A transposed convolution of volumes that scatters.
// expect: VERIFIED
// mutate: "s = i + p" -> "s = i + p + 1" => REFUTED[OG302] y[o][s][j + q][l + r] += x[c][i][j][l] * f[c][o][p][q][r];
// mutate: "e - r < d ?" -> "e - r < d - 1 ?" => REFUTED[OG305] y ~> Matrix4(outputs

void scatter(int inputs, int outputs, int h, int w, int d, float x[inputs][h][w][d], float f[inputs][outputs][3][3][3],
             float y[outputs][h + 2][w + 2][d + 2]) {
  __requires("X: int * int * int * int -> float, F: int * int * int * int * int -> float");
  __requires("h > 0 && w > 0 && d > 0");
  __reads("x ~> Matrix4(inputs, h, w, d, X), f ~> Matrix5(inputs, outputs, 3, 3, 3, F)");
  __writes("y ~> Matrix4(outputs, h + 2, w + 2, d + 2, fun o a b e -> Sum(c in 0..inputs, p in 0..3, q in 0..3, r in 0..3, "
           "0 <= a - p && a - p < h && 0 <= b - q && b - q < w && 0 <= e - r && e - r < d ? "
           "X(c, a - p, b - q, e - r) * F(c, o, p, q, r) : 0))");
  for (int o = 0; o < outputs; o++) {
    for (int a = 0; a < h + 2; a++) {
      for (int b = 0; b < w + 2; b++) {
        for (int e = 0; e < d + 2; e++) {
          y[o][a][b][e] = 0.0f;
        }
      }
    }
    for (int c = 0; c < inputs; c++) {
      for (int i = 0; i < h; i++) {
        for (int j = 0; j < w; j++) {
          for (int l = 0; l < d; l++) {
            for (int p = 0; p < 3; p++) {
              for (int q = 0; q < 3; q++) {
                for (int r = 0; r < 3; r++) {
                  const int s = i + p;
                  y[o][s][j + q][l + r] += x[c][i][j][l] * f[c][o][p][q][r];
                }
              }
            }
          }
        }
      }
    }
  }
}
