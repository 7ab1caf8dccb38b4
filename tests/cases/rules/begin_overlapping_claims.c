// Rule begin: the claims of a precondition are disjoint.
// expect: VERIFIED
// mutate: "for i in m..n" -> "for i in m - 1..n" => REFUTED[OG323] for i in m - 1..n -> &a[i] ~> Cell
// mutate: "for i in m..n -> &a[i] ~> Cell" -> "for i in m..n -> &a[i - 1] ~> Cell"
//   => REFUTED[OG323] for i in m..n -> &a[i - 1] ~> Cell
// mutate: "for i in m..n -> &a[i] ~> Cell" -> "for i in m..n -> &a[m] ~> Cell"
//   => REFUTED[OG323] for i in m..n -> &a[m] ~> Cell
// mutate: "m <= n" -> "m <= n + 1" => UNPROVED[OG332] for i in 0..m -> &a[i] ~> Cell

void f(int n, int m, float a[n]) {
  __requires("1 <= m && m <= n");
  __preserves("for i in 0..m -> &a[i] ~> Cell");
  __preserves("for i in m..n -> &a[i] ~> Cell");
  for (int i = 0; i < m; i++) { a[i] = 1.0f; }
  for (int i = m; i < n; i++) { a[i] = 2.0f; }
}
