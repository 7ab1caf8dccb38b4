// A transposed convolution that scatters, with stride 1: the sum over the inputs is the sum over the taps, in the other direction.
// expect: VERIFIED
// also: replay
// mutate: "y[i + p] +=" -> "y[i + p + 1] +=" => REFUTED[OG302] y[i + p + 1] += x[i] * w[p];
// mutate: "o - p < l ?" -> "o - p < l - 1 ?" => REFUTED[OG305] y ~> Matrix1(l + k - 1
// mutate: "0 <= o - p" -> "1 <= o - p" => REFUTED[OG305] y ~> Matrix1(l + k - 1
// mutate: "p in 0..k" -> "p in 1..k" => REFUTED[OG305] y ~> Matrix1(l + k - 1
// mutate: "p = 0; p < k" -> "p = 0; p < k - 1" => REFUTED[OG305] y ~> Matrix1(l + k - 1
// mutate: "x[i] * w[p]" -> "x[i] * w[k - 1 - p]" => REFUTED[OG305] y ~> Matrix1(l + k - 1
// mutate: "int i = 0" -> "int i = 1" => REFUTED[OG305] y ~> Matrix1(l + k - 1

void scatter(int l, int k, float x[l], float w[k], float y[l + k - 1]) {
  __requires("X: int -> float, W: int -> float");
  __requires("k > 0 && l > 0");
  __reads("x ~> Matrix1(l, X), w ~> Matrix1(k, W)");
  __writes("y ~> Matrix1(l + k - 1, fun o -> Sum(p in 0..k, 0 <= o - p && o - p < l ? X(o - p) * W(p) : 0))");
  for (int o = 0; o < l + k - 1; o++) {
    y[o] = 0.0f;
  }
  for (int i = 0; i < l; i++) {
    for (int p = 0; p < k; p++) {
      y[i + p] += x[i] * w[p];
    }
  }
}
