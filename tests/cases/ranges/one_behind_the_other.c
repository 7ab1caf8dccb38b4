// The range of one variable follows from that of another.
// expect: VERIFIED
// also: annotated
// mutate: "before = now;" -> "before = now - 1;" => REFUTED[OG302] a[before]

float one_behind_the_other(int n, float a[n], float x) {
  __reads("a ~> Cells1(n)");
  int now = 0;
  int before = 0;
  float s = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] > x) {
      before = now;
      now = i;
    }
    s += a[before];
  }
  return s;
}
