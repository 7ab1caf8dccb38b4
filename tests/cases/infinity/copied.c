// INFINITY may be copied, chosen and passed on to functions that compare; a variable that may hold it is no operand of arithmetic, nor
// is it passed to a function that computes: of floats, m - m is not 0, and m * 0.5f is not less than m, for an infinite m.
// expect: VERIFIED
// mutate: "y[i] = b" -> "y[i] = b - b", "c ? X(i) : -INFINITY" -> "0" => REFUTED[OG337] b - b
// mutate: "y[i] = b" -> "y[i] = b; y[i] -= b", "c ? X(i) : -INFINITY" -> "0" => REFUTED[OG337] y[i] -= b;
// mutate: "y[i] = b" -> "y[i] = fmaf(b, 0.0f, 1.0f)", "c ? X(i) : -INFINITY" -> "1" => REFUTED[OG337] b, 0.0f, 1.0f);
// mutate: "y[i] = b" -> "y[i] = fminf(b, 1.0f) * 0.0f", "c ? X(i) : -INFINITY" -> "0" => REFUTED[OG337] fminf(b, 1.0f) * 0.0f
// mutate: "return v;" -> "return v * 1.0f;" => UNSUPPORTED[OG300] t[0]
// mutate: "a[0] = -INFINITY" -> "a[0] = 3.0f", "&a[0] ~~> -INFINITY" -> "&a[0] ~~> 3", ": -INFINITY" -> ": 3",
//   "return v;" -> "return v * 1.0f;" => VERIFIED

void padding(float a[1]) {
  __writes("&a[0] ~~> -INFINITY");
  a[0] = -INFINITY;
}

float same(float v) {
  __ensures("_Res == v");
  return v;
}

void copied(int n, bool c, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> c ? X(i) : -INFINITY)");
  float t[1];
  padding(t);
  const float p = same(t[0]);
  for (int i = 0; i < n; i++) {
    const float b = c ? x[i] : p;
    y[i] = b;
  }
}
