// Rule take: two rows of a matrix are passed to a call.
// expect: VERIFIED
// mutate: "add_to(n, a[0], a[1])" -> "add_to(n, a[0], a[0])" => REFUTED[OG316] add_to(n, a[0], a[0]);
// mutate: "add_to(n, a[0], a[1])" -> "add_to(n, a[0], &a[0][1])" => REFUTED[OG316] add_to(n, a[0], &a[0][1]);
// mutate: "add_to(n, a[0], a[1])" -> "add_to(n + 1, a[0], a[1])" => REFUTED[OG316] add_to(n + 1, a[0], a[1]);
// mutate: "add_to(n, a[0], a[1])" -> "add_to(n, a[0], a[n])" => REFUTED[OG316] add_to(n, a[0], a[n]);

void add_to(int k, float x[k], float y[k]) {
  __requires("X: int -> float, Y: int -> float");
  __consumes("x ~> Matrix1(k, X)");
  __reads("y ~> Matrix1(k, Y)");
  __produces("x ~> Matrix1(k, fun i -> X(i) + Y(i))");
  for (int i = 0; i < k; i++) x[i] += y[i];
}
void f(int n, float a[n][n]) {
  __requires("n >= 2");
  __preserves("a ~> Cells2(n, n)");
  add_to(n, a[0], a[1]);
}
