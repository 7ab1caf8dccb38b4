// A call that spans two claims.
// expect: VERIFIED
// also: annotated
// mutate: "zero(n, a);" -> "zero(n + 1, a);" => REFUTED[OG316] zero(n + 1, a);

void zero(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 0)");
  for (int i = 0; i < n; i++) a[i] = 0;
}
void call(int n, int m, float a[n]) {
  __requires("0 <= m && m <= n && n <= 1000");
  __consumes("for i in 0..m -> &a[i] ~> Cell");
  __consumes("for i in m..n -> &a[i] ~> Cell");
  __produces("a ~> Matrix1(n, fun i -> 0)");
  zero(n, a);
}
