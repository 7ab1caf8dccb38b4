// A transposed convolution that gathers: an element of the input counts where the stride divides its distance.
// expect: VERIFIED
// mutate: "t >= 0 && t % stride" -> "t % stride" => REFUTED[OG302] x[ci][i]
// mutate: "if (t >= 0 && t % stride == 0)" -> "if (t >= 0)" => REFUTED[OG305]
//   y ~> Matrix1(O, fun o -> Sum(ci in 0..CI, Sum(p in 0..P, (o + pad - p * dil) % stride == 0"
// mutate: "0 <= (o + pad" -> "1 <= (o + pad" => REFUTED[OG305]
//   y ~> Matrix1(O, fun o -> Sum(ci in 0..CI, Sum(p in 0..P, (o + pad - p * dil) % stride == 0"

void transposed(int CI, int L, int P, int O, int stride, int pad, int dil, float x[CI][L], float w[CI][P], float y[O]) {
  __requires("X: int * int -> float, W: int * int -> float");
  __requires("stride > 0 && dil > 0 && pad >= 0");
  __reads("x ~> Matrix2(CI, L, X), w ~> Matrix2(CI, P, W)");
  __writes("y ~> Matrix1(O, fun o -> Sum(ci in 0..CI, Sum(p in 0..P, (o + pad - p * dil) % stride == 0"
           " && 0 <= (o + pad - p * dil) / stride && (o + pad - p * dil) / stride < L"
           " ? X(ci, (o + pad - p * dil) / stride) * W(ci, p) : 0)))");
  for (int o = 0; o < O; o++) {
    float s = 0.0f;
    for (int ci = 0; ci < CI; ci++) {
      for (int p = 0; p < P; p++) {
        const int64_t t = (int64_t)o + pad - (int64_t)p * dil;
        if (t >= 0 && t % stride == 0) {
          const int64_t i = t / stride;
          if (i < L) {
            s += x[ci][i] * w[ci][p];
          }
        }
      }
    }
    y[o] = s;
  }
}
