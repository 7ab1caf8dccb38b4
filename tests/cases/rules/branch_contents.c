// Rule for branches: after a branch, contents are those of the branch that was taken.
// expect: VERIFIED
// mutate: "m > 0 ? 1" -> "m >= 0 ? 1" => REFUTED[OG305] a ~> Matrix1(n, fun i -> i == 0 ? (m >= 0 ? 1 : 2) : A(i))
// mutate: "else { a[0] = 2.0f; }" -> "" => REFUTED[OG305] a ~> Matrix1(n, fun i -> i == 0 ? (m > 0 ? 1 : 2) : A(i))
// mutate: "if (m > 0)" -> "if (m < 0)" => REFUTED[OG305] a ~> Matrix1(n, fun i -> i == 0 ? (m > 0 ? 1 : 2) : A(i))
// mutate: "a[0] = 2.0f" -> "a[n - 1] = 2.0f" => REFUTED[OG305] a ~> Matrix1(n, fun i -> i == 0 ? (m > 0 ? 1 : 2) : A(i))

void f(int n, int m, float a[n]) {
  __requires("A: int -> float, n > 0");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> i == 0 ? (m > 0 ? 1 : 2) : A(i))");
  if (m > 0) { a[0] = 1.0f; } else { a[0] = 2.0f; }
}
