// Rule take: two disjoint parts of one array are passed to a call.
// expect: VERIFIED
// mutate: "add_to(m, a, &a[m])" -> "add_to(m, a, &a[m - 1])" => REFUTED[OG316] add_to(m, a, &a[m - 1]);
// mutate: "add_to(m, a, &a[m])" -> "add_to(m, &a[1], &a[m])" => REFUTED[OG316] add_to(m, &a[1], &a[m]);
// mutate: "add_to(m, a, &a[m])" -> "add_to(m, a, a)" => REFUTED[OG316] add_to(m, a, a);
// mutate: "add_to(m, a, &a[m])" -> "add_to(m, a, &a[n - m + 1])" => REFUTED[OG316] add_to(m, a, &a[n - m + 1]);
// mutate: "2 * m <= n" -> "2 * m <= n + 1" => REFUTED[OG316] add_to(m, a, &a[m]);

void add_to(int k, float x[k], float y[k]) {
  __requires("X: int -> float, Y: int -> float");
  __consumes("x ~> Matrix1(k, X)");
  __reads("y ~> Matrix1(k, Y)");
  __produces("x ~> Matrix1(k, fun i -> X(i) + Y(i))");
  for (int i = 0; i < k; i++) x[i] += y[i];
}
void f(int n, int m, float a[n]) {
  __requires("m >= 1 && 2 * m <= n");
  __preserves("a ~> Cells1(n)");
  add_to(m, a, &a[m]);
}
