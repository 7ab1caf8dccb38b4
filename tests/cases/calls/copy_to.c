// A call needs the permissions and sizes of the called contract.
// expect: VERIFIED
// mutate: "copy(n, a, b);" -> "copy(n, b, a);" => REFUTED[OG316] copy(n, b, a);
// mutate: "copy(n, a, b);" -> "copy(n, b, b);" => REFUTED[OG316] copy(n, b, b);
// mutate: "copy(n, a, b);" -> "copy(n - 1, a, b);" => REFUTED[OG315] copy(n - 1, a, b);
// mutate: "copy(n, a, b);" -> "copy(n, a, &b[1]);" => REFUTED[OG316] copy(n, a, &b[1]);
// mutate: "copy(n, a, b);" -> ";" => REFUTED[OG306] b ~> Matrix1(n, A)
// mutate: "y[i] = x[i]" -> "y[i] = 0.0f" => REFUTED[OG305] y ~> Matrix1(n, X)

void copy(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, X)");
  for (int i = 0; i < n; i++) {
    y[i] = x[i];
  }
}
void copy_to(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, A)");
  copy(n, a, b);
}
