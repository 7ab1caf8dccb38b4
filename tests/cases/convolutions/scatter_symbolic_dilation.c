// Where the dilation is known to be positive too, each tap of one input has an output of its own, by a quotient of symbols.
// expect: VERIFIED
// mutate: "p * dil - pad;" -> "p * dil - pad + dil;" => REFUTED[OG305] y ~> Matrix1(l2
// mutate: "stride < l ?" -> "stride < l - 1 ?" => REFUTED[OG305] y ~> Matrix1(l2
// mutate: "p = 0; p < k" -> "p = 1; p < k" => REFUTED[OG305] y ~> Matrix1(l2

void scatter(int l, int l2, int k, int stride, int pad, int dil, float x[l], float w[k], float y[l2]) {
  __requires("X: int -> float, W: int -> float");
  __requires("stride > 0 && dil > 0 && pad >= 0");
  __reads("x ~> Matrix1(l, X), w ~> Matrix1(k, W)");
  __writes("y ~> Matrix1(l2, fun o -> Sum(p in 0..k, (o + pad - p * dil) % stride == 0 && 0 <= (o + pad - p * dil) / stride && "
           "(o + pad - p * dil) / stride < l ? X((o + pad - p * dil) / stride) * W(p) : 0))");
  for (int o = 0; o < l2; o++) {
    y[o] = 0.0f;
  }
  for (int i = 0; i < l; i++) {
    for (int p = 0; p < k; p++) {
      const int s = i * stride + p * dil - pad;
      if (0 <= s && s < l2) {
        y[s] += x[i] * w[p];
      }
    }
  }
}
