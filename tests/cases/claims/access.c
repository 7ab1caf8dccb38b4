// An access whose index may lie in either claim.
// expect: VERIFIED
// also: annotated
// mutate: "k < n" -> "k <= n" => REFUTED[OG302] a[k] = 2;

float access(int n, int m, int k, float a[n]) {
  __requires("0 <= m && m <= n && 0 <= k && k < n");
  __preserves("for i in 0..m -> &a[i] ~> Cell");
  __preserves("for i in m..n -> &a[i] ~> Cell");
  a[k] = 2;
  return a[k];
}
