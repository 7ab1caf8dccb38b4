// A transposed convolution that scatters, with any positive stride, any padding and any dilation: an input and a tap reach an output
// where the stride divides their distance.
// expect: VERIFIED
// also: replay
// mutate: "stride > 0" -> "stride >= 0" => UNPROVED[OG361] o + pad - p * dil) % stride
// mutate: "stride > 0" -> "stride < 0" => UNPROVED[OG361] X((o + pad - p * dil) / stride)
// mutate: "i * stride + p" -> "i * (stride + 1) + p" => REFUTED[OG305] y ~> Matrix1(l2
// mutate: "p * dil - pad;" -> "p * dil + pad;" => REFUTED[OG305] y ~> Matrix1(l2
// mutate: "p * dil - pad;" -> "p * dil - pad + 1;" => REFUTED[OG305] y ~> Matrix1(l2
// mutate: "s < l2)" -> "s <= l2)" => REFUTED[OG302] y[s]
// mutate: "s < l2)" -> "s < l2 - 1)" => REFUTED[OG305] y ~> Matrix1(l2
// mutate: "0 <= s && " -> "" => REFUTED[OG302] y[s]
// mutate: "0 <= s && " -> "1 <= s && " => REFUTED[OG305] y ~> Matrix1(l2
// mutate: "stride < l ?" -> "stride < l - 1 ?" => REFUTED[OG305] y ~> Matrix1(l2
// mutate: "0 <= o + pad" -> "1 <= o + pad" => REFUTED[OG305] y ~> Matrix1(l2
// mutate: "0 <= o + pad" -> "stride <= o + pad" => REFUTED[OG305] y ~> Matrix1(l2
// mutate: "(o + pad - p * dil) % stride == 0 && " -> "" => REFUTED[OG305] y ~> Matrix1(l2
// mutate: "% stride == 0" -> "% stride == 1" => REFUTED[OG305] y ~> Matrix1(l2
// mutate: "p in 0..k" -> "p in 0..k - 1" => REFUTED[OG305] y ~> Matrix1(l2
// mutate: "* W(p) : 0" -> "* W(0) : 0" => REFUTED[OG305] y ~> Matrix1(l2

void scatter(int l, int l2, int k, int stride, int pad, int dil, float x[l], float w[k], float y[l2]) {
  __requires("X: int -> float, W: int -> float");
  __requires("stride > 0");
  __reads("x ~> Matrix1(l, X), w ~> Matrix1(k, W)");
  __writes("y ~> Matrix1(l2, fun o -> Sum(p in 0..k, 0 <= o + pad - p * dil && (o + pad - p * dil) % stride == 0 && "
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
