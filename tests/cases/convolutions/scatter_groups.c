// A transposed convolution that scatters in groups of channels.
// expect: VERIFIED
// mutate: "y[n][g * 4 + o][s]" -> "y[n][g * 3 + o][s]" => REFUTED[OG305] y ~> Matrix3(batch
// mutate: "x[n][g * 2 + c][i]" -> "x[n][c][i]" => REFUTED[OG305] y ~> Matrix3(batch
// mutate: "F(o / 4 * 2 + c, o % 4, p)" -> "F(o / 4 * 2 + c, 0, p)"
//   => REFUTED[OG305] y ~> Matrix3(batch

void grouped(int batch, int groups, int l, int l2, float x[batch][groups * 2][l],
             float f[groups * 2][4][3], float y[batch][groups * 4][l2]) {
  __requires("X: int * int * int -> float, F: int * int * int -> float");
  __requires("groups >= 0");
  __reads("x ~> Matrix3(batch, groups * 2, l, X), f ~> Matrix3(groups * 2, 4, 3, F)");
  __writes("y ~> Matrix3(batch, groups * 4, l2, fun n o i -> Sum(c in 0..2, p in 0..3, "
           "0 <= i + 1 - p && (i + 1 - p) % 2 == 0 && (i + 1 - p) / 2 < l ? "
           "X(n, o / 4 * 2 + c, (i + 1 - p) / 2) * F(o / 4 * 2 + c, o % 4, p) : 0.0f))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < groups * 4; o++) {
      for (int i = 0; i < l2; i++) {
        y[n][o][i] = 0.0f;
      }
    }
    for (int g = 0; g < groups; g++) {
      for (int c = 0; c < 2; c++) {
        for (int i = 0; i < l; i++) {
          for (int o = 0; o < 4; o++) {
            for (int p = 0; p < 3; p++) {
              const int s = i * 2 + p - 1;
              if (0 <= s && s < l2) {
                y[n][g * 4 + o][s] += x[n][g * 2 + c][i] * f[g * 2 + c][o][p];
              }
            }
          }
        }
      }
    }
  }
}
