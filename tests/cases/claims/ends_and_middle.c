// Claims on both ends and the middle of an array.
// expect: VERIFIED
// also: annotated
// mutate: "for i in 1..n - 1 ->" -> "for i in 2..n - 1 ->" => REFUTED[OG302] a[i];

float ends_and_middle(int n, float a[n]) {
  __requires("n >= 2");
  __preserves("&a[0] ~> Cell");
  __preserves("for i in 1..n - 1 -> &a[i] ~> Cell");
  __preserves("&a[n - 1] ~> Cell");
  float s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
