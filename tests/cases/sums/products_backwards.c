// Running products from the end, of the elements that a mask selects.
// expect: VERIFIED
// mutate: "s = 1.0f" -> "s = 0.0f" => REFUTED[OG305] y ~> Matrix1(n, fun i -> Prod(k in i..n, M(k) ? X(k) : 1))
// mutate: "X(k) : 1" -> "X(k) : 0" => REFUTED[OG305] y ~> Matrix1(n, fun i -> Prod(k in i..n, M(k) ? X(k) : 0))
// mutate: "k in i..n" -> "k in 0..i + 1" => REFUTED[OG305] y ~> Matrix1(n, fun i -> Prod(k in 0..i + 1, M(k) ? X(k) : 1))
// mutate: "y[i] = s;" -> ";", "if (mask[i])" -> "y[i] = s;\n    if (mask[i])" => REFUTED[OG305]
//   y ~> Matrix1(n, fun i -> Prod(k in i..n, M(k) ? X(k) : 1))

void products_backwards(int n, float x[n], bool mask[n], float y[n]) {
  __requires("X: int -> float, M: int -> bool");
  __reads("x ~> Matrix1(n, X), mask ~> Matrix1(n, M)");
  __writes("y ~> Matrix1(n, fun i -> Prod(k in i..n, M(k) ? X(k) : 1))");
  float s = 1.0f;
  for (int i = n - 1; i >= 0; i--) {
    if (mask[i]) {
      s *= x[i];
    }
    y[i] = s;
  }
}
