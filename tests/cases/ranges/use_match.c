// The index of a match is used as an index after the loop.
// expect: VERIFIED
// also: annotated, replay
// mutate: "r = i;" -> "r = i + 1;" => REFUTED[OG302] a[r]
// mutate: "r >= 0" -> "r >= -1" => REFUTED[OG302] a[r]
// mutate: "i < n" -> "i <= n" => REFUTED[OG302] a[i]

float use_match(int n, float x, float a[n]) {
  __reads("a ~> Cells1(n)");
  int r = -1;
  float y = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] == x) r = i;
  }
  if (r >= 0) {
    y = a[r];
  }
  return y;
}
